// What the commands about the bus can read: running commands, the rows that may be named, and the
// counts of each.

import type { Resource } from '../../engine/types.js'
import type { Identity } from '../../identity/identity.js'
import type { NamespaceUse } from '../namespace-use.js'
import type { OperationKind } from '../policy/meters.js'
import type { Message, Session } from '../session.js'
import type { DocumentFacts } from './row-facts.js'

/** A command at work, as other commands see it. */
export interface Operation {
  /** Number of the operation. */
  readonly id: number
  readonly command: string
  readonly db: string
  readonly request: Message
  readonly row: DocumentFacts
  readonly session: Session
  readonly identity: Identity
  readonly resources: readonly Resource[]
  /** Whose cursors and sessions these are. */
  readonly owner: string
  readonly lsid: string | undefined
  readonly now: number
  readonly startedMs: number
  readonly isKilled: boolean
  kill(): void
}

export interface CommandCounts {
  total: number
  failed: number
  /** Milliseconds of all of them together. */
  ms: number
}

export interface BusView {
  /** Commands at work, this one included. */
  inFlight(): Iterable<Operation>
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
