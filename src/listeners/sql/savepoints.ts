// The savepoints of a transaction: a stack of names, as in PostgreSQL. Each has a savepoint of the
// store's transaction, and knows how much of the transaction came before it. Savepoints without
// changes between them share one of the store.

import { pgSavepointsMax } from '../../base/limits/sql.js'
import { pgError, pgState } from '../../protocol/pgwire/pg-error.js'
import type { Modes } from './transaction-modes.js'

/** What a rollback to a savepoint returns to. */
export interface Place {
  /** Savepoint of the store's transaction. */
  readonly depth: number
  /** Steps of the statements that can be run again. */
  readonly steps: number
  /** Settings of the session. */
  readonly settings: ReadonlyMap<string, string>
  /** A subtransaction may be READ ONLY by itself. */
  readonly modes: Modes
}

interface Savepoint {
  readonly name: string
  readonly place: Place
  /** Cursors declared since: a rollback to the savepoint closes them. */
  readonly cursors: Set<string>
}

export class Savepoints {
  private readonly stack: Savepoint[] = []
  /** Savepoints and the cursors recorded for them. */
  private held = 0

  get isEmpty(): boolean {
    return this.stack.length === 0
  }

  /** Where the last one returns to. */
  get last(): Place | undefined {
    return this.stack.at(-1)?.place
  }

  /** Call it before adding. Throws 53400. */
  requireRoom(): void {
    if (this.held < pgSavepointsMax) return
    const text = `too many savepoints, or cursors behind them: ${pgSavepointsMax} are kept`
    throw pgError(pgState.tooMany, text)
  }

  declared(cursor: string): void {
    const { cursors } = this.stack.at(-1) ?? {}
    if (cursors === undefined || cursors.has(cursor)) return
    cursors.add(cursor)
    this.held++
  }

  /** A transaction starts or ends. */
  clear(): void {
    this.stack.length = 0
    this.held = 0
  }

  /** Throws 53400. */
  add(name: string, place: Place): void {
    this.requireRoom()
    this.stack.push({ name, place, cursors: new Set() })
    this.held++
  }

  /** Removes it and later ones, but not their cursors; returns its place. Throws 3B001. */
  release(name: string): Place {
    const at = this.find(name)
    const { place } = this.stack[at] as Savepoint
    for (const cursor of this.takeFrom(at)) this.declared(cursor)
    return place
  }

  /** Removes later ones; returns the place of this one, and the cursors that end. Throws 3B001. */
  goBack(name: string): { readonly place: Place; readonly cursors: readonly string[] } {
    const at = this.find(name)
    const { place } = this.stack[at] as Savepoint
    const cursors = this.takeFrom(at)
    this.add(name, place)
    return { place, cursors }
  }

  /** Of two with the same name, the newer one. */
  private find(name: string): number {
    const at = this.stack.findLastIndex((savepoint) => savepoint.name === name)
    if (at >= 0) return at
    throw pgError(pgState.noSuchSavepoint, `savepoint "${name}" does not exist`)
  }

  /** Removes those from `at` on; returns their cursors. */
  private takeFrom(at: number): string[] {
    const taken = this.stack.splice(at).map(({ cursors }) => [...cursors])
    for (const cursors of taken) this.held -= 1 + cursors.length
    return taken.flat()
  }
}
