// Tailable cursors: what they stay open for, what ends them, and how a getMore waits. Those that
// wait are woken by commits of this process, so the waiting is tested on the embedded stores.

import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { Long } from 'bson'
import fc from 'fast-check'
import t from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import type { GatewayError } from '../../../../src/base/errors.js'
import { checkStore } from '../../../../src/engine/check/check.js'
import { type CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'
import { identities } from '../../../support/identities.js'
import { openPlace } from '../../../support/rights-room.js'
import { runs } from '../../../support/runs.js'
import type { StoreCaseOptions } from '../../../support/stores.js'

const embedded: StoreCaseOptions = { kinds: ['memory', 'lmdb'] }

/** Longer than any test takes: who waits so long waits for something else to end it. */
const longMs = 60_000

const make = (room: CommandRoom, options: Record<string, unknown> = {}): Promise<Reply> =>
  room.run({ create: 'c', capped: true, size: 100_000, ...options })

const tail = { find: 'c', tailable: true }
const awaiting = { ...tail, awaitData: true }

async function open(room: CommandRoom, command: Record<string, unknown>): Promise<Long> {
  const { cursor } = await room.run(command)
  return Long.fromNumber(cursor.id)
}

const idsOf = (batch: readonly Reply[]): unknown[] => batch.map(({ _id }) => _id)

/** Resolves when so many cursors wait. */
async function waiting(room: CommandRoom, count: number): Promise<void> {
  while (room.engine.awaiting.size !== count) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const refusalOf = (promise: Promise<unknown>): Promise<GatewayError> =>
  promise.then(
    () => {
      throw new Error('it was not refused')
    },
    (error) => error as GatewayError,
  )

await eachRoom(t, 'a tailable cursor stays open at the end', async (t, room) => {
  await make(room)
  await room.insert('c', { _id: 2 }, { _id: 1 })
  const { cursor } = await room.run(tail)
  t.same(idsOf(cursor.firstBatch), [2, 1])
  const getMore = { getMore: Long.fromNumber(cursor.id), collection: 'c' }
  t.not(cursor.id, 0)
  const none = await room.run(getMore)
  t.same(none.cursor, { nextBatch: [], id: cursor.id, ns: 'test.c' })
  await room.insert('c', { _id: 0 }, { _id: 5 })
  t.same(idsOf((await room.run({ ...getMore, batchSize: 1 })).cursor.nextBatch), [0])
  t.same(idsOf((await room.run(getMore)).cursor.nextBatch), [5])
  t.same((await room.run({ killCursors: 'c', cursors: [getMore.getMore] })).cursorsKilled, [
    cursor.id,
  ])
})

await eachRoom(t, 'filter, projection and skip hold for what comes later', async (t, room) => {
  await make(room)
  await room.insert('c', { _id: 1, a: 1, b: 1 }, { _id: 2, a: 2 })
  const spec = { filter: { a: 1 }, projection: { b: 1 }, skip: 1 }
  const getMore = await open(room, { ...tail, ...spec })
  await room.insert('c', { _id: 3, a: 2 }, { _id: 4, a: 1, b: 4 }, { _id: 5, a: 1, b: 5 })
  const { cursor } = await room.run({ getMore, collection: 'c' })
  t.same(cursor.nextBatch, [
    { _id: 4, b: 4 },
    { _id: 5, b: 5 },
  ])
})

await eachRoom(t, 'on an empty or missing collection the cursor is dead', async (t, room) => {
  t.equal((await room.run(tail)).cursor.id, 0)
  await make(room)
  t.equal((await room.run(awaiting)).cursor.id, 0)
  await room.insert('c', { _id: 1 })
  const { cursor } = await room.run({ ...awaiting, filter: { _id: 7 } })
  t.same(cursor.firstBatch, [])
  t.not(cursor.id, 0, 'nothing matches, but the collection has a document')
})

await eachRoom(t, 'what a tailable cursor does not go with is refused', async (t, room) => {
  await make(room)
  await room.run({ create: 'plain' })
  t.same(await room.fails({ find: 'plain', tailable: true }), [
    2,
    'error processing query: ns=test.plainTree: $and\nSort: {}\nProj: {}\n ' +
      'tailable cursor requested on non capped collection',
  ])
  t.same(await room.fails({ ...tail, sort: { _id: 1 } }), [
    2,
    'cannot use tailable option with a sort other than {$natural: 1}',
  ])
  t.same(await room.fails({ ...tail, singleBatch: true }), [
    2,
    "cannot use tailable option with the 'singleBatch' option",
  ])
  t.same(await room.fails({ find: 'c', awaitData: true }), [
    9,
    "Cannot set 'awaitData' without also setting 'tailable'",
  ])
  await room.insert('c', { _id: 1 })
  await room.run({ ...tail, sort: { $natural: 1 }, hint: { $natural: 1 } })
  const getMore = await open(room, tail)
  t.same(await room.fails({ getMore, collection: 'c', maxTimeMS: longMs }), [
    2,
    'cannot set maxTimeMS on getMore command for a non-awaitData cursor',
  ])
  t.same((await room.run({ getMore, collection: 'c' })).cursor.nextBatch, [], 'it lives on')
})

await eachRoom(t, 'a cursor that was overtaken is 136, and gone', async (t, room) => {
  await make(room, { max: 3 })
  await room.insert('c', { _id: 1 }, { _id: 2 })
  const getMore = await open(room, tail)
  await room.insert('c', { _id: 3 }, { _id: 4 })
  t.same(idsOf((await room.run({ getMore, collection: 'c' })).cursor.nextBatch), [3, 4])
  await room.insert('c', { _id: 5 }, { _id: 6 }, { _id: 7 })
  const [code, text] = await room.fails({ getMore, collection: 'c' })
  t.equal(code, 136)
  t.match(text, 'position in capped collection being deleted. Last seen record id: RecordId(4)')
  t.equal((await room.fails({ getMore, collection: 'c' }))[0], 43)
})

await eachRoom(
  t,
  'a tail sees every insert once and in order, or is told',
  async (t, room, given) => {
    const step = fc.oneof(
      fc.record({ insert: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ batchSize: fc.integer({ min: 1, max: 6 }) }),
    )
    let round = 0
    const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const name = `tail${round++}`
      await room.run({ create: name, capped: true, size: 100_000, max: 8 })
      await room.insert(name, { _id: 0 })
      const { cursor } = await room.run({ find: name, tailable: true })
      const getMore = Long.fromNumber(cursor.id)
      let next = 1
      let seen = 0
      for (const each of steps) {
        if ('insert' in each) {
          const ids = Array.from({ length: each.insert }, () => ({ _id: next++ }))
          await room.insert(name, ...ids)
          continue
        }
        const isOvertaken = seen < next - 8
        const command = { getMore, collection: name, batchSize: each.batchSize }
        const batch = await room.run(command).catch((error) => error.code)
        assert.equal(batch === 136, isOvertaken)
        if (isOvertaken) return
        const expected = Math.min(each.batchSize, next - 1 - seen)
        const ids = Array.from({ length: expected }, () => ++seen)
        assert.deepEqual(idsOf(batch.cursor.nextBatch), ids)
      }
    })
    await fc.assert(property, { numRuns: runs(given.kind === 'memory' ? 30 : 5) })
    t.same(await checkStore(room.store), [])
  },
)

await eachRoom(t, 'a drop ends a tailable cursor', async (t, room) => {
  await make(room)
  await room.insert('c', { _id: 1 })
  const getMore = await open(room, tail)
  await room.run({ drop: 'c' })
  t.same(await room.fails({ getMore, collection: 'c' }), [175, 'collection dropped: test.c'])
  await make(room)
  t.equal((await room.fails({ getMore, collection: 'c' }))[0], 43)
})

await eachRoom(t, 'without a document the wait ends with an empty batch', async (t, room) => {
  await make(room)
  await room.insert('c', { _id: 1 })
  const getMore = await open(room, awaiting)
  const { cursor } = await room.run({ getMore, collection: 'c', maxTimeMS: 1 })
  t.same(cursor, { nextBatch: [], id: getMore.toNumber(), ns: 'test.c' })
  t.equal(room.engine.awaiting.size, 0)
  await room.insert('c', { _id: 2 })
  const next = await room.run({ getMore, collection: 'c', maxTimeMS: longMs })
  t.same(idsOf(next.cursor.nextBatch), [2], 'what is there already is not waited for')
})

await eachRoom(
  t,
  'an insert wakes those who wait, each with what it asks for',
  async (t, room) => {
    await make(room)
    await room.insert('c', { _id: 1 })
    const all = await open(room, awaiting)
    const even = await open(room, { ...awaiting, filter: { _id: { $mod: [2, 0] } } })
    const more = { collection: 'c', maxTimeMS: longMs }
    const first = room.run({ getMore: all, ...more })
    const second = room.run({ getMore: even, ...more })
    await waiting(room, 2)
    await room.insert('c', { _id: 3 })
    t.same(idsOf((await first).cursor.nextBatch), [3])
    t.equal(room.engine.awaiting.size, 1, 'the other one waits on')
    await room.insert('c', { _id: 4 })
    t.same(idsOf((await second).cursor.nextBatch), [4])
    t.equal(room.engine.awaiting.size, 0)
  },
  embedded,
)

await eachRoom(
  t,
  'drop, killCursors and killOp end a wait, each in its way',
  async (t, room) => {
    await make(room)
    await room.insert('c', { _id: 1 })
    const begin = async () => {
      const getMore = await open(room, awaiting)
      const over = refusalOf(room.run({ getMore, collection: 'c', maxTimeMS: longMs }))
      await waiting(room, 1)
      return { getMore, over }
    }
    const killed = await begin()
    await room.run({ killCursors: 'c', cursors: [killed.getMore] })
    t.equal((await killed.over).code, 237)
    const interrupted = await begin()
    for (const call of room.bus.inFlight()) if (call.command === 'getMore') call.kill()
    t.equal((await interrupted.over).code, 11601)
    t.equal((await room.fails({ getMore: interrupted.getMore, collection: 'c' }))[0], 43)
    const dropped = await begin()
    await room.run({ drop: 'c' })
    t.equal((await dropped.over).code, 175)
    t.equal(room.engine.awaiting.size, 0)
    t.equal(room.engine.cursors.size, 0)
  },
  embedded,
)

await eachRoom(
  t,
  'a client that goes frees its wait, and a stop of the server ends it',
  async (t, room) => {
    await make(room)
    await room.insert('c', { _id: 1 })
    const getMore = await open(room, awaiting)
    const session = room.sessionOf(room.session.identity)
    const command = { getMore, collection: 'c', maxTimeMS: longMs }
    const gone = refusalOf(room.run(command, 'test', session))
    await waiting(room, 1)
    session.closed = true
    t.equal((await gone).code, 11601)
    t.equal(room.engine.cursors.size, 0)
    const other = await open(room, awaiting)
    const last = room.run({ getMore: other, collection: 'c', maxTimeMS: longMs })
    await waiting(room, 1)
    await room.bus.drain()
    t.same((await last).cursor.nextBatch, [])
  },
  embedded,
)

await t.test('who may not read any more is told while it waits', async (t) => {
  const { room, reset } = await openPlace()
  await reset('public')
  await room.run({ convertToCapped: 'c', size: 100_000 })
  const otherWallet = room.sessionOf(identities.otherWallet)
  const { cursor } = await room.run(awaiting, 'test', otherWallet)
  t.equal(cursor.firstBatch.length, 2)
  const command = { getMore: Long.fromNumber(cursor.id), collection: 'c', maxTimeMS: longMs }
  const refused = refusalOf(room.run(command, 'test', otherWallet))
  await waiting(room, 1)
  await room.run({ setPrivacy: 'c', mode: 'private' })
  t.equal((await refused).code, 13)
  t.equal(room.engine.cursors.size, 0)
  await room.engine.close()
})

let aheadMs = 0

await eachRoom(
  t,
  'a wait is no slow command',
  async (t, room) => {
    await make(room)
    await room.insert('c', { _id: 1, a: 1 })
    const getMore = await open(room, { ...awaiting, filter: { a: 1 } })
    const reply = room.run({ getMore, collection: 'c', maxTimeMS: longMs })
    await waiting(room, 1)
    const calls = [...room.bus.inFlight()]
    const waitedMs = () => Math.max(...calls.map((call) => call.waitedMs))
    // Only time that passes while it waits counts, and each insert lets it read again.
    for (let ms = 1; waitedMs() < 1_000 && ms < longMs; ms *= 2) {
      await setTimeout(ms)
      aheadMs += 1_000
      await room.insert('c', { _id: 1 + ms })
    }
    t.ok(waitedMs() >= 1_000)
    await room.insert('c', { _id: 0, a: 1 })
    t.same(idsOf((await reply).cursor.nextBatch), [0])
  },
  { ...embedded, clock: { now: systemClock.now, elapsed: () => systemClock.elapsed() + aheadMs } },
)
