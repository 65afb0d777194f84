// What commands may read about the bus: the running commands, the rows of the table, and the counts
// of commands by kind and by collection.

import type { Resource } from '../../engine/types.js'
import type { Identity } from '../../identity/identity.js'
import type { NamespaceUse } from '../namespace-use.js'
import type { OperationKind } from '../policy/meters.js'
import type { Message, Session } from '../session.js'
import type { DocumentFacts } from './row-facts.js'
import type { SessionTransactions } from './transactions/session-transactions.js'

/** A running command, as other commands see it. */
export interface Operation {
  /** Number of the operation, for currentOp and killOp. */
  readonly id: number
  readonly command: string
  readonly db: string
  readonly request: Message
  readonly row: DocumentFacts
  readonly session: Session
  readonly identity: Identity
  readonly resources: readonly Resource[]
  /** Owner of the call's cursors and sessions. */
  readonly owner: string
  readonly lsid: string | undefined
  /** Number of the transaction that it runs in. */
  readonly txnNumber: number | undefined
  readonly now: number
  readonly startedMs: number
  readonly isKilled: boolean
  kill(): void
}

export interface CommandCounts {
  total: number
  failed: number
  /** Total time of these commands, milliseconds. */
  ms: number
}

export interface BusView {
  /** Running commands, this one included. */
  inFlight(): Iterable<Operation>
  /** Every row that a command may name in its reply. */
  readonly rows: readonly {
    readonly name: string
    readonly help: string
    readonly access: string
  }[]
  /** The transactions of logical sessions. */
  readonly transactions: SessionTransactions
  /** What `serverStatus` counts. */
  readonly counters: Counters
  /** What `top` and `$collStats` count. */
  readonly namespaces: NamespaceUse
}

export interface Counters {
  readonly startedMs: number
  readonly operations: Readonly<Record<OperationKind, number>>
  /** Requests with an error reply, by protocol. */
  readonly failures: Readonly<Record<string, number>>
  readonly commands: ReadonlyMap<string, CommandCounts>
}
