// Updates against the reference server's manual: what each operator makes of a document, how paths
// are created, and what is refused with which code and text.

import { Decimal128, Double, Long, Timestamp } from 'bson'
import t from 'tap'
import { documentBytesMax } from '../../src/base/limits/documents.js'
import { field } from '../../src/value/elements.js'
import { documentFrom } from '../../src/value/literal.js'
import { parsePath } from '../../src/value/path.js'
import { type Literal, refuses, show, testContext } from '../support/query.js'
import { apply, compile, type UpdateLiteral, type UpdateRun } from '../support/updates.js'

type Row = readonly [update: UpdateLiteral, before: Literal, after: Literal, options?: UpdateRun]

function table(name: string, rows: readonly Row[]): void {
  t.test(name, async (t) => {
    for (const [update, before, after, options] of rows) {
      const title = `${JSON.stringify(update)} of ${show(before)}`
      t.equal(show(apply(update, before, options)), show(after), title)
    }
  })
}

table('$set replaces in place and appends what is new', [
  [{ $set: { a: 2 } }, { a: 1, b: 1 }, { a: 2, b: 1 }],
  [{ $set: { c: 3 } }, { a: 1, b: 1 }, { a: 1, b: 1, c: 3 }],
  [{ $set: { 'a.b.c': 1 } }, {}, { a: { b: { c: 1 } } }],
  [{ $set: { 'a.b': 1 } }, { a: { c: 2 } }, { a: { c: 2, b: 1 } }],
  [{ $set: { 'a.1': 9 } }, { a: [1, 2, 3] }, { a: [1, 9, 3] }],
  [{ $set: { 'a.3': 9 } }, { a: [1] }, { a: [1, null, null, 9] }],
  [{ $set: { 'a.1.b': 9 } }, { a: [1] }, { a: [1, { b: 9 }] }],
  [{ $set: { 'a.0.b': 2 } }, { a: [{ b: 1, c: 1 }] }, { a: [{ b: 2, c: 1 }] }],
  [{ $set: { 'a.0': 1 } }, {}, { a: { 0: 1 } }],
  [{ $set: { a: { b: 1 } } }, { a: 5 }, { a: { b: 1 } }],
  [{ $set: { a: 'x' } }, { a: 1 }, { a: 'x' }],
  [{ $set: {} }, { a: 1 }, { a: 1 }],
  [{ $set: { 'a.00': 1 } }, { a: {} }, { a: { '00': 1 } }],
])

table('new fields come in the order of their names, numbers by value', [
  [{ $set: { b: 1, a: 2 } }, {}, { a: 2, b: 1 }],
  [{ $set: { b: 1 }, $inc: { a: 2 } }, {}, { a: 2, b: 1 }],
  [{ $set: { 'x.10': 1, 'x.9': 2, 'x.a': 3 } }, {}, { x: { 9: 2, 10: 1, a: 3 } }],
  [{ $set: { 'a.c': 1, b: 1, 'a.b': 1 } }, {}, { a: { b: 1, c: 1 }, b: 1 }],
])

table('$unset removes, and leaves null in arrays', [
  [{ $unset: { a: '' } }, { a: 1, b: 2 }, { b: 2 }],
  [{ $unset: { 'a.b': 1 } }, { a: { b: 1, c: 2 } }, { a: { c: 2 } }],
  [{ $unset: { 'a.b': 1 } }, { a: { b: 1 } }, { a: {} }],
  [{ $unset: { 'a.1': 1 } }, { a: [1, 2, 3] }, { a: [1, null, 3] }],
  [{ $unset: { 'a.b': 1 } }, { a: 5 }, { a: 5 }],
  [{ $unset: { 'a.b': 1 } }, { a: [1] }, { a: [1] }],
  [{ $unset: { z: 1 } }, { a: 5 }, { a: 5 }],
])

table('$inc and $mul keep the wider type', [
  [{ $inc: { a: 2 } }, { a: 1 }, { a: 3 }],
  [{ $inc: { a: new Double(0.5) } }, { a: 1 }, { a: new Double(1.5) }],
  [{ $inc: { a: new Double(1) } }, { a: 1 }, { a: new Double(2) }],
  [{ $inc: { a: Long.fromNumber(1) } }, { a: 1 }, { a: Long.fromNumber(2) }],
  [{ $inc: { a: 1 } }, { a: 2147483647 }, { a: Long.fromNumber(2147483648) }],
  [{ $inc: { a: Decimal128.fromString('0.1') } }, { a: 1 }, { a: Decimal128.fromString('1.1') }],
  [{ $inc: { a: 5 } }, {}, { a: 5 }],
  [{ $inc: { 'a.b': 5 } }, {}, { a: { b: 5 } }],
  [{ $mul: { a: 3 } }, { a: 4 }, { a: 12 }],
  [{ $mul: { a: 3 } }, {}, { a: 0 }],
  [{ $mul: { a: Long.fromNumber(3) } }, {}, { a: Long.fromNumber(0) }],
  [{ $mul: { a: new Double(-3) } }, {}, { a: new Double(0) }],
  [{ $mul: { a: Decimal128.fromString('3') } }, {}, { a: Decimal128.fromString('0') }],
  [{ $mul: { a: 65536 } }, { a: 65536 }, { a: Long.fromString('4294967296') }],
])

table('$min and $max use the order of all types', [
  [{ $min: { a: 1 } }, { a: 2 }, { a: 1 }],
  [{ $min: { a: 3 } }, { a: 2 }, { a: 2 }],
  [{ $max: { a: 'x' } }, { a: 2 }, { a: 'x' }],
  [{ $min: { a: null } }, { a: 2 }, { a: null }],
  [{ $max: { a: 3 } }, {}, { a: 3 }],
  [{ $max: { a: new Double(2) } }, { a: 2 }, { a: 2 }],
])

table('$rename moves a value', [
  [{ $rename: { a: 'b' } }, { a: 1, c: 2 }, { c: 2, b: 1 }],
  [{ $rename: { a: 'b' } }, { a: 1, b: 2 }, { b: 1 }],
  [{ $rename: { a: 'x.y' } }, { a: 1 }, { x: { y: 1 } }],
  [{ $rename: { 'x.y': 'a' } }, { x: { y: 1, z: 2 } }, { x: { z: 2 }, a: 1 }],
  [{ $rename: { zz: 'b' } }, { a: 1 }, { a: 1 }],
  [{ $rename: { a: 'b' } }, { a: [1], b: 2 }, { b: [1] }],
])

table('$currentDate and $setOnInsert', [
  [{ $currentDate: { a: true } }, {}, { a: new Date(testContext.now) }],
  [{ $currentDate: { a: { $type: 'date' } } }, { a: 1 }, { a: new Date(testContext.now) }],
  [
    { $currentDate: { a: { $type: 'timestamp' } } },
    {},
    { a: new Timestamp({ t: Math.floor(testContext.now / 1000), i: 1 }) },
  ],
  [{ $setOnInsert: { a: 1 } }, { b: 1 }, { b: 1 }],
  [{ $setOnInsert: { a: 1 } }, { b: 1 }, { b: 1, a: 1 }, { isInsert: true }],
  [{ $setOnInsert: { 'b.c': 1 } }, { b: 1 }, { b: 1 }],
])

table('$push inserts, sorts, then slices', [
  [{ $push: { a: 3 } }, { a: [1] }, { a: [1, 3] }],
  [{ $push: { a: 3 } }, {}, { a: [3] }],
  [{ $push: { a: [3, 4] } }, { a: [] }, { a: [[3, 4]] }],
  [{ $push: { a: { $each: [3, 4] } } }, { a: [1] }, { a: [1, 3, 4] }],
  [{ $push: { a: { $each: [] } } }, {}, { a: [] }],
  [{ $push: { a: { $each: [9], $position: 0 } } }, { a: [1, 2] }, { a: [9, 1, 2] }],
  [{ $push: { a: { $each: [9], $position: -1 } } }, { a: [1, 2] }, { a: [1, 9, 2] }],
  [{ $push: { a: { $each: [9], $position: -5 } } }, { a: [1, 2] }, { a: [9, 1, 2] }],
  [{ $push: { a: { $each: [9], $position: 5 } } }, { a: [1, 2] }, { a: [1, 2, 9] }],
  [{ $push: { a: { $each: [3], $slice: 2 } } }, { a: [1, 2] }, { a: [1, 2] }],
  [{ $push: { a: { $each: [3], $slice: -2 } } }, { a: [1, 2] }, { a: [2, 3] }],
  [{ $push: { a: { $each: [3], $slice: 0 } } }, { a: [1, 2] }, { a: [] }],
  [{ $push: { a: { $each: [0], $sort: 1 } } }, { a: [5, 3] }, { a: [0, 3, 5] }],
  [{ $push: { a: { $each: [0], $sort: -1, $slice: 2 } } }, { a: [5, 3] }, { a: [5, 3] }],
  [
    { $push: { a: { $each: [{ s: 2 }], $sort: { s: 1 }, $slice: -2 } } },
    { a: [{ s: 3 }, { s: 1 }, 7] },
    { a: [{ s: 2 }, { s: 3 }] },
  ],
  [{ $push: { a: { $ref: 'c', $id: 1 } } }, {}, { a: [{ $ref: 'c', $id: 1 }] }],
])

table('$addToSet adds what no element equals', [
  [{ $addToSet: { a: 2 } }, { a: [1] }, { a: [1, 2] }],
  [{ $addToSet: { a: new Double(1) } }, { a: [1] }, { a: [1] }],
  [
    { $addToSet: { a: { x: 1, y: 2 } } },
    { a: [{ y: 2, x: 1 }] },
    {
      a: [
        { y: 2, x: 1 },
        { x: 1, y: 2 },
      ],
    },
  ],
  [{ $addToSet: { a: { $each: [1, 2, 2, 3] } } }, { a: [1] }, { a: [1, 2, 3] }],
  [{ $addToSet: { a: { $each: [1, 1] } } }, {}, { a: [1] }],
  [{ $addToSet: { a: [1] } }, { a: [1, 1] }, { a: [1, 1, [1]] }],
])

t.test('$addToSet finds duplicates in long arrays, too', async (t) => {
  const there = Array.from({ length: 300 }, (_, i) => i)
  const each = Array.from({ length: 300 }, (_, i) => new Double(i + 150))
  const after = apply({ $addToSet: { a: { $each: each } } }, { a: there })
  const expected = [...there, ...each.slice(150)]
  t.equal(show(after), show({ a: expected }))
})

table('$pull takes values, operators and conditions on fields', [
  [{ $pull: { a: 2 } }, { a: [1, 2, new Double(2)] }, { a: [1] }],
  [{ $pull: { a: { $gt: 1 } } }, { a: [1, 2, 3] }, { a: [1] }],
  [{ $pull: { a: { $in: [1, 3] } } }, { a: [1, 2, 3] }, { a: [2] }],
  [{ $pull: { a: { b: 1 } } }, { a: [{ b: 1, c: 2 }, { b: 2 }, 5] }, { a: [{ b: 2 }, 5] }],
  [
    { $pull: { a: { b: { $gte: 2 }, c: 1 } } },
    { a: [{ b: 3, c: 1 }, { b: 3 }] },
    {
      a: [{ b: 3 }],
    },
  ],
  [
    { $pull: { a: { $or: [{ b: 1 }, { b: 2 }] } } },
    { a: [{ b: 1 }, { b: 3 }] },
    {
      a: [{ b: 3 }],
    },
  ],
  [{ $pull: { a: /^x/ } }, { a: ['xa', 'b', 5] }, { a: ['b', 5] }],
  [{ $pull: { a: [1, 2] } }, { a: [[1, 2], 1] }, { a: [1] }],
  [{ $pull: { a: { $elemMatch: { $gt: 1 } } } }, { a: [[1], [2]] }, { a: [[1]] }],
  [{ $pull: { 'a.b': { c: 1 } } }, { a: { b: [{ c: 1 }, { c: 2 }] } }, { a: { b: [{ c: 2 }] } }],
  [{ $pull: { z: 1 } }, { a: 1 }, { a: 1 }],
  [
    { $pullAll: { a: [1, { b: 1 }] } },
    { a: [1, { b: 1, c: 1 }, { b: 1 }, 1] },
    {
      a: [{ b: 1, c: 1 }],
    },
  ],
])

table('$pop takes an end', [
  [{ $pop: { a: 1 } }, { a: [1, 2] }, { a: [1] }],
  [{ $pop: { a: -1 } }, { a: [1, 2] }, { a: [2] }],
  [{ $pop: { a: 1 } }, { a: [] }, { a: [] }],
  [{ $pop: { z: 1 } }, {}, {}],
])

table('$bit computes on integers', [
  [{ $bit: { a: { and: 12 } } }, { a: 10 }, { a: 8 }],
  [{ $bit: { a: { or: 12 } } }, { a: 10 }, { a: 14 }],
  [{ $bit: { a: { xor: Long.fromNumber(3) } } }, { a: 10 }, { a: Long.fromNumber(9) }],
  [{ $bit: { a: { or: 5 } } }, {}, { a: 5 }],
  [{ $bit: { a: { or: 5, and: 4 } } }, { a: 2 }, { a: 4 }],
])

table('$ stands for the matched element', [
  [{ $set: { 'a.$': 9 } }, { a: [1, 2] }, { a: [1, 9] }, { matchedIndex: 1 }],
  [{ $set: { 'a.$.b': 9 } }, { a: [{ b: 1 }] }, { a: [{ b: 9 }] }, { matchedIndex: 0 }],
  [{ $inc: { 'a.$': 1 }, $set: { 'a.0': 7 } }, { a: [1, 2] }, { a: [7, 3] }, { matchedIndex: 1 }],
  [{ $unset: { 'a.$': 1 } }, { a: [1, 2] }, { a: [null, 2] }, { matchedIndex: 0 }],
])

table('$[] and $[id] reach every element that passes', [
  [{ $inc: { 'a.$[]': 1 } }, { a: [1, 2] }, { a: [2, 3] }],
  [{ $set: { 'a.$[].b': 0 } }, { a: [{ b: 1 }, {}] }, { a: [{ b: 0 }, { b: 0 }] }],
  [
    { $inc: { 'a.$[].b.$[]': 1 } },
    { a: [{ b: [1] }, { b: [2, 3] }] },
    {
      a: [{ b: [2] }, { b: [3, 4] }],
    },
  ],
  [{ $set: { 'a.$[]': 1 } }, { a: [] }, { a: [] }],
  [
    { $set: { 'a.$[x]': 0 } },
    { a: [1, 5, 9] },
    { a: [1, 0, 0] },
    { arrayFilters: [{ x: { $gt: 4 } }] },
  ],
  [
    { $set: { 'a.$[x].ok': true } },
    { a: [{ n: 1 }, { n: 5 }] },
    { a: [{ n: 1 }, { n: 5, ok: true }] },
    { arrayFilters: [{ 'x.n': { $gt: 4 } }] },
  ],
  [
    { $set: { 'a.$[x]': 0 } },
    { a: [1, 5, 9] },
    { a: [0, 5, 0] },
    { arrayFilters: [{ $or: [{ x: 1 }, { x: { $gt: 8 } }] }] },
  ],
  [
    { $set: { 'a.$[x].b': 1, 'a.$[y].c': 2 } },
    { a: [{ n: 1 }, { n: 2 }] },
    {
      a: [
        { n: 1, b: 1 },
        { n: 2, b: 1, c: 2 },
      ],
    },
    { arrayFilters: [{ 'x.n': { $gte: 1 } }, { 'y.n': 2 }] },
  ],
  [
    { $set: { 'a.$[x].b': 1 } },
    { a: [{ n: 1 }, 5] },
    { a: [{ n: 1 }, 5] },
    { arrayFilters: [{ $and: [{ 'x.n': 1 }, { 'x.m': { $exists: true } }] }] },
  ],
])

table('a replacement keeps _id and nothing else', [
  [{ b: 2 }, { _id: 1, a: 1 }, { _id: 1, b: 2 }],
  [{}, { _id: 1, a: 1 }, { _id: 1 }],
  [
    { b: 2, _id: 1 },
    { _id: 1, a: 1 },
    { _id: 1, b: 2 },
  ],
  [{ b: { $x: 1 } }, { _id: 1 }, { _id: 1, b: { $x: 1 } }],
])

table('a pipeline computes', [
  [[{ $set: { b: { $add: ['$a', 1] } } }], { _id: 1, a: 1 }, { _id: 1, a: 1, b: 2 }],
  [[{ $unset: 'a' }, { $set: { c: '$a' } }], { _id: 1, a: 1 }, { _id: 1 }],
  [[{ $replaceWith: { x: '$a' } }], { _id: 1, a: 1 }, { _id: 1, x: 1 }],
  [[{ $project: { a: 1 } }], { _id: 1, a: 1, b: 2 }, { _id: 1, a: 1 }],
  [[], { _id: 1 }, { _id: 1 }],
])

t.test('what changes nothing gives back the same array', async (t) => {
  const before = documentFrom({ _id: 1, a: 1, l: [1, 2], o: { x: 1 } })
  const rows: readonly UpdateLiteral[] = [
    { $set: { a: 1 } },
    { $set: {} },
    { $set: { _id: new Double(1) } },
    { $set: { 'o.x': 1, 'l.0': 1 } },
    { $unset: { zz: 1 } },
    { $inc: { a: 0 } },
    { $max: { a: 0 } },
    { $push: { l: { $each: [] } } },
    { $push: { l: { $each: [2], $slice: 2 } } },
    { $addToSet: { l: 2 } },
    { $pull: { l: 9 } },
    { $pop: { zz: 1 } },
    { $rename: { zz: 'y' } },
    { $setOnInsert: { q: 1 } },
    { a: 1, l: [1, 2], o: { x: 1 } },
    [{ $set: { a: 1 } }],
    [],
  ]
  for (const update of rows) {
    const after = compile(update).apply(before, { matchedIndex: undefined, isInsert: false })
    t.equal(after, before, JSON.stringify(update))
  }
})

t.test('a change of numeric type is a change', async (t) => {
  t.equal(show(apply({ $set: { a: new Double(1) } }, { a: 1 })), show({ a: new Double(1) }))
})

t.test('a document larger than 16 MiB or deeper than 100 levels is refused', async (t) => {
  const half = 'x'.repeat(documentBytesMax / 2)
  refuses(t, () => apply({ $set: { b: half } }, { a: half }), 17419, 'Resulting document')
  let deep: Literal = { x: 1 }
  for (let i = 0; i < 98; i++) deep = { x: deep }
  t.ok(apply({ $set: { a: deep } }, {}))
  refuses(t, () => apply({ $set: { 'a.b': deep } }, {}), 15, 'nests deeper')
  refuses(t, () => apply({ a: { a: deep } }, {}), 15, 'nests deeper')
  const path = Array.from({ length: 101 }, () => 'p').join('.')
  refuses(t, () => apply({ $set: { [path]: 1 } }, {}), 15, 'nests deeper')
})

t.test('changes tells which paths an update may touch', async (t) => {
  const rows: readonly (readonly [UpdateLiteral, string, boolean])[] = [
    [{ $set: { a: 1 } }, 'a', true],
    [{ $set: { a: 1 } }, 'a.b', true],
    [{ $set: { 'a.b': 1 } }, 'a', true],
    [{ $set: { 'a.b': 1 } }, 'a.c', false],
    [{ $set: { 'a.0.b': 1 } }, 'a.b', true],
    [{ $set: { 'a.$[].b': 1 } }, 'a.b', true],
    [{ $set: { 'a.$.b': 1 } }, 'a.c', false],
    [{ $set: { ab: 1 } }, 'a', false],
    [{ $rename: { a: 'b' } }, 'a', true],
    [{ $rename: { a: 'b' } }, 'b', true],
    [{ b: 1 }, 'a', true],
    [[{ $set: { b: 1 } }], 'a', true],
  ]
  for (const [update, path, expected] of rows) {
    t.equal(compile(update).changes(parsePath(path)), expected, `${JSON.stringify(update)} ${path}`)
  }
})

t.test('untouched fields keep their types and bytes', async (t) => {
  const before = documentFrom({ _id: 1, a: new Double(1), n: { d: new Double(2), e: 1 }, z: 1 })
  const after = compile({ $set: { 'n.e': 2 } }).apply(before, {
    matchedIndex: undefined,
    isInsert: false,
  })
  t.equal(show(after), show({ _id: 1, a: new Double(1), n: { d: new Double(2), e: 2 }, z: 1 }))
  t.ok(field(after, 'z'))
})
