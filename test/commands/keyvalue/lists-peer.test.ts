// Random runs of list commands on a real server and on Sigil: the same replies to the letter, in
// both protocols and at every bound between small and large lists.

import t from 'tap'
import { RedisServer, redisServerMissing } from '../../protocol/resp/redis-server.js'
import { eachBound } from '../../support/key-value-room.js'
import { listSequence } from '../../support/list-sequences.js'
import { besideRedis } from '../../support/redis-peer.js'
import { RespClient, type RespReply } from '../../support/resp-client.js'
import { runs } from '../../support/runs.js'
import { seededRandom } from '../../support/seeded-random.js'

for (const protocol of ['2', '3']) {
  await besideRedis(t, `random runs are answered alike, RESP${protocol}`, async (t, pair) => {
    await Promise.all([pair.ours.call('HELLO', protocol), pair.theirs.call('HELLO', protocol)])
    for (let seed = 1; seed <= runs(10); seed++) {
      const lines = listSequence(seededRandom(seed), 100)
      const [mine, wanted] = await Promise.all([
        Promise.all(lines.map((line) => pair.ours.call(...line))),
        Promise.all(lines.map((line) => pair.theirs.call(...line))),
      ])
      const at = firstDifference(mine, wanted)
      if (at >= 0) t.same(mine[at], wanted[at], `seed ${seed}: ${at}: ${lines[at]?.join(' ')}`)
    }
    t.pass('all runs')
  })
}

const skip = (await redisServerMissing()) ?? false
await t.test('at every bound the replies are those of the peer', { skip }, async (t) => {
  const server = await RedisServer.open()
  t.teardown(() => server.close())
  const theirs = await RespClient.open(server.port)
  t.teardown(() => theirs.close())
  await eachBound(t, 'random runs', async (t, room) => {
    await theirs.call('FLUSHALL')
    for (let seed = 101; seed <= 100 + runs(6); seed++) {
      const lines = listSequence(seededRandom(seed), 80)
      // A manual clock would never let them go.
      const quick = lines.filter(([name = '']) => !name.startsWith('B'))
      const wanted = (await Promise.all(quick.map((line) => theirs.call(...line)))).map(plain)
      const mine = await Promise.all(quick.map((line) => room.run(...line)))
      const at = firstDifference(mine, wanted)
      if (at >= 0) t.same(mine[at], wanted[at], `seed ${seed}: ${at}: ${quick[at]?.join(' ')}`)
    }
    t.pass('all runs')
  })
})

function firstDifference(mine: readonly unknown[], wanted: readonly unknown[]): number {
  return mine.findIndex((each, i) => JSON.stringify(each) !== JSON.stringify(wanted[i]))
}

/** As the room answers: see `plain` there. */
function plain(reply: RespReply): unknown {
  if (typeof reply !== 'string') return reply.slice(1).map(plain)
  const rest = reply.slice(1)
  if (reply === '$-1' || reply === '*-1') return null
  if (reply[0] === ':') return Number(rest)
  return reply[0] === '-' ? { error: rest } : rest
}
