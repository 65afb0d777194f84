// What a row says of a document command without its handler: who may send it, what it does, and its
// documentation. The bus, its calls and the policy read these facts.

import type { CommandFacts, Effects, RowAccess } from '../policy/facts.js'

/**
 * How the work is cut (docs/design/transactions.md, rule 2): `local` needs no store, `read` is one
 * pausable read program, `point` one write program, `sweep` many programs that are each atomic,
 * `task` an async function that runs programs and waits for other things between them.
 */
export type Grain = 'local' | 'read' | 'point' | 'sweep' | 'task'

/** What the bus and the reference read of a row. */
export interface DocumentFacts extends CommandFacts, Effects {
  readonly grain: Grain
  readonly aliases?: readonly string[]
  readonly access: RowAccess
  /** Answers only on the database `admin`. */
  readonly adminOnly?: boolean
  /** Its database has to be one that can be a space. */
  readonly inSpaces?: boolean
  /** In the reference server's API version 1: what apiStrict lets through. */
  readonly stable?: boolean
  /** Arguments that no log may show, not even their shape. */
  readonly secrets?: readonly string[]
  /** What it fails with tells of its own documents alone, never of stored ones. */
  readonly quotesOwn?: boolean
  /** It has maxTimeMS as a field of its own, and so the checks of fields. */
  readonly hasTimeField?: boolean
  /** One sentence for the reference. */
  readonly help: string
}
