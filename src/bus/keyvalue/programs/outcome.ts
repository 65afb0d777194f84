// What a program of key-value commands leaves beside its replies: events, figures, and warnings. It
// is told after the commit, so it is a value apart from the program, which may run twice.

import { type BlockHints, ProgramHints } from '../../../engine/keyspace/sorted-sets/block-hints.js'
import type { KeyEvent, Work } from '../../../engine/keyspace/work.js'

/** The results of a finished program, apart from its replies. */
export class Outcome {
  events: readonly KeyEvent[] = []
  hits = 0
  misses = 0
  /** Number of commands that changed something. */
  changed = 0
  /** Collections with validator warnings, and the commands that wrote to them. */
  invalid: ReadonlyMap<string, string> | undefined
  connection = 0
  /** The hints are the same for every run of the program. */
  readonly hints: ProgramHints

  constructor(hints: BlockHints) {
    this.hints = new ProgramHints(hints)
  }

  take(work: Work, changed: number): void {
    this.events = work.events
    this.changed = changed
    this.invalid = work.invalid
    this.hits = work.hits
    this.misses = work.misses
  }

  /** Adds the results of a later program of the same transaction. */
  add({ events, changed, invalid, hits, misses, connection }: Outcome): void {
    if (events.length > 0) this.events = [...this.events, ...events]
    this.changed += changed
    if (invalid !== undefined) this.invalid = new Map([...(this.invalid ?? []), ...invalid])
    this.hits += hits
    this.misses += misses
    this.connection = connection
  }
}
