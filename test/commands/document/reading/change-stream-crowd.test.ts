// Many change streams at once, and one that is not read: all that read see each change, and the one
// that falls behind the log is told so, while others go on.

import { Long } from 'bson'
import t from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import { openMemoryStore } from '../../../../src/store/memory.js'
import { CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'

const router = { services: { topology: 'router' } } as const
const streams = 1_000

async function watch(room: CommandRoom, collection: string): Promise<Reply> {
  const pipeline = [{ $changeStream: {} }]
  return room.run({ aggregate: collection, pipeline, cursor: {} })
}

/** The ids of the next batch, which it waits for. */
async function idsOf(room: CommandRoom, { cursor }: Reply, maxTimeMS: number): Promise<number[]> {
  const collection = String(cursor.ns).slice('test.'.length)
  const more = { getMore: Long.fromNumber(Number(cursor.id)), collection, maxTimeMS }
  const { nextBatch } = (await room.run(more)).cursor
  return nextBatch.map(({ documentKey }: Reply) => documentKey._id)
}

t.test(`${streams} streams wait at once, and each gets what is for it`, async (t) => {
  const room = new CommandRoom(openMemoryStore(systemClock), systemClock, router)
  const opened: Reply[] = []
  for (let i = 0; i < streams; i++) opened.push(await watch(room, `c${i % 2}`))
  const waiting = opened.map((each) => idsOf(room, each, 600_000))
  await room.insert('c0', { _id: 1 })
  const ofFirst = await Promise.all(waiting.filter((_, at) => at % 2 === 0))
  t.same(new Set(ofFirst.map((ids) => ids.join())), new Set(['1']))
  await room.insert('c1', { _id: 2 })
  const all = await Promise.all(waiting)
  t.same(
    all.map((ids) => ids.join()),
    Array.from({ length: streams }, (_, at) => (at % 2 === 0 ? '1' : '2')),
  )
})

eachRoom(
  t,
  'a stream that is not read ends when its changes are gone, and others miss nothing',
  async (t, room) => {
    const { changeRetention } = room.engine
    changeRetention.bytesMax = 100_000
    const slow = await watch(room, 'c')
    const reading = await watch(room, 'c')
    const text = 'x'.repeat(5_000)
    const read: number[] = []
    const written = Array.from({ length: 60 }, (_, _id) => _id)
    for (const _id of written) {
      await room.insert('c', { _id, text })
      read.push(...(await idsOf(room, reading, 1)))
      if (_id % 10 === 9) while (await changeRetention.round());
    }
    t.same(read, written)
    await t.rejects(idsOf(room, slow, 1), { code: 286 })
    await t.rejects(idsOf(room, slow, 1), { code: 43 }, 'it is closed')
    const resumed = { $changeStream: { resumeAfter: slow.cursor.postBatchResumeToken } }
    const again = { aggregate: 'c', pipeline: [resumed], cursor: {} }
    t.equal((await room.fails(again))[0], 286)
    await room.insert('c', { _id: 60 })
    t.same(await idsOf(room, reading, 1), [60])
  },
  router,
)
