// The sorter against a stable sort in memory, with bounds that make it spill at any moment, records
// larger than what is read at a time, and limits; a file in memory stands for the disk.

import fc from 'fast-check'
import t from 'tap'
import { work } from '../../../src/base/work/work-budget.js'
import { accumulators } from '../../../src/query/accumulators.js'
import { compilePipeline, runPipeline } from '../../../src/query/pipeline.js'
import { Sorter } from '../../../src/query/stages/sorter.js'
import { documentFrom, valueFrom } from '../../../src/value/literal.js'
import { toObject } from '../../support/literal.js'
import { context } from '../../support/reading.js'
import { runs } from '../../support/runs.js'
import { spilling } from '../../support/spilling.js'

const key = fc.uint8Array({ maxLength: 8 })
const entries = fc.array(fc.tuple(key, fc.oneof(fc.nat(50), fc.constantFrom(6_000, 70_000))), {
  maxLength: 60,
})

t.test('what is sorted on disk is what is sorted in memory, stable and cut', async (t) => {
  let spills = 0
  fc.assert(
    fc.property(
      entries,
      fc.integer({ min: 200, max: 200_000 }),
      fc.nat(70),
      (given, max, limit) => {
        const { workspace, files } = spilling(max)
        const isCut = limit > 0 && limit <= 60
        const sorter = new Sorter({ name: '$sort', workspace, ...(isCut ? { limit } : {}) })
        for (const [i, [bytes, length]] of given.entries()) {
          sorter.push(documentFrom({ i, text: 'x'.repeat(length) }), bytes)
          while (sorter.pending) sorter.work()
        }
        for (const _step of sorter.settle()) if (!sorter.pending) break
        const found = [...sorter.drain()].map((document) => toObject(document).i)
        const order = [...given.keys()].sort((a, b) => {
          return Buffer.compare(given[a]?.[0] ?? Buffer.of(), given[b]?.[0] ?? Buffer.of()) || a - b
        })
        t.same(found, isCut ? order.slice(0, limit) : order)
        t.same([sorter.bytesHeld, sorter.bytesReading], [0, 0])
        for (const file of files) t.notOk(file.isOpen)
        spills += sorter.figures.spills
      },
    ),
    { numRuns: runs(150) },
  )
  t.ok(spills > 100, `${spills} spills`)
})

t.test('the pieces of runs on disk count while they are merged', async (t) => {
  const { workspace } = spilling(100_000)
  const sorter = new Sorter({ name: '$sort', workspace })
  for (let i = 0; i < 10; i++) {
    sorter.push(documentFrom({ text: 'x'.repeat(150_000) }), Uint8Array.of(i))
    while (sorter.pending) sorter.work()
  }
  for (const _step of sorter.settle()) if (!sorter.pending) break
  t.equal(sorter.bytesReading, 0)
  const [first] = sorter.drain()
  t.ok(first)
  const again = new Sorter({ name: '$sort', workspace })
  for (let i = 0; i < 10; i++) {
    again.push(documentFrom({ text: 'x'.repeat(150_000) }), Uint8Array.of(i))
    while (again.pending) again.work()
  }
  for (const _ of again.drain()) {
    t.ok(again.bytesReading > 1_350_000, `${again.bytesReading} bytes of ten documents`)
    break
  }
})

const operands: Readonly<Record<string, unknown>> = {
  $count: {},
  $firstN: { n: 2, input: '$v' },
  $lastN: { n: 2, input: '$v' },
  $minN: { n: 3, input: '$v' },
  $maxN: { n: 3, input: '$v' },
  $top: { sortBy: { k: 1 }, output: '$v' },
  $topN: { n: 3, sortBy: { k: 1 }, output: '$v' },
  $bottom: { sortBy: { k: 1 }, output: '$v' },
  $bottomN: { n: 3, sortBy: { k: 1 }, output: '$v' },
  $percentile: { input: '$v', p: [0.1, 0.5], method: 'approximate' },
  $median: { input: '$v', method: 'approximate' },
  $mergeObjects: '$o',
}
/** Parts of deviations differ from the whole in the last bits; $accumulator is refused. */
const leftOut: ReadonlySet<string> = new Set(['$stdDevPop', '$stdDevSamp', '$accumulator'])

const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
)
const member = fc.record(
  {
    g: fc.nat(6),
    k: fc.nat(3),
    v: fc.oneof(number, fc.constantFrom<unknown>(null, 'a', [1], { x: 1 })),
    o: fc.dictionary(fc.constantFrom('a', 'b'), fc.nat(9)),
  },
  { requiredKeys: ['g'] },
)

t.test('a group that was spilled is the group that was not', async (t) => {
  const names = [...accumulators.keys()].filter((name) => !leftOut.has(name))
  for (const name of names) {
    const group = { $group: { _id: '$g', x: { [name]: operands[name] ?? '$v' } } }
    const plans = compilePipeline(valueFrom([group]), context)
    fc.assert(
      fc.property(
        fc.array(member, { maxLength: 40 }),
        fc.integer({ min: 1, max: 900 }),
        (given, max) => {
          const documents = given.map(documentFrom)
          const { workspace } = spilling(max)
          const inSpills = plans.map((plan) => ({
            ...plan,
            ...('create' in plan ? { create: () => plan.create(workspace) } : {}),
          }))
          const byId = (a: Record<string, unknown>, b: Record<string, unknown>) =>
            Number(a._id) - Number(b._id)
          const found = runPipeline(inSpills as typeof plans, documents)
            .map(toObject)
            .sort(byId)
          t.same(found, runPipeline(plans, documents).map(toObject).sort(byId), name)
        },
      ),
      { numRuns: runs(30) },
    )
  }
})

t.test('states of a group count as memory, though they keep no value', async (t) => {
  const [states, groups] = [200, 100]
  const sums = Object.fromEntries(Array.from({ length: states }, (_, i) => [`f${i}`, { $sum: 1 }]))
  const [plan] = compilePipeline(valueFrom([{ $group: { _id: '$i', ...sums } }]), context)
  if (plan?.kind !== 'transform') throw new Error('no transform')
  const group = plan.create()
  for (let i = 0; i < groups; i++) group.push(documentFrom({ i }), () => undefined)
  t.ok(group.bytesHeld > groups * states * 100, `${group.bytesHeld} bytes`)
})

t.test('each state that is saved and merged counts', async (t) => {
  const [states, groups] = [200, 100]
  const sums = Object.fromEntries(Array.from({ length: states }, (_, i) => [`f${i}`, { $sum: 1 }]))
  const [plan] = compilePipeline(valueFrom([{ $group: { _id: '$i', ...sums } }]), context)
  if (plan?.kind !== 'transform') throw new Error('no transform')
  const inSpills = { ...plan, create: () => plan.create(spilling(500_000).workspace) }
  const documents = Array.from({ length: groups }, (_, i) => documentFrom({ i }))
  const unitsFor = (of: typeof plan): number => {
    const before = work.spent
    runPipeline([of], documents)
    return work.spent - before
  }
  const beside = unitsFor(inSpills) - unitsFor(plan)
  t.ok(beside > groups * states * 18, `${beside} units`)
})

t.test('sorted documents do not keep their long keys in memory', async (t) => {
  const sorter = new Sorter({ name: '$sort', workspace: spilling(64_000_000).workspace })
  const text = 'x'.repeat(20_000)
  const count = 100
  for (let i = 0; i < count; i++) {
    const document = documentFrom({ _id: i, text })
    sorter.push(document, document.subarray(4))
  }
  const documents = [...sorter.drain()]
  const bytes = documents.reduce((sum, { length }) => sum + length, 0)
  let held = 0
  for (const { byteLength } of new Set(documents.map(({ buffer }) => buffer))) held += byteLength
  t.ok(held < bytes * 1.3, `${held} bytes for ${bytes}`)
})
