// What a command hands to everything that is compiled from its filters, projections, updates and
// pipelines: time and identifiers come from here, so that a statement run twice gives the same.

import type { Bytes } from '../base/bytes/bytes.js'
import type { Collation } from '../value/collation/collation.js'
import type { Value } from '../value/value.js'

export interface QueryContext {
  /** Wall time of the command, milliseconds since 1970: $$NOW, $currentDate. */
  readonly now: number
  /** The command's `let`, names without `$$`. */
  readonly variables: ReadonlyMap<string, Value>
  /** The `index`-th ObjectId of the command, 12 bytes; the same one whenever it is asked for. */
  readonly objectId: (index: number) => Bytes
  /** How strings compare; absent: by their bytes. */
  readonly collation?: Collation | undefined
  /** The client restores data: Timestamp(0, 0) is stored as it is. */
  readonly keepsEmptyTimestamps?: boolean
  /** What is compiled is a view's own: it may read what the view's owner may. */
  readonly throughView?: boolean
}
