// Every command of the document protocol: the bus runs these rows, listCommands lists them, and the
// reference documents them. A command that is not here does not exist.

import type { DocumentRow } from '../bus/document/row.js'
import { usageRows } from './admin/account-usage.js'
import { privacyRows } from './admin/privacy.js'
import { protocolRows } from './admin/protocols-task.js'
import { roleRows } from './admin/roles.js'
import { signInRows } from './admin/sign-in-task.js'
import { userChangeRows } from './admin/user-changes-task.js'
import { userRows } from './admin/users.js'
import { whitelistRows } from './admin/whitelist.js'
import { cappedRows } from './document/collections/capped.js'
import { collectionChangeRows } from './document/collections/collection-changes.js'
import { collectionToolRows } from './document/collections/collection-tools.js'
import { collectionRows } from './document/collections/collections.js'
import { figureRows } from './document/collections/figures.js'
import { listingRows } from './document/collections/listings.js'
import { validateRow } from './document/collections/validate.js'
import { indexRows } from './document/indexes/indexes-task.js'
import { planCacheRows } from './document/indexes/plan-cache.js'
import { aggregateRow } from './document/reading/aggregate.js'
import { countDistinctRows } from './document/reading/count-distinct.js'
import { cursorRows } from './document/reading/cursors.js'
import { explainRow } from './document/reading/explain.js'
import { findRow } from './document/reading/find.js'
import { keyMembersRow } from './document/reading/key-members.js'
import { operationRows } from './document/server/operations.js'
import { parameterRows } from './document/server/parameters.js'
import { refusedRows } from './document/server/refused.js'
import { routerToolRows } from './document/server/router-tools.js'
import { serverInfoRows } from './document/server/server-info.js'
import { serverStatusRows } from './document/server/server-status.js'
import { serverToolRows } from './document/server/server-tools.js'
import { beginTransactionRows } from './document/sessions/begin-transaction-task.js'
import { handshakeRows } from './document/sessions/handshake.js'
import { sessionRows } from './document/sessions/sessions.js'
import { transactionRows } from './document/sessions/transactions-task.js'
import { findAndModifyRow } from './document/writing/find-and-modify.js'
import { findAndModifyIfRow } from './document/writing/find-and-modify-if.js'
import { insertRow } from './document/writing/insert.js'
import { updateDeleteRows } from './document/writing/update-delete.js'
import { keyRows } from './keys/keys-task.js'
import { keyUseRows } from './keys/use-task.js'
import { memoryRows } from './memory/rows.js'
import { sqlChangeRow } from './sql/change/change-row.js'
import { sqlDefineRow } from './sql/define/ddl-task.js'
import { sqlExplainRow } from './sql/explain-row.js'
import { sqlSelectRow } from './sql/select/select-row.js'
import { sqlShowRow } from './sql/show-row.js'

export const documentRows: readonly DocumentRow[] = [
  ...handshakeRows,
  findRow,
  ...cursorRows,
  insertRow,
  ...updateDeleteRows,
  findAndModifyRow,
  findAndModifyIfRow,
  ...countDistinctRows,
  aggregateRow,
  explainRow,
  ...collectionRows,
  ...collectionChangeRows,
  ...cappedRows,
  ...indexRows,
  ...listingRows,
  ...figureRows,
  ...collectionToolRows,
  keyMembersRow,
  validateRow,
  sqlSelectRow,
  sqlChangeRow,
  sqlDefineRow,
  sqlShowRow,
  sqlExplainRow,
  ...memoryRows,
  ...planCacheRows,
  ...serverInfoRows,
  ...serverStatusRows,
  ...serverToolRows,
  ...routerToolRows,
  ...parameterRows,
  ...userRows,
  ...userChangeRows,
  ...signInRows,
  ...keyRows,
  ...keyUseRows,
  ...sessionRows,
  ...transactionRows,
  ...beginTransactionRows,
  ...operationRows,
  ...privacyRows,
  ...roleRows,
  ...whitelistRows,
  ...usageRows,
  ...protocolRows,
  ...refusedRows,
]
