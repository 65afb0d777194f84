// sqlChange: INSERT, UPDATE, DELETE and TRUNCATE, each atomic. A read that may pause finds the rows
// and computes the changes. One write program then applies them, after it has checked for changes
// by other clients. (docs/design/transactions.md, rules 1 and 2)

import { CommandReadTx } from '../../../bus/document/command-tx.js'
import { string } from '../../../bus/document/params.js'
import { documentRow } from '../../../bus/document/row.js'
import { plain } from '../../../bus/policy/facts.js'
import type { Namespace } from '../../../engine/types.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { readPhase, type Sweep } from '../../../store/sweep.js'
import type { Document } from '../../../value/value.js'
import { withPosition } from '../expression/evaluation-error.js'
import { statementOver } from '../relation-names.js'
import { canFold } from '../statement-cache.js'
import { type ChangeStatement, changeOf, type SqlCall, sqlParams } from './change-call.js'
import { resourceOf } from './change-privileges.js'
import { runDelete } from './delete.js'
import { runInsert } from './insert.js'
import { runTruncate } from './truncate.js'
import { uniqueViolation } from './unique-violation.js'
import { runUpdate } from './update.js'

export const sqlChangeRow = documentRow({
  name: 'sqlChange',
  isStatement: true,
  ...plain,
  grows: 'documents',
  roles: ['removes', 'writes'],
  grain: 'sweep',
  access: 'identity',
  inTransactions: true,
  target: string,
  params: sqlParams,
  resources: (call) => [resourceOf(call, changeOf(call))],
  help: 'Runs an INSERT, UPDATE, DELETE or TRUNCATE statement of SQL, all or nothing.',
  run: runChange,
})

function* runChange(call: SqlCall): Sweep<Document> {
  try {
    return yield* changed(call, yield* meantChange(call, changeOf(call)))
  } catch (thrown) {
    throw withPosition(uniqueViolation(thrown, call), call.target)
  }
}

function changed(call: SqlCall, statement: ChangeStatement): Sweep<Document> {
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

/** The statement with folded names, if it changes a declared table. */
function* meantChange(call: SqlCall, written: ChangeStatement): Sweep<ChangeStatement> {
  if (!canFold(written)) return written
  const found = yield* readPhase(namespaceOf)
  return statementOver(call.target, written, [found]) as ChangeStatement
}

function* namespaceOf(tx: ReadTx): Program<Namespace | undefined> {
  return tx instanceof CommandReadTx ? tx.namespace() : undefined
}
