// aggregate: a pipeline over a collection, or over the output of its first stage. The engine runs
// it. This file declares its collections and checks its first stage.

import { fail } from '../../../base/errors.js'
import type { Call } from '../../../bus/document/call.js'
import {
  array,
  bool,
  collectionOrDatabase,
  hint,
  ignored,
  optional,
  withDefault,
} from '../../../bus/document/params.js'
import { cursorReply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import type { Args } from '../../../bus/document/schema.js'
import { plain } from '../../../bus/policy/facts.js'
import { findNamespace } from '../../../engine/collection/catalog/catalog.js'
import { stagesOver } from '../../../engine/collection/kinds/views.js'
import { explainAggregate } from '../../../engine/plan/explain.js'
import { explainClosed } from '../../../engine/plan/explain-closed.js'
import { openPipeline, type PipelineEnvironment } from '../../../engine/sources/pipeline-source.js'
import type { Resource } from '../../../engine/types.js'
import {
  compilePipeline,
  isWriting,
  pipelineCollections,
  type StagePlan,
  stageRow,
} from '../../../query/pipeline.js'
import { fitsTarget, notOfTarget } from '../../../query/stages/stage-facts.js'
import { stages } from '../../../query/stages/table.js'
import { readPhase, type Sweep } from '../../../store/sweep.js'
import type { Document, Value } from '../../../value/value.js'
import { collated, collation, cursorOptions, writePrivileges } from '../arguments.js'
import { planCacheResources } from '../indexes/plan-cache.js'
import { runMerge, runOut, temporaryResources } from '../writing/write-stages.js'
import { runWatch, watched, watchResources } from './change-stream.js'
import { firstBatch } from './cursors.js'
import { explainReply } from './explain-reply.js'
import { queryMemory } from './query-memory.js'
import { stageProviders } from './stage-sources.js'
import { isViewed, openViewed, placeOf, readable, readableTarget, within } from './view-reads.js'

export const aggregateParams = {
  pipeline: array,
  cursor: optional(cursorOptions),
  explain: withDefault(bool, false),
  allowDiskUse: withDefault(bool, true),
  collation,
  hint: optional(hint),
  bypassDocumentValidation: withDefault(bool, false),
  fromMongos: ignored,
} as const

type AggregateArgs = Args<typeof aggregateParams>

/** What a pipeline needs from its command. */
interface PipelineCall
  extends Pick<
    Call<unknown, unknown>,
    'db' | 'bus' | 'session' | 'services' | 'engine' | 'traces' | 'now' | 'owner' | 'context'
  > {
  readonly target: string | undefined
  readonly args: Pick<AggregateArgs, 'hint' | 'allowDiskUse'>
}

type AggregateCall = Call<AggregateArgs, string | undefined>

export const aggregateRow = documentRow({
  name: 'aggregate',
  ...plain,
  snapshots: 'begins',
  inTransactions: true,
  grows: 'documents',
  metered: 'read',
  hasTimeField: true,
  roles: ['writes'],
  grain: 'read',
  access: 'reader',
  stable: true,
  target: collectionOrDatabase,
  params: aggregateParams,
  resources: (call) => {
    if (isWatch(call)) return watchResources(call.db, call.target)
    return [
      ...aggregateResources(call.db, call.target, call.args),
      ...temporaryResources(call, call.args.pipeline),
    ]
  },
  help: 'Runs a pipeline of stages over a collection.',
  writing(call) {
    const { args } = call
    if (args.explain) return undefined
    if (isWatch(call)) return runStream(call)
    return isWriting(args.pipeline) ? runWriting(call) : undefined
  },
  *run(tx, call) {
    const { args, target } = call
    const { cursor } = args
    requireCursor(args)
    const own = target === undefined ? undefined : tx.namespace()
    const context = collated(call.context, args.collation, own)
    const stages = compileStages(call.db, target, args, context)
    if (call.generic.apiStrict) requireStable(stages)
    requireOnlyLevel(call, stages[0]?.name)
    const collection = target ?? '$cmd.aggregate'
    const environment = { ...environmentOf(call), context }
    const inside = within(call, context)
    if (args.explain) {
      const { clock } = call.services
      const place = yield* placeOf(tx, inside)
      const verbosity = 'queryPlanner'
      const shown = place.isClosed === true ? collection : place.name || collection
      const explaining = { name: `${call.db}.${shown}`, ns: place.ns, verbosity, clock } as const
      const explained =
        place.isClosed === true
          ? yield* explainClosed(tx, explaining, { place, stages }, environment)
          : yield* explainAggregate(tx, explaining, stagesOver(place, stages), environment)
      return explainReply(explained, call.request.body, call.db)
    }
    const source = isViewed(tx, call)
      ? yield* openViewed(tx, inside, stages, environment)
      : openPipeline(own, stages, environment)
    return yield* firstBatch(tx, call, {
      source,
      batchSize: cursor?.batchSize,
      collection,
    })
  },
})

/** A standalone server refuses $changeStream as a stage; over HTTP there is no topology. */
function isWatch(call: Pick<AggregateCall, 'services' | 'session' | 'args'>): boolean {
  const { topology = 'standalone' } = call.services
  const isServed = topology !== 'standalone' || call.session.protocol === 'http'
  return isServed && watched(call.args.pipeline) !== undefined
}

function runStream(call: AggregateCall): Sweep<Document> {
  const { args } = call
  requireCursor(args)
  requireOnlyLevel(call, '$changeStream')
  const context = collated(call.context, args.collation, undefined)
  const environment = { ...environmentOf(call), context }
  return runWatch(call, watched(args.pipeline) as Value, context, environment)
}

function requireCursor({ cursor, explain }: Pick<AggregateArgs, 'cursor' | 'explain'>): void {
  if (cursor !== undefined || explain) return
  const text = "The 'cursor' option is required, except for aggregate with the explain argument"
  throw fail('FailedToParse', text)
}

function requireStable(stages: readonly StagePlan[]): void {
  const first = stageRow(stages[0])
  if (first === undefined || first.isStable) return
  const text = `stage ${first.name} is not allowed with 'apiStrict: true' in API Version 1`
  throw fail('APIStrictError', text)
}

function requireOnlyLevel(call: AggregateCall, stage: string | undefined): void {
  const { readConcern: only = 'all' } = stages.get(stage ?? '') ?? {}
  const { readLevel = only } = call.generic
  if (readLevel === only || only === 'all') return
  const text = `Aggregation stage ${stage} cannot run with a readConcern other than '${only}'. `
  throw fail('InvalidOptions', `${text}Current readConcern: ${readLevel}`)
}

/** Runs a pipeline that ends with $out or $merge; it returns no documents. */
function* runWriting(call: AggregateCall): Sweep<Document> {
  const { db, target, args } = call
  requireCursor(args)
  const own = target && (yield* readPhase((tx) => findNamespace(tx, db, target)))
  const context = collated(call.context, args.collation, own || undefined)
  const stages = compileStages(db, target, args, context)
  if (call.generic.apiStrict) requireStable(stages)
  const end = stages.at(-1)
  if (end !== undefined) requireReadLevel(call.generic.readLevel, end.name)
  const pipeline = {
    given: args.pipeline,
    stages: stages.slice(0, -1),
    environment: { ...environmentOf(call), context },
  }
  if (end?.kind === 'out') yield* runOut(call, pipeline, end)
  if (end?.kind === 'merge') yield* runMerge(call, pipeline, end)
  const ns = `${db}.${target ?? '$cmd.aggregate'}`
  return cursorReply({ name: 'firstBatch', documents: [], id: 0, ns })
}

function requireReadLevel(level: string | undefined, stage: string): void {
  if (level !== 'linearizable' && level !== 'snapshot') return
  const text = `${stage} cannot be used with a '${level}' read concern level`
  throw fail('InvalidOptions', text)
}

/** The collection first, then the collections in its stages. */
export function aggregateResources(
  db: string,
  target: string | undefined,
  args: Pick<AggregateArgs, 'pipeline' | 'bypassDocumentValidation'>,
): Resource[] {
  const own: Resource[] =
    target === undefined
      ? []
      : [readableTarget(db, target), ...planCacheResources(db, target, args.pipeline)]
  const named = pipelineCollections(args.pipeline).map((one): Resource => {
    const { db: other = db, name, privilege, isRuled, readsTarget } = one
    if (privilege === 'read') return readable(other, name)
    const privileges = [...writePrivileges(args)]
    if (isRuled === true) privileges.push('own')
    if (readsTarget === true) privileges.push('read')
    return { db: other, collection: name, privileges }
  })
  return [...own, ...named]
}

/** The compiled pipeline. Throws if the first stage does not fit this target. */
export function compileStages(
  db: string,
  target: string | undefined,
  { pipeline }: Pick<AggregateArgs, 'pipeline'>,
  context: Call<unknown, unknown>['context'],
): StagePlan[] {
  const stages = compilePipeline(pipeline, context)
  requirePlace(db, target, stages[0])
  return stages
}

export function environmentOf(call: PipelineCall): PipelineEnvironment {
  return {
    db: call.db,
    context: call.context,
    hint: call.args.hint,
    use: call.traces,
    workspace: queryMemory(call),
    providers: stageProviders(call),
  }
}

/** Throws InvalidNamespace if the first stage does not fit this target. */
export function requirePlace(
  db: string,
  target: string | undefined,
  first: StagePlan | undefined,
): void {
  const over = stageRow(first)?.over ?? 'collection'
  if (fitsTarget(over, db, target)) return
  if (first !== undefined) throw notOfTarget(over, first.name)
  const text = '{aggregate: 1} is not valid for an empty pipeline; a collection is required.'
  throw fail('InvalidNamespace', text)
}
