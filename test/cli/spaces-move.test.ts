// `sigil spaces move` that is ended by kill -9 at each of its writes: the next run goes on, and
// what wallets had is in their homes once, the same as before. Nothing is written in between,
// because Sigil does not start on a move that has not ended.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { Wallet } from 'ethers'
import { Redis } from 'ioredis'
import t from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { keyspacesMax } from '../../src/base/limits/key-value.js'
import { silentLog } from '../../src/base/log.js'
import { readSettings } from '../../src/base/settings.js'
import { OpenPlaces } from '../../src/bus/keyvalue/programs/open-places.js'
import { checkKeys } from '../../src/cli/spaces/move-keys.js'
import { moveSpaces } from '../../src/cli/spaces/move-spaces.js'
import { runSpaces } from '../../src/cli/spaces.js'
import { digestOf } from '../../src/engine/keyspace/keys/key-digest.js'
import { walkKeys } from '../../src/engine/keyspace/keys/key-walk.js'
import { listOf } from '../../src/engine/keyspace/lists/list.js'
import { SpaceTable } from '../../src/engine/keyspace/spaces.js'
import { usualBounds, Work } from '../../src/engine/keyspace/work.js'
import { findParts } from '../../src/memory/graph/graph.js'
import { digestOfGraph } from '../../src/memory/graph/graph-digest.js'
import { openStore } from '../../src/store/open.js'
import type { Store } from '../../src/store/store.js'
import { startGateway } from '../support/live-gateway.js'
import { runs } from '../support/runs.js'
import { seed } from '../support/seed.js'
import { endSigil, runSigil, settingsFor, startSigil } from '../support/sigil-process.js'
import { temporaryFolder } from '../support/stores.js'
import { WalletClient } from '../support/wallet-client.js'

t.setTimeout(600_000)

const wallet = new Wallet(`0x${'62'.repeat(32)}`)
const home = `w_${wallet.address.toLowerCase()}`
const pattern = 'session:*'
const keys = { wallet: wallet.address, pattern }
const graphs = ['notes', 'plans'] as const

/** A folder of one space for all, as an older Sigil has left it. */
async function fill(folder: string): Promise<void> {
  const ends: (() => Promise<void>)[] = []
  const gateway = await startGateway(
    { teardown: (end) => ends.push(end) },
    { STORE: `lmdb:${folder}`, SHARED_SPACES: 'shared', RATE_LIMITS: 'off' },
  )
  const client = await WalletClient.signIn(gateway.url, wallet)
  const { apiKey: password } = await client.issue()
  const at = (username: string, db: number) =>
    new Redis({ port: gateway.ports.redis, username, password, db })
  const [shared, third] = [at(wallet.address, 0), at(wallet.address, 3)]
  const fields = Array.from({ length: 1_500 }, (_, i) => [`f${i}`, `v${i}`]).flat()
  const line = shared.pipeline()
  for (let i = 0; i < 450; i++) line.set(`session:${i}`, `value ${i}`)
  for (let i = 0; i < 30; i++) line.set(`other:${i}`, 'of all')
  line.set('session:until', 'later', 'EX', 100_000)
  line.set('session:large', 'x'.repeat(700_000))
  line.set(Buffer.from('session:\xff\xfe', 'latin1'), Buffer.from([0, 255, 128]))
  line.rpush('session:list', ...Array.from({ length: 2_500 }, (_, i) => `e${i % 7}`))
  line.rpush('session:short list', 'a', 'b')
  line.sadd('session:set', ...Array.from({ length: 1_500 }, String))
  line.hset('session:hash', ...fields)
  line.hset('session:small', 'a', '1')
  line.zadd('session:sorted', ...Array.from({ length: 1_500 }, (_, i) => [i / 3, `m${i}`]).flat())
  line.expire('session:hash', 90_000)
  for (const [error] of (await line.exec()) ?? []) t.equal(error, null)
  await third.set('session:third', 'kept apart')
  // A home may have keys already: nothing there is written over.
  const own = at(`${wallet.address}~${home}`, 0)
  await own.set('session:7', 'the own one')
  for (const graph of graphs) {
    for (let i = 0; i < 3; i++) {
      const made = await client.send('POST', '/api/memories', { graph, text: `${graph} ${i}, Ada` })
      t.equal(made.status, 201, made.text)
    }
  }
  for (const each of [shared, third, own]) each.disconnect()
  for (const end of ends) await end()
}

async function withStore<T>(folder: string, body: (store: Store) => Promise<T>): Promise<T> {
  const options = { durability: 'commit', clock: systemClock, log: silentLog } as const
  const store = await openStore(`lmdb:${folder}`, options)
  try {
    return await body(store)
  } finally {
    await store.close()
  }
}

/** Everything in both spaces, by where it lies. */
async function contentsOf(store: Store): Promise<Readonly<Record<string, string>>> {
  const now = systemClock.now()
  const found: Record<string, string> = {}
  const spaces = new SpaceTable('main')
  for (const database of ['main', home]) {
    for (let index = 0; index < keyspacesMax; index++) {
      const place = spaces.of(database).place(index)
      await store.read(function* (tx) {
        const work = new Work(usualBounds, false)
        work.readsMax = Number.POSITIVE_INFINITY
        const ks = yield* new OpenPlaces(tx, now, work).open(place)
        const { keys } = yield* walkKeys(ks, new Uint8Array(0), undefined, 100_000)
        for (const key of keys) {
          const name = Buffer.from(key.name.view()).toString('latin1')
          found[`${place.ns} ${name}`] = yield* digestOf(ks, key)
        }
      })
    }
    for (const name of graphs) {
      const graph = await store.read((tx) => findParts(tx, database, name))
      if (graph !== undefined) {
        found[`${database}/${name}`] = await digestOfGraph(store, graph)
      }
    }
  }
  return found
}

/** Where everything is to be in the end. */
function movedFrom(before: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(before).map(([where, digest]) => {
      const isTaken = where === 'main.kv0 session:7'
      const moves = /^main\.kv\d+ session:|^main\//.test(where) && !isTaken
      return [moves ? where.replace('main', home) : where, digest]
    }),
  )
}

/** Ends with the signal that killed it; null where the move had no such write. */
async function killedAt(folder: string, n: number, when: string): Promise<string | null> {
  const args = ['build/test/support/move-child.js', folder, wallet.address, pattern, `${n}`, when]
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  t.ok(code === null || code === 0, `${n} ${when}: the move ended with ${code}`)
  return signal
}

async function copyOf(folder: string, name: string): Promise<string> {
  const copy = join(folder, '..', name)
  await cp(folder, copy, { recursive: true })
  return copy
}

/** Of a start on it; undefined where it starts. */
async function refusalOf(folder: string): Promise<string | undefined> {
  const ends: (() => Promise<void>)[] = []
  try {
    await startGateway({ teardown: (end) => ends.push(end) }, { STORE: `lmdb:${folder}` })
    return undefined
  } catch (error) {
    return String(error)
  } finally {
    for (const end of ends) await end()
  }
}

t.test('a move that is killed at any write goes on without loss or doubling', async (t) => {
  const folder = join(await temporaryFolder(t), 'data')
  await fill(folder)
  const before = await withStore(folder, contentsOf)
  const expected = movedFrom(before)
  t.equal(Object.keys(before).length, 493, 'the folder holds what the test has put there')
  const stride = runs(1) > 1 ? 1 : 4
  let points = 0
  let wasRefused = false
  for (let n = 1 + (seed % stride), isKilled = true; isKilled; n += stride) {
    for (const when of ['during', 'behind']) {
      const at = `killed ${when} write ${n}`
      const copy = await copyOf(folder, `${when}${n}`)
      isKilled = (await killedAt(copy, n, when)) === 'SIGKILL'
      if (!isKilled) break
      points++
      // The last write ends the move.
      if (when === 'behind' && n > 1 && !wasRefused) {
        wasRefused = true
        t.match(await refusalOf(copy), /spaces move/, `${at}: no start`)
      }
      const STORE = `lmdb:${copy}`
      const code = await runSpaces(readSettings({ STORE }), {
        keys: wallet.address,
        match: pattern,
      })
      t.equal(code, 0, at)
      t.same(await withStore(copy, contentsOf), expected, at)
      if (when === 'behind' && (stride > 1 || n % 4 === 0)) {
        const check = await runSigil(['check'], settingsFor(copy))
        t.equal(check.code, 0, `${at}: ${check.output}${check.errors}`)
      }
    }
  }
  t.ok(points >= 16 / stride, `${points} places to be killed at`)
})

t.test('a move that was ended and is run again for other keys does both', async (t) => {
  const folder = join(await temporaryFolder(t), 'data')
  await fill(folder)
  t.equal(await killedAt(folder, 4, 'behind'), 'SIGKILL')
  t.equal(await runSpaces(readSettings({ STORE: `lmdb:${folder}` }), { keys: wallet.address }), 0)
  const after = Object.keys(await withStore(folder, contentsOf))
  const left = after.filter((where) => where.startsWith('main'))
  t.same(left, ['main.kv0 session:7'], 'all but the key whose name was taken')
  t.equal(await refusalOf(folder), undefined, 'it starts')
})

t.test('what is not what it was before the move is told', async (t) => {
  const folder = join(await temporaryFolder(t), 'data')
  await fill(folder)
  const parts = { database: 'main', now: systemClock.now(), say: () => undefined }
  await withStore(folder, async (store) => {
    await moveSpaces({ store, ...parts }, keys)
    const place = new SpaceTable('main').of(home).place(0)
    const taken = await store.read(function* (tx) {
      const ks = yield* new OpenPlaces(tx, parts.now, new Work(usualBounds, false)).open(place)
      const { keys } = yield* walkKeys(ks, Buffer.from('session:short'), undefined, 10)
      const [key] = keys
      if (key === undefined) throw new Error('the list is there')
      const digest = yield* digestOf(ks, key)
      return { place: Buffer.from(key.record.subarray(5)).toString('hex'), expiresAt: -1, digest }
    })
    const moved = { kind: 'keys', index: 0, wallet: wallet.address, keys: [taken] } as const
    await checkKeys({ store, ...parts }, moved)
    await store.write(function* (tx) {
      const places = new OpenPlaces(tx, parts.now, new Work(usualBounds, false))
      const ks = yield* places.open(place)
      const { keys } = yield* walkKeys(ks, Buffer.from('session:short'), undefined, 10)
      const [key] = keys
      if (key === undefined) throw new Error('the list is there')
      const list = listOf(ks, key)
      yield* list.push('back', yield* list.pop('front', 1))
      yield* list.save()
      places.noteChange(ks, [])
      yield* places.finish()
    })
    // As many elements as before, in another order.
    await t.rejects(checkKeys({ store, ...parts }, moved), /not what it was before the move/)
  })
})

t.test('a Sigil that runs has the folder to itself', async (t) => {
  const folder = join(await temporaryFolder(t), 'data')
  const sigil = await startSigil(settingsFor(folder))
  const refused = await runSigil(['spaces', 'move'], settingsFor(folder))
  t.not(refused.code, 0)
  t.match(refused.errors, /in use by another process/)
  t.equal((await endSigil(sigil, 'SIGTERM')).code, 0)
})
