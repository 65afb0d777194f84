// ORDER BY by an index: if an index has the requested order, no sort is needed, and a LIMIT reads
// only its rows.

import type { Plan } from '../../../engine/plan/plan.js'
import { isMultikey } from '../../../engine/plan/plan.js'
import { planQuery } from '../../../engine/plan/planner.js'
import type { Source } from '../../../engine/sources/holding-source.js'
import { FindSource, openFind } from '../../../engine/sources/source.js'
import { UnionSource } from '../../../engine/sources/union-source.js'
import type { Namespace } from '../../../engine/types.js'
import type { Expression, OrderItem } from '../../../protocol/sql/ast.js'
import { compileFilter } from '../../../query/filter.js'
import { compileSort } from '../../../query/sort.js'
import type { Program } from '../../../store/store.js'
import { documentFrom } from '../../../value/literal.js'
import { type Document, documentValue } from '../../../value/value.js'
import { DocumentWriter } from '../../../value/writer.js'
import type { SelectCall } from './from.js'

/** The documents in order; undefined if no plan gives the order. Columns begin with their table. */
export function openOrdered(
  ns: Namespace,
  filter: Document,
  items: readonly OrderItem[],
  { context, traces }: SelectCall,
): Source | undefined {
  if (items.length === 0 || ns.view !== undefined) return undefined
  const spec = sortSpec(items)
  if (spec === undefined) return undefined
  const query = { filter: compileFilter(filter, context), use: traces }
  const plan = planQuery(ns, { ...query, sort: compileSort(spec) })
  if (!plan.isSorted || !plan.accesses.every(isWhole)) return undefined
  return new FindSource(ns, query, plan, true)
}

/**
 * As openOrdered, if NULLs of the first column belong to the other end. Rows with a value and rows
 * without one are read separately, each in order.
 */
export function openNullsApart(
  ns: Namespace,
  filter: Document,
  [first, ...rest]: readonly OrderItem[],
  call: SelectCall,
): Source | undefined {
  const path = first === undefined ? undefined : pathOf(first.expression)
  if (first?.nulls === undefined || path === undefined) return undefined
  const usual = { expression: first.expression, descends: first.descends }
  const valued = openOrdered(ns, both(filter, path, '$ne'), [usual, ...rest], call)
  const nulls = openNulls(ns, both(filter, path, '$eq'), rest, call)
  if (valued === undefined || nulls === undefined) return undefined
  const [before, behind] = first.nulls === 'last' ? [valued, nulls] : [nulls, valued]
  return new UnionSource(before, () => alreadyOpen(behind))
}

function openNulls(
  ns: Namespace,
  filter: Document,
  rest: readonly OrderItem[],
  call: SelectCall,
): Source | undefined {
  if (rest.length > 0) return openOrdered(ns, filter, rest, call)
  const use = call.traces
  return openFind(ns, { filter: compileFilter(filter, call.context), use })
}

function* alreadyOpen(source: Source): Program<Source> {
  return source
}

/** The filter, combined with a test for NULL. */
function both(filter: Document, path: string, operator: '$eq' | '$ne'): Document {
  return documentFrom({ $and: [documentValue(filter), { [path]: { [operator]: null } }] })
}

/** In an index on arrays the order is that of their elements. */
function isWhole(access: Plan['accesses'][number]): boolean {
  return access.kind !== 'entries' || !isMultikey(access.index)
}

const sortFieldsMax = 16

export function sortSpec(items: readonly OrderItem[]): Document | undefined {
  if (items.length > sortFieldsMax) return undefined
  const writer = new DocumentWriter()
  const names = new Set<string>()
  for (const { expression, descends, nulls } of items) {
    const path = pathOf(expression)
    if (path === undefined) return undefined
    if (nulls !== undefined && nulls !== (descends ? 'last' : 'first')) return undefined
    if (names.has(path)) continue
    names.add(path)
    writer.int32(path, descends ? -1 : 1)
  }
  return writer.finish()
}

function pathOf(expression: Expression): string | undefined {
  if (expression.kind !== 'column') return undefined
  const path = expression.path.slice(1)
  if (path.length === 0) return undefined
  const isPlain = path.every((part) => typeof part === 'string' && /^[^.$\d][^.\0]*$/.test(part))
  return isPlain ? path.join('.') : undefined
}
