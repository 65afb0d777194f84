// Keys and signatures are in no log and on no disk: everything that is done with them is done,
// right and wrong, on every protocol, and then all that was written is searched.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import t from 'tap'
import { redact } from '../../src/base/log.js'
import { testKey } from '../support/gateway.js'
import { ask } from '../support/http-client.js'
import { RespClient } from '../support/resp-client.js'
import { endSigil, runSigil, settingsFor, startSigil } from '../support/sigil-process.js'
import { testWallet } from '../support/wallet.js'
import { WalletClient } from '../support/wallet-client.js'
import { WireClient } from '../support/wire-client.js'

const alice = testWallet('alice')

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

t.test('no key and no signature is logged or kept', { timeout: 120_000 }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-secrecy-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const settings = { ...settingsFor(folder), LOG_LEVEL: 'debug', SLOW_COMMAND_MS: '0' }
  const sigil = await startSigil({ ...settings, RATE_LIMITS: 'off' })
  const url = `http://127.0.0.1:${sigil.httpPort}`
  const client = await WalletClient.signIn(url, alice)
  const issued = await client.issue()
  const { key, part } = await client.nextPart()
  const onChain = { label: 'a', permissions: ['all'], onChain: part }
  t.equal((await client.generate(onChain)).status, 200)
  await client.generate(onChain)
  const rotate = await client.rotatePart(0)
  const rotated = await client.send('POST', `/api/v1/keys/${key.hash}/rotate`, {
    onChain: rotate.part,
  })
  t.equal(rotated.status, 200)
  const user = `${alice.address}:s0`
  const wrong = issued.apiKey.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
  for (const secret of [issued.apiKey, wrong, key.apiKey]) {
    for (const headers of [{ authorization: `Bearer ${secret}` }, { 'x-api-key': secret }]) {
      await ask(url, { path: '/api/v1/collections', headers })
      await ask(url, { path: `/api/v1/nowhere?key=${secret}`, headers })
    }
    const wire = await WireClient.open(sigil.wirePort)
    await wire.login(user, secret)
    await wire.close()
    const plain = '?authMechanism=PLAIN&authSource=$external'
    const login = `${encodeURIComponent(user)}:${secret}`
    const uri = `mongodb://${login}@127.0.0.1:${sigil.wirePort}/${plain}`
    const driver = new MongoClient(uri)
    await driver.connect().catch(() => undefined)
    await driver.close()
    const resp = await RespClient.open(sigil.redisPort)
    await resp.call('AUTH', secret)
    await resp.call('AUTH', user, secret)
    await resp.call('HELLO', '3', 'AUTH', user, secret)
    await resp.call('AUTH', user, secret, 'too', 'many')
    resp.socket.destroy()
  }
  const operator = await RespClient.open(sigil.redisPort)
  await operator.call('AUTH', testKey)
  const told = JSON.stringify(await operator.call('SLOWLOG', 'GET', '1000'))
  operator.socket.destroy()
  await client.send('DELETE', `/api/v1/keys/${issued.hash}`)
  await endSigil(sigil, 'SIGTERM')
  const checked = await runSigil(['check'], settings)
  t.equal(checked.code, 0, `${checked.output}${checked.errors}`)

  const secrets = [issued.apiKey, wrong, key.apiKey, rotate.key.apiKey]
  const digits = secrets.map((secret) => secret.slice('svc_live_'.length))
  const signatures = [part, rotate.part].flatMap(({ signature }) => [signature.slice(2)])
  const written = [sigil.output(), sigil.errors(), told]
  for (const file of filesOf(folder)) written.push(readFileSync(file, 'latin1'))
  t.ok(sigil.errors().includes('slow command'), 'there are logs to search')
  for (const hidden of [...digits, ...signatures]) {
    const bytes = Buffer.from(hidden, 'hex').toString('latin1')
    for (const text of written) {
      t.notOk(text.includes(hidden) || text.includes(bytes), hidden.slice(0, 6))
    }
  }
})

t.test('whatever reaches a log is redacted', async (t) => {
  const digits = '0123456789abcdef'.repeat(4)
  for (const secret of [`svc_live_${digits}`, `svc_test_${digits}`, `svc_op_${digits}`]) {
    t.equal(redact(`{"msg":"key ${secret}"}`), '{"msg":"key [redacted]"}')
  }
  for (const bytes of [64, 65, 66, 200]) {
    t.equal(redact(`sig 0x${'aB'.repeat(bytes)}.`), 'sig [redacted].')
  }
  const hash = `0x${'ab'.repeat(32)}`
  t.equal(redact(hash), hash, 'hashes are no secrets')
})
