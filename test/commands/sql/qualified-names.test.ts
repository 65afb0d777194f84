// Columns written with the schema of their table mean what PostgreSQL means by them, in every place of
// every statement: read as a path into a document they were NULL, and a DELETE met every row.

import type { Test } from 'tap'
import t from 'tap'
import { type CommandRoom, eachRoom } from '../../support/command-room.js'

const rows = [
  { _id: 1, bal: 5 },
  { _id: 2, bal: 7 },
]

async function made(room: CommandRoom): Promise<void> {
  await room.run({ insert: 'pu', documents: rows })
}

async function ids(room: CommandRoom): Promise<unknown[]> {
  return (await room.all('pu')).map(({ _id }) => _id)
}

await eachRoom(t, 'a DELETE by a name with its schema meets what it names', async (t, room) => {
  await made(room)
  const change = (text: string) => room.run({ sqlChange: text, params: [] })
  await change('DELETE FROM public.pu WHERE public.pu.bal IS NULL')
  t.same(await ids(room), [1, 2])
  await change('DELETE FROM pu WHERE PUBLIC.pu.bal IS NULL')
  t.same(await ids(room), [1, 2])
  await change('UPDATE pu SET bal = public.pu.bal + 1 WHERE public.pu.bal = 7')
  const upsert = 'INSERT INTO public.pu (_id, bal) VALUES (1, 100) ON CONFLICT (_id) DO UPDATE'
  await change(`${upsert} SET bal = public.pu.bal + 10 WHERE public.pu.bal = 5`)
  t.same(await room.all('pu'), [
    { _id: 1, bal: 15 },
    { _id: 2, bal: 8 },
  ])
  const gone = await change(
    'DELETE FROM pu WHERE public.pu.bal = 8 RETURNING public.pu._id, public.pu.*',
  )
  t.match(gone.cursor.firstBatch, [{ _id: 2, bal: 8 }])
  t.same(await ids(room), [1])
})

await eachRoom(t, 'a SELECT takes them in each of its parts', async (t, room) => {
  await made(room)
  const select = async (text: string) =>
    (await room.run({ sqlSelect: text, params: [] })).cursor.firstBatch
  const text =
    'SELECT public.pu.bal, count(*) AS n FROM public.pu WHERE public.pu.bal > 1 ' +
    'GROUP BY public.pu.bal HAVING public.pu.bal > 1 ORDER BY public.pu.bal DESC'
  t.same(await select(text), [
    { bal: 7, n: 1 },
    { bal: 5, n: 1 },
  ])
  t.same(await select('SELECT public.pu.* FROM public.pu WHERE public.pu._id = 1'), [rows[0]])
  const join = 'SELECT o.bal FROM pu JOIN pu AS o ON public.pu._id = o._id WHERE public.pu._id = 1'
  t.same(await select(join), [{ bal: 5 }])
})

await eachRoom(t, 'what names no table of the statement is refused', async (t, room) => {
  await made(room)
  await refused(t, room, 'DELETE FROM pu AS p WHERE public.pu.bal IS NULL', '42P01')
  await refused(t, room, 'DELETE FROM pu WHERE other.public.pu.bal IS NULL', '0A000')
  t.same(await ids(room), [1, 2])
})

async function refused(t: Test, room: CommandRoom, text: string, state: string): Promise<void> {
  const { extra } = await room.refusal({ sqlChange: text, params: [] })
  t.equal(extra.sqlState, state, text)
}

await eachRoom(t, 'a name below a typed column is refused, as it has no parts', async (t, room) => {
  await room.run({
    sqlDefine: 'CREATE TABLE q1 (id int PRIMARY KEY, bal numeric, arr int[], js jsonb, t text)',
    params: [],
  })
  const insert = `INSERT INTO q1 VALUES (1, 5, '{1,2}', '{"a":1}', 'x')`
  await room.run({ sqlChange: insert, params: [] })
  for (const [condition, state] of [
    ...(['id.x', 'q1.id.x', 't.x.y', 'q1.bal.x', 'public.q1.bal.x', 'arr.x'] as const).map(
      (name) => [name, '42P01'] as const,
    ),
    ['q1.t.x.y', '0A000'],
    ['(q1).nosuch', '42703'],
    ...(['(q1).bal.x', '(bal).x', 'arr[1].x', '(arr[1]).x'] as const).map(
      (name) => [name, '42809'] as const,
    ),
    ...(['bal[1]', 't[1]', '(t)[1]'] as const).map((name) => [name, '42804'] as const),
  ] as const) {
    await refused(t, room, `DELETE FROM q1 WHERE ${condition} IS NULL`, state)
    await refused(t, room, `UPDATE q1 SET t = 'y' WHERE ${condition} IS NULL`, state)
    await refused(t, room, `UPDATE q1 SET bal = ${condition}`, state)
    await refused(t, room, `DELETE FROM q1 WHERE id = 9 RETURNING ${condition}`, state)
    for (const part of [`${condition} FROM q1`, `id FROM q1 ORDER BY ${condition}`]) {
      const { extra } = await room.refusal({ sqlSelect: `SELECT ${part}`, params: [] })
      t.equal(extra.sqlState, state, part)
    }
  }
  for (const set of ['bal.x = 1', 'bal[1] = 1', 't[0] = 1', 'arr[0].x = 1']) {
    await refused(t, room, `UPDATE q1 SET ${set}`, '42804')
  }
  await refused(t, room, 'INSERT INTO q1 (id, bal.x) VALUES (3, 4)', '42804')
  // Documents and arrays have parts, and a whole row has columns.
  const { cursor } = await room.run({
    sqlSelect: 'SELECT js.a, arr[0] AS first, (q1).id FROM q1 WHERE (js).a = 1',
    params: [],
  })
  t.same(cursor.firstBatch, [{ a: 1, first: 1, id: 1 }])
})

await eachRoom(t, 'a field of the same name as the schema is still a path', async (t, room) => {
  await room.run({ insert: 'pu', documents: [{ _id: 1, public: { other: { bal: 3 } } }] })
  const text = 'SELECT public.other.bal FROM pu'
  const { cursor } = await room.run({ sqlSelect: text, params: [] })
  t.same(cursor.firstBatch, [{ bal: 3 }])
})
