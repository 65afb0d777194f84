// keyMembers beside the key-value commands that made the keys: containers of both sizes, page by
// page, over every store and at every bound between small and large.

import t from 'tap'
import { CommandRoom, type Reply } from '../../../support/command-room.js'
import { eachBound, type KeyValueRoom } from '../../../support/key-value-room.js'

const names = Array.from({ length: 300 }, (_, n) => `m${String(n).padStart(3, '0')}`)

async function pages(room: KeyValueRoom, key: unknown, limit: number) {
  const documents = new CommandRoom(room.store, room.clock)
  const members: unknown[] = []
  const sizes: number[] = []
  for (let after: unknown; ; ) {
    const command = { keyMembers: 'kv0', key, limit, ...(after === undefined ? {} : { after }) }
    const reply: Reply = await documents.run(command, 'main')
    members.push(...reply.members)
    sizes.push(reply.members.length)
    after = reply.next
    if (after === undefined) return { members, sizes, type: reply.type, count: Number(reply.count) }
  }
}

await eachBound(t, 'members come page by page', async (t, room) => {
  await room.run('RPUSH', 'list', ...names)
  await room.run('SADD', 'set', ...names)
  await room.run('ZADD', 'zset', ...names.flatMap((name, n) => [300 - n, name]))
  await room.run('HSET', 'hash', ...names.flatMap((name, n) => [name, n]))
  await room.run('HSET', 'few', 'b', 1, 'a', 2, 'c', Uint8Array.of(0xff))
  const list = await pages(room, 'list', 70)
  t.same(list, { type: 'list', count: 300, members: names, sizes: [70, 70, 70, 70, 20] })
  const set = await pages(room, 'set', 299)
  t.same([...set.members].sort(), names)
  t.same([set.type, set.count, set.sizes], ['set', 300, [299, 1]])
  const zset = await pages(room, 'zset', 1_000)
  t.same(zset.members, names.map((member, n) => ({ member, score: 300 - n })).reverse())
  t.same(zset.sizes, [300])
  const hash = await pages(room, 'hash', 7)
  const byField = [...hash.members].sort((a, b) => (fieldOf(a) < fieldOf(b) ? -1 : 1))
  t.same(
    byField,
    names.map((field, n) => ({ field, value: String(n) })),
  )
  const few = await pages(room, 'few', 2)
  t.same(few.members.map(fieldOf).sort(), ['a', 'b', 'c'])
  t.equal(few.count, 3)
})

function fieldOf(member: unknown): string {
  return (member as { field: string }).field
}

await eachBound(t, 'a summary tells how many, and its members are here', async (t, room) => {
  await room.run('SADD', 'set', ...names)
  const documents = new CommandRoom(room.store, room.clock)
  const [document] = await documents.drain({ find: 'kv0', filter: { _id: 'set' } }, 'main')
  t.equal(document?.value.$truncated, true)
  t.equal(Number(document?.value.count), 300)
  const { members } = await pages(room, 'set', 64)
  t.equal(new Set(members).size, 300)
})

await eachBound(t, 'what it refuses', async (t, room) => {
  const documents = new CommandRoom(room.store, room.clock)
  const fails = async (command: Record<string, unknown>) => {
    return (await documents.fails({ keyMembers: 'kv0', ...command }, 'main'))[0]
  }
  await room.run('SET', 'string', 'text')
  await room.run('RPUSH', 'list', 'a')
  await room.run('PEXPIRE', 'list', 5)
  t.equal(await fails({ key: 'unknown' }), 4)
  t.equal(await fails({ key: 'string' }), 14)
  t.equal(await fails({ key: 7.5, after: 1 }), 4)
  t.equal(await fails({ key: { a: 1 } }), 2)
  t.equal(await fails({ key: 'list', after: 'a' }), 2)
  t.equal((await documents.fails({ keyMembers: 'other', key: 'list' }, 'main'))[0], 73)
  room.clock.ms += 5
  t.equal(await fails({ key: 'list' }), 4, 'an expired one is none')
})
