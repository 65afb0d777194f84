// Which of several indexes a look at the data chooses, that results never depend on it, and for how
// long a choice is kept.

import fc from 'fast-check'
import t from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { PlanChoices, planChoiceUses } from '../../../src/engine/plan/plan-cache.js'
import { choosePlan } from '../../../src/engine/plan/plan-choice.js'
import { planQuery } from '../../../src/engine/plan/planner.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import { compiled, type PlainQuery, ReadingRoom } from '../../support/reading.js'
import { runs } from '../../support/runs.js'
import { eachStore } from '../../support/stores.js'

type Plain = Readonly<Record<string, unknown>>

/** The index that serves a query after a look at the data. */
async function chosen(
  room: ReadingRoom,
  query: PlainQuery,
  choices?: PlanChoices,
): Promise<string> {
  const ns = await room.get()
  const given = compiled(query)
  const plan = await room.store.read((tx) =>
    choosePlan(tx, ns, given, planQuery(ns, given), choices),
  )
  const names = plan.accesses.map((one) => (one.kind === 'entries' ? one.index.name : one.kind))
  return names.join(' | ')
}

/** `half` has two values, `tenth` ten, `own` one for each document; `at` runs downwards. */
async function fill(room: ReadingRoom, count: number): Promise<void> {
  for (let first = 0; first < count; first += 100) {
    const documents = Array.from({ length: Math.min(100, count - first) }, (_, i) => {
      const _id = first + i
      return { _id, half: _id % 2, tenth: _id % 10, own: _id, at: count - _id }
    })
    await room.insert(...documents)
  }
}

await eachStore(t, 'the index that ends first or finds most wins', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.index([{ half: 1 }], [{ tenth: 1 }], [{ own: 1 }], [{ at: 1 }])
  await fill(room, 1_000)
  const cases: readonly (readonly [PlainQuery, string])[] = [
    [{ filter: { half: 1, own: { $lt: 10 } } }, 'own_1'],
    [{ filter: { half: 1, own: { $gte: 10 } } }, 'half_1'],
    [{ filter: { half: 1, tenth: 3 } }, 'tenth_1'],
    [{ filter: { half: 1, tenth: { $gte: 9 } } }, 'tenth_1'],
    [{ filter: { half: 1 } }, 'half_1'],
    [{ filter: { half: 1 }, sort: { at: 1 } }, 'half_1'],
    [{ filter: { half: 1 }, sort: { at: 1 }, limit: 5 }, 'at_1'],
    [{ filter: { own: { $lt: 20 } }, sort: { at: 1 }, limit: 5 }, 'own_1'],
    [{ filter: { half: 1, own: { $lt: 10 } }, hint: 'half_1' }, 'half_1'],
  ]
  for (const [query, wanted] of cases) {
    t.equal(await chosen(room, query), wanted, JSON.stringify(query))
    const natural = { filter: query.filter ?? {}, hint: { $natural: 1 } }
    t.equal(await room.count(query), Math.min(await room.count(natural), query.limit ?? 1_000))
  }
  const { documents, counters } = await room.ask({ filter: { half: 1, own: { $lt: 10 } } })
  t.equal(documents.length, 5)
  t.equal(counters.docsExamined, 10, 'the trials are not counted')
  const top = await room.ask({ filter: { half: 1 }, sort: { at: 1 }, limit: 5 }, 2)
  t.same(
    top.documents.map(({ _id }) => _id),
    [999, 997, 995, 993, 991],
  )
})

await eachStore(t, 'a look at more bytes than one read takes ends', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.index([{ half: 1 }])
  const pad = 'x'.repeat(150_000)
  for (let _id = 0; _id < 40; _id++) await room.insert({ _id, half: 0, pad })
  const query = { filter: { half: 0, _id: { $gte: 0 } } }
  t.equal(await chosen(room, query), 'half_1')
})

await t.test('a choice serves its shape, until the collection or time has moved on', async (t) => {
  const room = new ReadingRoom(openMemoryStore(systemClock))
  await room.create()
  await room.index([{ half: 1 }], [{ own: 1 }])
  await fill(room, 200)
  const choices = new PlanChoices()
  t.equal(await chosen(room, { filter: { half: 1, own: { $lt: 3 } } }, choices), 'own_1')
  const other: PlainQuery = { filter: { half: 1, own: { $lt: 900 } } }
  for (let use = 0; use < planChoiceUses; use++) {
    if ((await chosen(room, other, choices)) !== 'own_1') t.fail('the same shape, chosen anew')
  }
  t.equal(await chosen(room, other, choices), 'half_1', 'looked at again')
  t.equal(await chosen(room, { filter: { half: 1, own: { $gt: 195 } } }, choices), 'own_1')
  await room.index([{ third: 1 }])
  t.equal(await chosen(room, other, choices), 'half_1', 'another version of the collection')
})

const small = fc.integer({ min: 0, max: 3 })
const value = fc.oneof(small, fc.array(small, { maxLength: 2 }))
const body = fc.record({ a: value, b: small, c: small }, { requiredKeys: [] })
const condition = fc.oneof(
  small,
  fc.record({ $gte: small }),
  fc.record({ $in: fc.array(small, { maxLength: 2 }) }),
)
const filter = fc.record({ a: condition, b: condition, c: condition }, { requiredKeys: [] })
const sort = fc.constantFrom<Plain>({ a: 1, _id: 1 }, { b: -1, _id: -1 }, { c: 1, _id: 1 })

await t.test('a choice never changes a result', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(body, { maxLength: 150 }),
      fc.array(fc.tuple(filter, sort, fc.nat(9)), { minLength: 4, maxLength: 8 }),
      async (bodies, queries) => {
        const room = new ReadingRoom(openMemoryStore(systemClock))
        await room.create()
        await room.index([{ a: 1 }], [{ b: 1 }], [{ c: -1 }], [{ b: 1, c: 1 }])
        for (let i = 0; i < bodies.length; i += 50) {
          await room.insert(...bodies.slice(i, i + 50).map((one, at) => ({ _id: i + at, ...one })))
        }
        for (const [filter, sort, limit] of queries) {
          const natural = { filter, sort, hint: { $natural: 1 }, limit }
          const ids = await room.ids({ filter, sort, limit }, 3)
          if (JSON.stringify(ids) === JSON.stringify(await room.ids(natural))) continue
          throw new Error(`differs: ${JSON.stringify({ filter, sort, limit })}`)
        }
      },
    ),
    { numRuns: runs(60) },
  )
  t.pass('every result is the scan’s')
})
