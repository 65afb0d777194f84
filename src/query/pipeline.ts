// Compiles aggregation pipelines. Each stage is a row of one table, and its position is checked
// here. Pure stages become transforms; stages that read collections become plans for the engine.

import { fail } from '../base/errors.js'
import { pipelineStagesMax, subPipelineDepthMax } from '../base/limits/documents.js'
import { Elements, elementsOf, fieldsOf } from '../value/elements.js'
import { bsonType, type Document, type Value } from '../value/value.js'
import type { QueryContext } from './context.js'
import { contextData, Inputs, stageData } from './detached.js'
import { envOf, scopeOf } from './expression.js'
import { emptyObject, location, type Scope } from './expressions/operator.js'
import { orderStages } from './pipeline-order.js'
import { Chain } from './stages/chain.js'
import type {
  PipelineRules,
  PureStagePlan,
  StageCompiler,
  StagePlan,
  StageRow,
  Transform,
} from './stages/stage.js'
import type { PipelineCollection } from './stages/stage-facts.js'
import { stages } from './stages/table.js'

export type { StagePlan, Transform }

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
    const row = rowOf(name)
    if (rules.only !== undefined && !row.within.includes(rules.only.kind)) {
      throw rules.only.refuse(name)
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
  for (const stage of elementsOf(pipeline)) rowOf(stageOf(stage).name)
}

function rowOf(name: string): StageRow {
  const row = stages.get(name)
  if (row === undefined) throw location(40324, `Unrecognized pipeline stage name: '${name}'`)
  return row
}

/** Whether a pipeline, not compiled, ends with a stage that writes. */
export function isWriting(pipeline: Value): boolean {
  if (pipeline.type !== bsonType.array) return false
  const name = nameOf(elementsOf(pipeline).at(-1))
  return name !== undefined && stages.get(name)?.place === 'last'
}

/** The name of a stage that is not compiled. */
export function nameOf(stage: Value | undefined): string | undefined {
  if (stage?.type !== bsonType.object) return undefined
  const elements = new Elements(stage.bytes, stage.start)
  return elements.next() ? elements.name() : undefined
}

/** The row of a plan's stage; undefined for a plan without a stage. */
export function stageRow(plan: StagePlan | undefined): StageRow | undefined {
  return plan === undefined ? undefined : stages.get(plan.name)
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
    for (const [name, spec] of fieldsOf(stage)) {
      const reach = stages.get(name)?.reach(spec)
      if (reach === undefined) continue
      found.push(...reach.collections)
      for (const nested of reach.pipelines) collect(nested, found, depth + 1)
    }
  }
}
