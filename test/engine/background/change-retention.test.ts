// Retention of the change log: its age, its size, what its records hold, and the end of a recording
// that nothing watches.

import { Long } from 'bson'
import t from 'tap'
import type { Clock } from '../../../src/base/clock.js'
import { garbageRange, heldRange } from '../../../src/engine/background/garbage.js'
import { checkStore } from '../../../src/engine/check/check.js'
import { changeRange, keyClass } from '../../../src/store/layout.js'
import type { KeyRange, Store } from '../../../src/store/store.js'
import { type CommandRoom, eachRoom, type Reply } from '../../support/command-room.js'

const hourMs = 60 * 60_000

/** A clock whose wall time a test moves. */
function movable(): { clock: Clock; forward(ms: number): void } {
  let offset = 0
  const start = 1_700_000_000_000
  const clock = { now: () => start + offset, elapsed: () => performance.now() }
  return {
    clock,
    forward: (ms) => {
      offset += ms
    },
  }
}

const moving = movable()
const options = { services: { topology: 'router' }, clock: moving.clock } as const

async function watch(room: CommandRoom, given: object = {}, collection = 'c'): Promise<Reply> {
  const pipeline = [{ $changeStream: given }]
  return room.run({ aggregate: collection, pipeline, cursor: {} })
}

async function read({ cursor }: Reply, room: CommandRoom): Promise<Reply> {
  const id = Long.fromNumber(Number(cursor.id))
  return room.run({ getMore: id, collection: String(cursor.ns).slice(5), maxTimeMS: 1 })
}

async function keysIn(store: Store, range: KeyRange): Promise<number> {
  const found = await store.read(function* (tx) {
    return yield* tx.scan(range, 1_000)
  })
  return found.length
}

async function trim(room: CommandRoom): Promise<void> {
  while (await room.engine.changeRetention.round());
}

eachRoom(
  t,
  'old records go, the newest stays, and their tokens are lost',
  async (t, room, { store }) => {
    const opened = await watch(room)
    await room.insert('c', { _id: 1 })
    const { cursor } = await read(opened, room)
    const [first] = cursor.nextBatch
    moving.forward(20 * hourMs)
    await room.insert('c', { _id: 2 })
    moving.forward(5 * hourMs)
    await room.engine.changeRetention.round()
    t.equal(await keysIn(store, changeRange), 1)
    const watching = { aggregate: 'c', cursor: {} }
    const from = (_data: string) => ({ ...watching, pipeline: [{ $changeStream: at(_data) }] })
    const at = (_data: string) => ({ resumeAfter: { _data } })
    const resumed = await room.run(from(first._id._data))
    t.equal(resumed.cursor.firstBatch[0].documentKey._id, 2, 'nothing behind it is gone')
    moving.forward(30 * hourMs)
    await room.insert('c', { _id: 3 })
    await trim(room)
    t.equal(await keysIn(store, changeRange), 1)
    t.equal((await room.fails(from(first._id._data)))[0], 286)
    await t.rejects(
      read(await watch(room), room).then(() => read(opened, room)),
      { code: 286 },
    )
  },
  options,
)

eachRoom(
  t,
  'beyond its size the log loses its oldest records',
  async (t, room, { store }) => {
    await watch(room)
    room.engine.changeRetention.bytesMax = 20_000
    const text = 'x'.repeat(5_000)
    for (let _id = 0; _id < 10; _id++) await room.insert('c', { _id, text })
    t.equal(await keysIn(store, changeRange), 12)
    await trim(room)
    t.equal(await keysIn(store, changeRange), 3)
  },
  options,
)

eachRoom(
  t,
  'chunks go with the record that holds them',
  async (t, room, { store }) => {
    await watch(room)
    await room.insert('c', { _id: 1, text: 'x'.repeat(400_000) })
    await room.run({ delete: 'c', deletes: [{ q: {}, limit: 0 }] })
    t.equal(await keysIn(store, garbageRange), 0)
    moving.forward(25 * hourMs)
    await room.insert('c', { _id: 2 })
    await trim(room)
    t.equal(await keysIn(store, garbageRange), 1)
  },
  options,
)

eachRoom(
  t,
  'what is not watched for a day is no longer recorded',
  async (t, room, { store }) => {
    const opened = await watch(room)
    await watch(room, {}, 'other')
    await trim(room)
    const id = Long.fromNumber(Number(opened.cursor.id))
    await room.run({ killCursors: 'c', cursors: [id] })
    await room.insert('c', { _id: 1 })
    moving.forward(25 * hourMs)
    await trim(room)
    const before = await keysIn(store, changeRange)
    await room.insert('c', { _id: 2 })
    t.equal(await keysIn(store, changeRange), before)
    await room.insert('other', { _id: 2 })
    t.equal(await keysIn(store, changeRange), before + 2, 'its stream is open')
    await watch(room)
    await room.insert('c', { _id: 3 })
    t.equal(await keysIn(store, changeRange), before + 4, 'recorded anew')
  },
  options,
)

const chunks: KeyRange = {
  start: Uint8Array.of(keyClass.chunk),
  end: Uint8Array.of(keyClass.chunk + 1),
}

async function collectGarbage(room: CommandRoom): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await room.engine.garbage.round()
    // Deleted values have a grace of some seconds.
    moving.forward(60_000)
  }
}

eachRoom(
  t,
  'chunks of a dropped collection stay until the log has lost them',
  async (t, room, { store }) => {
    const opened = await watch(room, {}, 'large')
    const text = 'x'.repeat(400_000)
    await room.insert('large', { _id: 1, text }, { _id: 2, text })
    await room.run({ delete: 'large', deletes: [{ q: { _id: 1 }, limit: 1 }] })
    await room.run({ drop: 'large' })
    await collectGarbage(room)
    t.equal(await keysIn(store, heldRange), 2, 'a value and the chunks of the collection')
    t.same(await checkStore(store), [])
    const { cursor } = await read(opened, room)
    const shown = cursor.nextBatch.map(({ operationType: type }: Reply) => type)
    t.same(shown, ['insert', 'insert', 'delete', 'drop', 'invalidate'])
    t.equal(cursor.nextBatch[1].fullDocument.text, text)
    moving.forward(25 * hourMs)
    await watch(room, {}, 'other')
    await room.insert('other', { _id: 1 })
    await trim(room)
    await collectGarbage(room)
    t.equal(await keysIn(store, heldRange), 0)
    t.equal(await keysIn(store, chunks), 0)
    t.same(await checkStore(store), [])
  },
  options,
)

eachRoom(
  t,
  'what the log holds counts as its bytes',
  async (t, room, { store }) => {
    await watch(room)
    room.engine.changeRetention.bytesMax = 3_000_000
    const text = 'x'.repeat(400_000)
    await room.insert('c', { _id: 1, text })
    for (let n = 0; n < 20; n++) {
      await room.run({ update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { n } } }] })
    }
    const before = await keysIn(store, changeRange)
    await trim(room)
    const after = await keysIn(store, changeRange)
    t.ok(after < before && after <= 8, `${after} records of at most 3 MB remain of ${before}`)
    t.equal(await keysIn(store, heldRange), after, 'each holds the document before it')
  },
  options,
)
