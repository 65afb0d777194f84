// The prepared statements and portals of a connection. A portal is a statement with parameters and
// a position. Unnamed ones are replaced; named ones must be closed first. Texts are those of
// PostgreSQL. Source: PostgreSQL 17, 53.2.3.

import type { GatewayError } from '../../base/errors.js'
import { pgHeldBytesMax, pgPreparedBytesMax, pgPreparedMax } from '../../base/limits/sql.js'
import { KiB } from '../../base/units.js'
import type { Target } from './client-message.js'
import { pgError, pgState } from './pg-error.js'

const unnamed = ''
/** A portal whose rows hold less is not closed to make room, bytes. */
const reclaimedRowsMin = 64 * KiB

interface Kept<T> {
  readonly value: T
  bytes: number
  /** Bytes of rows waiting in a portal, and when they were last counted, elapsed milliseconds. */
  rows: number
  usedMs: number
}

/** The shared memory of all connections, as this one sees it. */
export interface Room {
  /** Returns false, and takes nothing, if there is no room. */
  take(bytes: number): boolean
  release(bytes: number): void
}

const endlessRoom: Room = { take: () => true, release: () => {} }

export class Prepared<Statement, Portal> {
  private readonly statements = new Map<string, Kept<Statement>>()
  private readonly portals = new Map<string, Kept<Portal>>()
  /** Bytes of statement texts and values. */
  private bytes = 0
  /** Bytes of rows waiting in portals. */
  private rowBytes = 0
  /** The portal whose rows are being counted: it is in use. */
  private counted: string | undefined

  /** `onClosed` is called with each closed portal, which may hold a cursor. */
  constructor(
    private readonly onClosed: (portal: Portal) => void,
    private readonly room: Room = endlessRoom,
    private readonly elapsedMs: () => number = () => 0,
  ) {}

  /** Whether rows of a portal are being counted; other portals may then be closed. */
  get isCounting(): boolean {
    return this.counted !== undefined
  }

  /** The portal with many rows that was not used for longest, and when it was used. */
  get oldest(): { readonly name: string; readonly usedMs: number } | undefined {
    let oldest: { readonly name: string; readonly usedMs: number } | undefined
    for (const [name, { rows, usedMs }] of this.portals) {
      if (rows < reclaimedRowsMin || name === this.counted) continue
      if (oldest === undefined || usedMs < oldest.usedMs) oldest = { name, usedMs }
    }
    return oldest
  }

  /** Bytes of rows that wait in portals. */
  get rowsHeld(): number {
    return this.rowBytes
  }

  /** Whether a Parse may use this name; checked before the statement is planned. */
  requireFreeStatement(name: string): void {
    if (name === unnamed) return
    if (this.statements.has(name)) {
      const what = `prepared statement "${name}" already exists`
      throw pgError(pgState.duplicateStatement, what)
    }
    if (this.statements.size >= pgPreparedMax) throw tooMany('prepared statements')
  }

  /**
   * `bytes` is what it keeps. Throws 53400 if the connection keeps too much, 53200 if there is no
   * room.
   */
  addStatement(name: string, value: Statement, bytes = 0): void {
    this.requireFreeStatement(name)
    this.closeStatement(name)
    this.takeRoom(bytes)
    this.statements.set(name, { value, bytes, rows: 0, usedMs: 0 })
  }

  /** Counts more bytes for a statement. Throws as addStatement. */
  growStatement(name: string, bytes: number): void {
    const kept = this.statements.get(name)
    if (kept === undefined) return
    this.takeRoom(bytes)
    kept.bytes += bytes
  }

  /** Throws 26000 if it does not exist. */
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

  /** `bytes` is what it keeps. Throws as addStatement. */
  addPortal(name: string, value: Portal, bytes = 0): void {
    this.requireFreePortal(name)
    this.closePortal(name)
    this.takeRoom(bytes)
    this.portals.set(name, { value, bytes, rows: 0, usedMs: 0 })
  }

  /**
   * Counts the rows waiting in a portal. The portals that were not used for longest make room.
   * Throws 53200, and closes the portal, if there is none.
   */
  holdRows(name: string, bytes: number): void {
    const kept = this.portals.get(name)
    if (kept === undefined) return
    kept.usedMs = this.elapsedMs()
    const more = bytes - kept.rows
    if (more === 0) return
    if (more > 0 && !this.takeRows(name, more)) {
      this.closePortal(name)
      const text = 'the rows that wait in portals take too much memory'
      throw pgError(pgState.outOfMemory, text)
    }
    if (more < 0) this.room.release(-more)
    this.rowBytes += more
    kept.rows = bytes
  }

  private takeRows(name: string, more: number): boolean {
    this.counted = name
    try {
      while (this.rowBytes + more > pgHeldBytesMax) {
        const { oldest } = this
        if (oldest === undefined) return false
        this.closePortal(oldest.name)
      }
      return this.room.take(more)
    } finally {
      this.counted = undefined
    }
  }

  /** A single item may be as large as its message. */
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

  /** Throws 34000 if it does not exist. */
  portal(name: string): Portal {
    const portal = this.portals.get(name)
    if (portal !== undefined) return portal.value
    throw pgError(pgState.noPortal, `portal "${name}" does not exist`)
  }

  /** Does nothing if it does not exist. */
  close(target: Target, name: string): void {
    if (target === 'portal') this.closePortal(name)
    else this.closeStatement(name)
  }

  /** A simple query replaces the unnamed statement and portal. */
  closeUnnamed(): void {
    this.closeStatement(unnamed)
    this.closePortal(unnamed)
  }

  /** Portals end with their transaction, and at a Sync outside one. */
  closePortals(): void {
    for (const name of [...this.portals.keys()]) this.closePortal(name)
  }

  /** DEALLOCATE ALL keeps the unnamed one, as in PostgreSQL. */
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
