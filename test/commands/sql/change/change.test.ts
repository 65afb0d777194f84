// INSERT, UPDATE, DELETE and TRUNCATE on the bus: what they change, what they refuse, and that each
// is all or nothing.

import t from 'tap'
import type { CommandRoom, Reply } from '../../../support/command-room.js'
import { eachRoom } from '../../../support/command-room.js'
import { identities } from '../../../support/identities.js'
import { openPlace } from '../../../support/rights-room.js'

type Params = readonly unknown[]

function run(room: CommandRoom, text: string, params: Params = []): Promise<Reply> {
  return room.run({ sqlChange: text, params })
}

async function rowsOf(room: CommandRoom, text: string, params: Params = []): Promise<Reply[]> {
  return (await run(room, text, params)).cursor.firstBatch
}

/** SQLSTATE, or the code where the error names none. */
async function refusal(room: CommandRoom, text: string, params: Params = []): Promise<unknown> {
  const { extra, code } = await room.refusal({ sqlChange: text, params })
  return extra.sqlState ?? code
}

await eachRoom(t, 'rows become documents', async (t, room) => {
  const reply = await run(
    room,
    'INSERT INTO c (_id, a, n.x, n.y, big) VALUES ' +
      "(1, 'x', 1.5, NULL, 5000000000), (2, $1, $2, DEFAULT, -1)",
    [{ deep: [1] }, true],
  )
  t.match(reply, { acknowledged: true, insertedCount: 2, insertedIds: [1, 2], ok: 1 })
  t.same(reply.cursor.firstBatch, [])
  const [first, second] = await room.all('c')
  t.same(Object.keys(first ?? {}), ['_id', 'a', 'n', 'big'])
  t.same(first?.n, { x: 1.5, y: null })
  t.same(second?.n, { x: true }, 'DEFAULT is no field')
  t.same(second?.a, { deep: [1] })
  const made = await run(room, 'INSERT INTO c DEFAULT VALUES')
  t.equal(made.insertedCount, 1)
  t.equal(String(made.insertedIds[0]).length, 24)
  const hex = '0123456789abcdef01234567'
  const given = await run(room, 'INSERT INTO c (_id) VALUES ($1)', [hex])
  t.same(given.insertedIds, [hex], 'a string stays a string')
  t.same(await rowsOf(room, 'INSERT INTO c (_id, a) VALUES (9, 1 + 1) RETURNING a, _id AS id'), [
    { a: 2, id: 9 },
  ])
})

await eachRoom(
  t,
  'what is wrong in an INSERT has its SQLSTATE and changes nothing',
  async (t, room) => {
    const cases: readonly [string, string][] = [
      ['INSERT INTO c (a, a) VALUES (1, 2)', '42701'],
      ['INSERT INTO c (a, a.b) VALUES (1, 2)', '42701'],
      ['INSERT INTO c (a.b, a) VALUES (1, 2)', '42701'],
      ['INSERT INTO c (a, b) VALUES (1)', '42601'],
      ['INSERT INTO c (a) VALUES (1, 2)', '42601'],
      ['INSERT INTO c (a, b) VALUES (1, 2), (3)', '42601'],
      ['INSERT INTO c VALUES (1)', '42601'],
      ['INSERT INTO c (a) VALUES (b)', '42703'],
      ['INSERT INTO c (a) VALUES (1 / 0)', '22012'],
      ['INSERT INTO c (_id) VALUES (NULL)', '23502'],
      ['INSERT INTO c ("$a") VALUES (1)', '42602'],
      ['INSERT INTO c (a) VALUES (1) ON CONFLICT (a) DO NOTHING', '42P10'],
      ['INSERT INTO c (_id) VALUES (1) ON CONFLICT (_id) DO UPDATE SET a = a + 1', '42702'],
      ['INSERT INTO information_schema.tables (a) VALUES (1)', '42809'],
      ['INSERT INTO other.c (a) VALUES (1)', '42P01'],
      ['INSERT INTO c (a) VALUES ($1)', '08P01'],
    ]
    for (const [text, state] of cases) t.equal(await refusal(room, text), state, text)
    const { extra } = await room.refusal({ sqlChange: 'INSERT INTO c (a, a) VALUES (1, 2)' })
    t.match(extra, { position: 19, line: 1, column: 19 })
    t.same(await room.all('c'), [])
    await room.insert('c', { _id: 2 })
    t.equal(await refusal(room, 'INSERT INTO c (_id) VALUES (1), (2), (3)'), 11000)
    t.same(await room.all('c'), [{ _id: 2 }], 'all or nothing')
  },
)

await eachRoom(t, 'SET computes from the row as it was', async (t, room) => {
  await room.insert('c', { _id: 1, a: 1, b: 10 }, { _id: 2, a: 2, b: 20, o: { x: 1, l: [1, 2] } })
  const swapped = await run(room, 'UPDATE c SET a = b, b = a WHERE _id = 1')
  t.match(swapped, { acknowledged: true, matchedCount: 1, modifiedCount: 1, upsertedId: null })
  t.same(await room.all('c', { _id: 1 }), [{ _id: 1, a: 10, b: 1 }])
  await run(
    room,
    "UPDATE c SET o.x = o.x + 1, o.l[3] = 'end', o.new.deep = $1, b = DEFAULT WHERE a = 2",
    [{ k: 1 }],
  )
  t.same(await room.all('c', { _id: 2 }), [
    { _id: 2, a: 2, o: { x: 2, l: [1, 2, null, 'end'], new: { deep: { k: 1 } } } },
  ])
  await run(room, 'UPDATE c SET missing = missing + 1')
  t.same(
    (await room.all('c')).map(({ missing }) => missing),
    [null, null],
    'NULL + 1 is NULL',
  )
  const same = await run(room, 'UPDATE c SET a = a')
  t.match(same, { matchedCount: 2, modifiedCount: 0 })
  const returned = await rowsOf(
    room,
    'UPDATE c AS r SET a = a * 2 WHERE r.a > 5 RETURNING *, a AS "twice"',
  )
  t.same(returned, [{ _id: 1, a: 20, b: 1, missing: null, twice: 20 }])
})

await eachRoom(t, 'what is wrong in an UPDATE or DELETE has its SQLSTATE', async (t, room) => {
  await room.insert('c', { _id: 1, a: 1, s: 'text' }, { _id: 2, a: 0, s: 'text' })
  await room.run({
    createIndexes: 'c',
    indexes: [{ key: { u: 1 }, name: 'u_1', unique: true, sparse: true }],
  })
  const cases: readonly [string, unknown][] = [
    ['UPDATE c SET _id = 3', '428C9'],
    ['UPDATE c SET _id.x = 3', '428C9'],
    ['UPDATE c SET a = 1, a = 2', '42601'],
    ['UPDATE c SET a = 1, a.b = 2', '42601'],
    ['UPDATE c SET s.x = 1', '22023'],
    ['UPDATE c SET a = 1 / a', '22012'],
    ['UPDATE c SET u = 7', 11000],
    ['UPDATE c SET a = 1 LIMIT -1', '2201W'],
    ["UPDATE c SET a = 1 LIMIT 'x'", '22P02'],
    ['DELETE FROM c WHERE a::bool LIMIT 1 RETURNING x.y.z, nope(1)', '42883'],
    ['DELETE FROM c LIMIT a', '42P10'],
  ]
  for (const [text, state] of cases) t.equal(await refusal(room, text), state, text)
  t.same(await room.all('c'), [
    { _id: 1, a: 1, s: 'text' },
    { _id: 2, a: 0, s: 'text' },
  ])
})

await eachRoom(t, 'DELETE and TRUNCATE', async (t, room) => {
  await room.insert('c', ...[1, 2, 3, 4, 5].map((n) => ({ _id: n, a: n })))
  t.match(await run(room, 'DELETE FROM c WHERE a >= $1 LIMIT 1', [4]), { deletedCount: 1 })
  t.match(await run(room, 'DELETE FROM c LIMIT 0'), { deletedCount: 0 })
  t.same(await rowsOf(room, 'DELETE FROM c WHERE a = 1 RETURNING a'), [{ a: 1 }])
  t.match(await run(room, 'DELETE FROM c WHERE NULL'), { deletedCount: 0 })
  await room.run({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1', unique: true }] })
  t.match(await run(room, 'TRUNCATE c'), { deletedCount: 3, acknowledged: true })
  t.same(await room.all('c'), [])
  await run(room, 'INSERT INTO c (_id, a) VALUES (1, 1)')
  t.equal(await refusal(room, 'INSERT INTO c (_id, a) VALUES (2, 1)'), 11000, 'indexes stay')
  t.match(await run(room, 'DELETE FROM c'), { deletedCount: 1 })
  t.match(await run(room, 'DELETE FROM missing WHERE a = 1'), { deletedCount: 0 })
  t.match(await run(room, 'UPDATE missing SET a = 1'), { matchedCount: 0 })
  t.match(await run(room, 'TRUNCATE missing'), { deletedCount: 0 })
})

await eachRoom(
  t,
  'ON CONFLICT leaves a row out or changes the one that is there',
  async (t, room) => {
    await room.insert('c', { _id: 1, k: 'a', n: 1 })
    await room.run({ createIndexes: 'c', indexes: [{ key: { k: 1 }, name: 'k_1', unique: true }] })
    const nothing = await run(
      room,
      "INSERT INTO c (_id, k) VALUES (1, 'z'), (2, 'a'), (3, 'b') ON CONFLICT DO NOTHING",
    )
    t.match(nothing, { insertedCount: 1, insertedIds: [3] })
    const other = "INSERT INTO c (_id, k) VALUES (1, 'q') ON CONFLICT (k) DO NOTHING"
    t.equal(await refusal(room, other), 11000, 'another key is still an error')
    const upsert =
      "INSERT INTO c (_id, k, n) VALUES ($1, 'a', 5), ($2, 'new', 7) " +
      'ON CONFLICT (k) DO UPDATE SET n = c.n + EXCLUDED.n WHERE c.n < 100 RETURNING k, n'
    const reply = await run(room, upsert, [10, 11])
    t.match(reply, { insertedCount: 1, insertedIds: [11], matchedCount: 1, modifiedCount: 1 })
    t.same(reply.cursor.firstBatch, [
      { k: 'a', n: 6 },
      { k: 'new', n: 7 },
    ])
    t.same(
      reply.columns.map(({ name }: Reply) => name),
      ['k', 'n'],
    )
    const twice = "INSERT INTO c (k) VALUES ('a'), ('a') ON CONFLICT (k) DO UPDATE SET n = 0"
    t.equal(await refusal(room, twice), '21000')
    const fresh = "INSERT INTO c (k) VALUES ('f'), ('f') ON CONFLICT (k) DO UPDATE SET n = 0"
    t.equal(await refusal(room, fresh), '21000')
    const ids =
      'INSERT INTO c (_id, n) VALUES (1, 0) ON CONFLICT (_id) DO UPDATE SET n = excluded.n'
    t.match(await run(room, ids), { insertedCount: 0, modifiedCount: 1 })
    t.same(await room.all('c', { _id: 1 }), [{ _id: 1, k: 'a', n: 0 }])
  },
)

await eachRoom(
  t,
  'a change that is too large is refused before it has done anything',
  async (t, room) => {
    const many = Array.from({ length: 5_100 }, (_, n) => ({ _id: n, a: 1 }))
    for (let at = 0; at < many.length; at += 1_000) {
      await room.insert('c', ...many.slice(at, at + 1_000))
    }
    for (const text of ['UPDATE c SET a = 2', 'DELETE FROM c']) {
      const error = await room.refusal({ sqlChange: text })
      t.equal(error.codeName, 'TransactionTooLarge')
      t.match(error.extra, { sqlState: '54000', hint: /LIMIT/ })
    }
    t.same((await room.run({ count: 'c', query: { a: 1 } })).n, 5_100)
    t.match(await run(room, 'UPDATE c SET a = 2 LIMIT 2000'), { modifiedCount: 2_000 })
    t.match(await run(room, 'UPDATE c SET a = 3 WHERE _id = 7'), { modifiedCount: 1 })
    const values = many.map(({ _id }) => `(${_id + 10_000})`).join(',')
    const error = await room.refusal({ sqlChange: `INSERT INTO c (_id) VALUES ${values}` })
    t.equal(error.codeName, 'TransactionTooLarge')
    t.equal((await room.run({ count: 'c' })).n, 5_100)
  },
  { kinds: ['memory'] },
)

await eachRoom(t, 'changes of one row at the same time are all made', async (t, room) => {
  await room.insert('c', { _id: 1, n: 0 })
  await Promise.all(
    Array.from({ length: 20 }, () => run(room, 'UPDATE c SET n = n + 1 WHERE _id = 1')),
  )
  t.same(await room.all('c'), [{ _id: 1, n: 20 }])
  const jobs = Array.from({ length: 24 }, (_, n) => n)
  await room.insert('jobs', ...jobs.map((n) => ({ _id: n, state: 'new' })))
  const taken = await Promise.all(
    jobs.map(() =>
      rowsOf(room, "UPDATE jobs SET state = 'taken' WHERE state = 'new' LIMIT 1 RETURNING _id"),
    ),
  )
  const ids: number[] = taken.flat().map(({ _id }) => _id)
  t.same(
    ids.sort((x, y) => x - y),
    jobs,
    'each job once',
  )
})

await eachRoom(
  t,
  'validators, views and capped collections hold SQL as all others',
  async (t, room) => {
    await room.run({ create: 'v', validator: { a: { $gt: 0 } } })
    t.equal(await refusal(room, 'INSERT INTO v (a) VALUES (1), (0)'), 121)
    await run(room, 'INSERT INTO v (_id, a) VALUES (1, 1)')
    t.equal(await refusal(room, 'UPDATE v SET a = a - 1'), 121)
    await room.run({ create: 'seen', viewOn: 'v', pipeline: [] })
    for (const text of [
      'INSERT INTO seen (a) VALUES (1)',
      'UPDATE seen SET a = 1',
      'TRUNCATE seen',
    ]) {
      t.equal(await refusal(room, text), 166, text)
    }
    await room.run({ create: 'ring', capped: true, size: 4096, max: 2 })
    await run(room, 'INSERT INTO ring (_id) VALUES (1), (2), (3)')
    t.same(await room.all('ring'), [{ _id: 2 }, { _id: 3 }])
    await run(room, 'UPDATE ring SET a = 1 WHERE _id = 3')
    const same =
      'INSERT INTO ring (_id, a) VALUES (3, 9) ON CONFLICT (_id) DO UPDATE SET a = excluded.a'
    await run(room, same)
    t.same(await room.all('ring'), [{ _id: 2 }, { _id: 3, a: 9 }])
    await run(room, 'TRUNCATE ring')
    await run(room, 'INSERT INTO ring (_id) VALUES (7)')
    t.same(await room.all('ring'), [{ _id: 7 }])
    const collation = { locale: 'en', strength: 2 }
    await room.run({ create: 'words', collation })
    await room.insert('words', { _id: 'A', w: 'One' }, { _id: 'b', w: 'one' })
    await room.run({ createIndexes: 'words', indexes: [{ key: { w: 1 }, name: 'w_1' }] })
    t.match(await run(room, "UPDATE words SET n = 1 WHERE w = 'one'"), { matchedCount: 1 })
    t.match(await run(room, "DELETE FROM words WHERE _id = 'a'"), { deletedCount: 0 })
    t.equal(await refusal(room, "INSERT INTO words (_id) VALUES ('a')"), 11000)
  },
)

await eachRoom(t, 'large documents go in and out', async (t, room) => {
  const big = 'x'.repeat(400_000)
  await run(room, 'INSERT INTO c (_id, s) VALUES (1, $1), (2, $1)', [big])
  t.match(await run(room, "UPDATE c SET t = s || 'y' WHERE _id = 1"), { modifiedCount: 1 })
  const [first] = await room.all('c', { _id: 1 })
  t.equal(first?.t.length, 400_001)
  t.match(await run(room, 'DELETE FROM c'), { deletedCount: 2 })
})

await eachRoom(t, 'of a time-series collection only the metaField is updated', async (t, room) => {
  await room.run({ create: 's', timeseries: { timeField: 'at', metaField: 'who' } })
  const at = new Date(0)
  await run(room, "INSERT INTO s (_id, at, who, n) VALUES (1, $1, 'a', 1), (2, $1, 'b', 2)", [at])
  t.equal((await room.refusal({ sqlChange: 'INSERT INTO s (n) VALUES (1)' })).code, 2, 'no time')
  t.match(await run(room, "UPDATE s SET who = 'c' WHERE who = 'b'"), { modifiedCount: 1 })
  for (const text of [
    'UPDATE s SET n = 1',
    "UPDATE s SET who = 'x' WHERE n = 1",
    "UPDATE s SET who = 'x' LIMIT 1",
  ]) {
    t.equal(await refusal(room, text), '0A000', text)
  }
  t.match(await run(room, 'DELETE FROM s WHERE n = 1'), { deletedCount: 1 })
  t.same(await room.all('s'), [{ _id: 2, at, who: 'c', n: 2 }])
  t.match(await run(room, 'TRUNCATE s'), { deletedCount: 1 })
  await run(room, 'INSERT INTO s (_id, at) VALUES (3, $1)', [at])
  t.same(await room.all('s'), [{ _id: 3, at }])
})

t.test('a refusal for a missing right shows nothing of the text', async (t) => {
  const { room, reset } = await openPlace()
  await reset('private')
  const otherWallet = room.sessionOf(identities.otherWallet)
  const brief = async (text: string) =>
    (await room.refusal({ sqlChange: text }, 'test', otherWallet)).message
  const told = await brief("UPDATE c SET a = 'secret'")
  t.match(told, /^not authorized on test to execute command \{ sqlChange: "c" \}: test\.c belongs/)
  t.notMatch(told, /secret/)
  await room.engine.close()
})
