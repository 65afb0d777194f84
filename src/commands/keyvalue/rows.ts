// Every key-value command: the bus runs these rows, COMMAND lists them, and the reference documents
// them. A command that is not here does not exist.

import type { KeyValueRow } from '../../bus/keyvalue/row.js'
import { bitOperationRows } from './bits/bit-operations.js'
import { bitfieldRows } from './bits/bitfields.js'
import { bitRows } from './bits/bits.js'
import { authRows } from './connection/auth-task.js'
import { clientRows } from './connection/client.js'
import { connectionRows } from './connection/connection.js'
import { resetRows } from './connection/reset.js'
import { hashRows } from './hashes/hashes.js'
import { dumpRows } from './keys/dump.js'
import { expiryRows } from './keys/expiry.js'
import { keyListingRows } from './keys/key-listings.js'
import { keyMoveRows } from './keys/key-moves.js'
import { keyRows } from './keys/keys.js'
import { memoryRows } from './keys/memory.js'
import { objectRows } from './keys/object.js'
import { scanRows } from './keys/scan.js'
import { sortRows } from './keys/sort.js'
import { blockingListRows } from './lists/blocking-lists.js'
import { listMoveRows } from './lists/list-moves.js'
import { listSearchRows } from './lists/list-search.js'
import { listRows } from './lists/lists.js'
import { pubsubRows } from './pubsub/pubsub.js'
import { aclRows } from './server/acl.js'
import { configRows } from './server/config.js'
import { databaseRows } from './server/databases.js'
import { infoRows } from './server/info-task.js'
import { introspectionRows } from './server/introspection.js'
import { latencyRows } from './server/latency.js'
import { monitorRows } from './server/monitor.js'
import { saveRows } from './server/save-task.js'
import { scriptingRows } from './server/scripting.js'
import { serverRows } from './server/server.js'
import { slowLogRows } from './server/slowlog.js'
import { setAlgebraRows } from './sets/set-algebra.js'
import { setRows } from './sets/sets.js'
import { blockingSortedSetRows } from './sorted-sets/blocking-sorted-sets.js'
import { sortedSetAlgebraRows } from './sorted-sets/sorted-set-algebra.js'
import { sortedSetBoundsRows } from './sorted-sets/sorted-set-bounds.js'
import { sortedSetPopRows } from './sorted-sets/sorted-set-pops.js'
import { sortedSetRangeRows } from './sorted-sets/sorted-set-ranges.js'
import { sortedSetRows } from './sorted-sets/sorted-sets.js'
import { lcsRows } from './strings/lcs.js'
import { stringRows } from './strings/strings.js'
import { transactionRows } from './transactions/transactions.js'

export const keyValueRows: readonly KeyValueRow[] = [
  ...connectionRows,
  ...authRows,
  ...transactionRows,
  ...pubsubRows,
  ...monitorRows,
  ...stringRows,
  ...lcsRows,
  ...bitRows,
  ...bitOperationRows,
  ...bitfieldRows,
  ...hashRows,
  ...listRows,
  ...listSearchRows,
  ...listMoveRows,
  ...blockingListRows,
  ...sortedSetRows,
  ...sortedSetBoundsRows,
  ...sortedSetRangeRows,
  ...sortedSetPopRows,
  ...sortedSetAlgebraRows,
  ...blockingSortedSetRows,
  ...setRows,
  ...setAlgebraRows,
  ...keyRows,
  ...sortRows,
  ...scanRows,
  ...objectRows,
  ...memoryRows,
  ...keyMoveRows,
  ...keyListingRows,
  ...dumpRows,
  ...databaseRows,
  ...expiryRows,
  ...aclRows,
  ...clientRows,
  ...configRows,
  ...infoRows,
  ...introspectionRows,
  ...latencyRows,
  ...resetRows,
  ...saveRows,
  ...scriptingRows,
  ...serverRows,
  ...slowLogRows,
]
