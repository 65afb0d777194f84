// insert over every store: what goes in, in which order it fails, and what stays.

import { Binary, Long, ObjectId, Timestamp } from 'bson'
import t from 'tap'
import { fail } from '../../../../src/base/errors.js'
import { insertedAtOnceMax, sweepDocumentsMax } from '../../../../src/base/limits/engine.js'
import { eachRoom } from '../../../support/command-room.js'

await eachRoom(t, 'documents come back as they were put, _id first', async (t, room) => {
  const reply = await room.run({
    insert: 'c',
    documents: [{ a: 1, _id: 5, b: Long.fromNumber(2) }],
  })
  t.same(reply, { n: 1, ok: 1 })
  const [document] = await room.all('c')
  t.same(Object.entries(document ?? {}), [
    ['_id', 5],
    ['a', 1],
    ['b', 2],
  ])
})

await eachRoom(t, 'a missing _id is made, another for each document', async (t, room) => {
  await room.insert('c', { a: 1 }, { a: 2 })
  const ids = (await room.all('c')).map(({ _id }) => String(_id))
  t.equal(new Set(ids).size, 2)
  t.ok(ids.every((id) => ObjectId.isValid(id)))
})

await eachRoom(t, 'a sequence of the message stands for the array', async (t, room) => {
  const documents = [{ _id: 1 }, { _id: 2 }]
  t.same(await room.runWith({ insert: 'c' }, { documents }), { n: 2, ok: 1 })
  t.equal((await room.all('c')).length, 2)
})

await eachRoom(
  t,
  'an ordered insert stops at a duplicate and keeps what came before',
  async (t, room) => {
    await room.insert('c', { _id: 3 })
    const documents = [1, 2, 3, 4].map((_id) => ({ _id }))
    const reply = await room.run({ insert: 'c', documents })
    t.same(reply, {
      n: 2,
      writeErrors: [
        {
          index: 2,
          code: 11000,
          keyPattern: { _id: 1 },
          keyValue: { _id: 3 },
          errmsg: 'E11000 duplicate key error collection: test.c index: _id_ dup key: { _id: 3 }',
        },
      ],
      ok: 1,
    })
    t.same(
      (await room.all('c')).map(({ _id }) => _id),
      [1, 2, 3],
    )
  },
)

await eachRoom(t, 'an unordered insert tries every document', async (t, room) => {
  const documents = [{ _id: 1 }, { _id: 1 }, { _id: [1] }, { _id: 2 }, { _id: 1 }, { _id: 3 }]
  const reply = await room.run({ insert: 'c', documents, ordered: false })
  t.equal(reply.n, 3)
  t.same(
    reply.writeErrors.map(({ index, code }: { index: number; code: number }) => [index, code]),
    [
      [1, 11000],
      [2, 53],
      [4, 11000],
    ],
  )
})

await eachRoom(
  t,
  'a bad shape stops an ordered insert behind the documents before it',
  async (t, room) => {
    const documents = [{ _id: 1 }, { _id: { $x: 1 } }, { _id: 2 }]
    const reply = await room.run({ insert: 'c', documents })
    t.equal(reply.n, 1)
    t.same([reply.writeErrors[0].index, reply.writeErrors[0].code], [1, 52])
  },
)

await eachRoom(t, 'a unique index refuses by its own name', async (t, room) => {
  await room.run({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1', unique: true }] })
  const reply = await room.run({
    insert: 'c',
    documents: [
      { _id: 1, a: 7 },
      { _id: 2, a: 7 },
    ],
  })
  t.equal(reply.n, 1)
  t.same(reply.writeErrors[0].keyValue, { a: 7 })
  t.match(reply.writeErrors[0].errmsg, /index: a_1 dup key: \{ a: 7 \}/)
})

await eachRoom(
  t,
  'more documents than one program holds are inserted in groups',
  async (t, room) => {
    const documents = Array.from({ length: 350 }, (_, _id) => ({ _id, text: 'x'.repeat(100) }))
    t.equal((await room.run({ insert: 'c', documents })).n, 350)
    t.equal((await room.run({ count: 'c' })).n, 350)
    const again = await room.run({ insert: 'c', documents: documents.slice(100), ordered: false })
    t.equal(again.n, 0)
    t.equal(again.writeErrors.length, 250)
  },
)

await eachRoom(
  t,
  'a group with more index entries than one program holds is split',
  async (t, room) => {
    await room.run({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] })
    const a = Array.from({ length: 300 }, (_, i) => i)
    const documents = Array.from({ length: 40 }, (_, _id) => ({ _id, a }))
    t.equal((await room.run({ insert: 'c', documents })).n, 40)
    t.equal((await room.run({ count: 'c', query: { a: 17 } })).n, 40)
  },
  { kinds: ['memory', 'lmdb'] },
)

await eachRoom(t, 'large documents are stored whole', async (t, room) => {
  const blob = new Binary(new Uint8Array(700_000).fill(9))
  await room.insert('c', { _id: 1 }, { _id: 2, blob }, { _id: 3 }, { _id: 4, blob })
  const found = await room.all('c')
  t.same(
    found.map(({ _id }) => _id),
    [1, 2, 3, 4],
  )
  t.equal(found[3]?.blob.length(), 700_000)
})

await eachRoom(
  t,
  'a document above the limit is refused alone',
  async (t, room) => {
    const blob = new Binary(new Uint8Array(16 * 1024 * 1024))
    const reply = await room.run({
      insert: 'c',
      documents: [{ _id: 1, blob }, { _id: 2 }],
      ordered: false,
    })
    t.equal(reply.n, 1)
    t.equal(reply.writeErrors[0].code, 10334)
    t.match(reply.writeErrors[0].errmsg, /^object to insert too large/)
  },
  { kinds: ['memory'] },
)

await eachRoom(t, 'an empty timestamp at the top is the server time', async (t, room) => {
  const empty = new Timestamp({ t: 0, i: 0 })
  await room.insert('c', { _id: 1, at: empty, inner: { at: empty } })
  const [document] = await room.all('c')
  t.ok(document?.at.getHighBits() > 1_600_000_000)
  t.equal(document?.inner.at.getHighBits(), 0)
})

await eachRoom(t, 'a batch has 1 to 100,000 documents', async (t, room) => {
  t.same(await room.fails({ insert: 'c', documents: [] }), [
    16,
    'Write batch sizes must be between 1 and 100000. Got 0 operations.',
  ])
})

await eachRoom(t, 'reserved names cannot be written', async (t, room) => {
  for (const [db, name] of [
    ['admin', 'c'],
    ['config', 'c'],
    ['local', 'c'],
    ['test', 'system.users'],
    ['test', '_audit'],
    ['test', 'a$b'],
    ['test', ''],
  ] as const) {
    t.equal((await room.fails({ insert: name, documents: [{ a: 1 }] }, db))[0], 73, `${db}.${name}`)
  }
  t.equal((await room.fails({ insert: 'c', documents: [{}] }, 'a b'))[0], 73)
})

await eachRoom(t, 'databases that differ in case alone cannot be', async (t, room) => {
  await room.insert('c', { _id: 1 })
  t.equal((await room.fails({ insert: 'c', documents: [{}] }, 'Test'))[0], 13297)
})

await eachRoom(
  t,
  'the first insert makes the collection with the default mode',
  async (t, room) => {
    await room.insert('c', { _id: 1 })
    const { collections } = await room.run({ collectionSummaries: 1 })
    t.match(collections, [
      { name: 'c', documentCount: 1, indexCount: 1, ownerAddress: null, mode: 'private' },
    ])
  },
)

await eachRoom(
  t,
  'a disk that fills on the way is told with what went in before it',
  async (t, room) => {
    await room.insert('c', { _id: 'first' })
    const write = room.store.write.bind(room.store)
    let groups = 0
    room.store.write = (program) =>
      groups++ === 0 ? write(program) : Promise.reject(fail('OutOfDiskSpace', 'the disk is full'))
    const documents = Array.from({ length: 2_500 }, (_, n) => ({ _id: n }))
    const ordered = await room.run({ insert: 'c', documents })
    // One program's: more where a program costs round trips.
    const before = Number(ordered.n)
    t.ok(before === sweepDocumentsMax || before === insertedAtOnceMax, `${before} documents`)
    const writeErrors = [{ index: before, code: 14031, errmsg: 'the disk is full' }]
    t.same(ordered, { n: before, writeErrors, ok: 1 })
    const unordered = await room.run({ insert: 'c', documents: [{ _id: -1 }], ordered: false })
    t.match(unordered, { n: 0, writeErrors: [{ index: 0, code: 14031 }] })
    room.store.write = write
    t.equal((await room.all('c')).length, before + 1)
  },
)
