// Random runs of sorted-set commands on a real server and on Sigil: the same bytes to the letter, in
// both protocols and at every bound between small and large sorted sets.

import { randomInt } from 'node:crypto'
import t from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { silentLog } from '../../../src/base/log.js'
import { ByteBudget } from '../../../src/listeners/budget.js'
import { openResp } from '../../../src/listeners/resp.js'
import { RedisServer, redisServerMissing } from '../../protocol/resp/redis-server.js'
import { eachBound, type KeyValueRoom } from '../../support/key-value-room.js'
import { RespClient } from '../../support/resp-client.js'
import { runs } from '../../support/runs.js'
import { seededRandom } from '../../support/seeded-random.js'
import { sortedSetSequence } from '../../support/sorted-set-sequences.js'

const first = Number(process.env.SIGIL_SEED ?? randomInt(2 ** 30))
const skip = (await redisServerMissing()) ?? false

await t.test('random runs are answered as by the peer', { skip }, async (t) => {
  const server = await RedisServer.open()
  const theirs = await RespClient.open(server.port)
  for (const protocol of ['2', '3']) {
    await theirs.call('HELLO', protocol)
    const title = `RESP${protocol}, seed ${first}`
    await eachBound(t, title, async (t, room) => {
      const ours = await connected(room)
      await ours.client.call('HELLO', protocol)
      await theirs.call('FLUSHALL')
      const difference = await compareRuns(ours.client, theirs)
      t.equal(difference, undefined)
      await ours.close()
    })
  }
  theirs.close()
  await server.close()
})

/** Undefined where all replies are the same. */
async function compareRuns(ours: RespClient, theirs: RespClient): Promise<unknown> {
  for (let seed = first; seed < first + runs(4); seed++) {
    const lines = sortedSetSequence(seededRandom(seed), 120)
    const [mine, wanted] = await Promise.all([
      Promise.all(lines.map((line) => ours.call(...line))),
      Promise.all(lines.map((line) => theirs.call(...line))),
    ])
    const at = mine.findIndex((reply, i) => JSON.stringify(reply) !== JSON.stringify(wanted[i]))
    if (at >= 0) return { seed, at, line: lines[at], mine: mine[at], wanted: wanted[at] }
  }
  return undefined
}

/** A client of the room on a real socket. */
async function connected(room: KeyValueRoom) {
  const listener = await openResp({
    ...{ host: '127.0.0.1', port: 0, tls: undefined, allowInsecure: false, authOff: true },
    ...{ bus: room.bus, budget: new ByteBudget(2 ** 28), clock: systemClock, log: silentLog },
  })
  const client = await RespClient.open(listener.port)
  const close = async () => {
    client.close()
    await listener.close(0)
  }
  return { client, close }
}
