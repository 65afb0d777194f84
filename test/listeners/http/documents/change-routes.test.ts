// Streams of changes over HTTP, as a browser and curl read them: ids are resume tokens, a stream
// that ends is gone on with, and every batch asks for the rights anew.

import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import { silentLog } from '../../../../src/base/log.js'
import { EventStreams } from '../../../../src/listeners/http/core/event-stream.js'
import { EventReader } from '../../../support/event-reader.js'
import { ask } from '../../../support/http-client.js'
import { type LiveGateway, startGateway } from '../../../support/live-gateway.js'
import { testWallet } from '../../../support/wallet.js'
import { WalletClient } from '../../../support/wallet-client.js'

const api = '/api/v1'
/** A wallet may watch a shared database once it is recorded. */
const recorded = { RATE_LIMITS: 'off', CHANGES: 'all' }

type Headers = Readonly<Record<string, string>>

async function open(t: Test, { url, key }: LiveGateway, path: string, headers: Headers = {}) {
  const reader = await EventReader.open(`${url}${api}${path}`, {
    headers: headers.cookie === undefined ? { 'x-api-key': key, ...headers } : headers,
  })
  t.teardown(() => reader.close())
  return reader
}

async function clientOf(t: Test, { uri }: LiveGateway) {
  const client = await MongoClient.connect(uri)
  t.teardown(() => client.close())
  return client.db('main')
}

interface Change {
  readonly operationType: string
  readonly documentKey?: { readonly _id: unknown }
  readonly ns?: { readonly db: string; readonly coll?: string }
  readonly fullDocument?: unknown
}

const nextOf = async (reader: EventReader) => (await reader.json()) as Change | undefined
const idsOf = async (reader: EventReader, count: number) => {
  const ids: unknown[] = []
  for (let i = 0; i < count; i++) ids.push((await nextOf(reader))?.documentKey?._id)
  return ids
}

t.test('a stream starts with an id, and each event has its own', async (t) => {
  const gateway = await startGateway(t)
  const db = await clientOf(t, gateway)
  const reader = await open(t, gateway, '/collections/cities/changes')
  t.match(reader.headers, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  const [retry, id] = (await reader.block()) ?? []
  t.equal(retry, 'retry: 1000')
  t.match(id, /^id: 82[0-9A-F]{16}/)
  const cities = db.collection<{ _id: string; n: number }>('cities')
  await cities.insertOne({ _id: 'a', n: 1 })
  await cities.updateOne({ _id: 'a' }, { $inc: { n: 1 } })
  await db.collection('other').insertOne({})
  await cities.deleteOne({ _id: 'a' })
  const events: string[] = []
  for (let i = 0; i < 3; i++) {
    const event = (await reader.json()) as Change & { readonly _id: { readonly _data: string } }
    t.equal(reader.lastId, event._id._data)
    t.equal(reader.lastType, 'message')
    events.push(event.operationType)
  }
  t.same(events, ['insert', 'update', 'delete'])
})

t.test('Last-Event-ID goes on where the client was, and says more than the URL', async (t) => {
  const gateway = await startGateway(t)
  const things = (await clientOf(t, gateway)).collection<{ _id: number }>('things')
  const first = await open(t, gateway, '/collections/things/changes')
  await first.block()
  await things.insertMany([0, 1, 2, 3].map((_id) => ({ _id })))
  t.same(await idsOf(first, 2), [0, 1])
  first.close()
  await things.insertOne({ _id: 4 })
  const token = first.lastId
  const again = await open(t, gateway, '/collections/things/changes', { 'last-event-id': token })
  t.same(await idsOf(again, 3), [2, 3, 4])
  const path = `/collections/things/changes?startAfter=${token}`
  t.same(await idsOf(await open(t, gateway, path), 3), [2, 3, 4])
  const both = await open(t, gateway, path, { 'last-event-id': again.lastId })
  await things.insertOne({ _id: 5 })
  t.same(await idsOf(both, 1), [5])
  const resumed = `/collections/things/changes?resumeAfter=${again.lastId}`
  t.same(await idsOf(await open(t, gateway, resumed), 1), [5])
})

t.test(
  'several collections in one response, without those that the caller may not read',
  async (t) => {
    const gateway = await startGateway(t, recorded)
    const db = await clientOf(t, gateway)
    const of = (...names: readonly string[]) =>
      `/changes?of=${encodeURIComponent(JSON.stringify(names))}`
    const reader = await open(t, gateway, of('main.a', 'main.b', 'other.a'))
    for (const name of ['a', 'c', 'b']) await db.collection(name).insertOne({})
    const seen = [(await nextOf(reader))?.ns?.coll, (await nextOf(reader))?.ns?.coll]
    t.same(seen.sort(), ['a', 'b'])
    t.equal(reader.lastId, '', 'its events have no ids')
    const wallet = await WalletClient.signIn(gateway.url, testWallet('several changes'))
    const home = `w_${wallet.wallet.address.toLowerCase()}`
    const own = of(`${home}.a`, 'w_0x0000000000000000000000000000000000000001.a')
    t.equal((await wallet.send('HEAD', `${api}${own}`)).status, 200)
    const foreign = of('w_0x0000000000000000000000000000000000000001.a')
    t.equal((await wallet.send('GET', `${api}${foreign}`)).status, 403)
    const headers = { 'x-api-key': gateway.key }
    for (const wrong of ['[]', '{}', '[7]', '["main"]', '["main."]', '[".a"]', 'main.a']) {
      const path = `${api}/changes?of=${encodeURIComponent(wrong)}`
      t.equal((await ask(gateway.url, { path, headers })).status, 400, wrong)
    }
    const many = of(...Array.from({ length: 33 }, (_, i) => `main.c${i}`))
    t.equal((await ask(gateway.url, { path: `${api}${many}`, headers })).status, 400)
  },
)

t.test('pipeline, fullDocument and startAtOperationTime are those of $changeStream', async (t) => {
  const gateway = await startGateway(t)
  const db = await clientOf(t, gateway)
  const things = db.collection<{ _id: number; n?: number }>('things')
  await db.createCollection('things', { changeStreamPreAndPostImages: { enabled: true } })
  const pipeline = encodeURIComponent('[{"$match":{"operationType":"update"}}]')
  const options = 'fullDocument=updateLookup&fullDocumentBeforeChange=required'
  const path = `/collections/things/changes?pipeline=${pipeline}&${options}`
  const reader = await open(t, gateway, path)
  await reader.block()
  await things.insertOne({ _id: 1, n: 1 })
  await things.updateOne({ _id: 1 }, { $set: { n: 2 } })
  t.match(await reader.json(), {
    operationType: 'update',
    fullDocument: { _id: 1, n: 2 },
    fullDocumentBeforeChange: { _id: 1, n: 1 },
  })
  const seconds = Number.parseInt(reader.lastId.slice(2, 10), 16)
  const increment = Number.parseInt(reader.lastId.slice(10, 18), 16)
  const exact = encodeURIComponent(`{"$timestamp":{"t":${seconds},"i":${increment}}}`)
  for (const at of [`${seconds},${increment}`, exact]) {
    const since = await open(t, gateway, `/collections/things/changes?startAtOperationTime=${at}`)
    t.match(await since.json(), { operationType: 'update', documentKey: { _id: 1 } })
    since.close()
  }
  const canonical = await open(t, gateway, `${path}&ejson=canonical`, {
    'last-event-id': reader.lastId,
  })
  await things.updateOne({ _id: 1 }, { $set: { n: 3 } })
  t.match(await canonical.json(), { documentKey: { _id: { $numberInt: '1' } } })
})

t.test('what is wrong is told as JSON before the stream starts', async (t) => {
  const gateway = await startGateway(t)
  const { url, key } = gateway
  const headers = { 'x-api-key': key }
  const asked = (path: string) => ask(url, { path: `${api}${path}`, headers })
  const cases: readonly [path: string, status: number, code: number][] = [
    ['/collections/c/changes?fullDocument=nope', 400, 2],
    ['/changes?pipeline=1', 400, 2],
    ['/changes?pipeline=[', 400, 2],
    ['/changes?pipeline=[{"$group":{"_id":1}}]', 400, 20],
    ['/changes?all=yes', 400, 2],
    ['/changes?startAtOperationTime=yesterday', 400, 2],
    ['/changes?startAfter=zz', 400, 9],
    ['/changes?startAtOperationTime=1', 400, 286],
    ['/collections/system.views/changes', 400, 73],
  ]
  for (const [path, status, code] of cases) {
    const answer = await asked(encodeURI(path))
    t.match([answer.status, answer.json], [status, { ok: 0, code }], path)
  }
  t.equal((await ask(url, { path: `${api}/changes` })).status, 401)
  const stream = `${api}/redis/stream?channels=a`
  for (const path of [`${api}/changes`, `${api}/collections/c/changes`, stream]) {
    const head = await fetch(`${url}${path}`, { method: 'HEAD', headers })
    t.equal(head.status, 200, path)
    t.equal(head.headers.get('content-type'), 'text/event-stream')
  }
})

t.test('a stream of a collection ends with it, and its last id goes on', async (t) => {
  const gateway = await startGateway(t)
  const db = await clientOf(t, gateway)
  const reader = await open(t, gateway, '/collections/things/changes')
  await reader.block()
  const things = db.collection<{ _id: number }>('things')
  await things.insertOne({ _id: 1 })
  await things.drop()
  const kinds = [await nextOf(reader), await nextOf(reader), await nextOf(reader)]
  t.same(
    kinds.map((event) => event?.operationType),
    ['insert', 'drop', 'invalidate'],
  )
  t.equal(await reader.next(), undefined, 'the end')
  await things.insertOne({ _id: 2 })
  const headers = { 'last-event-id': reader.lastId }
  t.same(await idsOf(await open(t, gateway, '/collections/things/changes', headers), 1), [2])
})

t.test('it needs no topology, and all protocols are seen', async (t) => {
  const gateway = await startGateway(t, { TOPOLOGY: 'standalone' })
  const reader = await open(t, gateway, '/changes')
  await reader.block()
  const send = (path: string, body: unknown) =>
    ask(gateway.url, {
      method: 'POST',
      path: `${api}${path}`,
      headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await send('/sql', { query: "INSERT INTO things (_id) VALUES ('by sql')" })
  await send('/redis', { command: ['SET', 'by redis', 'x'] })
  await send('/collections/things/insertOne', { document: { _id: 'by http' } })
  t.same(await idsOf(reader, 3), ['by sql', 'by redis', 'by http'])
})

t.test('curl reads a stream', async (t) => {
  const gateway = await startGateway(t)
  const db = await clientOf(t, gateway)
  const url = `${gateway.url}${api}/collections/things/changes`
  const curl = spawn('curl', ['-sN', '-H', `x-api-key: ${gateway.key}`, url])
  t.teardown(() => curl.kill())
  let text = ''
  let awake: () => void = () => {}
  curl.stdout.on('data', (chunk: Buffer) => {
    text += chunk
    awake()
  })
  const until = async (pattern: RegExp) => {
    while (!pattern.test(text)) {
      await new Promise<void>((resolve) => {
        awake = resolve
      })
    }
  }
  await until(/^retry: 1000\nid: \w+\n\n/)
  await db.collection<{ _id: string }>('things').insertOne({ _id: 'x' })
  await until(/\nid: \w+\ndata: \{.*"operationType":"insert".*\}\n\n$/)
  t.pass('the event came')
})

t.test("others' collections do not appear, and a lost right ends the stream", async (t) => {
  const gateway = await startGateway(t, recorded)
  const alice = await WalletClient.signIn(gateway.url, testWallet('alice'))
  const bob = await WalletClient.signIn(gateway.url, testWallet('bob'))
  const insert = (client: WalletClient, name: string, _id: string) =>
    client.send('POST', `${api}/collections/${name}/insertOne`, { document: { _id } })
  await insert(alice, 'of-alice', 'first')
  await insert(bob, 'of-bob', 'first')
  t.equal((await bob.send('GET', `${api}/collections/of-alice/changes`)).status, 403)
  const { cookie = '' } = bob.headers
  const reader = await open(t, gateway, '/changes', { cookie })
  await reader.block()
  await insert(alice, 'of-alice', 'hidden')
  await insert(bob, 'of-bob', 'seen')
  t.same(await idsOf(reader, 1), ['seen'])
  const privacy = { mode: 'public' }
  t.equal((await alice.send('POST', `${api}/collections/of-alice/privacy`, privacy)).status, 200)
  const shared = await open(t, gateway, '/collections/of-alice/changes', { cookie })
  await shared.block()
  await insert(alice, 'of-alice', 'public')
  t.same(await idsOf(shared, 1), ['public'])
  const back = { mode: 'private' }
  t.equal((await alice.send('POST', `${api}/collections/of-alice/privacy`, back)).status, 200)
  await insert(alice, 'of-alice', 'private')
  t.match(await shared.json(), { ok: 0, code: 13 })
  t.equal(shared.lastType, 'error')
  t.equal(await shared.next(), undefined)
  t.same(await idsOf(reader, 1), ['public'], 'and what may be read appears')
  t.equal((await bob.send('POST', `${api}/auth/logout`, {})).status, 200)
  t.equal(await reader.next(), undefined, 'signing out ends the streams of the session')
})

t.test('a wallet cannot begin to record what is shared', async (t) => {
  const gateway = await startGateway(t)
  const alice = await WalletClient.signIn(gateway.url, testWallet('alice'))
  t.equal((await alice.send('GET', `${api}/changes`)).status, 403)
  t.equal((await alice.send('GET', `${api}/changes?all=true`)).status, 403)
  const { cookie = '' } = alice.headers
  const home = `w_${alice.wallet.address.toLowerCase()}`
  const reader = await open(t, gateway, `/changes?database=${home}`, { cookie })
  await reader.block()
  const document = { _id: 'at home' }
  await alice.send('POST', `${api}/collections/things/insertOne?database=${home}`, { document })
  t.same(await idsOf(reader, 1), ['at home'])
})

t.test('a revoked key ends its streams', async (t) => {
  const gateway = await startGateway(t, recorded)
  const alice = await WalletClient.signIn(gateway.url, testWallet('alice'))
  const made = await alice.issue()
  const reader = await open(t, gateway, '/changes', { 'x-api-key': made.apiKey })
  await reader.block()
  t.equal((await alice.send('DELETE', `${api}/keys/${made.hash}`)).status, 200)
  t.equal(await reader.next(), undefined)
})

t.test('one owner has at most 100 streams', async (t) => {
  const gateway = await startGateway(t, recorded)
  const alice = await WalletClient.signIn(gateway.url, testWallet('alice'))
  const { apiKey } = await alice.issue()
  const headers = { 'x-api-key': apiKey }
  const readers = []
  for (let i = 0; i < 100; i++) readers.push(await open(t, gateway, '/changes', headers))
  const refused = await ask(gateway.url, { path: `${api}/changes`, headers })
  t.match([refused.status, refused.json], [429, { code: 462 }])
  readers[0]?.close()
  let status = 429
  while (status === 429) {
    const reader = await open(t, gateway, '/changes', headers)
    status = reader.status
  }
  t.equal(status, 200, 'one that was left makes room')
})

t.test('a stop of the server ends the streams', async (t) => {
  const gateway = await startGateway(t)
  const reader = await open(t, gateway, '/changes')
  await reader.block()
  await gateway.close()
  t.equal(await reader.next(), undefined)
})

t.test('a stream reads few events at once where they are large', async (t) => {
  const gateway = await startGateway(t, { RATE_LIMITS: 'off' })
  const db = await clientOf(t, gateway)
  const batches = async () => (await db.command({ serverStatus: 1 })).opcounters.getmore as number
  const first = await open(t, gateway, '/collections/large/changes')
  await db.collection('large').insertOne({ _id: -1 as never })
  await first.next()
  const text = 'x'.repeat(200_000)
  const rows = Array.from({ length: 40 }, (_, n) => ({ _id: n as never, text }))
  await db.collection('large').insertMany(rows)
  const before = await batches()
  const later = await open(t, gateway, '/collections/large/changes', {
    'last-event-id': first.lastId,
  })
  const expected = Array.from({ length: 40 }, (_, n) => n)
  t.same(await idsOf(later, 40), expected)
  t.ok((await batches()) - before > 30, 'one event at a time once their size is known')
})

t.test('a client that reads nothing is disconnected', async (t) => {
  const streams = new EventStreams({ clock: systemClock, log: silentLog, stallMs: 20 })
  const told = new Promise<boolean>((resolve) => {
    const server = createServer((_incoming, outgoing) => {
      const stream = streams.open(outgoing, {}, { kind: 'operator' }, () => resolve(true))
      const fill = async (): Promise<void> => {
        while (!stream.isOver) {
          stream.send(`data: ${'x'.repeat(100_000)}\n`)
          await stream.taken()
        }
      }
      void fill()
    })
    t.teardown(() => server.close())
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      const slow = connect(port, '127.0.0.1', () => slow.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'))
      slow.pause()
      t.teardown(() => slow.destroy())
    })
  })
  t.ok(await told)
})
