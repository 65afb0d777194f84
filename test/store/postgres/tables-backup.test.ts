// Backups of the tables while gateways write: each is the state of one moment, in the format of a
// data folder, and is restored into a folder and into other tables.

import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Collection, type MongoClient, ObjectId } from 'mongodb'
import t, { type Test } from 'tap'
import type { Bytes } from '../../../src/base/bytes/bytes.js'
import { systemClock } from '../../../src/base/clock.js'
import { silentLog } from '../../../src/base/log.js'
import { readSettings } from '../../../src/base/settings.js'
import { runCheck } from '../../../src/cli/check.js'
import { runRestore } from '../../../src/cli/restore.js'
import { BackupReader } from '../../../src/store/backup/backup-reader.js'
import { restoreInto } from '../../../src/store/backup/restore.js'
import { framed } from '../../../src/store/copy/ends.js'
import { idKey, keyClass } from '../../../src/store/layout.js'
import { openLmdbStore } from '../../../src/store/lmdb.js'
import { type Address, parseAddress } from '../../../src/store/postgres/address.js'
import { PostgresSource } from '../../../src/store/postgres/copy/copy-ends.js'
import { TablesRestore } from '../../../src/store/postgres/copy/restore-target.js'
import type { Backup, Store } from '../../../src/store/store.js'
import { firstKey } from '../../../src/store/tables/tables-walk.js'
import { backupOptions, fileOf, type Pair, piecesOf } from '../../support/backups.js'
import { type LiveGateway, startGateway } from '../../support/live-gateway.js'
import { openReference, postgresMissing } from '../../support/postgres-reference.js'
import { mongoOn, openPair, redisOn, until } from '../../support/shared-pair.js'
import {
  addressOn,
  openShared,
  postgresServer,
  sharedAddress,
} from '../../support/shared-stores.js'
import { temporaryFolder } from '../../support/stores.js'

t.setTimeout(120_000)
const skip = { skip: postgresMissing }

function addressIn(text: string): Address {
  const address = parseAddress(text)
  if (address === undefined) throw new Error(text)
  return address
}

async function take(store: Store, without: readonly Bytes[] = []): Promise<Bytes> {
  const backup = await store.backup?.({ ...backupOptions, without })
  if (backup === undefined) throw new Error('the store has backups')
  return fileOf(backup)
}

async function pairsIn(file: Bytes): Promise<Pair[]> {
  const pairs: Pair[] = []
  const reader = new BackupReader({
    pair: (key, value) => {
      pairs.push({ key: Uint8Array.from(key), value: Uint8Array.from(value) })
    },
  })
  for await (const piece of piecesOf(file)) reader.push(piece)
  reader.finish()
  return pairs
}

/** What lies in tables that no gateway uses, as a backup has it. */
async function pairsOf(text: string): Promise<Pair[]> {
  const source = await PostgresSource.open(addressIn(text))
  const pairs: Pair[] = []
  for (let after = firstKey; ; ) {
    const page = await source.page(after)
    for (const pair of page) pairs.push({ key: pair.key, value: framed(pair) })
    const last = page.at(-1)
    if (last === undefined) break
    after = last.key
  }
  await source.close()
  return pairs
}

/** Comparing bytes one by one is slow. */
function shown(pairs: readonly Pair[]): string[] {
  return pairs.map(({ key, value }) => {
    return `${Buffer.from(key).toString('hex')} ${hash('sha256', value)}`
  })
}

const numbered = (n: number): Bytes => Uint8Array.of(n >> 8, n & 255)

/** Pairs of each class, more than a page of some, large values and counters. */
async function fill(store: Store): Promise<void> {
  for (let from = 0; from < 600; from += 100) {
    await store.write(function* (tx) {
      for (let n = from; n < from + 100; n++) {
        const length = n % 150 === 0 ? 262_144 : n % 300
        tx.put(idKey(keyClass.record, 1, numbered(n)), new Uint8Array(length).fill(n))
        tx.put(idKey(keyClass.entry, 2, numbered(n)), numbered(n))
        tx.add(idKey(keyClass.count, n), 1, n)
      }
    })
  }
  await store.write(function* (tx) {
    for (const kind of Object.values(keyClass)) {
      if (kind === keyClass.meta || kind === keyClass.count || kind === keyClass.chunk) continue
      tx.put(idKey(kind, 9), new Uint8Array(0))
    }
  })
}

t.test('a backup has every pair of the tables, and leaves out what it is told', skip, async (t) => {
  const text = await sharedAddress(t)
  const store = await openShared(t, text)
  await fill(store)
  const without = [Uint8Array.of(keyClass.entry), idKey(keyClass.count, 7)]
  const [whole, part] = [await take(store), await take(store, without)]
  await store.close()
  const wanted = await pairsOf(text)
  t.ok(wanted.length > 1_800)
  t.same(shown(await pairsIn(whole)), shown(wanted))
  const isLeftOut = ({ key }: Pair) =>
    key[0] === keyClass.entry || Buffer.from(key).equals(idKey(keyClass.count, 7))
  t.same(
    await pairsIn(part),
    wanted.filter((pair) => !isLeftOut(pair)),
  )
})

t.test('a restored store has the pairs of the backup, and goes on from them', skip, async (t) => {
  const store = await openShared(t, await sharedAddress(t))
  const empty = await take(store)
  await fill(store)
  const file = await take(store)
  for (const given of [empty, file]) {
    const text = await sharedAddress(t)
    const restored = await restoreInto(await TablesRestore.open(addressIn(text)), {
      pieces: piecesOf(given),
    })
    t.equal(restored.pairs, (await pairsOf(text)).length)
    t.same(shown(await pairsOf(text)), shown(await pairsIn(given)))
    const next = await openShared(t, text)
    const key = idKey(keyClass.record, 1, numbered(5))
    await next.write(function* (tx) {
      tx.put(key, numbered(1))
    })
    const after = await next.read(function* (tx) {
      return yield* tx.getVersioned(key)
    })
    const { applied } = restored.head
    t.ok((after?.version ?? 0) > applied.version, 'versions grow over the restore')
    await next.close()
  }
})

/** Two collections of accounts, with much in between in the order of the keys. */
interface Bank {
  readonly client: MongoClient
  readonly accounts: readonly [Collection, Collection]
}

const accountsOfSide = 20
const total = 2 * accountsOfSide * 100

async function bankOn(t: Test, gateway: LiveGateway): Promise<Bank> {
  const client = await mongoOn(t, gateway)
  const db = client.db('main')
  return { client, accounts: [db.collection('first'), db.collection('last')] }
}

async function openAccounts({ client, accounts }: Bank): Promise<void> {
  const side = Array.from({ length: accountsOfSide }, (_, n) => ({ _id: n as never, balance: 100 }))
  const between = client.db('main').collection('between')
  await accounts[0].insertMany(side)
  await between.createIndex({ n: 1 }, { unique: true })
  await between.insertMany(Array.from({ length: 500 }, (_, n) => ({ n, text: 'x'.repeat(4_000) })))
  await accounts[1].insertMany(side)
}

/** Moves money until it is over, which is asked before each transfer. */
async function transfer(
  { client, accounts: [first, last] }: Bank,
  isOver: () => boolean,
): Promise<void> {
  for (let n = 0; !isOver(); n++) {
    const [from, to] = n % 2 === 0 ? [first, last] : [last, first]
    const [one, other] = [n % accountsOfSide, (7 * n) % accountsOfSide]
    await client.withSession((session) =>
      session.withTransaction(async () => {
        await from.updateOne({ _id: one as never }, { $inc: { balance: -1 } }, { session })
        await to.updateOne({ _id: other as never }, { $inc: { balance: 1 } }, { session })
      }),
    )
    const between = client.db('main').collection('between')
    await between.insertOne({ n: new ObjectId() })
  }
}

async function balances({ accounts }: Bank): Promise<number> {
  let sum = 0
  for (const side of accounts) {
    for await (const { balance } of side.find()) sum += Number(balance)
  }
  return sum
}

async function download({ url, key }: LiveGateway, body: object): Promise<Response> {
  return fetch(`${url}/api/v1/backup`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

t.test('while two gateways write, a backup is of one moment', skip, async (t) => {
  const { gateways } = await openPair(t)
  const [one, two] = gateways
  const banks = [await bankOn(t, one), await bankOn(t, two)] as const
  await openAccounts(banks[0])
  const keys = redisOn(t, two)
  await keys.zadd('z', ...Array.from({ length: 300 }, (_, n) => [n, `m${n}`]).flat())
  await keys.set('s', 'x'.repeat(600_000))
  let isOver = false
  const done = [0, 0]
  const counted = banks.map((bank, index) =>
    transfer(bank, () => {
      done[index] = (done[index] ?? 0) + 1
      return isOver
    }),
  )
  const answer = await download(one, { rate: 1 })
  const before = [...done]
  const file = join(await temporaryFolder(t), 'backup')
  const made = () => done.map((count, index) => count - (before[index] ?? 0))
  // The state is fixed when the answer begins, however slow the gateways are.
  await until(async () => made().every((count) => count > 5))
  writeFileSync(file, new Uint8Array(await answer.arrayBuffer()))
  const during = made()
  isOver = true
  await Promise.all(counted)
  t.ok(
    during.every((count) => count > 5),
    `both wrote meanwhile: ${during}`,
  )
  const folder = join(await temporaryFolder(t), 'data')
  for (const STORE of [`lmdb:${folder}`, await sharedAddress(t)]) {
    const settings = readSettings({ STORE, DURABILITY: 'none' })
    t.equal(await runRestore(settings, file), 0)
    t.equal(await runCheck(settings), 0, 'sigil check')
    const gateway = await startGateway(t, { STORE, DURABILITY: 'none' })
    const bank = await bankOn(t, gateway)
    t.equal(await balances(bank), total)
    const between = bank.client.db('main').collection('between')
    t.equal(await between.countDocuments({ n: { $type: 'number' } }), 500)
    await t.rejects(between.insertOne({ n: 7 }), { code: 11_000 })
    const restored = redisOn(t, gateway)
    t.equal(await restored.zscore('z', 'm299'), '299')
    t.equal(await restored.strlen('s'), 600_000)
    await transfer(bank, once())
    t.equal(await balances(bank), total)
    restored.disconnect()
    await bank.client.close()
    await gateway.close()
  }
})

/** False the first time. */
function once(): () => boolean {
  let asked = 0
  return () => asked++ > 0
}

t.test('a backup of a folder is restored into tables', skip, async (t) => {
  const folder = join(await temporaryFolder(t), 'data')
  const options = { durability: 'none', clock: systemClock, log: silentLog } as const
  const store = openLmdbStore({ path: folder, ...options })
  await fill(store)
  const file = await take(store)
  await store.close()
  const text = await sharedAddress(t)
  await restoreInto(await TablesRestore.open(addressIn(text)), { pieces: piecesOf(file) })
  t.same(shown(await pairsOf(text)), shown(await pairsIn(file)))
})

t.test('a restore into tables is whole or nothing', skip, async (t) => {
  const store = await openShared(t, await sharedAddress(t))
  await fill(store)
  const file = await take(store)
  const used = await sharedAddress(t)
  const gateway = await openShared(t, used)
  await t.rejects(TablesRestore.open(addressIn(used)), { message: /schema .* is not empty/ })
  await gateway.close()
  const { folder } = await postgresServer(t)
  const text = addressOn(folder)
  const damaged = Uint8Array.from(file)
  damaged[file.length - 100_000] = 255 - (damaged[file.length - 100_000] ?? 0)
  const begin = async (given: Bytes) =>
    restoreInto(await TablesRestore.open(addressIn(text)), { pieces: piecesOf(given) })
  await t.rejects(begin(damaged), { message: /damaged at byte/ })
  await t.rejects(begin(file.subarray(0, file.length - 1)), { message: /not whole/ })
  t.same(await pairsOf(text), [], 'nothing is left')
  const target = await TablesRestore.open(addressIn(text))
  await target.put((await pairsIn(file)).slice(0, 100))
  const unfinished = { message: /copy of a backup into schema .* is unfinished/ }
  await t.rejects(openShared(t, text), unfinished)
  await t.rejects(TablesRestore.open(addressIn(text)), { message: /under way/ })
  await endConnections(t, folder, 'sigil copy')
  await target.end()
  await t.rejects(openShared(t, text), unfinished, 'as if it had been killed')
  await begin(file)
  t.same(shown(await pairsOf(text)), shown(await pairsIn(file)), 'a later one begins anew')
})

/** On a server that no other test file uses. */
async function endConnections(t: Test, folder: string, name: string): Promise<void> {
  const { query } = openReference(t, folder)
  const named = `FROM pg_stat_activity WHERE application_name = '${name}'`
  await query(`SELECT pg_terminate_backend(pid) ${named}`)
}

t.test('one backup at a time, and what ends it', skip, async (t) => {
  const { folder } = await postgresServer(t)
  const text = addressOn(folder)
  const store = await openShared(t, text)
  await fill(store)
  const begin = async (bytesPerSecond = backupOptions.bytesPerSecond): Promise<Backup> => {
    const backup = await store.backup?.({ ...backupOptions, bytesPerSecond })
    if (backup === undefined) throw new Error('the store has backups')
    return backup
  }
  const first = await begin()
  t.match(store.stats().backup, { donePairs: 0 })
  await t.rejects(begin(), { code: 117 })
  const other = await openShared(t, text)
  t.same(
    shown(await pairsIn(await take(other))),
    shown(await pairsIn(await fileOf(first))),
    'of each gateway',
  )
  const lost = await begin(1_000_000)
  await endConnections(t, folder, 'sigil backup')
  await t.rejects(fileOf(lost), { code: 91 })
  await take(store)
  const open = await begin()
  await store.close()
  await t.rejects(fileOf(open), { code: 91 })
})
