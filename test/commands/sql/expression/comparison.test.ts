// Comparisons, IN, BETWEEN, DISTINCT and ANY over documents of mixed types. (docs/sql.md)

import { Decimal128, Long, ObjectId } from 'bson'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { compile } from '../../../../src/commands/sql/expression/compile.js'
import type { Truth } from '../../../../src/commands/sql/expression/truth.js'
import { documentFrom } from '../../../../src/value/literal.js'
import { runs } from '../../../support/runs.js'
import { documents, operands, parameters } from './arbitrary.js'
import { expressionOf, scopeOf, truthOf } from './evaluate.js'

type Fact = readonly [condition: string, fields: Record<string, unknown>, truth: Truth]

function holds(facts: readonly Fact[]): (t: Test) => Promise<void> {
  return async (t) => {
    for (const [condition, fields, truth] of facts) {
      t.equal(truthOf(condition, fields), truth, `${condition} of ${JSON.stringify(fields)}`)
    }
  }
}

const id = new ObjectId('65f0c0ffee0123456789abcd')
const day = new Date('2026-01-02T00:00:00Z')

t.test(
  'numbers compare by value across their types',
  holds([
    ['a = 1', { a: 1 }, true],
    ['a = 1.0', { a: Long.fromNumber(1) }, true],
    ['a = 1', { a: Decimal128.fromString('1.00') }, true],
    ['a = 9007199254740993', { a: 9007199254740992 }, false],
    ['a < 1.5', { a: 1 }, true],
    ['0.0 = -0.0', {}, true],
    ['a = b', { a: Number.NaN, b: Number.NaN }, true],
    ['a < 0', { a: Number.NaN }, true],
  ]),
)

t.test(
  'values of different classes are unequal and have no order',
  holds([
    ["'5' = 5", {}, false],
    ["'5' <> 5", {}, true],
    ["'5' < 6", {}, undefined],
    ['a = 1', { a: true }, false],
    ['a > 0', { a: true }, undefined],
    ['a = 1', { a: [1] }, false],
    ['a <> 1', { a: { b: 1 } }, true],
  ]),
)

t.test(
  'a missing field, null and NULL make a comparison unknown',
  holds([
    ['a = 1', {}, undefined],
    ['a <> 1', { a: null }, undefined],
    ['a = NULL', { a: 1 }, undefined],
    ['NOT a = 1', {}, undefined],
    ['a IS NULL', {}, true],
    ['a IS NULL', { a: null }, true],
    ['a IS NOT NULL', { a: 0 }, true],
    ['NOT (a = 1 AND b = NULL)', { a: 2 }, true],
    ['(a = 1) IS NULL', {}, true],
  ]),
)

t.test(
  'texts compare by their bytes',
  holds([
    ["a < 'b'", { a: 'B' }, true],
    ["a = 'x'", { a: 'x ' }, false],
    ['a > b', { a: '\u{1f600}', b: '\uffff' }, true],
  ]),
)

t.test(
  'a literal of ISO 8601 is a time beside a time, and a text beside a text',
  holds([
    ["a = '2026-01-02'", { a: day }, true],
    ["a = '2026-01-02'", { a: '2026-01-02' }, true],
    ["a = '2026-01-02T00:00:00Z'", { a: '2026-01-02' }, false],
    ["a >= '2026-01-01' AND a < '2026-01-03T00:00:00+01:00'", { a: day }, true],
    ["a BETWEEN '2026-01-02' AND '2026-01-02'", { a: day }, true],
    ["a IN ('x', '2026-01-02')", { a: day }, true],
    ["a < 'tomorrow'", { a: day }, undefined],
    ["a = timestamp '2026-01-02 00:00:00'", { a: day }, true],
    ["a = timestamp '2026-01-02 00:00:00'", { a: '2026-01-02' }, false],
    ['a = b', { a: day, b: '2026-01-02' }, false],
    ["'2026-01-01' IN ('2026-01-01T00:00:00Z')", {}, false],
  ]),
)

t.test(
  '24 hexadecimal digits are an ObjectId beside _id alone',
  holds([
    [`_id = '${id}'`, { _id: id }, true],
    [`t._id = '${id}'`, { _id: id }, true],
    [`_id = '${id}'`, { _id: String(id) }, true],
    [`_id <> '${id}'`, { _id: id }, false],
    [`_id IN ('x', '${id}')`, { _id: id }, true],
    [`other = '${id}'`, { other: id }, false],
    [`other IN ('${id}')`, { other: id }, false],
  ]),
)

t.test(
  'IN is unknown where NULL could have been the one',
  holds([
    ['a IN (1, 2)', { a: 2 }, true],
    ['a IN (1, NULL)', { a: 1 }, true],
    ['a IN (1, NULL)', { a: 2 }, undefined],
    ['a NOT IN (1, NULL)', { a: 2 }, undefined],
    ['a NOT IN (1, NULL)', { a: 1 }, false],
    ['a NOT IN (1, 2)', {}, undefined],
    ['a IN (b, 3)', { a: 2, b: 2 }, true],
    ['a IN (b, 3)', { a: 2 }, undefined],
    ["a IN ('1', 2)", { a: 1 }, false],
  ]),
)

t.test(
  'BETWEEN is two comparisons, in either order where it is symmetric',
  holds([
    ['a BETWEEN 1 AND 3', { a: 3 }, true],
    ['a BETWEEN 3 AND 1', { a: 2 }, false],
    ['a BETWEEN SYMMETRIC 3 AND 1', { a: 2 }, true],
    ['a NOT BETWEEN 1 AND NULL', { a: 0 }, true],
    ['a NOT BETWEEN 1 AND NULL', { a: 2 }, undefined],
    ['a BETWEEN 1 AND 3', { a: 'x' }, undefined],
  ]),
)

t.test(
  'DISTINCT FROM knows NULL',
  holds([
    ['a IS DISTINCT FROM 1', {}, true],
    ['a IS DISTINCT FROM NULL', {}, false],
    ['a IS NOT DISTINCT FROM b', { b: null }, true],
    ['a IS NOT DISTINCT FROM 1', { a: 1 }, true],
    ["a IS DISTINCT FROM '1'", { a: 1 }, true],
  ]),
)

t.test(
  'ANY and ALL ask the elements of an array',
  holds([
    ["'x' = ANY (a)", { a: ['y', 'x'] }, true],
    ["'x' = ANY (a)", { a: [] }, false],
    ["'x' = ANY (a)", { a: ['y', null] }, undefined],
    ["'x' = ANY (a)", { a: 'x' }, undefined],
    ["'x' = ANY (a)", {}, undefined],
    ['a <> ALL (ARRAY[1, 2])', { a: 3 }, true],
    ['a <> ALL (ARRAY[1, NULL])', { a: 3 }, undefined],
    ['a > ALL (ARRAY[1, 2])', { a: 2 }, false],
    ['a = ALL (b)', { b: [] }, true],
    ["a = ANY ('{1,2}')", { a: 2 }, true],
    ["a = ANY ('{1,2}')", { a: '2' }, true],
    ["a = ANY ('{x,2}')", { a: 2 }, true],
    ["a <> ALL ('{1,NULL}')", { a: 3 }, undefined],
    ["a = ANY ('{2026-01-02}')", { a: day }, true],
    [`_id = ANY ('{${id}}')`, { _id: id }, true],
    ["a ~~ ANY ('{x%}')", { a: 'xy' }, true],
    ["a ~~ ANY (ARRAY['x%', '%y'])", { a: 'by' }, true],
  ]),
)

t.test('of ten thousand constants in a list each is found', async (t) => {
  const list = Array.from({ length: 10_000 }, (_, i) => i * 2).join(',')
  t.equal(truthOf(`a IN (${list})`, { a: 19_998 }), true)
  t.equal(truthOf(`a IN (${list})`, { a: 19_999 }), false)
})

t.test('IN and BETWEEN are what their comparisons are', async (t) => {
  const scope = scopeOf(parameters)
  fc.assert(
    fc.property(
      operands,
      fc.array(operands, { minLength: 2, maxLength: 4 }),
      fc.array(documents, { maxLength: 8 }),
      (x, list, rows) => {
        const [low, high] = list
        const pairs = [
          [`${x} IN (${list})`, list.map((item) => `${x} = ${item}`).join(' OR ')],
          [`${x} NOT IN (${list})`, list.map((item) => `${x} <> ${item}`).join(' AND ')],
          [`${x} BETWEEN ${low} AND ${high}`, `${x} >= ${low} AND ${x} <= ${high}`],
          [`${x} NOT BETWEEN ${low} AND ${high}`, `${x} < ${low} OR ${x} > ${high}`],
        ].map((pair) => pair.map((text) => compile(expressionOf(text), scope).truth))
        return rows
          .map(documentFrom)
          .every((row) => pairs.every(([one, other]) => one?.([row]) === other?.([row])))
      },
    ),
    { numRuns: runs(1_000) },
  )
  t.pass('by definition')
})
