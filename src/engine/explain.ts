// explain: the plan of a command and, where asked, the figures of a run. A run reads as the command
// would and changes nothing. Source: facts/document-wire.md 4, explain.

import type { Clock } from '../base/clock.js'
import { pullDocumentsMax } from '../base/limits.js'
import { filterToDocument } from '../query/filter.js'
import type { StagePlan } from '../query/pipeline.js'
import type { Program, ReadTx } from '../store/store.js'
import type { Document } from '../value/value.js'
import { numberValue } from '../value/value.js'
import { type DocumentWriter, writeDocument } from '../value/writer.js'
import {
  eofStage,
  type Figures,
  findStages,
  type Shape,
  type Stage,
  scanStage,
  writeExecution,
  writeStage,
} from './explain-plan.js'
import { partsOf } from './pipeline-parts.js'
import { findQueryOf, openPipeline, type PipelineEnvironment } from './pipeline-source.js'
import type { Plan } from './plan.js'
import { choosePlan } from './plan-choice.js'
import { planDistinct, planQuery } from './planner.js'
import {
  type CountQuery,
  countDocuments,
  countsAll,
  countsEntries,
  type FindQuery,
  FindSource,
  openDistinct,
} from './source.js'
import type { Counters } from './sources/walk.js'
import type { Guarded, Namespace } from './types.js'

export type Verbosity = 'queryPlanner' | 'executionStats' | 'allPlansExecution'

/** What every explain is told. */
export interface ExplainTarget {
  /** `db.collection`. */
  readonly name: string
  /** Undefined where the collection is missing. */
  readonly ns: Namespace | undefined
  readonly verbosity: Verbosity
  /** For executionTimeMillis. */
  readonly clock: Clock
}

/** Specifications that the query was compiled from, for printing. */
export type ExplainShape = Pick<Shape, 'sort' | 'projection'>

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

/** As explainFind, of a distinct: by jumps over an index, or as a find picks the values later. */
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

/** As explainFind, of an update or delete: finds what would be changed, and leaves it. */
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

/** As explainFind, of a count. */
export function* explainCount(
  tx: ReadTx & Guarded,
  target: ExplainTarget,
  query: CountQuery,
): Program<Document> {
  const { ns } = target
  const counters: Counters = { keysExamined: 0, docsExamined: 0, returned: 0 }
  const startedMs = target.clock.elapsed()
  const plan = ns === undefined ? undefined : yield* choosePlan(tx, ns, query, planQuery(ns, query))
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
  const explained: Explained = { target, query, plan, shape: {}, winning, figures, tookMs }
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
 * Of an aggregate: as a find where that does it all, else `stages: [{$cursor: …}, {$group: …}, …]`.
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
  const explained = isSource ? undefined : yield* explainQuery(tx, target, query, { sort })
  const returned =
    target.verbosity === 'queryPlanner'
      ? undefined
      : yield* runToEnd(tx, target, stages, environment)
  return writeDocument((out) => {
    out.string('explainVersion', '1').openArray('stages')
    if (explained !== undefined) {
      writeExplained(out.pushOpenDocument().openDocument('$cursor'), explained)
      out.close().close()
    }
    parts.rest.forEach((stage, i) => {
      out.pushOpenDocument().value(stage.name, stage.spec)
      if (returned !== undefined && i === parts.rest.length - 1) {
        out.value('nReturned', numberValue(returned))
      }
      out.close()
    })
    out.close()
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

function* runToEnd(
  tx: ReadTx,
  { ns }: ExplainTarget,
  stages: readonly StagePlan[],
  environment: PipelineEnvironment,
): Program<number> {
  const source = openPipeline(ns, stages, environment)
  let returned = 0
  while (!source.drained) returned += (yield* source.pull(tx, pullDocumentsMax)).length
  return returned
}

interface Explained {
  readonly target: ExplainTarget
  readonly query: CountQuery
  readonly plan: Plan | undefined
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
  const shape: Shape = { sort, projection, skip, limit }
  if (ns === undefined) {
    const empty = { walk: { keysExamined: 0, docsExamined: 0, returned: 0 }, returned: 0 }
    const figures = () => empty
    return { target, query, plan: undefined, shape, winning: eofStage, figures, tookMs: 0 }
  }
  const plan = yield* choosePlan(tx, ns, query, planQuery(ns, query))
  const source = new FindSource(ns, query, plan, true)
  const figures = (): Figures => {
    const { counters: walk, keysByAccess, repeated } = source.walk
    return { walk, returned: source.counters.returned, keysByAccess, repeated }
  }
  const winning = findStages(plan, { ...shape, isCovered: source.isCovered }, figures)
  const startedMs = clock.elapsed()
  if (verbosity !== 'queryPlanner') {
    while (!source.drained) yield* source.pull(tx, pullDocumentsMax)
  }
  const tookMs = Math.round(clock.elapsed() - startedMs)
  return { target, query, plan, shape, winning, figures, tookMs }
}

function writeExplained(out: DocumentWriter, explained: Explained): void {
  const { target, query, plan, shape, winning, figures, tookMs } = explained
  out.openDocument('queryPlanner').string('namespace', target.name)
  out.bool('indexFilterSet', false)
  out.document('parsedQuery', filterToDocument(query.filter.tree))
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
  if (target.verbosity === 'allPlansExecution') out.openArray('allPlansExecution').close()
  out.close()
}

const noFigures: Figures = {
  walk: { keysExamined: 0, docsExamined: 0, returned: 0 },
  returned: 0,
}
