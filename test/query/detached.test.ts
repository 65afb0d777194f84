// A heavy document gets the same answer from a thread as from the function itself: every operator
// of the expression language over hostile values, and every kind of function that can be detached.

import t from 'tap'
import { GatewayError } from '../../src/base/errors.js'
import { isTooMuchWork, work } from '../../src/base/work/work-budget.js'
import type { QueryContext } from '../../src/query/context.js'
import { type DetachedJob, jobOf } from '../../src/query/detached.js'
import { beginDetached } from '../../src/query/detached-threads.js'
import { expressionNames } from '../../src/query/expression.js'
import { compileFilter } from '../../src/query/filter.js'
import { compilePipeline, isPure, runPipeline, type StagePlan } from '../../src/query/pipeline.js'
import { compileProjection } from '../../src/query/projection.js'
import { Chain } from '../../src/query/stages/chain.js'
import { parseCollation } from '../../src/value/collation/collation.js'
import { documentFrom, valueFrom } from '../../src/value/literal.js'
import type { Document } from '../../src/value/value.js'
import { hostileKinds } from '../stall/cases.js'
import { namedOperands } from '../stall/expression-operands.js'
import { hostileValue } from '../stall/hostile-values.js'
import { type Literal, show, testContext } from '../support/query.js'
import { isLong, seed } from '../support/seed.js'
import { seededRandom } from '../support/seeded-random.js'

/** What a function answers, or refuses, as something to compare. */
function told(act: () => unknown): unknown {
  try {
    const answer = act()
    return answer instanceof Uint8Array ? show(answer) : answer
  } catch (error) {
    if (!(error instanceof GatewayError) || isTooMuchWork(error)) throw error
    return [error.code, error.message]
  }
}

/** `act` where nothing, or little, may be spent: what needs more work is refused. */
function refusing<T>(act: () => T, units = 0): T {
  work.begin(units, 0)
  try {
    return act()
  } finally {
    work.end()
  }
}

/** As `told`; what is refused here is done in a thread. */
async function toldByThread(act: () => unknown): Promise<unknown> {
  let jobs = 0
  try {
    return told(() => refusing(act))
  } catch (error) {
    const job = jobOf(error)
    if (job === undefined) throw error
    jobs++
    try {
      await beginDetached(job, `test ${jobs}`).done
    } catch (failure) {
      return told(() => {
        throw failure
      })
    }
    return told(act)
  }
}

type Run = (document: Document) => unknown

interface Stage {
  readonly here: Run
  readonly there: (document: Document) => Promise<unknown>
}

function stageOver(stage: Literal, context: QueryContext = testContext): Stage {
  const plans = compilePipeline(valueFrom([stage]), context, { order: (all) => [...all] })
  return {
    here: (document) => told(() => runPipeline(plans, [document]).map(show)),
    there: (document) => inChain(plans, document),
  }
}

/** One document through a chain whose every push and step is refused first. */
async function inChain(plans: readonly StagePlan[], document: Document): Promise<unknown> {
  const results: Document[] = []
  const transforms = plans.filter(isPure).map((plan) => plan.create())
  const chain = new Chain(transforms, (result) => results.push(result), true)
  try {
    refusing(() => chain.push(document))
    for (let hasEnded = false; ; ) {
      const { refusal } = chain
      if (refusal !== undefined) {
        const job = jobOf(refusal)
        if (job === undefined) throw refusal
        await beginDetached(job, 'test').done
        chain.retry()
        chain.step()
      } else if (!refusing(() => chain.step(), 20) && chain.refusal === undefined) {
        if (hasEnded) return results.map(show)
        chain.end()
        hasEnded = true
      }
    }
  } catch (error) {
    return told(() => {
      throw error
    })
  }
}

/** Operands for operators with places. */
const placed = ['$v', ['$v', '$v'], ['$v', '$w'], ['$v', 5], [5, '$v'], ['$v', '$n', 'x']]

/** Undefined where the operator does not take the operand. */
function compiledOf(name: string, operand: unknown): Stage | undefined {
  try {
    return stageOver({ $project: { r: { [name]: operand } } })
  } catch (error) {
    if (error instanceof GatewayError) return undefined
    throw error
  }
}

t.test('every operator answers in a thread what it answers here', async (t) => {
  const next = seededRandom(seed)
  t.comment(`seed ${seed}`)
  const documents = hostileKinds.map((kind) =>
    documentFrom({
      _id: kind,
      v: hostileValue({ kind, size: 2_400 }),
      w: hostileValue({ kind, size: 2_300 }),
      n: hostileValue({ kind, size: 600 }),
    }),
  )
  let detached = 0
  for (const name of expressionNames()) {
    for (const operand of namedOperands[name] ?? placed) {
      for (const document of documents) {
        // $rand answers something else each time.
        if (name === '$rand' || (!isLong && next() * 8 >= 1)) continue
        const stage = compiledOf(name, operand)
        if (stage === undefined) continue
        const here = stage.here(document)
        const there = await stage.there(document)
        detached++
        if (JSON.stringify(here) !== JSON.stringify(there)) {
          t.same(
            there,
            here,
            `${name} ${JSON.stringify(operand)} of ${show(document).slice(0, 60)}`,
          )
        }
      }
    }
  }
  t.ok(detached > 100, `${detached} were compared`)
})

const list = documentFrom({
  _id: 1,
  a: Array.from({ length: 50 }, (_, i) => ({ k: i, t: `T${i % 7}` })),
  t: 'Straße',
  n: 7,
})

const sum = { $reduce: { input: '$a', initialValue: 0, in: { $add: ['$$value', '$$this.k'] } } }

const windows: readonly Literal[] = [
  { $sum: sum, window: { documents: [-1, 0] } },
  { $shift: { output: sum, by: 0 } },
  { $locf: sum },
  { $expMovingAvg: { input: sum, N: 2 } },
  { $linearFill: sum },
  { $covariancePop: [sum, '$n'] },
  { $integral: { input: sum } },
  { $derivative: { input: sum }, window: { documents: [-1, 0] } },
]

/** Some 33 MB of an array, made of little. */
function wide16(): Literal {
  const doubled = { $concatArrays: ['$$value', '$$value'] }
  const few = { $slice: ['$a', 16] }
  return { $reduce: { input: few, initialValue: ['x'.repeat(500)], in: doubled } }
}

/** The job of a stage over the list, refused here. */
function refusedJob(stage: Literal): DetachedJob {
  const plans = compilePipeline(valueFrom([stage]), testContext)
  const [transform] = plans.filter(isPure).map((plan) => plan.create())
  try {
    refusing(() => transform?.push(list, () => undefined))
  } catch (error) {
    const job = jobOf(error)
    if (job !== undefined) return job
  }
  throw new Error('it was not refused')
}

t.test('stages, filters and projections are made anew with all that they depend on', async (t) => {
  const collation = parseCollation(documentFrom({ locale: 'de', strength: 1 }))
  const context: QueryContext = {
    ...testContext,
    variables: new Map([
      ['limit', valueFrom(40)],
      ['word', valueFrom('strasse')],
    ]),
    collation,
  }
  const stages: readonly Literal[] = [
    { $project: { s: sum, 'a.k': 1, now: '$$NOW', l: '$$limit' } },
    { $set: { s: sum, e: { $eq: ['$t', '$$word'] } } },
    { $replaceWith: { s: sum, was: '$$ROOT.n' } },
    { $replaceWith: sum },
    { $redact: { $cond: [{ $gt: ['$k', '$$limit'] }, '$$PRUNE', '$$DESCEND'] } },
    { $redact: { $cond: [{ $gt: [sum, 9] }, '$$PRUNE', '$$KEEP'] } },
    { $match: { $expr: { $gt: [sum, '$$limit'] } } },
    { $match: { $expr: { $lt: [sum, '$$limit'] } } },
    { $group: { _id: sum, n: { $sum: sum }, most: { $max: sum }, at: { $first: '$n' } } },
    { $bucket: { groupBy: sum, boundaries: [0, 5_000], output: { n: { $sum: sum } } } },
    { $bucketAuto: { groupBy: sum, buckets: 2, output: { n: { $sum: sum } } } },
    { $sortByCount: sum },
    { $fill: { output: { missing: { value: sum } } } },
    ...windows.map((w) => ({ $setWindowFields: { sortBy: { n: 1 }, output: { w } } })),
    { $setWindowFields: { partitionBy: sum, output: { w: { $sum: '$n' } } } },
  ]
  for (const stage of stages) {
    const { here, there } = stageOver(stage, context)
    t.same(await there(list), here(list), JSON.stringify(stage))
  }
  const filter = (spec: Literal) => compileFilter(documentFrom(spec), context)
  const heavy = { a: { $elemMatch: { k: { $gt: 40 }, t: { $in: ['t1', /^T6/] } } } }
  const rules = { properties: { a: { maxItems: 50 } } }
  for (const spec of [heavy, { t: 'strasse' }, { n: 8 }, { $jsonSchema: rules }]) {
    const one = filter(spec)
    const matches = () => one.matches(list)
    t.equal(await toldByThread(matches), told(matches), JSON.stringify(spec))
    const position = () => one.matchedIndex(list)
    t.equal(await toldByThread(position), told(position), `position by ${JSON.stringify(spec)}`)
  }
  const given: readonly Literal[] = [
    { 'a.$': 1 },
    { s: sum, a: { $slice: 2 } },
    { a: { $elemMatch: { k: { $gt: 45 } } } },
  ]
  for (const spec of given) {
    const projection = compileProjection(documentFrom(spec), filter(heavy), context)
    const apply = () => projection.apply(list)
    t.same(await toldByThread(apply), told(apply), JSON.stringify(spec))
  }
})

t.test('a document has its bounds: a job that is ended, and an owner that has many', async (t) => {
  const many = { $range: [0, { $add: [500_000, '$n'] }] }
  const nested = { $size: { $filter: { input: many, cond: { $size: many } } } }
  const job = refusedJob({ $project: { r: nested } })
  const begun = beginDetached(job, 'one')
  const others = [1, 2, 3].map(() => beginDetached(refusedJob({ $project: { r: nested } }), 'one'))
  const quick = { $project: { s: sum } }
  await beginDetached(refusedJob(quick), 'another').done
  t.pass('another owner is served while one has a thread')
  for (const each of [begun, ...others]) {
    each.end()
    await t.rejects(each.done, { code: 11601 })
  }
  await beginDetached(refusedJob(quick), 'one').done
  t.pass('its next document finds a thread')
})

t.test('a thread has so much memory for a document', async (t) => {
  const doubled = { $concatArrays: ['$$value', '$$value'] }
  const wide = { $reduce: { input: '$a', initialValue: ['x'.repeat(500)], in: doubled } }
  const vars = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`v${i}`, wide16()]))
  const held = { $let: { vars, in: { $size: '$$v0' } } }
  await t.rejects(beginDetached(refusedJob({ $project: { r: wide } }), 'one').done, {
    code: 10334,
  })
  await t.rejects(beginDetached(refusedJob({ $project: { r: held } }), 'one').done, {
    code: 146,
  })
})
