// sqlExplain: how a statement finds its rows. For each table it shows the equivalent operation of
// the document protocol and the engine's plan, as text lines for psql and as a document. With
// ANALYZE the plans run and are counted, but nothing is changed.

import { fail } from '../../base/errors.js'
import type { CommandReadTx } from '../../bus/document/command-tx.js'
import { string } from '../../bus/document/params.js'
import { documentRow } from '../../bus/document/row.js'
import { plain } from '../../bus/policy/facts.js'
import { type ExplainTarget, explainFind, explainWrite } from '../../engine/plan/explain.js'
import { documentsSource, type FindQuery } from '../../engine/sources/source.js'
import type { Namespace, Resource } from '../../engine/types.js'
import type { Expression, OrderItem, SelectStatement, Statement } from '../../protocol/sql/ast.js'
import { compileFilter } from '../../query/filter.js'
import { compileSort } from '../../query/sort.js'
import type { Program } from '../../store/store.js'
import { type Document, stringValue } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { firstBatch } from '../document/reading/cursors.js'
import {
  type ChangeStatement,
  collectionOf,
  type SqlCall,
  scopeOf,
  sqlParams,
} from './change/change-call.js'
import { resourceOf } from './change/change-privileges.js'
import { type ExplainedTable, explainedLines, writeExplained } from './explain-text.js'
import { compile } from './expression/compile.js'
import { compiledParts } from './expression/compile-parts.js'
import { supersetFilter } from './expression/superset.js'
import { phaseOf } from './read-ahead-task.js'
import { referencesOf, statementOver } from './relation-names.js'
import { bindSelect, tableNames } from './select/binding.js'
import { withColumns } from './select/column-type.js'
import { isLookedUp, openTable, selectResources, type Table } from './select/from.js'
import { type JoinStep, planJoins } from './select/join-plan.js'
import { openNullsApart, openOrdered, sortSpec } from './select/ordered-find.js'
import { selectTree } from './select/select-tree.js'
import { withStarPositions } from './select/star-positions.js'
import { parsedStatement } from './statement-cache.js'

interface ExplainedStatement {
  readonly inner: SelectStatement | ChangeStatement
  readonly analyzes: boolean
}

function explainedBy({ target }: Pick<SqlCall, 'target'>): ExplainedStatement {
  const { statement } = parsedStatement(target)
  const isBare = statement.kind !== 'explain'
  const { statement: inner, analyzes } = isBare ? { statement, analyzes: false } : statement
  switch (inner.kind) {
    case 'select':
    case 'insert':
    case 'update':
    case 'delete':
    case 'truncate':
      return { inner, analyzes }
    default:
      throw notExplained(inner)
  }
}

function notExplained({ kind }: Statement): Error {
  const text = `EXPLAIN is of statements that read or change rows, not of ${kind}`
  return fail('CommandNotSupported', text, { sqlState: '0A000' })
}

/** The plans and counts of rows are visible only to callers that may read the rows. */
function explainedResource(
  call: Pick<SqlCall, 'db' | 'target'>,
  statement: ChangeStatement,
): Resource {
  const resource = resourceOf(call, statement)
  const finds = statement.kind === 'update' || statement.kind === 'delete'
  if (!finds || resource.privileges.includes('read')) return resource
  return { ...resource, privileges: [...resource.privileges, 'read'] }
}

const planColumn = 'QUERY PLAN'

export const sqlExplainRow = documentRow({
  name: 'sqlExplain',
  isStatement: true,
  ...plain,
  inTransactions: true,
  grain: 'read',
  access: 'reader',
  target: string,
  params: sqlParams,
  resources: (call): readonly Resource[] => {
    const { inner } = explainedBy(call)
    return inner.kind === 'select'
      ? selectResources(call.db, call.target, inner)
      : [explainedResource(call, inner)]
  },
  help: 'Shows how an SQL statement finds its rows, and for ANALYZE the cost.',
  *run(tx, call) {
    const { inner: written, analyzes } = explainedBy(call)
    const inner = meantStatement(tx, call, written)
    const tables =
      inner.kind === 'select'
        ? yield* tablesOfSelect(tx, call, inner, analyzes)
        : [yield* tableOfChange(tx, call, inner, analyzes)]
    yield* phaseOf(tx, call.target)
    const rows = explainedLines(inner, tables).map((line) =>
      writeDocument((out) => out.value(planColumn, stringValue(line))),
    )
    const source = documentsSource(rows)
    const answer = yield* firstBatch(tx, call, {
      source,
      batchSize: rows.length,
      collection: inner.kind === 'select' ? '$cmd.sql' : inner.table.name,
    })
    const columns = [{ name: planColumn, type: 'text' }]
    return withColumns(writeExplained(answer, inner, tables), columns)
  },
})

function meantStatement(
  tx: CommandReadTx,
  { target, resources }: SqlCall,
  written: ExplainedStatement['inner'],
): ExplainedStatement['inner'] {
  const found = resources.map((_, at) => tx.namespace(at))
  return statementOver(target, written, found) as ExplainedStatement['inner']
}

function* tablesOfSelect(
  tx: CommandReadTx,
  call: SqlCall,
  statement: SelectStatement,
  analyzes: boolean,
): Program<ExplainedTable[]> {
  const tables: Table[] = []
  for (const [at, reference] of referencesOf(statement).entries()) {
    tables.push(yield* openTable(tx, call, reference, at, scopeOf(call, [])))
  }
  const meant = selectTree(statement).hasStarPositions
    ? yield* withStarPositions(tx, statement, tables, tableNames(statement))
    : statement
  yield* phaseOf(tx, call.target)
  const bound = yield* bindSelect(
    tx,
    meant,
    tables.map(({ known }) => known),
  )
  yield* phaseOf(tx, call.target)
  const scope = scopeOf(call, bound.tables, bound.known)
  const plan = planJoins(bound)
  const found: ExplainedTable[] = []
  const steps: readonly (JoinStep | undefined)[] = [undefined, ...plan.steps]
  for (const step of steps) {
    const at = step?.table ?? plan.first
    const table = tables[at]
    if (table === undefined) break
    const conditions = step?.conditions ?? plan.conditions
    const condition = allOf(conditions)
    const within = yield* compiledParts(tx, [condition], scope)
    const filter = supersetFilter(condition, within, at)
    const isAlone = tables.length === 1 && bound.groupBy.length === 0 && !bound.isDistinct
    const { ns } = table
    const isOrdered = isAlone && ns !== undefined && hasOrder(ns, filter, bound.orderBy, call)
    const sort = isOrdered ? sortSpec(bound.orderBy.map(withUsualNulls)) : undefined
    const join = step === undefined ? undefined : yield* joinOf(tx, step, table)
    const name = bound.tables[at] ?? table.name
    found.push(yield* explained(tx, call, { table, name, filter, sort, join }, analyzes))
  }
  return found
}

function hasOrder(
  ns: Namespace,
  filter: Document,
  items: readonly OrderItem[],
  call: SqlCall,
): boolean {
  const found = openOrdered(ns, filter, items, call) ?? openNullsApart(ns, filter, items, call)
  return found !== undefined
}

function withUsualNulls({ expression, descends }: OrderItem): OrderItem {
  return { expression, descends }
}

function allOf(operands: readonly Expression[]): Expression | undefined {
  const [first] = operands
  return operands.length > 1 ? { kind: 'and', operands, at: first?.at ?? 0 } : first
}

function* joinOf(tx: CommandReadTx, { keys, isLeft }: JoinStep, table: Table): Program<string> {
  const [key] = keys
  const inner = key?.inner
  const path = inner?.kind === 'column' ? inner.path.slice(1) : undefined
  const side = isLeft ? 'Left ' : ''
  if (key === undefined) return `Nested Loop ${side}Join`
  const isServed = yield* isLookedUp(tx, table, path)
  return isServed ? `Index Lookup ${side}Join` : `Hash ${side}Join`
}

interface Read {
  readonly table: Pick<Table, 'name' | 'ns'>
  /** The table's name in the statement. */
  readonly name: string
  readonly filter: Document
  readonly sort: Document | undefined
  readonly join: string | undefined
}

function* explained(
  tx: CommandReadTx,
  call: SqlCall,
  { table, name, filter, sort, join }: Read,
  analyzes: boolean,
): Program<ExplainedTable> {
  const { ns } = table
  const parts = { collection: table.name, name, filter, sort, join, verb: 'find' } as const
  if (ns === undefined || ns.view !== undefined) return { ...parts, plan: undefined, isView: !!ns }
  const query: FindQuery = {
    filter: compileFilter(filter, call.context),
    sort: sort === undefined ? undefined : compileSort(sort),
  }
  const target = targetOf(call, ns, analyzes)
  const plan = yield* explainFind(tx, target, query, sort === undefined ? {} : { sort })
  return { ...parts, plan, isView: false }
}

function targetOf({ services }: SqlCall, ns: Namespace, analyzes: boolean): ExplainTarget {
  const verbosity = analyzes ? 'executionStats' : 'queryPlanner'
  return { name: `${ns.db}.${ns.name}`, ns, verbosity, clock: services.clock }
}

function* tableOfChange(
  tx: CommandReadTx,
  call: SqlCall,
  statement: ChangeStatement,
  analyzes: boolean,
): Program<ExplainedTable> {
  const { kind, table } = statement
  const collection = collectionOf(table)
  const ns = tx.namespace()
  const parts = { collection, name: table.name, sort: undefined, join: undefined, isView: false }
  if (kind === 'insert' || kind === 'truncate') {
    const filter = writeDocument(() => {})
    return { ...parts, filter, verb: kind === 'insert' ? 'insert' : 'drop', plan: undefined }
  }
  const scope = scopeOf(call, [table.alias ?? table.name])
  const within = yield* compiledParts(tx, [statement.where], scope)
  if (statement.where !== undefined) compile(statement.where, within)
  const filter = supersetFilter(statement.where, within)
  const verb = kind === 'update' ? ('update' as const) : ('delete' as const)
  if (ns === undefined) return { ...parts, filter, verb, plan: undefined }
  const query: FindQuery = { filter: compileFilter(filter, call.context) }
  const name = kind === 'update' ? 'UPDATE' : 'DELETE'
  const plan = yield* explainWrite(tx, targetOf(call, ns, analyzes), name, query, {})
  return { ...parts, filter, verb, plan }
}
