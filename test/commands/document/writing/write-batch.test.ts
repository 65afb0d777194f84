// Operations that share a write program do what they would do one after the other.

import fc from 'fast-check'
import t from 'tap'
import { eachRoom, type Reply } from '../../../support/command-room.js'
import { runs } from '../../../support/runs.js'

interface Operation {
  readonly q: Readonly<Record<string, unknown>>
  readonly u: Readonly<Record<string, unknown>>
  readonly upsert: boolean
  readonly multi: boolean
}

const id = fc.integer({ min: 0, max: 4 })
const filter = fc.oneof(
  { weight: 6, arbitrary: fc.record({ _id: id }) },
  { weight: 1, arbitrary: fc.record({ _id: id, n: fc.integer({ min: 0, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ n: fc.integer({ min: 0, max: 3 }) }) },
)
const change = fc.oneof(
  fc.constant({ $inc: { n: 1 } }),
  fc.record({ $set: fc.record({ k: fc.integer({ min: 0, max: 3 }) }) }),
  fc.constant({ $inc: { text: 1 } }),
  fc.constant({ $set: { text: 'x' } }),
  fc.constant({ $foo: { a: 1 } }),
)
const operation: fc.Arbitrary<Operation> = fc
  .record({ q: filter, u: change, upsert: fc.boolean(), multi: fc.constant(false) })
  // What an upsert without an _id makes is another document each time.
  .map((made) => ({ ...made, upsert: made.upsert && '_id' in made.q }))

const fresh = [
  { _id: 0, n: 0, text: 'a' },
  { _id: 1, n: 1, k: 1 },
  { _id: 2, n: 2 },
]

type Failure = readonly [index: number, code: number]

function failuresOf(reply: Reply): Failure[] {
  return (reply.writeErrors ?? []).map(({ index, code }: Reply) => [index, code])
}

await eachRoom(
  t,
  'a list of updates equals its operations one by one',
  async (t, room) => {
    const unique = { createIndexes: 'c', indexes: [{ key: { k: 1 }, name: 'k_1', unique: true }] }
    const reset = async () => {
      await room.run({ drop: 'c' })
      await room.insert('c', { ...fresh[0], k: 0 }, fresh[1] ?? {}, { ...fresh[2], k: 2 })
      await room.run(unique)
    }
    const property = fc.asyncProperty(
      fc.array(operation, { minLength: 2, maxLength: 12 }),
      fc.boolean(),
      async (updates, ordered) => {
        await reset()
        const together = await room.run({ update: 'c', updates, ordered })
        const after = await room.all('c')
        await reset()
        const sum = { n: 0, nModified: 0 }
        const failures: Failure[] = []
        for (const [index, update] of updates.entries()) {
          const reply = await room.run({ update: 'c', updates: [update] })
          sum.n += reply.n
          sum.nModified += reply.nModified
          failures.push(...failuresOf(reply).map(([, code]): Failure => [index, code]))
          if (ordered && failures.length > 0) break
        }
        t.same(after, await room.all('c'))
        t.same({ n: together.n, nModified: together.nModified }, sum)
        t.same(failuresOf(together), failures)
        return t.passing()
      },
    )
    await fc.assert(property, { numRuns: runs(30) })
  },
  { kinds: ['memory', 'late'] },
)

await eachRoom(t, 'operations on one document add up', async (t, room) => {
  await room.insert('c', { _id: 1, n: 0 })
  const updates = Array.from({ length: 250 }, () => ({ q: { _id: 1 }, u: { $inc: { n: 1 } } }))
  t.match(await room.run({ update: 'c', updates }), { n: 250, nModified: 250 })
  t.same(await room.all('c'), [{ _id: 1, n: 250 }])
})

await eachRoom(t, 'an upsert is seen by the next operation', async (t, room) => {
  const updates = [
    { q: { _id: 1 }, u: { $inc: { n: 1 } }, upsert: true },
    { q: { _id: 1 }, u: { $inc: { n: 1 } }, upsert: true },
    { q: { _id: 2 }, u: { $inc: { n: 1 } } },
  ]
  t.match(await room.run({ update: 'c', updates }), {
    n: 2,
    nModified: 1,
    upserted: [{ index: 0, _id: 1 }],
  })
  t.same(await room.all('c'), [{ _id: 1, n: 2 }])
})

await eachRoom(t, 'a delete is seen by the next one', async (t, room) => {
  await room.insert('c', { _id: 1 }, { _id: 2 })
  const deletes = [1, 1, 2, 3].map((_id) => ({ q: { _id }, limit: 1 }))
  t.same(await room.run({ delete: 'c', deletes }), { n: 2, ok: 1 })
  t.same(await room.all('c'), [])
})

await eachRoom(
  t,
  'documents larger than a program together are changed all the same',
  async (t, room) => {
    const text = 'x'.repeat(200_000)
    const ids = Array.from({ length: 60 }, (_, _id) => _id)
    await room.insert('c', ...ids.map((_id) => ({ _id, text })))
    const updates = ids.map((_id) => ({ q: { _id }, u: { $set: { done: true } } }))
    t.match(await room.run({ update: 'c', updates }), { n: 60, nModified: 60 })
    t.equal((await room.run({ count: 'c', query: { done: true } })).n, 60)
    const large = ids.slice(0, 5).map((_id) => ({ q: { _id }, u: { $set: { more: text } } }))
    t.match(await room.run({ update: 'c', updates: large }), { n: 5, nModified: 5 })
    t.equal((await room.all('c', { _id: 3 }))[0]?.more.length, 200_000)
  },
  { kinds: ['memory', 'lmdb'] },
)
