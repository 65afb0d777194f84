// Distinct values by jumps over an index: the values are those of a full read, and what is read is
// a little of each.

import fc from 'fast-check'
import t from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { planDistinct } from '../../../src/engine/plan/plan-distinct.js'
import { openDistinct } from '../../../src/engine/sources/source.js'
import type { Counters } from '../../../src/engine/sources/walk.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import { elementsOf } from '../../../src/value/elements.js'
import { equalityKey } from '../../../src/value/key.js'
import { parsePath, walkPath } from '../../../src/value/path.js'
import { bsonType, type Document, type Value } from '../../../src/value/value.js'
import { compiled, type PlainQuery, ReadingRoom } from '../../support/reading.js'
import { runs } from '../../support/runs.js'
import { eachStore } from '../../support/stores.js'

interface Answer {
  /** Keys of the values, sorted. */
  readonly values: string[]
  readonly counters: Readonly<Counters>
}

/** `between` runs after each pull of `want` documents. */
async function distinct(
  room: ReadingRoom,
  path: string,
  query: PlainQuery = {},
  want = 500,
  between: () => Promise<unknown> = async () => {},
): Promise<Answer> {
  const source = openDistinct(await room.find(), compiled(query), path)
  const values = new Set<string>()
  const note = (value: Value): void => {
    values.add(equalityKey(value))
  }
  while (!source.drained) {
    for (const document of await room.store.read((tx) => source.pull(tx, want))) {
      valuesOf(document, path).forEach(note)
    }
    await between()
  }
  return { values: [...values].sort(), counters: source.counters }
}

function valuesOf(document: Document, path: string): Value[] {
  const values: Value[] = []
  walkPath(document, parsePath(path), (leaf) => {
    if (leaf?.type === bsonType.array) values.push(...elementsOf(leaf))
    else if (leaf !== undefined) values.push(leaf)
    return false
  })
  return values
}

async function jumps(room: ReadingRoom, path: string, query: PlainQuery = {}): Promise<string> {
  return planDistinct(await room.get(), compiled(query), path)?.access.index.name ?? 'none'
}

await eachStore(t, 'a few entries of each value are read', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.index([{ a: 1 }], [{ b: -1, a: -1 }])
  for (let first = 0; first < 1_000; first += 100) {
    const documents = Array.from({ length: 100 }, (_, i) => {
      const _id = first + i
      return { _id, a: `value ${_id % 5}`, b: _id % 2 }
    })
    await room.insert(...documents)
  }
  const all = await distinct(room, 'a')
  t.equal(all.values.length, 5)
  t.ok(all.counters.keysExamined <= 15, `${all.counters.keysExamined} keys for 5 values`)
  const some = await distinct(room, 'a', { filter: { a: { $gt: 'value 1' } } }, 1)
  t.equal(some.values.length, 3)
  t.ok(some.counters.keysExamined <= 12)
  const compound = await distinct(room, 'a', { filter: { b: { $in: [0, 1] } }, hint: 'b_-1_a_-1' })
  t.equal(compound.values.length, 5)
  t.ok(compound.counters.keysExamined <= 30)
})

await eachStore(t, 'values that hardly repeat are read as a scan reads', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.index([{ a: 1 }])
  await room.insert(...Array.from({ length: 300 }, (_, _id) => ({ _id, a: _id >> 1 })))
  const { values, counters } = await distinct(room, 'a', {}, 7)
  t.equal(values.length, 150)
  t.ok(counters.keysExamined <= 320)
})

await t.test('jumps that save nothing are given up', async (t) => {
  const room = new ReadingRoom(openMemoryStore(systemClock))
  await room.create()
  await room.index([{ a: 1 }])
  for (let first = 0; first < 3_000; first += 500) {
    await room.insert(...Array.from({ length: 500 }, (_, i) => ({ _id: first + i, a: first + i })))
  }
  const { values, counters } = await distinct(room, 'a')
  t.equal(values.length, 3_000)
  t.ok(counters.keysExamined < 1_200)
  t.ok(counters.docsExamined < 4_200)
})

await t.test('null is told from missing, and equal numbers are one value', async (t) => {
  const room = new ReadingRoom(openMemoryStore(systemClock))
  await room.create()
  await room.index([{ a: 1 }])
  await room.insert(
    { _id: 1 },
    { _id: 2 },
    { _id: 3, a: null },
    { _id: 4, a: 1 },
    { _id: 5, a: 1.0 },
  )
  t.equal((await distinct(room, 'a')).values.length, 2)
  t.same((await distinct(room, 'a')).values, (await distinct(room, 'a', natural({}))).values)
})

await t.test('which index gives jumps', async (t) => {
  const room = new ReadingRoom(openMemoryStore(systemClock))
  await room.create()
  const partialFilterExpression = { p: 1 }
  await room.index(
    [{ a: 1 }],
    [{ b: 1, c: 1 }],
    [{ d: 1 }, { sparse: true }],
    [{ e: 1 }, { partialFilterExpression }],
    [{ m: 1 }],
    [{ h: 1 }, { hidden: true }],
  )
  await room.insert({ _id: 1, m: [1, 2] })
  const cases: readonly (readonly [path: string, query: PlainQuery, index: string])[] = [
    ['a', {}, 'a_1'],
    ['a', { filter: { a: { $gt: 1 } } }, 'a_1'],
    ['a', { filter: { z: 1 } }, 'none'],
    ['a', { filter: { a: null } }, 'none'],
    ['b', {}, 'b_1_c_1'],
    ['c', {}, 'none'],
    ['c', { filter: { b: 1 } }, 'b_1_c_1'],
    ['c', { filter: { b: { $in: [1, 2] }, c: { $lt: 5 } } }, 'b_1_c_1'],
    ['c', { filter: { b: { $gt: 1 } } }, 'none'],
    ['d', {}, 'd_1'],
    ['d', { filter: { d: { $gt: 1 } } }, 'd_1'],
    ['e', {}, 'none'],
    ['e', { hint: 'e_1' }, 'e_1'],
    ['m', {}, 'none'],
    ['h', {}, 'none'],
    ['a', { hint: 'b_1_c_1' }, 'none'],
    ['a', { hint: { $natural: 1 } }, 'none'],
  ]
  for (const [path, query, index] of cases) {
    t.equal(await jumps(room, path, query), index, `${path} ${JSON.stringify(query)}`)
  }
})

await eachStore(t, 'an index that gets arrays meanwhile is left', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.index([{ a: 1 }])
  await room.insert(...Array.from({ length: 40 }, (_, _id) => ({ _id, a: _id % 8 })))
  let isFirst = true
  const { values } = await distinct(room, 'a', {}, 2, async () => {
    if (isFirst) await room.insert({ _id: 'new', a: [5, 100] })
    isFirst = false
  })
  t.equal(values.length, 9)
})

function natural(query: PlainQuery): PlainQuery {
  return { ...query, hint: { $natural: 1 } }
}

const scalar = fc.constantFrom(null, 0, 1, 2, 3, 'x', 'y', true)
const value = fc.oneof({ weight: 8, arbitrary: scalar }, fc.array(scalar, { maxLength: 2 }))
const inner = fc.oneof(scalar, fc.record({ c: scalar }, { requiredKeys: [] }))
const body = fc.record({ a: scalar, b: inner, m: value }, { requiredKeys: [] })
const condition = fc.oneof(
  scalar,
  fc.record({ $gte: scalar }),
  fc.record({ $in: fc.array(scalar, { maxLength: 3 }) }),
)
const filter = fc.record({ a: condition, 'b.c': condition, m: condition }, { requiredKeys: [] })
const path = fc.constantFrom('a', 'b', 'b.c', 'm')

await t.test('jumps never change the values', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(body, { maxLength: 60 }),
      fc.array(fc.tuple(path, filter), { minLength: 5, maxLength: 10 }),
      async (bodies, queries) => {
        const room = new ReadingRoom(openMemoryStore(systemClock))
        await room.create()
        await room.index(
          [{ a: 1 }],
          [{ a: -1, 'b.c': 1 }],
          [{ b: 1, a: 1 }],
          [{ m: 1 }],
          [{ 'b.c': -1 }, { sparse: true }],
        )
        if (bodies.length > 0) await room.insert(...bodies.map((one, _id) => ({ _id, ...one })))
        for (const [path, filter] of queries) {
          for (const query of [{ filter }, {}]) {
            const { values } = await distinct(room, path, query, 3)
            const all = await distinct(room, path, natural(query))
            if (JSON.stringify(values) === JSON.stringify(all.values)) continue
            throw new Error(`differs: ${path} ${JSON.stringify(query)}`)
          }
        }
      },
    ),
    { numRuns: runs(80) },
  )
  t.pass('every list is the scan’s')
})

await eachStore(t, 'thousands of values that repeat a little are jumped', async (t, { store }) => {
  const room = new ReadingRoom(store)
  const values = 1_500
  for (let start = 0; start < values * 4; start += 1_000) {
    const documents = Array.from({ length: 1_000 }, (_, i) => {
      return { _id: start + i, a: (start + i) % values }
    })
    await room.insert(...documents)
  }
  await room.index([{ a: 1 }])
  const { values: found, counters } = await distinct(room, 'a')
  t.equal(found.length, values)
  t.equal(counters.docsExamined, values)
  t.ok(counters.keysExamined <= values * 2, `${counters.keysExamined} keys`)
})
