// What a connection has prepared: statements by name, and portals, which are statements with their
// parameters and a place to go on from. The unnamed ones are replaced, named ones are closed first.
// Source: PostgreSQL 17, 53.2.3; texts are the peer's.

import type { GatewayError } from '../../base/errors.js'
import { pgPreparedBytesMax, pgPreparedMax } from '../../base/limits.js'
import type { Target } from './client-message.js'
import { pgError, pgState } from './pg-error.js'

const unnamed = ''

interface Kept<T> {
  readonly value: T
  readonly bytes: number
}

export class Prepared<Statement, Portal> {
  private readonly statements = new Map<string, Kept<Statement>>()
  private readonly portals = new Map<string, Kept<Portal>>()
  /** Of the texts and the values in them. */
  private bytes = 0

  /** `onClosed` is told of each portal that goes: it may hold a cursor. */
  constructor(private readonly onClosed: (portal: Portal) => void) {}

  /** Whether a Parse of this name can be; it is looked at before the statement is planned. */
  requireFreeStatement(name: string): void {
    if (name === unnamed) return
    if (this.statements.has(name)) {
      const what = `prepared statement "${name}" already exists`
      throw pgError(pgState.duplicateStatement, what)
    }
    if (this.statements.size >= pgPreparedMax) throw tooMany('prepared statements')
  }

  /** `bytes` are those that it keeps. Throws 53400 where others keep too many. */
  addStatement(name: string, value: Statement, bytes = 0): void {
    this.requireFreeStatement(name)
    this.closeStatement(name)
    this.requireRoom(bytes)
    this.statements.set(name, { value, bytes })
    this.bytes += bytes
  }

  /** Throws 26000 where there is none. */
  statement(name: string): Statement {
    const statement = this.statements.get(name)
    if (statement !== undefined) return statement.value
    const what =
      name === unnamed
        ? 'unnamed prepared statement does not exist'
        : `prepared statement "${name}" does not exist`
    throw pgError(pgState.noStatement, what)
  }

  requireFreePortal(name: string): void {
    if (name === unnamed) return
    if (this.portals.has(name)) {
      throw pgError(pgState.duplicatePortal, `portal "${name}" already exists`)
    }
    if (this.portals.size >= pgPreparedMax) throw tooMany('portals')
  }

  /** `bytes` are those that it keeps. Throws 53400 where others keep too many. */
  addPortal(name: string, value: Portal, bytes = 0): void {
    this.requireFreePortal(name)
    this.closePortal(name)
    this.requireRoom(bytes)
    this.portals.set(name, { value, bytes })
    this.bytes += bytes
  }

  /** One alone may be as large as its message. */
  private requireRoom(bytes: number): void {
    if (this.bytes === 0 || this.bytes + bytes <= pgPreparedBytesMax) return
    const text = `prepared statements and portals keep at most ${pgPreparedBytesMax} bytes`
    throw pgError(pgState.tooMany, text)
  }

  get openPortals(): readonly Portal[] {
    return [...this.portals.values()].map(({ value }) => value)
  }

  /** Throws 34000 where there is none. */
  portal(name: string): Portal {
    const portal = this.portals.get(name)
    if (portal !== undefined) return portal.value
    throw pgError(pgState.noPortal, `portal "${name}" does not exist`)
  }

  /** Closing what is not there is no error. */
  close(target: Target, name: string): void {
    if (target === 'portal') this.closePortal(name)
    else this.closeStatement(name)
  }

  /** A simple query takes the place of the unnamed statement and portal. */
  closeUnnamed(): void {
    this.closeStatement(unnamed)
    this.closePortal(unnamed)
  }

  /** Portals do not outlive their transaction: at its end, and at a Sync outside of one. */
  closePortals(): void {
    for (const name of [...this.portals.keys()]) this.closePortal(name)
  }

  private closeStatement(name: string): void {
    this.bytes -= this.statements.get(name)?.bytes ?? 0
    this.statements.delete(name)
  }

  private closePortal(name: string): void {
    const portal = this.portals.get(name)
    if (portal === undefined) return
    this.portals.delete(name)
    this.bytes -= portal.bytes
    this.onClosed(portal.value)
  }
}

function tooMany(what: string): GatewayError {
  return pgError(pgState.tooMany, `too many ${what}: ${pgPreparedMax} are kept`)
}
