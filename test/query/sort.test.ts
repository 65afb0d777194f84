// Sort keys: the order of their bytes must be the order of documents, arrays by their least or
// greatest element, missing as null.

import { Decimal128, Double, Long, MaxKey, MinKey } from 'bson'
import fc from 'fast-check'
import t from 'tap'
import { compileSort } from '../../src/query/sort.js'
import { compareValues } from '../../src/value/compare.js'
import { documentFrom, valueFrom } from '../../src/value/literal.js'
import { type Literal, refuses, show } from '../support/query.js'
import { runs } from '../support/runs.js'

function sorted(spec: Literal, documents: readonly Literal[]): Literal[] {
  const sort = compileSort(documentFrom(spec))
  return documents
    .map((document) => ({ document, key: sort.key(documentFrom(document)) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ document }) => document)
}

function table(name: string, spec: Literal, expected: readonly Literal[]): void {
  t.test(name, async (t) => {
    const shuffled = [...expected].reverse()
    t.same(sorted(spec, shuffled).map(show), expected.map(show), 'reversed')
    t.same(sorted(spec, expected).map(show), expected.map(show), 'sorted')
  })
}

const inTypeOrder = [
  { a: new MinKey() },
  { a: [] },
  { a: null },
  { a: new Double(-1) },
  { a: Long.fromNumber(0) },
  { a: Decimal128.fromString('0.5') },
  { a: 'a' },
  { a: 'b' },
  { a: {} },
  { a: { b: 1 } },
  { a: Buffer.from([1]) },
  { a: false },
  { a: true },
  { a: new Date(0) },
  { a: /x/ },
  { a: new MaxKey() },
]
table('types follow each other in their order', { a: 1 }, inTypeOrder)
table('a descending sort turns everything around', { a: -1 }, [...inTypeOrder].reverse())
table('ascending takes the least element of an array', { a: 1 }, [
  { a: [5, 1] },
  { a: 2 },
  { a: [9, 3] },
])
table('descending takes the greatest element', { a: -1 }, [{ a: [9, 3] }, { a: [5, 1] }, { a: 2 }])
table('an empty array comes before null', { a: 1 }, [{ a: [] }, { a: null }, { a: 1 }])
table('nested arrays compare as arrays', { a: 1 }, [{ a: 'x' }, { a: [[1, 2]] }, { a: [[2]] }])
table('later parts decide between equals', { a: 1, b: -1 }, [
  { a: 1, b: 2 },
  { a: 1, b: 1 },
  { a: 2, b: 9 },
])
table('dotted paths enter objects and arrays', { 'a.b': 1 }, [
  { a: [{ b: 5 }, { b: 0 }] },
  { a: { b: 1 } },
  { a: { b: 2 } },
])
table('two parts over one array take their values from the same element', { 'a.x': 1, 'a.y': 1 }, [
  { a: [{ x: 1, y: 4 }] },
  {
    a: [
      { x: 1, y: 9 },
      { x: 2, y: 0 },
    ],
  },
])

t.test('a missing field sorts with null, before numbers', async (t) => {
  const sort = compileSort(documentFrom({ a: 1 }))
  t.same(sort.key(documentFrom({})), sort.key(documentFrom({ a: null })))
  t.ok(Buffer.compare(sort.key(documentFrom({})), sort.key(documentFrom({ a: -1e9 }))) < 0)
})

t.test('equal numbers of different types have one key', async (t) => {
  const sort = compileSort(documentFrom({ a: 1 }))
  const key = sort.key(documentFrom({ a: 1 }))
  for (const one of [new Double(1), Long.fromNumber(1), Decimal128.fromString('1.0')]) {
    t.same(sort.key(documentFrom({ a: one })), key)
  }
})

t.test('parallel arrays have no common key', async (t) => {
  const sort = compileSort(documentFrom({ a: 1, b: 1 }))
  refuses(t, () => sort.key(documentFrom({ a: [1], b: [2] })), 2, 'parallel arrays')
  t.ok(sort.key(documentFrom({ a: [1], b: 2 })))
})

t.test('$natural is the collection’s order', async (t) => {
  const sort = compileSort(documentFrom({ $natural: -1 }))
  t.equal(sort.natural, -1)
  t.same(sort.parts, [])
  t.equal(compileSort(documentFrom({ a: 1 })).natural, undefined)
})

t.test('bad specifications are refused', async (t) => {
  const rows: readonly (readonly [Literal, number, string])[] = [
    [{ a: 2 }, 15975, 'must be 1 (for ascending) or -1 (for descending)'],
    [{ a: 'asc' }, 15974, 'Illegal key in $sort specification: a: "asc"'],
    [{ a: { $meta: 'textScore' } }, 40218, 'text score'],
    [{ a: { b: 1 } }, 17312, '$meta is the only expression'],
    [{ $natural: 1, a: 1 }, 2, "Cannot include '$natural' in compound sort"],
    [{ $natural: 5 }, 2, '$natural sort cannot be set'],
    [{ $a: 1 }, 16410, "may not start with '$'"],
    [{ 'a.': 1 }, 40353, "must not end with a '.'"],
    [Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`f${i}`, 1])), 2, 'too many'],
  ]
  for (const [spec, code, text] of rows) {
    refuses(t, () => compileSort(documentFrom(spec)), code, text)
  }
})

t.test('keys order documents as their values compare', async (t) => {
  const value = fc.oneof(
    fc.double({ noNaN: true }),
    fc.integer(),
    fc.string({ maxLength: 4 }),
    fc.boolean(),
    fc.constant(null),
    fc.dictionary(fc.constantFrom('x', 'y'), fc.integer(), { maxKeys: 2 }),
  )
  const direction = fc.constantFrom(1, -1)
  const pair = fc.tuple(value, value)
  fc.assert(
    fc.property(pair, pair, direction, direction, ([a, b], [c, d], first, second) => {
      const sort = compileSort(documentFrom({ a: first, b: second }))
      const byA = compareValues(valueFrom(a), valueFrom(c)) * first
      const byB = compareValues(valueFrom(b), valueFrom(d)) * second
      const left = sort.key(documentFrom({ a, b }))
      const right = sort.key(documentFrom({ a: c, b: d }))
      return Math.sign(Buffer.compare(left, right)) === Math.sign(byA || byB)
    }),
    { numRuns: runs(500) },
  )
  t.pass('held')
})
