// sqlSelect: the rows of a SELECT as a cursor, with column types. Its resources are the tables of
// the statement, so a join is authorized like a find on each.

import { pgBatchBytes } from '../../../base/limits/sql.js'
import type { CommandReadTx } from '../../../bus/document/command-tx.js'
import { array, countNumber, optional, string } from '../../../bus/document/params.js'
import { documentRow } from '../../../bus/document/row.js'
import { plain } from '../../../bus/policy/facts.js'
import type { SelectStatement } from '../../../protocol/sql/ast.js'
import type { Program } from '../../../store/store.js'
import { elementsOf } from '../../../value/elements.js'
import type { Document, Value } from '../../../value/value.js'
import { firstBatch } from '../../document/reading/cursors.js'
import { evaluationError, evaluationState, withPosition } from '../expression/evaluation-error.js'
import { phaseOf, sqlLongChars } from '../read-ahead-task.js'
import { referencesOf, statementOver } from '../relation-names.js'
import { canFold, parsedStatement } from '../statement-cache.js'
import { columnsField, columnsInTurns } from './column-type.js'
import { type SelectCall, selectResources } from './from.js'
import { openSelect } from './select.js'
import { selectTree } from './select-tree.js'

export const sqlSelectRow = documentRow({
  name: 'sqlSelect',
  isStatement: true,
  ...plain,
  grain: 'read',
  access: 'reader',
  inTransactions: true,
  target: string,
  params: {
    params: optional(array),
    rowsDefault: optional(countNumber),
    batchSize: optional(countNumber),
  },
  resources: ({ db, target }) => selectResources(db, target, statementOf(target)),
  help: 'Returns the rows of an SQL SELECT.',
  *run(tx, call) {
    try {
      return yield* selected(tx, call)
    } catch (thrown) {
      throw withPosition(thrown, call.target)
    }
  },
})

type SelectRowCall = SelectCall & {
  readonly target: string
  readonly args: {
    readonly params: Value | undefined
    readonly rowsDefault: number | undefined
    readonly batchSize: number | undefined
  }
} & Parameters<typeof firstBatch>[1]

function* selected(tx: CommandReadTx, call: SelectRowCall): Program<Document> {
  const { args, target } = call
  const statement = meantStatement(tx, target)
  if (target.length > sqlLongChars) {
    // It is walked over, and kept for the next phase.
    selectTree(statement)
    yield* phaseOf(tx, target)
  }
  const { params, rowsDefault } = args
  const { source, results } = yield* openSelect(tx, call, statement, {
    parameters: params === undefined ? [] : elementsOf(params),
    rowsDefault,
  })
  const hasLimit = statement.limit !== undefined
  const batchSize = args.batchSize ?? (hasLimit ? undefined : rowsDefault)
  const collection = referencesOf(statement)[0]?.name ?? '$cmd.sql'
  const { columns, named } = results
  const beside = (documents: readonly Document[]) =>
    columnsBeside(columnsInTurns(tx, columns, named, documents))
  return yield* firstBatch(tx, call, {
    source,
    batchSize,
    collection,
    beside,
    batchBytes: call.session.protocol === 'sql' ? pgBatchBytes : undefined,
  })
}

function* columnsBeside(columns: ReturnType<typeof columnsInTurns>): Program<Document> {
  return columnsField(yield* columns)
}

/** The statement with folded names, if one of its tables requires it. */
function meantStatement(tx: CommandReadTx, text: string): SelectStatement {
  const written = statementOf(text)
  if (!canFold(written)) return written
  const { references } = selectTree(written)
  const found = references.map((_, at) => tx.namespace(at))
  const meant = statementOver(text, written, found)
  return meant.kind === 'select' ? meant : written
}

/** Throws errors of parsing, and 42601 for another kind of statement. */
function statementOf(text: string): SelectStatement {
  const { statement } = parsedStatement(text)
  if (statement.kind === 'select') return statement
  throw evaluationError(evaluationState.syntax, 'sqlSelect takes a SELECT')
}
