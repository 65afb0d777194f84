// sqlChange: INSERT, UPDATE, DELETE and TRUNCATE, each all or nothing: what is to be changed is
// found and computed by a read that may pause, then changed in one write program, which looks again
// at what others have changed in between. (docs/design/transactions.md, rules 1 and 2)

import { string } from '../../../bus/params.js'
import { documentRow } from '../../../bus/row.js'
import type { Sweep } from '../../../store/sweep.js'
import type { Document } from '../../../value/value.js'
import { changeOf, type SqlCall, sqlParams } from './change-call.js'
import { touchOf } from './change-needs.js'
import { runDelete } from './delete.js'
import { runInsert } from './insert.js'
import { runTruncate } from './truncate.js'
import { runUpdate } from './update.js'

export const sqlChangeRow = documentRow({
  name: 'sqlChange',
  grows: 'documents',
  grain: 'sweep',
  access: 'identity',
  target: string,
  params: sqlParams,
  touches: (call) => [touchOf(call.db, changeOf(call))],
  help: 'Runs an INSERT, UPDATE, DELETE or TRUNCATE statement of SQL, all of it or nothing.',
  run: runChange,
})

function runChange(call: SqlCall): Sweep<Document> {
  const statement = changeOf(call)
  switch (statement.kind) {
    case 'insert':
      return runInsert(call, statement)
    case 'update':
      return runUpdate(call, statement)
    case 'delete':
      return runDelete(call, statement)
    case 'truncate':
      return runTruncate(call, statement)
  }
}
