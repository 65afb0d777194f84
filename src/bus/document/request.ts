// One command as a listener hands it over: the client's message, or with it what the bus would have
// made of that. It stands apart from the session, which knows no rows.

import type { Message } from '../session.js'
import type { DocumentRow, Parsed } from './row.js'

export interface Request extends Message {
  /** Where the listener has the arguments at hand: then nothing is read of the body. */
  readonly prepared?: Prepared
}

/** What the bus would have made of a body. */
export interface Prepared {
  /** Of the table. */
  readonly row: DocumentRow
  readonly parsed: Parsed
}
