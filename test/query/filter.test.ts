// Filters against the reference server's manual: null and missing, arrays, type bracketing,
// negation, every operator's semantics and refusals, and the printed form that explain shows.

import { Code, Decimal128, Double, Long, MaxKey, MinKey, ObjectId } from 'bson'
import fc from 'fast-check'
import t from 'tap'
import { compileFilter, filterToDocument } from '../../src/query/filter.js'
import { documentFrom } from '../../src/value/literal.js'
import { undefinedValue } from '../../src/value/value.js'
import { type Literal, refuses, show, testContext } from '../support/query.js'
import { runs } from '../support/runs.js'

type Row = readonly [filter: Literal, document: Literal, matches: boolean]

function matches(filter: Literal, document: Literal): boolean {
  return compileFilter(documentFrom(filter), testContext).matches(documentFrom(document))
}

function table(name: string, rows: readonly Row[]): void {
  t.test(name, async (t) => {
    for (const [filter, document, expected] of rows) {
      const text = `${show(filter)} on ${show(document)}`
      t.equal(matches(filter, document), expected, text)
    }
  })
}

table('an empty filter matches everything', [
  [{}, {}, true],
  [{ $comment: 'x' }, { a: 1 }, true],
])

table('equality crosses numeric types and nothing else', [
  [{ a: 1 }, { a: new Double(1) }, true],
  [{ a: 1 }, { a: Long.fromNumber(1) }, true],
  [{ a: 1 }, { a: Decimal128.fromString('1.00') }, true],
  [{ a: 1 }, { a: '1' }, false],
  [{ a: 1 }, { a: true }, false],
  [{ a: 0 }, { a: new Double(-0) }, true],
  [{ a: Number.NaN }, { a: Number.NaN }, true],
  [{ a: Number.NaN }, { a: Decimal128.fromString('NaN') }, true],
  [{ a: Long.fromString('9007199254740993') }, { a: new Double(2 ** 53) }, false],
  [{ a: 'x' }, { a: 'x' }, true],
  [{ a: 'x' }, { a: 'xy' }, false],
])

table('sub-documents are equal in the same order of fields', [
  [{ a: { b: 1, c: 2 } }, { a: { b: 1, c: 2 } }, true],
  [{ a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } }, false],
  [{ a: { b: 1 } }, { a: { b: 1, c: 2 } }, false],
  [{ a: {} }, { a: {} }, true],
  [{ a: { $ref: 'c', $id: 1 } }, { a: { $ref: 'c', $id: 1 } }, true],
])

table('null matches null, undefined and missing', [
  [{ a: null }, { a: null }, true],
  [{ a: null }, {}, true],
  [{ a: null }, { a: undefinedValue }, true],
  [{ a: null }, { a: 0 }, false],
  [{ a: null }, { a: [] }, false],
  [{ a: null }, { a: [null] }, true],
  [{ a: { $ne: null } }, {}, false],
  [{ a: { $ne: null } }, { a: null }, false],
  [{ a: { $ne: null } }, { a: 1 }, true],
  [{ a: { $in: [null] } }, {}, true],
  [{ a: { $nin: [null] } }, {}, false],
  [{ a: { $lte: null } }, {}, true],
  [{ a: { $gte: null } }, { a: null }, true],
  [{ a: { $gte: null } }, {}, true],
  [{ a: { $gt: null } }, {}, false],
  [{ a: { $lt: null } }, { a: 1 }, false],
])

table('null at a dotted path looks at objects only', [
  [{ 'a.b': null }, {}, true],
  [{ 'a.b': null }, { a: 5 }, true],
  [{ 'a.b': null }, { a: {} }, true],
  [{ 'a.b': null }, { a: { b: null } }, true],
  [{ 'a.b': null }, { a: { b: 1 } }, false],
  [{ 'a.b': null }, { a: [] }, false],
  [{ 'a.b': null }, { a: [1, 2] }, false],
  [{ 'a.b': null }, { a: [{ b: 1 }, {}] }, true],
  [{ 'a.b': null }, { a: [{ b: 1 }] }, false],
])

table('$exists tells null from missing', [
  [{ a: { $exists: true } }, { a: null }, true],
  [{ a: { $exists: true } }, {}, false],
  [{ a: { $exists: false } }, {}, true],
  [{ a: { $exists: 0 } }, {}, true],
  [{ a: { $exists: 'no' } }, { a: 1 }, true],
  [{ a: { $exists: null } }, {}, true],
  [{ 'a.b': { $exists: true } }, { a: [{ b: 1 }, {}] }, true],
  [{ 'a.b': { $exists: false } }, { a: [{ b: 1 }, {}] }, false],
  [{ 'a.b': { $exists: false } }, { a: [] }, true],
])

table('comparisons stay within the type of their operand', [
  [{ a: { $gt: 5 } }, { a: 6 }, true],
  [{ a: { $gt: 5 } }, { a: 'x' }, false],
  [{ a: { $gt: 5 } }, {}, false],
  [{ a: { $gt: 5 } }, { a: null }, false],
  [{ a: { $lt: 'b' } }, { a: 'a' }, true],
  [{ a: { $lt: 'b' } }, { a: 1 }, false],
  [{ a: { $lte: 5 } }, { a: new Double(5) }, true],
  [{ a: { $gte: new Date(5) } }, { a: new Date(6) }, true],
  [{ a: { $gte: new Date(5) } }, { a: 6 }, false],
  [{ a: { $gt: { b: 1 } } }, { a: { b: 2 } }, true],
  [{ a: { $lt: true } }, { a: false }, true],
])

table('NaN compares with NaN alone', [
  [{ a: { $gte: Number.NaN } }, { a: Number.NaN }, true],
  [{ a: { $lte: Number.NaN } }, { a: Decimal128.fromString('NaN') }, true],
  [{ a: { $gte: Number.NaN } }, { a: 5 }, false],
  [{ a: { $gt: Number.NaN } }, { a: 5 }, false],
  [{ a: { $lt: 5 } }, { a: Number.NaN }, false],
  [{ a: { $lt: Number.NaN } }, { a: Number.NaN }, false],
])

table('MinKey and MaxKey compare with every type', [
  [{ a: { $gt: new MinKey() } }, { a: 'x' }, true],
  [{ a: { $gt: new MinKey() } }, {}, true],
  [{ a: { $lt: new MaxKey() } }, { a: [] }, true],
  [{ a: { $gte: new MaxKey() } }, { a: 5 }, false],
  [{ a: { $gte: new MaxKey() } }, { a: new MaxKey() }, true],
  [{ a: { $lte: new MinKey() } }, { a: 5 }, false],
  [{ a: { $lt: new MinKey() } }, { a: new MinKey() }, false],
])

table('a leaf array is tried whole and by its elements', [
  [{ a: 2 }, { a: [1, 2, 3] }, true],
  [{ a: [1, 2] }, { a: [1, 2] }, true],
  [{ a: [1, 2] }, { a: [2, 1] }, false],
  [{ a: [1, 2] }, { a: [[1, 2], 3] }, true],
  [{ a: 1 }, { a: [[1]] }, false],
  [{ a: { $gt: 5 } }, { a: [1, 9] }, true],
  [{ a: { $gt: 1, $lt: 5 } }, { a: [0, 9] }, true],
  [{ a: { $lt: [2] } }, { a: [1, 5] }, true],
  [{ a: { $in: [[1, 2]] } }, { a: [1, 2] }, true],
])

table('paths enter arrays of objects and take numbers both ways', [
  [{ 'a.b': 1 }, { a: [{ b: 2 }, { b: 1 }] }, true],
  [{ 'a.b': 1 }, { a: [[{ b: 1 }]] }, false],
  [{ 'a.0': 5 }, { a: [5, 6] }, true],
  [{ 'a.0': 5 }, { a: { 0: 5 } }, true],
  [{ 'a.0': 5 }, { a: [{ 0: 5 }] }, true],
  [{ 'a.1.b': 7 }, { a: [{ b: 6 }, { b: 7 }] }, true],
  [{ 'a.0.b': 7 }, { a: [{ b: 6 }, { b: 7 }] }, false],
  [{ 'a.00': 5 }, { a: [5] }, false],
  [{ 'a.0.0': 1 }, { a: [[1]] }, true],
])

table('a negation is the complement', [
  [{ a: { $ne: 3 } }, { a: [1, 3] }, false],
  [{ a: { $ne: 3 } }, {}, true],
  [{ a: { $nin: [1, 2] } }, { a: [5, 2] }, false],
  [{ a: { $not: { $gt: 5 } } }, {}, true],
  [{ a: { $not: { $gt: 5 } } }, { a: [1, 9] }, false],
  [{ a: { $not: { $gt: 1, $lt: 5 } } }, { a: 3 }, false],
  [{ a: { $not: { $gt: 1, $lt: 5 } } }, { a: 7 }, true],
  [{ a: { $not: /x/ } }, { a: 'y' }, true],
  [{ a: { $not: { $regex: 'x' } } }, { a: 'x' }, false],
  [{ $nor: [{ a: 1 }, { b: 2 }] }, { a: 2, b: 3 }, true],
  [{ $nor: [{ a: 1 }, { b: 2 }] }, { a: 2, b: 2 }, false],
])

table('$and, $or and the implicit conjunction', [
  [{ a: 1, b: 2 }, { a: 1, b: 2 }, true],
  [{ a: 1, b: 2 }, { a: 1 }, false],
  [{ $and: [{ a: 1 }, { $or: [{ b: 1 }, { b: 2 }] }] }, { a: 1, b: 2 }, true],
  [{ $or: [{ a: 1 }, { b: 2 }] }, { b: 3 }, false],
  [{ $and: [{}] }, {}, true],
])

const many = Array.from({ length: 50 }, (_, i) => i * 2)
table('$in takes values and regexes, however many', [
  [{ a: { $in: [1, 'x'] } }, { a: 'x' }, true],
  [{ a: { $in: [] } }, { a: 1 }, false],
  [{ a: { $nin: [] } }, {}, true],
  [{ a: { $in: [/^b/, 5] } }, { a: 'bcd' }, true],
  [{ a: { $in: [/^b/, 5] } }, { a: /^b/ }, true],
  [{ a: { $in: many } }, { a: new Double(48) }, true],
  [{ a: { $in: many } }, { a: 49 }, false],
  [{ a: { $in: [...many, null] } }, {}, true],
])

table('$all is a conjunction', [
  [{ a: { $all: [1, 2] } }, { a: [2, 3, 1] }, true],
  [{ a: { $all: [1, 2] } }, { a: [1] }, false],
  [{ a: { $all: [5] } }, { a: 5 }, true],
  [{ a: { $all: [] } }, { a: [] }, false],
  [{ a: { $all: [[1, 2]] } }, { a: [1, 2] }, true],
  [{ a: { $all: [[1, 2]] } }, { a: [[1, 2]] }, true],
  [{ a: { $all: [/^x/] } }, { a: ['y', 'xz'] }, true],
  [
    { a: { $all: [{ $elemMatch: { b: 1 } }, { $elemMatch: { b: 2 } }] } },
    { a: [{ b: 1 }, { b: 2 }] },
    true,
  ],
])

table('$elemMatch binds its conditions to one element', [
  [{ a: { $elemMatch: { $gt: 1, $lt: 5 } } }, { a: [0, 9] }, false],
  [{ a: { $elemMatch: { $gt: 1, $lt: 5 } } }, { a: [0, 3] }, true],
  [{ a: { $elemMatch: { $gt: 1 } } }, { a: 3 }, false],
  [{ a: { $elemMatch: { b: 1, c: 2 } } }, { a: [{ b: 1 }, { c: 2 }] }, false],
  [{ a: { $elemMatch: { b: 1, c: 2 } } }, { a: [{ b: 1, c: 2 }] }, true],
  [{ a: { $elemMatch: {} } }, { a: [{}] }, true],
  [{ a: { $elemMatch: {} } }, { a: [1] }, false],
  [{ a: { $elemMatch: { $in: [2, 3] } } }, { a: [1, 3] }, true],
  [{ a: { $elemMatch: { $not: { $gt: 3 } } } }, { a: [5, 1] }, true],
  [{ a: { $elemMatch: { $elemMatch: { $gt: 3 } } } }, { a: [[1], [5]] }, true],
  [{ a: { $elemMatch: { $or: [{ b: 1 }, { b: 2 }] } } }, { a: [{ b: 2 }] }, true],
  [{ a: { $elemMatch: { 0: 5 } } }, { a: [[5]] }, true],
  [{ 'a.b': { $elemMatch: { $gt: 4 } } }, { a: [{ b: [1] }, { b: [5] }] }, true],
  [{ a: { $not: { $elemMatch: { $gt: 3 } } } }, { a: [5] }, false],
  [{ a: { $elemMatch: { $exists: false } } }, { a: [1] }, false],
])

table('$size counts the array itself', [
  [{ a: { $size: 2 } }, { a: [1, 2] }, true],
  [{ a: { $size: new Double(0) } }, { a: [] }, true],
  [{ a: { $size: 1 } }, { a: [[1, 2], 3] }, false],
  [{ a: { $size: 1 } }, { a: 'x' }, false],
])

table('$type tests elements, and the field for array', [
  [{ a: { $type: 'string' } }, { a: 'x' }, true],
  [{ a: { $type: 2 } }, { a: [1, 'x'] }, true],
  [{ a: { $type: 'array' } }, { a: [] }, true],
  [{ a: { $type: 'number' } }, { a: Long.fromNumber(1) }, true],
  [{ a: { $type: ['bool', 'number'] } }, { a: 'x' }, false],
  [{ a: { $type: 'minKey' } }, { a: new MinKey() }, true],
  [{ a: { $type: -1 } }, { a: new MinKey() }, true],
  [{ a: { $type: 'javascript' } }, { a: new Code('x') }, true],
  [{ a: { $type: 'objectId' } }, { a: new ObjectId() }, true],
  [{ a: { $type: 'null' } }, {}, false],
])

table('$mod cuts doubles and keeps the sign', [
  [{ a: { $mod: [3, 1] } }, { a: 4 }, true],
  [{ a: { $mod: [3, 1] } }, { a: new Double(4.9) }, true],
  [{ a: { $mod: [3, -1] } }, { a: -4 }, true],
  [{ a: { $mod: [3, 0] } }, { a: -3 }, true],
  [{ a: { $mod: [new Double(3.7), 1] } }, { a: [2, 7] }, true],
  [{ a: { $mod: [3, 1] } }, { a: '4' }, false],
  [{ a: { $mod: [3, 1] } }, { a: Number.NaN }, false],
  [{ a: { $mod: [10, 7] } }, { a: Long.fromString('9223372036854775807') }, true],
])

table('$bits operators read numbers and binary data', [
  [{ a: { $bitsAllSet: 6 } }, { a: 7 }, true],
  [{ a: { $bitsAllSet: [0, 3] } }, { a: 8 }, false],
  [{ a: { $bitsAnySet: 9 } }, { a: 8 }, true],
  [{ a: { $bitsAllClear: [200] } }, { a: 8 }, true],
  [{ a: { $bitsAllSet: [200] } }, { a: -1 }, true],
  [{ a: { $bitsAnyClear: 3 } }, { a: 1 }, true],
  [{ a: { $bitsAllSet: [9] } }, { a: Buffer.from([0, 2]) }, true],
  [{ a: { $bitsAllSet: 1 } }, { a: new Double(1.5) }, false],
])

table('regexes match strings, and the same regex as a value', [
  [{ a: /b+c/ }, { a: 'abbc' }, true],
  [{ a: /^ab/i }, { a: 'ABC' }, true],
  [{ a: /x/ }, { a: 5 }, false],
  [{ a: /x/ }, { a: ['y', 'x'] }, true],
  [{ a: /x/i }, { a: /x/i }, true],
  [{ a: { $eq: /x/ } }, { a: 'x' }, false],
  [{ a: { $eq: /x/ } }, { a: /x/ }, true],
  [{ a: { $regex: 'B', $options: 'i' } }, { a: 'abc' }, true],
  [{ a: { $options: 'i', $regex: /B/ } }, { a: 'abc' }, true],
  [{ a: { $regex: '^a', $ne: 'ab' } }, { a: 'ab' }, false],
])

table('$expr sees the whole document and does not bracket', [
  [{ $expr: { $gt: ['$a', '$b'] } }, { a: 2, b: 1 }, true],
  [{ $expr: { $lt: ['$missing', 5] } }, {}, true],
  [{ $or: [{ a: 1 }, { $expr: { $eq: ['$b', 1] } }] }, { b: 1 }, true],
])

t.test('bad operands are refused with the reference server’s codes and texts', async (t) => {
  const rows: readonly (readonly [Literal, number, string])[] = [
    [{ $foo: 1 }, 2, 'unknown top level operator: $foo'],
    [{ $not: { a: 1 } }, 2, 'use $nor'],
    [{ a: { $foo: 1 } }, 2, 'unknown operator: $foo'],
    [{ a: { $gt: 1, b: 1 } }, 2, 'unknown operator: b'],
    [{ $and: [] }, 2, 'must be a nonempty array'],
    [{ $or: 1 }, 2, '$or must be an array'],
    [{ $nor: [1] }, 2, 'entries need to be full objects'],
    [{ a: { $in: 1 } }, 2, '$in needs an array'],
    [{ a: { $in: [{ $gt: 1 }] } }, 2, 'cannot nest $ under $in'],
    [{ a: { $nin: 5 } }, 2, '$nin needs an array'],
    [{ a: { $all: 5 } }, 2, '$all needs an array'],
    [{ a: { $all: [{ $gt: 1 }] } }, 2, 'no $ expressions in $all'],
    [{ a: { $size: -1 } }, 2, 'Expected a non-negative number in: $size: -1'],
    [{ a: { $size: 'x' } }, 2, 'Failed to parse $size. Expected a number in: $size: "x"'],
    [{ a: { $size: 1.5 } }, 2, 'Expected an integer'],
    [{ a: { $mod: 1 } }, 2, 'malformed mod, needs to be an array'],
    [{ a: { $mod: [1] } }, 2, 'malformed mod, not enough elements'],
    [{ a: { $mod: [1, 2, 3] } }, 2, 'malformed mod, too many elements'],
    [{ a: { $mod: ['x', 1] } }, 2, 'malformed mod, divisor not a number'],
    [{ a: { $mod: [0, 1] } }, 2, 'divisor cannot be 0'],
    [{ a: { $mod: [Number.NaN, 1] } }, 2, 'Unable to coerce NaN/Inf to integral type'],
    [{ a: { $type: 'foo' } }, 2, 'Unknown type name alias: foo'],
    [{ a: { $type: 99 } }, 2, 'Invalid numerical type code: 99'],
    [{ a: { $type: [] } }, 9, '$type must match at least one type'],
    [{ a: { $type: true } }, 14, 'type must be represented as a number or a string'],
    [{ a: { $regex: 5 } }, 2, '$regex has to be a string'],
    [{ a: { $options: 'i' } }, 2, '$options needs a $regex'],
    [{ a: { $regex: 'x', $options: 5 } }, 2, '$options has to be a string'],
    [{ a: { $regex: 'x', $options: 'z' } }, 51108, 'invalid flag in regex options: z'],
    [{ a: { $regex: '(' } }, 51091, 'Regular expression is invalid'],
    [{ a: { $regex: '(?<=a)b' } }, 51091, 'look-around'],
    [{ a: { $regex: '(a)\\1' } }, 51091, 'back references'],
    [{ a: { $not: 5 } }, 2, '$not needs a regex or a document'],
    [{ a: { $not: {} } }, 2, '$not cannot be empty'],
    [{ a: { $elemMatch: 5 } }, 2, '$elemMatch needs an Object'],
    [{ a: { $elemMatch: { $expr: 1 } } }, 2, 'unknown operator: $expr'],
    [{ a: { $elemMatch: { b: 1, $expr: 1 } } }, 2, '$expr can only be applied to the top-level'],
    [{ a: { $ne: /x/ } }, 2, "Can't have regex as arg to $ne."],
    [{ a: { $gt: /x/ } }, 2, "Can't have RegEx as arg to predicate over field 'a'."],
    [{ a: undefinedValue }, 2, 'cannot compare to undefined'],
    [{ $where: 'true' }, 2, '$where is not allowed'],
    [{ $text: { $search: 'x' } }, 27, 'text index required for $text query'],
    [{ a: { $near: [0, 0] } }, 291, 'unable to find index for $geoNear query'],
    [{ $expr: { $foo: 1 } }, 168, 'Unrecognized expression'],
  ]
  for (const [filter, code, text] of rows) {
    refuses(t, () => compileFilter(documentFrom(filter), testContext), code, text)
  }
})

t.test('a filter that nests too deep is refused, not followed', async (t) => {
  let filter: Literal = { a: 1 }
  for (let i = 0; i < 150; i++) filter = { $and: [filter] }
  const bytes = documentFrom(filter)
  refuses(t, () => compileFilter(bytes, testContext), 2, 'exceeded maximum query tree depth')
})

t.test('the matched position is that of the outermost array', async (t) => {
  const rows: readonly (readonly [Literal, Literal, number | undefined])[] = [
    [{ a: 2 }, { a: [1, 2, 2] }, 1],
    [{ a: 2 }, { a: 2 }, undefined],
    [{ 'a.b': 5 }, { a: [{ b: 1 }, { b: [4, 5] }] }, 1],
    [{ 'a.b': 5 }, { a: { b: [1, 5] } }, 1],
    [{ a: { $elemMatch: { $gt: 1 } } }, { a: [0, 1, 2] }, 2],
    [{ a: { $elemMatch: { b: 1 } } }, { a: [{}, { b: 1 }] }, 1],
    [{ x: 1, a: { $gte: 3 } }, { x: 1, a: [1, 3] }, 1],
    [{ $or: [{ a: 9 }, { a: 3 }] }, { a: [1, 3] }, 1],
    [{ a: { $ne: 9 } }, { a: [1] }, undefined],
    [{ a: [1, 2] }, { a: [1, 2] }, undefined],
    [{ a: { $size: 1 } }, { a: [1] }, undefined],
  ]
  for (const [filter, document, expected] of rows) {
    const compiled = compileFilter(documentFrom(filter), testContext)
    t.equal(compiled.matchedIndex(documentFrom(document)), expected, show(filter))
  }
})

t.test('a filter prints as the reference server normalises it', async (t) => {
  const rows: readonly (readonly [Literal, Literal])[] = [
    [{}, {}],
    [{ a: 1 }, { a: { $eq: 1 } }],
    [{ a: 1, b: { $gt: 2 } }, { $and: [{ a: { $eq: 1 } }, { b: { $gt: 2 } }] }],
    [{ a: { $ne: 1 } }, { a: { $not: { $eq: 1 } } }],
    [{ a: { $nin: [1] } }, { a: { $not: { $in: [1] } } }],
    [{ a: { $exists: false } }, { a: { $not: { $exists: true } } }],
    [{ a: /x/i }, { a: { $regex: 'x', $options: 'i' } }],
    [{ a: { $type: 'string' } }, { a: { $type: ['string'] } }],
    [{ $or: [{ a: 1 }, { b: 1 }] }, { $or: [{ a: { $eq: 1 } }, { b: { $eq: 1 } }] }],
    [{ a: { $elemMatch: { b: 1 } } }, { a: { $elemMatch: { b: { $eq: 1 } } } }],
    [{ a: { $elemMatch: { $gt: 1, $lt: 5 } } }, { a: { $elemMatch: { $gt: 1, $lt: 5 } } }],
    [
      { a: { $not: { $gt: 1, $lt: 5 } } },
      {
        $nor: [{ $and: [{ a: { $gt: 1 } }, { a: { $lt: 5 } }] }],
      },
    ],
  ]
  for (const [filter, expected] of rows) {
    const { tree } = compileFilter(documentFrom(filter), testContext)
    t.equal(show(filterToDocument(tree)), show(expected))
  }
})

// Properties: small documents and filters over two fields, so that they meet often.

const scalar = fc.oneof(
  fc.integer({ min: -2, max: 3 }),
  fc.constantFrom('', 'a', 'ab', 'b'),
  fc.constant(null),
  fc.boolean(),
)
const leafValue = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }))
const inner = fc.record({ b: leafValue, c: leafValue }, { requiredKeys: [] })
const fieldValue = fc.oneof(
  leafValue,
  inner,
  fc.array(fc.oneof(inner, leafValue), { maxLength: 3 }),
)
const someDocument = fc.record({ a: fieldValue, b: fieldValue }, { requiredKeys: [] })
const operator = fc.oneof(
  scalar.map((v) => ({ $eq: v })),
  scalar.map((v) => ({ $gt: v })),
  scalar.map((v) => ({ $lte: v })),
  fc.array(scalar, { maxLength: 9 }).map((v) => ({ $in: v })),
  fc.boolean().map((v) => ({ $exists: v })),
  fc.integer({ min: 0, max: 3 }).map((v) => ({ $size: v })),
  fc.constant({ $type: 'string' }),
  fc.constant({ $regex: '^a' }),
  scalar.map((v) => ({ $elemMatch: { $gte: v } })),
  scalar.map((v) => ({ $elemMatch: { b: v } })),
  fc.array(scalar, { maxLength: 2 }).map((v) => ({ $all: v })),
)
const path = fc.constantFrom('a', 'b', 'a.b', 'a.c', 'a.0', 'a.b.1')
const condition = fc.oneof(
  fc.tuple(path, operator).map(([p, o]) => ({ [p]: o })),
  fc.tuple(path, operator).map(([p, o]) => ({ [p]: { $not: o } })),
)
const someFilter = fc.oneof(
  condition,
  fc.array(condition, { minLength: 1, maxLength: 3 }).map((f) => ({ $and: f })),
  fc.array(condition, { minLength: 1, maxLength: 3 }).map((f) => ({ $or: f })),
)

t.test('$nor is the complement of a filter, whatever it is', async (t) => {
  fc.assert(
    fc.property(someFilter, someDocument, (filter, document) => {
      return matches(filter, document) !== matches({ $nor: [filter] }, document)
    }),
    { numRuns: runs(1_000) },
  )
  t.pass('held')
})

t.test('$not is the complement at one path', async (t) => {
  fc.assert(
    fc.property(path, operator, someDocument, (p, o, document) => {
      return matches({ [p]: o }, document) !== matches({ [p]: { $not: o } }, document)
    }),
    { numRuns: runs(1_000) },
  )
  t.pass('held')
})

t.test('a printed filter matches what the filter matches', async (t) => {
  fc.assert(
    fc.property(someFilter, fc.array(someDocument, { maxLength: 5 }), (filter, documents) => {
      const first = compileFilter(documentFrom(filter), testContext)
      const second = compileFilter(filterToDocument(first.tree), testContext)
      return documents
        .map((document) => documentFrom(document))
        .every((document) => first.matches(document) === second.matches(document))
    }),
    { numRuns: runs(500) },
  )
  t.pass('held')
})

t.test('$in is the disjunction of equalities', async (t) => {
  const values = fc.array(scalar, { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(path, values, someDocument, (p, given, document) => {
      const equalities = given.map((value) => ({ [p]: { $eq: value } }))
      return matches({ [p]: { $in: given } }, document) === matches({ $or: equalities }, document)
    }),
    { numRuns: runs(1_000) },
  )
  t.pass('held')
})

t.test('values that stand twice in $all and in the document count once', (t) => {
  const list = (times: number) => ['a', 'b'].flatMap((one) => Array<string>(times).fill(one))
  for (const times of [1, 3, 4, 5, 600]) {
    const filter = { a: { $all: list(times) } }
    t.equal(matches(filter, { a: ['b', 'b', 'b'] }), false, `${times} times`)
    t.equal(matches(filter, { a: ['b', 'b', 'a'] }), true)
    const inner = { c: { $elemMatch: filter } }
    t.equal(matches(inner, { c: [{ a: ['b', 'b'] }, { a: ['a', 'a'] }] }), false)
  }
  t.end()
})

t.test('as many values in $all as a document takes', async (t) => {
  const values = Array.from({ length: 200_000 }, (_, i) => i)
  t.equal(matches({ $and: [{ a: { $all: values } }, { b: 1 }] }, { a: values, b: 1 }), true)
  t.equal(matches({ $and: [{ a: { $all: values } }, { b: 1 }] }, { a: [1], b: 1 }), false)
})
