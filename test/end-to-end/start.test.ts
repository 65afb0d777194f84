// The first minutes of a user: what starting prints and keeps, what stopping leaves, and what a
// start that cannot work says.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import t from 'tap'
import { ask, openApi } from '../support/http-client.js'
import { endSigil, runSigil, settingsFor, startSigil } from '../support/sigil-process.js'

function folderFor(t: { teardown(end: () => void): unknown }): string {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-start-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function withoutKey(folder: string): Record<string, string> {
  const { API_KEY: _, ...rest } = settingsFor(folder)
  return rest
}

t.test('the first start makes a key, shows it once, and keeps only its hash', async (t) => {
  const folder = join(folderFor(t), 'data')
  const first = await startSigil(withoutKey(folder))
  const key = /svc_op_[0-9a-f]{64}/.exec(first.output())?.[0] ?? ''
  t.match(first.output(), /npx mongosh "mongodb:\/\/operator:svc_op_/)
  t.match(first.output(), /curl -H "x-api-key: svc_op_/)
  t.match(first.output(), `Studio         http://127.0.0.1:${first.httpPort}/\n`)
  const api = openApi(`http://127.0.0.1:${first.httpPort}`, key)
  t.equal((await api.post('a/insertOne', { document: { _id: 1 } })).status, 200)
  t.equal((await endSigil(first, 'SIGTERM')).code, 0)
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (!statSync(path).isFile()) continue
    t.notOk(readFileSync(path).includes(key), `${name} does not hold the key`)
    t.equal(statSync(path).mode & 0o077, 0, `${name} is the owner's alone`)
  }
  t.equal(statSync(folder).mode & 0o077, 0, 'so is the folder')
  const second = await startSigil(withoutKey(folder))
  t.notMatch(second.output(), /svc_op_/)
  const again = openApi(`http://127.0.0.1:${second.httpPort}`, key)
  t.equal((await again.post('a/count', {})).json.count, 1)
  const uri = `mongodb://operator:${key}@127.0.0.1:${second.wirePort}/main`
  const client = await MongoClient.connect(uri)
  t.equal(await client.db().collection('a').countDocuments(), 1)
  await client.close()
  t.equal((await endSigil(second, 'SIGINT')).code, 0)
})

t.test('OPERATOR_KEY_FILE takes the key instead of the screen', async (t) => {
  const folder = folderFor(t)
  const file = join(folder, 'operator.key')
  const settings = { ...withoutKey(join(folder, 'data')), OPERATOR_KEY_FILE: file }
  const sigil = await startSigil(settings)
  t.notMatch(sigil.output(), /svc_op_/)
  t.equal(statSync(file).mode & 0o077, 0)
  const key = readFileSync(file, 'utf8').trim()
  const api = openApi(`http://127.0.0.1:${sigil.httpPort}`, key)
  t.equal((await api.get('')).status, 200)
  await endSigil(sigil, 'SIGTERM')
})

t.test('operator-key makes a new key, and the old one is worth nothing', async (t) => {
  const folder = folderFor(t)
  const first = await startSigil(withoutKey(folder))
  const old = /svc_op_[0-9a-f]{64}/.exec(first.output())?.[0] ?? ''
  await endSigil(first, 'SIGTERM')
  const made = await runSigil(['operator-key'], withoutKey(folder))
  const key = /svc_op_[0-9a-f]{64}/.exec(made.output)?.[0] ?? ''
  t.not(key, old)
  const second = await startSigil(withoutKey(folder))
  const base = `http://127.0.0.1:${second.httpPort}`
  t.equal((await openApi(base, old).get('')).status, 401)
  t.equal((await openApi(base, key).get('')).status, 200)
  const told = await openApi(base, key).post('_audit/find', {})
  t.match(told.json, { cursor: { firstBatch: [{ act: 'operatorKey', protocol: 'cli' }] } })
  await endSigil(second, 'SIGTERM')
})

t.test('a start that cannot work says why in one line and harms nothing', async (t) => {
  const folder = folderFor(t)
  const running = await startSigil(settingsFor(folder))
  t.teardown(() => endSigil(running, 'SIGTERM'))
  const taken = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => taken.once('listening', resolve))
  t.teardown(() => taken.close())
  const { port } = taken.address() as { port: number }
  const file = join(folderFor(t), 'file')
  writeFileSync(file, '')
  const fresh = () => settingsFor(folderFor(t))
  const cases: readonly [string, Record<string, string>, RegExp][] = [
    ['a folder in use', settingsFor(folder), /another (process|Sigil)|in use/i],
    ['a port in use', { ...fresh(), WIRE_PORT: String(port) }, /WIRE_PORT=\d+: the port is in use/],
    [
      'a bad setting',
      { ...fresh(), HTTP_PORT: 'x' },
      /setting HTTP_PORT=x: must be a whole number/,
    ],
    ['a bad store', { ...fresh(), STORE: 'mysql://x' }, /STORE=mysql:\/\/x/],
    ['a folder that is a file', { ...fresh(), STORE: `lmdb:${file}` }, /file/],
    ['a network without TLS', { ...fresh(), HOST: '0.0.0.0', WHITELIST: 'enforce' }, /without TLS/],
    ['a network without a word on the whitelist', { ...fresh(), HOST: '0.0.0.0' }, /WHITELIST/],
    ['no authentication on a network', { ...fresh(), HOST: '0.0.0.0', AUTH_MODE: 'off' }, /AUTH/],
    ['a certificate without a key', { ...fresh(), TLS_CERT: file }, /TLS_KEY/],
    [
      'an address of another machine',
      { ...fresh(), HOST: '192.0.2.1', ALLOW_INSECURE: '1', WHITELIST: 'off' },
      /HOST/,
    ],
    ['a short key on a network', { ...fresh(), HOST: '0.0.0.0', API_KEY: 'short' }, /API_KEY/],
  ]
  for (const [name, settings, expected] of cases) {
    const ended = await runSigil(['start'], settings)
    t.equal(ended.code, 1, name)
    t.match(ended.errors, expected, name)
    t.equal(ended.errors.trim().split('\n').length, 1, `${name}: ${ended.errors}`)
    t.notMatch(ended.output, /serves/, name)
  }
  const health = await ask(`http://127.0.0.1:${running.httpPort}`, { path: '/health' })
  t.equal(health.json.status, 'ok', 'the one that runs is unharmed')
})

t.test('SIGTERM lets commands in flight finish', async (t) => {
  const sigil = await startSigil(settingsFor(folderFor(t)))
  const api = openApi(`http://127.0.0.1:${sigil.httpPort}`, settingsFor('').API_KEY ?? '')
  const documents = Array.from({ length: 20_000 }, (_, n) => ({ _id: n, n }))
  const insert = api.post('a/insertMany', { documents })
  while ((await api.post('a/count', {})).json.count === 0);
  const ended = endSigil(sigil, 'SIGTERM')
  const { status, json } = await insert
  t.same({ status, n: json.insertedCount }, { status: 200, n: 20_000 })
  t.equal((await ended).code, 0)
})

t.test('the command line explains itself', async (t) => {
  const help = await runSigil(['--help'], {})
  t.match(help, { code: 0, output: /operator-key/ })
  const version = await runSigil(['--version'], {})
  t.match(version.output, /^\d+\.\d+\.\d+\n$/)
  t.match(await runSigil(['nothing'], {}), { code: 2, errors: /unknown command 'nothing'/ })
  const config = await runSigil(['config'], { API_KEY: 'svc_op_secret', HTTP_PORT: '7' })
  t.match(config.output, /`HTTP_PORT` \| `7`/)
  t.notMatch(config.output, /svc_op_secret/)
})
