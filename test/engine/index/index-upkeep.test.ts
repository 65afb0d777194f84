// A collection with indexes of every kind and one without any, changed alike: they hold the same
// documents after each command, and every entry is where it belongs.

import fc from 'fast-check'
import t from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { checkStore } from '../../../src/engine/check/check.js'
import { deleteMany, updateMany } from '../../../src/engine/modify/modify.js'
import type { UpdateSpec } from '../../../src/engine/modify/modify-spec.js'
import { compileUpdate } from '../../../src/query/update.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import { runSweep } from '../../../src/store/sweep.js'
import { valueFrom } from '../../../src/value/literal.js'
import { createOptions } from '../../support/engine-room.js'
import { compiled, context, ReadingRoom } from '../../support/reading.js'
import { runs } from '../../support/runs.js'
import { openStore } from '../../support/stores.js'

type Plain = Readonly<Record<string, unknown>>

const small = fc.integer({ min: 0, max: 4 })
const value = fc.oneof(
  { weight: 4, arbitrary: small },
  fc.constantFrom<unknown>(null, 'x', []),
  fc.array(small, { maxLength: 3 }),
)
const body = fc.record({ a: value, b: small, on: fc.boolean() }, { requiredKeys: [] })
const filter: fc.Arbitrary<Plain> = fc.oneof(
  fc.constant({}),
  fc.record({ a: small }),
  fc.record({ a: fc.record({ $gte: small }), on: fc.constant(true) }),
  fc.record({ b: fc.record({ $in: fc.array(small, { maxLength: 2 }) }) }),
  fc.record({ a: fc.constant(null) }),
  fc.record({ b: fc.record({ $exists: fc.boolean() }) }),
  fc.record({ $or: fc.tuple(fc.record({ a: small }), fc.record({ b: small })) }),
)
const update: fc.Arbitrary<Plain> = fc.oneof(
  fc.record({ $set: fc.record({ on: fc.boolean() }) }),
  fc.record({ $set: fc.record({ a: value }) }),
  fc.record({ $inc: fc.record({ b: fc.constantFrom(1, -1) }) }),
  fc.constantFrom({ $unset: { a: 1 } }, { $unset: { on: 1, b: 1 } }),
)
const change = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(filter, update) },
  fc.tuple(filter, fc.constant(undefined)),
)

/** A command that fails leaves off where it fails, which depends on the order: then -1. */
async function apply(room: ReadingRoom, query: Plain, update: Plain | undefined): Promise<number> {
  const target = { db: room.db, name: room.name, creation: createOptions }
  const selection = compiled({ filter: query })
  if (update === undefined) return runSweep(room.store, deleteMany(target, selection))
  const spec: UpdateSpec = {
    ...selection,
    update: compileUpdate(valueFrom(update), { context }),
    upsert: false,
    context,
  }
  return (await runSweep(room.store, updateMany(target, spec))).modified
}

const options: readonly (readonly [key: Plain, options?: Plain])[] = [
  [{ a: 1 }],
  [{ b: -1 }, { sparse: true }],
  [{ a: 1, b: 1 }, { sparse: true }],
  [{ b: 1 }, { partialFilterExpression: { on: true } }],
  [{ a: -1 }, { partialFilterExpression: { a: { $gte: 2 } } }],
  [{ on: 1 }, { hidden: true }],
  [{ a: 1, on: 1 }, { partialFilterExpression: { $or: [{ b: { $lt: 2 } }, { on: true }] } }],
]

for (const kind of ['memory', 'lmdb', 'late'] as const) {
  await t.test(`commands do the same with indexes of every kind (${kind})`, async (t) => {
    const store = await openStore(t, kind)
    let number = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(body, { minLength: 1, maxLength: 15 }),
        fc.array(change, { minLength: 1, maxLength: 5 }),
        async (bodies, changes) => {
          const indexed = new ReadingRoom(store, 'main', `c${number++}`)
          const plain = new ReadingRoom(openMemoryStore(systemClock))
          const documents = bodies.map((one, _id) => ({ _id, ...one }))
          await indexed.insert(...documents)
          await plain.insert(...documents)
          await indexed.index(...options)
          for (const [query, update] of changes) {
            const [one, other] = [
              await apply(indexed, query, update),
              await apply(plain, query, update),
            ]
            const all = { sort: { _id: 1 }, hint: { $natural: 1 } }
            const same =
              JSON.stringify(await indexed.ids(all)) === JSON.stringify(await plain.ids(all))
            const [mine, theirs] = [await indexed.ask(all), await plain.ask(all)]
            const equal = JSON.stringify(mine.documents) === JSON.stringify(theirs.documents)
            if (one !== other || !same || !equal) throw new Error('the collections differ')
          }
        },
      ),
      { numRuns: runs(kind === 'memory' ? 60 : 20) },
    )
    t.same(await checkStore(store), [])
  })
}
