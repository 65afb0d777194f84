// One key-value command as its handler sees it: its words, its sender, the time that was frozen
// before its first run, and the services of the process. The row and what the executor keeps of a
// call are not part of it, so that rows do not import what runs them.

import type { Slice } from '../../base/bytes/slice.js'
import type { Keyspace } from '../../engine/keyspace/keyspace.js'
import type { Place } from '../../engine/keyspace/spaces.js'
import type { Arguments } from './arguments.js'
import type { KeyValueSession } from './clients/session.js'
import type { HandlerServices } from './services.js'

export interface KeyValueCall {
  /** Wall time, milliseconds; the only clock that a handler sees. */
  readonly now: number
  /** Detached where the call waits for long. */
  args: Arguments
  readonly session: KeyValueSession
  readonly services: HandlerServices
  /** What it works on: the selected database when it was read or queued. */
  readonly place: Place
  /** Number of the database that it works on. */
  readonly database: number
  /** Words of the command, its name among them. */
  readonly count: number
  /** The name as error texts print it: `set`, `config|get`. */
  readonly name: string
  /** Runs as a part of EXEC. */
  readonly isQueued: boolean
  /** Came behind MULTI and is not queued. An EXEC behind it may be open before it runs. */
  readonly isInsideMulti: boolean
  /** Of a blocking command that tries again: a key of another type is none to it now. */
  readonly isWaiting: boolean

  /** A word's bytes where they lie: what is kept past the reply must be copied. */
  arg(index: number): Slice
  /** All words from an index on, every `step`th. */
  argsFrom(index: number, step?: number): Slice[]
  /** Whether a word is this option, in any case; false behind the last word. */
  is(index: number, word: string): boolean
  text(index: number): string
  /** An integer of 64 bits. Throws "value is not an integer or out of range". */
  int64(index: number): bigint
  /** As int64, beyond 2^53 rounded: for positions and counts, where nothing is that long. */
  integer(index: number): number
  /** A double; `inf` counts. Throws "value is not a valid float". */
  float(index: number): number
  /** The keyspace of a further database; only those that the row's `databases` has named. */
  keyspace(database: number): Keyspace
  /**
   * A random whole number from 0 to `bound` - 1. The i-th one of a call is the same at every run of
   * its program.
   */
  random(bound: number): number
  /** Counts values that it has read for its reply, beyond a little. Throws OOM. */
  gather(bytes: number): void
}
