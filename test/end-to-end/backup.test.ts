// Backup, restore and check by the command line, as an operator uses them: during writes, to another
// folder, with a damaged disk, and interrupted.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { BackupReader } from '../../src/store/backup/backup-reader.js'
import { testKey } from '../support/gateway.js'
import { ask, openApi } from '../support/http-client.js'
import {
  endSigil,
  runSigil,
  type SigilProcess,
  settingsFor,
  startSigil,
} from '../support/sigil-process.js'
import { testWallet } from '../support/wallet.js'
import { WalletClient } from '../support/wallet-client.js'

interface Row {
  _id: number
  half: number
  text: string
}

function room(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-backup-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Unless it has ended already. */
function endsWith(t: Test, sigil: SigilProcess): void {
  t.teardown(async () => {
    if (sigil.child.exitCode === null) await endSigil(sigil, 'SIGKILL')
  })
}

function clientOf({ httpPort }: SigilProcess): Record<string, string> {
  return { SIGIL_URL: `http://127.0.0.1:${httpPort}`, SIGIL_API_KEY: testKey }
}

function rowsOf(client: MongoClient) {
  return client.db('main').collection<Row>('rows')
}

async function connect(t: Test, { wirePort }: SigilProcess): Promise<MongoClient> {
  const client = new MongoClient(`mongodb://operator:${testKey}@127.0.0.1:${wirePort}/main`)
  t.teardown(() => client.close())
  return client.connect()
}

function row(_id: number): Row {
  return { _id, half: _id >>> 1, text: `row ${_id} `.repeat(40) }
}

t.test('a backup during writes is restored elsewhere as one state of all', async (t) => {
  const folder = room(t)
  const sigil = await startSigil(settingsFor(join(folder, 'data')))
  endsWith(t, sigil)
  const client = await connect(t, sigil)
  const rows = rowsOf(client)
  await rows.insertMany(Array.from({ length: 5_000 }, (_, _id) => row(_id)))
  await rows.createIndex({ half: 1 })
  const large = { _id: 1, text: 'y'.repeat(3_000_000) }
  await client.db('main').collection<{ _id: number; text: string }>('large').insertOne(large)

  const file = join(folder, 'a.backup')
  let next = 5_000
  const done = new AbortController()
  const writing = (async () => {
    while (!done.signal.aborted) await rows.insertOne(row(next++))
  })()
  while (next < 5_100) await new Promise((resolve) => setImmediate(resolve))
  const before = next - 1
  const backup = await runSigil(['backup', file, '--rate', '1000'], clientOf(sigil))
  const after = next
  done.abort()
  await writing
  t.match(backup, { code: 0, errors: '', output: /^\d+ entries, \d+\.\d MB, written to / })
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.strictSame(readdirSync(folder).sort(), ['a.backup', 'data'])

  const settings = settingsFor(join(folder, 'other'))
  const restored = await runSigil(['restore', file], settings)
  t.match(restored, { code: 0, errors: '', output: /^\d+ entries, .* by Sigil \d+\.\d+\.\d+\n/ })
  t.match(await runSigil(['restore', file], settings), { code: 1, errors: /is not empty/ })
  const check = await runSigil(['check'], settings)
  t.match(check, { code: 0, errors: '', output: /Nothing is wrong/ })
  const other = await startSigil(settings)
  endsWith(t, other)
  const copy = await connect(t, other)
  const found = await rowsOf(copy).find().sort({ _id: 1 }).toArray()
  t.ok(found.length >= before && found.length <= after, `${before} ${found.length} ${after}`)
  t.strictSame(
    found,
    Array.from({ length: found.length }, (_, _id) => row(_id)),
  )
  t.equal(await rowsOf(copy).estimatedDocumentCount(), found.length)
  t.strictSame(
    (await rowsOf(copy).indexes()).map(({ name }) => name),
    ['_id_', 'half_1'],
  )
  const byIndex = await rowsOf(copy).find({ half: 2_222 }).hint('half_1').toArray()
  t.strictSame(byIndex, [row(4_444), row(4_445)])
  const readLarge = await copy.db('main').collection('large').findOne()
  t.ok(readLarge?.text === large.text, 'a large document is whole')
  await rowsOf(copy).insertOne(row(found.length))
})

t.test('a backup holds no secret, and a restore ends sessions and tells the rights', async (t) => {
  const folder = room(t)
  const sigil = await startSigil({ ...settingsFor(join(folder, 'data')), RATE_LIMITS: 'off' })
  endsWith(t, sigil)
  const url = `http://127.0.0.1:${sigil.httpPort}`
  const operator = openApi(url, testKey)
  const wallet = await WalletClient.signIn(url, testWallet('backup'))
  const { address } = wallet.wallet
  const kept = await wallet.issue('kept')
  const ended = await wallet.issue('ended later', ['read'])
  const body = { document: { _id: 1 } }
  await wallet.send('POST', '/api/v1/collections/mine/insertOne', body)
  const role = { address: testWallet('another').address, action: 'grant', role: 1 }
  await wallet.send('POST', '/api/v1/collections/mine/roles', role)
  await operator.post('kept/insertOne', body, { 'idempotency-key': 'a key of a request' })
  const file = join(folder, 'a.backup')
  t.match(await runSigil(['backup', file], clientOf(sigil)), { code: 0 })
  await wallet.send('DELETE', `/api/v1/keys/${ended.hash}`, {})

  const kinds = new Set<string>()
  const reader = new BackupReader({
    pair: (key) => kinds.add(Buffer.from(key.subarray(0, 2)).toString('hex')),
  })
  reader.push(readFileSync(file))
  const tail = reader.finish()
  for (const kind of ['0a20', '0a21', '0a23', '0a41', '0a42', '0180']) {
    t.notOk(kinds.has(kind), `nothing of kind ${kind}`)
  }
  t.ok(kinds.has('0a10'), 'keys of wallets are in it')
  t.notOk(readFileSync(file).includes(kept.apiKey))
  let entries = 0
  const told = new BackupReader({
    head: ({ pairs }) => {
      entries = pairs
    },
  })
  told.push(readFileSync(file))
  t.equal(entries, tail.pairs, 'the head tells how many there are')

  const { API_KEY: _, ...settings } = settingsFor(join(folder, 'other'))
  const restored = await runSigil(['restore', file], settings)
  t.match(restored, { code: 0, errors: '' })
  t.match(restored.output, /All sessions have ended, and there is no operator key/)
  t.match(
    restored.output,
    /2 API keys of wallets, 1 collection with an owner, 1 role, 0 service users, 0 white/,
  )
  t.match(restored.output, `key ${address}:s0 "kept": all`)
  t.match(restored.output, `key ${address}:s1 "ended later": read\n`)
  t.match(restored.output, `role 1 in main.mine for ${role.address}`)
  const other = await startSigil({ ...settings, RATE_LIMITS: 'off' })
  endsWith(t, other)
  t.match(other.output(), /The operator's key was made/)
  const there = `http://127.0.0.1:${other.httpPort}`
  t.equal((await openApi(there, testKey).get('')).status, 401, 'the old key is unknown')
  const { headers } = wallet
  t.equal((await ask(there, { path: '/api/v1/auth/me', headers })).status, 401)
  t.equal((await openApi(there, kept.apiKey).get('mine/stats')).status, 200)
  t.equal((await openApi(there, ended.apiKey).get('mine/stats')).status, 200, 'it is back')
})

t.test('a backup is not made over a file, or by another identity', async (t) => {
  const folder = room(t)
  const sigil = await startSigil(settingsFor(join(folder, 'data')))
  endsWith(t, sigil)
  const file = join(folder, 'a.backup')
  writeFileSync(file, 'mine')
  const own = clientOf(sigil)
  t.match(await runSigil(['backup', file], own), { code: 1, errors: /is there already; --force/ })
  t.equal(readFileSync(file, 'utf8'), 'mine')
  const wrongKey = { ...own, SIGIL_API_KEY: 'unknown' }
  const refused = await runSigil(['backup', file, '--force'], wrongKey)
  t.match(refused, { code: 1, errors: 'sigil: the key is not valid\n' })
  t.equal(readFileSync(file, 'utf8'), 'mine')
  t.match(await runSigil(['backup', file, '--force'], own), { code: 0, errors: '' })
  t.equal(readFileSync(file, 'latin1').slice(0, 8), 'SIGILBAK')
  writeFileSync(`${file}2.part`, 'left')
  t.match(await runSigil(['backup', `${file}2`], own), {
    code: 1,
    errors: /2\.part is there already/,
  })
  t.match(await runSigil(['backup', `${file}2`, '--force'], own), { code: 0 })
  t.match(await runSigil(['backup', join(folder, 'no', 'b')], own), {
    code: 1,
    errors: /cannot write/,
  })
  t.match(await runSigil(['backup', `${file}3`, '--rate', 'x'], own), {
    code: 1,
    errors: /--rate x/,
  })
  t.match(await runSigil(['backup', `${file}3`, '--rate', '0'], own), { code: 1, errors: /'rate'/ })
  t.match(await runSigil(['backup'], own), { code: 2, errors: /Usage/ })
  t.match(await runSigil(['restore'], {}), { code: 2, errors: /Usage/ })
  const noServer = { ...own, SIGIL_URL: 'http://127.0.0.1:1' }
  t.match(await runSigil(['backup', `${file}3`], noServer), { code: 1, errors: /no Sigil answers/ })
  const memory = { STORE: 'memory:' }
  t.match(await runSigil(['restore', file], memory), { code: 1, errors: /not a data folder/ })
  t.strictSame(readdirSync(folder).sort(), ['a.backup', 'a.backup2', 'data'])
})

for (const signal of ['SIGINT', 'SIGKILL'] as const) {
  t.test(`a client that ends by ${signal} leaves nothing for the next`, (t) => interrupt(t, signal))
}

async function interrupt(t: Test, signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
  const folder = room(t)
  const sigil = await startSigil(settingsFor(join(folder, 'data')))
  endsWith(t, sigil)
  const rows = rowsOf(await connect(t, sigil))
  await rows.insertMany(Array.from({ length: 20_000 }, (_, _id) => row(_id)))
  const file = join(folder, 'a.backup')
  const child: ChildProcess = spawn(
    process.execPath,
    ['build/src/main.js', 'backup', file, '--rate', '1'],
    { env: { PATH: process.env.PATH, ...clientOf(sigil) }, stdio: 'ignore' },
  )
  const ended = once(child, 'close')
  const parts = () => readdirSync(folder).filter((name) => name.endsWith('.part'))
  while (parts().length === 0) await new Promise((resolve) => setImmediate(resolve))
  t.match(await runSigil(['backup', `${file}2`], clientOf(sigil)), {
    code: 1,
    errors: 'sigil: another backup is under way\n',
  })
  child.kill(signal)
  t.strictSame(await ended, signal === 'SIGINT' ? [1, null] : [null, signal])
  t.equal(parts().length, signal === 'SIGINT' ? 0 : 1)
  const again = await untilFree(() => runSigil(['backup', file], clientOf(sigil)))
  t.match(again, { code: 0, errors: '' })
  t.strictSame(readdirSync(folder).sort(), ['a.backup', 'data'])
  const { code } = await endSigil(sigil, 'SIGTERM')
  t.equal(code, 0)
}

/** The server learns of a client's end a moment after the client has ended. */
async function untilFree<T extends { readonly errors: string }>(run: () => Promise<T>): Promise<T> {
  for (;;) {
    const ended = await run()
    if (!ended.errors.includes('under way')) return ended
  }
}

t.test('a flipped bit in a stored value is named by check and by backup', async (t) => {
  const folder = room(t)
  const data = join(folder, 'data')
  const settings = settingsFor(data)
  let sigil = await startSigil(settings)
  endsWith(t, sigil)
  const client = await connect(t, sigil)
  await rowsOf(client).insertMany(Array.from({ length: 500 }, (_, _id) => row(_id)))
  const file = join(folder, 'a.backup')
  t.match(await runSigil(['backup', file], clientOf(sigil)), { code: 0 })
  await client.close()
  await endSigil(sigil, 'SIGTERM')

  const path = join(data, 'data.mdb')
  const image = readFileSync(path)
  const text = Buffer.from('row 123 '.repeat(20))
  let copies = 0
  for (let at = image.indexOf(text); at >= 0; at = image.indexOf(text, at + 1_000)) {
    image[at + 4] = (image[at + 4] ?? 0) ^ 1
    copies++
  }
  t.ok(copies > 0)
  writeFileSync(path, image)
  const named =
    /page \d+ of data\.mdb is damaged: its checksum does not match \(key 02\w+ to key 02\w+\)/
  const check = await runSigil(['check'], settings)
  t.equal(check.code, 1)
  t.match(check.errors, named)
  t.match(check.output, /log: .* sound\ntables: \d+ entries, .* 1 problems\n/)
  t.match(check.output, /\d+ problems\.\n$/)

  sigil = await startSigil(settings)
  endsWith(t, sigil)
  const backup = await runSigil(['backup', `${file}2`], clientOf(sigil))
  t.equal(backup.code, 1)
  t.match(backup.errors, named)
  t.strictSame(readdirSync(folder).sort(), ['a.backup', 'data'])
  await endSigil(sigil, 'SIGTERM')

  const bytes = readFileSync(file)
  bytes[bytes.length >>> 1] = (bytes[bytes.length >>> 1] ?? 0) ^ 8
  writeFileSync(file, bytes)
  const restore = await runSigil(['restore', file], { STORE: `lmdb:${join(folder, 'new')}` })
  t.match(restore, { code: 1, errors: /^sigil: the backup is damaged at byte \d+: / })
  t.strictSame(readdirSync(folder).sort(), ['a.backup', 'data'])
})
