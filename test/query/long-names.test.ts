// Names and paths above 16,383 bytes: V8 hashes only their length, so a Map compares each with all
// others. A request with few of them is answered, one with hundreds is refused by the work budget.

import t from 'tap'
import { work } from '../../src/base/work/work-budget.js'
import { requestUnits, stretchUnits } from '../../src/base/work/work-figures.js'
import { compileFilter } from '../../src/query/filter.js'
import { compilePipeline, runPipeline } from '../../src/query/pipeline.js'
import { compileProjection } from '../../src/query/projection.js'
import { compileUpdate } from '../../src/query/update.js'
import { documentFrom, valueFrom } from '../../src/value/literal.js'
import { context } from '../support/reading.js'

const long = 'x'.repeat(17_000)
const namesOf = (count: number) => Array.from({ length: count }, (_, i) => `${long}${i}`)
const each = (names: readonly string[], value: (i: number) => unknown) =>
  Object.fromEntries(names.map((name, i) => [name, value(i)]))

function stage(one: Readonly<Record<string, unknown>>): void {
  runPipeline(compilePipeline(valueFrom([one]), context), [documentFrom({ a: 1 })])
}

const requests: Readonly<Record<string, (names: readonly string[]) => void>> = {
  'a filter': (names) => void compileFilter(documentFrom(each(names, () => 1)), context),
  $or: (names) => {
    const branches = names.map((name) => ({ [name]: 1 }))
    compileFilter(documentFrom({ $or: branches }), context)
  },
  'a projection': (names) => {
    compileProjection(documentFrom(each(names, () => 1)), undefined, context)
  },
  'an exclusion': (names) => {
    compileProjection(documentFrom(each(names, () => 0)), undefined, context)
  },
  $set: (names) => {
    compileUpdate(valueFrom({ $set: each(names, () => 1) }), { context })
  },
  $rename: (names) => {
    compileUpdate(valueFrom({ $rename: each(names, (i) => `to${i}`) }), { context })
  },
  'a $project': (names) => stage({ $project: each(names, () => '$a') }),
  'an $unset': (names) => stage({ $unset: names }),
  'a $group': (names) => stage({ $group: { _id: null, ...each(names, () => ({ $sum: 1 })) } }),
  'paths of expressions': (names) => stage({ $project: { x: names.map((name) => `$${name}`) } }),
  'an object in an expression': (names) => stage({ $project: { x: each(names, () => '$a') } }),
  $arrayToObject: (names) => {
    const pairs = names.map((name) => [name, 1])
    stage({ $project: { x: { $arrayToObject: [{ $literal: pairs }] } } })
  },
  $mergeObjects: (names) => {
    stage({ $project: { x: { $mergeObjects: ['$b', { $literal: each(names, () => 1) }] } } })
  },
}

for (const [name, request] of Object.entries(requests)) {
  t.test(name, async (t) => {
    const bounded = (names: readonly string[]) =>
      work.within(Math.max(requestUnits, stretchUnits), () => request(names))
    t.doesNotThrow(() => bounded(namesOf(8)), '8 long names')
    t.throws(() => bounded(namesOf(300)), { message: /too much work/ }, '300 long names')
    const short = Array.from({ length: 300 }, (_, i) => `y${i}`)
    t.doesNotThrow(() => bounded(short), '300 short names')
  })
}

t.test('a projection of short names passes the long ones of a document', async (t) => {
  const short = Array.from({ length: 40 }, (_, i) => `y${i}`)
  const document = documentFrom({ ...each(namesOf(300), () => 1), y7: 2 })
  for (const kept of [1, 0]) {
    const projection = compileProjection(documentFrom(each(short, () => kept)), undefined, context)
    const found = work.within(stretchUnits, () => projection.apply(document))
    t.equal(found.length < 1_000, kept === 1)
  }
})
