// What conditions say about keys, in the words of explain.

import { MaxKey, MinKey } from 'bson'
import t from 'tap'
import { conditionsOf } from '../../../src/engine/plan/bounds.js'
import { intervalText } from '../../../src/engine/plan/explain-plan.js'
import { compileFilter } from '../../../src/query/filter.js'
import { documentFrom } from '../../../src/value/literal.js'
import { context } from '../../support/reading.js'

type Plain = Readonly<Record<string, unknown>>

/** Bounds of every path, those of several conditions apart. */
function bounds(filter: Plain): Record<string, string[]> {
  const { byPath } = conditionsOf(compileFilter(documentFrom(filter), context).tree)
  return Object.fromEntries(
    [...byPath].map(([path, predicates]) => [
      path,
      predicates.map(({ intervals, isExact }) => {
        const text = [...intervals].map((interval) => intervalText(interval)).join(' ')
        return isExact ? text : `${text} ~`
      }),
    ]),
  )
}

const cases: readonly (readonly [Plain, Record<string, string[]>])[] = [
  [{}, {}],
  [{ a: 1 }, { a: ['[1, 1]'] }],
  [{ a: 'x' }, { a: ['["x", "x"]'] }],
  [{ a: { b: 1 } }, { a: ['[{ b: 1 }, { b: 1 }]'] }],
  [{ a: null }, { a: ['[undefined, undefined] [null, null] ~'] }],
  [{ a: [1, 2] }, { a: ['[1, 1] [[ 1, 2 ], [ 1, 2 ]] ~'] }],
  [{ a: [] }, { a: ['[undefined, undefined] [[], []] ~'] }],
  [{ a: { $gt: 1 } }, { a: ['(1, inf.0]'] }],
  [{ a: { $gte: 1 } }, { a: ['[1, inf.0]'] }],
  [{ a: { $lt: 1 } }, { a: ['[-inf.0, 1)'] }],
  [{ a: { $lte: 1.5 } }, { a: ['[-inf.0, 1.5]'] }],
  [{ a: { $lt: 'm' } }, { a: ['["", "m")'] }],
  [{ a: { $gte: 'm' } }, { a: ['["m", {})'] }],
  [{ a: { $gt: true } }, { a: [''] }],
  [{ a: { $lt: true } }, { a: ['[false, true)'] }],
  [{ a: { $gte: new Date(5) } }, { a: ['[new Date(5), new Date(9223372036854775807)]'] }],
  [{ a: { $lt: {} } }, { a: [''] }],
  [{ a: { $gte: { b: 1 } } }, { a: ['[{ b: 1 }, [])'] }],
  [{ a: { $gte: null } }, { a: ['[undefined, undefined] [null, null] ~'] }],
  [{ a: { $gt: null } }, { a: [''] }],
  [{ a: { $gt: [1] } }, {}],
  [{ a: { $gt: new MinKey() } }, {}],
  [{ a: { $lt: new MaxKey() } }, {}],
  [{ a: new MaxKey() }, { a: ['[MaxKey, MaxKey]'] }],
  [{ a: { $in: [3, 1, 'x', 1] } }, { a: ['[1, 1] [3, 3] ["x", "x"]'] }],
  [{ a: { $in: [1, null] } }, { a: ['[undefined, undefined] [null, null] [1, 1] ~'] }],
  [{ a: { $in: [/^ab/, 7] } }, { a: ['[7, 7] ["ab", "ac") [/^ab/, /^ab/]'] }],
  [{ a: { $in: [/ab/, 7] } }, {}],
  [{ a: /^ab/ }, { a: ['["ab", "ac") [/^ab/, /^ab/]'] }],
  [{ a: /^ab.*c/ }, { a: ['["ab", "ac") [/^ab.*c/, /^ab.*c/] ~'] }],
  [{ a: /^ab/i }, {}],
  [{ a: { $exists: false } }, { a: ['[null, null] ~'] }],
  [{ a: { $exists: true } }, {}],
  [{ a: { $ne: 1 } }, {}],
  [{ a: { $gt: 1, $lt: 5 } }, { a: ['(1, inf.0]', '[-inf.0, 5)'] }],
  [{ a: { $elemMatch: { $gt: 1, $lt: 5 } } }, { a: ['(1, 5) ~'] }],
  [{ a: { $elemMatch: { b: 1, c: 2 } } }, { 'a.b': ['[1, 1] ~'], 'a.c': ['[2, 2] ~'] }],
  [{ a: { $elemMatch: { 0: 1 } } }, {}],
  [{ a: { $all: [1, 2] } }, { a: ['[1, 1]', '[2, 2]'] }],
  [{ 'a.0': null }, {}],
  [{ 'a.0': 1 }, { 'a.0': ['[1, 1] ~'] }],
  [{ $and: [{ a: 1 }, { $and: [{ b: 2 }] }] }, { a: ['[1, 1]'], b: ['[2, 2]'] }],
  [{ $or: [{ a: 1 }, { a: { $gt: 5 } }] }, { a: ['[1, 1] (5, inf.0]'] }],
  [{ $or: [{ a: { $lt: 7 } }, { a: { $gt: 5 } }] }, { a: ['[-inf.0, inf.0]'] }],
  [{ $or: [{ a: 1 }, { b: 1 }] }, {}],
  [{ $nor: [{ a: 1 }] }, {}],
  [{ a: { $size: 1 } }, {}],
  [{ $expr: { $eq: ['$a.b', 5] } }, { 'a.b': ['[5, 5] ~'] }],
  [{ $expr: { $eq: [{ $literal: '$x' }, '$a'] } }, { a: ['["$x", "$x"] ~'] }],
  [{ $expr: { $and: [{ $eq: ['$a', 1] }, { $gt: ['$b', 1] }] } }, { a: ['[1, 1] ~'] }],
  [{ $expr: { $eq: ['$a', '$b'] } }, {}],
  [{ $expr: { $eq: ['$a', [1]] } }, {}],
  [{ $expr: { $or: [{ $eq: ['$a', 1] }] } }, {}],
]

await t.test('bounds of each condition; ~ where what they hold must be looked at', async (t) => {
  for (const [filter, wanted] of cases) t.same(bounds(filter), wanted, JSON.stringify(filter))
})

await t.test('intervals are printed backwards where keys are read downwards', async (t) => {
  const [predicate] =
    conditionsOf(compileFilter(documentFrom({ a: { $gte: 1 } }), context).tree).byPath.get('a') ??
    []
  const [interval] = predicate?.intervals ?? []
  t.equal(interval && intervalText(interval, true), '[inf.0, 1]')
})

t.test(
  'very many conditions of a path, and a long membership without keys, give no bounds',
  async (t) => {
    const values = Array.from({ length: 3_000 }, (_, i) => i)
    const treeOf = (filter: Plain) => compileFilter(documentFrom(filter), context).tree
    const all = conditionsOf(treeOf({ a: { $all: values }, b: 1 }))
    t.equal(all.conjuncts.length, 3_001, 'the others are conditions still')
    t.equal(all.byPath.get('a')?.length, 1_000)
    t.equal(all.byPath.get('b')?.length, 1)
    const hasKeys = (path: string) => path === 'a'
    for (const [filter, path] of [
      [{ $in: values }, 'a'],
      [{ $elemMatch: { $in: values, $gt: 5 } }, 'a'],
    ] as const) {
      const { byPath } = conditionsOf(treeOf({ a: filter, b: filter }), undefined, hasKeys)
      t.ok(byPath.has(path))
      t.notOk(byPath.has('b'))
    }
    const short = conditionsOf(treeOf({ b: { $in: [1, 2] } }), undefined, hasKeys)
    t.ok(short.byPath.has('b'))
  },
)
