// A wallet that inserts as much as it may and drops it, again and again: the data folder stays
// within twice its quota and what the log and the tables' own pages take.

import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import t from 'tap'
import { startGateway } from '../support/live-gateway.js'
import { isLong } from '../support/seed.js'
import { testWallet } from '../support/wallet.js'
import { WalletClient } from '../support/wallet-client.js'

const quota = 20_000_000
/** Documents of a round: nearly the quota. */
const documents = 18
const rounds = 120
/** Log segments that are kept beside the tables, and pages that LMDB keeps free. */
const overheadBytes = 200_000_000

function bytesIn(folder: string): number {
  let bytes = 0
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    try {
      bytes += statSync(join(folder, name)).blocks * 512
    } catch {
      // A segment of the log that has just gone.
    }
  }
  return bytes
}

const skip = isLong ? false : 'of the long counts: bus/waste.test.ts has the exact bound'

t.test('insert, drop, insert …', { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-drops-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const settings = { STORE: `lmdb:${folder}`, WALLET_STORAGE: '20MB', RATE_LIMITS: 'off' }
  const { url, ports } = await startGateway(t, settings)
  const wallet = await WalletClient.signIn(url, testWallet('drops'))
  const { apiKey, connection } = await wallet.issue()
  const user = encodeURIComponent(connection.user)
  const uri = `mongodb://${user}:${apiKey}@127.0.0.1:${ports.wire}/main?directConnection=true`
  const client = new MongoClient(uri)
  const collection = client.db('main').collection<{ _id: number; text: string }>('mine')
  let refused = 0
  let most = 0
  let written = 0
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < documents; i++) {
      try {
        await collection.insertOne({ _id: i, text: String(round).repeat(1_000_000).slice(0, 1e6) })
        written += 1_000_000
      } catch (error) {
        t.match(error, { code: 8000 })
        refused++
      }
    }
    await collection.drop()
    most = Math.max(most, bytesIn(folder))
  }
  await client.close()
  t.comment(`${written} bytes written, ${refused} inserts refused, the folder had ${most} at most`)
  t.ok(written >= 2 * quota - 1_000_000 * documents)
  t.ok(most < 2 * quota + overheadBytes, `${most} bytes at most`)
})
