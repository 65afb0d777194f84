// The subtle rules of aggregation, one named test each: what operators do with null, missing
// values, other types and too large numbers.

import { Decimal128, Double, Long } from 'bson'
import t, { type Test } from 'tap'
import { compilePipeline, runPipeline } from '../../src/query/pipeline.js'
import { documentFrom, valueFrom } from '../../src/value/literal.js'
import { type Literal, refuses, show, testContext } from '../support/query.js'
import { evaluate, shown } from './expressions/expression-table.js'

function run(documents: readonly Literal[], ...pipeline: readonly Literal[]): string[] {
  const plans = compilePipeline(valueFrom(pipeline), testContext)
  return runPipeline(plans, documents.map(documentFrom)).map(show)
}

function gives(
  t: Test,
  documents: readonly Literal[],
  pipeline: readonly Literal[],
  after: readonly Literal[],
): void {
  t.same(run(documents, ...pipeline), after.map(show), JSON.stringify(pipeline))
}

function refused(t: Test, pipeline: readonly unknown[], code: number, text: string): void {
  refuses(t, () => run([{ _id: 1, a: 'x' }], ...(pipeline as Literal[])), code, text)
}

/** The value of an expression over `{n: 1, s: 'x', z: null, l: [1], …}`, with its type. */
function value(expression: unknown): string {
  const document = { n: 1, s: 'x', z: null, l: [1], a: [{ b: 1 }, { b: 2 }, 3], d: new Date(1000) }
  return shown(evaluate(expression, document))
}

function fails(t: Test, expression: unknown, code: number, text: string): void {
  refuses(t, () => value(expression), code, text)
}

function rule(name: string, body: (t: Test) => void): void {
  t.test(name, async (t) => body(t))
}

rule('an unknown stage is 40324, two in one object 40323, none an object 14', (t) => {
  refused(t, [{ $x: 1 }], 40324, "Unrecognized pipeline stage name: '$x'")
  refused(t, [{ $match: {}, $limit: 1 }], 40323, 'exactly one field')
  refused(t, [{}], 40323, 'exactly one field')
  refused(t, [5], 14, "Each element of the 'pipeline' array must be an object")
})

rule('an unknown expression is 168, a wrong arity 16020, an unknown variable 17276', (t) => {
  fails(t, { $foo: 1 }, 168, "Unrecognized expression '$foo'")
  fails(t, { $abs: [1, 2] }, 16020, 'takes exactly 1 arguments. 2 were passed in.')
  fails(t, '$$unknown', 17276, 'Use of undefined variable: unknown')
})

rule('a path maps over an array, and has no positions', (t) => {
  t.equal(value('$a.b'), 'array [ 1, 2 ]')
  t.equal(value('$a.0'), 'array []')
})

rule('null and missing make null in arithmetic and texts', (t) => {
  for (const nothing of ['$z', '$none']) {
    for (const name of ['$add', '$subtract', '$multiply', '$divide', '$mod', '$concat']) {
      const other = name === '$concat' ? '$s' : '$n'
      t.equal(value({ [name]: [other, nothing] }), 'null null', name)
    }
  }
})

rule('texts and numbers do not mix', (t) => {
  fails(t, { $concat: ['$s', '$n'] }, 16702, '$concat only supports strings, not int')
  fails(t, { $add: ['$n', '$s'] }, 14, '$add only supports numeric or date types, not string')
})

rule('division by zero is 2, its rest 16610', (t) => {
  fails(t, { $divide: ['$n', 0] }, 2, "can't $divide by zero")
  fails(t, { $mod: ['$n', 0] }, 16610, "can't $mod by zero")
})

rule('dates count in milliseconds', (t) => {
  t.equal(value({ $subtract: [{ $add: ['$d', 500] }, '$d'] }), 'long 500')
})

rule('sums grow from int to long to double', (t) => {
  t.equal(value({ $add: [2 ** 31 - 1, 1] }), 'long 2147483648')
  t.equal(value({ $type: { $add: [Long.MAX_VALUE, 1] } }), 'string "double"')
  t.equal(value({ $type: { $multiply: [2 ** 30, 4] } }), 'string "long"')
  t.equal(value({ $add: [1, Decimal128.fromString('0.1')] }), 'decimal 1.1')
})

rule('$sum leaves out what is no number, $avg of none is null', (t) => {
  const documents = [{ a: 1 }, { a: 'x' }, {}, { a: null }]
  gives(t, documents, [{ $group: { _id: null, n: { $sum: '$a' } } }], [{ _id: null, n: 1 }])
  gives(t, documents, [{ $group: { _id: null, n: { $sum: '$b' } } }], [{ _id: null, n: 0 }])
  gives(t, documents, [{ $group: { _id: null, n: { $avg: '$b' } } }], [{ _id: null, n: null }])
})

rule('$min and $max leave out null and missing, $first and $last do not', (t) => {
  const documents = [{ a: null }, { a: 5 }, { a: 3 }, {}]
  const group = {
    _id: null,
    min: { $min: '$a' },
    max: { $max: '$a' },
    first: { $first: '$a' },
    last: { $last: '$a' },
  }
  gives(t, documents, [{ $group: group }], [{ _id: null, min: 3, max: 5, first: null, last: null }])
})

rule('$push leaves out missing, and keeps null', (t) => {
  gives(
    t,
    [{ a: null }, {}, { a: 1 }],
    [{ $group: { _id: 1, a: { $push: '$a' } } }],
    [{ _id: 1, a: [null, 1] }],
  )
})

rule('$size of what is no array is 17124', (t) => {
  fails(t, { $size: '$n' }, 17124, 'The argument to $size must be an array, but was of type: int')
  fails(t, { $size: '$none' }, 17124, 'but was of type: missing')
})

rule('false are false, 0, null and missing; texts and arrays are true', (t) => {
  for (const no of [false, 0, new Double(-0), '$z', '$none']) {
    t.equal(value({ $not: [no] }), 'bool true', String(no))
  }
  for (const yes of ['', 'x', { $literal: [] }, { $literal: {} }]) {
    t.equal(value({ $not: [yes] }), 'bool false', JSON.stringify(yes))
  }
})

rule('$ifNull takes null for missing, $type and a projection tell them apart', (t) => {
  t.equal(value({ $ifNull: ['$none', '$z', 7] }), 'int 7')
  t.equal(value({ $type: '$none' }), 'string "missing"')
  gives(t, [{ _id: 1 }], [{ $project: { a: '$none', b: null } }], [{ _id: 1, b: null }])
})

rule('expressions compare across types by the total order', (t) => {
  t.equal(value({ $lt: ['$none', 5] }), 'bool true')
  t.equal(value({ $lt: ['$none', null] }), 'bool true')
  t.equal(value({ $lt: ['$n', '$s'] }), 'bool true')
})

rule('$group: _id is required, fields are accumulators, names without dots', (t) => {
  refused(t, [{ $group: { a: { $sum: 1 } } }], 15955, 'a group specification must include an _id')
  refused(t, [{ $group: { _id: 1, a: 5 } }], 40234, "The field 'a' must be an accumulator object")
  refused(t, [{ $group: { _id: 1, 'a.b': { $sum: 1 } } }], 40235, "cannot contain '.'")
})

rule('$group: missing is the group of null; 0, -0 and a decimal 0.0 are one', (t) => {
  const count = { $group: { _id: '$a', n: { $sum: 1 } } }
  gives(t, [{ a: null }, {}], [count], [{ _id: null, n: 2 }])
  const zeros = [{ a: 0 }, { a: new Double(-0) }, { a: Decimal128.fromString('0.0') }]
  gives(t, zeros, [count], [{ _id: 0, n: 3 }])
})

rule('$unwind: a scalar is one, null, missing and [] none unless they are kept', (t) => {
  const documents = [{ _id: 1, a: 5 }, { _id: 2, a: null }, { _id: 3 }, { _id: 4, a: [] }]
  gives(t, documents, [{ $unwind: '$a' }], [{ _id: 1, a: 5 }])
  const kept = { path: '$a', preserveNullAndEmptyArrays: true }
  gives(
    t,
    documents,
    [{ $unwind: kept }],
    [{ _id: 1, a: 5 }, { _id: 2, a: null }, { _id: 3 }, { _id: 4 }],
  )
})

rule('$unwind: the index is a long, or null where there is no array', (t) => {
  const spec = { path: '$a', includeArrayIndex: 'i', preserveNullAndEmptyArrays: true }
  gives(
    t,
    [{ a: ['x'] }, { a: 5 }],
    [{ $unwind: spec }],
    [
      { a: 'x', i: Long.fromInt(0) },
      { a: 5, i: null },
    ],
  )
})

rule('$project: empty is 51272, and _id stays unless it is left out', (t) => {
  refused(t, [{ $project: {} }], 51272, 'projection specification must have at least one field')
  gives(t, [{ _id: 1, a: 2, b: 3 }], [{ $project: { a: 0 } }], [{ _id: 1, b: 3 }])
})

rule('$limit is positive, $skip not negative', (t) => {
  refused(t, [{ $limit: 0 }], 15958, 'the limit must be positive')
  refused(t, [{ $limit: -1 }], 5107201, 'invalid argument to $limit stage')
  refused(t, [{ $limit: 1.5 }], 5107201, 'invalid argument to $limit stage')
  refused(t, [{ $skip: -1 }], 5107200, 'invalid argument to $skip stage')
})

rule('$count of nothing is no document', (t) => {
  gives(t, [], [{ $count: 'n' }], [])
  gives(t, [{}], [{ $count: 'n' }], [{ n: 1 }])
})

rule('$sortByCount counts groups, the largest first', (t) => {
  gives(
    t,
    [{ a: 1 }, { a: 2 }, { a: 2 }],
    [{ $sortByCount: '$a' }],
    [
      { _id: 2, count: 2 },
      { _id: 1, count: 1 },
    ],
  )
})

rule('$facet holds no stage that writes or starts a pipeline', (t) => {
  for (const stage of [{ $out: 'b' }, { $collStats: {} }, { $facet: {} }]) {
    refused(
      t,
      [{ $facet: { a: [stage] } }],
      40600,
      'is not allowed to be used within a $facet stage',
    )
  }
})

rule('a conversion that fails is 241, or onError; of null it is onNull', (t) => {
  fails(t, { $toInt: '$s' }, 241, "Failed to parse number 'x' in $convert with no onError value")
  const convert = { input: '$s', to: 'int', onError: 'bad' }
  t.equal(value({ $convert: convert }), 'string "bad"')
  t.equal(value({ $convert: { input: '$none', to: 'int', onNull: 'none' } }), 'string "none"')
  t.equal(value({ $toInt: '$none' }), 'null null')
})

rule('dates are in UTC unless a zone is named, and print with milliseconds', (t) => {
  t.equal(value({ $dateToString: { date: '$d' } }), 'string "1970-01-01T00:00:01.000Z"')
  t.equal(value({ $hour: { date: '$d', timezone: 'Asia/Tokyo' } }), 'int 9')
})

rule('scripts are refused: $function and $accumulator are 31264', (t) => {
  const text = 'Cannot run server-side javascript without the javascript engine enabled'
  fails(t, { $function: { body: 'f', args: [], lang: 'js' } }, 31264, text)
  refused(t, [{ $group: { _id: 1, a: { $accumulator: {} } } }], 31264, text)
})

rule('change streams are refused as a standalone refuses them', (t) => {
  refused(t, [{ $changeStream: {} }], 40573, 'only supported on replica sets')
})
