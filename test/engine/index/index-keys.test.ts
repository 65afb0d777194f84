// The entries of a document, for each kind of path and array.

import fc from 'fast-check'
import t from 'tap'
import { compareBytes, equalBytes } from '../../../src/base/bytes/bytes.js'
import { fieldsOfKey } from '../../../src/engine/collection/catalog/descriptors.js'
import { entriesOf, entryPrefixBytes, entryValues } from '../../../src/engine/index/index-keys.js'
import type { IndexDescriptor, IndexId } from '../../../src/engine/types.js'
import { idKey, keyClass } from '../../../src/store/layout.js'
import { encodeKey } from '../../../src/value/key.js'
import { documentFrom, valueFrom } from '../../../src/value/literal.js'
import { keyValues, parsePath } from '../../../src/value/path.js'
import { toJs, toObject } from '../../support/literal.js'
import { runs } from '../../support/runs.js'

type Plain = Readonly<Record<string, unknown>>

function index(key: Plain, unique = false): IndexDescriptor {
  const fields = fieldsOfKey(documentFrom(key))
  return {
    id: 9 as IndexId,
    name: 'test',
    fields,
    unique,
    state: 'ready',
    multikey: fields.map(() => false),
    inexact: false,
    spec: documentFrom({ v: 2, key, name: 'test' }),
  }
}

const record = idKey(keyClass.record, 3, encodeKey(valueFrom(1)))

/** The values of each entry, in the order in which the keys are made. */
function rows(key: Plain, document: Plain): unknown[] {
  const descriptor = index(key)
  const bytes = documentFrom(document)
  return entriesOf(descriptor, bytes, record).keys.map((entry) =>
    Object.values(toObject(entryValues(descriptor, bytes, record, entry))),
  )
}

t.test('an entry is class, index, fields, a closing byte and the record key', async (t) => {
  const { keys } = entriesOf(index({ a: 1 }), documentFrom({ _id: 1, a: 'x' }), record)
  const head = idKey(keyClass.entry, 9)
  const expected = Buffer.concat([
    head,
    encodeKey(valueFrom('x')),
    Uint8Array.of(4),
    encodeKey(valueFrom(1)),
  ])
  t.equal(Buffer.from(keys[0] ?? head).toString('hex'), expected.toString('hex'))
  const unique = entriesOf(index({ a: 1 }, true), documentFrom({ a: 'x' }), record)
  const alone = expected.subarray(0, expected.length - encodeKey(valueFrom(1)).length)
  t.equal(Buffer.from(unique.keys[0] ?? head).toString('hex'), alone.toString('hex'))
})

t.test('missing is null, an empty array undefined, nested arrays stay whole', async (t) => {
  t.same(rows({ a: 1 }, {}), [[null]])
  t.same(rows({ a: 1 }, { a: [] }), [[undefined]])
  t.same(rows({ a: 1 }, { a: [[1, 2], 3] }), [[[1, 2]], [3]])
  t.same(rows({ 'a.b': 1 }, { a: [{ b: 1 }, { b: [2, 3] }, {}, 5] }), [[1], [2], [3], [null]])
  t.same(rows({ a: 1, b: 1 }, { a: 1 }), [[1, null]])
})

t.test('one array spreads a compound index, with its field alone marked', async (t) => {
  t.same(rows({ x: 1, a: -1, y: 1 }, { x: 0, a: [1, 2, 1], y: 9 }), [
    [0, 1, 9],
    [0, 2, 9],
  ])
  const { multikey } = entriesOf(index({ x: 1, a: 1 }), documentFrom({ a: [1] }), record)
  t.same(multikey, [false, true])
})

t.test('fields of one array of objects go together', async (t) => {
  const key = { 'a.b': 1, 'a.c': -1, d: 1 }
  t.same(rows(key, { a: [{ b: 1, c: 2 }, { b: 3 }, 7, { b: 3 }], d: 0 }), [
    [1, 2, 0],
    [3, null, 0],
    [null, null, 0],
  ])
  t.same(rows(key, { a: [], d: 0 }), [[null, null, 0]])
  t.same(rows({ a: 1, 'a.b': 1 }, { a: [{ b: 1 }, 2] }), [
    [{ b: 1 }, 1],
    [2, null],
  ])
  t.same(rows({ a: 1, 'a.b': 1 }, { a: [] }), [[undefined, null]])
  t.same(rows({ 'a.b.c': 1, 'a.b.d': 1 }, { a: [{ b: [{ c: 1, d: 2 }] }, { b: { c: 3 } }] }), [
    [1, 2],
    [3, null],
  ])
  t.same(rows({ 'a.b.c': 1, 'a.b.d': 1 }, { a: { b: [{ c: 1, d: 2 }, { d: 5 }] } }), [
    [1, 2],
    [null, 5],
  ])
  const nested = entriesOf(index(key), documentFrom({ a: [{ b: 1 }] }), record)
  t.same(nested.multikey, [true, true, false])
})

t.test('different arrays cannot be combined', async (t) => {
  const refused = (key: Plain, document: Plain): void => {
    t.throws(() => entriesOf(index(key), documentFrom(document), record), {
      code: 171,
      message: /^cannot index parallel arrays \[/,
    })
  }
  refused({ a: 1, b: 1 }, { a: [1], b: [2] })
  refused({ a: 1, b: 1 }, { a: [], b: [] })
  refused({ 'a.b': 1, 'a.c': 1 }, { a: { b: [1], c: [2] } })
  refused({ 'a.b': 1, 'a.c': 1 }, { a: [{ b: [1], c: [2] }] })
})

t.test('positions take one element, and are refused where they could be names', async (t) => {
  t.same(rows({ 'a.0': 1, 'b.1.c': 1 }, { a: [5, 6], b: [{}, { c: 7 }] }), [[5, 7]])
  t.same(rows({ 'a.0.b': 1, 'a.0.c': 1 }, { a: [{ b: [1, 2], c: 3 }] }), [
    [1, 3],
    [2, 3],
  ])
  t.same(rows({ 'a.3': 1, 'a.b': 1 }, { a: [{ b: 1 }] }), [[null, 1]])
  const ambiguous = documentFrom({ a: [{ '0': [1], b: [2] }] })
  t.throws(() => entriesOf(index({ 'a.0': 1, 'a.b': 1 }), ambiguous, record), { code: 16746 })
})

t.test('equal numbers of different types make one entry', async (t) => {
  const document = documentFrom({ a: [1, 1.0, 2.5, 2.5] })
  t.equal(entriesOf(index({ a: 1 }), document, record).keys.length, 2)
})

t.test('long fields are cut to a prefix and a hash, and say so', async (t) => {
  const long = 'x'.repeat(1_290)
  const exact = entriesOf(index({ a: 1 }), documentFrom({ a: long }), record)
  t.notOk(exact.inexact)
  const one = entriesOf(index({ a: 1 }), documentFrom({ a: `${long}yyyyyyyyyyyy1` }), record)
  const two = entriesOf(index({ a: 1 }), documentFrom({ a: `${long}yyyyyyyyyyyy2` }), record)
  t.ok(one.inexact)
  const [a] = one.keys
  const [b] = two.keys
  if (a === undefined || b === undefined) throw new Error('an entry is missing')
  t.equal(a.length, 5 + 1_300 + 1 + encodeKey(valueFrom(1)).length)
  t.ok(equalBytes(a.subarray(0, 5 + entryPrefixBytes), b.subarray(0, 5 + entryPrefixBytes)))
  t.notOk(equalBytes(a, b))
})

const scalar = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('x', null, true))
const tree = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b'), tie('node'), { maxKeys: 2 }),
  ),
}))
const root = fc.dictionary(fc.constantFrom('a', 'b'), tree.node, { maxKeys: 2 })

t.test('the values of a field in a compound index are those of the field alone', async (t) => {
  const path = fc.constantFrom('a', 'b', 'a.b', 'a.a', 'b.a.b', 'a.b.b')
  const property = fc.property(root, path, path, (object, one, two) => {
    if (one === two) return
    const document = documentFrom(object)
    const descriptor = index({ [one]: 1, [two]: 1 })
    let found: Uint8Array[]
    try {
      found = entriesOf(descriptor, document, record).keys
    } catch (error) {
      if ((error as { code?: unknown }).code === 171) return
      throw error
    }
    const firsts = new Set<string>()
    const expected = new Set<string>()
    for (const key of found) {
      const row = entryValues(descriptor, document, record, key)
      firsts.add(JSON.stringify(Object.values(toObject(row))[0] ?? null))
    }
    // Where the array is followed together, elements that another field enters add a null.
    const { values } = keyValues(document, parsePath(one))
    for (const value of values) expected.add(JSON.stringify(toJs(value) ?? null))
    for (const value of expected) if (!firsts.has(value)) throw new Error(`lacks ${value}`)
    for (const value of firsts) {
      if (!expected.has(value) && value !== 'null') throw new Error(`has ${value} besides`)
    }
  })
  fc.assert(property, { numRuns: runs(500) })
  t.pass('holds')
})

t.test('entries are ordered as their values are, descending ones against them', async (t) => {
  const values = fc.array(fc.oneof(fc.string(), fc.integer(), fc.double({ noNaN: true })), {
    minLength: 2,
    maxLength: 2,
  })
  const property = fc.property(values, ([a, b]) => {
    const key = (direction: 1 | -1, value: unknown): Uint8Array => {
      const { keys } = entriesOf(index({ v: direction }, true), documentFrom({ v: value }), record)
      return keys[0] ?? record
    }
    const up = Math.sign(compareBytes(key(1, a), key(1, b)))
    const down = Math.sign(compareBytes(key(-1, a), key(-1, b)))
    return up === -down
  })
  fc.assert(property, { numRuns: runs(500) })
  t.pass('holds')
})
