// The key-value routes: a command as JSON, its reply as JSON, and the stream of what is published.

import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { EventReader } from '../../../support/event-reader.js'
import { ask, type HttpAnswer } from '../../../support/http-client.js'
import { type LiveGateway, startGateway } from '../../../support/live-gateway.js'
import { RespClient } from '../../../support/resp-client.js'

const path = '/api/v1/redis'

function run(
  { url, key }: LiveGateway,
  command: readonly unknown[],
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpAnswer> {
  return ask(url, {
    path,
    headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ command }),
  })
}

t.test('replies are what a RESP2 client sees, as JSON', async (t) => {
  const gateway = await startGateway(t)
  const cases: readonly (readonly [unknown[], unknown])[] = [
    [['PING'], 'PONG'],
    [['SET', 'a', '1'], 'OK'],
    [['GET', 'a'], '1'],
    [['GET', 'missing'], null],
    [['INCRBY', 'a', 41], 42],
    [['INCRBY', 'a', '9007199254740993'], '9007199254741035'],
    [['HSET', 'h', 'f', 'v', 'g', 1.5], 2],
    [
      ['HGETALL', 'h'],
      ['f', 'v', 'g', '1.5'],
    ],
    [['EXISTS', 'a', 'h'], 2],
    [['SET', 'b', { $binary: { base64: '/wA=', subType: '00' } }], 'OK'],
    [['GET', 'b'], { $binary: '/wA=' }],
    [['SELECT', '3'], 'OK'],
    [['AUTH', 'operator', gateway.key], 'OK'],
  ]
  for (const [command, result] of cases) {
    const { status, json } = await run(gateway, command)
    t.same([status, json], [200, { ok: 1, result }], JSON.stringify(command))
  }
})

t.test("refusals are 400 with the protocol's own text", async (t) => {
  const gateway = await startGateway(t)
  await run(gateway, ['SET', 'a', 'x'])
  const cases: readonly (readonly [unknown[], number, string])[] = [
    [['LPUSH', 'a', 'x'], 14, 'WRONGTYPE Operation against a key holding the wrong kind of value'],
    [['NOSUCH'], 59, "ERR unknown command 'NOSUCH', with args beginning with: "],
    [['GET'], 2, "ERR wrong number of arguments for 'get' command"],
    [['SELECT', '16'], 2, 'ERR DB index is out of range'],
    [['AUTH', 'x'], 18, 'WRONGPASS invalid username-password pair or user is disabled.'],
  ]
  for (const [command, code, errmsg] of cases) {
    const { status, json } = await run(gateway, command)
    t.match([status, json], [400, { ok: 0, code, errmsg }], JSON.stringify(command))
  }
  for (const command of [[], [null], [['GET', 'a']], [{ a: 1 }]]) {
    t.match((await run(gateway, command)).json, { ok: 0, code: 2 }, JSON.stringify(command))
  }
})

t.test('the header chooses the database, and SELECT changes nothing', async (t) => {
  const gateway = await startGateway(t)
  await run(gateway, ['SET', 'a', 'in 3'], { 'x-sigil-kv-db': '3' })
  await run(gateway, ['SELECT', '3'])
  t.equal((await run(gateway, ['GET', 'a'])).json.result, null)
  t.equal((await run(gateway, ['GET', 'a'], { 'x-sigil-kv-db': '3' })).json.result, 'in 3')
  for (const wrong of ['16', '-1', 'x', '']) {
    t.equal((await run(gateway, ['GET', 'a'], { 'x-sigil-kv-db': wrong })).status, 400, wrong)
  }
})

t.test('what needs a connection is refused with the way to go', async (t) => {
  const gateway = await startGateway(t)
  const refused = ['SUBSCRIBE a', 'PSUBSCRIBE a', 'UNSUBSCRIBE', 'PUNSUBSCRIBE', 'MULTI', 'EXEC']
  for (const line of [...refused, 'WATCH a', 'MONITOR', 'BLPOP a 1', 'BLMOVE a b LEFT LEFT 0.1']) {
    const { status, json } = await run(gateway, line.split(' '))
    t.equal(status, 400, line)
    t.match(json.errmsg, /over HTTP: .*(use|end|needs|ask)/, line)
  }
  t.same((await run(gateway, ['BLPOP', 'a', '0'])).json, { ok: 1, result: null })
  await run(gateway, ['RPUSH', 'a', 'x'])
  t.same((await run(gateway, ['BLPOP', 'a', '0'])).json, { ok: 1, result: ['a', 'x'] })
})

t.test('both routes need a key', async (t) => {
  const { url } = await startGateway(t)
  t.equal((await ask(url, { path, body: '{"command":["PING"]}' })).status, 401)
  t.equal((await ask(url, { path: `${path}/stream?channels=a` })).status, 401)
})

t.test('the stream tells of its subscriptions, then of messages of any sender', async (t) => {
  const gateway = await startGateway(t)
  const headers = { 'x-api-key': gateway.key }
  const events = await EventReader.open(`${gateway.url}${path}/stream?channels=a,b`, { headers })
  t.match(events.headers, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  t.same(await events.json(), { event: 'subscribe', channel: 'a', count: 1 })
  t.same(await events.json(), { event: 'subscribe', channel: 'b', count: 2 })
  const client = await RespClient.open(gateway.ports.redis)
  t.teardown(() => client.close())
  await client.call('AUTH', gateway.key)
  t.equal(await client.call('PUBLISH', 'a', 'one\n"two"'), ':1')
  t.same((await run(gateway, ['PUBLISH', 'b', 'three'])).json, { ok: 1, result: 1 })
  t.equal(await client.call('PUBLISH', 'b', Uint8Array.of(0xff)), ':1')
  t.equal(await client.call('PUBLISH', 'c', 'x'), ':0')
  t.same(await events.json(), { channel: 'a', message: 'one\n"two"' })
  t.same(await events.json(), { channel: 'b', message: 'three' })
  t.same(await events.json(), { channel: 'b', message: { $binary: '/w==' } })
  events.close()
  while ((await client.call('PUBLISH', 'a', 'x')) !== ':0');
  t.pass('a client that left is forgotten')
})

t.test('a pipelined stream ends with its client', async (t) => {
  const gateway = await startGateway(t)
  const { host, port } = new URL(gateway.url)
  const client = await RespClient.open(gateway.ports.redis)
  t.teardown(() => client.close())
  await client.call('AUTH', gateway.key)
  const line = `GET ${path}/stream?channels=a HTTP/1.1`
  const leaving = connect(Number(port), '127.0.0.1')
  leaving.write(`${line}\r\nhost: ${host}\r\nx-api-key: ${gateway.key}\r\n\r\n`.repeat(2))
  // The second waits for the end of the first one's response.
  while ((await client.call('PUBLISH', 'a', 'x')) !== ':1');
  leaving.destroy()
  while ((await client.call('PUBLISH', 'a', 'x')) !== ':0');
  t.pass('both streams are forgotten')
})

t.test('the stream of a pattern has each matching message with its pattern', async (t) => {
  const gateway = await startGateway(t)
  const headers = { 'x-api-key': gateway.key }
  const query = 'channels=news.eu&patterns=news.*'
  const events = await EventReader.open(`${gateway.url}${path}/stream?${query}`, { headers })
  t.same(await events.json(), { event: 'subscribe', channel: 'news.eu', count: 1 })
  t.same(await events.json(), { event: 'psubscribe', pattern: 'news.*', count: 2 })
  t.same((await run(gateway, ['PUBLISH', 'news.eu', 'one'])).json, { ok: 1, result: 2 })
  t.same((await run(gateway, ['PUBLISH', 'news.us', 'two'])).json, { ok: 1, result: 1 })
  t.same((await run(gateway, ['PUBLISH', 'other', 'three'])).json, { ok: 1, result: 0 })
  t.same(await events.json(), { channel: 'news.eu', message: 'one' })
  t.same(await events.json(), { pattern: 'news.*', channel: 'news.eu', message: 'one' })
  t.same(await events.json(), { pattern: 'news.*', channel: 'news.us', message: 'two' })
  events.close()
})

t.test('CONFIG SET client-output-buffer-limit holds for open streams too', async (t) => {
  const gateway = await startGateway(t)
  const slow = connect(Number(new URL(gateway.url).port), '127.0.0.1')
  t.teardown(() => slow.destroy())
  const { host } = new URL(gateway.url)
  const line = `GET ${path}/stream?channels=a HTTP/1.1`
  slow.write(`${line}\r\nhost: ${host}\r\nx-api-key: ${gateway.key}\r\n\r\n`)
  let told = ''
  while (!told.includes('"subscribe"')) told += String((await once(slow, 'data'))[0])
  slow.pause()
  const client = await RespClient.open(gateway.ports.redis)
  t.teardown(() => client.close())
  await client.call('AUTH', gateway.key)
  await client.call('CONFIG', 'SET', 'client-output-buffer-limit', 'pubsub 2mb 0 0')
  // Two of them are within the limit, even if the system takes nothing of the first.
  const payload = 'x'.repeat(1_000_000)
  let sent = 0
  while (sent < 32 && (await client.call('PUBLISH', 'a', payload)) === ':1') sent++
  t.ok(sent > 2 && sent < 32, `cut after ${sent} MB`)
})

t.test('a stream without channels is refused, and a stop ends those that are open', async (t) => {
  const gateway = await startGateway(t)
  const headers = { 'x-api-key': gateway.key }
  for (const query of ['', '?channels=', '?channels=,&patterns=']) {
    const { status } = await ask(gateway.url, { path: `${path}/stream${query}`, headers })
    t.equal(status, 400, query)
  }
  const events = await EventReader.open(`${gateway.url}${path}/stream?channels=a`, { headers })
  await events.next()
  await gateway.close()
  t.equal(await events.next(), undefined)
})
