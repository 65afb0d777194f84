// The facts of a document command's row, without its handler: who may send it, what it does, and
// its documentation. The bus, its calls and the policy read these facts.

import type { CommandFacts } from '../policy/facts.js'

/**
 * How the work is cut (docs/design/transactions.md, rule 2). `local` needs no store, `read` is one
 * pausable read program, `point` one write program. `sweep` is many programs that are each atomic.
 * `task` is an async function that runs programs and waits between them.
 */
type Grain = 'local' | 'read' | 'point' | 'sweep' | 'task'

/** What the bus and the reference read of a row. */
export interface DocumentFacts extends CommandFacts {
  readonly grain: Grain
  readonly aliases?: readonly string[]
  /** Answers only on the database `admin`. */
  readonly adminOnly?: boolean
  /** Its database must have a name that is valid for a space. */
  readonly inSpaces?: boolean
  /** Part of API version 1 of MongoDB, so apiStrict accepts it. */
  readonly stable?: boolean
  /** It may be a statement of a transaction. */
  readonly inTransactions?: true
  /** It reads with readConcern snapshot: a state that it names, or that of its cursor. */
  readonly snapshots?: 'begins' | 'continues'
  /** A client may send it again with the same number; each statement then takes effect once. */
  readonly retryable?: true
  /** Arguments that logs never show, not even their shape. */
  readonly secrets?: readonly string[]
  /** Its errors quote only the documents of its request, never stored ones. */
  readonly quotesOwn?: boolean
  /** Its value is the text of an SQL statement. It has values and may be long: errors omit it. */
  readonly isStatement?: true
  /** The fail point never applies to it: otherwise no command could disarm the fail point. */
  readonly neverFails?: true
  /** It has maxTimeMS as a field of its own, with the checks of a field. */
  readonly hasTimeField?: boolean
  /** One sentence for the reference. */
  readonly help: string
}
