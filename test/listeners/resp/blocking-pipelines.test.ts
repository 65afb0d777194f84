// Blocking commands inside pipelines, as on the reference server: what comes before one is answered
// while it waits, what comes behind it runs once it has its reply, and not if its client is gone.

import t from 'tap'
import { smallMessageBytesMax } from '../../../src/base/limits/connections.js'
import { inlineValueBytesMax } from '../../../src/base/limits/store.js'
import { besideRedis } from '../../support/redis-reference.js'
import { encode, RespClient } from '../../support/resp-client.js'
import { runs } from '../../support/runs.js'
import { seed } from '../../support/seed.js'
import { seededRandom } from '../../support/seeded-random.js'

/** Stored in chunks: a program that puts it fails, and its commands run one by one. */
const large = 'v'.repeat(inlineValueBytesMax + smallMessageBytesMax)

/** LARGE is replaced by a large value. */
const lines = [
  ...['RPUSH l1 a b', 'RPUSH l2 c', 'LPOP l1', 'LRANGE l1 0 -1', 'LLEN l2', 'DEL l1 l2 z1'],
  ...['BLPOP l1 0.01', 'BRPOP l1 l2 0.01', 'BLMOVE l1 l2 LEFT RIGHT 0.01', 'BRPOPLPUSH l2 l1 0.01'],
  ...['BLMPOP 0.01 2 l1 l2 LEFT COUNT 2', 'BLPOP l1 -1', 'BLPOP l1 x', 'BLPOP z1 0.01', 'BLPOP l1'],
  ...['ZADD z1 1 a 2 b', 'BZPOPMIN z1 0.01', 'BZPOPMAX z1 z2 0.01', 'BZMPOP 0.01 1 z1 MAX'],
  ...['ZCARD z1', 'SET s LARGE', 'STRLEN s', 'RPUSH l1 LARGE', 'GET s', 'INCR n', 'MULTI', 'EXEC'],
  ...['PING', 'NONE', 'SELECT 1', 'SELECT 0'],
]

/** The reference server looks that often whether a wait is over. */
const often = ['--hz', '500']

t.test('random pipelines', (t) =>
  besideRedis(
    t,
    'one client',
    async (t, { ours, theirs }) => {
      const random = seededRandom(seed)
      for (let run = 0; run < runs(100); run++) {
        const count = 1 + Math.floor(random() * 24)
        const drawn = Array.from({ length: count }, () => {
          const line = lines[Math.floor(random() * lines.length)] as string
          return line.split(' ').map((word) => (word === 'LARGE' ? large : word))
        })
        // Back to one state, whatever a pipeline has left open.
        const pipeline = [...drawn, ['PING'], ['DISCARD'], ['SELECT', '0'], ['ECHO', `end${run}`]]
        const bytes = Buffer.concat(pipeline.map((words) => encode(words)))
        const all = [ours, theirs].map(async (client) => {
          client.send(bytes)
          const replies: string[] = []
          while (replies.at(-1)?.endsWith(`\nend${run}\r\n`) !== true)
            replies.push(await client.nextRaw())
          return replies
        })
        const [mine, wanted] = await Promise.all(all)
        const shown = drawn.map((words) => words.join(' ').slice(0, 40)).join('; ')
        t.same(mine, wanted, `SIGIL_SEED=${seed} run ${run}: ${shown}`)
      }
    },
    often,
  ),
)

t.test('a pipeline with a command that waits', (t) =>
  besideRedis(t, 'what it does', async (t, pair) => {
    for (const [name, client] of Object.entries({ ours: pair.ours, theirs: pair.theirs })) {
      const port = client.socket.remotePort as number
      const waiting = await RespClient.open(port)
      t.teardown(() => waiting.close())
      const words = ['SET a 1', 'BLPOP q 0', 'INCR n', 'BLPOP q 0', 'GET a'].map((l) =>
        l.split(' '),
      )
      waiting.send(Buffer.concat(words.map((each) => encode(each))))
      t.equal(await waiting.next(), '+OK', `${name}: the reply before it`)
      t.equal(await client.call('GET', 'n'), '$-1', 'what comes behind has not run')
      t.equal(await client.call('RPUSH', 'q', 'x'), ':1')
      t.same(await waiting.next(), ['*2', '$q', '$x'])
      t.equal(await waiting.next(), ':1')
      t.equal(await client.call('GET', 'n'), '$1')
      t.equal(await client.call('RPUSH', 'q', 'y'), ':1')
      t.same(await waiting.next(), ['*2', '$q', '$y'])
      t.equal(await waiting.next(), '$1')
    }
  }),
)

t.test('a client that goes while it waits', (t) =>
  besideRedis(t, 'what it leaves', async (t, pair) => {
    for (const [name, client] of Object.entries({ ours: pair.ours, theirs: pair.theirs })) {
      const gone = await RespClient.open(client.socket.remotePort as number)
      gone.send(
        Buffer.concat([encode(['PING']), encode(['BLPOP', 'q', '0']), encode(['SET', 'b', '1'])]),
      )
      t.equal(await gone.next(), '+PONG')
      gone.socket.destroy()
      const left = async () =>
        /blocked_clients:0/.test(String(await client.call('INFO', 'clients')))
      while (!(await left()));
      t.equal(await client.call('RPUSH', 'q', 'x'), ':1')
      t.equal(await client.call('LLEN', 'q'), ':1', `${name}: the element is left`)
      t.equal(await client.call('EXISTS', 'b'), ':0', 'what came behind has not run')
    }
  }),
)

t.test('a pause that begins while a client waits', (t) =>
  besideRedis(t, 'what comes behind', async (t, pair) => {
    for (const [name, client] of Object.entries({ ours: pair.ours, theirs: pair.theirs })) {
      const waiting = await RespClient.open(client.socket.remotePort as number)
      t.teardown(() => waiting.close())
      const id = String(await waiting.call('CLIENT', 'ID')).slice(1)
      waiting.send(Buffer.concat([encode(['BLPOP', 'q', '0']), encode(['SET', 'p', '1'])]))
      const blocked = async () =>
        /blocked_clients:1/.test(String(await client.call('INFO', 'clients')))
      while (!(await blocked()));
      t.equal(await client.call('CLIENT', 'PAUSE', '100000', 'WRITE'), '+OK')
      t.equal(await client.call('CLIENT', 'UNBLOCK', id), ':1')
      t.equal(await waiting.next(), '*-1')
      t.equal(await client.call('GET', 'p'), '$-1', `${name}: it is held`)
      t.equal(await client.call('CLIENT', 'UNPAUSE'), '+OK')
      t.equal(await waiting.next(), '+OK')
    }
  }),
)
