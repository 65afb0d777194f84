// Options of create that change what is listed and nothing else: a clustered index, which every
// collection has here, and images of changes, for which a standalone has no stream.

import t from 'tap'
import { eachRoom } from '../../../support/command-room.js'

const clusteredIndex = { key: { _id: 1 }, unique: true, name: 'by id' }
const kept = { v: 2, key: { _id: 1 }, name: 'by id', unique: true }

await eachRoom(
  t,
  'a clustered collection lists its index, and is written as any',
  async (t, room) => {
    await room.run({ create: 'c', clusteredIndex })
    await room.insert('c', { _id: 2 }, { _id: 1 })
    t.same(await room.all('c'), [{ _id: 1 }, { _id: 2 }])
    const [line] = await room.drain({ listCollections: 1, filter: { name: 'c' } })
    t.same(line?.options, { clusteredIndex: kept })
    t.equal(line?.idIndex, undefined)
    t.same(await room.drain({ listIndexes: 'c' }), [{ ...kept, clustered: true }])
    t.match(await room.run({ validate: 'c' }), { valid: true })
    t.same(await room.drain({ find: 'c', filter: { _id: { $gt: 1 } }, hint: 'by id' }), [
      { _id: 2 },
    ])
    t.equal((await room.fails({ find: 'c', hint: 'by name' }))[0], 2)
  },
)

await eachRoom(
  t,
  'what is no clustered index is refused',
  async (t, room) => {
    const code = async (index: unknown, more: object = {}) =>
      (await room.fails({ create: 'c', clusteredIndex: index, ...more }))[0]
    t.equal(await code(true), 14)
    t.equal(await code({ unique: true }), 40414)
    t.equal(await code({ key: { _id: 1 } }), 40414)
    t.equal(await code({ key: { _id: 1 }, unique: false }), 5979700)
    t.equal(await code({ key: { a: 1 }, unique: true }), 197)
    t.equal(await code({ key: { _id: -1 }, unique: true }), 197)
    t.equal(await code({ key: { _id: 1, a: 1 }, unique: true }), 197)
    t.equal(await code({ ...clusteredIndex, name: '' }), 14)
    t.equal(await code({ ...clusteredIndex, sparse: true }), 40415)
    t.equal(await code(clusteredIndex, { capped: true, size: 4096 }), 72)
    t.equal(await code(clusteredIndex, { expireAfterSeconds: 60 }), 115)
  },
  { kinds: ['memory'] },
)

await eachRoom(t, 'images of changes are listed while they are enabled', async (t, room) => {
  const options = async () =>
    (await room.drain({ listCollections: 1, filter: { name: 'c' } }))[0]?.options
  const images = (enabled: unknown) => ({ changeStreamPreAndPostImages: { enabled } })
  await room.run({ create: 'c', ...images(false) })
  t.same(await options(), {})
  await room.run({ collMod: 'c', ...images(true) })
  t.same(await options(), images(true))
  await room.run({ collMod: 'c', ...images(false) })
  t.same(await options(), {})
  t.equal((await room.fails({ create: 'd', ...images(1) }))[0], 14)
  t.equal((await room.fails({ create: 'd', changeStreamPreAndPostImages: {} }))[0], 40414)
})
