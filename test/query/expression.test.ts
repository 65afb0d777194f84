import t from 'tap'
import { expressionDepthMax } from '../../src/base/limits/documents.js'
import { compileExpression, letVariables, scopeOf } from '../../src/query/expression.js'
import { documentFrom, valueFrom } from '../../src/value/literal.js'
import { unitsOf } from '../support/stretch.js'
import { context, evaluate, refused, shown, table } from './expressions/expression-table.js'

const document = {
  a: 1,
  o: { x: { y: 2 }, $odd: 5, 'dot.ted': 6 },
  list: [{ b: 1 }, { b: 2 }, 3, { c: 1 }, [{ b: 9 }]],
  deep: [{ b: [{ c: 1 }, { c: 2 }] }, { b: { c: 3 } }],
  '0': 'zero',
  nothing: null,
}

t.test('a field path takes values out of objects and maps over arrays', async (t) => {
  table(t, document, [
    ['$a', 1],
    ['$o.x.y', 2],
    ['$o.x.z', undefined],
    ['$a.b', undefined],
    ['$list.b', [1, 2]],
    ['$deep.b.c', [[1, 2], 3]],
    ['$list.0', []],
    ['$0', 'zero'],
    ['$nothing', null],
    ['$nothing.b', undefined],
    ['plain', 'plain'],
    [5, 5],
    [null, null],
  ])
})

t.test('paths that cannot be are refused', async (t) => {
  table(t, document, [
    ['$', refused(16872, "'$' by itself is not a valid FieldPath")],
    ['$a.', refused(40353, "FieldPath must not end with a '.'.")],
    ['$a..b', refused(15998, 'FieldPath field names may not be empty strings.')],
    ['$a.$b', refused(16410)],
    ['$$', refused(9)],
    ['$$nope', refused(17276, 'Use of undefined variable: nope')],
    ['$$CLUSTER_TIME', refused(51144)],
  ])
})

t.test('system variables and those of the command are there', async (t) => {
  table(t, document, [
    ['$$ROOT.a', 1],
    ['$$CURRENT.o.x.y', 2],
    ['$$NOW', new Date(context.now)],
    ['$$REMOVE', undefined],
    ['$$given.a', 7],
    ['$$given.b', undefined],
    [{ x: '$$REMOVE', y: 1 }, { y: 1 }],
    [
      ['$$REMOVE', '$missing', 1],
      [null, null, 1],
    ],
  ])
  t.equal(shown(evaluate('$$ROOT', { a: 1 })), 'object { a: 1 }')
})

t.test('$let binds variables for its body alone, and may rebind CURRENT', async (t) => {
  table(t, document, [
    [{ $let: { vars: { x: '$a', y: 5 }, in: { $add: ['$$x', '$$y'] } } }, 6],
    [{ $let: { vars: { x: '$o' }, in: '$$x.x.y' } }, 2],
    [{ $let: { vars: { x: '$list' }, in: '$$x.b' } }, [1, 2]],
    [{ $let: { vars: { CURRENT: '$o' }, in: '$x.y' } }, 2],
    [{ $let: { vars: { x: 1 }, in: { $let: { vars: { x: 2, y: '$$x' }, in: '$$y' } } } }, 1],
    [{ $add: [{ $let: { vars: { x: 1 }, in: '$$x' } }, '$$x'] }, refused(17276)],
    [{ $let: 1 }, refused(16874)],
    [{ $let: { in: 1 } }, refused(16876, "Missing 'vars' parameter to $let")],
    [{ $let: { vars: {} } }, refused(16877, "Missing 'in' parameter to $let")],
    [{ $let: { vars: {}, in: 1, z: 1 } }, refused(16875)],
    [{ $let: { vars: { Upper: 1 }, in: 1 } }, refused(9)],
    [{ $let: { vars: { 'a-b': 1 }, in: 1 } }, refused(9)],
  ])
})

t.test('$literal keeps its operand as it is', async (t) => {
  table(t, document, [
    [{ $literal: '$a' }, '$a'],
    [{ $literal: { $add: [1, 2] } }, { $add: [1, 2] }],
    [{ $const: 1 }, 1],
  ])
})

t.test('objects and arrays are made of expressions', async (t) => {
  table(t, document, [
    [
      { x: '$a', y: { z: '$nope', w: ['$a', '$nope'] } },
      { x: 1, y: { w: [1, null] } },
    ],
    [{}, {}],
    [{ 'a.b': 1 }, refused(16412)],
    [{ x: 1, $add: [1] }, refused(16410)],
    [{ $add: [1], $subtract: [1] }, refused(15983)],
    [{ $nope: 1 }, refused(168, "Unrecognized expression '$nope'")],
  ])
})

t.test('operands are counted', async (t) => {
  table(t, {}, [
    [{ $eq: [1] }, refused(16020, 'Expression $eq takes exactly 2 arguments. 1 were passed in.')],
    [{ $not: [1, 2] }, refused(16020)],
    [
      { $slice: [[1]] },
      refused(
        28667,
        'Expression $slice takes at least 2 arguments, and at most 3, but 1 were passed in.',
      ),
    ],
    [{ $abs: [[1]] }, refused(28765)],
  ])
})

t.test('expressions nest to a bound', async (t) => {
  let nested: unknown = 1
  for (let i = 0; i < expressionDepthMax - 1; i++) nested = { $not: nested }
  t.equal(shown(evaluate(nested)), 'bool false')
  table(t, {}, [[{ $not: { $not: nested } }, refused(15)]])
})

t.test('a constant fails when it is compiled, a document when it is reached', async (t) => {
  t.throws(() => evaluate({ $divide: [1, 0] }), { code: 2 })
  t.equal(shown(evaluate({ $cond: ['$a', 1, { $divide: ['$a', 0] }] }, { a: 1 })), 'int 1')
})

t.test('loops that multiply and values that double are stopped', async (t) => {
  const thousand = { $range: [0, 1000] }
  const cube = (inner: unknown): unknown => ({ $map: { input: thousand, as: 'x', in: inner } })
  t.throws(() => evaluate(cube(cube(cube('$a'))), { a: 1 }), { code: 50 })
  const doubled = {
    $reduce: {
      input: { $range: [0, 60] },
      initialValue: ['$text'],
      in: { $concatArrays: ['$$value', '$$value'] },
    },
  }
  t.throws(() => evaluate(doubled, { text: 'x'.repeat(100_000) }), { code: 50 })
})

t.test("a command's let is evaluated in order, without a document", async (t) => {
  const spec = documentFrom({ x: { $add: [1, 2] }, y: { $multiply: ['$$x', 2] }, z: '$field' })
  const variables = letVariables(spec, context)
  t.equal(shown(variables.get('x')), 'int 3')
  t.equal(shown(variables.get('y')), 'int 6')
  t.equal(shown(variables.get('z')), 'null null')
})

t.test('a path costs what its check takes, beside what a number costs', async (t) => {
  const count = 2_000
  const unitsFor = (text: (i: number) => unknown): number => {
    const object = Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, text(i)]))
    return unitsOf(() => compileExpression(valueFrom(object), scopeOf(context)))
  }
  const numbers = unitsFor((i) => i)
  const paths = unitsFor((i) => `$of${i}.a`)
  t.ok(paths - numbers > 8 * count, `${paths} of paths, ${numbers} of numbers`)
})
