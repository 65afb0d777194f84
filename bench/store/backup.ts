// Question: how long do clients wait for their updates while a gateway on PostgreSQL is backed up?
// Windows with a backup and without one in turns, 32 clients, each with one update under way. The
// bar is 2 for the median of five pairs of 3 minutes: `--seconds 180`.

import { MongoClient } from 'mongodb'
import { compare, type Figure, percentile, plain } from '../support/figure.js'
import { missingPostgres, startPostgres } from '../support/postgres-server.js'
import { benchKey, type SigilProcess, startSigil } from '../support/processes.js'

const documents = 200_000
const insertedAtOnce = 1_000
const concurrency = 32
const filler = 'x'.repeat(1_000)

interface Row {
  _id: number
  n: number
  text: string
}

/** Reads backups of the gateway until the window is over; returns how many bytes came. */
async function backUp({ httpPort }: SigilProcess, isOver: () => boolean): Promise<number> {
  let bytes = 0
  while (!isOver()) {
    const answer = await fetch(`http://127.0.0.1:${httpPort}/api/v1/backup`, {
      method: 'POST',
      headers: { authorization: `Bearer ${benchKey}`, 'content-type': 'application/json' },
      body: '{}',
    })
    if (!answer.ok || answer.body === null) throw new Error(await answer.text())
    for await (const piece of answer.body) {
      bytes += (piece as Uint8Array).length
      if (isOver()) break
    }
  }
  return bytes
}

export async function storeBackup(_data?: string, seconds = 20): Promise<Figure[]> {
  const missing = missingPostgres()
  if (missing !== undefined) throw new Error(missing)
  const postgres = await startPostgres()
  const address = `postgres://bench@127.0.0.1:${postgres.port}/postgres?schema=backup`
  const environment = { STORE: address, DURABILITY: 'commit', RATE_LIMITS: 'off' }
  const sigil = await startSigil({ environment })
  const options = { authSource: 'admin', maxPoolSize: concurrency }
  const client = await MongoClient.connect(sigil.uri, options)
  try {
    const rows = client.db('main').collection<Row>('rows')
    for (let start = 0; start < documents; start += insertedAtOnce) {
      await rows.insertMany(
        Array.from({ length: insertedAtOnce }, (_, i) => ({ _id: start + i, n: 0, text: filler })),
      )
    }
    let windows = 0
    let updates = 0
    let bytes = 0
    const window = async (beside: (isOver: () => boolean) => Promise<number>) => {
      const times: number[] = []
      const end = performance.now() + seconds * 1_000
      const isOver = () => performance.now() > end
      const writer = async () => {
        while (!isOver()) {
          const began = performance.now()
          const _id = Math.floor(Math.random() * documents)
          await rows.updateOne({ _id }, { $inc: { n: 1 } })
          times.push(performance.now() - began)
        }
      }
      const backup = beside(isOver)
      await Promise.all(Array.from({ length: concurrency }, writer))
      bytes += await backup
      updates += times.length
      windows++
      return percentile(times, 0.99)
    }
    const figure = await compare(
      'p99 of updates beside a backup, over that without one',
      'ms',
      () => window((isOver) => backUp(sigil, isOver)),
      () => window(async () => 0),
    )
    return [
      figure,
      plain('  updates', updates / windows / seconds, 'updates/s'),
      plain('  read of backups', bytes / (windows / 2) / seconds / 1_000_000, 'MB/s'),
    ]
  } finally {
    await client.close()
    await sigil.stop()
    await postgres.stop()
  }
}
