// findAndModifyIf over every store: the condition is on the bytes that are stored.

import t from 'tap'
import { documentTag } from '../../../../src/value/document-tag.js'
import { documentFrom } from '../../../../src/value/literal.js'
import { eachRoom } from '../../../support/command-room.js'

const change = { findAndModifyIf: 'c', query: { _id: 1 } }

await eachRoom(t, 'only the document that a tag is of is changed or removed', async (t, room) => {
  await room.run({ insert: 'c', documents: [{ _id: 1, n: 1 }] })
  const old = documentTag(documentFrom({ _id: 1, n: 1 }))
  const update = { $inc: { n: 1 } }
  const inOther = documentTag(documentFrom({ n: 1, _id: 1 }))
  t.equal((await room.fails({ ...change, tags: [inOther], update }))[0], 112, 'another order')
  t.equal((await room.fails({ ...change, tags: [], update }))[0], 112)
  const done = await room.run({ ...change, tags: ['x', old], update })
  t.match(done, { lastErrorObject: { n: 1, updatedExisting: true }, value: { _id: 1, n: 2 } })
  t.equal((await room.fails({ ...change, tags: [old], update }))[0], 112)
  t.equal((await room.fails({ ...change, tags: [old], remove: true }))[0], 112)
  const tags = [documentTag(documentFrom({ _id: 1, n: 2 }))]
  t.match(await room.run({ ...change, tags, remove: true }), { value: { _id: 1, n: 2 } })
  t.match(await room.run({ ...change, tags, remove: true }), { value: null })
  t.match(await room.run({ ...change, tags, update }), { value: null, lastErrorObject: { n: 0 } })
})

await eachRoom(t, 'with absent it adds a document, and changes none', async (t, room) => {
  const add = { ...change, absent: true, upsert: true, update: { n: 1 } }
  t.match(await room.run(add), { lastErrorObject: { upserted: 1 }, value: { _id: 1, n: 1 } })
  t.equal((await room.fails({ ...add, update: { n: 2 } }))[0], 112)
  t.match(await room.run({ ...change, update: { $set: { m: 1 } } }), { value: { n: 1, m: 1 } })
})

await eachRoom(t, 'options that contradict each other are refused', async (t, room) => {
  const code = async (more: object) => (await room.fails({ ...change, ...more }))[0]
  t.equal(await code({}), 9)
  t.equal(await code({ update: {}, remove: true }), 9)
  t.equal(await code({ remove: true, upsert: true }), 9)
  t.equal(await code({ update: {}, upsert: true, tags: [] }), 9)
  t.equal(await code({ update: {}, absent: true }), 9)
  t.equal(await code({ update: {}, tags: 'x' }), 14)
})
