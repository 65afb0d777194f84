// The statements of a READ COMMITTED transaction since its first change, so that they can run again
// on a newer state if another client was faster. That is allowed while they tell the client the
// same. Reads before the first change need no repetition: at this level a later statement may see a
// newer state. (docs/transactions.md, "SQL")

import { createHash } from 'node:crypto'
import { pgReplayBytesMax, pgReplayStatementsMax } from '../../base/limits/sql.js'
import type { SqlKind } from '../../commands/sql/translate.js'
import { field, fieldIn } from '../../value/elements.js'
import { integerOf } from '../../value/numbers.js'
import type { Document } from '../../value/value.js'

/** A command with what its client was told, or a change of the store's savepoints. */
type ReplayStep =
  | {
      readonly kind: 'run'
      readonly body: Document
      readonly asks: Asks
      readonly told: string
      /** Its number in the session. */
      readonly statement: number
    }
  | { readonly kind: 'save' }
  | { readonly kind: 'release'; readonly depth: number }

/** What the client is told of a reply: its rows, or a tag. */
export interface Asks {
  readonly kind: SqlKind
  readonly returns: boolean
  readonly tagOf: (kind: SqlKind, reply: Document) => string
}

export class ReplayLog {
  private readonly kept: ReplayStep[] = []
  private bytes = 0
  private isWhole = true

  /** False if something was told that cannot be compared, or the statements are too many. */
  get canReplay(): boolean {
    return this.isWhole
  }

  get steps(): readonly ReplayStep[] {
    return this.kept
  }

  clear(): void {
    this.kept.length = 0
    this.bytes = 0
    this.isWhole = true
  }

  /** The client was told something that no second run can compare. */
  spoil(): void {
    this.clear()
    this.isWhole = false
  }

  noteRun(body: Document, asks: Asks, reply: Document, statement: number): void {
    if (!this.isWhole) return
    const told = toldOf(asks, reply)
    this.bytes += body.length
    const isLarge = this.bytes > pgReplayBytesMax || this.kept.length >= pgReplayStatementsMax
    if (told === undefined || isLarge) this.spoil()
    else this.kept.push({ kind: 'run', body, asks, told, statement })
  }

  noteSavepoint(step: Exclude<ReplayStep, { kind: 'run' }>): void {
    if (!this.isWhole) return
    this.kept.push(step)
    if (this.kept.length >= pgReplayStatementsMax) this.spoil()
  }

  /** Forgets what was rolled back. */
  cut(steps: number): void {
    this.kept.length = Math.min(this.kept.length, steps)
  }
}

/** Undefined if the rows are not all in the reply. */
export function toldOf({ kind, returns, tagOf }: Asks, reply: Document): string | undefined {
  if (!returns) return tagOf(kind, reply)
  const cursor = field(reply, 'cursor')
  const id = cursor === undefined ? undefined : fieldIn(cursor, 'id')
  if (id !== undefined && integerOf(id) !== 0) return undefined
  return createHash('sha256').update(reply).digest('base64')
}
