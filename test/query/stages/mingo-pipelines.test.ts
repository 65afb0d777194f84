// Pipelines against mingo: an engine of others, on documents and stages drawn from a seed. Where
// the results of a pipeline differ, its stages are run one by one, each on what Sigil made before
// it.

import { Decimal128 } from 'bson'
import { aggregate } from 'mingo'
import * as theirStages from 'mingo/operators/pipeline'
import t from 'tap'
import { compilePipeline, runPipeline } from '../../../src/query/pipeline.js'
import { documentFrom, valueFrom } from '../../../src/value/literal.js'
import { toObject } from '../../support/literal.js'
import {
  agree,
  copyDocument,
  copyOf,
  isError,
  Judge,
  type Outcome,
  outcomeOf,
  textOf,
} from '../../support/mingo/decisions.js'
import { compareExpression } from '../../support/mingo/expression-compare.js'
import { expressionDecisions } from '../../support/mingo/expression-decisions.js'
import { operatorOf } from '../../support/mingo/expressions.js'
import { isObject } from '../../support/mingo/filter-model.js'
import { stageDecisions } from '../../support/mingo/stage-decisions.js'
import { pipelineOf, stages } from '../../support/mingo/stages.js'
import { Draw, type Plain, typedDocumentOf } from '../../support/mingo/values.js'
import { testContext } from '../../support/query.js'
import { runs } from '../../support/runs.js'
import { seed } from '../../support/seed.js'

const expressionJudge = new Judge(expressionDecisions)

/** These give their documents in an order of their own: compared as sets. */
const unordered = ['$group', '$sortByCount', '$setWindowFields']

function sigil(pipeline: readonly Plain[], documents: readonly Plain[]): Outcome {
  return outcomeOf(() => {
    const plans = compilePipeline(valueFrom(pipeline), testContext)
    return runPipeline(plans, documents.map(documentFrom)).map(toObject)
  })
}

function mingo(pipeline: readonly Plain[], documents: readonly Plain[]): Outcome {
  return outcomeOf(() => aggregate(documents.map(copyDocument), copyOf([...pipeline])))
}

/** Whether an expression of the stage gives something else in mingo: judged as an expression. */
function differsInExpression(spec: unknown, documents: readonly Plain[], seed: number): boolean {
  const expressions = expressionsIn(spec)
  return documents.some((document) =>
    expressions.some((each) => compareExpression(expressionJudge, each, document, seed)),
  )
}

function expressionsIn(spec: unknown): unknown[] {
  const isPath = typeof spec === 'string' && spec.startsWith('$')
  if (isPath || operatorOf(spec) !== undefined) return [spec]
  return isObject(spec) ? Object.values(spec).flatMap(expressionsIn) : []
}

/** Judges each stage that differs; how many do. */
function compare(judge: Judge, pipeline: readonly Plain[], given: readonly Plain[], seed: number) {
  let documents = given
  let differing = 0
  for (const stage of pipeline) {
    const name = Object.keys(stage)[0] ?? ''
    const ours = runStage(name, stage, documents)
    const theirs = inOrder(name, mingo([stage], documents))
    if (!agree(ours, theirs)) {
      differing++
      const found = {
        name,
        operands: [stage[name]],
        document: documents,
        sigil: ours,
        mingo: theirs,
      }
      const takesExpressions = ['$project', '$set', '$addFields', '$replaceRoot'].includes(name)
      if (!takesExpressions || !differsInExpression(stage[name], documents, seed)) {
        judge.judge(found, seed)
      }
    }
    if (isError(ours)) break
    documents = withoutDecimals(ours.value) as Plain[]
  }
  return differing
}

/** Decimals as doubles: mingo does not compute with those that a stage made. */
function withoutDecimals(value: unknown): unknown {
  if (value instanceof Decimal128) return Number(value.toString())
  if (Array.isArray(value)) return value.map(withoutDecimals)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, withoutDecimals(each)]),
  )
}

/** $facet is the engine's own: each of its pipelines is run by itself here. */
function runStage(name: string, stage: Plain, documents: readonly Plain[]): Outcome {
  if (name !== '$facet') return inOrder(name, sigil([stage], documents))
  const facets = Object.entries(stage.$facet as Record<string, Plain[]>).map(([field, inner]) => {
    const outcome = sigil(inner, documents)
    return isError(outcome) ? outcome : ([field, outcome.value] as const)
  })
  const failed = facets.find((each) => 'code' in each)
  if (failed !== undefined && 'code' in failed) return failed
  return { value: [Object.fromEntries(facets as [string, unknown][])] }
}

function inOrder(name: string, outcome: Outcome): Outcome {
  if (!unordered.includes(name) || isError(outcome)) return outcome
  const documents = [...(outcome.value as Plain[])]
  return { value: documents.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1)) }
}

function idOf(document: Plain): string {
  return textOf([document._id, document])
}

t.test('pipelines give what mingo gives, or the difference is decided', async (t) => {
  const judge = new Judge(stageDecisions)
  const count = runs(800)
  let ran = 0
  let differing = 0
  const seen = new Set<string>()
  for (let i = 0; i < count; i++) {
    const draw = new Draw(seed + i)
    const documents = Array.from({ length: draw.whole(1, 8) }, (_, id) => typedDocumentOf(draw, id))
    const pipeline = pipelineOf(draw)
    ran += pipeline.length
    for (const stage of pipeline) for (const name of Object.keys(stage)) seen.add(name)
    differing += compare(judge, pipeline, documents, seed + i)
  }
  t.comment(`SIGIL_SEED=${seed}: ${ran - differing} of ${ran} stages agree`)
  judge.tell(t, seed)
  t.same(expressionJudge.undecided.slice(0, 10), [], 'expressions in them are decided')
  t.ok(differing < 0.3 * ran, 'most agree')
  t.same([...seen].sort(), Object.keys(stages).sort(), 'every stage was tried')
})

/** Of mingo's stages, those that are not drawn here, and where they are shown. */
const shownElsewhere: Readonly<Record<string, string>> = {
  $documents: 'test/commands/document/reading/mingo-joins.test.ts',
  $graphLookup: 'test/commands/document/reading/mingo-joins.test.ts',
  $lookup: 'test/commands/document/reading/mingo-joins.test.ts',
  $unionWith: 'test/commands/document/reading/mingo-joins.test.ts',
  $merge: 'test/commands/document/writing/write-stages.test.ts',
  $out: 'test/commands/document/writing/write-stages.test.ts',
  $sample: 'test/query/stages/stages.test.ts: other documents each time',
}

t.test('every stage that mingo has is drawn, or shown elsewhere', async (t) => {
  const known = new Set([...Object.keys(stages), ...Object.keys(shownElsewhere)])
  t.same(
    Object.keys(theirStages).filter((name) => name.startsWith('$') && !known.has(name)),
    [],
  )
})
