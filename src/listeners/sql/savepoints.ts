// The savepoints of a transaction: a stack of names, as in PostgreSQL. Each statement is committed
// by itself, so a rollback to a savepoint works only if nothing was changed since, usually after a
// failed statement. A rollback that would have to undo changes is refused.

import { pgSavepointsMax } from '../../base/limits/sql.js'
import { pgError, pgState } from '../../protocol/pgwire/pg-error.js'

interface Savepoint {
  readonly name: string
  /** Writing statements of the transaction so far. */
  readonly writes: number
  /** Cursors declared since: a rollback to the savepoint closes them. */
  readonly cursors: Set<string>
}

export class Savepoints {
  private readonly stack: Savepoint[] = []
  private writes = 0
  /** Savepoints and the cursors recorded for them. */
  private held = 0

  /** Whether statements of the transaction have changed something. */
  get hasWritten(): boolean {
    return this.writes > 0
  }

  wrote(): void {
    this.writes++
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
    this.writes = 0
    this.held = 0
  }

  /** Throws 53400. */
  add(name: string): void {
    this.requireRoom()
    this.stack.push({ name, writes: this.writes, cursors: new Set() })
    this.held++
  }

  /** Removes it and later ones, but not their cursors. Throws 3B001. */
  release(name: string): void {
    const at = this.find(name)
    for (const cursor of this.takeFrom(at)) this.declared(cursor)
  }

  /** Removes later ones; returns the cursors that end. Throws 3B001 and 0A000. */
  goBack(name: string): readonly string[] {
    const at = this.find(name)
    const { writes } = this.stack[at] as Savepoint
    if (this.writes > writes) {
      const text = 'what was changed since the savepoint cannot be rolled back'
      throw pgError(pgState.featureNotSupported, text)
    }
    const cursors = this.takeFrom(at)
    this.add(name)
    return cursors
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
