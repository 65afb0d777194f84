// Savepoints over the wire: every chance sequence of statements that changes nothing is answered as
// PostgreSQL answers it; changes are undone, and cursors end with what they belong to.

import fc from 'fast-check'
import t, { type Test } from 'tap'
import { pgSavepointsMax } from '../../../src/base/limits/sql.js'
import { startGateway } from '../../support/live-gateway.js'
import { openPostgres, postgresMissing } from '../../support/postgres-reference.js'
import { runs } from '../../support/runs.js'
import { type Message, SqlClient } from '../../support/sql-client.js'

async function enter(t: Test): Promise<SqlClient> {
  const gateway = await startGateway(t, { AUTH_MODE: 'off' })
  const { client } = await SqlClient.enter(gateway.ports.sql)
  t.teardown(() => client.close())
  return client
}

function errorIn(messages: readonly Message[], code: 'C' | 'M'): string | undefined {
  const fields = (messages.find(([name]) => name === 'ErrorResponse')?.[1] ?? []) as string[]
  return fields.find((each) => each.startsWith(code))?.slice(1)
}

const rowsIn = (messages: readonly Message[]) =>
  messages.filter(([name]) => name === 'DataRow').map(([, cells]) => cells)

const tagsOf = (messages: readonly Message[]) =>
  messages.filter(([name]) => name === 'CommandComplete').map(([, tag]) => tag)

const statements = [
  ...['BEGIN', 'BEGIN', 'COMMIT', 'ROLLBACK', 'SELECT 1', 'SELECT 1/0', 'SELECT 1/0'],
  ...['SAVEPOINT a', 'SAVEPOINT b', 'SAVEPOINT "C d"', 'SAVEPOINT savepoint'],
  ...['RELEASE a', 'RELEASE SAVEPOINT b', 'RELEASE savepoint', 'RELEASE SAVEPOINT "C d"'],
  ...['ROLLBACK TO a', 'ROLLBACK TO SAVEPOINT a', 'ROLLBACK WORK TO b', 'ROLLBACK TO "C d"'],
  ...['ROLLBACK TRANSACTION TO SAVEPOINT savepoint', 'ROLLBACK TO savepoint'],
]

t.test('savepoints are answered as PostgreSQL does', { skip: postgresMissing }, async (t) => {
  const client = await enter(t)
  const reference = await openPostgres(t)
  const refusalOfReference = (text: string) =>
    reference.query(text).then(
      () => undefined,
      (error: Error) => /PostgresError: (.*)$/.exec(error.message)?.[1] ?? error.message,
    )
  const sequence = fc.array(fc.constantFrom(...statements), { minLength: 5, maxLength: 25 })
  await fc.assert(
    fc.asyncProperty(sequence, async (texts) => {
      for (const text of ['ROLLBACK', ...texts]) {
        const own = errorIn(await client.query(text), 'M')
        t.equal(own, await refusalOfReference(text), `${text} of ${texts.join('; ')}`)
      }
    }),
    { numRuns: runs(20) },
  )
})

t.test('what was changed since a savepoint is undone', async (t) => {
  const client = await enter(t)
  const begun = await client.query("BEGIN; INSERT INTO c (_id) VALUES ('one'); SAVEPOINT s")
  t.same(tagsOf(begun), ['BEGIN', 'INSERT 0 1', 'SAVEPOINT'])
  const failed = await client.query("INSERT INTO c (_id) VALUES ('one')")
  t.equal(errorIn(failed, 'C'), '23505')
  t.equal(errorIn(await client.query('SELECT 1'), 'C'), '25P02', 'the transaction has failed')
  t.same(tagsOf(await client.query('ROLLBACK TO s')), ['ROLLBACK'])
  t.same(tagsOf(await client.query("INSERT INTO c (_id) VALUES ('two')")), ['INSERT 0 1'])
  t.same(tagsOf(await client.query('ROLLBACK TO s')), ['ROLLBACK'])
  const inner = "SAVEPOINT r; INSERT INTO c (_id) VALUES ('three'); RELEASE r; RELEASE s; COMMIT"
  t.same(tagsOf(await client.query(inner)).at(-1), 'COMMIT')
  const ids = await client.query('SELECT _id FROM c ORDER BY _id')
  t.same(rowsIn(ids), [['one'], ['three']])
})

t.test('cursors end with the savepoint that they were declared behind', async (t) => {
  const client = await enter(t)
  const declare = (name: string) => `DECLARE ${name} CURSOR FOR SELECT 1`
  await client.query(`BEGIN; ${declare('a')}; SAVEPOINT s; ${declare('b')}; SAVEPOINT r`)
  t.same(tagsOf(await client.query(`${declare('c')}; RELEASE r; ROLLBACK TO s`)).at(-1), 'ROLLBACK')
  t.same(tagsOf(await client.query('FETCH a')), ['FETCH 1'])
  t.equal(errorIn(await client.query('FETCH b'), 'C'), '34000')
  t.same(tagsOf(await client.query(`ROLLBACK TO s; ${declare('c')}`)).at(-1), 'DECLARE CURSOR')
})

t.test('savepoints that are never released are bounded', async (t) => {
  const client = await enter(t)
  const declare = 'DECLARE c CURSOR FOR SELECT 1; CLOSE c'
  await client.query(`BEGIN; SAVEPOINT s; ${declare}; ${declare}; RELEASE s`)
  for (let kept = 0; kept < pgSavepointsMax; kept += 1_000) {
    const tags = tagsOf(await client.query('SAVEPOINT s;'.repeat(1_000)))
    t.equal(tags.length, 1_000)
  }
  t.equal(errorIn(await client.query('SAVEPOINT s'), 'C'), '53400')
  t.same(tagsOf(await client.query('ROLLBACK TO s; RELEASE s; SAVEPOINT s')).length, 3)
  t.equal(errorIn(await client.query(declare), 'C'), '53400')
  await client.query('ROLLBACK')
  t.same(tagsOf(await client.query(`BEGIN; SAVEPOINT s; ${declare}; COMMIT`)).at(-1), 'COMMIT')
})
