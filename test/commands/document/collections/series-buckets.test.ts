// The buckets of a time-series collection, as tools that dump and restore see them.

import fc from 'fast-check'
import t from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import { openMemoryStore } from '../../../../src/store/memory.js'
import { CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'
import { runs } from '../../../support/runs.js'

const timeseries = { timeField: 'at', metaField: 'm' }
const second = (n: number): Date => new Date(1_700_000_000_000 + n * 1_000)

const measurement = (n: number, m: unknown, rest: Record<string, unknown> = {}) => {
  return { _id: n, at: second(n), ...(m === undefined ? {} : { m }), ...rest }
}

async function restore(room: CommandRoom, buckets: readonly Reply[]): Promise<Reply> {
  return room.run({ insert: 'system.buckets.copy', documents: buckets, ordered: false })
}

const byId = (documents: readonly Reply[]): Reply[] =>
  documents.toSorted((a, b) => Number(a._id) - Number(b._id))

await eachRoom(t, 'measurements are packed by meta, span and kind', async (t, room) => {
  await room.run({ create: 'c', timeseries })
  await room.insert(
    'c',
    measurement(1, 'a', { v: 5, o: { x: 2 }, l: [1, 'z'] }),
    measurement(2, 'b', { v: 1 }),
    measurement(3, 'a', { v: 2.5, o: { x: 1, y: 'q' }, l: [3] }),
    measurement(4, 'a', { v: 'text' }),
    measurement(3_601, 'b', { v: 1 }),
  )
  const buckets = await room.drain({ find: 'system.buckets.c', hint: { $natural: 1 } })
  t.equal(buckets.length, 4)
  const first = buckets.find(({ meta, data }) => meta === 'a' && data.o !== undefined)
  t.same(first?.control, {
    version: 1,
    min: { _id: 1, at: new Date(1_699_999_980_000), v: 2.5, o: { x: 1, y: 'q' }, l: [1, 'z'] },
    max: { _id: 3, at: second(3), v: 5, o: { x: 2, y: 'q' }, l: [3, 'z'] },
  })
  t.same(first?.data.v, { 0: 5, 1: 2.5 })
  t.equal(first?._id.getTimestamp().getTime(), 1_699_999_980_000)
  t.equal((await room.run({ count: 'system.buckets.c' })).n, 4)
  const filter = { meta: 'b' }
  t.equal((await room.drain({ find: 'system.buckets.c', filter })).length, 2)
  t.equal((await room.drain({ find: 'system.buckets.none' })).length, 0)
})

await eachRoom(t, 'a bucket is restored once', async (t, room) => {
  for (const name of ['c', 'copy']) await room.run({ create: name, timeseries })
  await room.insert('c', measurement(1, 'a'), measurement(2, 'a'), measurement(3, 'b'))
  const buckets = await room.drain({ find: 'system.buckets.c' })
  t.same(await restore(room, buckets), { n: 2, ok: 1 })
  const again = await restore(room, buckets)
  t.match(again, { n: 0, writeErrors: [{ code: 11000 }, { code: 11000 }] })
  t.same(await room.all('copy'), await room.all('c'))
})

await eachRoom(t, 'what is no bucket is refused', async (t, room) => {
  await room.run({ create: 'copy', timeseries })
  const compressed = { control: { version: 2 }, data: {} }
  const reply = await restore(room, [{}, { control: { version: 1 }, data: {} }, compressed])
  t.match(reply, { n: 0, writeErrors: [{ code: 2 }, { code: 2 }, { code: 115 }] })
  const [code] = await room.fails({ insert: 'system.buckets.none', documents: [{}] })
  t.equal(code, 73)
})

const metas = fc.constantFrom(undefined, 'a', 1, { x: [1] }, null)
const values = fc.constantFrom(1, 'text', { a: 1 }, { a: { b: 2 } }, [1, 2], [{ a: 1 }], null)
const measurements = fc.array(
  fc.record({ at: fc.integer({ min: 0, max: 9_000 }), m: metas, v: values, w: values }),
  { maxLength: 60 },
)

t.test('whatever was measured comes back', async (t) => {
  const property = fc.asyncProperty(measurements, async (given) => {
    const room = new CommandRoom(openMemoryStore(systemClock), systemClock)
    for (const name of ['c', 'copy']) await room.run({ create: name, timeseries })
    const documents = given.map(({ at, m, v, w }, _id) => {
      return { ...measurement(at, m), _id, v, ...(w === null ? {} : { w }) }
    })
    if (documents.length > 0) await room.insert('c', ...documents)
    const buckets = await room.drain({ find: 'system.buckets.c' })
    if (buckets.length > 0) await restore(room, buckets)
    const [was, is] = [await room.drain({ find: 'c' }), await room.drain({ find: 'copy' })]
    await room.engine.close()
    return JSON.stringify(byId(was)) === JSON.stringify(byId(is))
  })
  await t.resolves(fc.assert(property, { numRuns: runs(30) }))
})
