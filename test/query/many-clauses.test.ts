// Filters and pipelines of many clauses: what compiling and planning look at grows with their
// number, or ends at a bound. Counted by the reads of nodes, so that no clock decides.

import t from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { implicationStepsMax, implies } from '../../src/engine/plan/implication.js'
import { planConditionsMax, planQuery } from '../../src/engine/plan/planner.js'
import { compileFilter, type FilterNode, filterOf } from '../../src/query/filter.js'
import { compilePipeline, runPipeline, type StagePlan } from '../../src/query/pipeline.js'
import { orderStages, pipelineMovesMax } from '../../src/query/pipeline-order.js'
import { openMemoryStore } from '../../src/store/memory.js'
import { documentFrom, valueFrom } from '../../src/value/literal.js'
import { toObject } from '../support/literal.js'
import { context, ReadingRoom } from '../support/reading.js'

type Plain = Readonly<Record<string, unknown>>

interface Reads {
  count: number
}

/** A tree that counts how often it is asked what its nodes are. */
function counted<T extends object>(node: T, reads: Reads): T {
  return new Proxy(node, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (name === 'op') reads.count++
      if (name === 'child') return counted(value as FilterNode, reads)
      if (name !== 'children') return value
      return (value as FilterNode[]).map((child) => counted(child, reads))
    },
  })
}

function stagesOf(pipeline: readonly Plain[], reads: Reads): StagePlan[] {
  const plans = compilePipeline(valueFrom(pipeline), context, { order: (plans) => [...plans] })
  return plans.map((plan) => {
    if (plan.kind !== 'match') return plan
    return { ...plan, filter: filterOf(counted(plan.filter.tree, reads), plan.filter) }
  })
}

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))

const either = (i: number): Plain => ({ $or: [{ a: i }, { b: i }] })

function readsOf(pipeline: readonly Plain[]): number {
  const reads = { count: 0 }
  const stages = stagesOf(pipeline, reads)
  orderStages(stages)
  return reads.count
}

t.test('putting $match stages together is linear in their number', async (t) => {
  for (const between of [[], [{ $sort: { x: 1 } }], [{ $set: { x: 1 } }]]) {
    const pipeline = (count: number) =>
      times(count, (i) => [...between, { $match: either(i) }]).flat()
    // Each passes every stage before it, which is what the bound is for.
    const growth = between.length === 0 ? 4.5 : 17
    const [few, many] = [readsOf(pipeline(100)), readsOf(pipeline(400))]
    t.ok(many <= few * growth, `${few} and ${many} after ${JSON.stringify(between)}`)
  }
})

t.test('conditions that would move too often stay, and mean the same', async (t) => {
  const sets = times(400, (i) => ({ $set: { [`x${i}`]: 1 } }))
  const clauses = times(2_000, (i) => ({ [`y${i}`]: { $exists: false } }))
  const reads = { count: 0 }
  const stages = stagesOf([...sets, { $match: { $and: [...clauses, { a: 1 }] } }], reads)
  const ordered = orderStages(stages)
  t.ok(reads.count <= 3 * pipelineMovesMax, `${reads.count} reads`)
  t.ok(ordered.length <= 402, 'what has moved and what has not')
  const documents = [{ a: 1 }, { a: 2 }, { a: 1, y7: 1 }].map(documentFrom)
  const found = runPipeline(
    ordered.filter((plan) => 'create' in plan),
    documents,
  )
  t.same(
    found.map((document) => toObject(document).a),
    [1],
  )
})

t.test('planning many $or looks at a bounded number of branches', async (t) => {
  const room = new ReadingRoom(openMemoryStore(systemClock))
  await room.insert({ _id: 1, a: 1, b: 1 })
  await room.index([{ a: 1 }], [{ b: 1 }])
  const ns = await room.get()
  for (const count of [2, 1_000, 4_000]) {
    const reads = { count: 0 }
    const filter = compileFilter(documentFrom({ $and: times(count, either) }), context)
    const plan = planQuery(ns, { filter: filterOf(counted(filter.tree, reads), filter) })
    const held = plan.rejected.reduce((sum, { residual }) => sum + residual.length, 0)
    t.ok(held <= planConditionsMax + 4 * count, `${held} conditions are left in other plans`)
    t.ok(reads.count <= 100 * count, `${reads.count} reads of ${count} conditions`)
    t.equal(plan.residual.length, count - (plan.accesses.length > 1 ? 1 : 0))
  }
})

t.test('several $or beside a partial filter do not multiply', async (t) => {
  const reads = { count: 0 }
  const { tree } = compileFilter(documentFrom({ $and: times(30, either) }), context)
  const conjuncts = tree.op === 'and' ? tree.children : [tree]
  const wanted = compileFilter(documentFrom({ c: { $gt: 1 } }), context).tree
  t.notOk(
    implies(
      conjuncts.map((node) => counted(node, reads)),
      wanted,
    ),
  )
  t.ok(reads.count <= 10 * implicationStepsMax, `${reads.count} reads`)
})
