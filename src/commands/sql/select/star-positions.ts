// Positions in ORDER BY and GROUP BY that count the columns of `*`. A table without known columns
// has those of its first documents, which are read only if a statement asks for such a position.

import type { CommandReadTx } from '../../../bus/document/command-tx.js'
import type { Expression, SelectStatement } from '../../../protocol/sql/ast.js'
import type { Program } from '../../../store/store.js'
import { emptyDocument } from '../../document/arguments.js'
import { idColumn } from '../catalog/known-table.js'
import { sampledColumns } from '../catalog/sampled-columns.js'
import { ordinalOf } from './binding.js'
import type { Table } from './from.js'

/** Whether a position may count columns of `*`. */
export function hasStarPositions({ results, orderBy, groupBy }: SelectStatement): boolean {
  const items = [...groupBy, ...orderBy.map(({ expression }) => expression)]
  return (
    results.some(({ expression }) => expression.kind === 'star') &&
    items.some((item) => ordinalOf(item) !== undefined)
  )
}

/** The statement with columns in place of these positions, if a table has no known columns. */
export function* withStarPositions(
  tx: CommandReadTx,
  statement: SelectStatement,
  tables: readonly Table[],
  names: readonly string[],
): Program<SelectStatement> {
  const { results, groupBy, orderBy, joins } = statement
  if (tables.every(({ known }) => known !== undefined)) return statement
  // USING shows some columns once, and first.
  if (joins.some(({ using }) => using !== undefined)) return statement
  const columns: Expression[] = []
  for (const { expression } of results) {
    if (expression.kind !== 'star') columns.push(expression)
    else
      for (const [at, table] of tables.entries()) {
        const name = names[at] ?? table.name
        if (expression.table !== undefined && expression.table !== name) continue
        for (const column of yield* columnNames(tx, table)) {
          columns.push({ kind: 'column', at: expression.at, path: [name, column] })
        }
      }
  }
  const meant = (item: Expression) => columns[(ordinalOf(item) ?? 0) - 1] ?? item
  return {
    ...statement,
    groupBy: groupBy.map(meant),
    orderBy: orderBy.map((item) => ({ ...item, expression: meant(item.expression) })),
  }
}

function* columnNames(tx: CommandReadTx, { known, ns, open }: Table): Program<readonly string[]> {
  if (known !== undefined) return [...known.columns.keys()]
  const columns = yield* sampledColumns(tx, yield* open(tx, emptyDocument))
  const names = columns.map(({ name }) => name)
  return names.length === 0 && ns?.view === undefined ? [idColumn] : names
}
