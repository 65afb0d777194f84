// Expressions with loops cost as much for one document as plain filters do for thousands: between
// two documents others have their turn, whether it is a read, a write or a validator that computes.

import t from 'tap'
import { type CommandRoom, eachRoom } from '../../support/command-room.js'
import { turnsDuring } from '../../support/turns.js'

/** 30,000 turns of loops for each document. */
const loops = {
  $sum: {
    $map: {
      input: { $range: [0, 150] },
      in: { $sum: { $map: { input: { $range: [0, 200] }, in: 1 } } },
    },
  },
}
const dear = (isTrue: boolean) => ({ $expr: { [isTrue ? '$gt' : '$lt']: [loops, 0] } })
const count = 6
const documents = Array.from({ length: count }, (_, _id) => ({ _id }))

const failedIn = (reply: Readonly<Record<string, { index: number }[]>>) =>
  reply.writeErrors?.map(({ index }) => index)

const idsIn = async (room: CommandRoom) => (await room.all('c')).map(({ _id }) => _id)

await eachRoom(
  t,
  'others have their turn between two documents that take long',
  async (t, room) => {
    await room.insert('c', ...documents)
    await room.run({ create: 'capped', capped: true, size: 10_000 })
    await room.insert('capped', ...documents)
    for (const [name, isTrue, validationAction] of [
      ['taking', true, 'error'],
      ['warning', false, 'warn'],
      ['refusing', false, 'error'],
    ] as const) {
      await room.run({ create: name, validator: dear(isTrue), validationAction })
    }
    const insert = (name: string) => () => room.run({ insert: name, documents, ordered: false })
    const works: Readonly<Record<string, () => Promise<unknown>>> = {
      find: () => room.run({ find: 'c', filter: dear(true) }),
      'find, projected': () => room.run({ find: 'c', projection: { z: loops } }),
      'find at an end': () => room.run({ find: 'capped', filter: dear(true), tailable: true }),
      $facet: () =>
        room.run({
          aggregate: 'c',
          pipeline: [{ $facet: { a: [{ $set: { z: loops } }] } }],
          cursor: {},
        }),
      'find by keys': () =>
        room.run({ find: 'c', filter: { _id: { $in: [0, 1, 2, 3, 4, 5] }, ...dear(true) } }),
      aggregate: () => room.run({ aggregate: 'c', pipeline: [{ $set: { a: loops } }], cursor: {} }),
      'insert, all taken': insert('taking'),
      'insert, warned of': insert('warning'),
      'insert, all refused': insert('refusing'),
      'update of many': () =>
        room.run({ update: 'c', updates: [{ q: {}, u: [{ $set: { b: loops } }], multi: true }] }),
      'updates one by one': () =>
        room.run({
          update: 'c',
          updates: documents.map(({ _id }) => ({ q: { _id }, u: [{ $set: { c: loops } }] })),
        }),
    }
    for (const [name, work] of Object.entries(works)) {
      t.ok((await turnsDuring(work)) >= count - 1, name)
    }
  },
  { kinds: ['memory', 'lmdb'] },
)

await eachRoom(t, 'an insert in several programs tells of each document', async (t, room) => {
  const validator = { $or: [{ good: true }, dear(false)] }
  await room.run({ create: 'c', validator })
  const given = [true, false, true, false, true, true].map((good, _id) => ({ _id, good }))
  const unordered = await room.run({ insert: 'c', documents: given, ordered: false })
  t.equal(unordered.n, 4)
  t.same(failedIn(unordered), [1, 3])
  t.same(await idsIn(room), [0, 2, 4, 5])
  await room.run({ delete: 'c', deletes: [{ q: {}, limit: 0 }] })
  const ordered = await room.run({ insert: 'c', documents: given })
  t.equal(ordered.n, 1)
  t.same(failedIn(ordered), [1])
  t.same(await idsIn(room), [0])
})
