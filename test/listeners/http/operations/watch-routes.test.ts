// What a page shows of the running server: the last hour, slow commands, and commands at work.

import { Wallet } from 'ethers'
import { MongoClient } from 'mongodb'
import t from 'tap'
import { Browser } from '../../../support/browser.js'
import { ask } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'

const slow = '/api/v1/metrics/slow'

t.test('the history has columns of one length, for administrators and on loopback', async (t) => {
  const { url } = await startGateway(t)
  const { status, json } = await ask(url, { path: '/api/v1/metrics/history' })
  t.equal(status, 200)
  t.match(json, { stepMs: 5_000, requests: { wire: [], redis: [] }, at: [], p99: [], ok: 1 })
  t.equal((await ask(url, { path: '/api/v1/metrics/history?since=x' })).status, 400)
})

t.test('slow commands are shown by shape; a wallet sees its own', async (t) => {
  const settings = { RATE_LIMITS: 'off', SLOW_COMMAND_MS: '0' }
  const { url, key } = await startGateway(t, settings)
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const body = JSON.stringify({ filter: { secret: 'never shown' } })
  await ask(url, { path: '/api/v1/collections/books/find', headers, body })
  const all = await ask(url, { path: slow, headers })
  t.match(all.json, { commands: [{ command: 'find', ns: 'main.books', isOwn: true }] })
  t.notMatch(all.text, /never shown/)
  const browser = new Browser(url)
  await browser.signIn(new Wallet(`0x${'17'.repeat(32)}`))
  await browser.post('/api/v1/collections/own/find', {})
  const own = (await browser.get(slow)).json.commands as unknown as { ns: string }[]
  t.ok(own.some(({ ns }) => ns === 'main.own'))
  t.notOk(own.some(({ ns }) => ns === 'main.books'))
  t.equal((await ask(url, { path: slow })).status, 401)
})

t.test('a command at work is listed, and ended by who may see it', async (t) => {
  const { url, uri, key } = await startGateway(t, { RATE_LIMITS: 'off' })
  const client = await MongoClient.connect(uri)
  t.teardown(() => client.close())
  const collection = client.db('main').collection<{ _id: number }>('capped')
  await client.db('main').createCollection('capped', { capped: true, size: 100_000 })
  await collection.insertOne({ _id: 1 })
  const cursor = collection.find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: 60_000 })
  await cursor.next()
  const waiting = cursor.next().then(
    () => 'answered',
    () => 'ended',
  )
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const browser = new Browser(url)
  await browser.signIn(new Wallet(`0x${'17'.repeat(32)}`))
  interface Operation {
    readonly opid?: number
    readonly ns?: string
    readonly command?: { readonly getMore?: unknown }
  }
  const listOf = (json: unknown) => (json as { operations: Operation[] }).operations
  let found: Operation | undefined
  while (found === undefined) {
    const { json } = await ask(url, { path: '/api/v1/operations', headers })
    found = listOf(json).find(({ command }) => command?.getMore !== undefined)
  }
  const path = `/api/v1/operations/${found.opid}/kill`
  const foreign = listOf((await browser.get('/api/v1/operations')).json)
  t.notOk(
    foreign.some(({ opid }) => opid === found.opid),
    'a stranger does not see it',
  )
  t.equal((await browser.post(path, {})).status, 200, 'nor learns whether it exists')
  const { json } = await ask(url, { path: '/api/v1/operations', headers })
  t.ok(
    listOf(json).some(({ opid }) => opid === found.opid),
    'it still runs',
  )
  t.equal((await ask(url, { path, headers, body: '{}' })).status, 200)
  t.equal(await waiting, 'ended')
  const wrong = { path: '/api/v1/operations/x/kill', headers, body: '{}' }
  t.equal((await ask(url, wrong)).status, 400)
  t.equal((await ask(url, { path: '/api/v1/operations' })).status, 401)
})

t.test('what accounts hold: a wallet sees its own, the operator all', async (t) => {
  const { url, key } = await startGateway(t, { RATE_LIMITS: 'off', WALLET_COLLECTIONS: '7' })
  const path = '/api/v1/usage'
  const wallets = ['17', '18'].map((byte) => new Wallet(`0x${byte.repeat(32)}`))
  const used: number[] = []
  for (const [i, wallet] of wallets.entries()) {
    const browser = new Browser(url)
    await browser.signIn(wallet)
    const none = { account: wallet.address, storageBytes: 0, collections: 0, graphs: 0 }
    t.match((await browser.get(path)).json.usage, none)
    await browser.post(`/api/v1/collections/own${i}/insertOne`, { document: { n: 1 } })
    const { json } = await browser.get(path)
    t.match(json, {
      usage: { deletingBytes: 0, collections: 1, connections: 0, subscriptions: 0 },
      limits: { storageBytes: 2 ** 30, collections: 7, connections: 500, commandMs: 30_000 },
    })
    used.push((json.usage as unknown as { storageBytes: number }).storageBytes)
    t.ok((used[i] ?? 0) > 0)
    t.equal((await browser.get(`${path}?after=0x`)).status, 403)
  }
  const headers = { 'x-api-key': key }
  const all = await ask(url, { path, headers })
  const addresses = wallets.map(({ address }) => address)
  const accounts = all.json.accounts as { account: string; storageBytes: number }[]
  t.same(new Set(accounts.map(({ account }) => account)), new Set(addresses))
  t.same(accounts.map(({ storageBytes }) => storageBytes).sort(), used.sort())
  t.match(all.json, { next: null, limits: { collections: 7 } })
  const [first = ''] = accounts.map(({ account }) => account)
  const rest = await ask(url, { path: `${path}?after=${first}`, headers })
  t.match(rest.json.accounts, { length: 1 })
  t.equal((await ask(url, { path })).status, 401)
})
