// A process that is paused, as by a debugger or a host without memory, while it writes and has the
// leases: the other one goes on and takes over, and the first comes back without doing harm.

import { MongoClient } from 'mongodb'
import t from 'tap'
import { testKey } from '../support/gateway.js'
import { postgresMissing } from '../support/postgres-reference.js'
import { isLong } from '../support/seed.js'
import { openSharedTables } from '../support/shared-stores.js'
import { type SigilProcess, settingsFor, startSigil } from '../support/sigil-process.js'

/** Rows of a lease's record, and of garbage. */
const holder = (job: string) =>
  `SELECT convert_from(value, 'UTF8') FROM $pairs WHERE key = '\\x0a50'::bytea || '${job}'::bytea`
const garbage = "SELECT 1 FROM $pairs WHERE key >= '\\x0901' AND key < '\\x0902'"

t.test(
  'a paused process loses its leases',
  { skip: postgresMissing, timeout: 120_000 },
  async (t) => {
    const { address, query } = await openSharedTables(t)
    const start = async (): Promise<SigilProcess> => {
      const sigil = await startSigil({ ...settingsFor(''), STORE: address })
      t.teardown(() => sigil.child.kill('SIGKILL'))
      return sigil
    }
    const until = async (isSo: () => Promise<boolean>): Promise<void> => {
      while (!(await isSo())) {
        await new Promise((resolve) => {
          setTimeout(resolve, 20)
        })
      }
    }
    const connect = ({ wirePort }: SigilProcess): MongoClient => {
      const client = new MongoClient(`mongodb://operator:${testKey}@127.0.0.1:${wirePort}/main`, {
        authSource: 'admin',
      })
      t.teardown(() => client.close())
      return client
    }
    const first = await start()
    const holderOf = async (job: string) => (await query(holder(job)))[0]?.[0]
    await until(async () => (await holderOf('garbage')) !== undefined)
    const life = await holderOf('garbage')
    const second = await start()
    const sums = [first, second].map((sigil) => {
      return connect(sigil).db('main').collection<{ _id: string; n: number }>('sums')
    })
    const [one, two] = sums
    if (one === undefined || two === undefined) throw new Error('two processes')
    await one.insertOne({ _id: 'sum', n: 0 })
    let isOver = false
    let added = 0
    const add = async () => {
      await one.updateOne({ _id: 'sum' }, { $inc: { n: 1 } })
      added++
    }
    const load = Array.from({ length: 8 }, async () => {
      while (!isOver) await add()
    })
    await until(async () => added > 50)
    first.child.kill('SIGSTOP')
    // As after half a minute, which the long counts by hand wait for.
    const waits = isLong && process.env.CI !== 'true'
    if (!waits) {
      await query(`UPDATE $heartbeats SET until = clock_timestamp() WHERE life = '${life}'`)
    }
    for (let i = 0; i < 10; i++) await two.updateOne({ _id: 'sum' }, { $inc: { n: 1 } })
    const dropped = two.db.collection('dropped')
    await dropped.insertMany(Array.from({ length: 500 }, (_, _id) => ({ _id }) as never))
    await dropped.drop()
    await until(async () => (await query(garbage)).length === 0)
    const next = await holderOf('garbage')
    t.not(next, life)
    first.child.kill('SIGCONT')
    const before = added
    await until(async () => added > before + 20)
    isOver = true
    await Promise.all(load)
    t.equal((await two.findOne({ _id: 'sum' }))?.n, added + 10, 'each increment is there once')
    await two.db.collection('again').insertOne({ n: 1 })
    await one.db.collection('again').drop()
    await until(async () => (await query(garbage)).length === 0)
    t.equal(await holderOf('garbage'), next)
    t.notOk((first.errors() + second.errors()).includes('failed'))
  },
)
