// Sixty conditions that parsers read wrongly: precedence, negation, quotes, numbers, comments. Each
// is written beside what it means, with all its parentheses, and both are read alike by Sigil and
// by PostgreSQL's own grammar.

import { loadModule } from 'libpg-query'
import t from 'tap'
import { parseStatement } from '../../../src/protocol/sql/parse.js'
import { statementTree } from './canonical.js'
import { referenceStatement } from './reference-tree.js'

await loadModule()

const conditions: readonly (readonly [condition: string, meaning: string])[] = [
  ['a=1 OR b=2 AND c=3', '(a = 1) OR ((b = 2) AND (c = 3))'],
  ['a=1 AND b=2 OR c=3', '((a = 1) AND (b = 2)) OR (c = 3)'],
  ['a=1 OR b IN (1,2) AND c=3', '(a = 1) OR ((b IN (1, 2)) AND (c = 3))'],
  ["a=1 OR b LIKE 'x' AND c=3", "(a = 1) OR ((b LIKE 'x') AND (c = 3))"],
  ['(a=1 OR b=2) AND c=3', '((a = 1) OR (b = 2)) AND (c = 3)'],
  ['a OR b AND c OR d AND e', 'a OR (b AND c) OR (d AND e)'],
  ['NOT a=1 OR b=2', '(NOT (a = 1)) OR (b = 2)'],
  ['NOT a AND b', '(NOT a) AND b'],
  ['NOT a IS NULL', 'NOT (a IS NULL)'],
  ['NOT NOT a', 'NOT (NOT a)'],
  ['NOT a IN (1)', 'NOT (a IN (1))'],
  ['a NOT IN (1) OR b', '(a NOT IN (1)) OR b'],
  ['NOT a BETWEEN 1 AND 2 AND b', '(NOT (a BETWEEN 1 AND 2)) AND b'],
  ['a NOT BETWEEN 1 AND 2 OR b', '(a NOT BETWEEN 1 AND 2) OR b'],
  ['a BETWEEN 1 AND 2 AND b', '(a BETWEEN 1 AND 2) AND b'],
  ['a BETWEEN b + 1 AND c * 2', 'a BETWEEN (b + 1) AND (c * 2)'],
  ['a BETWEEN 1 = 1 AND 2 + 3', 'a BETWEEN (1 = 1) AND (2 + 3)'],
  ['a BETWEEN SYMMETRIC 2 AND 1', '(a) BETWEEN SYMMETRIC (2) AND (1)'],
  ['a = NOT b = c', 'a = (NOT (b = c))'],
  ['a-1-1=0', '((a - 1) - 1) = 0'],
  ['a-(1-1)=0', '(a - (1 - 1)) = 0'],
  ['a - -1 = 2', '(a - (-1)) = 2'],
  ['a--1\n=0', 'a = 0'],
  ['- -1 = a', '(-(-1)) = a'],
  ['-a::int = 1', '(-(a::int)) = 1'],
  ['-1::int = a', '(-(1::int)) = a'],
  ['-a^2 = 4', '((-a) ^ 2) = 4'],
  ['2^3^2 = 64', '((2 ^ 3) ^ 2) = 64'],
  ['a+b*c%d/e = 1', '(a + (((b * c) % d) / e)) = 1'],
  ['a/b/c = 1', '((a / b) / c) = 1'],
  ['a || b || c = d', '((a || b) || c) = d'],
  ['a || b + c = d', '(a || (b + c)) = d'],
  ["a->>'b' = 'c'", "(a ->> 'b') = 'c'"],
  ["a->'b'->>'c' = 'd'", "((a -> 'b') ->> 'c') = 'd'"],
  ["a || b ->> 'c' = d", "((a || b) ->> 'c') = d"],
  ["a @> '[1]' AND b", "(a @> '[1]') AND b"],
  ["a#>>'{b,0}' = 'c'", "(a #>> '{b,0}') = 'c'"],
  ['a < b = c IS NULL', ''],
  ['a = b IS NULL', '(a = b) IS NULL'],
  ['a + 1 IS NOT NULL', '(a + 1) IS NOT NULL'],
  ['a IS NULL = b', '(a IS NULL) = b'],
  ['a IS DISTINCT FROM b + 1', 'a IS DISTINCT FROM (b + 1)'],
  ['a IS DISTINCT FROM b OR c', '(a IS DISTINCT FROM b) OR c'],
  ['a IS NOT DISTINCT FROM NULL', '(a) IS NOT DISTINCT FROM (NULL)'],
  ['a = b IN (c)', 'a = (b IN (c))'],
  ['a LIKE b || c', 'a LIKE (b || c)'],
  ["x LIKE 'x!%' ESCAPE '!' AND y", "(x LIKE 'x!%' ESCAPE '!') AND y"],
  ["x NOT ILIKE 'a' OR y", "(x NOT ILIKE 'a') OR y"],
  ['a = ANY (b) AND c', '(a = ANY (b)) AND c'],
  ['a > ALL (b) = c', '(a > ALL (b)) = c'],
  ["x='\\'' OR 1=1 -- '", "x = $$\\' OR 1=1 -- $$"],
  ["x='\\' OR 1=1 -- '", '(x = $$\\$$) OR (1 = 1)'],
  ["x='it''s'", "x = E'it\\'s'"],
  ["x='a\\'", 'x = $$a\\$$'],
  ["x='a'\n'b'", "x = 'ab'"],
  ['"a""b" = 1', '("a""b") = (1)'],
  ['a = 123456789.123456789123456789', 'a = 123456789123456789123456789e-18'],
  ['a = 1e3', 'a = 1000.0'],
  ['a = -9007199254740993', 'a = (-9007199254740993)'],
  ['a = -9223372036854775808', 'a = -(9223372036854775808)'],
  ['a = 12345678901234567890', 'a = 12345678901234567890.'],
  ['a = .5 OR a = 1.', '(a = 0.5) OR (a = 1)'],
  ['a = 1/**/OR/* /* */ */b = 2', '(a = 1) OR (b = 2)'],
  ['CASE WHEN a THEN b END = c', '(CASE WHEN (a) THEN (b) END) = c'],
  ["a AT TIME ZONE 'UTC' = b", "(a AT TIME ZONE 'UTC') = b"],
  ["a + interval '1 day' > b", "(a + (interval '1 day')) > b"],
]

/** Sigil's tree and PostgreSQL's; undefined where the text is refused. */
function both(condition: string): readonly [string | undefined, string | undefined] {
  const text = `DELETE FROM t WHERE ${condition}`
  let ours: string | undefined
  try {
    ours = JSON.stringify(statementTree(parseStatement(text).statement))
  } catch {
    ours = undefined
  }
  return [ours, JSON.stringify(referenceStatement(text))]
}

t.test('conditions mean what PostgreSQL makes of them', async (t) => {
  t.ok(conditions.length >= 60)
  for (const [condition, meaning] of conditions) {
    const [ours, reference] = both(condition)
    t.equal(ours, reference, condition)
    if (meaning === '') t.equal(ours, undefined, `${condition} is refused`)
    else t.equal(ours, both(meaning)[0], `${condition} means ${meaning}`)
    t.not(meaning !== '' && ours === undefined, true, condition)
  }
})
