// The same subscriptions on a real server and on Sigil, in both versions of the protocol: every
// frame that either side sends, in its order, to the letter.

import t from 'tap'
import { besideRedis, type Pair } from '../../../support/redis-reference.js'
import { RespClient } from '../../../support/resp-client.js'

interface Side {
  readonly client: RespClient
  readonly other: RespClient
}

/** Lines of a subscriber and, behind `>`, of another client; the count of frames awaited last. */
const scripts: Readonly<Record<string, readonly (readonly [line: string, frames: number])[]>> = {
  'names and counts': [
    ['SUBSCRIBE a b a', 3],
    ['PSUBSCRIBE a* *', 2],
    ['UNSUBSCRIBE z', 1],
    ['> PUBLISH a 1', 3],
    ['> PUBLISH zz 1', 1],
    ['UNSUBSCRIBE b', 1],
    ['UNSUBSCRIBE', 1],
    ['PUNSUBSCRIBE a*', 1],
    ['> PUBLISH a 2', 1],
    ['PUNSUBSCRIBE', 1],
    ['UNSUBSCRIBE', 1],
    ['PUNSUBSCRIBE', 1],
    ['PUNSUBSCRIBE x y', 2],
    ['> PUBLISH a 3', 0],
  ],
  'what a subscriber may say': [
    ['SUBSCRIBE a', 1],
    ['PING', 1],
    ['PING x', 1],
    ['GET k', 1],
    ['MULTI', 1],
    ['PING x y', 1],
    ['UNSUBSCRIBE a', 1],
    ['PING', 1],
  ],
  'the names of patterns': [
    ['PSUBSCRIBE h[ae]llo h?llo \\*x [^a] *', 5],
    ['> PUBLISH hello 1', 3],
    ['> PUBLISH hillo 1', 2],
    ['> PUBLISH *x 1', 2],
    ['> PUBLISH b 1', 2],
    ['PUNSUBSCRIBE h[ae]llo', 1],
  ],
  'what is asked about channels': [
    ['PUBSUB', 1],
    ['PUBSUB NOSUCH', 1],
    ['PUBSUB NUMPAT x', 1],
    ['PUBSUB NUMSUB', 1],
    ['PUBSUB CHANNELS', 1],
    ['PUBSUB CHANNELS a b', 1],
    ['SUBSCRIBE', 1],
    ['PUBLISH a', 1],
    ['SUBSCRIBE one', 1],
    ['PSUBSCRIBE o*', 1],
  ],
  'inside a transaction': [
    ['MULTI', 1],
    ['SUBSCRIBE a', 1],
    ['PSUBSCRIBE b*', 1],
    ['PING q', 1],
    ['EXEC', 1],
    ['UNSUBSCRIBE', 1],
    ['PUNSUBSCRIBE', 1],
  ],
}

for (const [name, script] of Object.entries(scripts)) {
  for (const version of ['2', '3']) {
    await besideRedis(t, `${name}, RESP${version}`, async (t, pair) => {
      const [mine, wanted] = [await play(pair, 'ours'), await play(pair, 'theirs')]
      for (let i = 0; i < script.length; i++) t.same(mine[i], wanted[i], String(script[i]))
    })

    async function play(pair: Pair, which: 'ours' | 'theirs'): Promise<unknown[]> {
      const { client, other } = await sides(pair[which])
      await client.call('HELLO', version)
      const seen: unknown[] = []
      for (const [line, frames] of script) {
        const words = line.replace('> ', '').split(' ')
        const got: string[] = []
        if (line.startsWith('> ')) got.push(JSON.stringify(await other.call(...words)))
        else client.send(`${line}\r\n`)
        for (let i = 0; i < frames; i++) got.push(JSON.stringify(await client.next()))
        // The reference server's order of patterns is that of a hash table.
        seen.push(line.startsWith('> ') ? got.sort() : got)
      }
      client.close()
      return seen
    }
  }
}

async function sides(other: RespClient): Promise<Side> {
  const { remotePort = 0 } = other.socket
  return { client: await RespClient.open(remotePort), other }
}
