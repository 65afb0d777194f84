// The snippet of docs/sign-in.md, run as it stands by a throw-away wallet against a Sigil over HTTP.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Wallet } from 'ethers'
import t from 'tap'
import { startGateway } from '../support/live-gateway.js'

const [, snippet = ''] = /```js\n(.*?)```/s.exec(readFileSync('docs/sign-in.md', 'utf8')) ?? []

t.test('a wallet signs in with ethers in 20 lines', async (t) => {
  const { url } = await startGateway(t)
  const { address, privateKey } = Wallet.createRandom()
  const lines = snippet.split('\n').filter((line) => line !== '')
  t.ok(lines.length <= 20, `${lines.length} lines`)
  const child = spawn(process.execPath, ['--input-type=module', '-e', snippet], {
    env: { ...process.env, SIGIL_URL: url, PRIVATE_KEY: privateKey },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [code] = (await once(child, 'close')) as [number | null]
  t.equal(code, 0)
  const [verified, me, inserted, ended] = output.trim().split(/(?<=\})\n/)
  t.equal(verified, `{ address: '${address}', ok: 1 }`)
  t.match(me, address)
  t.match(me, 'chainId: 31337')
  t.match(inserted, 'acknowledged: true')
  t.equal(ended, '{ ok: 1 }')
})
