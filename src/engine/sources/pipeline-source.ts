// Aggregations as chains of sources: a find that covers leading stages, pure stages in bounded
// steps, and stages that read other data: joins, and sources that create documents.

import { fail } from '../../base/errors.js'
import type { QueryContext } from '../../query/context.js'
import type { Filter } from '../../query/filter.js'
import { isPure, type StagePlan } from '../../query/pipeline.js'
import type { Workspace } from '../../query/spill.js'
import { neededFields } from '../../query/stage-effects.js'
import { matchPlan } from '../../query/stages/limit.js'
import type {
  JoinPlan,
  PureStagePlan,
  SourceKind,
  SourcePlan,
  Transform,
} from '../../query/stages/stage.js'
import type { Program, ReadTx } from '../../store/store.js'
import { type Document, nullValue, numberValue, type Value } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { type ReadPlace, readPlaceOf, stagesOver } from '../collection/kinds/views.js'
import type { UseCounter } from '../index/index-use.js'
import type { Guarded, Namespace } from '../types.js'
import { ChainSource } from './chain-source.js'
import { FacetSource } from './facet-source.js'
import { GraphLookupSource } from './graph-lookup-source.js'
import type { Source } from './holding-source.js'
import { HoldingSource } from './holding-source.js'
import { LookupSource } from './lookup-source.js'
import { type CountShape, countShapeOf, type PipelineParts, partsOf } from './pipeline-parts.js'
import { counted } from './query-memory.js'
import { countDocuments, documentsSource, openFind } from './source.js'
import { UnionSource } from './union-source.js'
import type { Counters } from './walk.js'

/** Creates the documents of a first stage such as $collStats or $currentOp. */
export type Provider = (
  tx: ReadTx & Guarded,
  ns: Namespace | undefined,
  plan: SourcePlan,
) => Program<readonly Document[]>

export interface PipelineEnvironment {
  /** Database of the collections that stages name. */
  readonly db: string
  readonly context: QueryContext
  readonly hint?: Value | undefined
  /** Counts for $indexStats. */
  readonly use?: UseCounter | undefined
  /** Workspace for spills; without one, stages are limited to memory. */
  readonly workspace?: Workspace | undefined
  /** Called for each stage that runs, for explain. */
  readonly observe?: (plan: PureStagePlan, transform: Transform) => void
  /** Its results go to further stages, which may take larger documents than a client. */
  readonly isInner?: boolean
  /** Supported source stages; others are NotImplemented. */
  readonly providers?: Partial<Readonly<Record<SourceKind, Provider>>>
}

/** The results of a pipeline over a collection; a missing collection is an empty one. */
export function openPipeline(
  ns: Namespace | undefined,
  stages: readonly StagePlan[],
  environment: PipelineEnvironment,
): Source {
  const [first, ...others] = stages
  if (first?.kind === 'documents') {
    // Documents in the command itself share its bytes, which its cursor counts.
    const isCounted = first.documents[0]?.buffer === first.spec.bytes.buffer
    return openStages(documentsSource(first.documents, isCounted), others, environment)
  }
  if (first !== undefined && isSourcePlan(first)) {
    const provider = environment.providers?.[first.kind]
    if (provider === undefined) throw fail('NotImplemented', `${first.name} is not supported here`)
    return openStages(new ProvidedSource(ns, first, provider), others, environment)
  }
  return openCollection(ns, partsOf(stages), environment)
}

/** The results of pure stages, and joins, over given documents. */
export function openDocuments(
  documents: readonly Document[],
  stages: readonly StagePlan[],
  environment: PipelineEnvironment,
): Source {
  return openStages(documentsSource(documents), stages, environment)
}

/** Stages behind a source that is made elsewhere, such as a change stream. */
export function openBehind(
  source: Source,
  stages: readonly StagePlan[],
  environment: PipelineEnvironment,
): Source {
  return openStages(source, stages, environment)
}

/** A pipeline over the documents of a place that match a filter, for the inside of a join. */
export function openFiltered(
  place: ReadPlace,
  filter: Filter,
  stages: readonly StagePlan[],
  environment: PipelineEnvironment,
): Source {
  const { ns } = place
  if (place.stages.length === 0) return openCollection(ns, partsOf(stages, filter), environment)
  const whole = stagesOver(place, [matchPlan(nullValue, filter), ...stages])
  return openPipeline(ns, whole, environment)
}

function isSourcePlan(plan: StagePlan): plan is SourcePlan {
  const { kind } = plan
  const isMade = kind === 'documents' || kind === 'out' || kind === 'merge'
  return !isPure(plan) && !isJoin(plan) && !isMade
}

function isJoin(plan: StagePlan): plan is JoinPlan {
  const { kind } = plan
  return kind === 'lookup' || kind === 'union' || kind === 'facet' || kind === 'graphLookup'
}

function openCollection(
  ns: Namespace | undefined,
  parts: PipelineParts,
  environment: PipelineEnvironment,
): Source {
  const { limit, rest } = parts
  const shape = countShapeOf(rest[0])
  if (shape !== undefined) {
    return openStages(new CountSource(ns, parts, environment, shape), rest.slice(1), environment)
  }
  // A limit of 0 comes only from a $skip after a smaller $limit; for a find it would mean none.
  if (limit === 0) return openStages(documentsSource([]), rest, environment)
  return openStages(openFind(ns, findQueryOf(parts, environment)), rest, environment)
}

/** The find that a pipeline begins with. */
export function findQueryOf(parts: PipelineParts, environment: PipelineEnvironment) {
  const { filter, sort, skip, limit, rest } = parts
  const { hint, use, workspace } = environment
  const bounded = Number.isFinite(limit) ? limit : 0
  const needs = rest.length === 0 ? undefined : neededFields(rest)
  return { filter, sort, skip, hint, use, workspace, needs, limit: bounded }
}

/** Adds the stages after the first source; adjacent pure ones share one chain. */
function openStages(
  source: Source,
  stages: readonly StagePlan[],
  environment: PipelineEnvironment,
): Source {
  let whole = source
  for (let at = 0; at < stages.length; ) {
    const stage = stages[at] as StagePlan
    if (isJoin(stage)) {
      at++
      const isLast = environment.isInner !== true && at === stages.length
      whole = openJoin(whole, stage, { ...environment, hint: undefined, isInner: true }, isLast)
      continue
    }
    const end = endOfPure(stages, at)
    if (end === at) throw fail('IllegalOperation', `${stage.name} must be the first stage`)
    const transforms = stages.slice(at, end).filter(isPure)
    whole = new ChainSource(
      whole,
      transforms.map((plan) => created(plan, environment)),
      environment.workspace,
    )
    at = end
  }
  return whole
}

function created(plan: PureStagePlan, { workspace, observe }: PipelineEnvironment): Transform {
  const transform = plan.create(workspace)
  observe?.(plan, transform)
  return streaming.has(plan.kind) ? transform : counted(transform, workspace)
}

/** Stages that hold no documents. */
const streaming: ReadonlySet<string> = new Set(['match', 'limit', 'skip'])

/** A stage that reads more than its input. A hint applies only to the pipeline's own collection. */
function openJoin(
  source: Source,
  stage: JoinPlan,
  environment: PipelineEnvironment,
  isLast: boolean,
): Source {
  const { context, db, workspace } = environment
  const holding = workspace?.holding?.()
  switch (stage.kind) {
    case 'lookup':
      return new LookupSource(
        source,
        stage,
        { context, db },
        (place, filter, plans) => openFiltered(place, filter, plans, environment),
        holding,
      )
    case 'graphLookup':
      return new GraphLookupSource(
        source,
        stage,
        { context, db },
        (place, filter) => openFiltered(place, filter, [], environment),
        holding,
      )
    case 'union':
      return new UnionSource(source, function* (tx) {
        const { from, stages, throughView } = stage
        if (from === undefined) return openPipeline(undefined, stages, environment)
        const place = yield* readPlaceOf(tx, db, from, context, throughView)
        return openPipeline(place.ns, stagesOver(place, stages), environment)
      })
    case 'facet':
      return new FacetSource(source, { plan: stage, isLast }, workspace, (documents, stages) =>
        openStages(documentsSource(documents), stages, environment),
      )
  }
}

function endOfPure(stages: readonly StagePlan[], from: number): number {
  let at = from
  while (at < stages.length && isPure(stages[at] as StagePlan)) at++
  return at
}

/** Documents of a provider, requested at the first pull. */
class ProvidedSource extends HoldingSource {
  readonly counters: Counters = { keysExamined: 0, docsExamined: 0, returned: 0 }
  private readonly ns: Namespace | undefined
  private readonly plan: SourcePlan
  private readonly provider: Provider
  private isProvided = false

  constructor(ns: Namespace | undefined, plan: SourcePlan, provider: Provider) {
    super()
    this.ns = ns
    this.plan = plan
    this.provider = provider
  }

  protected get isExhausted(): boolean {
    return this.isProvided
  }

  protected *produce(tx: ReadTx, want: number): Program<Document[]> {
    const documents = yield* this.provider(tx, this.ns, this.plan)
    this.isProvided = true
    this.counters.returned = documents.length
    this.putBack(documents.slice(want))
    return documents.slice(0, want)
  }
}

/** The single document of a count; none if the count is zero. */
class CountSource extends HoldingSource {
  readonly counters: Counters = { keysExamined: 0, docsExamined: 0, returned: 0 }
  private readonly ns: Namespace | undefined
  private readonly parts: PipelineParts
  private readonly environment: PipelineEnvironment
  private readonly shape: CountShape
  private isCounted = false

  constructor(
    ns: Namespace | undefined,
    parts: PipelineParts,
    environment: PipelineEnvironment,
    shape: CountShape,
  ) {
    super()
    this.ns = ns
    this.parts = parts
    this.environment = environment
    this.shape = shape
  }

  protected get isExhausted(): boolean {
    return this.isCounted
  }

  protected *produce(tx: ReadTx): Program<Document[]> {
    const { ns, parts } = this
    const { sort: _sort, ...query } = findQueryOf(parts, this.environment)
    const count = parts.limit === 0 ? 0 : yield* countDocuments(tx, ns, query)
    this.isCounted = true
    if (count === 0) return []
    this.counters.returned = 1
    return [this.document(count)]
  }

  private document(count: number): Document {
    const { name, group } = this.shape
    return writeDocument((out) => {
      if (group !== undefined) out.value('_id', group)
      out.value(name, numberValue(count))
    })
  }
}
