// What a history of concurrent clients is: transactions that append numbers to lists and read them
// whole, with what each was told. Begin and end are places in one order of events, not times, so
// that a history is the same however slow the machine is.

/** What a client asked for. A plain command counts as serializable. */
export type Level = 'snapshot' | 'serializable'

export interface Append {
  readonly kind: 'append'
  readonly list: string
  /** No other append of the history has it. */
  readonly value: number
}

export interface Read {
  readonly kind: 'read'
  readonly list: string
  readonly values: readonly number[]
}

export type Step = Append | Read

/** `unknown`: its client never heard whether it was committed. */
export type Outcome = 'committed' | 'aborted' | 'unknown'

export interface HistoryTransaction {
  readonly level: Level
  readonly outcome: Outcome
  /** In their order; of one that has failed those that were answered, and all its appends. */
  readonly steps: readonly Step[]
  readonly began: number
  readonly ended: number
}

/** Cycles carry `-realtime` if only the order of ends and begins closes them. */
export type Anomaly =
  /** A transaction contradicts its own steps. */
  | 'internal'
  | 'non-repeatable-read'
  | 'duplicate'
  /** Two reads of a list, neither of which is the beginning of the other. */
  | 'incompatible-order'
  /** Read of what was never committed. */
  | 'G1a'
  /** Read of what is not the last append of a transaction. */
  | 'G1b'
  /** Committed, and missing in a later read. */
  | 'lost-write'
  /** Two have appended to the same state of a list. */
  | 'lost-update'
  | Cycle
  | `${Cycle}-realtime`

/** Named by the edges: writes; and reads; one anti-dependency; none beside another; any. */
export type Cycle = 'G0' | 'G1c' | 'G-single' | 'G-nonadjacent' | 'G2'

export interface Finding {
  readonly anomaly: Anomaly
  readonly text: string
}
