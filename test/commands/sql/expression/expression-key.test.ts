// Equal expressions are found by their keys: where they stand in the text makes no difference,
// everything else does.

import fc from 'fast-check'
import t from 'tap'
import {
  ExpressionPlaces,
  sameExpression,
} from '../../../../src/commands/sql/expression/expression-key.js'
import { runs } from '../../../support/runs.js'
import { conditions } from './arbitrary.js'
import { expressionOf } from './evaluate.js'

const texts: readonly string[] = [
  ...['a', 'b', 'a.b', 'a[0]', '"a.b"', '1', '2', '1.0', "'1'", 'NULL', '$1', '$2', 'true'],
  ...['a + b', 'b + a', 'a - b', 'a + b + a', 'a + (b + a)', '-a', 'NOT a', 'a IS NULL'],
  ...['a IS NOT NULL', 'a IN (1, 2)', 'a IN (2, 1)', 'a NOT IN (1, 2)', 'a BETWEEN 1 AND 2'],
  ...["a LIKE 'x'", "a ILIKE 'x'", "a LIKE 'x' ESCAPE 'y'", 'a = ANY (b)', 'a = ALL (b)'],
  ...['CASE WHEN a THEN b END', 'CASE a WHEN b THEN 1 END', 'CASE WHEN a THEN b ELSE 1 END'],
  ...['CAST(a AS text)', 'CAST(a AS int)', 'CAST(a AS numeric(5, 2))', 'CAST(a AS numeric(5, 3))'],
  ...['sum(a)', 'sum(DISTINCT a)', 'sum(b)', 'count(*)', 'sum(a) FILTER (WHERE b)', 'upper(a)'],
  ...["string_agg(a, ',' ORDER BY b)", "string_agg(a, ',' ORDER BY b DESC)", "string_agg(a, ',')"],
  ...['ARRAY[a, b]', 'ARRAY[a]', 'ARRAY[]', '(a).b', 'a AND b', 'a OR b', 'a AND b AND a'],
  ...[`a = '${'x'.repeat(500)}y'`, `a = '${'x'.repeat(500)}z'`, `a = '${'x'.repeat(501)}'`],
]

t.test('expressions are equal to themselves, wherever they stand, and to no others', async (t) => {
  const places = new ExpressionPlaces(texts.map((text) => expressionOf(text)))
  for (const [i, text] of texts.entries()) {
    t.equal(places.of(expressionOf(`  ${text.replaceAll(' ', '  ')}`)), i, text)
    t.equal(places.add(expressionOf(text), 0), false, `${text} is there`)
  }
  t.equal(places.of(expressionOf('a * b')), undefined)
  t.equal(places.of(expressionOf('$3')), undefined)
})

t.test('conditions of all kinds are equal to a copy', async () => {
  fc.assert(
    fc.property(conditions, conditions, (one, other) => {
      if (!sameExpression(expressionOf(one), expressionOf(one))) return false
      return one === other || !sameExpression(expressionOf(one), expressionOf(`NOT (${one})`))
    }),
    { numRuns: runs(200) },
  )
})
