// The commands over keys of any type on a real server and on Sigil: the same replies to the letter
// in both protocols, refusals and the order of checks included, and dumps that go both ways.

import t from 'tap'
import { scriptLines } from '../../../support/key-scripts.js'
import { dumpString, intset, sealed, ziplist, zipmap } from '../../../support/old-dumps.js'
import { besideRedis, type Pair } from '../../../support/redis-reference.js'
import { sameRun } from '../../../support/reference-runs.js'
import type { RespReply } from '../../../support/resp-client.js'

const inAnyOrder = (reply: unknown): unknown =>
  Array.isArray(reply)
    ? [
        reply[0],
        ...reply
          .slice(1)
          .map(inAnyOrder)
          .map((each) => JSON.stringify(each))
          .sort(),
      ]
    : reply

for (const protocol of ['2', '3']) {
  await besideRedis(t, `each command and each refusal, RESP${protocol}`, async (t, pair) => {
    await Promise.all([pair.ours.call('HELLO', protocol), pair.theirs.call('HELLO', protocol)])
    for (const [place, lines] of scriptLines().entries()) {
      t.ok(await sameRun(t, pair, `script ${place}`, lines))
    }
  })
}

const writes: readonly (readonly string[])[] = [
  ['SET', 'k', ''],
  ['SET', 'k', '12'],
  ['SET', 'k', '-70000'],
  ['SET', 'k', '99999999999'],
  ['SET', 'k', 'x'.repeat(20_000)],
  ['SET', 'k', 'a\0\xff\r\n'],
  ['RPUSH', 'k', 'a', '', '1', '-5000', '123456', '5000000000', 'x'.repeat(70), 'y'.repeat(5_000)],
  ['RPUSH', 'k', 'small', 'z'.repeat(70_000), 'ab'.repeat(9_000)],
  ['RPUSH', 'k', ...Array.from({ length: 3_000 }, (_, i) => `element ${i}`)],
  ['SADD', 'k', '1', '-2', '3000'],
  ['SADD', 'k', '1', '-200000', '3000000000'],
  ['SADD', 'k', 'a', 'b', '', '1'],
  ['HSET', 'k', 'f', 'v', '', '', '12', '-7', 'big', 'x'.repeat(3_000)],
  ['HSET', 'k', ...Array.from({ length: 400 }, (_, i) => `f${i}`)],
  ['ZADD', 'k', '1', 'a', '-2.5', 'b', 'inf', 'c', '-inf', 'd', '0.1', 'e', '1e300', 'f'],
  ['ZADD', 'k', '1', 'x'.repeat(100), '0.30000000000000004', 'b', '17179869184', '7'],
  ['ZADD', 'k', ...Array.from({ length: 600 }, (_, i) => String(i))],
]

/** What shows all of a key. */
const views = ['GET k', 'LRANGE k 0 -1', 'SMEMBERS k', 'HGETALL k', 'ZRANGE k 0 -1 WITHSCORES']

await besideRedis(t, 'a dump of one is restored by the other', async (t, pair) => {
  for (const write of writes) {
    await pair.same(['DEL k'])
    await pair.sameWords(...write.map((word) => Buffer.from(word, 'latin1')))
    const mine = payloadOf(await pair.ours.call('DUMP', 'k'))
    const wanted = payloadOf(await pair.theirs.call('DUMP', 'k'))
    await pair.same(['DEL k'])
    const title = write.join(' ').slice(0, 30)
    t.equal(await pair.ours.call('RESTORE', 'k', '0', wanted), '+OK', `theirs here: ${title}`)
    t.equal(await pair.theirs.call('RESTORE', 'k', '0', mine), '+OK', `ours there: ${title}`)
    await sameView(pair)
  }
})

await besideRedis(t, 'dumps of older versions are restored alike', async (_t, pair) => {
  const numbers = [0n, 12n, 13n, -1n, 300n, 70_000n, -8_000_000n, 2n ** 40n, -(2n ** 63n)]
  const payloads = [
    sealed(10, dumpString(ziplist([...numbers, 'a', 'x'.repeat(100), 'y'.repeat(20_000)]))),
    sealed(12, dumpString(ziplist(['m', 1n, 'n', '2.5']))),
    sealed(13, dumpString(ziplist(['f', 'v', 'g', 7n]))),
    sealed(
      9,
      dumpString(
        zipmap([
          ['f', 'v'],
          ['g', 'w'.repeat(300)],
        ]),
      ),
    ),
    sealed(11, dumpString(intset(2, [-5n, 7n]))),
    sealed(11, dumpString(intset(8, [-(2n ** 62n), 2n ** 62n]))),
    sealed(1, Buffer.from([0])),
    sealed(0, Buffer.from([])),
    sealed(0, dumpString('a'), 11),
    sealed(0, dumpString('a'), 1),
  ]
  for (const payload of payloads) {
    await pair.sameWords('RESTORE', 'k', '0', payload, 'REPLACE')
    await sameView(pair)
  }
})

async function sameView(pair: Pair): Promise<void> {
  await pair.same(views, (reply) => inAnyOrder(reply))
}

function payloadOf(reply: RespReply): Buffer {
  return Buffer.from(String(reply).slice(1), 'latin1')
}
