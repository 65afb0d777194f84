// What a SELECT says independently of parameters and rows. It is computed once per tree of the
// statement cache, because clients repeat texts and a point read is short.

import type { SelectStatement, TableReference } from '../../../protocol/sql/ast.js'
import { isAlwaysEmpty } from '../../../protocol/sql/subquery.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { isVirtual } from '../catalog/catalog.js'
import { needsRelations } from '../catalog/catalog-functions.js'
import type { KnownTables } from '../catalog/known-table.js'
import { someNode } from '../expression/expression-tree.js'
import type { Scope } from '../expression/scope.js'
import { referencesOf } from '../relation-names.js'
import { type BoundSelect, bindSelect } from './binding.js'
import { compileResults, type Results } from './result.js'
import { hasStarPositions } from './star-positions.js'

interface SelectTree {
  readonly references: readonly TableReference[]
  /** Whether it uses a virtual table, or a function that needs the catalog. */
  readonly asksCatalog: boolean
  readonly isAlwaysEmpty: boolean
  readonly hasStarPositions: boolean
}

const trees = new WeakMap<SelectStatement, SelectTree>()
const boundTrees = new WeakMap<SelectStatement, BoundSelect>()
const plainResults = new WeakMap<BoundSelect, Results>()

export function selectTree(statement: SelectStatement): SelectTree {
  const known = trees.get(statement)
  if (known !== undefined) return known
  const tree = {
    references: referencesOf(statement),
    asksCatalog: asksCatalog(statement),
    isAlwaysEmpty: isAlwaysEmpty(statement),
    hasStarPositions: hasStarPositions(statement),
  }
  trees.set(statement, tree)
  return tree
}

function asksCatalog(statement: SelectStatement): boolean {
  const references = referencesOf(statement)
  if (references.some((table) => table.call === undefined && isVirtual(table))) return true
  const { results, where, groupBy: keys, having, orderBy, joins } = statement
  const expressions = [...results, ...orderBy].map(({ expression }) => expression)
  const others = [where, having, ...keys, ...joins.map(({ on }) => on)]
  const calls = references.map(({ call }) => call)
  return [...expressions, ...others, ...calls].some(
    (expression) => expression !== undefined && someNode(expression, needsRelations),
  )
}

/** As bindSelect. The bound tree is reused while the known tables are the same objects. */
export function* boundSelect(
  tx: ReadTx,
  statement: SelectStatement,
  tables: KnownTables,
): Program<BoundSelect> {
  const before = boundTrees.get(statement)
  const isSame = before?.known.every((table, i) => table === tables[i]) === true
  if (before !== undefined && isSame) return before
  const bound = yield* bindSelect(tx, statement, tables)
  boundTrees.set(statement, bound)
  return bound
}

/**
 * As compileResults, for plain rows. Results that are all columns need no parameters and are
 * cached.
 */
export function rowResults(bound: BoundSelect, scope: Scope): Results {
  const known = plainResults.get(bound)
  if (known !== undefined) return known
  const { tables, known: of, results, merged } = bound
  const isPlain = results.every(({ expression: { kind } }) => kind === 'column' || kind === 'star')
  if (!isPlain) return compileResults(results, scope, merged)
  // Compiled without the parameters of this run, which may be large and must not be kept.
  const compiled = compileResults(results, { tables, known: of, parameters: [], now: 0 }, merged)
  plainResults.set(bound, compiled)
  return compiled
}
