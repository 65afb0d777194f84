// Compiles aggregation pipelines. Each stage is a row of one table, and its position is checked
// here. Pure stages become transforms; stages that read collections become plans for the engine.

import { fail } from '../base/errors.js'
import { pipelineStagesMax, subPipelineDepthMax } from '../base/limits/documents.js'
import { Elements, elementsOf, fieldsOf, lastFieldIn } from '../value/elements.js'
import { bsonType, type Document, stringOf, type Value } from '../value/value.js'
import type { QueryContext } from './context.js'
import { contextData, Inputs, stageData } from './detached.js'
import { envOf, scopeOf } from './expression.js'
import { emptyObject, location, type Scope } from './expressions/operator.js'
import { orderStages } from './pipeline-order.js'
import { Chain } from './stages/chain.js'
import { bucketStage } from './stages/groups/bucket.js'
import { bucketAutoStage } from './stages/groups/bucket-auto.js'
import { groupStages } from './stages/groups/group.js'
import { facetStage } from './stages/joins/facet.js'
import { graphLookupStage } from './stages/joins/graph-lookup.js'
import { lookupStage } from './stages/joins/lookup.js'
import { unionStage } from './stages/joins/union.js'
import { limitStages } from './stages/limit.js'
import { projectStages } from './stages/project.js'
import { redactStage } from './stages/redact.js'
import { refusedStages } from './stages/refused.js'
import { sortStages } from './stages/sort.js'
import { sourceStages } from './stages/source.js'
import type {
  PipelineRules,
  PureStagePlan,
  StageCompiler,
  StagePlan,
  StageRow,
  Transform,
} from './stages/stage.js'
import { unwindStage } from './stages/unwind.js'
import { densifyStage } from './stages/windows/densify.js'
import { fillStage } from './stages/windows/fill.js'
import { windowStage } from './stages/windows/set-window-fields.js'
import { seriesOfOut, writeStages } from './stages/write.js'

export type { StagePlan, Transform }

const stages: ReadonlyMap<string, StageRow> = new Map(
  [
    ...limitStages,
    ...projectStages,
    ...groupStages,
    ...sortStages,
    bucketStage,
    bucketAutoStage,
    redactStage,
    windowStage,
    fillStage,
    densifyStage,
    unwindStage,
    lookupStage,
    graphLookupStage,
    unionStage,
    facetStage,
    ...sourceStages,
    ...writeStages,
    ...refusedStages,
  ].map((row) => [row.name, row]),
)

/** Every stage, for the reference. */
export const stageNames: readonly string[] = [...stages.keys()]

/**
 * The plans of the stages; one stage may need several. Throws 14 (not an array of objects), 40323
 * (not one field), 40324 (unknown), 40602 (must be first) and the errors of the stages.
 */
export function compilePipeline(
  pipeline: Value,
  context: QueryContext,
  rules: PipelineRules = {},
): StagePlan[] {
  return compileAt(pipeline, context, rules, 0)
}

function compileAt(
  pipeline: Value,
  context: QueryContext,
  rules: PipelineRules,
  depth: number,
): StagePlan[] {
  if (pipeline.type !== bsonType.array) {
    throw fail('TypeMismatch', "'pipeline' option must be specified as an array")
  }
  if (depth > subPipelineDepthMax) {
    throw fail(
      'MaxSubPipelineDepthExceeded',
      `Maximum number of nested sub-pipelines exceeded. Limit is ${subPipelineDepthMax}`,
    )
  }
  const specs = elementsOf(pipeline)
  if (specs.length > pipelineStagesMax) {
    throw location(7749501, `Pipeline length must be no longer than ${pipelineStagesMax} stages.`)
  }
  const scope = scopeOf(context)
  const plans: StagePlan[] = []
  for (const [i, stage] of specs.entries()) {
    const { name, spec } = stageOf(stage)
    const row = stages.get(name)
    if (row === undefined) throw location(40324, `Unrecognized pipeline stage name: '${name}'`)
    if (rules.allows?.(name) === false) {
      throw rules.refuse?.(name) ?? location(40324, `'${name}' is not allowed in this context`)
    }
    if (row.place === 'first' && i > 0) {
      throw location(40602, `${name} is only valid as the first stage in a pipeline.`)
    }
    if (row.place === 'last' && i < specs.length - 1) {
      throw location(40601, `${name} can only be the final stage in the pipeline`)
    }
    if (row.place === 'last' && depth > 0) {
      throw location(51047, `${name} is not allowed to be used within a sub-pipeline`)
    }
    plans.push(...row.compile(spec, compilerOf(name, spec, context, scope, depth)))
  }
  return (rules.order ?? orderStages)(plans)
}

/** Throws errors that do not depend on the caller: 14, 40323 and 40324. */
export function requireKnownStages(pipeline: Value): void {
  for (const stage of elementsOf(pipeline)) {
    const { name } = stageOf(stage)
    if (!stages.has(name)) throw location(40324, `Unrecognized pipeline stage name: '${name}'`)
  }
}

function compilerOf(
  name: string,
  spec: Value,
  context: QueryContext,
  scope: Scope,
  depth: number,
): StageCompiler {
  const describe = () =>
    ({ kind: 'inputs', stage: stageData(name, spec), context: contextData(context) }) as const
  const inputs = new Inputs(describe)
  return {
    context,
    scope,
    inputs,
    input: (expression) => inputs.add(scope.compile(expression)),
    depth,
    environment: () => envOf(emptyObject, context),
    scopeOf,
    compile: (nested, inner, within = {}) => compileAt(nested, inner, within, depth + 1),
  }
}

/** The inputs of a stage, as compilePipeline makes them. */
export function inputsOf(stage: Value, context: QueryContext): Inputs {
  const { name, spec } = stageOf(stage)
  const compiler = compilerOf(name, spec, context, scopeOf(context), 0)
  stages.get(name)?.compile(spec, compiler)
  return compiler.inputs
}

function stageOf(stage: Value): { name: string; spec: Value } {
  if (stage.type !== bsonType.object) {
    throw fail('TypeMismatch', "Each element of the 'pipeline' array must be an object")
  }
  const elements = new Elements(stage.bytes, stage.start)
  const hasOne = elements.next()
  const name = hasOne ? elements.name() : ''
  const spec = hasOne ? elements.value() : stage
  if (!hasOne || elements.next()) {
    throw location(40323, 'A pipeline stage specification object must contain exactly one field.')
  }
  return { name, spec }
}

/** Whether a plan is only a transform, without reading or writing collections. */
export function isPure(plan: StagePlan): plan is PureStagePlan {
  return 'create' in plan
}

/** Runs pure stages over documents in memory, for pipeline updates and tests. */
export function runPipeline(
  plans: readonly StagePlan[],
  documents: Iterable<Document>,
): Document[] {
  const results: Document[] = []
  const transforms = plans.map((plan) => {
    if (!isPure(plan)) throw new Error(`${plan.name} cannot run without the engine`)
    return plan.create()
  })
  const chain = new Chain(transforms, (document) => results.push(document))
  for (const document of documents) {
    if (chain.satisfied) break
    chain.push(document)
    while (chain.step());
  }
  chain.end()
  while (chain.step());
  return results
}

interface PipelineCollection {
  /** The database, if the stage names another one. */
  readonly db?: string
  readonly name: string
  readonly privilege: 'read' | 'write'
  /** Set for a new time series, whose options restrict its documents. */
  readonly isRuled?: boolean
  /** Whether the written data depends on stored fields other than `_id`. */
  readonly readsTarget?: boolean
}

/**
 * The collections that a pipeline names, also in nested pipelines; the caller adds its own. Invalid
 * names are skipped here, because compilePipeline refuses them.
 */
export function pipelineCollections(pipeline: Value): PipelineCollection[] {
  const found: PipelineCollection[] = []
  collect(pipeline, found, 0)
  return found
}

function collect(pipeline: Value, found: PipelineCollection[], depth: number): void {
  if (pipeline.type !== bsonType.array || depth > subPipelineDepthMax) return
  for (const stage of elementsOf(pipeline)) {
    if (stage.type !== bsonType.object) continue
    for (const [name, spec] of fieldsOf(stage)) collectStage(name, spec, found, depth)
  }
}

function collectStage(name: string, spec: Value, found: PipelineCollection[], depth: number): void {
  // The last of repeated fields counts, as in compiling the stage.
  const given = (field: string) =>
    spec.type === bsonType.object ? lastFieldIn(spec, field) : undefined
  switch (name) {
    case '$lookup':
    case '$graphLookup':
      addName(given('from'), 'read', found)
      break
    case '$unionWith':
      addName(spec.type === bsonType.object ? given('coll') : spec, 'read', found)
      break
    case '$out':
      addName(spec, 'write', found, { isRuled: seriesOfOut(spec) !== undefined })
      break
    case '$merge':
      addName(spec.type === bsonType.object ? given('into') : spec, 'write', found, {
        readsTarget: comparesTarget(given('whenMatched'), given('on')),
      })
      break
    case '$facet':
      // Every nested pipeline runs, also those with equal names.
      for (const [, nested] of spec.type === bsonType.object ? fieldsOf(spec) : []) {
        collect(nested, found, depth + 1)
      }
      return
    default:
      return
  }
  const nested = given('pipeline')
  if (nested !== undefined) collect(nested, found, depth + 1)
}

/** For $merge: whether it uses fields other than `_id`, or a pipeline over the stored document. */
function comparesTarget(whenMatched: Value | undefined, on: Value | undefined): boolean {
  if (whenMatched?.type === bsonType.array) return true
  const names = on?.type === bsonType.array ? elementsOf(on) : on === undefined ? [] : [on]
  return names.some((name) => name.type !== bsonType.string || stringOf(name) !== '_id')
}

function addName(
  value: Value | undefined,
  privilege: 'read' | 'write',
  found: PipelineCollection[],
  { isRuled = false, readsTarget = false }: Partial<PipelineCollection> = {},
): void {
  const kind = {
    privilege,
    ...(isRuled ? { isRuled } : {}),
    ...(readsTarget ? { readsTarget } : {}),
  }
  if (value?.type === bsonType.string) found.push({ name: stringOf(value), ...kind })
  if (value?.type !== bsonType.object) return
  const fields = new Map(fieldsOf(value))
  const db = fields.get('db')
  const coll = fields.get('coll')
  if (coll?.type !== bsonType.string) return
  const name = stringOf(coll)
  const named = { name, ...kind }
  found.push(db?.type === bsonType.string ? { db: stringOf(db), ...named } : named)
}
