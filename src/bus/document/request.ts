// One command as a listener passes it on: the client's message, optionally already parsed. It is
// separate from the session, which must not know rows.

import type { Message } from '../session.js'
import type { DocumentRow, Parsed } from './row.js'

export interface Request extends Message {
  /** Set if the listener already has the arguments; the bus then does not parse the body. */
  readonly prepared?: Prepared
}

/** The result that parsing the body would have. */
export interface Prepared {
  /** A row of the command table. */
  readonly row: DocumentRow
  readonly parsed: Parsed
}
