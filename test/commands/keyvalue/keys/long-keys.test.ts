// Keys of up to 64 KiB beside the real server: as names, in every place where a key is looked for,
// and two of them that differ in their last byte alone. HELP and large values are compared too.

import t from 'tap'
import { keyNameBytesMax, respBulkBytesMax } from '../../../../src/base/limits/key-value.js'
import { helpLines } from '../../../../src/commands/keyvalue/server/help-texts.js'
import { eachKeyValueRoom } from '../../../support/key-value-room.js'
import { besideRedis } from '../../../support/redis-reference.js'
import { RespClient } from '../../../support/resp-client.js'

const long = 'https://example.org/'.padEnd(keyNameBytesMax - 1, 'p')
const [a, b, c] = [`${long}a`, `${long}b`, `${long}c`]

const lines: readonly (readonly string[])[] = [
  ['SET', a, '1'],
  ['SET', b, '2', 'EX', '100'],
  ['GET', a],
  ['GET', b],
  ['GET', c],
  ['MGET', a, b, c],
  ['EXISTS', a, b, c],
  ['INCR', a],
  ['APPEND', b, 'x'],
  ['TTL', b],
  ['PERSIST', b],
  ['TYPE', a],
  ['KEYS', `${long.slice(0, 30)}*a`],
  ['RENAME', a, c],
  ['EXISTS', a, c],
  ['COPY', c, a],
  ['MSET', a, '5', c, '6'],
  ['DEL', a, b],
  ['RPUSH', a, '1', '2', '3'],
  ['LMOVE', a, b, 'LEFT', 'RIGHT'],
  ['BLPOP', a, '1'],
  ['LRANGE', b, '0', '-1'],
  ['DEL', a, b, c],
  ['SADD', a, '1', '2'],
  ['SADD', b, '2', '3'],
  ['SINTERSTORE', c, a, b],
  ['SMEMBERS', c],
  ['DEL', a, b, c],
  ['ZADD', a, '1', 'x', '2', 'y'],
  ['BZPOPMIN', a, '1'],
  ['ZRANGESTORE', b, a, '0', '-1'],
  ['ZRANGE', b, '0', '-1'],
  ['HSET', c, 'f', 'v'],
  ['HGETALL', c],
  ['OBJECT', 'ENCODING', c],
  ['WATCH', c],
  ['MULTI'],
  ['HSET', c, 'f', 'w'],
  ['EXEC'],
  ['MOVE', c, '1'],
  ['EXISTS', c],
  ['RANDOMKEY'],
  ['UNLINK', a, b],
  ['DBSIZE'],
]

await besideRedis(t, 'commands on keys of 64 KiB answer as the peer', async (_t, pair) => {
  for (const words of lines) {
    if (words[0] === 'RANDOMKEY') continue
    await pair.sameWords(...words)
  }
  await pair.same(['MULTI', 'CONFIG GET nothing', 'DISCARD'])
  for (const name of Object.keys(helpLines)) await pair.same([`${name} HELP`])
})

await besideRedis(t, 'a value that is too long is refused, and nothing else', async (t, pair) => {
  const { ours } = pair
  const tooLong = new Uint8Array(respBulkBytesMax + 1)
  const error = 'ERR string exceeds maximum allowed size (proto-max-bulk-len)'
  const behind = [ours.call('SET', 'k', 'v'), ours.call('SET', 'k', tooLong), ours.call('GET', 'k')]
  const [first, refused, last] = await Promise.allSettled(behind)
  t.match(first, { status: 'fulfilled' })
  t.match(JSON.stringify(refused), error)
  t.match(last, { value: '$v' }, 'the connection goes on')
  await ours.call('MULTI')
  t.match(await ours.call('SET', 'k', tooLong), error)
  t.match(await ours.call('EXEC'), 'EXECABORT')
})

await eachKeyValueRoom(
  t,
  'long keys: pages of SCAN, expiry and events',
  async (t, room) => {
    const names = Array.from(
      { length: 30 },
      (_, i) => `${long.slice(2)}${String(i).padStart(2, '0')}`,
    )
    for (const name of names) await room.run('SET', name, '1', 'PX', '500')
    const found = new Set<unknown>()
    let cursor: unknown = '0'
    do {
      const [next, keys] = (await room.run('SCAN', String(cursor), 'COUNT', '7')) as [
        string,
        string[],
      ]
      for (const key of keys) found.add(key)
      cursor = next
    } while (cursor !== '0')
    t.same([...found].sort(), names)
    t.match(await room.run('SET', `${a}b`, '1'), { error: /key is too long/ })
    room.clock.ms += 1_000
    await room.line('CLIENT PAUSE 100000 WRITE')
    t.notOk(await room.bus.expiry.round(), 'clients are paused: nothing is taken away')
    t.equal(room.bus.expiry.expired, 0)
    await room.line('CLIENT UNPAUSE')
    while (await room.bus.expiry.round());
    t.equal(room.bus.expiry.expired, names.length)
  },
  { kinds: ['memory', 'lmdb'] },
)

t.test('CONFIG GET port is the port that the client has come to', async (t) => {
  await besideRedis(t, 'port', async (t, { ours }) => {
    const reply = (await ours.call('CONFIG', 'GET', 'port')) as unknown[]
    const port = Number(String(reply.at(-1)).replace('$', ''))
    const again = await RespClient.open(port)
    t.match(String(await again.call('PING')), 'PONG')
    again.close()
  })
})
