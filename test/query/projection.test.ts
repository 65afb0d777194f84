// Projections of find: inclusion and exclusion, arrays, the order of fields, $slice, $elemMatch,
// the positional operator, computed fields and every refusal.

import { Double, Long } from 'bson'
import fc from 'fast-check'
import t from 'tap'
import { compileFilter } from '../../src/query/filter.js'
import { compileProjection } from '../../src/query/projection.js'
import { documentFrom } from '../../src/value/literal.js'
import { validateDocument } from '../../src/value/validate.js'
import { toObject } from '../support/literal.js'
import { type Literal, refuses, show, testContext } from '../support/query.js'
import { runs } from '../support/runs.js'

type Row = readonly [spec: Literal, document: Literal, projected: Literal]

function project(spec: Literal, document: Literal, filter: Literal = {}) {
  const compiled = compileFilter(documentFrom(filter), testContext)
  const projection = compileProjection(documentFrom(spec), compiled, testContext)
  const result = projection.apply(documentFrom(document))
  validateDocument(result)
  return result
}

function table(name: string, rows: readonly Row[]): void {
  t.test(name, async (t) => {
    for (const [spec, document, projected] of rows) {
      t.equal(show(project(spec, document)), show(projected), `${show(spec)} of ${show(document)}`)
    }
  })
}

const abc = { _id: 1, a: 1, b: 'x', c: { d: 1, e: 2 } }

table('inclusion keeps what it lists, and _id', [
  [{ a: 1 }, abc, { _id: 1, a: 1 }],
  [{ a: true }, abc, { _id: 1, a: 1 }],
  [{ a: new Double(0.5) }, abc, { _id: 1, a: 1 }],
  [{ a: Long.fromNumber(-1) }, abc, { _id: 1, a: 1 }],
  [{ a: 1, _id: 0 }, abc, { a: 1 }],
  [{ _id: 1 }, abc, { _id: 1 }],
  [{ zzz: 1 }, abc, { _id: 1 }],
  [{ 'c.d': 1 }, abc, { _id: 1, c: { d: 1 } }],
  [{ c: { d: 1 } }, abc, { _id: 1, c: { d: 1 } }],
  [{ 'a.x': 1 }, abc, { _id: 1 }],
  [{ _id: 1, a: 1 }, abc, { _id: 1, a: 1 }],
])

table('exclusion drops what it lists', [
  [{ a: 0 }, abc, { _id: 1, b: 'x', c: { d: 1, e: 2 } }],
  [{ a: false, 'c.d': 0 }, abc, { _id: 1, b: 'x', c: { e: 2 } }],
  [{ _id: 0 }, abc, { a: 1, b: 'x', c: { d: 1, e: 2 } }],
  [{ _id: 1, a: 0 }, abc, { _id: 1, b: 'x', c: { d: 1, e: 2 } }],
  [{ 'a.x': 0 }, abc, abc],
  [{}, abc, abc],
])

table('fields keep the order they are stored in', [
  [
    { c: 1, a: 1 },
    { c: 1, _id: 1, a: 2 },
    { c: 1, _id: 1, a: 2 },
  ],
  [{ x: '$a', b: 1 }, abc, { _id: 1, b: 'x', x: 1 }],
  [{ y: '$a', x: { $add: ['$a', 1] } }, abc, { _id: 1, y: 1, x: 2 }],
])

table('paths go through arrays, numbers in them are names', [
  [{ 'a.b': 1 }, { a: [1, { b: 2, c: 3 }, { c: 4 }] }, { a: [{ b: 2 }, {}] }],
  [{ 'a.b': 1 }, { a: [[{ b: 1, c: 1 }, 5]] }, { a: [[{ b: 1 }]] }],
  [{ 'a.0': 1 }, { a: [1, 2] }, { a: [] }],
  [{ 'a.b': 0 }, { a: [1, { b: 2, c: 3 }, [{ b: 4 }]] }, { a: [1, { c: 3 }, [{}]] }],
])

table('computed fields are expressions and literals', [
  [{ x: '$c.d', _id: 0 }, abc, { x: 1 }],
  [{ x: 'text', _id: 0 }, abc, { x: 'text' }],
  [{ x: { $literal: 1 }, _id: 0 }, abc, { x: 1 }],
  [{ x: '$missing', _id: 0 }, abc, {}],
  [{ 'c.d': '$a', _id: 0 }, abc, { c: { d: 1 } }],
  [{ 'c.z': '$a', 'c.e': 1, _id: 0 }, abc, { c: { e: 2, z: 1 } }],
  [{ 'n.z': '$a', _id: 0 }, abc, { n: { z: 1 } }],
  [{ 'a.z': '$b', _id: 0 }, abc, { a: { z: 'x' } }],
  [{ 'l.z': '$a', _id: 0 }, { a: 7, l: [{ y: 1 }, 5] }, { l: [{ z: 7 }] }],
  [{ x: ['$a', 'k'], _id: 0 }, abc, { x: [1, 'k'] }],
  [{ x: null, _id: 0 }, abc, { x: null }],
])

const list = { _id: 1, l: [1, 2, 3, 4], z: 5 }

table('$slice cuts arrays and, alone, keeps the rest', [
  [{ l: { $slice: 2 } }, list, { _id: 1, l: [1, 2], z: 5 }],
  [{ l: { $slice: -1 } }, list, { _id: 1, l: [4], z: 5 }],
  [{ l: { $slice: 0 } }, list, { _id: 1, l: [], z: 5 }],
  [{ l: { $slice: [1, 2] } }, list, { _id: 1, l: [2, 3], z: 5 }],
  [{ l: { $slice: [-3, 2] } }, list, { _id: 1, l: [2, 3], z: 5 }],
  [{ l: { $slice: [-9, 2] } }, list, { _id: 1, l: [1, 2], z: 5 }],
  [{ z: { $slice: 1 } }, list, list],
  [{ l: { $slice: 1 }, z: 1 }, list, { _id: 1, l: [1], z: 5 }],
  [{ l: { $slice: 1 }, z: 0 }, list, { _id: 1, l: [1] }],
  [{ _id: 1, l: { $slice: 1 } }, list, { _id: 1, l: [1] }],
  [{ 'a.l': { $slice: 1 } }, { a: { l: [1, 2], m: 1 } }, { a: { l: [1], m: 1 } }],
  [{ l: { $slice: ['$l', 1, 1] } }, list, { _id: 1, l: [2] }],
])

const grades = { _id: 1, g: [{ s: 1 }, { s: 5 }, { s: 9 }], n: [1, 5, 9], z: 1 }

table('$elemMatch shows the first matching element, behind the other fields', [
  [{ g: { $elemMatch: { s: { $gt: 2 } } } }, grades, { _id: 1, g: [{ s: 5 }] }],
  [{ g: { $elemMatch: { s: 7 } } }, grades, { _id: 1 }],
  [{ n: { $elemMatch: { $gt: 1, $lt: 9 } }, z: 1 }, grades, { _id: 1, z: 1, n: [5] }],
  [{ z: { $elemMatch: { $gt: 0 } } }, grades, { _id: 1 }],
  [{ n: { $elemMatch: { $gt: 1 } }, g: 0 }, grades, { _id: 1, n: [5], z: 1 }],
])

t.test('the positional operator shows what the filter matched', async (t) => {
  const rows: readonly (readonly [Literal, Literal, Literal, Literal])[] = [
    [{ 'g.$': 1 }, { 'g.s': { $gt: 2 } }, grades, { _id: 1, g: [{ s: 5 }] }],
    [{ 'n.$': 1, z: 1 }, { n: 9 }, grades, { _id: 1, n: [9], z: 1 }],
    [{ 'g.$': 1 }, { g: { $elemMatch: { s: 9 } } }, grades, { _id: 1, g: [{ s: 9 }] }],
    [{ 'a.b.$': 1 }, { 'a.b': 2 }, { a: { b: [1, 2], c: 1 } }, { a: { b: [2] } }],
    [{ 'a.b.$': 1 }, { 'a.b': 2 }, { a: [{ b: 1 }, { b: 2, c: 1 }] }, { a: [{ b: 2 }] }],
    [{ 'z.$': 1 }, { z: 1 }, grades, { _id: 1, z: 1 }],
  ]
  for (const [spec, filter, document, projected] of rows) {
    t.equal(show(project(spec, document, filter)), show(projected), show(spec))
  }
  refuses(t, () => project({ 'n.$': 1 }, grades, { n: { $exists: true } }), 51246, 'positional')
  refuses(t, () => project({ 'n.$': 1 }, grades, { z: 1 }), 51246, 'positional')
  refuses(t, () => project({ 'n.s.$': 1 }, grades, { n: 5 }), 51247, 'element mismatch')
})

t.test('bad specifications are refused with the reference server’s codes', async (t) => {
  const rows: readonly (readonly [Literal, number, string])[] = [
    [{ a: 1, b: 0 }, 31254, 'Cannot do exclusion on field b in inclusion projection'],
    [{ a: 0, b: 1 }, 31253, 'Cannot do inclusion on field b in exclusion projection'],
    [{ a: 1, 'a.b': 1 }, 31249, 'Path collision at a.b remaining portion b'],
    [{ 'a.b': 1, a: 1 }, 31250, 'Path collision at a'],
    [{ 'a.b': 1, a: { b: 1 } }, 31250, 'Path collision at a.b'],
    [{ a: 0, x: { $add: [1, 1] } }, 31252, 'Cannot use expression other than $meta'],
    [{ a: 0, x: 'text' }, 31310, 'Cannot use an expression'],
    [{ a: {} }, 51270, 'An empty sub-projection is not a valid value'],
    [{ '': 1 }, 40352, 'empty string'],
    [{ 'a.': 1 }, 40353, "must not end with a '.'"],
    [{ 'a..b': 1 }, 15998, 'may not be empty strings'],
    [{ $a: 1 }, 16410, "may not start with '$'"],
    [{ a: { $slice: 'x' } }, 31273, '$slice only supports numbers'],
    [{ a: { $slice: [1] } }, 31272, 'should be of form [skip, limit]'],
    [{ a: { $slice: [1, 'x'] } }, 31258, 'limit argument to be a number'],
    [{ a: { $slice: [1, 0] } }, 31259, '$slice limit must be positive'],
    [{ a: { $elemMatch: 1 } }, 31274, 'elemMatch: Invalid argument'],
    [{ 'a.b': { $elemMatch: {} } }, 31275, 'Cannot use $elemMatch projection on a nested field'],
    [{ 'a.$': 1, 'b.$': 1 }, 31276, 'Cannot specify more than one positional projection'],
    [{ 'a.$': 1, b: { $elemMatch: {} } }, 31255, 'positional operator and $elemMatch'],
    [{ b: { $elemMatch: {} }, 'a.$': 1 }, 31256, 'positional operator and $elemMatch'],
    [{ 'a.$.b': 1 }, 31394, 'Positional projection may only be used at the end'],
    [{ 'a.$': 'x' }, 31308, 'cannot be used with a literal'],
    [{ 'a.$': { $add: [1] } }, 31271, 'cannot be used with an expression or sub object'],
    [{ a: { $meta: 'textScore' } }, 40218, 'text score'],
    [{ a: { $meta: 'foo' } }, 17308, 'Unsupported argument to $meta: foo'],
    [{ a: { $foo: 1 } }, 31325, 'Unknown expression $foo'],
    [{ a: { $add: [{ $foo: 1 }] } }, 168, 'Unrecognized expression'],
  ]
  const filter = { a: 1, b: 1 }
  for (const [spec, code, text] of rows) {
    refuses(t, () => project(spec, {}, filter), code, text)
  }
})

t.test('inclusion and exclusion of the same paths share out a flat document', async (t) => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']
  const someDocument = fc.dictionary(fc.constantFrom(...names), fc.integer(), { maxKeys: 10 })
  const listed = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 10 })
  fc.assert(
    fc.property(someDocument, listed, (document, paths) => {
      const kept = toObject(project(Object.fromEntries(paths.map((path) => [path, 1])), document))
      const rest = toObject(project(Object.fromEntries(paths.map((path) => [path, 0])), document))
      const together = { ...kept, ...rest }
      const names = Object.keys(document)
      return (
        names.length === Object.keys(together).length &&
        names.every((name) => together[name] === document[name]) &&
        Object.keys(kept).every((name) => paths.includes(name) && !(name in rest))
      )
    }),
    { numRuns: runs(200) },
  )
  t.pass('held')
})
