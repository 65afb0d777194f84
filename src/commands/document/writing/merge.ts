// $merge: combines each result with its matching document in the target. Each result is one update
// of one document. Several results that match by `_id` share a program.

import { fail } from '../../../base/errors.js'
import type { Call } from '../../../bus/document/call.js'
import { findNamespace } from '../../../engine/collection/catalog/catalog.js'
import { notOfSeries } from '../../../engine/collection/kinds/time-series.js'
import { resultOf, resultOfRan, updateOne } from '../../../engine/modify/modify.js'
import { pointUpdate } from '../../../engine/modify/modify-batch.js'
import type { Target, UpdateResult, UpdateSpec } from '../../../engine/modify/modify-spec.js'
import type { QueryContext } from '../../../query/context.js'
import { compileExpression, envOf, scopeOf } from '../../../query/expression.js'
import { compileFilter } from '../../../query/filter.js'
import type { MergePlan } from '../../../query/stages/stage.js'
import { compileUpdate, type Update } from '../../../query/update.js'
import type { Program, ReadTx } from '../../../store/store.js'
import type { Sweep } from '../../../store/sweep.js'
import { type Collation, sameCollation } from '../../../value/collation/collation.js'
import { fieldsOf } from '../../../value/elements.js'
import { parsePath, valueAt } from '../../../value/path.js'
import {
  bsonType,
  type Document,
  documentValue,
  stringValue,
  type Value,
} from '../../../value/value.js'
import { writeArray, writeDocument } from '../../../value/writer.js'
import { insertGroup } from './insert-group.js'
import { runBatch } from './write-batch.js'

type MergingCall = Pick<Call<unknown, unknown>, 'context'>

/**
 * Throws 51183 unless a unique index of the target ensures that a result matches one document only.
 */
export function* requireUniqueKey(
  tx: ReadTx,
  { db, collection }: { readonly db: string; readonly collection: string },
  { on = ['_id'] }: MergePlan,
  collation: Collation | undefined,
): Program<void> {
  const ns = yield* findNamespace(tx, db, collection)
  if (ns?.timeSeries !== undefined) throw notOfSeries(ns)
  const isId = on.length === 1 && on[0] === '_id'
  if (isId && (ns === undefined || sameCollation(ns.collation, collation))) return
  const isUnique = ns?.indexes.some(
    ({ unique, state, fields, ...index }) =>
      unique &&
      sameCollation(index.collation, collation) &&
      state === 'ready' &&
      fields.length === on.length &&
      fields.every(({ path }) => on.includes(path)),
  )
  if (isUnique === true) return
  throw fail('Location51183', 'Cannot find index to verify that join fields will be unique')
}

/** Merges results in order; the first failure ends it. */
export function* mergeInto(
  call: MergingCall,
  target: Target,
  plan: MergePlan,
  results: readonly Document[],
): Sweep<void> {
  if (plan.whenMatched === 'fail') return yield* insertAll(target, plan, results)
  const failures = yield* runBatch<UpdateResult>({
    target,
    count: results.length,
    ordered: true,
    compile: (index) => {
      const spec = specOf(call.context, plan, results[index] as Document)
      const alone = () => updateOne(target, spec)
      return { point: pointUpdate(spec), resultOf, resultOfRan, alone }
    },
    done: (_index, { matched, upsertedId }) => {
      if (matched === 0 && upsertedId === undefined) requireMatch(plan)
    },
  })
  const [failure] = failures
  if (failure !== undefined) throw failure.error
}

/** `whenMatched: fail`: a result with a matching document is a duplicate. */
function* insertAll(target: Target, plan: MergePlan, results: readonly Document[]): Sweep<void> {
  if (plan.whenNotMatched !== 'insert') {
    throw fail(
      'Location51189',
      `Combination of $merge modes whenMatched: fail and whenNotMatched: ${plan.whenNotMatched} ` +
        'is not supported',
    )
  }
  const group = results.map((document, index) => ({ index, document }))
  const { db, name, creation } = target
  const place = { db, target: name, creation: () => creation }
  const [failure] = (yield* insertGroup(place, group, true)).failures
  if (failure !== undefined) throw failure.error
}

function requireMatch({ whenNotMatched }: MergePlan): void {
  if (whenNotMatched !== 'fail') return
  throw fail(
    'Location13113',
    '$merge could not find a matching document in the target collection for at least one ' +
      'document in the source collection',
  )
}

function specOf(context: QueryContext, plan: MergePlan, result: Document): UpdateSpec {
  const { on = ['_id'], whenNotMatched } = plan
  const change = changeOf(context, plan, result)
  const update: Update = {
    kind: 'operators',
    changes: change.changes,
    apply: (before, options) => (options.isInsert ? result : change.apply(before, options)),
  }
  return {
    filter: compileFilter(meeting(result, on), context),
    update,
    upsert: whenNotMatched === 'insert',
    context,
  }
}

/** The change of a document that a result matches. */
function changeOf(context: QueryContext, plan: MergePlan, result: Document): Update {
  const { whenMatched } = plan
  const variables = new Map(context.variables)
  if (whenMatched === 'replace') return compileUpdate(documentValue(result), { context })
  if (whenMatched === 'keepExisting') {
    return { kind: 'operators', changes: () => false, apply: (before) => before }
  }
  variables.set('new', documentValue(result))
  if (typeof whenMatched === 'string') {
    return compileUpdate(mergingPipeline, { context: { ...context, variables } })
  }
  if (plan.variables !== undefined) {
    const scope = scopeOf(context)
    const env = envOf(documentValue(result), context)
    for (const [name, expression] of fieldsOf(plan.variables)) {
      const value = compileExpression(expression, scope).evaluate(env)
      if (value !== undefined) variables.set(name, value)
    }
  }
  return compileUpdate(whenMatched, { context: { ...context, variables } })
}

/** `[{$replaceWith: {$mergeObjects: ['$$ROOT', '$$new']}}]` */
const mergingPipeline: Value = writeArray([
  documentValue(
    writeDocument((writer) => {
      writer.openDocument('$replaceWith').openArray('$mergeObjects')
      for (const name of ['$$ROOT', '$$new']) writer.push(stringValue(name))
      writer.close().close()
    }),
  ),
])

/** The filter for the document that a result matches. */
function meeting(result: Document, on: readonly string[]): Document {
  return writeDocument((writer) => {
    for (const path of on) {
      const value = valueAt(result, parsePath(path))
      if (value === undefined || value.isNullish || value.type === bsonType.array) {
        const text = "$merge write error: 'on' field cannot be missing, null, undefined or an array"
        throw fail('Location51132', text)
      }
      writer.openDocument(path).value('$eq', value).close()
    }
  })
}
