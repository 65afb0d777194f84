// The context in which a command's filters, projections, updates and pipelines are compiled. Time
// and ids come from here, so that a second run gives the same result.

import type { Bytes } from '../base/bytes/bytes.js'
import type { Collation } from '../value/collation/collation.js'
import type { Value } from '../value/value.js'

export interface QueryContext {
  /** Wall time of the command, milliseconds since 1970: $$NOW, $currentDate. */
  readonly now: number
  /** The command's `let`; names without `$$`. */
  readonly variables: ReadonlyMap<string, Value>
  /** The `index`-th ObjectId of the command, 12 bytes; the same at every call. */
  readonly objectId: (index: number) => Bytes
  /** The collation of strings; without it, their bytes are compared. */
  readonly collation?: Collation | undefined
  /** The client restores data, so Timestamp(0, 0) is stored unchanged. */
  readonly keepsEmptyTimestamps?: boolean
  /** Compiling a view's definition, which reads with the rights of the view's owner. */
  readonly throughView?: boolean
}
