// A real browser on a page of another origin: what it lets the page send and read, where the origin
// is allowed and where it is not. Skipped where the machine has no chromium.

import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { startGateway } from '../support/live-gateway.js'
import { testWallet } from '../support/wallet.js'
import { WalletClient } from '../support/wallet-client.js'

const run = promisify(execFile)
const chromium = process.env.SIGIL_CHROMIUM ?? 'chromium'
const skip = await run(chromium, ['--version']).then(
  () => false as const,
  () => 'chromium is not installed: apt-get install chromium',
)

/** What the page has found out, by name. */
type Seen = Readonly<Record<string, string>>

/** Serves a page that runs `script` and shows what the script's `seen` holds at its end. */
async function openPage(t: Test, script: () => string): Promise<number> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html><pre id="seen"></pre><script type="module">
      const seen = {}
      const ask = async (name, url, options) => {
        try {
          const answer = await fetch(url, options)
          const text = await answer.text()
          seen[name] = answer.status + ' ' + answer.headers.get('x-request-id')?.length + ' ' + text
        } catch (error) {
          seen[name] = 'blocked'
        }
      }
      ${script()}
      document.querySelector('#seen').textContent = JSON.stringify(seen)
    </script>`)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  t.teardown(() => new Promise((resolve) => server.close(resolve)))
  return (server.address() as AddressInfo).port
}

async function visit(t: Test, url: string): Promise<Seen> {
  const folder = t.testdir()
  const options = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${folder}`]
  const shown = ['--virtual-time-budget=20000', '--dump-dom', url]
  const { stdout } = await run(chromium, [...options, ...shown], { timeout: 120_000 })
  const text = /<pre id="seen">(.*)<\/pre>/s.exec(stdout)?.[1] ?? ''
  return JSON.parse(text.replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&'))
}

t.test('a page of an allowed origin speaks by a key, and others do not', { skip }, async (t) => {
  let script = ''
  const port = await openPage(t, () => script)
  const gateway = await startGateway(t, { ALLOWED_ORIGINS: `http://localhost:${port}` })
  const client = await WalletClient.signIn(gateway.url, testWallet('alice'))
  const { apiKey } = await client.issue()
  const base = gateway.url
  script = `
    const headers = { authorization: 'Bearer ${apiKey}', 'content-type': 'application/json' }
    const body = JSON.stringify({ document: { a: 1 } })
    const url = '${base}/api/v1/collections/books/insertOne'
    await ask('insert', url, { method: 'POST', headers, body })
    await ask('bad', url, { method: 'POST', headers, body: '{' })
    await ask('list', '${base}/api/v1/collections', { headers })
    await ask('named', '${base}/api/v1/collections', { headers: { ...headers, 'x-sigil-database': 'main' } })
    await ask('without a key', '${base}/api/v1/collections')
    await ask('with cookies', '${base}/api/v1/collections', { headers, credentials: 'include' })
    await ask('another header', '${base}/api/v1/collections', { headers: { ...headers, 'x-other': '1' } })
    await ask('sign-in', '${base}/api/v1/auth/nonce', { method: 'POST', headers, body: '{}' })
    await ask('keys', '${base}/api/v1/keys', { headers })
    await ask('mcp', '${base}/mcp', { method: 'POST', headers, body: '{}' })
    const operator = { authorization: 'Bearer ${gateway.key}' }
    await ask('operator', '${base}/api/v1/collections', { headers: operator })
  `
  const seen = await visit(t, `http://localhost:${port}/`)
  t.match(seen, {
    insert: /^200 \d+ .*insertedId/,
    bad: /^400 \d+ .*"ok":0/,
    list: /^200 \d+ .*books/,
    named: /^200 /,
    'without a key': /^401 /,
    'with cookies': 'blocked',
    'another header': 'blocked',
    'sign-in': 'blocked',
    keys: 'blocked',
    mcp: 'blocked',
    operator: /^403 .*origin/,
  })
  const other = await visit(t, `http://127.0.0.1:${port}/`)
  t.same(new Set(Object.values(other)), new Set(['blocked']), 'a name that is not listed')
})
