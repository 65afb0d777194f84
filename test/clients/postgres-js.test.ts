// The client `postgres`, unmodified: it describes each statement before it binds anything, asks the
// catalog for types of its own accord, and reads by cursors.

import postgres from 'postgres'
import t, { type Test } from 'tap'
import { startGateway } from '../support/live-gateway.js'

async function open(t: Test) {
  const { ports, key } = await startGateway(t)
  const sql = postgres({
    ...{ host: '127.0.0.1', port: ports.sql, user: 'operator', password: key, database: 'main' },
    onnotice: () => {},
  })
  t.teardown(() => sql.end())
  return sql
}

t.test('statements with values are described, and run', async (t) => {
  const sql = await open(t)
  await sql`CREATE TABLE people (_id text, name text, age int)`
  const row = { _id: 'a', name: 'Ann', age: 30 }
  t.same([...(await sql`INSERT INTO people ${sql(row)} RETURNING *`)], [row])
  await sql`INSERT INTO people ${sql([{ _id: 'b', name: 'Bob', age: 41 }])}`
  t.same([...(await sql`SELECT name FROM people WHERE age > ${35}`)], [{ name: 'Bob' }])
  t.same([...(await sql`SELECT * FROM people WHERE name = ${'Ann'}`)], [row])
  const changed = await sql`UPDATE people SET age = ${31} WHERE _id = ${'a'}`
  t.equal(changed.count, 1)
  t.same([...(await sql`SELECT age FROM people WHERE _id = ${'a'}`)], [{ age: 31 }])
})

t.test('a cursor reads in portions', async (t) => {
  const sql = await open(t)
  for (let i = 0; i < 25; i++) await sql`INSERT INTO things (_id) VALUES (${i}::int)`
  const portions: number[] = []
  await sql`SELECT _id FROM things ORDER BY _id`.cursor(10, (rows) => {
    portions.push(rows.length)
  })
  t.same(portions, [10, 10, 5])
})

t.test('errors reach it', async (t) => {
  const sql = await open(t)
  await t.rejects(sql`SELECT 1 / ${0}::int`, { code: '22012' })
  await t.rejects(sql.unsafe('SELEC 1'), { code: '42601', position: '1' })
  t.same([...(await sql`SELECT 1 AS one, ${1}::int + 1 AS two`)], [{ one: 1, two: 2 }])
})
