// Runs of commands on a real server and on Sigil, replies compared to the letter: over a socket in
// both protocols, and in rooms at every bound between small and large containers.

import type { Test } from 'tap'
import { RedisServer, redisServerMissing } from '../protocol/resp/redis-server.js'
import { boundsCases, eachKeyValueRoom } from './key-value-room.js'
import { besideRedis } from './redis-peer.js'
import { RespClient, type RespReply } from './resp-client.js'
import { runs } from './runs.js'
import { seededRandom } from './seeded-random.js'

export interface PeerRuns {
  /** The commands of one run. */
  readonly sequence: (random: () => number, count: number) => string[][]
  /** Brings replies without an order into one. */
  readonly normal?: (reply: RespReply, line: readonly string[]) => unknown
}

const asItIs = (reply: RespReply): unknown => reply

/** On a socket, RESP2 and RESP3. */
export async function peerRuns(t: Test, { sequence, normal = asItIs }: PeerRuns): Promise<void> {
  for (const protocol of ['2', '3']) {
    await besideRedis(t, `random runs are answered alike, RESP${protocol}`, async (t, pair) => {
      await Promise.all([pair.ours.call('HELLO', protocol), pair.theirs.call('HELLO', protocol)])
      for (let seed = 1; seed <= runs(40); seed++) {
        const lines = sequence(seededRandom(seed), 100)
        const [mine, wanted] = await Promise.all([
          Promise.all(lines.map((line) => pair.ours.call(...line))),
          Promise.all(lines.map((line) => pair.theirs.call(...line))),
        ])
        compare(t, seed, lines, (i) => [mine[i], wanted[i]], normal)
      }
      t.pass('all runs')
    })
  }
}

/** In rooms over every store, at every bound. */
export async function peerRunsAtBounds(t: Test, parts: PeerRuns): Promise<void> {
  const { sequence, normal = asItIs } = parts
  const skip = (await redisServerMissing()) ?? false
  await t.test('at every bound the replies are those of the peer', { skip }, async (t) => {
    const server = await RedisServer.open()
    t.teardown(() => server.close())
    const theirs = await RespClient.open(server.port)
    t.teardown(() => theirs.close())
    for (const [title, bounds] of Object.entries(boundsCases)) {
      const body = async (t: Test, room: { run(...words: string[]): Promise<unknown> }) => {
        await theirs.call('FLUSHALL')
        for (let seed = 101; seed <= 100 + runs(6); seed++) {
          const lines = sequence(seededRandom(seed), 80)
          const wanted = await Promise.all(lines.map((line) => theirs.call(...line)))
          const mine = await Promise.all(lines.map((line) => room.run(...line)))
          const pairOf = (i: number) =>
            [encoded(mine[i]), encoded(plain(wanted[i] as RespReply))] as const
          compare(t, seed, lines, pairOf, normal)
        }
        t.pass('all runs')
      }
      await eachKeyValueRoom(t, `random runs, ${title}`, body, { bounds })
    }
  })
}

type PairOf = (index: number) => readonly [RespReply | undefined, RespReply | undefined]

/** Tells of the first difference of a run alone. */
function compare(
  t: Test,
  seed: number,
  lines: readonly string[][],
  pairOf: PairOf,
  normal: (reply: RespReply, line: readonly string[]) => unknown,
): void {
  for (const [i, line] of lines.entries()) {
    const [mine = '', wanted = ''] = pairOf(i)
    const [a, b] = [normal(mine, line), normal(wanted, line)]
    if (JSON.stringify(a) === JSON.stringify(b)) continue
    t.same(a, b, `seed ${seed}: ${i}: ${line.map((word) => JSON.stringify(word)).join(' ')}`)
    return
  }
}

/** A reply of a room in the shape of one of a socket. */
function encoded(reply: unknown): RespReply {
  if (reply === null) return '$-1'
  if (Array.isArray(reply)) return [`*${reply.length}`, ...reply.map(encoded)]
  if (Buffer.isBuffer(reply)) return `$${reply.toString('latin1')}`
  if (typeof reply === 'object') return `-${(reply as { error: string }).error}`
  return typeof reply === 'string'
    ? `$${Buffer.from(reply).toString('latin1')}`
    : `:${String(reply)}`
}

/** What a room does not tell apart, undone. */
function plain(reply: RespReply): unknown {
  if (typeof reply !== 'string') return reply.slice(1).map(plain)
  const rest = reply.slice(1)
  if (reply === '$-1' || reply === '*-1') return null
  if (reply[0] === ':') return BigInt(rest)
  return reply[0] === '-' ? { error: rest } : Buffer.from(rest, 'latin1')
}
