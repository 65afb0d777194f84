// The subtle rules of filters, one named test each: comparison and types, and how paths are
// followed.

import { Binary, Decimal128, Double, Long, MaxKey, MinKey, Timestamp } from 'bson'
import t, { type Test } from 'tap'
import { compileFilter } from '../../../src/query/filter.js'
import { documentFrom } from '../../../src/value/literal.js'
import { type Literal, refuses, testContext } from '../../support/query.js'

function matches(filter: Literal, document: Literal): boolean {
  return compileFilter(documentFrom(filter), testContext).matches(documentFrom(document))
}

/** Which of the values of `a` a condition on `a` matches; undefined is a missing field. */
function taken(condition: unknown, values: readonly unknown[]): unknown[] {
  return values.filter((a) => matches({ a: condition }, a === undefined ? {} : { a }))
}

function rule(name: string, body: (t: Test) => void): void {
  t.test(name, async (t) => body(t))
}

function refused(t: Test, filter: Literal, code: number, text: string): void {
  refuses(t, () => compileFilter(documentFrom(filter), testContext), code, text)
}

const big = Long.fromString('9007199254740993')

rule('2^53 + 1 as a long is not the double 2^53', (t) => {
  t.same(taken(new Double(2 ** 53), [big, Long.fromString('9007199254740992')]), [
    Long.fromString('9007199254740992'),
  ])
  t.same(taken({ $gt: new Double(2 ** 53) }, [big]), [big])
})

rule('1, 1.0, a long and a decimal 1.00 are equal', (t) => {
  const ones = [1, new Double(1), Long.fromInt(1), Decimal128.fromString('1.00')]
  for (const one of ones) t.equal(taken(one, ones).length, 4)
})

rule('NaN equals NaN, and no range but >= NaN and <= NaN takes it', (t) => {
  t.equal(taken(Number.NaN, [Number.NaN, 1]).length, 1)
  t.equal(taken({ $gte: Number.NaN }, [Number.NaN, 1, -1]).length, 1)
  t.equal(taken({ $lt: 5 }, [Number.NaN]).length, 0)
  t.equal(taken({ $lt: Number.NaN }, [Number.NaN, -1]).length, 0)
})

rule('-0 equals 0', (t) => t.equal(taken(0, [-0, 0]).length, 2))

rule('texts compare by UTF-8 bytes: U+FFFF is before the astral plane', (t) => {
  t.same(taken({ $gt: '\uffff' }, ['\u{1f600}', 'a']), ['\u{1f600}'])
})

rule('objects are equal with the same fields in the same order alone', (t) => {
  t.same(taken({ x: 1, y: 2 }, [{ x: 1, y: 2 }, { y: 2, x: 1 }, { x: 1 }]), [{ x: 1, y: 2 }])
})

rule('ranges take values of the operand’s type class alone', (t) => {
  const values = [5, 'x', null, undefined, true, new Date(9), {}, [7]]
  t.same(taken({ $gt: 4 }, values), [5, [7]])
  t.same(taken({ $gte: '' }, values), ['x'])
  t.same(taken({ $lt: true }, [false, 0, null]), [false])
})

rule('MinKey and MaxKey compare with every type', (t) => {
  const values = [1, 'x', null, undefined, {}]
  t.equal(taken({ $gt: new MinKey() }, values).length, values.length)
  t.equal(taken({ $lt: new MaxKey() }, values).length, values.length)
})

rule('$gte and $lte of null take null and missing, $gt and $lt nothing', (t) => {
  for (const name of ['$gte', '$lte'])
    t.equal(taken({ [name]: null }, [null, undefined, 1]).length, 2)
  for (const name of ['$gt', '$lt'])
    t.equal(taken({ [name]: null }, [null, undefined, 1]).length, 0)
})

rule('timestamps are unsigned and are no dates', (t) => {
  const late = new Timestamp({ t: 4_000_000_000, i: 1 })
  t.same(taken({ $gt: new Timestamp({ t: 1, i: 1 }) }, [late, new Date()]), [late])
})

rule('binary compares by length first', (t) => {
  const long = new Binary(new Uint8Array([0, 0]))
  t.same(taken({ $gt: new Binary(new Uint8Array([9])) }, [long]), [long])
})

rule('equality with null takes null and what is missing, $exists tells them apart', (t) => {
  t.same(taken(null, [null, undefined, 0]), [null, undefined])
  t.same(taken({ $ne: null }, [null, undefined, 0]), [0])
  t.same(taken({ $in: [null] }, [null, undefined, 0]), [null, undefined])
  t.same(taken({ $exists: true }, [null, undefined, 0]), [null, 0])
  t.same(taken({ $exists: false }, [null, undefined, 0]), [undefined])
})

rule('a dotted path to null: missing parents, scalars and {} match, [] does not', (t) => {
  const of = (a: unknown) => matches({ 'a.b': null }, a === undefined ? {} : { a })
  t.same([undefined, 5, {}, { b: null }].map(of), [true, true, true, true])
  t.same([[], [1, 2], { b: 1 }, [{ b: 1 }]].map(of), [false, false, false, false])
  t.ok(of([{ b: 1 }, { c: 1 }]), 'an element that is an object without the field')
})

rule('a path goes into elements of an array, and not into an array in it', (t) => {
  t.ok(matches({ 'a.b': 1 }, { a: [{ b: 1 }] }))
  t.notOk(matches({ 'a.b': 1 }, { a: [[{ b: 1 }]] }))
})

rule('a number in a path is a position, and a name', (t) => {
  t.ok(matches({ 'a.0': 1 }, { a: [1] }))
  t.ok(matches({ 'a.0': 1 }, { a: { 0: 1 } }))
  t.ok(matches({ 'a.0': 1 }, { a: [5, { 0: 1 }] }))
  t.notOk(matches({ 'a.01': 1 }, { a: [5, 1] }))
})

rule('an array that is taken by its position is not looked into', (t) => {
  const document = { a: [5, [2, 4]] }
  t.notOk(matches({ 'a.1': 2 }, document))
  t.ok(matches({ 'a.1': { $ne: 2 } }, document))
  t.notOk(matches({ 'a.1': { $type: 'int' } }, document))
  t.ok(matches({ 'a.1': [2, 4] }, document))
  t.ok(matches({ 'a.1.0': 2 }, document))
  t.ok(matches({ 'a.1': { $elemMatch: { $gt: 3 } } }, document))
  t.ok(matches({ 'a.1': { $size: 2 } }, document))
})

rule('an array matches whole, or as an element', (t) => {
  t.same(
    taken(
      [1, 2],
      [
        [1, 2],
        [2, 1],
        [1, 2, 3],
        [[1, 2], 9],
      ],
    ),
    [
      [1, 2],
      [[1, 2], 9],
    ],
  )
})

rule('negations are the complement: no element may be equal', (t) => {
  t.same(taken({ $ne: 3 }, [[1, 3], [1], 3, undefined]), [[1], undefined])
  t.same(taken({ $nin: [3] }, [[1, 3], [1]]), [[1]])
  t.same(taken({ $not: { $gt: 2 } }, [[1, 3], [1], 'x']), [[1], 'x'])
})

rule('two conditions may be met by two elements, $elemMatch wants one', (t) => {
  t.equal(taken({ $gt: 1, $lt: 5 }, [[0, 9]]).length, 1)
  t.equal(taken({ $elemMatch: { $gt: 1, $lt: 5 } }, [[0, 9]]).length, 0)
  t.equal(taken({ $elemMatch: { b: 1, c: 2 } }, [[{ b: 1 }, { c: 2 }]]).length, 0)
})

rule('$elemMatch sees nested arrays as elements', (t) => {
  t.ok(matches({ a: { $elemMatch: { 0: 1 } } }, { a: [[1]] }))
  t.ok(matches({ a: { $elemMatch: { $elemMatch: { $gt: 1 } } } }, { a: [[2]] }))
})

rule('$size is exact and whole', (t) => {
  t.same(taken({ $size: 1 }, [[1], [], [1, 2], 1]), [[1]])
  refused(t, { a: { $size: -1 } }, 2, 'Failed to parse $size')
  refused(t, { a: { $size: 1.5 } }, 2, 'Failed to parse $size')
})

rule('$all of nothing matches nothing, of an array the whole or an element', (t) => {
  t.same(taken({ $all: [] }, [[], 1, undefined]), [])
  t.same(taken({ $all: [[1, 2]] }, [[1, 2], [[1, 2]], [1]]), [[1, 2], [[1, 2]]])
  t.same(taken({ $all: [{ $elemMatch: { $gt: 5 } }, { $elemMatch: { $lt: 2 } }] }, [[1, 9], [1]]), [
    [1, 9],
  ])
})

rule('$in takes regular expressions and no operators', (t) => {
  t.same(taken({ $in: [/^a/, 'x'] }, ['ab', 'x', 'b']), ['ab', 'x'])
  refused(t, { a: { $in: [{ $gt: 1 }] } }, 2, 'cannot nest $ under $in')
})

rule('$mod cuts fractions, keeps the sign, and wants a divisor', (t) => {
  t.same(taken({ $mod: [2, 1] }, [3.9, 3, 2.9]), [3.9, 3])
  t.same(taken({ $mod: [4, -1] }, [-5]), [-5])
  refused(t, { a: { $mod: [0, 1] } }, 2, 'divisor cannot be 0')
})

rule('$type goes by number, name, "number" or a list, and into arrays', (t) => {
  t.same(taken({ $type: 'number' }, [1, 1.5, '1']), [1, 1.5])
  t.same(taken({ $type: [2, 'bool'] }, ['x', true, 1]), ['x', true])
  t.same(taken({ $type: 'string' }, [['x'], [1]]), [['x']])
  t.same(taken({ $type: 'array' }, [[1], 1]), [[1]])
})

rule('$exists: false with a dotted path is the complement', (t) => {
  t.notOk(matches({ 'a.b': { $exists: false } }, { a: [{ b: 1 }, {}] }))
  t.ok(matches({ 'a.b': { $exists: false } }, { a: [{}, 1] }))
})

rule('bits are of whole numbers and binaries', (t) => {
  const bytes = new Binary(new Uint8Array([3]))
  t.same(taken({ $bitsAllSet: 3 }, [3, 7, 1, bytes, 3.5, 'x', undefined]), [3, 7, bytes])
  t.same(taken({ $bitsAllClear: [0] }, [2, 3, undefined]), [2])
})

rule('$regex applies to texts, and equals the same expression', (t) => {
  t.same(taken(/^a/i, ['Ab', 1, /^a/i, /^a/]), ['Ab', /^a/i])
  t.same(taken({ $regex: 'a.b', $options: 's' }, ['a\nb']), ['a\nb'])
  t.same(taken({ $regex: 'a b # comment', $options: 'x' }, ['ab']), ['ab'])
})

rule('$not takes operators or an expression, no value', (t) => {
  t.same(taken({ $not: /^a/ }, ['ab', 'b', 1]), ['b', 1])
  refused(t, { a: { $not: 5 } }, 2, '$not needs a regex or a document')
  refused(t, { a: { $not: {} } }, 2, '$not cannot be empty')
})

rule('$where is refused', (t) => refused(t, { $where: 'true' }, 2, '$where is not allowed'))

rule('unknown operators are told by where they stand', (t) => {
  refused(t, { a: { $foo: 1 } }, 2, 'unknown operator: $foo')
  refused(t, { $foo: 1 }, 2, 'unknown top level operator: $foo')
})

rule('$and, $or and $nor want a nonempty array', (t) => {
  for (const name of ['$and', '$or', '$nor']) {
    refused(t, { [name]: [] }, 2, 'must be a nonempty array')
    refused(t, { [name]: 1 }, 2, `${name} must be an array`)
  }
})

rule('the first name of an object tells a value from operators', (t) => {
  t.ok(matches({ a: { b: 1, $gt: 1 } }, { a: documentLike() }), 'a literal object')
  refused(t, { a: { $gt: 1, b: 1 } }, 2, 'unknown operator: b')
})

function documentLike(): Literal {
  return { b: 1, $gt: 1 }
}

rule('$expr does not bracket: a missing value is before numbers', (t) => {
  t.ok(matches({ $expr: { $lt: ['$missing', 5] } }, {}))
  t.notOk(matches({ missing: { $lt: 5 } }, {}))
})

rule('of a name that is there twice, the first counts', (t) => {
  const twice = documentFrom({ a: 1, b: 2 })
  twice[11] = 0x61
  t.ok(compileFilter(documentFrom({ a: 1 }), testContext).matches(twice))
  t.notOk(compileFilter(documentFrom({ a: 2 }), testContext).matches(twice))
})
