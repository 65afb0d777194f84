// Hashed indexes by command: what a specification may say, which queries they serve, and that they
// find what a scan finds, whatever kind of value is asked for.

import fc from 'fast-check'
import t from 'tap'
import { type CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'
import { runs } from '../../../support/runs.js'

type Plain = Readonly<Record<string, unknown>>

const create = (key: Plain, options: Plain = {}): Plain => ({
  createIndexes: 'c',
  indexes: [{ key, name: 'h', ...options }],
})

async function scan(room: CommandRoom, find: Plain): Promise<Reply> {
  const explain = { ...{ find: 'c' }, ...find }
  const reply = await room.run({ explain, verbosity: 'queryPlanner' })
  let plan: Reply = reply.queryPlanner.winningPlan
  while (plan.inputStage !== undefined) plan = plan.inputStage
  return plan
}

await eachRoom(t, 'a specification is checked as the peer checks it', async (t, room) => {
  const refused: readonly (readonly [Plain, Plain, number])[] = [
    [{ a: 'hashed', b: 'hashed' }, {}, 31303],
    [{ a: 'hashed' }, { unique: true }, 16764],
    [{ a: 'hashed' }, { expireAfterSeconds: 5 }, 67],
    [{ a: 'hashed', 'b.$**': 1 }, {}, 67],
  ]
  for (const [key, options, code] of refused) {
    const [found, text] = await room.fails(create(key, options))
    t.equal(found, code, `${JSON.stringify(key)}: ${text}`)
  }
  await room.run(create({ a: 'hashed' }))
  t.same((await room.drain({ listIndexes: 'c' })).slice(1), [
    { v: 2, key: { a: 'hashed' }, name: 'h' },
  ])
  const seconds = { collMod: 'c', index: { name: 'h', expireAfterSeconds: 5 } }
  t.equal((await room.fails(seconds))[0], 72)
  await room.run({ dropIndexes: 'c', index: { a: 'hashed' } })
})

await eachRoom(t, 'an array on the path of a hashed field is refused', async (t, room) => {
  await room.run(create({ 'a.b': 'hashed', c: 1 }))
  for (const a of [[{ b: 1 }], { b: [1] }, { b: [] }]) {
    const { writeErrors } = await room.run({ insert: 'c', documents: [{ a }] })
    t.match(writeErrors, [{ code: 16766, errmsg: /Found array at path: a\.b$/ }])
  }
  await room.insert('c', { _id: 1, a: { b: 1 }, c: [1, 2] })
  const updates = [{ q: { _id: 1 }, u: { $set: { 'a.b': [1] } } }]
  t.match((await room.run({ update: 'c', updates })).writeErrors, [{ code: 16766 }])
  await room.run({ dropIndexes: 'c', index: 'h' })
  await room.insert('c', { _id: 2, a: { b: [1] } })
  t.equal((await room.fails(create({ 'a.b': 'hashed' })))[0], 16766)
})

await eachRoom(t, 'it serves equality, and neither ranges nor sorts', async (t, room) => {
  await room.insert('c', ...[1, 2, 3].map((a) => ({ _id: a, a, b: -a })), { _id: 4 })
  await room.run(create({ a: 'hashed' }))
  t.match(await scan(room, { filter: { a: 2 } }), {
    stage: 'IXSCAN',
    keyPattern: { a: 'hashed' },
    isMultiKey: false,
    indexBounds: { a: [/^\[.+, .+\]$/] },
  })
  for (const filter of [{ a: { $in: [1, 3] } }, { a: null }, { a: { b: 1 } }]) {
    t.equal((await scan(room, { filter })).indexName, 'h', JSON.stringify(filter))
  }
  for (const query of [
    { filter: { a: { $gt: 1 } } },
    { sort: { a: 1 } },
    { filter: { a: /^x/ } },
  ]) {
    t.equal((await scan(room, query)).stage, 'COLLSCAN', JSON.stringify(query))
  }
  t.equal((await scan(room, { filter: { a: 1 }, projection: { _id: 0, a: 1 } })).stage, 'IXSCAN')
  t.same(await room.drain({ find: 'c', filter: { a: 2 }, hint: { a: 'hashed' } }), [
    { _id: 2, a: 2, b: -2 },
  ])
  t.equal((await room.run({ count: 'c', query: { a: null } })).n, 1)
  t.same((await room.run({ distinct: 'c', key: 'a' })).values, [1, 2, 3])
  t.equal((await room.fails({ find: 'c', hint: { a: 1 } }))[0], 2)
  t.match(await room.run({ validate: 'c' }), { valid: true })
})

await eachRoom(t, 'a collection that is written anew keeps them', async (t, room) => {
  await room.insert('rows', ...[3, 1, 2].map((a) => ({ _id: a, a, w: { a } })))
  await room.run(create({ a: 'hashed' }))
  await room.run({ createIndexes: 'c', indexes: [{ key: { 'w.$**': 1 }, name: 'w' }] })
  await room.insert('c', { _id: 9, a: 9, w: [{ a: 1 }] })
  await room.run({ aggregate: 'rows', pipeline: [{ $out: 'c' }], cursor: {} })
  t.equal((await scan(room, { filter: { a: 2 } })).indexName, 'h')
  t.equal((await scan(room, { filter: { 'w.a': 2 } })).indexName, 'w')
  const sorted = { find: 'c', hint: 'h', sort: { a: 1 }, projection: { _id: 0, a: 1 } }
  t.same(await room.drain(sorted), [{ a: 1 }, { a: 2 }, { a: 3 }])
  t.same((await room.run({ distinct: 'c', key: 'a' })).values.sort(), [1, 2, 3])
  t.match(await room.run({ validate: 'c' }), { valid: true })
})

await eachRoom(t, 'a sparse one is no answer for what has no field', async (t, room) => {
  await room.insert('c', { _id: 1, a: 1 }, { _id: 2 }, { _id: 3, a: null })
  await room.run(create({ a: 'hashed' }, { sparse: true }))
  t.same((await room.drain({ find: 'c', filter: { a: null } })).length, 2)
  t.equal((await scan(room, { filter: { a: 1 } })).indexName, 'h')
})

const value = fc.oneof(
  fc.integer({ min: -1, max: 2 }),
  fc.constantFrom<unknown>(null, 1.5, 'x', 'X', true, { b: 1 }, {}, new Date(7)),
)
const body = fc.record({ a: value, b: fc.integer({ min: 0, max: 2 }) }, { requiredKeys: [] })
const condition: fc.Arbitrary<unknown> = fc.oneof(
  value,
  fc.record({ $in: fc.array(value, { maxLength: 4 }) }),
  fc.record({ $gte: value }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $ne: value }),
)
const filter = fc.record(
  { a: condition, b: fc.oneof(fc.nat(2), fc.record({ $gt: fc.nat(2) })) },
  { requiredKeys: [] },
)
const keys: readonly (readonly [Plain, Plain])[] = [
  [{ a: 'hashed' }, {}],
  [{ a: 'hashed' }, { sparse: true }],
  [{ b: 1, a: 'hashed' }, {}],
  [{ a: 'hashed', b: -1 }, { partialFilterExpression: { b: { $gte: 1 } } }],
  [{ a: 'hashed' }, { collation: { locale: 'en', strength: 2 } }],
]

await eachRoom(t, 'queries find the same with a hashed index', async (t, room) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(body, { minLength: 1, maxLength: 12 }),
      fc.constantFrom(...keys),
      fc.array(fc.tuple(filter, fc.boolean(), fc.boolean()), { minLength: 1, maxLength: 6 }),
      async (bodies, [key, options], queries) => {
        for (const drop of ['c', 'plain']) await room.run({ drop })
        await room.run(create(key, options))
        const documents = bodies.map((one, _id) => ({ _id, ...one }))
        for (const collection of ['c', 'plain']) await room.insert(collection, ...documents)
        for (const [one, isSorted, isFolded] of queries) {
          const order = isSorted ? { sort: { a: 1, b: 1, _id: 1 } } : { sort: { _id: 1 } }
          const by = isFolded ? { collation: { locale: 'en', strength: 2 } } : {}
          const ask = async (find: string) => room.drain({ find, filter: one, ...order, ...by })
          const [found, wanted] = [await ask('c'), await ask('plain')]
          if (JSON.stringify(found) !== JSON.stringify(wanted)) {
            throw new Error(`${JSON.stringify(one)} finds ${JSON.stringify(found)}`)
          }
        }
      },
    ),
    { numRuns: runs(300) },
  )
  t.match(await room.run({ validate: 'c' }), { valid: true })
})
