// Commands of many members of one large key, beside a map: what they read ahead, where a store is
// asked for it, must be what their own changes leave.

import t from 'tap'
import { checkStore } from '../../../src/engine/check/check.js'
import { eachKeyValueRoom } from '../../support/key-value-room.js'
import { seed } from '../../support/seed.js'
import { seededRandom } from '../../support/seeded-random.js'

const names = Array.from({ length: 1_200 }, (_, i) => `m${i}`)
const rounds = 4
const mostAtOnce = 600

/** Names with repetitions, often neighbours. */
function some(random: () => number): string[] {
  const count = 2 + Math.floor(random() * mostAtOnce)
  const from = Math.floor(random() * names.length)
  const isRun = random() < 0.5
  return Array.from({ length: count }, (_, i) => {
    const at = isRun ? from + i : Math.floor(random() * names.length)
    return names[at % names.length] as string
  })
}

t.test('fields of a large hash and members of a large set, many at once', (t) =>
  eachKeyValueRoom(t, `seed ${seed}`, async (t, room) => {
    const random = seededRandom(seed)
    const hash = new Map<string, string>()
    for (let round = 0; round < rounds; round++) {
      const set = some(random)
      const value = `v${round}`
      const fresh = new Set(set.filter((name) => !hash.has(name))).size
      for (const name of set) hash.set(name, value)
      t.equal(await room.run('HSET', 'h', ...set.flatMap((name) => [name, value])), fresh)
      t.equal(await room.run('SADD', 's', ...set), fresh)
      const asked = some(random)
      const found = asked.map((name) => hash.get(name) ?? null)
      t.same(await room.run('HMGET', 'h', ...asked), found)
      const held = asked.map((name) => (hash.has(name) ? 1 : 0))
      t.same(await room.run('SMISMEMBER', 's', ...asked), held)
      const gone = some(random)
      const removed = new Set(gone.filter((name) => hash.delete(name))).size
      t.equal(await room.run('HDEL', 'h', ...gone), removed)
      t.equal(await room.run('SREM', 's', ...gone), removed)
      t.equal(await room.line('HLEN h'), hash.size)
      const picked = (await room.line('SRANDMEMBER s -40')) as string[]
      t.ok(picked.every((name) => hash.has(name)))
      const fields = (await room.line('HRANDFIELD h -40')) as string[]
      t.ok(fields.every((name) => hash.has(name)))
    }
    const members = (await room.line('SMEMBERS s')) as string[]
    t.same(members.sort(), [...hash.keys()].sort())
    t.same(await checkStore(room.store), [])
  }),
)

t.test('members of a large sorted set, many at once', (t) =>
  eachKeyValueRoom(t, `seed ${seed}`, async (t, room) => {
    const random = seededRandom(seed)
    const scores = new Map<string, number>()
    for (let round = 0; round < rounds; round++) {
      const set = some(random)
      const fresh = new Set(set.filter((name) => !scores.has(name))).size
      // In order, against it, or anywhere: often each member leaves an end of the set.
      const way = Math.floor(random() * 3)
      const scoreOf = (i: number) => (way === 0 ? i : way === 1 ? -i : Math.floor(random() * 900))
      const given = set.map((name, i) => ({ name, score: scoreOf(i) + round }))
      for (const { name, score } of given) scores.set(name, score)
      const words = given.flatMap(({ name, score }) => [score, name])
      t.equal(await room.run('ZADD', 'z', ...words), fresh)
      const asked = some(random)
      const found = asked.map((name) => scores.get(name) ?? null)
      t.same(await room.run('ZMSCORE', 'z', ...asked), found)
      const gone = some(random)
      const removed = new Set(gone.filter((name) => scores.delete(name))).size
      t.equal(await room.run('ZREM', 'z', ...gone), removed)
      const ordered = [...scores].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
      t.same(
        await room.line('ZRANGE z 0 0'),
        ordered.slice(0, 1).map(([name]) => name),
      )
      t.same(
        await room.line('ZRANGE z -1 -1'),
        ordered.slice(-1).map(([name]) => name),
      )
      t.same(await room.line('ZRANGE z 0 -1 WITHSCORES'), ordered.flat())
      for (let rank = 0; rank < ordered.length; rank += 71) {
        t.equal(await room.run('ZRANK', 'z', ordered[rank]?.[0] as string), rank)
      }
    }
    t.same(await checkStore(room.store), [])
  }),
)

t.test('keys of every type, many at once', (t) =>
  eachKeyValueRoom(t, `seed ${seed}`, async (t, room) => {
    const random = seededRandom(seed)
    for (const name of names.slice(0, 9)) await room.run('SADD', name, ...names)
    await room.run('MSET', ...names.slice(9).flatMap((name) => [name, 'v']))
    const left = new Set(names)
    while (left.size > 0) {
      const gone = left.size < 200 ? [...left] : some(random)
      const removed = new Set(gone.filter((name) => left.delete(name))).size
      t.equal(await room.run(random() < 0.5 ? 'DEL' : 'UNLINK', ...gone), removed)
      t.equal(await room.run('EXISTS', ...names), left.size)
    }
    t.equal(await room.line('DBSIZE'), 0)
    t.same(await checkStore(room.store), [])
  }),
)
