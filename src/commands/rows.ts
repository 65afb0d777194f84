// Every command of the document protocol: what the bus runs, listCommands lists and the reference
// documents. A row that is not here does not exist.

import type { DocumentRow } from '../bus/row.js'
import { operationRows } from './admin/operations.js'
import { parameterRows } from './admin/parameters.js'
import { privacyRows } from './admin/privacy.js'
import { protocolRows } from './admin/protocols-task.js'
import { refusedRows } from './admin/refused.js'
import { roleRows } from './admin/roles.js'
import { serverInfoRows } from './admin/server-info.js'
import { serverStatusRows } from './admin/server-status.js'
import { serverToolRows } from './admin/server-tools.js'
import { sessionRows } from './admin/sessions.js'
import { signInRows } from './admin/sign-in-task.js'
import { userChangeRows } from './admin/user-changes-task.js'
import { userRows } from './admin/users.js'
import { whitelistRows } from './admin/whitelist.js'
import { aggregateRow } from './document/aggregate.js'
import { cappedRows } from './document/capped.js'
import { collectionChangeRows } from './document/collection-changes.js'
import { collectionToolRows } from './document/collection-tools.js'
import { collectionRows } from './document/collections.js'
import { countDistinctRows } from './document/count-distinct.js'
import { cursorRows } from './document/cursors.js'
import { explainRow } from './document/explain.js'
import { figureRows } from './document/figures.js'
import { findRow } from './document/find.js'
import { findAndModifyRow } from './document/find-and-modify.js'
import { findAndModifyIfRow } from './document/find-and-modify-if.js'
import { handshakeRows } from './document/handshake.js'
import { indexRows } from './document/indexes-task.js'
import { insertRow } from './document/insert.js'
import { keyMembersRow } from './document/key-members.js'
import { listingRows } from './document/listings.js'
import { planCacheRows } from './document/plan-cache.js'
import { updateDeleteRows } from './document/update-delete.js'
import { validateRow } from './document/validate.js'
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
  ...parameterRows,
  ...userRows,
  ...userChangeRows,
  ...signInRows,
  ...keyRows,
  ...keyUseRows,
  ...sessionRows,
  ...operationRows,
  ...privacyRows,
  ...roleRows,
  ...whitelistRows,
  ...protocolRows,
  ...refusedRows,
]
