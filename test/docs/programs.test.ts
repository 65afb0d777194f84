// The programs of docs/examples as they stand, each against a Sigil of its own: the Express
// application, the page with a wallet, the agent, the Python notebook and the copy from Redis.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { getBytes, type Wallet } from 'ethers'
import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { RedisServer, redisServerMissing } from '../protocol/resp/redis-server.js'
import { Browser } from '../support/browser.js'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'
import { RespClient } from '../support/resp-client.js'
import { testWallet } from '../support/wallet.js'

t.setTimeout(240_000)

const run = promisify(execFile)
const { PATH = '', HOME = '' } = process.env

function environment({ ports, key, url }: LiveGateway): Record<string, string> {
  const here = (port: number) => `127.0.0.1:${port}`
  return {
    ...{ PATH, HOME, SIGIL_USER: 'operator', SIGIL_API_KEY: key, SIGIL_URL: url },
    ...{ SIGIL_WIRE: here(ports.wire), SIGIL_REDIS: here(ports.redis), SIGIL_SQL: here(ports.sql) },
  }
}

t.test('the list of examples is whole', async (t) => {
  const list = readFileSync('docs/examples/README.md', 'utf8')
  for (const name of readdirSync('docs/examples').filter((name) => name !== 'README.md')) {
    t.match(list, `[${name}](${name})`)
  }
})

t.test('the Express application keeps sessions and notes', async (t) => {
  const gateway = await startGateway(t)
  const child = spawn(process.execPath, ['docs/examples/express-app.mjs'], {
    env: { ...environment(gateway), PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  const url = printed.trim()
  let cookie = ''
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = { 'content-type': 'application/json', cookie }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(`${url}${path}`, { method, headers, ...sent })
    cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
    return { status: answer.status, body: await answer.json() }
  }
  t.match(await ask('GET', '/notes'), { status: 401 })
  t.match(await ask('POST', '/login', { name: 'ada' }), { status: 200, body: { user: 'ada' } })
  t.match(await ask('POST', '/notes', { text: 'first' }), { status: 201, body: { author: 'ada' } })
  t.match(await ask('POST', '/notes', {}), { status: 400, body: { error: /text/ } })
  t.match(await ask('GET', '/notes'), { status: 200, body: [{ text: 'first' }] })

  const client = await MongoClient.connect(gateway.uri)
  t.teardown(() => client.close())
  const db = client.db('main')
  t.equal(await db.collection('app_notes').countDocuments({ author: 'ada' }), 1)
  t.equal(await db.collection('kv0').countDocuments({ type: 'string' }), 1, 'the session is a key')
  t.match(await ask('POST', '/logout'), { status: 200 })
  t.match(await ask('GET', '/notes'), { status: 401 })
  t.equal(await db.collection('kv0').countDocuments(), 0)

  const gone = once(child, 'close')
  child.kill('SIGTERM')
  t.same((await gone)[0], 0, 'it ends by itself')
})

t.test('the agent knows in its next life what it was told', async (t) => {
  const gateway = await startGateway(t)
  const talk = async (lines: string) => {
    const child = spawn(process.execPath, ['docs/examples/agent.mjs'], {
      env: environment(gateway),
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.stdin.end(lines)
    const [code] = await once(child, 'close')
    t.equal(code, 0)
    return output
  }
  const first = await talk('Ada moved to Lisbon in May.\nWhere is Lisbon?\n')
  t.match(first, /^I know nothing about that yet\.\nI remember: Ada moved to Lisbon in May\.\n$/)
  t.match(await talk('Who lives in Lisbon?\n'), 'Ada moved to Lisbon in May.')
})

const python = process.env.SIGIL_PYTHON ?? 'python3'
const hasPackages = await run(python, ['-c', 'import pymongo, psycopg']).then(
  () => true,
  () => process.env.CI === 'true',
)
const noPython = hasPackages
  ? false
  : `no pymongo and psycopg in ${python}: SIGIL_PYTHON names another`

t.test('the notebook sees one set of data by two libraries', { skip: noPython }, async (t) => {
  const gateway = await startGateway(t)
  const given = { env: environment(gateway), timeout: 120_000 }
  const { stdout } = await run(python, ['docs/examples/notebook.py'], given)
  const [counted, ...rest] = stdout.trim().split('\n')
  t.equal(counted, '300 readings')
  const values = Array.from({ length: 300 }, (_, n) => ({
    sensor: 'abc'[n % 3],
    value: (n * n) % 17,
  }))
  const groups = ['a', 'b', 'c'].map((sensor) => {
    const kept = values.filter((row) => row.sensor === sensor && row.value > 3)
    const mean = kept.reduce((sum, { value }) => sum + value, 0) / kept.length
    return `${sensor} ${kept.length} ${Math.round(mean * 100) / 100}`
  })
  t.same(rest, [...groups, '0', 'refused: 11000', 'refused: 23505'])
})

t.test(
  'keys of Redis are copied with their time',
  { skip: (await redisServerMissing()) ?? false },
  async (t) => {
    const redis = await RedisServer.open()
    t.teardown(() => redis.close())
    const gateway = await startGateway(t)
    const theirs = await RespClient.open(redis.port)
    const commands = [
      'SET text hello EX 1000',
      'HSET hash name Ada city Lisbon',
      'RPUSH list a b c',
      'SADD set x y',
      'ZADD board 1.5 ada 2 ben',
      'XADD stream * field value',
    ]
    for (const line of commands) await theirs.call(...line.split(' '))
    for (let i = 0; i < 1_200; i++)
      await theirs.call('SET', `many:${i}`, Buffer.from([0, 255, i % 256]))
    const FROM = `redis://127.0.0.1:${redis.port}`
    const TO = `redis://operator:${gateway.key}@127.0.0.1:${gateway.ports.redis}`
    const copy = () =>
      run(process.execPath, ['docs/examples/copy-redis.mjs'], { env: { PATH, HOME, FROM, TO } })
    await t.rejects(copy(), { code: 1, stdout: '1205 keys copied\n', stderr: /^stream: / })
    await theirs.call('DEL', 'stream')
    t.match(await copy(), { stdout: '1205 keys copied\n', stderr: '' })
    const ours = await RespClient.open(gateway.ports.redis)
    await ours.call('AUTH', 'operator', gateway.key)
    for (const line of [
      'GET text',
      'HGETALL hash',
      'LRANGE list 0 -1',
      'ZRANGE board 0 -1 WITHSCORES',
    ]) {
      const words = line.split(' ')
      t.same(await ours.call(...words), await theirs.call(...words), line)
    }
    t.same(await ours.call('GET', 'many:255'), await theirs.call('GET', 'many:255'))
    t.match(await ours.call('TTL', 'text'), /^:(?:1000|9\d\d)/)
    ours.close()
    theirs.close()
  },
)

/** As much of a document as the page uses. */
class Page {
  private readonly elements = new Map<string, Element>()

  element(id: string): Element {
    const found = this.elements.get(id) ?? { hidden: false, textContent: '', value: '', items: [] }
    this.elements.set(id, found)
    return found
  }
}

interface Element {
  hidden: boolean
  textContent: string
  value: string
  items: readonly Element[]
  onclick?: () => Promise<void>
  onsubmit?: () => Promise<void>
}

/** What a browser's wallet answers. */
function walletOf(wallet: Wallet) {
  return {
    async request({ method, params = [] }: { method: string; params?: readonly string[] }) {
      if (method === 'eth_requestAccounts') return [wallet.address.toLowerCase()]
      if (method === 'personal_sign') return wallet.signMessage(getBytes(params[0] ?? ''))
      throw new Error(`the wallet was asked for ${method}`)
    },
  }
}

/** Runs the page's script as a browser would that has this wallet. */
async function openPage(t: Test, url: string, wallet: Wallet | undefined) {
  const html = readFileSync('docs/examples/sign-in.html', 'utf8')
  const script = /<script>(.*)<\/script>/s.exec(html)?.[1] ?? ''
  const ids = [...html.matchAll(/ id="([\w-]+)"/g)].map(([, id]) => id)
  const page = new Page()
  const browser = new Browser(url, { origin: url })
  const document = {
    getElementById: (id: string) => {
      t.ok(ids.includes(id), `the page has #${id}`)
      const element = page.element(id)
      return Object.assign(element, {
        replaceChildren: (...items: Element[]) => Object.assign(element, { items }),
      })
    },
    createElement: () => ({ textContent: '' }),
    get cookie() {
      return [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    },
  }
  const fetchPage = async (
    path: string,
    asked: { method: string; headers: object; body?: string },
  ) => {
    const headers = { ...asked.headers } as Record<string, string>
    const { status, json } = await browser.send(asked.method, path, headers, asked.body)
    return { status, json: async () => json }
  }
  const window = wallet === undefined ? {} : { ethereum: walletOf(wallet) }
  const opened = runInNewContext(script, { document, fetch: fetchPage, window, TextEncoder, Date })
  await (opened as Promise<void>)
  return page
}

t.test('the page signs in, keeps notes apart, and signs out', async (t) => {
  const { url } = await startGateway(t, { RATE_LIMITS: 'off' })
  const page = await openPage(t, url, testWallet('alice'))
  t.match(page.element('sign-in'), { hidden: false })
  await page.element('sign-in').onclick?.()
  t.equal(page.element('error').textContent, '')
  t.match(page.element('notes'), { hidden: false })
  t.equal(page.element('address').textContent, testWallet('alice').address)
  page.element('text').value = '<b>mine</b>'
  await page.element('form').onsubmit?.()
  t.same(
    page.element('list').items.map(({ textContent }) => textContent),
    ['<b>mine</b>'],
  )
  await page.element('sign-out').onclick?.()
  t.match(page.element('notes'), { hidden: true })

  const other = await openPage(t, url, testWallet('mallory'))
  await other.element('sign-in').onclick?.()
  t.same(other.element('list').items, [], 'the notes of another wallet are its own')

  const bare = await openPage(t, url, undefined)
  await bare.element('sign-in').onclick?.()
  t.equal(bare.element('error').textContent, 'This browser has no wallet.')
})

t.test('the page behind a proxy has the origin that PUBLIC_URL names', async (t) => {
  // As the lines for Caddy do it: one origin for the page and for Sigil.
  const sockets = createServer()
  await once(sockets.listen(0, '127.0.0.1'), 'listening')
  const { port } = sockets.address() as AddressInfo
  const address = `http://localhost:${port}`
  const gateway = await startGateway(t, { PUBLIC_URL: address })
  t.teardown(() => new Promise((resolve) => sockets.close(resolve)))
  sockets.on('request', async (request, response) => {
    const { method = 'GET', url = '/' } = request
    const body = await new Response(request as never).text()
    const headers = { ...(request.headers as Record<string, string>), 'x-forwarded-proto': 'http' }
    const browser = new Browser(gateway.url)
    const answer = await browser.send(method, url, headers, body === '' ? undefined : body)
    const cookies = answer.headers['set-cookie']
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      ...(cookies === undefined ? {} : { 'set-cookie': cookies }),
    })
    response.end(answer.text)
  })
  const wallet = testWallet('alice')
  const page = await openPage(t, address, wallet)
  await page.element('sign-in').onclick?.()
  t.equal(page.element('error').textContent, '')
  t.equal(page.element('address').textContent, wallet.address)
})
