// What a start on PostgreSQL needs, and what it says: a user with one schema and no other right is
// enough, tables of a newer format and a wrong user are refused in a line.

import t from 'tap'
import { openPostgres, postgresMissing } from '../../support/postgres-reference.js'
import { addressOn, openShared } from '../../support/shared-stores.js'

const skip = { skip: postgresMissing }
const key = Uint8Array.of(2, 1)

t.test('a user with one schema and no other right is enough', skip, async (t) => {
  const { client, query } = await openPostgres(t)
  const folder = client.options.host[0] ?? ''
  const address = addressOn(folder).replace('test@', 'limited@')
  const schema = new URL(address).searchParams.get('schema')
  await query('CREATE ROLE limited LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE')
  await query('REVOKE ALL ON DATABASE postgres FROM PUBLIC')
  await query('REVOKE ALL ON SCHEMA public FROM PUBLIC')
  await t.rejects(openShared(t, address), { message: /permission denied for database/ })
  await query('GRANT CONNECT ON DATABASE postgres TO limited')
  await t.rejects(openShared(t, address), { message: /permission denied for database/ })
  await query(`CREATE SCHEMA ${schema} AUTHORIZATION limited`)
  for (const n of [1, 2]) {
    const store = await openShared(t, address)
    const before = await store.read(function* (tx) {
      return yield* tx.get(key)
    })
    t.same(before, n === 1 ? undefined : Uint8Array.of(1))
    await store.write(function* (tx) {
      tx.put(key, Uint8Array.of(n))
    })
    await store.close()
  }
  await query(`UPDATE ${schema}.format SET version = 1000`)
  await t.rejects(openShared(t, address), { message: /have format 1000; this version of Sigil/ })
})

t.test('a user or a database that does not exist is named', skip, async (t) => {
  const { client } = await openPostgres(t)
  const address = addressOn(client.options.host[0] ?? '')
  const cannot = 'cannot open the store in PostgreSQL: PostgreSQL: '
  await t.rejects(openShared(t, address.replace('test@', 'absent:secret@')), {
    message: `${cannot}role "absent" does not exist (28000)`,
  })
  await t.rejects(openShared(t, address.replace('/postgres?', '/absent?')), {
    message: `${cannot}database "absent" does not exist (3D000)`,
  })
})
