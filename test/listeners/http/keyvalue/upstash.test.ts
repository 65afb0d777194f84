// What the hosted service's client library relies on, seen from the wire; the library itself is in
// test/clients/upstash.test.ts.

import t from 'tap'
import { work } from '../../../../src/base/work/work-budget.js'
import { writeStretchUnits, writeTurnUnits } from '../../../../src/base/work/work-figures.js'
import { EventReader } from '../../../support/event-reader.js'
import { ask, type HttpAnswer } from '../../../support/http-client.js'
import { type LiveGateway, startGateway } from '../../../support/live-gateway.js'

interface Asked {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

function call({ url, key }: LiveGateway, path: string, asked: Asked = {}): Promise<HttpAnswer> {
  const { method, body, headers = {} } = asked
  return ask(url, {
    path: `/upstash${path}`,
    headers: { authorization: `Bearer ${key}`, ...headers },
    ...(method === undefined ? {} : { method }),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

t.test('a command is a JSON array or a path', async (t) => {
  const gateway = await startGateway(t)
  const cases: readonly (readonly [string, Asked, unknown])[] = [
    ['', { body: ['SET', 'a', 1, 'EX', 100] }, 'OK'],
    ['/', { body: ['get', 'a'] }, '1'],
    ['/get/a', {}, '1'],
    ['/set/b%20c/x%2Fy/EX/100', { method: 'POST' }, 'OK'],
    ['/get/b%20c', {}, 'x/y'],
    ['/set/d?EX=100', { body: 'the body, then the query' }, 'OK'],
    ['/get/d', {}, 'the body, then the query'],
    ['/ttl/d', {}, 100],
    ['/set/e/%ff%00', { method: 'POST' }, 'OK'],
    ['/strlen/e', {}, 2],
    ['', { body: ['rpush', 'l', true, null, { a: [1] }, 1.5] }, 4],
    ['/lrange/l/0/-1', {}, ['true', 'null', '{"a":[1]}', '1.5']],
    ['/ttl/missing', {}, -2],
  ]
  for (const [path, asked, result] of cases) {
    const { status, json } = await call(gateway, path, asked)
    t.same([status, json], [200, { result }], path)
  }
})

t.test('with the header, every text is base64 but the status OK', async (t) => {
  const gateway = await startGateway(t)
  const headers = { 'upstash-encoding': 'base64' }
  const run = async (...body: unknown[]) => (await call(gateway, '', { body, headers })).json.result
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  t.equal(await run('set', 'a', 'OK'), 'OK')
  t.equal(await run('get', 'a'), base64('OK'))
  t.equal(await run('ping'), base64('PONG'))
  t.same(await run('mget', 'a', 'none'), [base64('OK'), null])
  t.equal(await run('incrby', 'n', '9007199254740993'), base64('9007199254740993'))
  t.equal(await run('strlen', 'a'), 2)
  const { json } = await call(gateway, '', { body: ['get'], headers })
  t.same(json, { error: "ERR wrong number of arguments for 'get' command" })
})

t.test('a pipeline answers each command, a transaction all or none', async (t) => {
  const gateway = await startGateway(t)
  const post = async (path: string, body: unknown) => {
    const { status, text } = await call(gateway, path, { body })
    return [status, JSON.parse(text)]
  }
  t.same(await post('/pipeline', [['set', 'a', 1], ['get'], ['select', 3], ['incr', 'a']]), [
    200,
    [
      { result: 'OK' },
      { error: "ERR wrong number of arguments for 'get' command" },
      { result: 'OK' },
      { result: 2 },
    ],
  ])
  t.same(
    await post('/multi-exec', [
      ['incr', 'a'],
      ['lpush', 'a', 1],
      ['get', 'a'],
    ]),
    [
      200,
      [
        { result: 3 },
        { error: 'WRONGTYPE Operation against a key holding the wrong kind of value' },
        { result: '3' },
      ],
    ],
  )
  for (const bad of [['incr'], ['nosuch'], ['subscribe', 'x'], ['multi']]) {
    t.same(await post('/multi-exec', [['incr', 'a'], bad]), [
      400,
      { error: 'EXECABORT Transaction discarded because of previous errors.' },
    ])
  }
  t.same((await call(gateway, '/get/a')).json, { result: '3' })
  t.same(await post('/pipeline', []), [200, []])
  t.match(await post('/pipeline', { a: 1 }), [400, { error: /array/ }])
  const many = Array.from({ length: 300 }, () => ['incr', 'n'])
  const [, results] = await post('/pipeline', many)
  t.same(results.at(-1), { result: 300 })
})

t.test('a key is taken from the header alone', async (t) => {
  const gateway = await startGateway(t)
  const { url, key } = gateway
  const refused = await ask(url, { path: `/upstash/get/a?_token=${key}` })
  t.match([refused.status, refused.json], [401, { error: /key/ }])
  const wrong = { authorization: 'Bearer wrong' }
  t.equal((await call(gateway, '/get/a', { headers: wrong })).status, 401)
})

t.test('without authentication a GET, which any page can make, changes nothing', async (t) => {
  const gateway = await startGateway(t, { AUTH_MODE: 'off' })
  t.same((await call(gateway, '/get/a')).json, { result: null })
  t.same((await call(gateway, '/ping')).json, { result: 'PONG' })
  for (const path of ['/set/a/1', '/del/a', '/publish/a/1', '/getdel/a']) {
    t.equal((await call(gateway, path)).status, 405, path)
    t.equal((await call(gateway, path, { method: 'POST' })).status, 200, path)
  }
  t.equal((await call(gateway, '/get/a', { method: 'HEAD' })).status, 405)
})

t.test('subscriptions and MONITOR are event streams of plain text', async (t) => {
  const gateway = await startGateway(t)
  const open = (path: string, method: string) =>
    EventReader.open(`${gateway.url}/upstash${path}`, {
      method,
      headers: { authorization: `Bearer ${gateway.key}`, accept: 'text/event-stream' },
    })
  const channel = await open('/subscribe/a%20b/c', 'POST')
  t.equal(await channel.next(), 'subscribe,a b,1')
  t.equal(await channel.next(), 'subscribe,c,2')
  const pattern = await open('/psubscribe/a*', 'GET')
  t.equal(await pattern.next(), 'psubscribe,a*,1')
  const monitor = await open('/monitor', 'POST')
  t.equal(await monitor.next(), '"OK"')
  const published = await call(gateway, '', { body: ['publish', 'a b', '{"x":[1,2]}\nend'] })
  t.same(published.json, { result: 2 })
  t.equal(await channel.next(), 'message,a b,{"x":[1,2]}\nend')
  t.equal(await pattern.next(), 'pmessage,a*,a b,{"x":[1,2]}\nend')
  t.match(await monitor.next(), /^\d+\.\d{6} \[0 127\.0\.0\.1\] "publish" "a b" /)
  for (const stream of [channel, pattern, monitor]) stream.close()
})

t.test('a long command is what a short one is, and is built in turns', async (t) => {
  const gateway = await startGateway(t)
  const names = Array.from({ length: 40_000 }, (_, i) => `key ${i}`)
  const wide = Object.fromEntries(names.map((name, i) => [name, i]))
  work.resetLongest()
  const words = ['rpush', 'l', ...names, 1.5, true, null, wide, [names]]
  t.same((await call(gateway, '', { body: words })).json, { result: names.length + 5 })
  const { json } = await call(gateway, '/lrange/l/-5/-1')
  t.same(json.result, ['1.5', 'true', 'null', JSON.stringify(wide), JSON.stringify([names])])
  const commands = names.map((name) => ['get', name])
  const { json: replies } = await call(gateway, '/pipeline', { body: [...commands, ['ping'], []] })
  t.same(replies, { error: 'a command must not be empty' })
  const list = async (path: string, body: unknown): Promise<object[]> =>
    JSON.parse((await call(gateway, path, { body })).text)
  const all = await list('/pipeline', [...commands, ['echo', wide]])
  t.same([all.length, all.at(-1)], [names.length + 1, { result: JSON.stringify(wide) }])
  const sent = await list('/multi-exec', commands)
  t.same([sent.length, sent.at(-1)], [names.length, { result: null }])
  t.ok(work.longest < writeTurnUnits + writeStretchUnits, `${work.longest} units in one turn`)
})
