// What the commands about the bus can read: running commands, the rows that may be named, and the
// counts of each.

import type { NamespaceUse } from '../namespace-use.js'
import type { Call } from './call.js'

export type OperationKind = 'insert' | 'query' | 'update' | 'delete' | 'getmore' | 'command'

export interface CommandCounts {
  total: number
  failed: number
  /** Milliseconds of all of them together. */
  ms: number
}

export interface BusView {
  /** Commands at work, this one included. */
  inFlight(): Iterable<Call<unknown, unknown>>
  /** Every command that may be named. */
  readonly rows: readonly {
    readonly name: string
    readonly help: string
    readonly access: string
  }[]
  /** What `serverStatus` counts. */
  readonly counters: Counters
  /** What `top` and `$collStats` count. */
  readonly namespaces: NamespaceUse
}

export interface Counters {
  readonly startedMs: number
  readonly operations: Readonly<Record<OperationKind, number>>
  readonly commands: ReadonlyMap<string, CommandCounts>
}
