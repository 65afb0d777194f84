// What a connection has prepared: statements by name, and portals, which are statements with their
// parameters and a place to go on from. The unnamed ones are replaced, named ones are closed first.
// Source: PostgreSQL 17, 53.2.3; texts are the reference server's.

import type { GatewayError } from '../../base/errors.js'
import { pgHeldBytesMax, pgPreparedBytesMax, pgPreparedMax } from '../../base/limits.js'
import type { Target } from './client-message.js'
import { pgError, pgState } from './pg-error.js'

const unnamed = ''

interface Kept<T> {
  readonly value: T
  bytes: number
  /** Bytes of rows that wait in a portal. */
  rows: number
}

/** What all connections keep together, as far as this one is concerned. */
export interface Room {
  /** False, and nothing is taken, where there is no room for so many bytes. */
  take(bytes: number): boolean
  release(bytes: number): void
}

const endlessRoom: Room = { take: () => true, release: () => {} }

export class Prepared<Statement, Portal> {
  private readonly statements = new Map<string, Kept<Statement>>()
  private readonly portals = new Map<string, Kept<Portal>>()
  /** Of the texts and the values in them. */
  private bytes = 0
  /** Of the rows that wait in portals. */
  private rowBytes = 0

  /** `onClosed` is told of each portal that goes: it may hold a cursor. */
  constructor(
    private readonly onClosed: (portal: Portal) => void,
    private readonly room: Room = endlessRoom,
  ) {}

  /** Whether a Parse of this name can be; it is looked at before the statement is planned. */
  requireFreeStatement(name: string): void {
    if (name === unnamed) return
    if (this.statements.has(name)) {
      const what = `prepared statement "${name}" already exists`
      throw pgError(pgState.duplicateStatement, what)
    }
    if (this.statements.size >= pgPreparedMax) throw tooMany('prepared statements')
  }

  /**
   * `bytes` are those that it keeps. Throws 53400 where others of the connection keep too many,
   * 53200 where there is no room for them.
   */
  addStatement(name: string, value: Statement, bytes = 0): void {
    this.requireFreeStatement(name)
    this.closeStatement(name)
    this.takeRoom(bytes)
    this.statements.set(name, { value, bytes, rows: 0 })
  }

  /** A statement keeps more than before. Throws as addStatement. */
  growStatement(name: string, bytes: number): void {
    const kept = this.statements.get(name)
    if (kept === undefined) return
    this.takeRoom(bytes)
    kept.bytes += bytes
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

  /** `bytes` are those that it keeps. Throws as addStatement. */
  addPortal(name: string, value: Portal, bytes = 0): void {
    this.requireFreePortal(name)
    this.closePortal(name)
    this.takeRoom(bytes)
    this.portals.set(name, { value, bytes, rows: 0 })
  }

  /**
   * So many bytes of rows wait in a portal. Throws 53200, and closes the portal, where the
   * connection's portals hold too many, or there is no room for them.
   */
  holdRows(name: string, bytes: number): void {
    const kept = this.portals.get(name)
    if (kept === undefined) return
    const more = bytes - kept.rows
    if (more === 0) return
    const isTooMuch = more > 0 && this.rowBytes + more > pgHeldBytesMax
    if (isTooMuch || (more > 0 && !this.room.take(more))) {
      this.closePortal(name)
      const text = 'the rows that wait in portals take too much memory'
      throw pgError(pgState.outOfMemory, text)
    }
    if (more < 0) this.room.release(-more)
    this.rowBytes += more
    kept.rows = bytes
  }

  /** One alone may be as large as its message. */
  private takeRoom(bytes: number): void {
    if (this.bytes > 0 && this.bytes + bytes > pgPreparedBytesMax) {
      const text = `prepared statements and portals keep at most ${pgPreparedBytesMax} bytes`
      throw pgError(pgState.tooMany, text)
    }
    if (!this.room.take(bytes)) {
      const text = 'prepared statements and portals of all connections keep too much memory'
      throw pgError(pgState.outOfMemory, text, 'Close those that are not needed any more.')
    }
    this.bytes += bytes
  }

  private giveRoom(bytes: number): void {
    this.bytes -= bytes
    this.room.release(bytes)
  }

  hasPortal(name: string): boolean {
    return this.portals.has(name)
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

  /** DEALLOCATE ALL: the unnamed one stays, as it does in the reference server. */
  closeStatements(): void {
    for (const name of [...this.statements.keys()]) if (name !== unnamed) this.closeStatement(name)
  }

  private closeStatement(name: string): void {
    const statement = this.statements.get(name)
    if (statement === undefined) return
    this.statements.delete(name)
    this.giveRoom(statement.bytes)
  }

  private closePortal(name: string): void {
    const portal = this.portals.get(name)
    if (portal === undefined) return
    this.portals.delete(name)
    this.rowBytes -= portal.rows
    this.room.release(portal.rows)
    this.giveRoom(portal.bytes)
    this.onClosed(portal.value)
  }
}

function tooMany(what: string): GatewayError {
  return pgError(pgState.tooMany, `too many ${what}: ${pgPreparedMax} are kept`)
}
