// SELECT through the bus over every store: results, names, types, truth, order, window and cursors.

import { Decimal128, Long, ObjectId } from 'bson'
import tap from 'tap'
import { type CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'
import { turnsDuring } from '../../../support/turns.js'
import { rowsOf, stateOfStatement } from './selecting.js'

const people = [
  { _id: 1, name: 'Ada', age: 36, city: { name: 'London' }, tags: ['a', 'b'] },
  { _id: 2, name: 'Bob', age: null, city: { name: 'Oslo' } },
  { _id: 3, name: 'Cy', age: 20 },
  { _id: 4, name: 'Dan', age: 20, city: { name: 'Oslo' }, tags: [] },
]

async function filled(room: CommandRoom): Promise<CommandRoom> {
  await room.insert('people', ...people)
  return room
}

eachRoom(tap, '* gives documents as they are stored', async (t, room) => {
  await filled(room)
  t.same(await rowsOf(room, 'SELECT * FROM people WHERE _id < 3'), people.slice(0, 2))
  t.same(await rowsOf(room, 'SELECT * FROM missing'), [])
})

eachRoom(tap, 'positions count the columns of *', async (t, room) => {
  await filled(room)
  const ids = async (rest: string): Promise<number[]> =>
    (await rowsOf(room, `SELECT * FROM people p ${rest}`)).map(({ _id }) => _id)
  t.same(await ids('ORDER BY 1 DESC'), [4, 3, 2, 1])
  t.same(await ids('ORDER BY 3, 2 DESC'), [2, 4, 3, 1])
  t.same(await ids('WHERE age = 20 ORDER BY 2 DESC LIMIT 1'), [4])
  t.equal(await stateOfStatement(room, 'SELECT * FROM people ORDER BY 6'), '42P10')
  t.equal(await stateOfStatement(room, 'SELECT * FROM people ORDER BY 0'), '42P10')
  const mixed = "SELECT age AS a, p.*, name || '!' AS b FROM people p"
  const named = async (position: number) =>
    (await rowsOf(room, `${mixed} WHERE age > 0 ORDER BY ${position}, 2`)).map(({ _id }) => _id)
  t.same(await named(1), [3, 4, 1])
  t.same(await named(3), [1, 3, 4])
  t.same(await named(7), [1, 3, 4], 'behind the columns of *')
  await room.insert('towns', { _id: 'x', age: 20 }, { _id: 'y', age: 36 })
  const joined = 'SELECT * FROM people p JOIN towns t ON t.age = p.age ORDER BY 6 DESC, 1'
  t.same(
    (await rowsOf(room, joined)).map(({ name }) => name),
    ['Ada', 'Cy', 'Dan'],
  )
  t.same(await rowsOf(room, 'SELECT DISTINCT * FROM towns ORDER BY 2 DESC'), [
    { _id: 'y', age: 36 },
    { _id: 'x', age: 20 },
  ])
  const grouped = 'SELECT t.*, count(*) AS n FROM towns t GROUP BY 1, 2 ORDER BY 3, 1'
  t.equal(await stateOfStatement(room, grouped), '42803', '* of documents cannot be grouped')
  t.same(await rowsOf(room, 'SELECT * FROM missing ORDER BY 1'), [])
  const view = {
    create: 'seen',
    viewOn: 'people',
    pipeline: [{ $project: { _id: 0, n: '$name' } }],
  }
  await room.run(view)
  t.same(
    (await rowsOf(room, 'SELECT * FROM seen ORDER BY 1 DESC')).map(({ n }) => n),
    ['Dan', 'Cy', 'Bob', 'Ada'],
  )
})

eachRoom(tap, 'results have names, and no name comes twice', async (t, room) => {
  await filled(room)
  const rows = async (text: string): Promise<Reply[]> => rowsOf(room, text)
  t.same(await rows('SELECT name, city.name, tags[1] FROM people p WHERE _id = 1'), [
    { name: 'Ada', name_2: 'London', tags: 'b' },
  ])
  t.same(await rows('SELECT p.age + 1 AS next, upper(p.name), 1 FROM people p WHERE p._id = 3'), [
    { next: 21, upper: 'CY', '?column?': 1 },
  ])
  t.same(await rows('SELECT age::text, CASE WHEN true THEN 1 END, -1 FROM people WHERE _id = 3'), [
    { age: '20', case: 1, '?column?': -1 },
  ])
  t.same(await rows("SELECT 1 a, 'x' AS a, NULL"), [{ a: 1, a_2: 'x', '?column?': null }])
  t.same(await rows('SELECT *, age AS name FROM people WHERE _id = 3'), [
    { _id: 3, name_2: 'Cy', age: 20, name: 20 },
  ])
})

eachRoom(tap, 'WHERE lets pass what is true, whatever an index would find', async (t, room) => {
  await filled(room)
  await room.run({ createIndexes: 'people', indexes: [{ key: { age: 1 }, name: 'age' }] })
  const ids = async (where: string): Promise<number[]> =>
    (await rowsOf(room, `SELECT _id FROM people WHERE ${where} ORDER BY _id`)).map((r) => r._id)
  t.same(await ids('age = 20'), [3, 4])
  t.same(await ids('NOT age = 20'), [1])
  t.same(await ids('age IS NULL'), [2])
  t.same(await ids('age <> 20 OR age IS NULL'), [1, 2])
  t.same(await ids("tags = 'a'"), [], 'an array is not its elements')
  t.same(await ids("'a' = ANY(tags)"), [1])
  t.same(await ids("city.name = 'Oslo' AND age > 10"), [4])
  t.same(await ids('age IN (36, NULL)'), [1])
  t.same(await ids('age NOT IN (36, NULL)'), [])
})

eachRoom(tap, 'placeholders are values', async (t, room) => {
  await filled(room)
  const ids = await rowsOf(room, 'SELECT _id FROM people WHERE age = $1 AND name = $2', [20, 'Cy'])
  t.same(ids, [{ _id: 3 }])
  t.same(await rowsOf(room, 'SELECT $1 AS x', [{ $gt: 1 }]), [{ x: { $gt: 1 } }])
  t.equal(await stateOfStatement(room, 'SELECT $2', [1]), '08P01')
})

eachRoom(tap, 'the same text is answered by what there is each time', async (t, room) => {
  const text = 'SELECT v, w FROM again a WHERE _id = $1'
  const asked = async (id: number): Promise<unknown> => {
    const { cursor, columns } = await room.run({ sqlSelect: text, params: [id] })
    return [cursor.firstBatch, columns.map(({ type }: Reply) => type)]
  }
  t.same(await asked(1), [[], ['text', 'text']], 'there is no collection')
  await room.insert('again', { _id: 1, v: 1, w: 'a' }, { _id: 2, w: true, v: [2] })
  t.same(await asked(1), [[{ v: 1, w: 'a' }], ['int4', 'text']])
  t.same(await asked(2), [[{ v: [2], w: true }], ['jsonb', 'bool']])
  await room.run({ drop: 'again' })
  await room.insert('below', { _id: 1, v: 1.5 })
  await room.run({ create: 'again', viewOn: 'below', pipeline: [{ $set: { w: '$v' } }] })
  t.same(await asked(1), [[{ v: 1.5, w: 1.5 }], ['float8', 'float8']], 'a view')
})

eachRoom(tap, 'an ObjectId is found by its digits', async (t, room) => {
  const id = new ObjectId('65f0c0ffee0123456789abcd')
  await room.insert('ids', { _id: id }, { _id: String(id) }, { _id: 1 })
  const found = await rowsOf(room, `SELECT * FROM ids WHERE _id = '${id}'`)
  t.same(
    found.map(({ _id }) => String(_id)),
    [String(id), String(id)],
  )
})

eachRoom(tap, 'rows are in order, NULL where documents have it', async (t, room) => {
  await filled(room)
  const ids = async (tail: string): Promise<number[]> =>
    (await rowsOf(room, `SELECT _id, age a, name FROM people ORDER BY ${tail}`)).map((r) => r._id)
  for (const isIndexed of [false, true]) {
    if (isIndexed) {
      await room.run({ createIndexes: 'people', indexes: [{ key: { age: 1 }, name: 'age' }] })
    }
    t.same(await ids('age, _id'), [2, 3, 4, 1])
    t.same(await ids('age DESC, _id'), [1, 3, 4, 2])
    t.same(await ids('age NULLS LAST, _id DESC'), [4, 3, 1, 2])
    t.same(await ids('age DESC NULLS FIRST, name'), [2, 1, 3, 4])
    t.same(await ids('a, 3 DESC'), [2, 4, 3, 1], 'an alias and an ordinal')
    t.same(await ids('length(name) DESC, age + 0'), [2, 4, 1, 3])
    t.same(await ids('age LIMIT 3'), [2, 3, 4])
    t.same(await ids('age DESC LIMIT 2 OFFSET 1'), [4, 3], 'ties by _id, in the same direction')
    t.same(await ids('age LIMIT 0'), [])
    t.same(await ids('age LIMIT ALL OFFSET 3'), [1])
    t.same(await ids('_id LIMIT 1 + 1'), [1, 2])
  }
  t.equal(await stateOfStatement(room, 'SELECT * FROM people LIMIT -1'), '2201W')
  t.equal(await stateOfStatement(room, 'SELECT * FROM people OFFSET -1'), '2201X')
  t.equal(await stateOfStatement(room, 'SELECT name FROM people ORDER BY 2'), '42P10')
  t.equal(await stateOfStatement(room, 'SELECT _id FROM people ORDER BY 2'), '42P10')
})

eachRoom(tap, 'DISTINCT gives each row once', async (t, room) => {
  await filled(room)
  const rows = async (text: string): Promise<Reply[]> => rowsOf(room, text)
  t.same(await rows('SELECT DISTINCT age FROM people ORDER BY age'), [
    ...[{ age: null }, { age: 20 }, { age: 36 }],
  ])
  t.same(await rows('SELECT DISTINCT city.name AS c FROM people ORDER BY c DESC LIMIT 2'), [
    ...[{ c: 'Oslo' }, { c: 'London' }],
  ])
  t.same(await rows('SELECT DISTINCT * FROM people ORDER BY _id DESC LIMIT 1'), [people[3]])
  t.equal(await stateOfStatement(room, 'SELECT DISTINCT age FROM people ORDER BY name'), '42P10')
})

eachRoom(tap, 'a SELECT without FROM has one row', async (t, room) => {
  t.same(await rowsOf(room, 'SELECT 1 + 1 AS two WHERE true'), [{ two: 2 }])
  t.same(await rowsOf(room, 'SELECT 1 WHERE false'), [])
  t.same(await rowsOf(room, 'SELECT count(*)'), [{ count: 1 }])
  t.equal(await stateOfStatement(room, 'SELECT a'), '42703')
  t.equal(await stateOfStatement(room, 'SELECT *'), '42601')
})

eachRoom(
  tap,
  'columns have types, by expression or by what the first batch holds',
  async (t, room) => {
    await room.insert(
      'mixed',
      { _id: 1, a: 1, b: 'x', c: 1, d: [1], e: new Date(0), f: true },
      { _id: 2, a: Long.fromNumber(2 ** 40), b: 2, c: 1.5, g: Decimal128.fromString('1.0') },
    )
    const typesOf = async (text: string): Promise<string> => {
      const { columns } = await room.run({ sqlSelect: text })
      return columns.map(({ name, type }: Reply) => `${name} ${type}`).join(', ')
    }
    const all = '_id int4, a int8, b text, c float8, d jsonb, e timestamptz, f bool, g numeric'
    t.equal(await typesOf('SELECT * FROM mixed'), all)
    const counted = 'SELECT count(*), a > 1 AS x, b::text, missing FROM mixed GROUP BY 2, 3, 4'
    t.equal(await typesOf(counted), 'count int8, x bool, b text, missing text')
    t.equal(await typesOf('SELECT a FROM mixed WHERE false'), 'a text')
  },
)

eachRoom(tap, 'a cursor goes on where the first batch ended', async (t, room) => {
  const documents = Array.from({ length: 250 }, (_, i) => ({ _id: i, even: i % 2 === 0 }))
  await room.insert('many', ...documents)
  const sqlSelect = 'SELECT _id FROM many WHERE even ORDER BY _id DESC'
  t.equal((await room.run({ sqlSelect })).cursor.firstBatch.length, 101)
  t.equal((await room.drain({ sqlSelect, batchSize: 7 })).length, 125)
  const { cursor } = await room.run({ sqlSelect: 'SELECT * FROM many', rowsDefault: 120 })
  t.equal(cursor.firstBatch.length, 120)
  t.equal(Number(cursor.id), 0)
  const limited = { sqlSelect: 'SELECT * FROM many LIMIT 130', rowsDefault: 100 }
  t.equal((await room.drain(limited)).length, 130)
})

eachRoom(tap, 'errors have a state', async (t, room) => {
  await filled(room)
  const states = [
    ['SELEC 1', '42601'],
    ['SELECT 1 / 0', '22012'],
    ['SELECT nothing(1) FROM people', '42883'],
    ["SELECT 'x'::int4", '22P02'],
    ['SELECT q.* FROM people p', '42P01'],
    ['SELECT * FROM people WHERE count(*) > 1', '42803'],
    ['SELECT (SELECT 1)', '0A000'],
    ['SELECT * FROM nowhere.people', '42P01'],
  ] as const
  for (const [text, state] of states) t.equal(await stateOfStatement(room, text), state, text)
})

eachRoom(
  tap,
  'others have their turn between rows that take long',
  async (t, room) => {
    const documents = Array.from({ length: 300 }, (_, _id) => ({ _id, s: `text ${_id}` }))
    await room.insert('many', ...documents)
    const likes = Array.from({ length: 300 }, (_, i) => `s LIKE '%${i}x%'`).join(' OR ')
    const turns = await turnsDuring(async () => {
      t.same(await rowsOf(room, `SELECT count(*) FROM many WHERE ${likes}`), [{ count: 0 }])
    })
    t.ok(turns >= 3, `${turns} turns`)
  },
  { kinds: ['memory', 'lmdb'] },
)
