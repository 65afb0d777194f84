// Joins over every store: by an index, by hashes and by trying all, LEFT and INNER, ON, USING and
// commas, over views too; NULL joins nothing.

import tap from 'tap'
import { sqlJoinBytesMax } from '../../../../src/base/limits/sql.js'
import { type CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'
import { rowsOf, stateOfStatement } from './selecting.js'

async function filled(room: CommandRoom): Promise<(text: string) => Promise<Reply[]>> {
  await room.insert('a', { _id: 1, x: 1 }, { _id: 2, x: 2 }, { _id: 3, x: null }, { _id: 4 })
  await room.insert(
    'b',
    ...[
      { _id: 1, x: 1, y: 'p' },
      { _id: 2, x: 1, y: 'q' },
      { _id: 3, x: null },
      { _id: 4, x: 5 },
    ],
  )
  await room.insert('c', { _id: 1, y: 'p', z: true }, { _id: 2, y: 'r' })
  return (text) => rowsOf(room, text)
}

eachRoom(tap, 'INNER and LEFT JOIN, and NULL joins nothing', async (t, room) => {
  const rows = await filled(room)
  const pairs = 'SELECT a._id AS a, b._id AS b FROM a'
  const inner = [
    ...[
      { a: 1, b: 1 },
      { a: 1, b: 2 },
    ],
  ]
  const left = [...inner, { a: 2, b: null }, { a: 3, b: null }, { a: 4, b: null }]
  t.same(await rows(`${pairs} JOIN b ON a.x = b.x ORDER BY 1, 2`), inner)
  t.same(await rows(`${pairs} INNER JOIN b USING (x) ORDER BY 1, 2`), inner)
  t.same(await rows(`${pairs}, b WHERE b.x = a.x ORDER BY 1, 2`), inner)
  t.same(await rows(`${pairs} LEFT JOIN b ON b.x = a.x ORDER BY 1, 2`), left)
  const narrowed = `${pairs} LEFT JOIN b ON b.x = a.x AND b.y = 'q' WHERE a.x > 0 ORDER BY 1`
  t.same(await rows(narrowed), [
    { a: 1, b: 2 },
    { a: 2, b: null },
  ])
  const anti = `${pairs} LEFT JOIN b ON b.x = a.x WHERE b._id IS NULL ORDER BY 1`
  t.same(
    (await rows(anti)).map((row) => row.a),
    [2, 3, 4],
  )
  t.equal((await rows(`${pairs} CROSS JOIN b`)).length, 16)
  t.equal((await rows(`${pairs} JOIN b ON a.x < b.x`)).length, 2)
  t.same(await rows(`${pairs} LEFT JOIN b ON false WHERE a._id = 1`), [{ a: 1, b: null }])
})

eachRoom(tap, 'three tables, in whatever order the equalities lead', async (t, room) => {
  const rows = await filled(room)
  const found = [{ a: 1, b: 1, c: 1 }]
  const list = 'SELECT a._id AS a, b._id AS b, c._id AS c FROM'
  t.same(await rows(`${list} a, c, b WHERE a.x = b.x AND c.y = b.y`), found)
  t.same(await rows(`${list} a JOIN b ON a.x = b.x JOIN c ON c.y = b.y`), found)
  t.same(await rows(`${list} a JOIN b ON a.x = b.x LEFT JOIN c ON c.y = b.y ORDER BY 2`), [
    ...found,
    { a: 1, b: 2, c: null },
  ])
  const mixed = `${list} a LEFT JOIN b ON a.x = b.x JOIN c ON c.y = b.y WHERE a._id < 3`
  t.same(await rows(mixed), found)
  t.same(await rows('SELECT p._id AS p, q._id AS q FROM a p JOIN a q ON q.x = p.x + 1'), [
    { p: 1, q: 2 },
  ])
})

eachRoom(tap, '* of a join is flat, with a suffix where names clash', async (t, room) => {
  const rows = await filled(room)
  t.same(await rows('SELECT * FROM a JOIN b ON a.x = b.x WHERE b._id = 2'), [
    { _id: 1, x: 1, _id_2: 2, x_2: 1, y: 'q' },
  ])
  t.same(await rows('SELECT * FROM a JOIN b USING (x) WHERE b._id = 2'), [
    { _id: 1, x: 1, _id_2: 2, y: 'q' },
  ])
  t.same(await rows('SELECT b.*, a._id FROM a LEFT JOIN b USING (x) WHERE a._id = 2'), [{ _id: 2 }])
  t.same(await rows('SELECT x, count(*) FROM a JOIN b USING (x) GROUP BY x'), [{ x: 1, count: 2 }])
})

eachRoom(tap, 'a join finds its rows by an index, and the same ones', async (t, room) => {
  const outer = Array.from({ length: 50 }, (_, i) => ({
    _id: i,
    ref: i % 3 === 0 ? null : i * 100,
  }))
  const inner = Array.from({ length: 1_200 }, (_, i) => ({ _id: i, code: i % 800, pad: i }))
  await room.insert('o', ...outer)
  await room.insert('i', ...inner)
  const text = 'SELECT o._id AS o, i._id AS i FROM o JOIN i ON i.code = o.ref ORDER BY 1, 2'
  const hashed = await rowsOf(room, text)
  await room.run({ createIndexes: 'i', indexes: [{ key: { code: 1 }, name: 'code' }] })
  t.same(await rowsOf(room, text), hashed)
  t.equal(hashed.length, 7)
  const left = 'SELECT o._id AS o, i.pad FROM o LEFT JOIN i ON i._id = o.ref ORDER BY 1'
  t.equal((await rowsOf(room, left)).filter(({ pad }) => pad !== null).length, 8)
  const { cursor } = await room.run({ sqlSelect: text, batchSize: 5 })
  t.equal(cursor.firstBatch.length, 5)
  t.same(await room.drain({ sqlSelect: text, batchSize: 5 }), hashed)
})

eachRoom(tap, 'views are read and joined as collections are', async (t, room) => {
  const rows = await filled(room)
  await room.run({ create: 'v', viewOn: 'b', pipeline: [{ $match: { x: { $ne: null } } }] })
  t.same(await rows("SELECT _id, y FROM v WHERE y = 'q'"), [{ _id: 2, y: 'q' }])
  t.same(await rows('SELECT count(*) FROM v'), [{ count: 3 }])
  t.same(await rows('SELECT a._id, v.y FROM a JOIN v ON a.x = v.x ORDER BY v._id'), [
    ...[
      { _id: 1, y: 'p' },
      { _id: 1, y: 'q' },
    ],
  ])
  t.equal((await room.drain({ sqlSelect: 'SELECT * FROM v, a', batchSize: 2 })).length, 12)
})

eachRoom(tap, 'what a join does wrong is told', async (t, room) => {
  await filled(room)
  const states = [
    ['SELECT x FROM a, b', '42702'],
    ['SELECT * FROM a, a', '42712'],
    ['SELECT * FROM a JOIN b ON z = 1', '42702'],
  ] as const
  for (const [text, state] of states) t.equal(await stateOfStatement(room, text), state, text)
})

eachRoom(
  tap,
  'a join without an index holds no more than its bound',
  async (t, room) => {
    const pad = 'x'.repeat(1_000_000)
    const count = Math.ceil(sqlJoinBytesMax / pad.length) + 1
    for (let i = 0; i < count; i++) await room.insert('wide', { _id: i, pad })
    await room.insert('one', { _id: 1, pad: 'x' })
    const text = 'SELECT one._id FROM one JOIN wide ON wide.pad = one.pad'
    t.equal(await stateOfStatement(room, text), '53200')
  },
  { kinds: ['memory'] },
)
