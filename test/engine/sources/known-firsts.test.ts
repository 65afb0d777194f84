// A range that leads to one document by each of its many entries: the document comes once, and its
// entries are not made again at each of them.

import t from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { work } from '../../../src/base/work/work-budget.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import { CommandRoom } from '../../support/command-room.js'

const range = { tags: { $gt: 'tag', $lt: 'tah' } }
const filters = [range, { $or: [{ tags: 'tag 7' }, range] }, { tags: { $gte: 'tag 5' } }]

/** Ids that each filter finds by the index, and what all of them cost. */
async function find(count: number) {
  const store = openMemoryStore(systemClock)
  const room = new CommandRoom(store, systemClock)
  const tags = Array.from({ length: count }, (_, i) => `tag ${i}`)
  const documents = [
    { _id: 1, tags },
    { _id: 2, tags: ['other', ...tags] },
    { _id: 3, tags: ['tag 6'] },
  ]
  await room.run({ insert: 'c', documents })
  await room.run({ createIndexes: 'c', indexes: [{ key: { tags: 1 }, name: 'tags_1' }] })
  const before = work.spent
  const found: unknown[] = []
  for (const filter of filters) {
    const all = await room.drain({ find: 'c', filter, hint: 'tags_1' })
    found.push(all.map(({ _id }) => _id).sort())
  }
  const units = work.spent - before
  await room.engine.close()
  await store.close()
  return { found, units }
}

t.test('a document of many entries comes once; they are made once for it', async (t) => {
  const count = 2_000
  const { found, units } = await find(count)
  t.same(found, [
    [1, 2, 3],
    [1, 2, 3],
    [1, 2, 3],
  ])
  const examined = 2 * count * filters.length
  // The record is read at each entry. To make all of its entries takes ten units for each of them.
  t.ok(units < (examined * count * 10) / 20, `${units} units`)
})
