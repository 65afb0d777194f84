// What a connection has prepared: statements by name, and portals, which are statements with their
// parameters and a place to go on from. The unnamed ones are replaced, named ones are closed first.
// Source: PostgreSQL 17, 53.2.3; texts are the peer's.

import type { GatewayError } from '../../base/errors.js'
import { pgPreparedMax } from '../../base/limits.js'
import type { Target } from './client-message.js'
import { pgError, pgState } from './pg-error.js'

const unnamed = ''

export class Prepared<Statement, Portal> {
  private readonly statements = new Map<string, Statement>()
  private readonly portals = new Map<string, Portal>()

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

  addStatement(name: string, statement: Statement): void {
    this.requireFreeStatement(name)
    this.statements.set(name, statement)
  }

  /** Throws 26000 where there is none. */
  statement(name: string): Statement {
    const statement = this.statements.get(name)
    if (statement !== undefined) return statement
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

  addPortal(name: string, portal: Portal): void {
    this.requireFreePortal(name)
    this.closePortal(name)
    this.portals.set(name, portal)
  }

  /** Throws 34000 where there is none. */
  portal(name: string): Portal {
    const portal = this.portals.get(name)
    if (portal !== undefined) return portal
    throw pgError(pgState.noPortal, `portal "${name}" does not exist`)
  }

  /** Closing what is not there is no error. */
  close(target: Target, name: string): void {
    if (target === 'portal') this.closePortal(name)
    else this.statements.delete(name)
  }

  /** A simple query takes the place of the unnamed statement and portal. */
  closeUnnamed(): void {
    this.statements.delete(unnamed)
    this.closePortal(unnamed)
  }

  /** Portals do not outlive their transaction: at its end, and at a Sync outside of one. */
  closePortals(): void {
    for (const name of [...this.portals.keys()]) this.closePortal(name)
  }

  private closePortal(name: string): void {
    const portal = this.portals.get(name)
    if (portal === undefined) return
    this.portals.delete(name)
    this.onClosed(portal)
  }
}

function tooMany(what: string): GatewayError {
  return pgError(pgState.tooMany, `too many ${what}: ${pgPreparedMax} are kept`)
}
