// The first stream of a collection misses no later change, also on a store that gateways share: a
// write that began before the flag of the collection was set, and commits later, is waited for.

import t from 'tap'
import { beginRecording } from '../../../src/engine/changes/begin-recording.js'
import { keyClass } from '../../../src/store/layout.js'
import { runSweep } from '../../../src/store/sweep.js'
import { keysOfClasses, Room } from '../../support/engine-room.js'
import { openReference, postgresMissing } from '../../support/postgres-reference.js'
import { until } from '../../support/shared-pair.js'
import { openShared, openSharedTables, postgresServer } from '../../support/shared-stores.js'

const longId = (n: number) => String(1_000 + n).padEnd(400, 'x')

const skip = { skip: postgresMissing }

t.test('a write that has not seen the flag is over when recording has begun', skip, async (t) => {
  const tables = await openSharedTables(t)
  const first = new Room(await openShared(t, tables.address))
  const second = new Room(await openShared(t, tables.address))
  // On several pages, as conflicts of serializable transactions are found by pages.
  await first.insert(...Array.from({ length: 200 }, (_, n) => ({ _id: longId(n) })))
  const asks = async (text: string) => (await tables.query(text)).length > 0
  const activity = (what: string) => asks(`SELECT 1 FROM pg_stat_activity WHERE ${what}`)

  // Its commit counts on in the row of its gateway, which is locked.
  const { client } = openReference(t, (await postgresServer(t)).folder)
  const ended: string[] = []
  let write: Promise<unknown> | undefined
  let begun: Promise<unknown> | undefined
  await client.begin(async (sql) => {
    const no = second.store.gateways?.self.split('.')[0] ?? ''
    const schema = new URL(tables.address).searchParams.get('schema')
    await sql.unsafe(`SELECT 1 FROM ${schema}.gateways WHERE no = ${no} FOR UPDATE`)
    write = second.insert({ _id: longId(100.5) }).then(() => ended.push('write'))
    await until(() => activity("application_name = 'sigil writes' AND wait_event_type = 'Lock'"))

    const scope = { db: first.db, name: first.name }
    begun = runSweep(first.store, beginRecording(scope)).then(() => ended.push('begin'))
    const looks = "application_name = 'sigil reads' AND query LIKE '%remaining%'"
    await until(async () => ended.length > 0 || (await activity(looks)))
  })
  await Promise.all([write, begun])
  // A conflict would have run it again, with a record.
  const [, record] = await keysOfClasses(first.store, keyClass.change)
  t.ok(ended[0] === 'write' || record !== undefined, `${ended.join(' before ')}, no record`)
})
