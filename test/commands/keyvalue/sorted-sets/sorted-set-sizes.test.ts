// Large sorted sets beside a sorted array: ranks, ranges, counts and removals where the members are
// records and counted in blocks.

import t, { type Test } from 'tap'
import { checkStore } from '../../../../src/engine/check/check.js'
import { putsPerExplosion } from '../../../../src/engine/keyspace/containers/building.js'
import { eachKeyValueRoom, type KeyValueRoom } from '../../../support/key-value-room.js'
import { scansOfReads } from '../../../support/scans-of.js'
import { seed } from '../../../support/seed.js'
import { seededRandom } from '../../../support/seeded-random.js'

const size = 3_000

interface Scored {
  readonly member: string
  readonly score: number
}

function inOrder(entries: Scored[]): Scored[] {
  return entries.sort((a, b) => a.score - b.score || (a.member < b.member ? -1 : 1))
}

function flat(entries: readonly Scored[]): unknown[] {
  return entries.flatMap(({ member, score }) => [member, score])
}

/** A set of `size` members, filled in pieces. */
async function filled(room: KeyValueRoom, random: () => number): Promise<Scored[]> {
  const entries = Array.from({ length: size }, (_, i) => ({
    member: `m${i}`,
    score: Math.floor(random() * 1_000),
  }))
  for (let at = 0; at < size; at += 250) {
    const piece = entries.slice(at, at + 250)
    const words = piece.flatMap(({ member, score }) => [score, member])
    t.equal(await room.run('ZADD', 'z', ...words), piece.length)
  }
  return inOrder(entries)
}

/** The whole set, and what is asked about places all over it. */
async function checkAll(t: Test, room: KeyValueRoom, entries: readonly Scored[]): Promise<void> {
  t.equal(await room.line('ZCARD z'), entries.length)
  t.same(await room.line('ZRANGE z 0 -1 WITHSCORES'), flat(entries))
  for (let rank = 0; rank < entries.length; rank += 97) {
    const { member, score } = entries[rank] as Scored
    t.equal(await room.line(`ZRANK z ${member}`), rank)
    t.equal(await room.line(`ZREVRANK z ${member}`), entries.length - 1 - rank)
    t.equal(await room.line(`ZSCORE z ${member}`), score)
  }
}

t.test('a large set answers as a sorted array does', (t) =>
  eachKeyValueRoom(t, `seed ${seed}`, async (t, room) => {
    const random = seededRandom(seed)
    const below = (bound: number) => Math.floor(random() * bound)
    const entries = await filled(room, random)
    await checkAll(t, room, entries)
    for (let i = 0; i < 30; i++) {
      const first = below(size)
      const last = first + below(40)
      t.same(
        await room.run('ZRANGE', 'z', first, last, 'WITHSCORES'),
        flat(entries.slice(first, last + 1)),
      )
      t.same(
        await room.run('ZREVRANGE', 'z', first, last, 'WITHSCORES'),
        flat([...entries].reverse().slice(first, last + 1)),
      )
      const [min = 0, max = 0] = [below(1_000), below(1_000)].sort((a, b) => a - b)
      const within = entries.filter(({ score }) => score > min && score <= max)
      t.equal(await room.run('ZCOUNT', 'z', `(${min}`, max), within.length)
      const offset = below(within.length + 1)
      t.same(
        await room.run('ZRANGEBYSCORE', 'z', `(${min}`, max, 'WITHSCORES', 'LIMIT', offset, 7),
        flat(within.slice(offset, offset + 7)),
      )
      t.same(
        await room.run('ZREVRANGEBYSCORE', 'z', max, `(${min}`, 'WITHSCORES', 'LIMIT', offset, 7),
        flat(within.reverse().slice(offset, offset + 7)),
      )
    }
    const picked = (await room.line('ZRANDMEMBER z 50')) as string[]
    t.equal(new Set(picked).size, 50)
  }),
)

t.test('a large set changes as a sorted array does', (t) =>
  eachKeyValueRoom(t, `seed ${seed}`, async (t, room) => {
    const random = seededRandom(seed)
    let entries = await filled(room, random)
    const moved = entries.filter((_, i) => i % 7 === 0).slice(0, 200)
    await room.run('ZADD', 'z', ...moved.flatMap(({ member, score }) => [1_000 - score, member]))
    const names = new Set(moved.map(({ member }) => member))
    entries = inOrder(
      entries.map(({ member, score }) => ({
        member,
        score: names.has(member) ? 1_000 - score : score,
      })),
    )
    await checkAll(t, room, entries)
    t.equal(await room.line('ZREMRANGEBYRANK z 1000 1299'), 300)
    entries.splice(1_000, 300)
    const low = entries.filter(({ score }) => score < 100).length
    t.equal(await room.line('ZREMRANGEBYSCORE z -inf (100'), low)
    entries.splice(0, low)
    t.same(await room.line('ZPOPMIN z 20'), flat(entries.splice(0, 20)))
    t.same(await room.line('ZPOPMAX z 20'), flat(entries.splice(-20).reverse()))
    await checkAll(t, room, entries)
    // What is left moves to new records.
    const left = 500
    t.equal(await room.run('ZREMRANGEBYRANK', 'z', 0, -left - 1), entries.length - left)
    entries.splice(0, entries.length - left)
    await checkAll(t, room, entries)
    t.equal(await room.line('ZREMRANGEBYSCORE z -inf inf'), left)
    t.equal(await room.line('EXISTS z'), 0)
  }),
)

t.test('pops of a pipeline take what a sorted array has at its ends', (t) =>
  eachKeyValueRoom(t, `seed ${seed}`, async (t, room) => {
    const random = seededRandom(seed)
    let entries = await filled(room, random)
    let end = 'MIN'
    for (let burst = 0; burst < 12; burst++) {
      const lines: string[] = []
      const wanted: unknown[] = []
      for (let i = 0; i < 60; i++) {
        const draw = random()
        if (draw < 0.1) end = end === 'MIN' ? 'MAX' : 'MIN'
        if (draw > 0.96) {
          // At the very end that is popped from, or anywhere; an array has 'n' behind 'm'.
          const score = draw > 0.98 ? Math.floor(random() * 1_000) : end === 'MIN' ? -burst : 1_000
          lines.push(`ZADD z ${score} n${burst}.${i}`)
          wanted.push(1)
          entries = inOrder([...entries, { member: `n${burst}.${i}`, score }])
          continue
        }
        if (draw > 0.93) {
          const [gone] = entries.splice(end === 'MIN' ? 1 : entries.length - 2, 1)
          lines.push(`ZREM z ${gone?.member}`)
          wanted.push(1)
          continue
        }
        const count = draw > 0.8 ? Math.ceil(random() * 8) : 1
        const taken = end === 'MIN' ? entries.splice(0, count) : entries.splice(-count).reverse()
        lines.push(count === 1 ? `ZPOP${end} z` : `ZPOP${end} z ${count}`)
        wanted.push(flat(taken))
      }
      t.same(await Promise.all(lines.map((line) => room.line(line))), wanted, `burst ${burst}`)
      t.same(await room.line('ZRANGE z 0 0 WITHSCORES'), flat(entries.slice(0, 1)))
      t.same(await room.line('ZRANGE z -1 -1 WITHSCORES'), flat(entries.slice(-1)))
    }
    await checkAll(t, room, entries)
    t.same(await checkStore(room.store), [])
  }),
)

t.test('members of one score are found by their bytes in a large set', (t) =>
  eachKeyValueRoom(t, 'lexical', async (t, room) => {
    const names = Array.from({ length: 1_400 }, (_, i) => `n${String(i).padStart(4, '0')}`)
    await room.run('ZADD', 'z', ...names.flatMap((name) => [5, name]))
    t.same(await room.line('ZRANGEBYLEX z [n0700 (n0703'), names.slice(700, 703))
    t.same(await room.line('ZREVRANGEBYLEX z [n0703 (n0700'), names.slice(701, 704).reverse())
    t.equal(await room.line('ZLEXCOUNT z (n0100 +'), 1_299)
    t.same(await room.line('ZRANGEBYLEX z - + LIMIT 1100 2'), names.slice(1_100, 1_102))
    t.equal(await room.line('ZREMRANGEBYLEX z [n0100 [n1299'), 1_200)
    t.same(await room.line('ZRANGE z 99 100'), ['n0099', 'n1300'])
    t.equal(await room.line('ZRANK z n1300'), 100)
  }),
)

t.test('what becomes large at once has its ranks too', (t) =>
  eachKeyValueRoom(t, 'at once', async (t, room) => {
    for (const count of [putsPerExplosion / 2 - 10, putsPerExplosion / 2 + 1]) {
      const words = Array.from({ length: count }, (_, i) => [i, `m${i}`]).flat()
      t.equal(await room.run('ZADD', 'z', ...words), count)
      t.equal(await room.line('ZRANK z m1234'), 1_234)
      t.same(await room.line('ZRANGE z 1300 1301'), ['m1300', 'm1301'])
      t.equal(await room.line('ZUNIONSTORE u 2 z z'), count)
      t.equal(await room.line('ZSCORE u m1234'), 2_468)
      t.equal(await room.line('ZINTERCARD 2 u z'), count)
      t.equal(await room.line('ZDIFFSTORE u 2 u z'), 0)
      t.equal(await room.line('DEL z'), 1)
    }
  }),
)

t.test('ZREM of many long members searches the next first one once', (t) =>
  eachKeyValueRoom(
    t,
    'removals',
    async (t, room) => {
      const members = Array.from({ length: 600 }, (_, i) => `${'m'.repeat(300)}${1_000 + i}`)
      await room.run('ZADD', 'z', ...members.flatMap((member, score) => [score, member]))
      const scans = scansOfReads(room.store)
      t.equal(await room.run('ZREM', 'z', ...members.slice(0, 500)), 500)
      t.ok(scans() <= 4, `${scans()} scans`)
      t.same(await room.run('ZRANGE', 'z', 0, 0), members.slice(500, 501))
      t.same(await room.run('ZRANGE', 'z', -1, -1), members.slice(-1))
    },
    { kinds: ['memory', 'lmdb'] },
  ),
)
