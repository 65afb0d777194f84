// find: a filter, an order and a window over one collection, with a cursor as reply. Unsupported
// options that would change the result are refused.

import { fail } from '../../../base/errors.js'
import type { Call } from '../../../bus/document/call.js'
import type { CommandReadTx } from '../../../bus/document/command-tx.js'
import {
  collection,
  countNumber,
  flag,
  hint,
  object,
  optional,
  withDefault,
} from '../../../bus/document/params.js'
import { cursorReply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import type { Args } from '../../../bus/document/schema.js'
import { plain } from '../../../bus/policy/facts.js'
import type { UseCounter } from '../../../engine/index/index-use.js'
import type { AskedRange } from '../../../engine/plan/plan.js'
import { hintMissing } from '../../../engine/plan/plan-between.js'
import { idAsked } from '../../../engine/plan/planner.js'
import { findPoint } from '../../../engine/sources/point.js'
import { type FindQuery, openFind } from '../../../engine/sources/source.js'
import type { Namespace } from '../../../engine/types.js'
import type { QueryContext } from '../../../query/context.js'
import { compileFilter } from '../../../query/filter.js'
import type { StagePlan } from '../../../query/pipeline.js'
import { compileProjection } from '../../../query/projection.js'
import { compileSort } from '../../../query/sort.js'
import type { Workspace } from '../../../query/spill.js'
import type { Program } from '../../../store/store.js'
import { fieldsOf } from '../../../value/elements.js'
import { type Document, documentValue, type Value } from '../../../value/value.js'
import { collated, collation, emptyDocument, isEmpty } from '../arguments.js'
import { environmentOf } from './aggregate.js'
import { firstBatch, nothingFound } from './cursors.js'
import { queryMemory } from './query-memory.js'
import { checkTailing, openTail } from './tailing.js'
import {
  isViewed,
  openViewed,
  readableResource,
  stagesOfQuery,
  unsupported,
  within,
} from './view-reads.js'

export const findParams = {
  filter: withDefault(object, emptyDocument),
  sort: optional(object),
  projection: optional(object),
  hint: optional(hint),
  skip: withDefault(countNumber, 0),
  limit: withDefault(countNumber, 0),
  batchSize: optional(countNumber),
  singleBatch: withDefault(flag, false),
  collation,
  min: optional(object),
  max: optional(object),
  returnKey: withDefault(flag, false),
  showRecordId: withDefault(flag, false),
  tailable: withDefault(flag, false),
  awaitData: withDefault(flag, false),
  noCursorTimeout: withDefault(flag, false),
  allowDiskUse: withDefault(flag, true),
  allowPartialResults: optional(flag),
  oplogReplay: optional(flag),
} as const

export type FindArgs = Args<typeof findParams>

export const findRow = documentRow({
  name: 'find',
  ...plain,
  snapshots: 'begins',
  inTransactions: true,
  metered: 'find',
  hasTimeField: true,
  grain: 'read',
  access: 'reader',
  stable: true,
  target: collection,
  params: findParams,
  resources: readableResource,
  help: 'Finds documents of a collection or view.',
  *run(tx, call) {
    const { args, target } = call
    const ns = tx.namespace()
    const context = collated(call.context, args.collation, ns)
    if (isViewed(tx, call)) return yield* findInView(tx, call, context)
    refuseUnserved(args)
    const { traces } = call
    const workspace = isEmpty(args.sort) ? undefined : queryMemory(call)
    const query = compileFind(args, context, traces, workspace)
    const { takesDocument } = call.request
    const id = ns === undefined || args.batchSize === 0 ? undefined : idOfPoint(ns, args, query)
    if (ns !== undefined && id !== undefined) {
      const document = yield* findPoint(tx, ns, query, id)
      if (takesDocument === true) return document ?? nothingFound
      const documents = document === undefined ? [] : [document]
      return cursorReply({ name: 'firstBatch', documents, id: 0, ns: `${call.db}.${target}` })
    }
    const tailing = openTail(ns, args, query)
    if (tailing !== undefined && ns !== undefined) traces.noteTail(ns)
    return yield* firstBatch(tx, call, {
      source: tailing?.source ?? openFind(ns, query),
      tail: tailing?.tail,
      batchSize: args.batchSize,
      limit: args.limit === 0 ? undefined : args.limit,
      collection: target,
      singleBatch: args.singleBatch,
      noCursorTimeout: args.noCursorTimeout,
      takesDocument,
    })
  },
})

/** The `_id` of a find for one document, which is returned as stored. */
function idOfPoint(ns: Namespace, args: FindArgs, query: FindQuery): Value | undefined {
  const { sort, projection, range, returnsKey, skip } = query
  const isPlain = sort === undefined && projection === undefined && range === undefined
  if (!isPlain || returnsKey === true || skip !== 0 || args.tailable) return undefined
  return idAsked(ns, query)
}

function* findInView(
  tx: CommandReadTx,
  call: Call<FindArgs, string>,
  context: QueryContext,
): Program<Document> {
  const { args, target } = call
  const stages = compileViewFind(args, context)
  const environment = { ...environmentOf(call), context }
  const source = yield* openViewed(tx, within(call, context), stages, environment)
  const { batchSize, singleBatch, noCursorTimeout } = args
  return yield* firstBatch(tx, call, {
    source,
    batchSize,
    singleBatch,
    noCursorTimeout,
    collection: target,
    takesDocument: call.request.takesDocument,
  })
}

/** The stages for a find over a view. Throws for options without an equivalent stage. */
export function compileViewFind(args: FindArgs, context: QueryContext): StagePlan[] {
  const refused: readonly [option: string, isAsked: boolean][] = [
    ['Tailable cursors are', args.tailable],
    ['Option returnKey', args.returnKey],
    ['Option showRecordId', args.showRecordId],
    ['Option min', !isEmpty(args.min)],
    ['Option max', !isEmpty(args.max)],
  ]
  for (const [option, isAsked] of refused) if (isAsked) throw unsupported(option)
  return stagesOfQuery(args, context)
}

/** Compiles the arguments; explain uses the same function. */
export function compileFind(
  args: FindArgs,
  context: QueryContext,
  use?: UseCounter,
  workspace?: Workspace,
): FindQuery {
  const filter = compileFilter(args.filter, context)
  return {
    filter,
    sort: isEmpty(args.sort) ? undefined : compileSort(args.sort, context.collation),
    projection: isEmpty(args.projection)
      ? undefined
      : compileProjection(args.projection, filter, context),
    skip: args.skip,
    limit: args.limit,
    hint: args.hint,
    range: rangeOf(args),
    returnsKey: args.returnKey,
    use,
    workspace,
  }
}

/** Throws for unsupported options that would change the result. */
export function refuseUnserved(args: FindArgs): void {
  checkTailing(args)
  if (args.tailable && rangeOf(args) !== undefined) throw hintMissing()
  if (!args.showRecordId) return
  const text = 'showRecordId is not supported: records lie under their _id and have no number'
  throw fail('CommandNotSupported', text)
}

/** The keys of min and max. Throws 51176 if their fields differ. */
function rangeOf(args: Pick<FindArgs, 'min' | 'max'>): AskedRange | undefined {
  const min = isEmpty(args.min) ? undefined : args.min
  const max = isEmpty(args.max) ? undefined : args.max
  if (min === undefined && max === undefined) return undefined
  if (min !== undefined && max !== undefined && namesOf(min) !== namesOf(max)) {
    throw fail('Location51176', 'min and max must have the same field names')
  }
  return { min, max }
}

function namesOf(document: Document): string {
  return [...fieldsOf(documentValue(document))].map(([name]) => name).join('\0')
}
