// Rows for which a condition is true are among those that its filter finds, whatever the types; and
// a row is in exactly one of p, NOT p and p IS NULL.

import fc from 'fast-check'
import t from 'tap'
import { compile } from '../../../../src/commands/sql/expression/compile.js'
import { supersetFilter } from '../../../../src/commands/sql/expression/superset.js'
import { compileFilter } from '../../../../src/query/filter.js'
import { documentFrom } from '../../../../src/value/literal.js'
import { show, testContext } from '../../../support/query.js'
import { runs } from '../../../support/runs.js'
import { conditions, day, documents, id, parameters } from './arbitrary.js'
import { expressionOf, scopeOf } from './evaluate.js'

const scope = scopeOf(parameters)

t.test('a row for which a condition is true meets its filter', async (t) => {
  fc.assert(
    fc.property(conditions, fc.array(documents, { maxLength: 12 }), (condition, rows) => {
      const expression = expressionOf(condition)
      const { truth } = compile(expression, scope)
      const filter = compileFilter(supersetFilter(expression, scope), testContext)
      return rows.map(documentFrom).every((row) => truth([row]) !== true || filter.matches(row))
    }),
    { numRuns: runs(2_000) },
  )
  t.pass('all of them')
})

t.test('a row is in one of p, NOT p and p IS NULL', async (t) => {
  fc.assert(
    fc.property(conditions, fc.array(documents, { maxLength: 12 }), (condition, rows) => {
      const tests = [condition, `NOT (${condition})`, `(${condition}) IS NULL`].map(
        (text) => compile(expressionOf(text), scope).truth,
      )
      return rows
        .map(documentFrom)
        .every((row) => tests.filter((truth) => truth([row]) === true).length === 1)
    }),
    { numRuns: runs(2_000) },
  )
  t.pass('and in no other')
})

t.test('what an index can serve is in the filter', async (t) => {
  const filters: readonly (readonly [condition: string, filter: Record<string, unknown>])[] = [
    ['a = 1', { a: { $eq: 1 } }],
    ['1 < a', { a: { $gt: 1 } }],
    ['n.x >= 1 AND b = 2', { $and: [{ 'n.x': { $gte: 1 } }, { b: { $eq: 2 } }] }],
    ["a < 'x'", { a: { $lt: 'x' } }],
    ['a < 5', { $or: [{ a: { $lt: 5 } }, { a: { $eq: Number.NaN } }] }],
    ["a LIKE 'a.b%'", { a: { $regex: '^a\\.b' } }],
    ["a LIKE 'ab'", { a: { $eq: 'ab' } }],
    ['a IN (1, 2)', { a: { $in: [1, 2] } }],
    ['NOT (a <> 1)', { a: { $eq: 1 } }],
    ['a = $9', { a: { $eq: { $gt: 1 } } }],
    [`_id = '${id}'`, { _id: { $in: [String(id), id] } }],
    ["a >= '2026-01-02'", { $or: [{ a: { $gte: '2026-01-02' } }, { a: { $gte: day } }] }],
    ["'a' = ANY (arr)", { arr: { $eq: 'a' } }],
    [`n @> '{"x": ["a"]}'`, { $and: [{ n: { $exists: true } }, { 'n.x': { $eq: 'a' } }] }],
    ['a = NULL', { $nor: [{}] }],
    ['a = 1 OR b = a + 1', { $or: [{ a: { $eq: 1 } }, { b: { $exists: true } }] }],
    ['a IS NULL', { a: { $eq: null } }],
    ['n.x IS NULL', {}],
    ['a = 1 OR lower(b) IS NULL', {}],
  ]
  for (const [condition, filter] of filters) {
    t.equal(show(supersetFilter(expressionOf(condition), scope)), show(filter), condition)
  }
})

t.test('conditions on another table are left out', async (t) => {
  const joined = { ...scope, tables: ['t', 'u'] }
  const expression = expressionOf('t.a = 1 AND u.b = 2 AND t.c = u.c')
  t.equal(
    show(supersetFilter(expression, joined, 1)),
    show({ $and: [{ b: { $eq: 2 } }, { c: { $exists: true } }] }),
  )
})
