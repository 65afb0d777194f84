// Key-value commands as statements of a transaction over HTTP: what may run, what stays after an
// error, values of every size, homes that begin and end in it, and rights as of the commit.

import t, { type Test } from 'tap'
import { testKey } from '../../../support/gateway.js'
import { ask, type HttpAnswer } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'
import { testWallet } from '../../../support/wallet.js'
import { WalletClient } from '../../../support/wallet-client.js'

interface Client {
  /** The result of a command; throws its error's text. */
  call(...command: string[]): Promise<unknown>
  send(path: string, body: unknown): Promise<HttpAnswer>
}

function clientOf(url: string, key: string, id?: string, database?: string): Client {
  const named = id === undefined ? {} : { 'x-sigil-transaction': id }
  const space = database === undefined ? {} : { 'x-sigil-database': database }
  const send = (path: string, body: unknown) =>
    ask(url, {
      method: 'POST',
      path,
      headers: {
        ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...named,
        ...space,
      },
      body: JSON.stringify(body),
    })
  return {
    send,
    call: async (...command) => {
      const { status, json } = await send('/api/v1/redis', { command })
      if (status !== 200) throw new Error(`${status} ${json.code} ${json.errmsg}`)
      return json.result
    },
  }
}

interface Room {
  readonly outside: Client
  begin(options?: object): Promise<Begun>
}

interface Begun {
  readonly id: string
  readonly inside: Client
  /** The status. */
  end(how?: 'commit' | 'abort'): Promise<number>
}

async function roomOf(url: string, key: string): Promise<Room> {
  const outside = clientOf(url, key)
  return {
    outside,
    begin: async (options = {}) => {
      const { json } = await outside.send('/api/v1/transactions', options)
      const id = String(json.id)
      const end = async (how = 'commit') =>
        (await outside.send(`/api/v1/transactions/${id}/${how}`, {})).status
      return { id, inside: clientOf(url, key, id), end }
    },
  }
}

async function open(t: Test): Promise<Room> {
  const { url } = await startGateway(t, { RATE_LIMITS: 'off' })
  return roomOf(url, testKey)
}

t.test('every type of key is changed as a whole, and scans see own changes', async (t) => {
  const { outside, begin } = await open(t)
  await outside.call('SET', 'old', '1')
  await outside.call('HSET', 'hash', 'a', '1')
  const { inside, end } = await begin()
  const members = Array.from({ length: 300 }, (_, i) => `m${i}`)
  await inside.call('DEL', 'old')
  await inside.call('HINCRBY', 'hash', 'a', '4')
  await inside.call('RPUSH', 'list', ...members)
  await inside.call('SADD', 'set', ...members)
  await inside.call('ZADD', 'zset', ...members.flatMap((member, i) => [String(i), member]))
  await inside.call('XX').catch(() => undefined)
  t.equal(await inside.call('DBSIZE'), 4)
  t.same(((await inside.call('KEYS', '*')) as string[]).sort(), ['hash', 'list', 'set', 'zset'])
  const [, found] = (await inside.call('SCAN', '0', 'COUNT', '100')) as [string, string[]]
  t.equal(found.length, 4)
  t.same(await inside.call('LRANGE', 'list', '298', '-1'), ['m298', 'm299'])
  t.equal(await inside.call('LPOP', 'list'), 'm0')
  t.same(await inside.call('ZRANGE', 'zset', '0', '1'), ['m0', 'm1'])
  t.equal(await inside.call('SCARD', 'set'), 300)
  t.same([await outside.call('DBSIZE'), await outside.call('GET', 'old')], [2, '1'])
  t.equal(await end(), 200)
  t.equal(await outside.call('DBSIZE'), 4)
  t.equal(await outside.call('HGET', 'hash', 'a'), '5')
  t.equal(await outside.call('LLEN', 'list'), 299)
  t.equal(await outside.call('ZCARD', 'zset'), 300)
})

t.test('large values are staged in it, and gone with it', async (t) => {
  const { outside, begin } = await open(t)
  const long = 'x'.repeat(1_500_000)
  const first = await begin()
  t.equal(await first.inside.call('SET', 'long', long), 'OK')
  t.equal(await first.inside.call('STRLEN', 'long'), long.length)
  t.equal(await first.end('abort'), 200)
  t.equal(await outside.call('EXISTS', 'long'), 0)
  const second = await begin()
  await second.inside.call('SET', 'long', long)
  await second.inside.call('APPEND', 'long', 'y')
  t.equal(await second.end(), 200)
  t.equal(await outside.call('STRLEN', 'long'), long.length + 1)
  t.equal(await outside.call('GETRANGE', 'long', '1499998', '-1'), 'xxy')
})

t.test('commands that are no reads or writes of keys are refused, and it goes on', async (t) => {
  const { outside, begin } = await open(t)
  const { inside, end } = await begin()
  await inside.call('SET', 'a', '1')
  const refused = [
    ['BLPOP', 'list', '0'],
    ['BZPOPMIN', 'zset', '0'],
    ['PUBLISH', 'a', 'b'],
    ['FLUSHDB'],
    ['FLUSHALL'],
    ['SWAPDB', '0', '1'],
    ['CONFIG', 'GET', 'maxmemory'],
    ['CLIENT', 'LIST'],
    ['INFO'],
    ['SAVE'],
    ['PING'],
    ['SELECT', '1'],
    ['SUBSCRIBE', 'a'],
    ['MULTI'],
    ['WATCH', 'a'],
    ['ACL', 'LIST'],
    ['SCRIPT', 'FLUSH'],
  ]
  for (const command of refused) {
    await t.rejects(inside.call(...command), /^400 \d+ ERR /, command.join(' '))
  }
  await t.rejects(inside.call('BLPOP', 'list', '0'), /263 ERR 'blpop' cannot run in a transaction/)
  await t.rejects(inside.call('LPUSH', 'a', 'b'), /WRONGTYPE/)
  await t.rejects(inside.call('SET', 'a'), /wrong number of arguments/)
  t.equal(await inside.call('INCR', 'a'), 2)
  t.equal(await end(), 200)
  t.equal(await outside.call('GET', 'a'), '2')
})

t.test('multi-exec in it is all or nothing, a pipeline is not', async (t) => {
  const { outside, begin } = await open(t)
  const { inside, end } = await begin()
  const pipeline = [
    ['SET', 'a', '1'],
    ['LPUSH', 'a', 'x'],
    ['INCR', 'a'],
  ]
  const ran = await inside.send('/upstash/pipeline', pipeline)
  t.match(ran.text, /^\[\{"result":"OK"\},\{"error":"WRONGTYPE [^}]*\},\{"result":2\}\]$/)
  const exec = await inside.send('/upstash/multi-exec', pipeline)
  t.match(exec.text, /^\[\{"result":"OK"\},\{"error":"WRONGTYPE [^}]*\},\{"result":2\}\]$/)
  const cut = await inside.send('/upstash/multi-exec', [
    ['SET', 'a', '7'],
    ['PUBLISH', 'a', 'b'],
  ])
  t.match([cut.status, cut.text], [400, /EXECABORT/])
  t.equal(await inside.call('GET', 'a'), '2')
  t.equal(await end(), 200)
  t.equal(await outside.call('GET', 'a'), '2')
})

t.test('what reads too much for one program gets 257 and ends it', async (t) => {
  const { outside, begin } = await open(t)
  for (let from = 0; from < 30_000; from += 5_000) {
    const members = Array.from({ length: 5_000 }, (_, i) => `m${from + i}`)
    await outside.call('SADD', 'large', ...members)
  }
  const { inside, end } = await begin()
  await inside.call('SET', 'a', '1')
  await t.rejects(inside.call('SUNIONSTORE', 'copy', 'large'), /257/)
  t.equal(await end(), 404)
  t.equal(await outside.call('EXISTS', 'a'), 0)
})

t.test('what it has read is checked only if it is serializable', async (t) => {
  const { outside, begin } = await open(t)
  for (const [isolation, status] of [
    ['snapshot', 200],
    ['serializable', 409],
  ] as const) {
    const { inside, end } = await begin({ isolation })
    await inside.call('GET', 'read')
    await inside.call('SET', 'written', isolation)
    await outside.call('INCR', 'read')
    t.equal(await end(), status, isolation)
  }
  t.equal(await outside.call('GET', 'written'), 'snapshot')
})

t.test('two that change one large container conflict, of two containers none does', async (t) => {
  const { outside, begin } = await open(t)
  const members = Array.from({ length: 300 }, (_, i) => [`f${i}`, 'v']).flat()
  await outside.call('HSET', 'one', ...members)
  await outside.call('HSET', 'two', ...members)
  const [first, second, third] = [await begin(), await begin(), await begin()]
  await first.inside.call('HSET', 'one', 'f1', 'first')
  await second.inside.call('HSET', 'one', 'f2', 'second')
  await third.inside.call('HSET', 'two', 'f1', 'third')
  t.same([await first.end(), await second.end(), await third.end()], [200, 409, 200])
  t.same(await outside.call('HMGET', 'one', 'f1', 'f2'), ['first', 'v'])
  t.equal(await outside.call('HGET', 'two', 'f1'), 'third')
})

t.test('a home begins with the commit, and ends behind one', async (t) => {
  const { url } = await startGateway(t, { RATE_LIMITS: 'off' })
  const wallet = testWallet('homes')
  const client = await WalletClient.signIn(url, wallet)
  const { outside, begin } = await roomOf(url, (await client.issue()).apiKey)
  const operator = clientOf(url, testKey, undefined, `w_${wallet.address.toLowerCase()}`)
  const kept = async () => {
    const path = '/api/v1/collections'
    const headers = {
      'x-api-key': testKey,
      'x-sigil-database': `w_${wallet.address.toLowerCase()}`,
    }
    return (await ask(url, { path, headers })).text.includes('"kv0"')
  }
  const aborted = await begin()
  await aborted.inside.call('SET', 'a', '1')
  t.equal(await aborted.end('abort'), 200)
  t.notOk(await kept(), 'nothing of an aborted one')
  const made = await begin()
  await made.inside.call('SET', 'a', '1')
  t.notOk(await kept())
  t.equal(await made.end(), 200)
  t.ok(await kept())
  t.equal(await outside.call('GET', 'a'), '1')
  t.equal(await operator.call('GET', 'a'), '1')
  const emptied = await begin()
  await emptied.inside.call('DEL', 'a')
  t.equal(await emptied.end(), 200)
  while (await kept()) await new Promise((resolve) => setImmediate(resolve))
  t.equal(await outside.call('DBSIZE'), 0)
})

t.test('a right that is lost before the commit aborts it', async (t) => {
  const { url } = await startGateway(t, { RATE_LIMITS: 'off' })
  const owner = await WalletClient.signIn(url, testWallet('owner of keys'))
  const guest = await WalletClient.signIn(url, testWallet('guest of keys'))
  const mine = clientOf(url, (await owner.issue()).apiKey)
  await mine.call('SET', 'a', '1')
  const home = `w_${owner.wallet.address.toLowerCase()}`
  const path = '/api/v1/collections/kv0/roles'
  const role = (action: string) =>
    ask(url, {
      method: 'POST',
      path,
      headers: { ...owner.headers, 'x-sigil-database': home },
      body: JSON.stringify({ address: guest.wallet.address, action, role: 2 }),
    })
  t.equal((await role('grant')).status, 200)
  const key = (await guest.issue()).apiKey
  const { json } = await clientOf(url, key).send('/api/v1/transactions', {})
  const inside = clientOf(url, key, String(json.id), home)
  t.equal(await inside.call('INCR', 'a'), 2)
  t.equal((await role('revoke')).status, 200)
  await t.rejects(inside.call('GET', 'a'), /NOPERM/, 'every command looks at rights as they are')
  const told = await clientOf(url, key).send(`/api/v1/transactions/${json.id}/commit`, {})
  t.match([told.status, told.json.code], [403, 13])
  t.equal(await mine.call('GET', 'a'), '1')
})
