// Events of a change stream in detail, over the command bus on every store: large events in
// fragments, definitions, tokens, transactions that began before the recording.

import { Long } from 'bson'
import t from 'tap'
import { parseToken } from '../../../../src/engine/changes/token.js'
import { documentFrom } from '../../../../src/value/literal.js'
import { type CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'

const router = { services: { topology: 'router' } } as const
const split = { $changeStreamSplitLargeEvent: {} }

const watching = (given: object = {}, ...stages: object[]) => ({
  aggregate: 'c',
  pipeline: [{ $changeStream: given }, ...stages],
  cursor: {},
})

async function read(room: CommandRoom, { cursor }: Reply, batchSize = 0): Promise<Reply> {
  const getMore = Long.fromNumber(Number(cursor.id))
  return room.run({ getMore, collection: 'c', maxTimeMS: 1, batchSize })
}

const images = { changeStreamPreAndPostImages: { enabled: true } }
const withImages = { fullDocument: 'required', fullDocumentBeforeChange: 'required' }

eachRoom(
  t,
  'an event above the size of a document comes in fragments, or fails',
  async (t, room) => {
    await room.run({ create: 'c', ...images })
    const opened = await room.run(watching(withImages, split))
    const whole = await room.run(watching(withImages))
    const text = 'x'.repeat(10_000_000)
    await room.insert('c', { _id: 1, text })
    await room.run({ update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { n: 1 } } }] })
    await room.run({ delete: 'c', deletes: [{ q: {}, limit: 0 }] })
    const first = await read(room, opened, 1)
    t.equal(first.cursor.nextBatch[0].operationType, 'insert')
    const parts: Reply[] = []
    while (parts.length < 2) parts.push(...(await read(room, opened, 1)).cursor.nextBatch)
    t.same(
      parts.map(({ splitEvent }) => splitEvent),
      [
        { fragment: 1, of: 2 },
        { fragment: 2, of: 2 },
      ],
    )
    const { _id, splitEvent, ...both } = { ...parts[0], ...parts[1] }
    t.equal(both.operationType, 'update')
    t.equal(both.fullDocument.n, 1)
    t.equal(both.fullDocumentBeforeChange.text, text)
    t.ok((parts[0]?._id._data ?? '') < (parts[1]?._id._data ?? ''), 'tokens sort')
    t.equal((await read(room, opened)).cursor.nextBatch[0].operationType, 'delete')
    t.equal((await read(room, whole, 1)).cursor.nextBatch[0].operationType, 'insert')
    await t.rejects(read(room, whole, 1), { code: 10334 })

    const from = { ...withImages, resumeAfter: parts[0]?._id }
    const resumed = await room.run(watching(from, split))
    const { firstBatch } = resumed.cursor
    const again = [...firstBatch, ...(await read(room, resumed)).cursor.nextBatch]
    t.same(again[0], parts[1])
    t.equal(again[1].operationType, 'delete')
    t.equal((await room.fails(watching(from)))[0], 280, 'it must split again')
  },
  router,
)

eachRoom(
  t,
  'the stage that splits stands last and has no options',
  async (t, room) => {
    t.equal((await room.fails(watching({}, split, { $match: {} })))[0], 7_182_802)
    const given = { $changeStreamSplitLargeEvent: { a: 1 } }
    t.equal((await room.fails(watching({}, given)))[0], 7_182_800)
  },
  router,
)

eachRoom(
  t,
  'definitions are shown on request',
  async (t, room) => {
    const opened = await room.run(watching({ showExpandedEvents: true }))
    const plain = await room.run(watching())
    const key = { n: 1 }
    await room.run({ create: 'c' })
    await room.run({ createIndexes: 'c', indexes: [{ key, name: 'n_1' }] })
    await room.insert('c', { _id: 1, n: 1 })
    await room.run({ createIndexes: 'c', indexes: [{ key: { m: 1 }, name: 'm_1' }] })
    await room.run({ collMod: 'c', index: { name: 'n_1', hidden: true } })
    await room.run({ collMod: 'c', validator: { n: { $exists: true } } })
    await room.run({ dropIndexes: 'c', index: '*' })
    const events: Reply[] = (await read(room, opened)).cursor.nextBatch
    const named = ({ operationType: type, operationDescription: what }: Reply) =>
      [type, what?.indexes?.map(({ name }: Reply) => name)].filter((one) => one !== undefined)
    t.same(events.map(named), [
      ['create'],
      ['createIndexes', ['n_1']],
      ['insert'],
      ['createIndexes', ['m_1']],
      ['modify'],
      ['modify'],
      ['dropIndexes', ['n_1', 'm_1']],
    ])
    t.match(events[0]?.operationDescription, { idIndex: { name: '_id_' } })
    t.match(events[4]?.operationDescription, { index: { name: 'n_1', hidden: true } })
    t.match(events[5]?.operationDescription, { validator: { n: { $exists: true } } })
    t.ok(events[5]?.stateBeforeChange.collectionOptions.uuid)
    t.ok(events.every(({ collectionUUID }) => collectionUUID !== undefined))
    const shown = (await read(room, plain)).cursor.nextBatch
    t.same(shown.map(named), [['insert']])
    t.equal(shown[0].collectionUUID, undefined)
  },
  router,
)

eachRoom(
  t,
  'the token of another history is not found',
  async (t, room) => {
    const opened = await room.run(watching())
    await room.insert('c', { _id: 1 })
    const { _id } = (await read(room, opened)).cursor.nextBatch[0]
    const { time } = parseToken(documentFrom(_id))
    // 100 seconds later, as before the restoring of an older backup.
    const later = `82${(time.seconds + 100).toString(16).toUpperCase()}${_id._data.slice(10)}`
    t.equal((await room.fails(watching({ resumeAfter: { _data: later } })))[0], 280)
    t.ok(await room.run(watching({ resumeAfter: _id })))
  },
  router,
)
