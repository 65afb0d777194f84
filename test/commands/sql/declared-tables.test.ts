// Tables of CREATE TABLE beside plain collections: which names are folded, what `*` shows, whose rights
// count, and what is asked of documents that other protocols have written.

import tap from 'tap'
import { type CommandRoom, eachRoom, type Reply } from '../../support/command-room.js'
import { identities } from '../../support/identities.js'
import { openPlace } from '../../support/rights-room.js'
import { rowsOf, stateOfStatement } from './select/selecting.js'

async function filled(room: CommandRoom): Promise<void> {
  await room.run({ sqlDefine: 'CREATE TABLE People (Id int PRIMARY KEY, Name text)' })
  await room.run({ sqlChange: "INSERT INTO PEOPLE VALUES (1, 'Ann'), (2, NULL)" })
  await room.insert('Orders', { _id: 1, personId: 1, Total: 5 }, { _id: 2, personId: 2, total: 7 })
}

eachRoom(tap, 'fields of a plain collection keep their case beside a table', async (t, room) => {
  await filled(room)
  const text = `SELECT P.NAME, O.personId, o.Total FROM People P JOIN Orders O ON O.personId = P.ID
    ORDER BY P.Id`
  t.same(await rowsOf(room, text), [
    { name: 'Ann', personId: 1, Total: 5 },
    { name: null, personId: 2, Total: null },
  ])
  t.same(await rowsOf(room, 'SELECT Total, total AS T FROM Orders ORDER BY _id'), [
    { Total: 5, T: null },
    { Total: null, T: 7 },
  ])
  t.same(await rowsOf(room, 'SELECT * FROM orders'), [], 'a collection is called as it is written')
})

eachRoom(tap, '_id of a declared table is named, and not shown', async (t, room) => {
  await filled(room)
  const [row] = await rowsOf(room, 'SELECT _id, id FROM people WHERE id = 1')
  t.equal(String(row?._id).length, 24)
  t.same(await rowsOf(room, 'SELECT * FROM people ORDER BY name'), [
    { id: 1, name: 'Ann' },
    { id: 2, name: null },
  ])
  await room.run({ sqlChange: "INSERT INTO people (_id, id) VALUES ('x', 3)" })
  t.same(await rowsOf(room, "SELECT id FROM people WHERE _id = 'x'"), [{ id: 3 }])
})

eachRoom(tap, 'what other protocols add to a table is not seen', async (t, room) => {
  await filled(room)
  await room.insert('people', { _id: 9, id: 9, name: 'Eve', extra: 1 })
  t.same(await rowsOf(room, 'SELECT * FROM people WHERE id = 9'), [{ id: 9, name: 'Eve' }])
  t.equal(await stateOfStatement(room, 'SELECT extra FROM people'), '42703')
})

eachRoom(tap, 'a quoted name is as it is written', async (t, room) => {
  await room.run({ sqlDefine: 'CREATE TABLE "Big" ("Id" int)' })
  await room.run({ sqlChange: 'INSERT INTO "Big" VALUES (1)' })
  t.same(await rowsOf(room, 'SELECT "Id" FROM "Big"'), [{ Id: 1 }])
  t.equal(await stateOfStatement(room, 'SELECT Id FROM "Big"'), '42703')
  t.same(await rowsOf(room, 'SELECT * FROM big'), [])
})

eachRoom(tap, 'a plain collection answers its documents as rows of their own', async (t, room) => {
  await room.insert('s', { _id: 1, a: 2 }, { _id: 2, s: 'field' })
  t.same(await rowsOf(room, 'SELECT s FROM s ORDER BY _id'), [
    { s: { _id: 1, a: 2 } },
    { s: 'field' },
  ])
})

eachRoom(tap, 'an index gives the order with NULLs last', async (t, room) => {
  await room.run({ sqlDefine: 'CREATE TABLE n (id int PRIMARY KEY, a int, b int)' })
  await room.run({ sqlDefine: 'CREATE INDEX n_a ON n (a)' })
  const values = Array.from(
    { length: 60 },
    (_, i) => `(${i}, ${i % 7 === 0 ? 'NULL' : i % 20}, ${i})`,
  )
  await room.run({ sqlChange: `INSERT INTO n VALUES ${values.join(', ')}` })
  const value = (i: number) => (i % 7 === 0 ? Number.POSITIVE_INFINITY : i % 20)
  const ids = Array.from({ length: 60 }, (_, i) => i)
  const ascending = ids.toSorted((x, y) => value(x) - value(y) || x - y)
  const descending = ids.toSorted((x, y) => value(y) - value(x) || y - x)
  const asked = async (tail: string) => (await rowsOf(room, `SELECT id FROM n ${tail}`)).map(idOf)
  t.same(await asked('ORDER BY a LIMIT 55'), ascending.slice(0, 55))
  t.same(await asked('ORDER BY a DESC LIMIT 12'), descending.slice(0, 12))
  t.same(await asked('ORDER BY a NULLS FIRST LIMIT 60'), [
    ...ascending.filter((i) => i % 7 === 0),
    ...ascending.filter((i) => i % 7 !== 0),
  ])
  t.same(await asked('WHERE a > 15 ORDER BY a DESC LIMIT 3'), descending.slice(9, 12))
  const plan = await room.run({ sqlExplain: 'EXPLAIN SELECT id FROM n ORDER BY a LIMIT 5' })
  t.match(JSON.stringify(plan.cursor.firstBatch), /Index Scan using n_a/)
})

function idOf({ id }: Reply): number {
  return id
}

tap.test('the table that a folded name means is read with its own rights', async (t) => {
  const { room, reset } = await openPlace()
  await reset('private')
  t.teardown(() => room.engine.close())
  const run = (who: keyof typeof identities, body: Reply) =>
    room.run(body, 'test', room.sessionOf(identities[who]))
  await run('owner', { sqlDefine: 'CREATE TABLE mine (a int)' })
  await run('owner', { sqlChange: 'INSERT INTO mine VALUES (1)' })
  const read = { sqlSelect: 'SELECT A FROM MINE' }
  t.same((await run('owner', read)).cursor.firstBatch, [{ a: 1 }])
  await t.rejects(run('otherWallet', read), { code: 13 })
  await t.rejects(run('otherWallet', { sqlChange: 'DELETE FROM Mine' }), { code: 13 })
  await t.rejects(run('otherWallet', { sqlDefine: 'DROP TABLE Mine' }), { code: 13 })
  const explain = { sqlExplain: 'EXPLAIN SELECT A FROM MINE' }
  await t.rejects(run('otherWallet', explain), { code: 13 })
})
