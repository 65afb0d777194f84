// Small commands of several connections that wait for the same group share a program, and nothing
// shows it but the number of programs: replies, events and what is stored are those of the same
// commands one by one, and a command that makes the program fail harms none of the others.

import t from 'tap'
import { Programs } from '../../../../src/bus/keyvalue/programs/programs.js'
import {
  sharedCommandBytesMax,
  sharedCommandsMax,
  sharedCommandWordsMax,
  sharedWordsMax,
} from '../../../../src/bus/keyvalue/programs/shared-writes.js'
import { RunningCall } from '../../../../src/bus/keyvalue/running-call.js'
import { checkStore } from '../../../../src/engine/check/check.js'
import { usualBounds } from '../../../../src/engine/keyspace/work.js'
import { operator } from '../../../../src/identity/identity.js'
import { noWallets } from '../../../../src/identity/rights/revocation-check.js'
import {
  eachBound,
  eachKeyValueRoom,
  type KeyValueRoom,
  plain,
  type RoomClient,
  requestOf,
} from '../../../support/key-value-room.js'
import { runs } from '../../../support/runs.js'
import { seed as firstSeed } from '../../../support/seed.js'
import { seededRandom } from '../../../support/seeded-random.js'

/** Where the programs of a tick wait for its end. */
const kinds = ['memory', 'lmdb'] as const
const names = ['h', 'l', 's', 'z', 'n', 'x']

type Line = readonly string[]

/** Commands that are shared, most of them of the type that the key's name says. */
function commandOf(random: () => number): Line {
  const below = (bound: number) => Math.floor(random() * bound)
  const one = <T>(from: readonly T[]): T => from[below(from.length)] as T
  const member = () => `m${below(9)}`
  const score = () => String(below(9) - 3)
  const key = () => (random() < 0.05 ? one(names) : undefined)
  return one<() => Line>([
    () => ['HSET', key() ?? 'h', member(), score()],
    () => ['HINCRBY', key() ?? 'h', member(), '2'],
    () => ['HDEL', key() ?? 'h', member()],
    () => ['LPUSH', key() ?? 'l', member()],
    () => ['LPOP', key() ?? 'l'],
    () => ['SADD', key() ?? 's', member()],
    () => ['SREM', key() ?? 's', member()],
    () => ['ZADD', key() ?? 'z', score(), member()],
    () => ['ZADD', key() ?? 'z', score(), member()],
    () => ['ZINCRBY', key() ?? 'z', score(), member()],
    () => ['ZREM', key() ?? 'z', member()],
    () => ['ZRANK', key() ?? 'z', member()],
    () => ['INCR', key() ?? 'n'],
    () => ['APPEND', key() ?? 'n', '1'],
    () => ['SET', key() ?? 'n', score()],
    () => ['MSET', 'x', score(), one(names), score()],
    () => ['DEL', one(names)],
  ])()
}

async function stateOf(client: RoomClient): Promise<unknown> {
  const found: unknown[] = [await client.run('DBSIZE')]
  for (const name of names) {
    found.push(await client.run('TYPE', name), await client.run('GET', name))
    found.push(await client.run('LRANGE', name, 0, -1))
    found.push(await client.run('ZRANGE', name, 0, -1, 'WITHSCORES'))
    found.push([(await client.run('SMEMBERS', name)) ?? []].flat().sort())
    found.push(await client.run('HLEN', name), await client.run('HMGET', name, 'm1', 'm2', 'm3'))
  }
  return found
}

await eachBound(
  t,
  'commands of several connections are what they are one by one',
  async (t, room) => {
    const clients = Array.from({ length: 6 }, () => room.client())
    const single = room.client()
    await single.run('SELECT', 1)
    for (let run = 0; run < runs(10); run++) {
      const seed = firstSeed + run
      const random = seededRandom(seed)
      for (let burst = 0; burst < 6; burst++) {
        const lines = clients.map(() =>
          Array.from({ length: 1 + Math.floor(random() * 12) }, () => commandOf(random)),
        )
        // What begins with a read would be answered before the others.
        for (const own of lines) own.unshift(['INCR', 'n'])
        const together = await Promise.all(
          clients.map((client, i) =>
            Promise.all((lines[i] ?? []).map((line) => client.run(...line))),
          ),
        )
        const alone: unknown[] = []
        for (const line of lines.flat()) alone.push(await single.run(...line))
        t.same(together.flat(), alone, `seed ${seed}, burst ${burst}`)
      }
      t.same(await stateOf(room), await stateOf(single), `seed ${seed}`)
    }
    t.same(await checkStore(room.store), [], 'everything is where it belongs')
  },
  { kinds },
)

function programsSoFar({ store }: KeyValueRoom): number {
  return store.stats().groups?.programs ?? 0
}

/** So many programs ran while the clients' commands did; all are sent in one tick. */
async function programsOf(
  room: KeyValueRoom,
  count: number,
  linesOf: (client: number) => readonly Line[],
): Promise<{ programs: number; replies: unknown[] }> {
  const clients = Array.from({ length: count }, () => room.client())
  const before = programsSoFar(room)
  const replies = await Promise.all(
    clients.flatMap((client, i) => linesOf(i).map((line) => client.run(...line))),
  )
  return { programs: programsSoFar(room) - before, replies }
}

await eachKeyValueRoom(
  t,
  'a program takes what waits, up to its bounds',
  async (t, room) => {
    const few = await programsOf(room, 20, () => [
      ['INCR', 'n'],
      ['INCR', 'n'],
    ])
    t.equal(few.programs, 1)
    t.same(
      few.replies,
      Array.from({ length: 40 }, (_, i) => i + 1),
    )
    const lines = Array.from({ length: 10 }, () => ['INCR', 'n'])
    const many = Math.ceil((2.5 * sharedCommandsMax) / 10)
    t.equal((await programsOf(room, many, () => lines)).programs, 3, 'commands')
    const wide = ['SADD', 's', ...Array.from({ length: 62 }, (_, i) => `m${i}`)]
    const words = Math.ceil((1.5 * sharedWordsMax) / wide.length)
    t.equal((await programsOf(room, words, () => [wide])).programs, 2, 'words')
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'what is large, or may take long, has a program of its own',
  async (t, room) => {
    const words = ['SADD', 's', ...Array.from({ length: sharedCommandWordsMax }, (_, i) => `m${i}`)]
    const large = ['SET', 'x', 'x'.repeat(sharedCommandBytesMax)]
    const slow = ['SUNIONSTORE', 't', 's']
    for (const line of [words, large, slow]) {
      t.equal((await programsOf(room, 3, () => [line])).programs, 3, line.join(' ').slice(0, 20))
      const beside = await programsOf(room, 3, (i) => [i === 1 ? line : ['INCR', 'n']])
      t.equal(beside.programs, 2, 'the others share one')
    }
  },
  { kinds },
)

await eachKeyValueRoom(t, 'one that makes the program fail harms no other', async (t, room) => {
  // What it becomes is written in chunks, ahead of a program of its own.
  await room.run('SET', 'x', 'x'.repeat(262_000))
  const grown = ['APPEND', 'x', 'y'.repeat(1_000)]
  const { replies } = await programsOf(room, 5, (i) => [i === 2 ? grown : ['INCR', `n${i}`]])
  t.same(replies, [1, 1, 263_000, 1, 1])
  t.equal(await room.run('STRLEN', 'x'), 263_000)
  const refused = await programsOf(room, 3, (i) => [
    i === 1 ? ['LPUSH', 'n0', 'a'] : ['INCR', 'n0'],
  ])
  const wrong = 'WRONGTYPE Operation against a key holding the wrong kind of value'
  t.same(refused.replies[1], { error: wrong })
  t.equal(await room.run('GET', 'n0'), '3')
})

await eachKeyValueRoom(
  t,
  'one that is refused for what others have open harms no other, nor the program',
  async (t, room) => {
    const lines: Line[] = [
      ['ZADD', 'z', '1', 'a'],
      ['INCR', 'z'],
      ['ZADD', 'z', '2', 'b'],
    ]
    const { programs, replies } = await programsOf(room, 3, (i) => [lines[i] ?? []])
    const wrong = 'WRONGTYPE Operation against a key holding the wrong kind of value'
    t.same(replies, [1, { error: wrong }, 1])
    t.equal(programs, 1)
    t.same(await room.run('ZRANGE', 'z', 0, -1), ['a', 'b'])
  },
  { kinds, bounds: { members: 0, bytes: 1_000 } },
)

await eachKeyValueRoom(
  t,
  'each command has the rights of its sender, also in a shared program',
  async (t, room) => {
    const { bus } = room
    const [one, two] = [room.client(), room.client({ ...operator })]
    const { identity: writer } = one.session
    let now = 0
    const programs = new Programs({
      ...{ bounds: usualBounds, revocation: noWallets },
      ...{ notifies: () => false, notifiesRare: () => false, announce: () => {} },
      replyBytesMax: () => Number.POSITIVE_INFINITY,
      warnOf: () => {},
      store: bus.engine.store,
      allow: (identity, privilege) => identity === writer || privilege !== 'write',
    })
    const callOf = ({ session }: RoomClient, ...words: Line) => {
      const command = bus.table.find(words[0] ?? '')
      if (command === undefined) throw new Error(`no ${words[0]}`)
      return new RunningCall(command, requestOf(words), session, bus.services)
    }
    const before = programsSoFar(room)
    const calls = [one, two, one, two].map((client) => callOf(client, 'INCR', 'n'))
    await Promise.all(calls.map((call) => programs.write([call], ++now)))
    const refused =
      'NOPERM this user has no permissions to access one of the keys used as arguments'
    t.same(
      calls.map(({ reply }) => plain(reply)),
      [1, { error: refused }, 2, { error: refused }],
    )
    t.equal(programsSoFar(room) - before, 1)
    t.equal(await room.run('GET', 'n'), '2')
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'no client waits for another whose commands made the program fail',
  async (t, room) => {
    await room.run('SET', 'x', 'x'.repeat(262_000))
    const ended: string[] = []
    const send = (client: RoomClient, ...line: Line) =>
      client.run(...line).then((reply) => {
        ended.push(line.join(' ').slice(0, 8))
        return reply
      })
    const [slow, one, two] = [room.client(), room.client(), room.client()]
    const before = programsSoFar(room)
    const replies = await Promise.all([
      // Written in chunks first: several programs, one behind the other.
      send(slow, 'APPEND', 'x', 'y'.repeat(1_000)),
      send(one, 'INCR', 'n1'),
      send(one, 'INCR', 'n1'),
      send(two, 'INCR', 'n2'),
    ])
    t.same(replies, [263_000, 1, 2, 1])
    t.equal(ended.at(-1), 'APPEND x', 'the others had their replies before')
    t.ok(programsSoFar(room) - before >= 5)
    const next = await programsOf(room, 4, () => [['INCR', 'n3']])
    t.equal(next.programs, 4, 'those behind it go alone for a while')
    await programsOf(room, 20, () => [['INCR', 'n3']])
    t.equal((await programsOf(room, 4, () => [['INCR', 'n3']])).programs, 1, 'and then share again')
    t.equal(await room.run('GET', 'n3'), '28')
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'a time that is over for the last of them is over for all',
  async (t, room) => {
    await room.run('SET', 'n', 7, 'PXAT', room.clock.now() + 5)
    const [first, last] = [room.client(), room.client()]
    const replies = [first.run('INCR', 'n')]
    // The first one waits for its group by now.
    await Promise.resolve()
    room.clock.ms += 10
    replies.push(last.run('INCR', 'n'))
    t.same(await Promise.all(replies), [1, 2])
  },
  { kinds },
)

await eachKeyValueRoom(t, 'a watch sees what others share a program with', async (t, room) => {
  await room.run('ZADD', 'z', 1, 'a')
  const watching = room.client()
  await watching.run('WATCH', 'z')
  await programsOf(room, 3, (i) => [['ZADD', 'z', String(i), `m${i}`]])
  await watching.run('MULTI')
  await watching.run('ZCARD', 'z')
  t.equal(await watching.run('EXEC'), null)
  t.equal(await room.run('ZCARD', 'z'), 4)
})
