// One key-value command as its handler sees it: its words, its sender, its fixed time, and the
// services of the process. The row and the executor's state of a call are left out, so that rows do
// not import what runs them.

import type { Slice } from '../../base/bytes/slice.js'
import type { Keyspace } from '../../engine/keyspace/keyspace.js'
import type { Place } from '../../engine/keyspace/spaces.js'
import type { Arguments } from './arguments.js'
import type { KeyValueSession } from './clients/session.js'
import type { HandlerServices } from './services.js'

export interface KeyValueCall {
  /** Wall time, milliseconds; the only clock that a handler sees. */
  readonly now: number
  /** Detached from the chunk if the call waits for long. */
  args: Arguments
  readonly session: KeyValueSession
  readonly services: HandlerServices
  /** The database it works on: the one selected when it was parsed or queued. */
  readonly place: Place
  /** Number of that database. */
  readonly database: number
  /** Number of words, the name included. */
  readonly count: number
  /** The name as error texts show it: `set`, `config|get`. */
  readonly name: string
  /** Runs as a part of EXEC. */
  readonly isQueued: boolean
  /** It came after MULTI and is not queued. A later EXEC may be opened before it runs. */
  readonly isInsideMulti: boolean
  /** For a blocking command that tries again: it ignores a key of another type. */
  readonly isWaiting: boolean

  /** A word's bytes in place; a handler must copy what it keeps past the reply. */
  arg(index: number): Slice
  /** All words from an index, every `step`th. */
  argsFrom(index: number, step?: number): Slice[]
  /** Whether a word is this option; case is ignored. False after the last word. */
  is(index: number, word: string): boolean
  text(index: number): string
  /** An integer of 64 bits. Throws "value is not an integer or out of range". */
  int64(index: number): bigint
  /** As int64, rounded above 2^53: for positions and counts, which are never that large. */
  integer(index: number): number
  /** A double; `inf` counts. Throws "value is not a valid float". */
  float(index: number): number
  /** The keyspace of another database, if the row's `databases` named it. */
  keyspace(database: number): Keyspace
  /**
   * A random whole number from 0 to `bound` - 1. The i-th one of a call is the same in every run of
   * its program.
   */
  random(bound: number): number
  /** Counts memory of values that it read for its reply, above a small amount. Throws OOM. */
  gather(bytes: number): void
}
