// What names, places, CASE and placeholders give over a document, and what is refused when a
// statement is compiled.

import t from 'tap'
import { compile } from '../../../../src/commands/sql/expression/compile.js'
import { constant } from '../../../../src/commands/sql/expression/truth.js'
import { documentFrom, valueFrom } from '../../../../src/value/literal.js'
import { answer, expressionOf, scopeOf, shown, stateOf, truthOf } from './evaluate.js'

const document = { a: 1, t: { a: 2 }, n: { x: { y: 'deep' } }, list: [{ x: 1 }, 'two', [3]] }

t.test('names lead into objects and numbers into arrays', async (t) => {
  t.equal(answer('a', document), 'integer 1')
  t.equal(answer('t.a', document), 'integer 1', 'the name of the table comes first')
  t.equal(answer('t.t.a', document), 'integer 2')
  t.equal(answer('n.x.y', document), 'text deep')
  t.equal(answer('list[0].x', document), 'integer 1')
  t.equal(answer('list[1]', document), 'text two')
  t.equal(answer('list[2][0]', document), 'integer 3')
  t.equal(answer('list[3]', document), 'NULL')
  t.equal(answer('list.x', document), 'NULL', 'no element is chosen')
  t.equal(answer('list."0"', document), 'NULL')
  t.equal(answer('n[0]', document), 'NULL')
  t.equal(answer('a.b', document), 'NULL')
  t.equal(answer('(n).x.y', document), 'text deep')
  t.equal(answer('list[-1][0]', document), 'integer 3')
})

t.test('CASE takes the first that is true, and computes no other', async (t) => {
  t.equal(answer('CASE WHEN a = 1 THEN 2 WHEN 1 / 0 = 1 THEN 3 END', document), 'integer 2')
  t.equal(answer('CASE WHEN b THEN 1 ELSE 1 + 1 END', document), 'integer 2')
  t.equal(answer('CASE a WHEN 2 THEN 0 WHEN 1 THEN 9 END', document), 'integer 9')
  t.equal(answer('CASE b WHEN NULL THEN 0 END', document), 'NULL')
  t.equal(answer('CASE WHEN a = 2 THEN 1 / 0 END', document), 'NULL')
})

t.test('a parameter is one value, never an operator', async (t) => {
  t.equal(answer('$1 + 1', {}, [5]), 'integer 6')
  t.equal(answer('$1', {}, [null]), 'NULL')
  t.equal(truthOf('a = $1', { a: 5 }, [{ $gt: 1 }]), false)
  t.equal(truthOf('a = $1', { a: { $gt: 1 } }, [{ $gt: 1 }]), true)
  t.equal(answer('$2', {}, [1]), 'error 08P01')
})

t.test('a column must be of one table', async (t) => {
  const two = { ...scopeOf(), tables: ['t', 'u'] }
  const row = [documentFrom({ a: 1 }), undefined]
  t.equal(shown(compile(expressionOf('t.a'), two).value(row)), 'integer 1')
  t.equal(shown(compile(expressionOf('u.a'), two).value(row)), 'NULL', 'a LEFT JOIN found none')
  t.equal(
    stateOf(() => compile(expressionOf('a'), two)),
    '42702',
  )
  const none = { ...scopeOf(), tables: [] }
  t.equal(
    stateOf(() => compile(expressionOf('a'), none)),
    '42703',
  )
})

t.test('a scope may have values for nodes of its own, as for aggregates', async (t) => {
  const scope = {
    ...scopeOf(),
    replace: ({ kind }: { kind: string }) =>
      kind === 'call' ? constant(valueFrom(41)) : undefined,
  }
  t.equal(shown(compile(expressionOf('count(*) + 1'), scope).value([])), 'integer 42')
  t.equal(answer('count(*) + 1'), 'error 42803')
})

t.test('what is not known is refused', async (t) => {
  t.equal(answer('frobnicate(1)'), 'error 42883')
  t.equal(answer('lower(a, a)'), 'error 42883')
  t.equal(answer('a & 1'), 'error 0A000')
  t.equal(answer('a::circle'), 'error 42704')
})
