// explain: the plan of a command and, if requested, the figures of a run. A run reads like the
// command and changes nothing. Source: MongoDB manual, Explain Results.

import type { Clock } from '../../base/clock.js'
import { pullDocumentsMax } from '../../base/limits/engine.js'
import { filterToDocument } from '../../query/filter.js'
import type { StagePlan, Transform } from '../../query/pipeline.js'
import type { Program, ReadTx } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import { numberValue } from '../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../value/writer.js'
import type { Source } from '../sources/holding-source.js'
import { partsOf } from '../sources/pipeline-parts.js'
import { findQueryOf, openPipeline, type PipelineEnvironment } from '../sources/pipeline-source.js'
import {
  type CountQuery,
  countDocuments,
  countsAll,
  countsEntries,
  type FindQuery,
  FindSource,
  openDistinct,
} from '../sources/source.js'
import type { Counters } from '../sources/walk.js'
import type { Guarded, Namespace } from '../types.js'
import {
  eofStage,
  type Figures,
  findStages,
  type Shape,
  type Stage,
  scanStage,
  writeExecution,
  writeSpills,
  writeStage,
} from './explain-plan.js'
import type { Plan } from './plan.js'
import { hashesOf, type Trial, writeTrial } from './plan-cache.js'
import { comparePlans, shapedOf } from './plan-choice.js'
import { planDistinct } from './plan-distinct.js'
import { planQuery } from './planner.js'

export type Verbosity = 'queryPlanner' | 'executionStats' | 'allPlansExecution'

/** Common parameters of every explain. */
export interface ExplainTarget {
  /** `db.collection`. */
  readonly name: string
  /** Undefined if the collection is missing. */
  readonly ns: Namespace | undefined
  readonly verbosity: Verbosity
  /** For executionTimeMillis. */
  readonly clock: Clock
}

/** Specifications that the query was compiled from, for printing. */
type ExplainShape = Pick<Shape, 'sort' | 'projection'>

/** `{explainVersion, queryPlanner, executionStats?}` of a find. */
export function* explainFind(
  tx: ReadTx & Guarded,
  target: ExplainTarget,
  query: FindQuery,
  shape: ExplainShape,
): Program<Document> {
  const explained = yield* explainQuery(tx, target, query, shape)
  return writeDocument((out) => {
    out.string('explainVersion', '1')
    writeExplained(out, explained)
  })
}

/**
 * Like explainFind, for a distinct: by jumps over an index, or like a find that picks the values
 * later.
 */
export function* explainDistinct(
  tx: ReadTx & Guarded,
  target: ExplainTarget,
  query: FindQuery,
  path: string,
): Program<Document> {
  const { ns, clock, verbosity } = target
  const distinct = ns === undefined ? undefined : planDistinct(ns, query, path)
  if (ns === undefined || distinct === undefined) return yield* explainFind(tx, target, query, {})
  const source = openDistinct(ns, query, path)
  const figures = () => ({ walk: source.counters, returned: source.counters.returned })
  const { plan, access } = distinct
  const docsExamined = () => numberValue(source.counters.docsExamined)
  const winning: Stage = {
    name: 'FETCH',
    fields: () => {},
    inputs: [scanStage(access, () => source.counters.keysExamined, 'DISTINCT_SCAN')],
    stats: (out) => out.value('docsExamined', docsExamined()),
    returned: () => source.counters.returned,
  }
  const startedMs = clock.elapsed()
  if (verbosity !== 'queryPlanner') {
    while (!source.drained) yield* source.pull(tx, pullDocumentsMax)
  }
  const tookMs = Math.round(clock.elapsed() - startedMs)
  const explained: Explained = { target, query, plan, shape: {}, winning, figures, tookMs }
  return writeDocument((out) => {
    out.string('explainVersion', '1')
    writeExplained(out, explained)
  })
}

/** Like explainFind, for an update or delete: finds the documents without changing them. */
export function* explainWrite(
  tx: ReadTx & Guarded,
  target: ExplainTarget,
  name: 'UPDATE' | 'DELETE',
  query: FindQuery,
  shape: ExplainShape,
): Program<Document> {
  const explained = yield* explainQuery(tx, target, query, shape)
  const { plan, figures } = explained
  const found =
    plan === undefined ? eofStage : findStages(plan, shape, figures ?? (() => noFigures))
  const count = () => figures?.().returned ?? 0
  const stage: Stage = {
    name,
    fields: () => {},
    inputs: [found],
    stats: (out) => {
      if (name === 'DELETE') out.value('nWouldDelete', numberValue(count()))
      else {
        out.value('nMatched', numberValue(count())).value('nWouldModify', numberValue(count()))
        out.bool('wouldInsert', false)
      }
    },
    returned: () => 0,
  }
  return writeDocument((out) => {
    out.string('explainVersion', '1')
    writeExplained(out, { ...explained, winning: stage })
  })
}

/** Like explainFind, for a count. */
export function* explainCount(
  tx: ReadTx & Guarded,
  target: ExplainTarget,
  query: CountQuery,
): Program<Document> {
  const { ns } = target
  const counters: Counters = { keysExamined: 0, docsExamined: 0, returned: 0 }
  const startedMs = target.clock.elapsed()
  const compared = ns && (yield* comparePlans(tx, ns, query, planQuery(ns, query)))
  const plan = compared?.plan
  let count = 0
  if (target.verbosity !== 'queryPlanner') count = yield* countDocuments(tx, ns, query, counters)
  const figures = () => ({ walk: counters, returned: 0 })
  const isCounter = plan === undefined ? query.filter.tree.op === 'always' : countsAll(query, plan)
  const winning: Stage = isCounter
    ? { name: 'RECORD_STORE_FAST_COUNT', fields: () => {}, inputs: [], returned: () => 0 }
    : {
        name: 'COUNT',
        fields: () => {},
        inputs: [plan === undefined ? eofStage : countInput(plan, figures)],
        stats: (out) => out.value('nCounted', numberValue(count)).int32('nSkipped', 0),
        returned: () => 0,
      }
  const tookMs = Math.round(target.clock.elapsed() - startedMs)
  const { trials } = compared ?? {}
  const explained: Explained = {
    target,
    query,
    plan,
    trials,
    shape: {},
    winning,
    figures,
    tookMs,
  }
  return writeDocument((out) => {
    out.string('explainVersion', '1')
    writeExplained(out, explained)
  })
}

function countInput(plan: Plan, figures: () => Figures): Stage {
  const [access] = plan.accesses
  if (!countsEntries(plan) || access === undefined) return findStages(plan, {}, figures)
  return scanStage(access, () => figures().walk.keysExamined, 'COUNT_SCAN')
}

/**
 * For an aggregate: like a find if that suffices, otherwise `stages: [{$cursor: …}, {$group: …},
 * …]`.
 */
export function* explainAggregate(
  tx: ReadTx & Guarded,
  target: ExplainTarget,
  stages: readonly StagePlan[],
  environment: PipelineEnvironment,
): Program<Document> {
  const parts = partsOf(stages)
  const query = findQueryOf(parts, environment)
  const sortStage = stages.find(({ kind }) => kind === 'sort')
  const sort = query.sort === undefined ? undefined : sortStage?.spec.payload()
  const isSource = parts.rest.length === stages.length && isFirstOnly(stages[0])
  if (parts.rest.length === 0) return yield* explainFind(tx, target, query, { sort })
  const projection = query.needs === undefined ? undefined : projectionOf(query.needs)
  const explained = isSource
    ? undefined
    : yield* explainQuery(tx, target, query, { sort, projection })
  const ran =
    target.verbosity === 'queryPlanner'
      ? undefined
      : yield* runToEnd(tx, target, stages, environment)
  return writeDocument((out) => {
    out.string('explainVersion', '1').openArray('stages')
    if (explained !== undefined) {
      writeExplained(out.pushOpenDocument().openDocument('$cursor'), explained)
      out.close().close()
    }
    const shown = parts.rest.filter((stage, i) => !isOfSort(stage, parts.rest[i - 1]))
    shown.forEach((stage, i) => {
      writePlan(out.pushOpenDocument(), stage)
      writeTransform(out, stage, ran?.running.get(stage))
      if (ran !== undefined && i === shown.length - 1) {
        out.value('nReturned', numberValue(ran.returned))
      }
      out.close()
    })
    out.close()
  })
}

/** The fields that a pipeline needs, as the projection that MongoDB derives. */
function projectionOf(names: ReadonlySet<string>): Document {
  return writeDocument((out) => {
    for (const name of names) if (name !== '_id') out.int32(name, 1)
    out.int32('_id', names.has('_id') ? 1 : 0)
  })
}

function isFirstOnly(stage: StagePlan | undefined): boolean {
  switch (stage?.kind) {
    case 'transform':
    case 'match':
    case 'sort':
    case 'limit':
    case 'skip':
    case 'lookup':
    case undefined:
      return false
    default:
      return true
  }
}

/** A pipeline after a run, with its stages. */
interface Ran {
  readonly returned: number
  readonly running: ReadonlyMap<StagePlan, Transform>
}

function* runToEnd(
  tx: ReadTx,
  { ns }: ExplainTarget,
  stages: readonly StagePlan[],
  environment: PipelineEnvironment,
): Program<Ran> {
  const running = new Map<StagePlan, Transform>()
  const observe = (plan: StagePlan, transform: Transform) => void running.set(plan, transform)
  const source = openPipeline(ns, stages, { ...environment, observe })
  return { returned: yield* exhaust(tx, source), running }
}

/** Reads a source to its end; returns the number of documents. */
export function* exhaust(tx: ReadTx, source: Source): Program<number> {
  let returned = 0
  try {
    while (!source.drained) returned += (yield* source.pull(tx, pullDocumentsMax)).length
  } finally {
    source.close()
  }
  return returned
}

/** A $limit merged into the previous sort is not shown again. */
function isOfSort(stage: StagePlan, before: StagePlan | undefined): boolean {
  return stage.kind === 'limit' && before?.kind === 'sort' && before.limit === stage.count
}

function writePlan(out: DocumentWriter, stage: StagePlan): void {
  if (stage.kind !== 'sort' || stage.name !== '$sort') {
    out.value(stage.name, stage.spec)
    return
  }
  out.openDocument('$sort').value('sortKey', stage.spec)
  if (stage.limit !== undefined) out.int64('limit', stage.limit)
  out.close()
}

/** Writes the figures of a blocking pipeline stage. */
function writeTransform(out: DocumentWriter, { name, kind }: StagePlan, ran?: Transform): void {
  const figures = ran?.figures
  if (figures === undefined) return
  if (kind === 'sort') writeSpills(out, 'totalDataSizeSortedBytesEstimate', figures)
  if (name !== '$group') return
  writeSpills(out, 'totalOutputDataSizeBytes', figures)
  out.int64('numBytesSpilledEstimate', figures.spilledBytes)
  out.int64('spilledRecords', figures.spilledRecords)
}

interface Explained {
  readonly target: ExplainTarget
  readonly query: CountQuery
  readonly plan: Plan | undefined
  /** Plans tried before the choice. */
  readonly trials?: readonly Trial[] | undefined
  readonly shape: Shape
  readonly winning: Stage
  /** After a run. */
  readonly figures: (() => Figures) | undefined
  readonly tookMs: number
}

function* explainQuery(
  tx: ReadTx,
  target: ExplainTarget,
  query: FindQuery,
  { sort, projection }: ExplainShape,
): Program<Explained> {
  const { ns, clock, verbosity } = target
  const { skip, limit } = query
  let shape: Shape = { sort, projection, skip, limit }
  if (ns === undefined) {
    const empty = { walk: { keysExamined: 0, docsExamined: 0, returned: 0 }, returned: 0 }
    const figures = () => empty
    return { target, query, plan: undefined, shape, winning: eofStage, figures, tookMs: 0 }
  }
  const { plan, trials } = yield* comparePlans(tx, ns, query, planQuery(ns, query))
  const source = new FindSource(ns, query, plan, true)
  // The fields that a pipeline needs are shown as a projection only if an index covers them.
  if (query.needs !== undefined && !source.isCovered) shape = { sort, skip, limit }
  const figures = (): Figures => {
    const { counters: walk, keysByAccess, repeated } = source.walk
    const { returned } = source.counters
    return { walk, returned, keysByAccess, repeated, spilled: source.spilled() }
  }
  const { returnsKey } = query
  const shown = { ...shape, isCovered: source.isCovered, returnKey: returnsKey === true }
  const winning = findStages(plan, shown, figures)
  const startedMs = clock.elapsed()
  if (verbosity !== 'queryPlanner') yield* exhaust(tx, source)
  const tookMs = Math.round(clock.elapsed() - startedMs)
  return { target, query, plan, trials, shape, winning, figures, tookMs }
}

function writeExplained(out: DocumentWriter, explained: Explained): void {
  const { target, query, plan, trials = [], shape, winning, figures, tookMs } = explained
  out.openDocument('queryPlanner').string('namespace', target.name)
  out.bool('indexFilterSet', false)
  out.document('parsedQuery', filterToDocument(query.filter.tree))
  const { collation } = query.filter
  if (collation !== undefined) out.document('collation', collation.spec)
  if (target.ns !== undefined) {
    const { queryHash, planCacheKey } = hashesOf(shapedOf(target.ns, query))
    out.string('queryHash', queryHash).string('planCacheKey', planCacheKey)
  }
  out.bool('maxIndexedOrSolutionsReached', false).bool('maxIndexedAndSolutionsReached', false)
  out.bool('maxScansToExplodeReached', false)
  writeStage(out.openDocument('winningPlan'), winning)
  out.close().openArray('rejectedPlans')
  for (const rejected of plan?.rejected ?? []) {
    writeStage(
      out.pushOpenDocument(),
      findStages(rejected, shape, () => noFigures),
    )
    out.close()
  }
  out.close().close()
  if (target.verbosity === 'queryPlanner' || figures === undefined) return
  const { walk } = figures()
  out.openDocument('executionStats').bool('executionSuccess', true)
  out.value('nReturned', numberValue(winning.returned()))
  out.value('executionTimeMillis', numberValue(tookMs))
  out.value('totalKeysExamined', numberValue(walk.keysExamined))
  out.value('totalDocsExamined', numberValue(walk.docsExamined))
  writeExecution(out.openDocument('executionStages'), winning)
  out.close()
  if (target.verbosity === 'allPlansExecution') {
    out.openArray('allPlansExecution')
    for (const trial of trials) writeTrial(out.pushOpenDocument(), trial, shape)
    out.close()
  }
  out.close()
}

const noFigures: Figures = {
  walk: { keysExamined: 0, docsExamined: 0, returned: 0 },
  returned: 0,
}
