// The same commands on a real server of the protocol and on Sigil, and the replies compared to the
// letter. What differs by design (order of sets, times) is the test's to normalise.

import type { Test } from 'tap'
import { RedisServer, redisServerMissing } from '../protocol/resp/redis-server.js'
import { startGateway } from './live-gateway.js'
import { RespClient, type RespReply } from './resp-client.js'

export interface Pair {
  readonly ours: RespClient
  readonly theirs: RespClient
  /** Sends each line (words without spaces) to both; `normal` is applied to both replies. */
  same(
    lines: readonly string[],
    normal?: (reply: RespReply, line: string) => unknown,
  ): Promise<void>
  /** As same, for words that a line cannot hold. */
  sameWords(...words: readonly (string | Uint8Array)[]): Promise<void>
}

/** Runs `body` with a connection to each; skipped where there is no redis-server. */
export async function besideRedis(
  t: Test,
  name: string,
  body: (t: Test, pair: Pair) => Promise<void>,
  settings: readonly string[] = [],
): Promise<void> {
  const skip = (await redisServerMissing()) ?? false
  await t.test(name, { skip }, async (t) => {
    const server = await RedisServer.open(...settings)
    t.teardown(() => server.close())
    const gateway = await startGateway(t, { AUTH_MODE: 'off' })
    const ours = await RespClient.open(gateway.ports.redis)
    const theirs = await RespClient.open(server.port)
    t.teardown(() => {
      ours.close()
      theirs.close()
    })
    const sameWords = async (...words: readonly (string | Uint8Array)[]) => {
      const [mine, wanted] = await Promise.all([ours.call(...words), theirs.call(...words)])
      t.same(
        mine,
        wanted,
        words
          .map((word) => JSON.stringify(word))
          .join(' ')
          .slice(0, 200),
      )
    }
    await body(t, {
      ...{ ours, theirs, sameWords },
      same: async (lines, normal = (reply) => reply) => {
        for (const line of lines) {
          const words = line.split(' ')
          const [mine, wanted] = await Promise.all([ours.call(...words), theirs.call(...words)])
          t.same(normal(mine, line), normal(wanted, line), line)
        }
      },
    })
  })
}
