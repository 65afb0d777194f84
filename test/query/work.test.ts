// What one document may cost: loops over its values spend from the work budget. What is one pass is
// answered; what needs more than a stretch is refused with 50, before it has taken longer.

import fc from 'fast-check'
import t, { type Test } from 'tap'
import { work } from '../../src/base/work/work-budget.js'
import {
  conditionUnits,
  requestUnits,
  stretchUnits,
  turnUnits,
} from '../../src/base/work/work-figures.js'
import { parseIndexSpecs } from '../../src/engine/index/index-spec.js'
import { widenIds } from '../../src/listeners/http/documents/ids.js'
import { compileExpression, envOf, letVariables, scopeOf } from '../../src/query/expression.js'
import type { Result } from '../../src/query/expressions/operator.js'
import { compileFilter } from '../../src/query/filter.js'
import { compilePipeline } from '../../src/query/pipeline.js'
import { ProjectionNode, ProjectionTree } from '../../src/query/projection-tree.js'
import { documentFrom, valueFrom } from '../../src/value/literal.js'
import { bsonType, type Document, documentValue, type Value } from '../../src/value/value.js'
import { DocumentWriter } from '../../src/value/writer.js'
import { runs } from '../support/runs.js'
import { inStretch, unitsOf } from '../support/stretch.js'
import { context, evaluate, shown } from './expressions/expression-table.js'

const most = turnUnits + stretchUnits

/** Numbers from 0 on, under `a`. */
function numbers(count: number): Document {
  const writer = new DocumentWriter()
  writer.openArray('a')
  for (let i = 0; i < count; i++) writer.int32(String(i), i)
  writer.close()
  return writer.finish()
}

function run(expression: unknown, document: Document): Result {
  const compiled = compileExpression(valueFrom(expression), scopeOf(context))
  return compiled.evaluate(envOf(documentValue(document), context))
}

const refusal = { code: 50 }
const tooLarge = { message: /an expression made a value/ }
const range = (n: number) => ({ $range: [0, n] })
const doubling = (n: number, text: string) => ({
  $reduce: { input: range(n), initialValue: text, in: { $concat: ['$$value', '$$value'] } },
})

/** Units that it takes until `act` is refused. */
function refuses(t: Test, act: () => unknown): number {
  const before = work.spent
  t.throws(() => inStretch(act), refusal)
  return work.spent - before
}

t.test('all matches of a pattern in one text are bounded together', async (t) => {
  const all = (n: number) => ({
    $regexFindAll: { input: doubling(n, 'a'), regex: 'a*?b|a' },
  })
  t.ok(unitsOf(() => evaluate({ $size: all(5) })) < most)
  for (const n of [12, 14, 18]) t.ok(refuses(t, () => evaluate(all(n))) < most * 2, `2^${n}`)
  const plain = { $size: { $regexFindAll: { input: doubling(10, 'ab'), regex: 'ab' } } }
  t.equal(shown(inStretch(() => evaluate(plain))), 'int 1024')
})

t.test('substring searches are linear, whatever the needle', async (t) => {
  const text = 'a'.repeat(120_000)
  const quarter = 'a'.repeat(30_000)
  const document = documentFrom({ text, needle: `${quarter}b${quarter}`, end: `${quarter}b` })
  const rows: [unknown, string][] = [
    [{ $indexOfBytes: ['$text', '$needle'] }, 'int -1'],
    [{ $indexOfCP: ['$text', '$end'] }, 'int -1'],
    [{ $size: { $split: ['$text', '$needle'] } }, 'int 1'],
    [
      { $strLenCP: { $replaceAll: { input: '$text', find: '$end', replacement: '' } } },
      'int 120000',
    ],
    [
      { $strLenCP: { $replaceOne: { input: '$text', find: '$end', replacement: '' } } },
      'int 120000',
    ],
  ]
  for (const [expression, expected] of rows) {
    let result: Result
    const units = unitsOf(() => {
      result = run(expression, document)
    })
    t.equal(shown(result), expected)
    t.ok(units < most / 2, `${JSON.stringify(expression)}: ${units}`)
  }
  const literal = compileFilter(
    documentFrom({ text: { $regex: `${'a'.repeat(9_000)}b` } }),
    context,
  )
  t.ok(unitsOf(() => literal.matches(document)) < most / 2)
})

t.test('$reduce adds to what it has built and does not copy it', async (t) => {
  const reduce = (n: number, initialValue: unknown, body: unknown) => ({
    $reduce: { input: range(n), initialValue, in: body },
  })
  const key = { $toString: '$$this' }
  const rows: [string, unknown, (n: number) => string][] = [
    [
      'arrays',
      (n: number) => ({ $size: reduce(n, [], { $concatArrays: ['$$value', ['$$this']] }) }),
      (n) => `int ${n}`,
    ],
    [
      'arrays from their end',
      (n: number) => ({ $size: reduce(n, [], { $concatArrays: [['$$this'], '$$value'] }) }),
      (n) => `int ${n}`,
    ],
    [
      'texts',
      (n: number) => ({ $strLenBytes: reduce(n, '', { $concat: ['$$value', 'x'.repeat(100)] }) }),
      (n) => `int ${n * 100}`,
    ],
    [
      'objects',
      (n: number) => ({
        $size: {
          $objectToArray: reduce(
            n,
            {},
            {
              $mergeObjects: ['$$value', { $arrayToObject: [[[key, '$$this']]] }],
            },
          ),
        },
      }),
      (n) => `int ${n}`,
    ],
    [
      'sets',
      (n: number) => ({ $size: reduce(n, [], { $setUnion: ['$$value', ['$$this']] }) }),
      (n) => `int ${n}`,
    ],
  ]
  for (const [title, make, expected] of rows) {
    const of = make as (n: number) => unknown
    const [few, many] = [1_000, 4_000].map((n) => {
      let result: Result
      const units = unitsOf(() => {
        result = evaluate(of(n))
      })
      t.equal(shown(result), expected(n), title)
      return units
    }) as [number, number]
    t.ok(many < few * 5, `${title}: ${few} units, then ${many} for four times as many`)
  }
})

t.test('a $reduce that adds in place gives what a copying one gives', async () => {
  // Under $let the operator is not the body's last act.
  const copying = (body: unknown) => ({ $let: { vars: { z: 1 }, in: body } })
  const operand = fc.constantFrom<unknown>(
    ['$$this'],
    '$$value',
    { $slice: ['$$value', 1] },
    '$list',
    null,
    [],
  )
  const object = fc.constantFrom<unknown>(
    { a: '$$this' },
    { b: { $ifNull: ['$$value.a', 'none'] }, a: 'long enough to move what lies behind' },
    '$$value.inner',
    { inner: { x: '$$this', a: '$$value.b' } },
    { $arrayToObject: [[[{ $toString: '$$this' }, '$$value.a']]] },
    null,
    '$$value',
  )
  const text = fc.constantFrom<unknown>('é', { $toString: '$$this' }, '$$value', '$text')
  const bodies = fc.oneof(
    fc.array(operand, { maxLength: 3 }).map((more) => ({ $concatArrays: ['$$value', ...more] })),
    fc.array(operand, { maxLength: 3 }).map((more) => ({ $concatArrays: [...more, '$$value'] })),
    fc.array(operand, { maxLength: 3 }).map((more) => ({ $setUnion: ['$$value', ...more] })),
    fc.array(object, { maxLength: 3 }).map((more) => ({ $mergeObjects: ['$$value', ...more] })),
    fc.array(text, { maxLength: 2 }).map((more) => ({ $concat: ['$$value', ...more] })),
  )
  const document = { list: [3, 1, 'x'], text: 'plain' }
  const start = (body: object) => {
    if ('$mergeObjects' in body) return { z: 1, inner: { y: 2 } }
    return '$concat' in body ? 'start' : [7]
  }
  await fc.assert(
    fc.property(bodies, bodies, fc.boolean(), (one, other, branches) => {
      const kind = (body: object) => Object.keys(body)[0]
      const plain =
        branches && kind(one) === kind(other)
          ? { $cond: [{ $eq: [{ $mod: ['$$this', 3] }, 0] }, one, other] }
          : branches
            ? { $cond: [{ $gt: ['$$this', 1] }, one, '$$value'] }
            : one
      const reduce = (body: unknown) => ({
        $reduce: { input: range(5), initialValue: start(one), in: body },
      })
      const pair = { first: reduce(plain), again: reduce(plain) }
      const copied = { first: reduce(copying(plain)), again: reduce(copying(plain)) }
      return shown(evaluate(pair, document)) === shown(evaluate(copied, document))
    }),
    { numRuns: runs(300) },
  )
})

t.test('one pass over a large array is answered', async (t) => {
  const document = numbers(1_200_000)
  const matches = (filter: Record<string, unknown>) => {
    const compiled = compileFilter(documentFrom(filter), context)
    let result: boolean | undefined
    const units = unitsOf(() => {
      result = compiled.matches(document)
    })
    t.ok(units < most, `${JSON.stringify(filter)}: ${units}`)
    return result
  }
  t.equal(matches({ a: -1 }), false)
  t.equal(matches({ a: 'x' }), false)
  t.equal(matches({ a: 1_199_999 }), true)
  t.equal(matches({ a: { $size: 1_200_000 } }), true)
  t.equal(shown(inStretch(() => run({ $size: '$a' }, document))), 'int 1200000')
  t.equal(shown(inStretch(() => run({ $in: [-1, '$a'] }, document))), 'bool false')
  t.equal(shown(inStretch(() => run({ $arrayElemAt: ['$a', -1] }, document))), 'int 1199999')
})

t.test('$all, $or of equalities and set operators hash', async (t) => {
  const document = numbers(50_000)
  const every = Array.from({ length: 20_000 }, (_, i) => i)
  const filters = [
    { a: { $all: every } },
    { a: { $all: [...every, -1] } },
    { a: { $in: every.map((i) => -1 - i) } },
    { $or: Array.from({ length: 1_000 }, (_, i) => ({ a: -1 - i })) },
  ]
  for (const [i, filter] of filters.entries()) {
    const compiled = compileFilter(documentFrom(filter), context)
    let matched: boolean | undefined
    const units = unitsOf(() => {
      matched = compiled.matches(document)
    })
    t.equal(matched, i === 0)
    t.ok(units < most, String(units))
  }
  const small = numbers(10_000)
  const sets: [unknown, string][] = [
    [{ $size: { $setIntersection: ['$a', '$a'] } }, 'int 10000'],
    [{ $size: { $setUnion: ['$a', [-5]] } }, 'int 10001'],
    [{ $setIsSubset: ['$a', '$a'] }, 'bool true'],
    [{ $arrayElemAt: [{ $sortArray: { input: '$a', sortBy: -1 } }, 0] }, 'int 9999'],
  ]
  for (const [expression, expected] of sets) {
    t.equal(shown(inStretch(() => run(expression, small))), expected)
  }
})

t.test('what needs more than a stretch is refused in time', async (t) => {
  const document = numbers(1_000_000)
  const value = (expression: unknown) => () => run(expression, document)
  const acts = [
    value({ $sortArray: { input: { $map: { input: '$a', in: 'x' } }, sortBy: 1 } }),
    value({ $setUnion: ['$a', '$a'] }),
    value({ $zip: { inputs: ['$a', '$a'] } }),
    value({ $map: { input: '$a', in: { $map: { input: '$a', in: 1 } } } }),
    value({ $reduce: { input: '$a', initialValue: [], in: { $slice: ['$a', 9] } } }),
  ]
  for (const act of acts) t.ok(refuses(t, act) < most * 3)
})

t.test('comparisons of long equal values count their bytes', async (t) => {
  const long = 'x'.repeat(4_000_000)
  const document = documentFrom({ a: long, b: `${long}y` })
  const compare = { $map: { input: range(200), in: { $eq: ['$a', '$b'] } } }
  t.ok(refuses(t, () => run(compare, document)) < most * 2)
  t.equal((run({ $cmp: ['$a', '$b'] }, document) as Value).type, bsonType.int32)
})

t.test('an array that grows by large elements is refused before it is large', async (t) => {
  const document = documentFrom({ a: 'x'.repeat(3_000_000), few: [1, 2] })
  const copies = (input: unknown) => ({ $map: { input, in: '$a' } })
  t.ok(refuses(t, () => run(copies(range(100)), document)) < most * 2)
  t.equal((inStretch(() => run(copies('$few'), document)) as Value).type, bsonType.array)
})

t.test('an error reads and shows the start of a long value', async (t) => {
  const position = { $indexOfArray: ['$a', -1, '$a'] }
  t.throws(() => inStretch(() => run(position, numbers(1_000_000))), { code: 40096 })
  const zone = { $dateToString: { date: new Date(0), timezone: '$zone' } }
  const wrong = () => run(zone, documentFrom({ zone: 'a'.repeat(1_000_000) }))
  t.throws(wrong, { code: 40485, message: /: "a{100}\.\.\."$/ })
})

t.test('elements that a projection writes anew count', async (t) => {
  const root = new ProjectionNode()
  root.add('a.x', {
    kind: 'computed',
    expression: compileExpression(valueFrom(1), scopeOf(context)),
  })
  const document = numbers(30_000)
  const tree = new ProjectionTree('exclusion', root)
  const units = unitsOf(() => tree.apply(document, envOf(documentValue(document), context)))
  t.ok(units > 60_000, String(units))
})

t.test('copies of a value count, in a projection and in an object', async (t) => {
  const root = new ProjectionNode()
  const text = valueFrom('x'.repeat(1_000_000))
  let copies = 0
  const evaluate = (): Value => {
    copies++
    return text
  }
  root.add('a.x.y', { kind: 'computed', expression: { evaluate } })
  const document = documentFrom({ a: new Array(1_000).fill(0), text: 'x'.repeat(1_000_000) })
  const tree = new ProjectionTree('exclusion', root)
  const apply = () => tree.apply(document, envOf(documentValue(document), context))
  refuses(t, apply)
  t.ok(copies < 25, `${copies} copies of 1 MB`)
  const names = Array.from({ length: 70 }, (_, i) => [`f${i}`, '$text'])
  refuses(t, () => run({ $size: [[Object.fromEntries(names)]] }, document))
  // In a thread, memory is the bound.
  work.granting = () => 1e9
  t.teardown(() => (work.granting = undefined))
  t.throws(() => inStretch(apply), tooLarge)
})

t.test('what a loop makes of texts and numbers counts', async (t) => {
  const texts = documentFrom({
    a: Array.from({ length: 1_000 }, (_, i) => `${'x'.repeat(990)}${i}`),
    few: Array.from({ length: 150 }, () => 'x'.repeat(990)),
  })
  const grown = (input: unknown, initialValue: unknown, body: unknown) => ({
    $size: { $reduce: { input, initialValue, in: body } },
  })
  const named = { $arrayToObject: [[{ k: '$$this', v: 1 }]] }
  const text = {
    $strLenBytes: {
      $reduce: {
        ...{ input: range(10_000), initialValue: '' },
        in: { $concat: ['$$value', { $toString: '$$this' }] },
      },
    },
  }
  const rows: [string, unknown, number][] = [
    ['keys of a set', { $setEquals: ['$a', '$a'] }, 50_000],
    ['texts of numbers', text, 60_000],
    [
      'names of fields',
      {
        $size: {
          $objectToArray: {
            $reduce: {
              ...{ input: '$a', initialValue: {} },
              in: { $mergeObjects: ['$$value', named] },
            },
          },
        },
      },
      60_000,
    ],
    [
      'arrays that are made again',
      grown('$few', [], { $concatArrays: [['$$this'], { $ifNull: ['$$value', []] }] }),
      60_000,
    ],
  ]
  for (const [name, expression, least] of rows) {
    const units = unitsOf(() => run(expression, texts))
    t.ok(units > least, `${name}: ${units}`)
  }
  // The set of a long list is made with the first document: its texts are below a stretch.
  const ids = Array.from({ length: 60_000 }, (_, i) => `${'x'.repeat(30)}${i}`)
  const listed = compileFilter(documentFrom({ a: { $in: ids } }), context)
  t.equal(
    inStretch(() => listed.matches(documentFrom({ a: 'x' }))),
    false,
  )
  const bits = compileFilter(documentFrom({ a: { $bitsAllSet: 4 } }), context)
  const doubles = documentFrom({ a: Array.from({ length: 20_000 }, () => 2 ** 40) })
  const units = unitsOf(() => bits.matches(doubles))
  t.ok(units > 40_000, `bits: ${units}`)
  const ints = documentFrom({ a: [-1, 2 ** 31 - 1, 4, 3] })
  for (const [positions, isIn] of [
    [[2, 63], true],
    [[2, 30], true],
    [[0, 1, 2], true],
    [[3, 2], true],
  ] as const) {
    const one = compileFilter(documentFrom({ a: { $bitsAllSet: [...positions] } }), context)
    t.equal(one.matches(ints), isIn)
  }
})

t.test('values of an enum count while they are compiled', async (t) => {
  const list = Array.from({ length: 30_000 }, (_, i) => i)
  const filter = documentFrom({ $jsonSchema: { properties: { v: { enum: list } } } })
  const units = unitsOf(() => compileFilter(filter, context))
  t.ok(units > 55_000, String(units))
})

t.test('texts beyond ASCII cost more to read and to write', async (t) => {
  const wide = documentFrom({ a: 'é😀ß'.repeat(100_000) })
  const units = unitsOf(() => run({ $concat: ['$a', 'x'] }, wide))
  t.ok(units > 20_000, String(units))
})

t.test('a command of very many names is refused while it is compiled', async (t) => {
  const named = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, value]))
  const shapes: Record<string, (count: number) => () => unknown> = {
    $addFields(count) {
      const pipeline = valueFrom([{ $addFields: named(count, '$a') }])
      return () => compilePipeline(pipeline, context)
    },
    $project(count) {
      const pipeline = valueFrom([{ $project: named(count, 1) }])
      return () => compilePipeline(pipeline, context)
    },
    let(count) {
      const variables = documentFrom(named(count, 1))
      return () => letVariables(variables, context)
    },
    indexes(count) {
      const specs = Array.from({ length: count }, (_, i) =>
        valueFrom({ name: `x${i}`, key: { a: 1 } }),
      )
      return () => parseIndexSpecs(specs)
    },
    'a filter of HTTP'(count) {
      const ids = Array.from({ length: count }, (_, i) => i.toString(16).padStart(24, '0'))
      const filter = valueFrom({ $and: [{ _id: { $in: ids } }] })
      return () => widenIds(filter)
    },
  }
  for (const [name, acts] of Object.entries(shapes)) {
    const usual = name === 'a filter of HTTP' ? 20_000 : 500
    t.doesNotThrow(() => inStretch(acts(usual)), name)
    t.ok(refuses(t, acts(100_000)) < most * 2, name)
  }
})

t.test('names that no command used before count more than known ones', async (t) => {
  const named = (count: number) =>
    documentFrom(Object.fromEntries(Array.from({ length: count }, (_, i) => [`fresh${i}`, 1])))
  const few = unitsOf(() => compileFilter(named(5_000), context))
  t.ok(few > 5_000 * 10, `${few} units`)
  refuses(t, () => compileFilter(named(20_000), context))
  const fields = documentValue(named(25_000))
  refuses(t, () => compileExpression(fields, scopeOf(context)))
})

t.test('members of $all cost as the conditions that they are', (t) => {
  const filter = (count: number) =>
    documentFrom({ a: { $all: Array.from({ length: count }, (_, i) => i) } })
  const [few, many] = [filter(1_000), filter(100_000)]
  const units = unitsOf(() => compileFilter(few, context))
  t.ok(units >= 1_000 * conditionUnits, `${units} units`)
  t.ok(refuses(t, () => compileFilter(many, context)) < most * 2)
  t.end()
})

t.test('a list of 100,000 constants is compiled with its request', (t) => {
  const constants = Array.from({ length: 100_000 }, (_, i) => (i % 2 === 0 ? i : [`t${i}`]))
  const expression = valueFrom({ $setIsSubset: [[5], constants] })
  t.doesNotThrow(() =>
    work.within(requestUnits, () => compileExpression(expression, scopeOf(context))),
  )
  t.end()
})

t.test('long lists of constants are as short ones', (t) => {
  const filling = Array.from({ length: 300 }, (_, i) => (i % 3 === 0 ? [i, `t${i}`] : i))
  const last = (element: unknown) => ({ $arrayElemAt: [[...filling, element], -1] })
  const rows: [expression: unknown, expected: unknown][] = [
    [last('$a'), 7],
    [last(['$a']), [7]],
    [last('$$ROOT.a'), 7],
    [last({ $add: ['$a', 1] }), 8],
    [last({ b: '$a' }), { b: 7 }],
    [last('a$'), 'a$'],
    [last(''), ''],
    [last([]), []],
    [{ $size: [[...filling, '$none']] }, 301],
    [{ $literal: [...filling, '$a'] }, [...filling, '$a']],
    [{ $concatArrays: [filling, ['$a']] }, [...filling, 7]],
  ]
  for (const [expression, expected] of rows) {
    t.equal(shown(evaluate(expression, { a: 7 })), shown(valueFrom(expected)))
  }
  t.end()
})

t.test('a long list of constants counts its elements, whatever their names are', (t) => {
  const named = (name: (i: number) => string) => {
    const writer = new DocumentWriter(true)
    for (let i = 0; i < 400; i++) writer.int32(name(i), i)
    return writer.finishValue()
  }
  const counted = named(String)
  for (const name of [(i: number) => `0${i}`, (i: number) => String(i + 1), () => '', () => 'x']) {
    const list = compileExpression(named(name), scopeOf(context)).evaluate(
      envOf(documentValue(documentFrom({})), context),
    )
    t.same(list?.payload(), counted.payload())
  }
  t.end()
})
