// A lost key, found again: the documentation's own lines, and `sigil keys recover` in its three
// forms.

import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { startGateway } from '../support/live-gateway.js'
import { testWallet } from '../support/wallet.js'
import { WalletClient } from '../support/wallet-client.js'

const alice = testWallet('alice')

interface Ran {
  readonly code: number
  readonly output: string
  readonly errors: string
}

function run(url: string, args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const env = { ...process.env, SIGIL_URL: url }
    const child = execFile(process.execPath, args, { env }, (_error, output, errors) =>
      resolve({ code: child.exitCode ?? -1, output, errors }),
    )
  })
}

function openFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-keys-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  return folder
}

t.test('the lines of docs/keys.md derive, register and recover a key', async (t) => {
  const { url } = await startGateway(t)
  const blocks = readFileSync('docs/keys.md', 'utf8').matchAll(/```js\n(.*?)```/gs)
  const script = [...blocks].map(([, code]) => code).join('\n')
  const { code, output, errors } = await run(url, ['--input-type=module', '--eval', script])
  t.equal(errors, '')
  t.equal(code, 0)
  t.equal(output.trim(), 'true 1')
})

t.test('sigil keys recover', async (t) => {
  const { url } = await startGateway(t)
  const client = await WalletClient.signIn(url, alice)
  const folder = openFolder(t)
  const recover = (...args: readonly string[]) =>
    run(url, ['build/src/main.js', 'keys', 'recover', ...args])
  const none = await recover(alice.address)
  t.match(none, { code: 1, output: /has no such active key/ })
  const [first, second] = [await client.register(), await client.register()]
  await client.issue()

  const told = await recover(alice.address.toLowerCase())
  t.equal(told.code, 0)
  for (const index of [0, 1]) {
    t.match(told.output, `Sigil API Key #${index} for ${alice.address}`)
  }
  const signature = await alice.signMessage(`Sigil API Key #1 for ${alice.address}`)
  const one = await recover(alice.address, '--index', '1', '--signature', signature)
  t.same(one, { code: 0, output: `1  ${second.apiKey}\n`, errors: '' })

  const file = join(folder, 'private-key')
  writeFileSync(file, `${alice.privateKey}\n`, { mode: 0o600 })
  const both = await recover(alice.address, '--private-key-file', file)
  t.same(both, { code: 0, output: `0  ${first.apiKey}\n1  ${second.apiKey}\n`, errors: '' })

  t.test('what does not fit is not shown', async (t) => {
    const wrong = await recover(alice.address, '--index', '0', '--signature', signature)
    t.match(wrong, { code: 1, output: '', errors: /0 {2}not recovered/ })
    const foreign = await recover(testWallet('bob').address, '--private-key-file', file)
    t.match(foreign, { code: 1, output: /has no such active key/ })
    writeFileSync(file, testWallet('bob').privateKey)
    const other = await recover(alice.address, '--private-key-file', file)
    t.match(other, { code: 1, output: '', errors: /holds the private key of 0x/ })
    writeFileSync(file, 'secret')
    const garbage = await recover(alice.address, '--private-key-file', file)
    t.match(garbage, { code: 1, errors: /holds no private key/ })
    t.notMatch(garbage.errors, 'secret\n')
    t.match(await recover('0x12'), { code: 1, errors: /not an address/ })
    t.equal((await recover()).code, 2)
    t.equal((await recover(alice.address, '--signature', signature)).code, 2)
  })
})
