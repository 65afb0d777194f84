// The commands around the plan cache: $planCacheStats shows cached plans, and these commands clear
// them. Index filters are not supported, so clearing them does nothing.

import { fail } from '../../../base/errors.js'
import type { Call } from '../../../bus/document/call.js'
import { collection, object, optional } from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { type DocumentRow, documentRow } from '../../../bus/document/row.js'
import type { Args } from '../../../bus/document/schema.js'
import { plain } from '../../../bus/policy/facts.js'
import { shapedOf } from '../../../engine/plan/plan-choice.js'
import type { Namespace, Resource } from '../../../engine/types.js'
import { compileFilter } from '../../../query/filter.js'
import { nameOf } from '../../../query/pipeline.js'
import { compileSort } from '../../../query/sort.js'
import { elementsOf } from '../../../value/elements.js'
import { bsonType, type Value } from '../../../value/value.js'
import { collated, collation, emptyDocument, targetResource } from '../arguments.js'

/**
 * A query's values belong to its sender, so only a collection's owner sees them (MongoDB: dbAdmin).
 */
export function planCacheResources(
  db: string,
  target: string,
  pipeline: Value,
): readonly Resource[] {
  if (pipeline.type !== bsonType.array) return []
  if (nameOf(elementsOf(pipeline)[0]) !== '$planCacheStats') return []
  return [{ db, collection: target, privileges: ['own'] }]
}

const shapeParams = {
  query: optional(object),
  sort: optional(object),
  projection: optional(object),
  collation,
} as const

type ShapeArgs = Args<typeof shapeParams>

/** Whether the command selects one shape; throws if its query is missing, as in MongoDB. */
function meansShape({ query, sort, projection, collation: by }: ShapeArgs): boolean {
  if (query !== undefined) return true
  if (sort === undefined && projection === undefined && by === undefined) return false
  throw fail('BadValue', 'sort, projection, or collation provided without query')
}

/** The texts of a shape with a limit and without: a limit has its own cached plan. */
function textsOf(
  ns: Namespace,
  { query, sort, collation: given }: ShapeArgs,
  call: Call<unknown, unknown>,
): string[] {
  const context = collated(call.context, given, ns)
  const filter = compileFilter(query ?? emptyDocument, context)
  const order = sort === undefined ? undefined : compileSort(sort)
  return [0, 1].map((limit) => shapedOf(ns, { filter, sort: order, limit }).text)
}

const planCacheClear = documentRow({
  name: 'planCacheClear',
  ...plain,
  grain: 'read',
  access: 'identity',
  target: collection,
  params: shapeParams,
  resources: targetResource('own'),
  help: 'Removes cached plans for the queries of a collection, or for one shape.',
  *run(tx, call) {
    const ns = tx.namespace()
    const { choices } = call.engine.indexUse
    if (ns === undefined) return reply(() => {})
    if (!meansShape(call.args)) choices.clear(ns.id)
    else for (const text of textsOf(ns, call.args, call)) choices.clear(ns.id, text)
    return reply(() => {})
  },
})

const planCacheClearFilters = documentRow({
  name: 'planCacheClearFilters',
  ...plain,
  grain: 'read',
  access: 'identity',
  target: collection,
  params: shapeParams,
  resources: targetResource('own'),
  help: 'Removes index filters. There are none.',
  *run(tx, call) {
    const ns = tx.namespace()
    if (ns !== undefined && meansShape(call.args)) textsOf(ns, call.args, call)
    return reply(() => {})
  },
})

export const planCacheRows: readonly DocumentRow[] = [planCacheClear, planCacheClearFilters]
