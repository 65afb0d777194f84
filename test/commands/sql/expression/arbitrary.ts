// Rows of mixed types and conditions over them, as texts: what the properties of SQL's evaluation
// and of its filters are tried on.

import { Decimal128, ObjectId } from 'bson'
import fc from 'fast-check'

export const id = new ObjectId('65f0c0ffee0123456789abcd')
export const day = new Date('2026-01-02T00:00:00Z')

const scalars = fc.constantFrom<unknown>(
  ...[-1, 0, 1, 2, 0.5, Number.NaN, Decimal128.fromString('1.0'), Number.POSITIVE_INFINITY],
  ...['', 'a', 'ab', 'b', 'A%', '2026-01-02', String(id), true, false, null, null],
  ...[day, new Date('2026-01-03T00:00:00Z'), id],
)
const lists = fc.array(scalars, { maxLength: 3 })
const objects = fc.record({ x: fc.oneof(scalars, lists) }, { requiredKeys: [] })
const anything = fc.oneof({ weight: 4, arbitrary: scalars }, lists, objects, fc.array(objects))
export const documents = fc.record(
  {
    _id: fc.constantFrom<unknown>(id, String(id), 1, 'a'),
    a: anything,
    b: anything,
    n: fc.oneof(fc.record({ x: anything, arr: lists }, { requiredKeys: [] }), anything),
    arr: fc.oneof(lists, fc.array(fc.oneof(scalars, lists, objects), { maxLength: 3 })),
  },
  { requiredKeys: ['_id'] },
)

/** Bound to $1, $2 … */
export const parameters: readonly unknown[] = [
  ...[Number.NaN, id, [1, 'a', null], { x: 1 }, Decimal128.fromString('2.0'), day, null, true],
  ...[{ $gt: 1 }, 'a', [], ['b', day]],
]

const columns = fc.constantFrom(
  ...['a', 'b', 't.a', 'n.x', 'n', 'arr[0]', 'arr[1]', 'arr', '_id', 'missing', 'n.arr[0]'],
  ...["n->'x'", "n->>'x'", 'n.arr->0', '(n).x', 'arr[0].x', 'a.x'],
)
const constants = fc.oneof(
  fc.constantFrom(
    ...['-1', '0', '1', '2', '0.5', '1.0', "''", "'a'", "'ab'", "'b'", 'true', 'false', 'NULL'],
    ...["'2026-01-02'", `'${id}'`, "timestamp '2026-01-02'", "'2026-01-02T01:00+01'", '1 + 1'],
    ...["'A' || '%'", 'ARRAY[1, NULL]', 'current_date - 1000'],
  ),
  fc.nat({ max: parameters.length - 1 }).map((index) => `$${index + 1}`),
)
export const operands = fc.oneof(
  { weight: 3, arbitrary: columns },
  { weight: 3, arbitrary: constants },
)
const comparisons = fc.constantFrom('=', '<>', '<', '<=', '>', '>=')
const nots = fc.constantFrom('', 'NOT ')
const arrays = fc.oneof(
  { weight: 3, arbitrary: columns },
  fc.constantFrom('$3', '$11', '$12', 'ARRAY[1, NULL]', "'{1,a,NULL}'", 'NULL'),
)
const patterns = fc.constantFrom("'a%'", "'a'", "'%b'", "'_b'", "'A\\%'", "'%'", 'NULL', "'2026-%'")
const parts = fc.constantFrom(`'["a"]'`, `'[1, {"x": 1}]'`, `'{"x": 1}'`, "'1'", '$3', '$4', '$11')

const predicates = fc.oneof(
  fc.tuple(operands, comparisons, operands).map((words) => words.join(' ')),
  fc.tuple(columns, comparisons, constants).map((words) => words.join(' ')),
  fc
    .tuple(operands, nots, fc.constantFrom('', 'SYMMETRIC '), operands, operands)
    .map(([x, not, kind, low, high]) => `${x} ${not}BETWEEN ${kind}${low} AND ${high}`),
  fc
    .tuple(operands, nots, fc.array(operands, { minLength: 1, maxLength: 4 }))
    .map(([x, not, list]) => `${x} ${not}IN (${list.join(', ')})`),
  fc
    .tuple(columns, nots, fc.constantFrom('LIKE', 'ILIKE'), patterns)
    .map(([x, not, word, pattern]) => `${x} ${not}${word} ${pattern}`),
  fc
    .tuple(operands, nots, fc.constantFrom('NULL', 'TRUE', 'FALSE', 'UNKNOWN'))
    .map(([x, not, test]) => `${x} IS ${not}${test}`),
  fc.tuple(operands, nots, operands).map(([x, not, y]) => `${x} IS ${not}DISTINCT FROM ${y}`),
  fc
    .tuple(operands, comparisons, fc.constantFrom('ANY', 'ALL'), arrays)
    .map(([x, operator, word, y]) => `${x} ${operator} ${word} (${y})`),
  fc.tuple(constants, arrays).map(([x, array]) => `${x} = ANY (${array})`),
  fc.tuple(columns, parts).map(([x, part]) => `${x} @> ${part}`),
)

/** Conditions, which are true, false or NULL for every row. */
export const conditions = fc.letrec<{ condition: string; operand: string }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 3, arbitrary: predicates },
    { weight: 1, arbitrary: tie('operand').map((x) => `NOT (${x})`) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(tie('operand'), fc.constantFrom('AND', 'OR'), tie('operand'))
        .map(([x, word, y]) => `(${x}) ${word} (${y})`),
    },
    { weight: 1, arbitrary: tie('condition').map((x) => `(${x}) IS NOT TRUE`) },
  ),
  /** A column alone is a condition too, where it is a bool. */
  operand: fc.oneof({ weight: 5, arbitrary: tie('condition') }, { weight: 1, arbitrary: columns }),
})).condition
