// What updates refuse, with the reference server's codes and texts: conflicts, paths that cannot
// be, operands and targets of the wrong type, and every change of _id.

import { Long } from 'bson'
import t from 'tap'
import { work } from '../../../src/base/work/work-budget.js'
import {
  bytesPerUnit,
  writeStretchUnits,
  writeTurnUnits,
} from '../../../src/base/work/work-figures.js'
import { type Literal, refuses } from '../../support/query.js'
import { apply, type UpdateLiteral, type UpdateRun } from '../../support/updates.js'

type Refusal = readonly [
  update: UpdateLiteral,
  before: Literal,
  code: number,
  text: string,
  options?: UpdateRun,
]

function refusals(name: string, rows: readonly Refusal[]): void {
  t.test(name, async (t) => {
    for (const [update, before, code, text, options] of rows) {
      refuses(t, () => apply(update, before, options), code, text)
    }
  })
}

refusals('conflicting paths', [
  [
    { $set: { a: 1 }, $inc: { a: 1 } },
    {},
    40,
    "Updating the path 'a' would create a conflict at 'a'",
  ],
  [{ $set: { a: 1, 'a.b': 1 } }, {}, 40, "Updating the path 'a.b' would create a conflict at 'a'"],
  [{ $set: { 'a.b': 1, a: 1 } }, {}, 40, "Updating the path 'a' would create a conflict at 'a'"],
  [{ $rename: { a: 'b' }, $set: { a: 1 } }, {}, 40, "at 'a'"],
  [{ $set: { 'a.$[]': 1, 'a.0': 1 } }, {}, 40, "at 'a'"],
  [{ $set: { 'a.$': 1, 'a.0': 2 } }, { a: [1] }, 40, "at 'a.0'", { matchedIndex: 0 }],
  [{ $set: { 'a.$[]': 1, 'a.$[x]': 2 } }, { a: [1] }, 40, 'conflict', { arrayFilters: [{ x: 1 }] }],
])

refusals('paths that cannot be', [
  [{ $set: { '': 1 } }, {}, 56, 'An empty update path is not valid.'],
  [{ $set: { 'a..b': 1 } }, {}, 56, "The update path 'a..b' contains an empty field name"],
  [{ $set: { 'a.b': 1 } }, { a: 1 }, 28, "Cannot create field 'b' in element {a: 1}"],
  [{ $set: { 'a.b': 1 } }, { a: null }, 28, "Cannot create field 'b' in element {a: null}"],
  [
    { $inc: { 'a.b.c': 1 } },
    { a: { b: 'x' } },
    28,
    'Cannot create field \'c\' in element {b: "x"}',
  ],
  [{ $set: { 'a.b': 1 } }, { a: [1] }, 28, "Cannot create field 'b' in element {a: [ 1 ]}"],
  [{ $set: { 'a.00': 1 } }, { a: [1] }, 28, "Cannot create field '00' in element {a: [ 1 ]}"],
  [{ $pop: { 'a.b': 1 } }, { a: 1 }, 28, 'Cannot use the part (b) of (a.b) to traverse'],
  [{ $set: { 'a.2000000': 1 } }, { a: [] }, 34, "can't backfill more than 1500000 elements"],
  [{ $set: { $x: 1 } }, {}, 52, "The dollar ($) prefixed field '$x' in '$x' is not allowed in"],
  [{ $set: { $x: 2 } }, { $x: 1 }, 52, "The dollar ($) prefixed field '$x' in '$x'"],
  [{ $inc: { $x: 2 } }, { $x: 1 }, 52, "The dollar ($) prefixed field '$x' in '$x'"],
  [{ $set: { '$x.a': 1 } }, {}, 52, "The dollar ($) prefixed field '$x' in '$x'"],
  [{ $rename: { a: '$x' } }, { a: 1 }, 52, "The dollar ($) prefixed field '$x' in '$x'"],
])

refusals('operands and targets of the wrong type', [
  [{ $inc: { a: 'x' } }, {}, 14, 'Cannot increment with non-numeric argument: {a: "x"}'],
  [
    { $inc: { 'b.a': 1 } },
    { _id: 7, b: { a: 'x' } },
    14,
    "Cannot apply $inc to a value of non-numeric type. {_id: 7} has the field 'a' of " +
      'non-numeric type string',
  ],
  [{ $inc: { a: 1 } }, { _id: 7, a: null }, 14, 'non-numeric type null'],
  [
    { $inc: { a: 1 } },
    { _id: 7, a: Long.MAX_VALUE },
    2,
    'Failed to apply $inc operations to current value ((NumberLong)9223372036854775807) for ' +
      'document {_id: 7}',
  ],
  [{ $mul: { a: 2 } }, { a: Long.MAX_VALUE }, 2, 'Failed to apply $mul operations'],
  [{ $mul: { a: true } }, {}, 14, 'Cannot multiply with non-numeric argument'],
  [{ $push: { a: 1 } }, { _id: 7, a: 5 }, 2, "The field 'a' must be an array but is of type int"],
  [{ $push: { a: { $foo: 1 } } }, {}, 2, 'Unrecognized clause in $push: $foo'],
  [{ $push: { a: { $each: [], $foo: 1 } } }, {}, 2, 'Unrecognized clause in $push: $foo'],
  [{ $push: { a: { $each: 1 } } }, {}, 2, 'The argument to $each in $push must be an array'],
  [{ $push: { a: { $each: [], $slice: 'x' } } }, {}, 2, 'The value for $slice must be an integer'],
  [{ $push: { a: { $each: [], $position: 1.5 } } }, {}, 2, 'The value for $position must be'],
  [{ $push: { a: { $each: [], $sort: 2 } } }, {}, 2, 'must be either 1 or -1'],
  [{ $push: { a: { $each: [], $sort: {} } } }, {}, 2, 'The $sort pattern is empty'],
  [{ $push: { a: { $each: [], $sort: 'x' } } }, {}, 2, 'The $sort is invalid'],
  [
    { $addToSet: { a: 1 } },
    { a: 5 },
    2,
    "Cannot apply $addToSet to non-array field. Field named 'a'",
  ],
  [{ $addToSet: { a: { $each: 5 } } }, {}, 14, 'The argument to $each in $addToSet must be'],
  [{ $addToSet: { a: { $each: [], $x: 1 } } }, {}, 2, 'Found unexpected fields after $each'],
  [{ $pull: { a: 1 } }, { a: 5 }, 2, 'Cannot apply $pull to a non-array value'],
  [{ $pullAll: { a: 1 } }, {}, 2, '$pullAll requires an array argument but was given a int'],
  [{ $pullAll: { a: [1] } }, { a: 5 }, 2, 'Cannot apply $pull to a non-array value'],
  [{ $pop: { a: 2 } }, {}, 9, '$pop expects 1 or -1, found: 2'],
  [{ $pop: { a: 'x' } }, {}, 9, 'Expected a number in: a: "x"'],
  [{ $pop: { a: 1 } }, { a: 5 }, 14, "Path 'a' contains an element of non-array type 'int'"],
  [{ $bit: { a: 1 } }, {}, 2, 'The $bit modifier is not compatible with a int'],
  [{ $bit: { a: { not: 1 } } }, {}, 2, "not 'not' which is an unknown operator"],
  [{ $bit: { a: { and: 1.5 } } }, {}, 2, "a 'double' is not supported here"],
  [{ $bit: { a: {} } }, {}, 2, 'You must pass in at least one bitwise operation'],
  [{ $bit: { a: { and: 1 } } }, { a: 'x' }, 2, 'Cannot apply $bit to a value of non-integral type'],
  [{ $currentDate: { a: 1 } }, {}, 2, 'int is not valid type for $currentDate'],
  [{ $currentDate: { a: { $type: 'x' } } }, {}, 2, "The '$type' string field is required"],
  [{ $currentDate: { a: { x: 1 } } }, {}, 2, 'Unrecognized $currentDate option: x'],
])

refusals('$rename knows no arrays and no same path', [
  [{ $rename: { a: 1 } }, {}, 2, "The 'to' field for $rename must be a string: a: 1"],
  [{ $rename: { a: 'a' } }, {}, 2, 'The source and target field for $rename must differ'],
  [{ $rename: { a: 'a.b' } }, {}, 2, 'must not be on the same path'],
  [{ $rename: { 'a.$': 'b' } }, {}, 2, 'The source field for $rename may not be dynamic'],
  [{ $rename: { a: 'b.$[]' } }, {}, 2, 'The destination field for $rename may not be dynamic'],
  [{ $rename: { 'a.0': 'b' } }, { a: [1] }, 2, 'The source field cannot be an array element'],
  [{ $rename: { b: 'a.0' } }, { a: [1], b: 2 }, 2, 'The destination field cannot be an array'],
])

refusals('positional operators', [
  [{ $set: { 'a.$': 1 } }, { a: [1] }, 2, 'The positional operator did not find the match needed'],
  [{ $set: { 'a.$.b.$': 1 } }, {}, 2, "Too many positional (i.e. '$') elements found in path"],
  [{ $set: { $: 1 } }, {}, 2, "Cannot have positional (i.e. '$') element in the first position"],
  [{ $set: { '$[]': 1 } }, {}, 2, 'Cannot have array filter identifier'],
  [{ $set: { 'a.$[]': 1 } }, {}, 2, "The path 'a' must exist in the document in order to apply"],
  [{ $set: { 'a.$[]': 1 } }, { a: 5 }, 2, 'Cannot apply array updates to non-array element a: 5'],
  [{ $set: { 'a.$[]': 1 } }, { a: {} }, 2, 'Cannot apply array updates to non-array element a: {}'],
  [{ $set: { 'a.$[x]': 1 } }, {}, 2, "No array filter found for identifier 'x' in path 'a.$[x]'"],
  [
    { $set: { a: 1 } },
    {},
    9,
    "The array filter for identifier 'x' was not used",
    {
      arrayFilters: [{ x: 1 }],
    },
  ],
  [
    { $set: { a: 1 } },
    {},
    9,
    'Found multiple array filters',
    {
      arrayFilters: [{ x: 1 }, { 'x.a': 1 }],
    },
  ],
  [
    { $set: { a: 1 } },
    {},
    9,
    "Expected a single top-level field name, found 'x' and 'y'",
    {
      arrayFilters: [{ x: 1, y: 1 }],
    },
  ],
  [{ $set: { a: 1 } }, {}, 9, 'without a top-level field name', { arrayFilters: [{}] }],
  [{ $set: { a: 1 } }, {}, 2, 'must be an alphanumeric string', { arrayFilters: [{ X: 1 }] }],
  [{ $set: { a: 1 } }, {}, 224, '$expr is not allowed', { arrayFilters: [{ $expr: 1 }] }],
])

refusals('the shape of an update', [
  [{ $foo: { a: 1 } }, {}, 9, 'Unknown modifier: $foo. Expected a valid update modifier'],
  [{ $set: { a: 1 }, b: 1 }, {}, 9, 'Unknown modifier: b'],
  [
    { $set: 'x' },
    {},
    9,
    'Modifiers operate on fields but we found type string instead. For example: {$mod: ' +
      '{<field>: ...}} not {$set: "x"}',
  ],
  [{ a: 1, $set: { b: 1 } }, {}, 52, "The dollar ($) prefixed field '$set' in '$set'"],
  [[{ $match: { a: 1 } }], {}, 72, '$match is not allowed to be used within an update'],
  [[{ $set: { a: 1 } }], {}, 9, 'arrayFilters may not be specified', { arrayFilters: [{ x: 1 }] }],
])

const immutable = "would modify the immutable field '_id'"
refusals('_id never changes', [
  [{ $set: { _id: 2 } }, { _id: 1 }, 66, `Performing an update on the path '_id' ${immutable}`],
  [{ $inc: { _id: 2 } }, { _id: 1 }, 66, immutable],
  [{ $unset: { _id: 1 } }, { _id: 1 }, 66, immutable],
  [{ $rename: { _id: 'a' } }, { _id: 1 }, 66, immutable],
  [{ $set: { '_id.a': 2 } }, { _id: { a: 1 } }, 66, "on the path '_id.a'"],
  [{ _id: 2 }, { _id: 1 }, 66, 'was found to have been altered to _id: 2'],
  [[{ $set: { _id: 2 } }], { _id: 1 }, 66, 'was found to have been altered to _id: 2'],
])

t.test('a text under each element is refused before it is written so often', (t) => {
  const text = 'x'.repeat(1_000_000)
  const before = work.spent
  const list = Array.from({ length: 1_000 }, () => 0)
  refuses(t, () => apply({ $set: { 'a.$[]': text } }, { a: list }), 17419, 'Resulting document')
  const bytesInUnits = (1_000 * text.length) / bytesPerUnit
  t.ok(work.spent - before < bytesInUnits / 10, 'the document of 1 GB was not put together')
  t.end()
})

t.test('compiling an update of very many paths spends from the work budget', (t) => {
  const paths = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`f${i}`, 1]))
  work.begin(writeTurnUnits, writeStretchUnits)
  t.teardown(() => work.end())
  refuses(t, () => apply({ $set: paths }, {}), 50, 'too much work')
  t.end()
})
