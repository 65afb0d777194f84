// One command as a listener passes it on: the client's message, optionally already parsed. It is
// separate from the session, which must not know rows.

import type { Message } from '../session.js'
import type { DocumentRow, Parsed } from './row.js'
import type { Statement } from './transactions/statement.js'

export interface Request extends Message {
  /** Set if the listener already has the arguments; the bus then does not parse the body. */
  readonly prepared?: Prepared
  /**
   * The transaction that it runs in, for listeners that keep one themselves. Documents name theirs
   * by fields of the body.
   */
  readonly statement?: Statement | undefined
}

/** The result that parsing the body would have. */
export interface Prepared {
  /** A row of the command table. */
  readonly row: DocumentRow
  readonly parsed: Parsed
}
