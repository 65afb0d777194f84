// What a SELECT says whatever its parameters and rows are: worked out once for each tree of the
// statement cache, since clients send the same text again and a point read is soon over.

import type { SelectStatement, TableReference } from '../../../protocol/sql/ast.js'
import { isAlwaysEmpty } from '../../../protocol/sql/subquery.js'
import { isVirtual } from '../catalog/catalog.js'
import { needsRelations } from '../catalog/catalog-functions.js'
import { someNode } from '../expression/expression-tree.js'
import type { Scope } from '../expression/scope.js'
import { type BoundSelect, bindSelect, type KnownColumns } from './binding.js'
import { referencesOf } from './from.js'
import { compileResults, type Results } from './result.js'

export interface SelectTree {
  readonly references: readonly TableReference[]
  /** It names a virtual table, or computes with what those tell. */
  readonly asksCatalog: boolean
  readonly isAlwaysEmpty: boolean
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
  }
  trees.set(statement, tree)
  return tree
}

function asksCatalog(statement: SelectStatement): boolean {
  if (referencesOf(statement).some(isVirtual)) return true
  const { results, where, groupBy: keys, having, orderBy, joins } = statement
  const expressions = [...results, ...orderBy].map(({ expression }) => expression)
  const others = [where, having, ...keys, ...joins.map(({ on }) => on)]
  return [...expressions, ...others].some(
    (expression) => expression !== undefined && someNode(expression, needsRelations),
  )
}

/** As bindSelect. Only columns of virtual tables are known, and those belong to one call. */
export function boundSelect(statement: SelectStatement, columns: KnownColumns): BoundSelect {
  if (columns.some((each) => each !== undefined)) return bindSelect(statement, columns)
  const known = boundTrees.get(statement)
  if (known !== undefined) return known
  const bound = bindSelect(statement, columns)
  boundTrees.set(statement, bound)
  return bound
}

/** As compileResults, for the rows of the tables themselves: columns alone need no parameters. */
export function rowResults(bound: BoundSelect, scope: Scope): Results {
  const known = plainResults.get(bound)
  if (known !== undefined) return known
  const { tables, results, merged } = bound
  const isPlain = results.every(({ expression: { kind } }) => kind === 'column' || kind === 'star')
  if (!isPlain) return compileResults(results, scope, merged)
  // Of one run nothing may be kept: its parameters can be large.
  const compiled = compileResults(results, { tables, parameters: [], now: 0 }, merged)
  plainResults.set(bound, compiled)
  return compiled
}
