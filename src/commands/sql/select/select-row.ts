// sqlSelect: the rows of a SELECT as a cursor, with the types of their columns. What it touches is
// what the statement names, so that a join is refused like a find.

import { array, countNumber, optional, string } from '../../../bus/params.js'
import { documentRow } from '../../../bus/row.js'
import type { SelectStatement } from '../../../protocol/sql/ast.js'
import { elementsOf } from '../../../value/elements.js'
import { firstBatch } from '../../document/cursors.js'
import { evaluationError, evaluationState } from '../expression/evaluation-error.js'
import { parsedStatement } from '../statement-cache.js'
import { columnsOf, firstDocuments, withColumns } from './column-type.js'
import { referencesOf, selectTouches } from './from.js'
import { openSelect } from './select.js'

export const sqlSelectRow = documentRow({
  name: 'sqlSelect',
  grows: 'nothing',
  grain: 'read',
  access: 'reader',
  target: string,
  params: {
    params: optional(array),
    rowsDefault: optional(countNumber),
    batchSize: optional(countNumber),
  },
  touches: ({ db, target }) => selectTouches(db, statementOf(target)),
  help: 'Answers the rows of an SQL SELECT.',
  *run(tx, call) {
    const { args, target } = call
    const statement = statementOf(target)
    const { params, rowsDefault } = args
    const { source, results } = yield* openSelect(tx, call, statement, {
      parameters: params === undefined ? [] : elementsOf(params),
      rowsDefault,
      touches: call.touches,
    })
    const hasLimit = statement.limit !== undefined
    const batchSize = args.batchSize ?? (hasLimit ? undefined : rowsDefault)
    const collection = referencesOf(statement)[0]?.name ?? '$cmd.sql'
    const answer = yield* firstBatch(tx, call, { source, batchSize, collection })
    const { columns, named } = results
    return withColumns(answer, columnsOf(columns, named, firstDocuments(answer)))
  },
})

/** Throws what parsing does, and 42601 for another statement. */
function statementOf(text: string): SelectStatement {
  const { statement } = parsedStatement(text)
  if (statement.kind === 'select') return statement
  throw evaluationError(evaluationState.syntax, 'sqlSelect takes a SELECT')
}
