// The subtle rules of projections and sorts, one named test each.

import { Decimal128 } from 'bson'
import t, { type Test } from 'tap'
import { compileFilter } from '../../src/query/filter.js'
import { compileProjection } from '../../src/query/projection.js'
import { compileSort } from '../../src/query/sort.js'
import { documentFrom } from '../../src/value/literal.js'
import { type Literal, refuses, show, testContext } from '../support/query.js'

function project(spec: Literal, document: Literal, filter: Literal = {}): string {
  const compiled = compileFilter(documentFrom(filter), testContext)
  const projection = compileProjection(documentFrom(spec), compiled, testContext)
  return show(projection.apply(documentFrom(document)))
}

function refused(t: Test, spec: Literal, code: number, text: string, filter: Literal = {}): void {
  refuses(t, () => project(spec, { _id: 1, a: [1, 2] }, filter), code, text)
}

/** The documents' ids in the order of a sort; equal ones stay as they stand. */
function sorted(spec: Literal, documents: readonly Literal[]): unknown[] {
  const sort = compileSort(documentFrom(spec))
  const keyed = documents.map((each) => [sort.key(documentFrom(each)).slice(), each._id] as const)
  return keyed.sort(([a], [b]) => Buffer.compare(a, b)).map(([, id]) => id)
}

/** Documents of one field `a`, with the place as id. */
function ofValues(...values: readonly unknown[]): Literal[] {
  return values.map((a, _id) => (a === undefined ? { _id } : { _id, a }))
}

function rule(name: string, body: (t: Test) => void): void {
  t.test(name, async (t) => body(t))
}

rule('inclusion and exclusion do not mix, but for _id', (t) => {
  refused(t, { a: 1, b: 0 }, 31254, 'Cannot do exclusion on field b in inclusion projection')
  refused(t, { a: 0, b: 1 }, 31253, 'Cannot do inclusion on field b in exclusion projection')
  t.equal(project({ a: 1, _id: 0 }, { _id: 1, a: 2, b: 3 }), show({ a: 2 }))
  t.equal(project({ a: 0, _id: 1 }, { _id: 1, a: 2, b: 3 }), show({ _id: 1, b: 3 }))
})

rule('an inclusion keeps the stored order of fields', (t) => {
  t.equal(project({ b: 1, a: 1 }, { _id: 1, a: 2, b: 3 }), show({ _id: 1, a: 2, b: 3 }))
})

rule('computed fields come last, in the order of the projection', (t) => {
  const spec = { z: { $literal: 1 }, a: 1, y: '$b' }
  t.equal(project(spec, { _id: 1, a: 2, b: 3 }), show({ _id: 1, a: 2, z: 1, y: 3 }))
})

rule('paths that collide are 31249 or 31250', (t) => {
  refused(t, { a: 1, 'a.b': 1 }, 31249, 'Path collision')
  refused(t, { 'a.b': 1, a: 1 }, 31250, 'Path collision')
})

rule('numbers that are not 0 and true include', (t) => {
  const given = { _id: 1, a: 2, b: 3 }
  for (const yes of [1, -1, 0.5, true, Decimal128.fromString('2')]) {
    t.equal(project({ a: yes }, given), show({ _id: 1, a: 2 }))
  }
})

rule('a text is a value, and a field path with a dollar', (t) => {
  t.equal(project({ x: 'word', y: '$a' }, { _id: 1, a: 2 }), show({ _id: 1, x: 'word', y: 2 }))
})

rule('a dotted inclusion keeps objects of arrays and drops scalars, at any depth', (t) => {
  const given = { _id: 1, a: [1, { b: 2, c: 3 }, [{ b: 4 }, 5]] }
  t.equal(project({ 'a.b': 1 }, given), show({ _id: 1, a: [{ b: 2 }, [{ b: 4 }]] }))
})

rule('a dotted exclusion keeps scalars', (t) => {
  t.equal(project({ 'a.b': 0 }, { a: [1, { b: 2, c: 3 }] }), show({ a: [1, { c: 3 }] }))
})

rule('a number in a projected path is no position', (t) => {
  t.equal(project({ 'a.0': 1 }, { _id: 1, a: [5, { 0: 6 }] }), show({ _id: 1, a: [{ 0: 6 }] }))
})

rule('$slice alone keeps all other fields, with an inclusion those of it', (t) => {
  const given = { _id: 1, a: [1, 2, 3], b: 1 }
  t.equal(project({ a: { $slice: 2 } }, given), show({ _id: 1, a: [1, 2], b: 1 }))
  t.equal(project({ a: { $slice: -1 } }, given), show({ _id: 1, a: [3], b: 1 }))
  t.equal(project({ a: { $slice: [1, 1] } }, given), show({ _id: 1, a: [2], b: 1 }))
  t.equal(project({ a: { $slice: [-2, 1] } }, given), show({ _id: 1, a: [2], b: 1 }))
  t.equal(project({ b: 1, a: { $slice: 1 } }, given), show({ _id: 1, a: [1], b: 1 }))
})

rule('$elemMatch shows the first element that matches, or no field', (t) => {
  const spec = { a: { $elemMatch: { b: { $gt: 1 } } } }
  t.equal(
    project(spec, { _id: 1, a: [{ b: 1 }, { b: 2 }, { b: 3 }], c: 1 }),
    show({ _id: 1, a: [{ b: 2 }] }),
  )
  t.equal(project(spec, { _id: 1, a: [{ b: 1 }] }), show({ _id: 1 }))
})

rule('a.$ shows the element by which the query matched', (t) => {
  const given = { _id: 1, a: [1, 5, 9] }
  t.equal(project({ 'a.$': 1 }, given, { a: { $gt: 3 } }), show({ _id: 1, a: [5] }))
})

rule('a.$ stands once, last, and on an array of the query', (t) => {
  refused(t, { 'a.$': 1, 'b.$': 1 }, 31276, 'one positional', { a: 1, b: 1 })
  refused(t, { 'a.$.b': 1 }, 31394, 'positional', { a: 1 })
  refuses(t, () => project({ 'a.$': 1 }, { a: [1] }, { b: 1 }), 51246, "couldn't find")
})

rule('$meta of a text score wants $text', (t) => {
  refused(t, { s: { $meta: 'textScore' } }, 40218, 'query requires text score metadata')
  refused(t, { s: { $meta: 'nothing' } }, 17308, 'Unsupported')
})

rule('missing sorts as null, an empty array before both', (t) => {
  t.same(sorted({ a: 1 }, ofValues(1, undefined, null, [])), [3, 1, 2, 0])
})

rule('arrays sort by their least element, descending by their greatest', (t) => {
  const documents = ofValues([5, 1], 3, [2, 9])
  t.same(sorted({ a: 1 }, documents), [0, 2, 1])
  t.same(sorted({ a: -1 }, documents), [2, 0, 1])
})

rule('arrays in an array compare as arrays', (t) => {
  t.same(sorted({ a: 1 }, ofValues([[1]], 'x', {}, 5)), [3, 1, 2, 0])
})

rule('parallel arrays in one key are 2', (t) => {
  refuses(
    t,
    () => sorted({ a: 1, b: 1 }, [{ _id: 1, a: [1, 2], b: [1, 2] }]),
    2,
    'cannot sort with keys that are parallel arrays',
  )
})

rule('a direction is 1, -1 or $meta', (t) => {
  refuses(t, () => sorted({ a: 2 }, []), 15975, '$sort key ordering must be 1')
  refuses(t, () => sorted({ a: 'up' }, []), 15974, 'Illegal key in $sort specification')
})

rule('what sorts equal stays in natural order', (t) => {
  t.same(sorted({ a: -1 }, ofValues(1, 1, 2, 1)), [2, 0, 1, 3])
})

rule('equal numbers of different types sort equal', (t) => {
  t.same(sorted({ a: 1 }, ofValues(Decimal128.fromString('1.00'), 1, 0)), [2, 0, 1])
})
