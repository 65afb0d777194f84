// Every key-value command: what the bus runs, COMMAND lists and the reference documents. A row that
// is not here does not exist.

import type { KeyValueRow } from '../../bus/keyvalue/row.js'
import { aclRows } from './acl.js'
import { authRows } from './auth-task.js'
import { bitOperationRows } from './bit-operations.js'
import { bitfieldRows } from './bitfields.js'
import { bitRows } from './bits.js'
import { blockingListRows } from './blocking-lists.js'
import { blockingSortedSetRows } from './blocking-sorted-sets.js'
import { clientRows } from './client.js'
import { configRows } from './config.js'
import { connectionRows } from './connection.js'
import { databaseRows } from './databases.js'
import { dumpRows } from './dump.js'
import { expiryRows } from './expiry.js'
import { hashRows } from './hashes.js'
import { infoRows } from './info-task.js'
import { introspectionRows } from './introspection.js'
import { keyListingRows } from './key-listings.js'
import { keyMoveRows } from './key-moves.js'
import { keyRows } from './keys.js'
import { latencyRows } from './latency.js'
import { lcsRows } from './lcs.js'
import { listMoveRows } from './list-moves.js'
import { listSearchRows } from './list-search.js'
import { listRows } from './lists.js'
import { memoryRows } from './memory.js'
import { monitorRows } from './monitor.js'
import { objectRows } from './object.js'
import { pubsubRows } from './pubsub.js'
import { resetRows } from './reset.js'
import { saveRows } from './save-task.js'
import { scanRows } from './scan.js'
import { scriptingRows } from './scripting.js'
import { serverRows } from './server.js'
import { setAlgebraRows } from './set-algebra.js'
import { setRows } from './sets.js'
import { slowLogRows } from './slowlog.js'
import { sortRows } from './sort.js'
import { sortedSetAlgebraRows } from './sorted-set-algebra.js'
import { sortedSetBoundsRows } from './sorted-set-bounds.js'
import { sortedSetPopRows } from './sorted-set-pops.js'
import { sortedSetRangeRows } from './sorted-set-ranges.js'
import { sortedSetRows } from './sorted-sets.js'
import { stringRows } from './strings.js'
import { transactionRows } from './transactions.js'

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
