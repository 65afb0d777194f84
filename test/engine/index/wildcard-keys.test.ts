// The leaves of a document in a wildcard index, the paths that a projection leaves, what is
// remembered of arrays, and that a check finds an entry that is missing or too many.

import t from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { wildcardArrayPathsMax } from '../../../src/base/limits/documents.js'
import { checkStore } from '../../../src/engine/check/check.js'
import { leavesOf } from '../../../src/engine/index/wildcard-keys.js'
import {
  holdsScalars,
  joinedArrayPaths,
  shareOf,
  wildcardOf,
} from '../../../src/engine/index/wildcard-paths.js'
import type { Wildcard } from '../../../src/engine/types.js'
import { keyClass } from '../../../src/store/layout.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import { documentFrom } from '../../../src/value/literal.js'
import { shellText } from '../../../src/value/shell.js'
import { writeDocument } from '../../../src/value/writer.js'
import { keysOfClasses } from '../../support/engine-room.js'
import { ReadingRoom } from '../../support/reading.js'

type Plain = Readonly<Record<string, unknown>>

function wildcard(key: Plain, wildcardProjection?: Plain): Wildcard {
  const options = wildcardProjection === undefined ? {} : { wildcardProjection }
  const found = wildcardOf(documentFrom({ key, ...options }))
  if (found === undefined) throw new Error('this is no wildcard index')
  return found
}

const whole = wildcard({ '$**': 1 })

function leaves(document: Plain, index = whole): string[] {
  const { leaves } = leavesOf(index, documentFrom(document))
  return leaves.map(({ path, value }) => `${path} ${shellText(value)}`)
}

t.test('each leaf has its path and value', async (t) => {
  t.same(leaves({ _id: 1, a: 1, b: { c: 'x', d: null } }), ['a 1', 'b.c "x"', 'b.d null'])
  t.same(leaves({ a: [1, 2, 1] }), ['a 1', 'a 2', 'a 1'])
  t.same(leaves({ a: [{ b: 1 }, { b: [2], c: 3 }, 4] }), ['a.b 1', 'a.b 2', 'a.c 3', 'a 4'])
})

t.test('an array in an array is a value, and what is empty has an entry', async (t) => {
  t.same(leaves({ a: [[1, { b: 2 }], 3] }), ['a [ 1, { b: 2 } ]', 'a 3'])
  t.same(leaves({ a: [], b: {}, c: [{}], d: { e: {} } }), ['a undefined', 'b {}', 'c {}', 'd.e {}'])
})

t.test('a name with a dot has no path, but what holds it is there', async (t) => {
  t.same(leaves({ 'a.b': 1, c: { 'd.e': 2 }, f: { 'g.h': 1, i: 2 } }), ['c {}', 'f.i 2'])
})

t.test('of two fields of one name the first counts', async (t) => {
  const document = writeDocument((out) => out.int32('a', 1).int32('a', 2))
  t.equal(leavesOf(whole, document).leaves.length, 1)
})

t.test('arrays are told by their paths', async (t) => {
  const { arrayPaths } = leavesOf(whole, documentFrom({ a: [{ b: [1] }], c: { d: [] }, e: 1 }))
  t.same(arrayPaths, ['a', 'a.b', 'c.d'])
})

t.test('a projection chooses paths with all below them', async (t) => {
  const document = { _id: 1, a: { b: 1, c: 2 }, d: [3, { e: 4 }], f: 5 }
  t.same(leaves(document, wildcard({ 'a.$**': 1 })), ['a.b 1', 'a.c 2'])
  t.same(leaves(document, wildcard({ '$**': 1 }, { a: { c: 1 }, f: true })), ['a.c 2', 'f 5'])
  t.same(leaves(document, wildcard({ '$**': 1 }, { 'd.e': 1 })), ['d.e 4'])
  t.same(leaves(document, wildcard({ '$**': 1 }, { a: 0, 'd.e': 0 })), ['d 3', 'f 5'])
  t.same(leaves(document, wildcard({ '$**': 1 }, { _id: 1, a: 0, d: 0 })), ['_id 1', 'f 5'])
  t.same(leaves(document, wildcard({ '$**': 1 }, { _id: 1 })), ['_id 1'])
  t.same(leaves({ a: 1 }, wildcard({ 'a.b.$**': 1 })), [], 'a value above the subtree')
})

t.test('how much of a path is held', async (t) => {
  const { holds } = wildcard({ '$**': 1 }, { 'a.b': 0 })
  const paths = ['a', 'a.b', 'a.b.c', 'a.bc', 'b', '_id']
  t.same(
    paths.map((path) => shareOf(holds, path)),
    ['some', 'none', 'none', 'all', 'all', 'none'],
  )
  t.same(
    paths.map((path) => holdsScalars(holds, path)),
    [true, false, false, true, true, false],
  )
})

t.test('beyond a bound, paths with arrays are no longer told apart', async (t) => {
  const paths = Array.from({ length: wildcardArrayPathsMax }, (_, i) => `p${i}`)
  const known = joinedArrayPaths([], paths)
  t.same(known, paths)
  t.equal(joinedArrayPaths(known, ['p3']), known)
  const any = joinedArrayPaths(known, ['more'])
  t.same(any, ['$**'])
  t.equal(joinedArrayPaths(any, ['x']), any)
  t.same(joinedArrayPaths(['a'], ['x'.repeat(2_000)]), ['$**'])
})

t.test('a check finds an entry that is missing, and one that is too many', async (t) => {
  const store = openMemoryStore(systemClock)
  const room = new ReadingRoom(store)
  await room.index([{ '$**': 1 }])
  await room.insert({ _id: 1, a: [1, 2], b: { c: 3 } })
  t.same(await checkStore(store), [])
  const keys = await keysOfClasses(store, keyClass.entry)
  t.equal(keys.length, 3)
  const first = new Uint8Array(Buffer.from(keys[0] as string, 'hex'))
  const record = await store.read(function* (tx) {
    return yield* tx.get(first)
  })
  const other = first.slice()
  other[6] = (other[6] ?? 0) + 5
  await store.write(function* (tx) {
    tx.remove(first)
    tx.put(other, record as Uint8Array)
  })
  const problems = (await checkStore(store)).map(({ text }) => text).join('\n')
  t.match(problems, /is missing/)
  t.match(problems, /is not one that its record has/)
})
