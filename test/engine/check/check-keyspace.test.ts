// The check knows how keys are laid out: what is damaged of members, counts and times is named, and
// neither what a command does meanwhile nor what is being deleted behind one is damage.

import t from 'tap'
import { Slice } from '../../../src/base/bytes/slice.js'
import {
  chunkKey,
  discardMembers,
  membersChunks,
  membersPrefix,
  trimmedKey,
} from '../../../src/engine/background/garbage.js'
import { checkStore } from '../../../src/engine/check/check.js'
import { countKey } from '../../../src/engine/collection/counters.js'
import { Members, numberSlice } from '../../../src/engine/keyspace/containers/members.js'
import { expiryKey } from '../../../src/engine/keyspace/keys/expiry.js'
import { keyTypes } from '../../../src/engine/keyspace/keys/key.js'
import { recordKeyOf } from '../../../src/engine/keyspace/keys/key-name.js'
import { placeOf, scorePlace } from '../../../src/engine/keyspace/sorted-sets/sorted-set-place.js'
import { usualBounds, Work } from '../../../src/engine/keyspace/work.js'
import type { MembersId, Namespace } from '../../../src/engine/types.js'
import { idKey, keyClass } from '../../../src/store/layout.js'
import type { Tx } from '../../../src/store/store.js'
import { eachKeyValueRoom, type KeyValueRoom } from '../../support/key-value-room.js'

const large = { bounds: { members: 0, bytes: usualBounds.bytes } }
const emptySlice = Slice.of(new Uint8Array(0))

const problems = async ({ store }: KeyValueRoom): Promise<string[]> =>
  (await checkStore(store)).map(({ ns, kind, text }) => `${ns} ${kind} ${text}`)

const database = (room: KeyValueRoom): Promise<Namespace> =>
  Promise.resolve(
    room.store.read(function* (tx) {
      const found = yield* room.bus.spaces.main.place(0).find(tx)
      if (found === undefined) throw new Error('there from the first start')
      return found
    }),
  )

/** Changes members behind the engine's back; ids are given in the order of the first writes. */
async function damage(
  room: KeyValueRoom,
  id: number,
  change: (members: Members, tx: Tx) => void,
): Promise<void> {
  const ns = await database(room)
  await room.store.write(function* (tx) {
    change(new Members(tx, ns.id, id as MembersId, new Work(usualBounds, false)), tx)
  })
}

const word = (text: string): Slice => Slice.ofText(text)
const gone = (member: Slice) => ({ member, payload: emptySlice, chunks: undefined })

const damages: {
  name: string
  build: string
  break: (members: Members, tx: Tx) => void
  named: RegExp[]
}[] = [
  {
    name: 'a list without one of its elements',
    build: 'RPUSH k a b c',
    break: (members) => members.remove(0, gone(numberSlice(1))),
    named: [/main\.kv0 member list \{ _id: "k" \} with members 1: part 0 has 2 members of 3/],
  },
  {
    name: 'an element beside a list',
    build: 'RPUSH k a b c',
    break: (members) => members.put(0, numberSlice(3), word('d')),
    named: [/member 08[0-9a-f]+ has position 3, where the list has none/],
  },
  {
    name: 'an element in another part',
    build: 'RPUSH k a',
    break: (members) => members.put(1, numberSlice(0), word('d')),
    named: [/member 08[0-9a-f]+ is none that its type has/],
  },
  {
    name: 'elements that are in use and listed for deletion',
    build: 'RPUSH k a b c',
    break: (_, tx) => {
      const span = Buffer.concat([numberSlice(2).view(), numberSlice(5).view()])
      tx.put(trimmedKey(1 as MembersId, 1), Uint8Array.from(span))
    },
    named: [/does not say what it left/, /uses positions that are listed for deletion/],
  },
  {
    name: 'a hash field without its number',
    build: 'HSET k f v g w',
    break: (members) => members.remove(1, gone(numberSlice(1))),
    named: [/is not what number 1 stands for/, /part 1 has 1 members of 2/],
  },
  {
    name: 'a hash field beyond the count',
    build: 'HSET k f v',
    break: (members) =>
      members.put(0, word('x'), Slice.of(Buffer.concat([numberSlice(1).view(), word('v').view()]))),
    named: [/has number 1 of 1/, /part 0 has 1 members of 1/].slice(0, 1),
  },
  {
    name: 'a set whose numbers stand for others',
    build: 'SADD k a b',
    break: (members) => members.put(1, numberSlice(0), word('b')),
    named: [/is not what number 0 stands for/, /stands for a member that does not have number 0/],
  },
  {
    name: 'a set member without a number',
    build: 'SADD k a',
    break: (members) => members.put(0, word('a'), word('?')),
    named: [/has no number/, /does not have number 0/],
  },
  {
    name: 'a score that is not its place',
    build: 'ZADD k 1 a 2 b',
    break: (members) => members.put(0, word('a'), Slice.of(scorePlace(9))),
    named: [/has no place by its score/, /is the place of a member that does not have that score/],
  },
  {
    name: 'a place of no member',
    build: 'ZADD k 1 a 2 b',
    break: (members) => members.put(1, placeOf(3, word('c')), emptySlice),
    named: [/is the place of a member that does not have that score/],
  },
  {
    name: 'blocks that a small sorted set does not have',
    build: 'ZADD k 1 a 2 b',
    break: (members) => members.put(2, emptySlice, numberSlice(2)),
    named: [/is none that its type has/],
  },
  {
    name: 'members of a live key that are listed for deletion',
    build: 'SADD k a',
    break: (_, tx) => discardMembers(tx, 1 as MembersId),
    named: [/is listed for deletion/],
  },
  {
    name: 'members of no key',
    build: 'SET k v',
    break: (_, tx) => {
      const key = Buffer.concat([membersPrefix(77 as MembersId), Uint8Array.of(0, 1)])
      tx.put(Uint8Array.from(key), Uint8Array.of(0, 1))
    },
    named: [/^ unowned members 77, which no key has$/],
  },
]

for (const { name, build, break: change, named } of damages) {
  t.test(`the check names ${name}`, (t) =>
    eachKeyValueRoom(
      t,
      name,
      async (t, room) => {
        await room.line(build)
        t.same(await problems(room), [])
        await damage(room, 1, change)
        const found = (await problems(room)).join('\n')
        for (const text of named) t.match(found, text)
      },
      large,
    ),
  )
}

t.test('the check names members that two keys have, and a head that lost all of them', (t) =>
  eachKeyValueRoom(
    t,
    'heads',
    async (t, room) => {
      await room.line('SADD k a')
      const ns = await database(room)
      const from = recordKeyOf(ns, word('k'))
      const to = recordKeyOf(ns, word('l'))
      await room.store.write(function* (tx) {
        const record = (yield* tx.get(from)) as Uint8Array
        const copy = Buffer.from(record)
        copy[copy.indexOf('\x02_id\0') + 9] = 0x6c
        tx.put(to, Uint8Array.from(copy))
        tx.add(countKey(ns.id), 1, record.length - 1)
      })
      t.same(await problems(room), [` unowned members 1 of both { _id: "k" } and { _id: "l" }`])
      await room.line('DEL l')
      await room.engine.garbage.round()
      const [first, second] = await problems(room)
      t.match(first, /set \{ _id: "k" \} with members 1: part 0 has 0 members of 1/)
      t.match(second, /part 1 has 0 members of 1/)
    },
    large,
  ),
)

t.test('the check names times that no key has, and keys that have no time', (t) =>
  eachKeyValueRoom(t, 'times', async (t, room) => {
    const at = room.clock.now() + 60_000
    await room.run('SET', 'k', 'v', 'PXAT', at)
    await room.run('SET', 'other', 'v')
    t.same(await problems(room), [])
    const record = recordKeyOf(await database(room), word('k'))
    const other = recordKeyOf(await database(room), word('other'))
    await room.store.write(function* (tx) {
      tx.remove(expiryKey(at, record))
      tx.put(expiryKey(at + 1, record), Uint8Array.of(1))
      tx.put(expiryKey(at, other), Uint8Array.of(1))
      tx.put(expiryKey(at, idKey(keyClass.record, 9_999, Uint8Array.of(1))), Uint8Array.of(1))
    })
    const found = await problems(room)
    t.match(found[0], /^main\.kv0 time time 05[0-9a-f]+ is missing: \{ _id: "k" \}$/)
    t.match(found.slice(1), [
      /^ time time 05[0-9a-f]+ is not when its key ends$/,
      /^ time time 05[0-9a-f]+ leads to no record$/,
      /^ time time 05[0-9a-f]+ is not when its key ends$/,
    ])
    t.equal(found.length, 4)
  }),
)

t.test('chunks that members hold are no strays, and their damage is named', (t) =>
  eachKeyValueRoom(
    t,
    'chunks',
    async (t, room) => {
      await room.run('RPUSH', 'k', 'small', 'x'.repeat(300 * 1024))
      await room.run('HSET', 'h', 'f', 'y'.repeat(300 * 1024))
      t.same(await problems(room), [])
      let value = { namespace: membersChunks, number: 0 }
      await room.store.write(function* (tx) {
        const range = {
          start: idKey(keyClass.chunk, membersChunks),
          end: Uint8Array.of(keyClass.member),
        }
        const [entry] = yield* tx.scan(range, 1)
        const view = Buffer.from(entry?.key ?? [])
        value = { namespace: membersChunks, number: Number(view.readBigUInt64BE(5)) }
        tx.remove(chunkKey(value, 1))
      })
      t.match((await problems(room)).join('\n'), /main\.kv0 member list .* cannot be read: /)
      await room.store.write(function* (tx) {
        tx.put(chunkKey({ ...value, number: 4_444 }, 0), Uint8Array.of(1))
      })
      t.match((await problems(room)).join('\n'), /chunks of value 4444, which no record refers to/)
    },
    large,
  ),
)

t.test('what a large sorted set counts by blocks is checked', (t) =>
  eachKeyValueRoom(
    t,
    'blocks',
    async (t, room) => {
      for (let from = 0; from < 1_200; from += 400) {
        const words = Array.from({ length: 400 }, (_, i) => [from + i, `m${from + i}`]).flat()
        await room.run('ZADD', 'z', ...words)
      }
      t.same(await problems(room), [])
      await damage(room, 1, (members) => members.put(2, emptySlice, numberSlice(7)))
      t.match((await problems(room)).join('\n'), /counts 7 places where there are \d+/)
    },
    { ...large, kinds: ['memory', 'lmdb'] },
  ),
)

t.test('what is deleted behind a command is no problem to the check', (t) =>
  eachKeyValueRoom(
    t,
    'garbage',
    async (t, room) => {
      await fill(room, 0)
      await fill(room, 1)
      await room.line('LTRIM list0 3 5')
      await room.line('DEL hash0')
      await room.line('SET set0 plain')
      await room.line('SELECT 1')
      await fill(room, 2)
      await room.line('SWAPDB 0 1')
      await room.line('FLUSHDB')
      t.same(await problems(room), [])
      for (let round = 0; round < 5; round++) {
        await room.engine.garbage.round()
        t.same(await problems(room), [])
      }
    },
    large,
  ),
)

t.test('what was moved to another database outlives the flush of the first one', (t) =>
  eachKeyValueRoom(
    t,
    'moved',
    async (t, room) => {
      const text = 'x'.repeat(300 * 1024)
      await room.run('RPUSH', 'k', 'small', text)
      await room.run('HSET', 'h', 'f', text)
      await room.run('COPY', 'h', 'copied', 'DB', '1')
      await room.run('MOVE', 'k', '1')
      t.same(await problems(room), [])
      await room.run('FLUSHDB')
      for (let round = 0; round < 4; round++) {
        room.clock.ms += 60_000
        await room.engine.garbage.round()
      }
      t.same(await problems(room), [])
      await room.run('SELECT', '1')
      t.equal(await room.run('LINDEX', 'k', '1'), text)
      t.equal(await room.run('HGET', 'copied', 'f'), text)
    },
    large,
  ),
)

t.test('clients beside a check are no problem to it', (t) =>
  eachKeyValueRoom(
    t,
    'beside',
    async (t, room) => {
      let isChecking = true
      const client = room.client()
      const other = room.client()
      const busy = [
        change(client, () => isChecking),
        rename(other, () => isChecking),
        sweep(room, () => isChecking),
      ]
      for (let round = 0; round < 6; round++) t.same(await problems(room), [])
      isChecking = false
      await Promise.all(busy)
      t.same(await problems(room), [])
    },
    large,
  ),
)

async function fill(room: { line(text: string): Promise<unknown> }, n: number): Promise<void> {
  const words = Array.from({ length: 40 }, (_, i) => `m${i}`)
  await room.line(`RPUSH list${n} ${words.join(' ')}`)
  await room.line(`SADD set${n} ${words.join(' ')}`)
  await room.line(`HSET hash${n} ${words.join(' ')}`)
  await room.line(`ZADD zset${n} ${words.map((each, i) => `${i % 7} ${each}`).join(' ')}`)
  for (const type of keyTypes) await room.line(`PEXPIRE ${type}${n} 100000`)
}

async function change(
  client: { line(text: string): Promise<unknown> },
  isChecking: () => boolean,
): Promise<void> {
  for (let n = 0; isChecking(); n++) {
    const k = n % 4
    await fill(client, k)
    await client.line(`SREM set${k} m1 m${n % 40}`)
    await client.line(`HDEL hash${k} m2 m${2 * (n % 20)}`)
    await client.line(`ZINCRBY zset${k} 3 m5`)
    await client.line(`LPUSH list${k} a b c`)
    await client.line(`LTRIM list${k} 2 -3`)
    await client.line(`LPOP list${k}`)
    if (n % 3 === 2) await client.line(`UNLINK set${k} list${k} hash${k}`)
    if (n % 7 === 6) await client.line('FLUSHDB')
  }
}

/** Keys that are now before and now behind the place where a check is. */
async function rename(
  client: { run(...words: (string | number)[]): Promise<unknown> },
  isChecking: () => boolean,
): Promise<void> {
  const text = 'x'.repeat(300 * 1024)
  for (let n = 0; isChecking(); n++) {
    await client.run('RPUSH', 'a', 'one', 'two', text)
    for (let i = 0; i < 4; i++) {
      await client.run('RENAME', 'a', 'zz')
      await client.run('RENAME', 'zz', 'a')
    }
    await client.run('SET', `big${n % 9}`, text)
    await client.run('DEL', 'a')
  }
}

async function sweep({ engine }: KeyValueRoom, isChecking: () => boolean): Promise<void> {
  while (isChecking()) {
    await engine.garbage.round()
    await new Promise((resolve) => setImmediate(resolve))
  }
}
