// What SELECTs hold in memory counts as their owner's: joins, groups and orders beyond his share are
// refused or go by the disk, and whatever ends gives back what it had.

import { Long } from 'bson'
import tap from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import { SpillFolder } from '../../../../src/engine/sources/spill.js'
import { nodeFiles } from '../../../../src/store/files.js'
import { type CommandRoom, eachRoom } from '../../../support/command-room.js'
import { temporaryFolder } from '../../../support/stores.js'
import { rowsOf, stateOfStatement } from './selecting.js'

const share = 3_000_000

async function filled(room: CommandRoom): Promise<void> {
  room.engine.queryMemory.bounds = { ofOwner: share, ofAll: share * 2 }
  for (let from = 0; from < 900; from += 300) {
    const documents = Array.from({ length: 300 }, (_, i) => {
      return { _id: from + i, k: (from + i) % 7, pad: 'x'.repeat(600) }
    })
    await room.insert('many', ...documents)
  }
}

const held = (room: CommandRoom) => room.engine.queryMemory.bytesHeld

/** A first batch of one row; the id of the cursor. */
async function opened(room: CommandRoom, text: string): Promise<Long> {
  const { cursor } = await room.run({ sqlSelect: text, batchSize: 1 })
  return Long.fromString(String(cursor.id))
}

const sorted = 'SELECT * FROM many ORDER BY pad, _id'
const joined = 'SELECT a._id FROM many a JOIN many b ON a.k = b.k'
const large = [
  sorted,
  joined,
  'SELECT DISTINCT _id, pad FROM many',
  'SELECT _id, pad, count(*) FROM many GROUP BY _id, pad',
  'SELECT array_agg(pad) FROM many',
  'SELECT a._id FROM many a CROSS JOIN many b',
] as const

eachRoom(
  tap,
  'for another statement of their owner the oldest idle cursor is closed',
  async (t, room) => {
    await filled(room)
    for (const text of large) {
      if (text.startsWith('SELECT array_agg')) continue
      const id = await opened(room, text)
      t.ok(held(room) > 500_000, `${text}: ${held(room)} bytes`)
      room.engine.queryMemory.bounds = { ofOwner: held(room) + 900_000, ofAll: share }
      t.equal((await rowsOf(room, sorted)).length, 900)
      t.equal(room.engine.cursors.size, 0, text)
      const error = await room.refusal({ getMore: id, collection: 'many' })
      t.equal(error.code, 43)
      t.equal(held(room), 0, `${text}: all is given back`)
    }
  },
)

eachRoom(
  tap,
  'statements that end, fail or are read whole give back what they had',
  async (t, room) => {
    await filled(room)
    for (const text of large) {
      await rowsOf(room, `${text} LIMIT 50`)
      t.equal(held(room), 0, text)
    }
    await rowsOf(room, sorted)
    t.equal(held(room), 0, 'batch by batch')
    t.equal(await stateOfStatement(room, `${joined} AND 1 / (a._id - 800) > 0`), '22012')
    t.equal(held(room), 0, 'an error')
    room.engine.queryMemory.bounds = { ofOwner: 200_000, ofAll: share }
    for (const text of large) t.equal(await stateOfStatement(room, text), '53200', text)
    t.equal(held(room), 0, 'refused')
    t.equal((await rowsOf(room, 'SELECT k, count(*) FROM many GROUP BY k ORDER BY k')).length, 7)
    room.engine.queryMemory.bounds = { ofOwner: share, ofAll: share }
    await opened(room, sorted)
    t.ok(held(room) > 0)
    room.engine.cursors.killWhere(() => true)
    t.equal(held(room), 0)
    t.equal(room.engine.queryMemory.ownersKnown, 0)
  },
)

eachRoom(tap, 'a list of distinct values counts as a set and as a list', async (t, room) => {
  await filled(room)
  const list = 'SELECT array_agg(DISTINCT _id::text || pad) FROM many'
  room.engine.queryMemory.bounds = { ofOwner: 2_500_000, ofAll: share }
  t.equal((await rowsOf(room, list)).length, 1)
  room.engine.queryMemory.bounds = { ofOwner: 1_600_000, ofAll: share }
  t.equal(await stateOfStatement(room, list), '53200')
  t.equal(held(room), 0)
})

tap.test('what can go by the disk goes there before it is refused', async (t) => {
  const folder = await temporaryFolder(t)
  const spills = new SpillFolder({ folder, files: nodeFiles, clock: systemClock })
  await eachRoom(
    t,
    'spilled',
    async (t, room) => {
      await filled(room)
      const documents = Array.from({ length: 2_500 }, (_, i) => {
        return { _id: i, k: (i * 7) % 2_500, pad: 'x'.repeat(1_000) }
      })
      for (let at = 0; at < 2_500; at += 500) {
        await room.insert('wide', ...documents.slice(at, at + 500))
      }
      room.engine.queryMemory.bounds = { ofOwner: 3_000_000, ofAll: 3_000_000 }
      const first = await opened(room, 'SELECT * FROM wide ORDER BY k')
      t.ok(spills.filesOpen > 0, 'half of what there is was not enough')
      t.ok(held(room) < 3_000_000)
      const again = await rowsOf(room, 'SELECT k, pad FROM wide ORDER BY k')
      t.same(
        again.map(({ k }) => k),
        documents.map((_, i) => i),
      )
      const grouped = await rowsOf(room, 'SELECT k, max(pad) m FROM wide GROUP BY k ORDER BY k')
      t.equal(grouped.length, 2_500)
      await room.run({ killCursors: 'wide', cursors: [first] })
      t.equal(held(room), 0)
      t.equal(spills.filesOpen, 0)
    },
    { spills, kinds: ['memory'] },
  )
})
