// The short way to the routes of documents beside the framework's: whichever a request takes, it is
// answered alike, and the connection goes on as it should.

import { once } from 'node:events'
import { connect } from 'node:net'
import { MongoClient } from 'mongodb'
import t from 'tap'
import { silentLog } from '../../../../src/base/log.js'
import { openApi } from '../../../support/http-client.js'
import { type LiveGateway, startGateway } from '../../../support/live-gateway.js'
import { temporaryFolder } from '../../../support/stores.js'

/**
 * What comes back on one connection for these pieces, until `count` answers are there or its end.
 */
function talk({ url }: LiveGateway, pieces: readonly string[], count: number): Promise<string[]> {
  const { port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1')
    let received = ''
    const answers = () => received.split('HTTP/1.1 ').slice(1)
    const left = [...pieces]
    const sendNext = () => {
      const piece = left.shift()
      // Each in a packet of its own: the server has taken the one before when this one is sent.
      if (piece !== undefined) socket.write(piece, () => setImmediate(sendNext))
    }
    socket.setNoDelay(true)
    socket.once('connect', sendNext)
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      const whole = answers()
      if (whole.length === count && whole.at(-1)?.includes('\r\n\r\n{')) socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answers()))
  })
}

function post({ key }: LiveGateway, path: string, body: string, more = ''): string {
  const host = 'host: localhost\r\ncontent-type: application/json\r\n'
  const length = `content-length: ${Buffer.byteLength(body)}\r\n`
  const head = `POST /api/v1/collections/${path} HTTP/1.1\r\n${host}x-api-key: ${key}\r\n`
  return `${head}${length}${more}\r\n${body}`
}

const statusOf = (answer: string | undefined) => answer?.slice(0, 3)

/** All but the head's lines that differ from one answer to the next. */
const withoutTime = (answer: string | undefined) =>
  answer?.replace(/^(date|x-request-id|keep-alive|connection): .*\r\n/gim, '')

const start: typeof startGateway = (t, settings = {}) =>
  startGateway(t, { ...settings, ALLOWED_HOSTS: 'localhost' })

t.test('a path that only the framework reads is answered as the plain one', async (t) => {
  const gateway = await start(t)
  const api = openApi(gateway.url, gateway.key)
  await api.post('places/insertOne', { document: { _id: 1, name: 'Zürich' } })
  const spellings = ['places/findOne', 'pl%61ces/findOne', 'places/findOne?', 'x/../places/findOne']
  const bodies = ['{"filter":{"_id":1}}', '{"filter":{"_id":2}}', '{"filter":7}', '{"filter":{', '']
  for (const body of bodies) {
    const [plain, ...others] = await Promise.all(
      spellings.map(async (path) => (await talk(gateway, [post(gateway, path, body)], 1))[0]),
    )
    const lines = (answer: string | undefined) => withoutTime(answer)?.split('\r\n').sort()
    for (const other of others) t.same(lines(other), lines(plain), body)
  }
})

t.test('requests sent at once are answered in their order, on one connection', async (t) => {
  const gateway = await start(t)
  await openApi(gateway.url, gateway.key).post('a/insertOne', { document: { _id: 3 } })
  const inserts = [1, 2, 1, 5].map((n) => post(gateway, 'a/insertOne', `{"document":{"_id":${n}}}`))
  const finds = [3, 4].map((n) => post(gateway, 'a/findOne', `{"filter":{"_id":${n}}}`))
  const answers = await talk(gateway, [[...inserts, ...finds].join('')], 6)
  t.same(answers.map(statusOf), ['200', '200', '409', '200', '200', '200'])
  t.match(answers[4], '{"document":{"_id":3},"ok":1}')
  t.match(answers[5], '{"document":null,"ok":1}')
  t.notMatch(answers[2], /connection: close/i, 'the body of what failed has been read')
})

t.test('a body may come in pieces, and is bounded all the same', async (t) => {
  const gateway = await start(t)
  const whole = post(gateway, 'a/insertOne', '{"document":{"_id":"piecemeal"}}')
  const pieces = [whole.slice(0, -20), whole.slice(-20, -9), whole.slice(-9)]
  const again = post(gateway, 'a/findOne', '{"filter":{"_id":"piecemeal"}}')
  const answers = await talk(gateway, [...pieces, again], 2)
  t.same(answers.map(statusOf), ['200', '200'])
  t.match(answers[1], '{"document":{"_id":"piecemeal"},"ok":1}')
  const chunked = post(gateway, 'a/findOne', '').replace(
    'content-length: 0\r\n',
    'transfer-encoding: chunked\r\n',
  )
  const [found] = await talk(gateway, [chunked, 'c\r\n{"filter":{}\r\n', '1\r\n}\r\n0\r\n\r\n'], 1)
  t.match(found, '{"document":{"_id":"piecemeal"},"ok":1}')
  const large = post(gateway, 'a/insertOne', '').replace(': 0\r\n', `: ${2 ** 30}\r\n`)
  const [refused] = await talk(gateway, [large], 1)
  t.equal(statusOf(refused), '413')
  t.match(refused, /connection: close/i)
})

t.test('a pipelined request sees what the write before it did', async (t) => {
  const gateway = await start(t, { STORE: `lmdb:${await temporaryFolder(t)}/data` })
  const redis = (command: readonly string[]) =>
    post(gateway, '', JSON.stringify({ command })).replace('/api/v1/collections/', '/api/v1/redis')
  for (let i = 0; i < 5; i++) {
    const written = [
      post(gateway, 'a/insertOne', `{"document":{"_id":${i}}}`),
      post(gateway, 'a/findOne', `{"filter":{"_id":${i}}}`),
      post(gateway, 'a/deleteOne', `{"filter":{"_id":${i}}}`),
      post(gateway, 'a/count', '{}'),
    ]
    const answers = await talk(gateway, [written.join('')], written.length)
    t.match(answers[1], `{"document":{"_id":${i}},"ok":1}`)
    t.match(answers[3], '{"count":0,"ok":1}')
    const others = [redis(['SET', 'a', `${i}`]), redis(['GET', 'a'])]
    t.match((await talk(gateway, [others.join('')], 2))[1], `"${i}"`)
  }
})

t.test('what is refused before its body is read ends the connection', async (t) => {
  const gateway = await start(t)
  const wrongKey = post({ ...gateway, key: 'wrong' }, 'a/findOne', '{}')
  const answers = await talk(gateway, [wrongKey + post(gateway, 'a/findOne', '{}')], 2)
  t.same(answers.map(statusOf), ['401'])
  t.match(answers[0], /connection: close/i)
})

t.test('a filter alone finds what it finds beside other fields', async (t) => {
  const gateway = await start(t)
  const client = await MongoClient.connect(gateway.uri)
  const db = client.db('main')
  const long = 'x'.repeat(2_000)
  const hex = '0123456789abcdef01234567'
  const documents = [{ _id: 1, n: 1 }, { _id: long }, { _id: hex }, { _id: 'A' }]
  await db.createCollection('capped', { capped: true, size: 100_000 })
  await db.createCollection('cased', { collation: { locale: 'en', strength: 2 } })
  for (const name of ['plain', 'capped', 'cased']) {
    await db.collection<{ _id: unknown }>(name).insertMany(documents)
  }
  await db.createCollection('view', { viewOn: 'plain', pipeline: [{ $project: { _id: 0, n: 1 } }] })
  await db.createCollection('shown', { viewOn: 'plain', pipeline: [{ $match: { n: 1 } }] })
  const ids = ['1', '1.0', `"${long}"`, `"${long}y"`, `"${hex}"`, '"A"', '"a"', '[1]', 'null']
  const filters = [
    ...ids.map((id) => `{"_id":${id}}`),
    ...['{}', '{"n":1}', '{"n":2}', '{"_id":{"$gt":0}}', '{"_id":1,"n":2}', '{"$or":7}', '7'],
  ]
  for (const name of ['plain', 'capped', 'cased', 'view', 'shown', 'none', 'kv0']) {
    const bodies = filters.flatMap((filter) => [
      post(gateway, `${name}/findOne`, `{"filter":${filter}}`),
      post(gateway, `${name}/findOne`, `{"filter":${filter},"skip":0}`),
    ])
    const answers = await talk(gateway, [bodies.join('')], bodies.length)
    filters.forEach((filter, i) => {
      const [alone, beside] = answers.slice(2 * i, 2 * i + 2).map(withoutTime)
      t.ok(alone?.includes('\r\n\r\n{'), 'it is answered')
      t.equal(alone, beside, `${name} ${filter.slice(0, 40)}`)
    })
  }
  await client.close()
})

t.test('while Sigil stops a connection ends with its answer, and holds nothing up', async (t) => {
  const gateway = await start(t)
  const { port } = new URL(gateway.url)
  const [head, rest] = ['{"filter":', '{}}']
  const request = post(gateway, 'places/findOne', head + rest)
  const open = async () => {
    const socket = connect(Number(port), '127.0.0.1')
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    // The first request has reached Sigil once it is answered; the second is left half sent.
    socket.write(request + request.slice(0, -rest.length))
    await once(socket, 'data')
    const finish = async (event: 'data' | 'close') => {
      socket.write(rest)
      await once(socket, event)
      socket.destroy()
      return received.split('HTTP/1.1 200').length - 1
    }
    return finish
  }
  const [finishFirst, finishSecond] = [await open(), await open()]
  const closed = gateway.close()
  t.equal(await finishFirst('close'), 2, 'it ends, though its client would keep it')
  t.equal(await finishSecond('data'), 2, 'the other was waited for meanwhile')
  await closed
})

t.test('more requests at once than are answered together are answered all', async (t) => {
  const gateway = await start(t)
  const api = openApi(gateway.url, gateway.key)
  const ids = Array.from({ length: 40 }, (_, id) => id)
  const inserted = await Promise.all(
    ids.map((_id) => api.post('many/insertOne', { document: { _id } })),
  )
  t.same(new Set(inserted.map(({ status }) => status)), new Set([200]))
  const finds = ids.map((n) => post(gateway, 'many/findOne', `{"filter":{"_id":${n}}}`))
  const answers = await talk(gateway, [finds.join('')], ids.length)
  t.same(
    answers.map((answer) => answer.slice(answer.indexOf('{'))),
    ids.map((id) => `{"document":{"_id":${id}},"ok":1}`),
  )
})

t.test('what is found by a filter alone is told of as the command that it is', async (t) => {
  const lines: Record<string, unknown>[] = []
  const info = (fields: Record<string, unknown>) => {
    lines.push(fields)
  }
  const log = { ...silentLog, info } as typeof silentLog
  const settings = { SLOW_COMMAND_MS: '0', ALLOWED_HOSTS: 'localhost' }
  const gateway = await startGateway(t, settings, { log })
  await talk(gateway, [post(gateway, 'a/findOne', '{"filter":{"_id":"topsecret"}}')], 1)
  const [found] = lines.filter(({ command }) => command === 'find')
  t.match(found, { ns: 'main.a', protocol: 'http', requestId: String })
  t.equal(found?.shape, '{ find: string, filter: { _id: string }, limit: int, singleBatch: bool }')
  t.notMatch(JSON.stringify(lines), 'topsecret')
})
