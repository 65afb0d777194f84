// Runs of commands on a real server and on Sigil, replies compared to the byte: the one runner of
// all suites that stand beside the reference server. What may differ is listed in
// reference-exemptions.ts.

import type { Test } from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { MemoryAccount } from '../../src/base/heap/memory-account.js'
import { silentLog } from '../../src/base/log.js'
import { openResp } from '../../src/listeners/resp.js'
import { RedisServer, redisServerMissing } from '../protocol/resp/redis-server.js'
import { eachBound, type KeyValueRoom } from './key-value-room.js'
import { exemptionFor } from './reference-exemptions.js'
import { RespClient, type RespReply, replyIn } from './resp-client.js'
import { runs } from './runs.js'
import { seed } from './seed.js'
import { seededRandom } from './seeded-random.js'

/** The commands of one run. */
export type Sequence = (random: () => number, count: number) => string[][]

/** SIGIL_SEED brings a failure back. */
export const firstSeed = seed

interface Difference {
  readonly index: number
  readonly line: string
  readonly mine: RespReply
  readonly wanted: RespReply
}

/** Replies of a run, as they came. */
export function answersOf(client: RespClient, lines: readonly string[][]): Promise<string[]> {
  return Promise.all(lines.map((line) => client.callRaw(...line)))
}

/** The first reply that is not the reference server's, and that no exemption covers. */
export function firstDifference(
  lines: readonly string[][],
  mine: readonly string[],
  wanted: readonly string[],
): Difference | undefined {
  let queued: string[][] = []
  for (const [index, line] of lines.entries()) {
    const [a = '', b = ''] = [mine[index], wanted[index]]
    const name = line[0]?.toUpperCase()
    if (a !== b) {
      const [one, other] = [replyIn(a), replyIn(b)]
      const isExempt =
        name === 'EXEC'
          ? areAlike(queued, one, other)
          : exemptionFor(line, one, other) !== undefined
      if (!isExempt) return { index, line: shown(line), mine: one, wanted: other }
    }
    if (b === '+QUEUED\r\n') queued.push(line)
    else if (name === 'EXEC' || name === 'DISCARD' || (name === 'MULTI' && b === '+OK\r\n')) {
      queued = []
    }
  }
  return undefined
}

/** The replies of EXEC, each by its own command. */
function areAlike(lines: readonly string[][], mine: RespReply, wanted: RespReply): boolean {
  if (typeof mine === 'string' || typeof wanted === 'string') return false
  return (
    mine.length === wanted.length &&
    mine.length === lines.length + 1 &&
    lines.every((line, i) => {
      const [a = '', b = ''] = [mine[i + 1], wanted[i + 1]]
      return JSON.stringify(a) === JSON.stringify(b) || exemptionFor(line, a, b) !== undefined
    })
  )
}

function shown(line: readonly string[]): string {
  return line.map((word) => JSON.stringify(word)).join(' ')
}

/** Compares one run; tells of its first difference and answers whether there was none. */
export async function sameRun(
  t: Test,
  { ours, theirs }: { readonly ours: RespClient; readonly theirs: RespClient },
  title: string,
  lines: readonly string[][],
): Promise<boolean> {
  const [mine, wanted] = await Promise.all([answersOf(ours, lines), answersOf(theirs, lines)])
  const difference = firstDifference(lines, mine, wanted)
  if (difference === undefined) return true
  const { index, line } = difference
  t.same(difference.mine, difference.wanted, `${title}: ${index}: ${line}`)
  if (JSON.stringify(difference.mine) === JSON.stringify(difference.wanted)) {
    t.fail(`${title}: ${index}: ${line}: ${mine[index]} instead of ${wanted[index]}`)
  }
  return false
}

/** In rooms over every store, at every bound between small and large containers. */
export async function referenceRunsAtBounds(t: Test, sequence: Sequence): Promise<void> {
  const skip = (await redisServerMissing()) ?? false
  await t.test(`at every bound, seed ${firstSeed}`, { skip }, async (t) => {
    const server = await RedisServer.open()
    t.teardown(() => server.close())
    await eachBound(t, 'the replies are those of the peer', async (t, room) => {
      const { client: ours, close } = await connected(room)
      const theirs = await RespClient.open(server.port)
      await theirs.call('FLUSHALL')
      let isSame = true
      for (let run = 0; isSame && run < runs(6); run++) {
        const protocol = run % 2 === 0 ? '2' : '3'
        // What is left until a given time is the same in both.
        room.clock.ms = systemClock.now()
        // The room's clock stands still: a blocked client would wait for ever.
        const lines = sequence(seededRandom(firstSeed + run), 80).filter(
          ([name = '']) => !/^B.*(POP|MOVE|PUSH)/.test(name),
        )
        const all = [['HELLO', protocol], ...lines]
        isSame = await sameRun(t, { ours, theirs }, `seed ${firstSeed + run}`, all)
      }
      t.ok(isSame)
      theirs.close()
      await close()
    })
  })
}

/** A client of the room on a real socket. */
async function connected(room: KeyValueRoom) {
  const listener = await openResp({
    ...{ host: '127.0.0.1', port: 0, tls: undefined, allowInsecure: false, authOff: true },
    ...{ bus: room.bus, memory: new MemoryAccount(2 ** 28), clock: systemClock, log: silentLog },
  })
  const client = await RespClient.open(listener.port)
  const close = async () => {
    client.close()
    await listener.close(0)
  }
  return { client, close }
}
