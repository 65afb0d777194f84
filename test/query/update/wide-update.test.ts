// Updates of very many fields: what is found by name in a wide document is what a scan would find,
// and all fields are not gone through once for each of them.

import { Decimal128 } from 'bson'
import t from 'tap'
import { work } from '../../../src/base/work/work-budget.js'
import { writeStretchUnits, writeTurnUnits } from '../../../src/base/work/work-figures.js'
import { Elements } from '../../../src/value/elements.js'
import { documentFrom } from '../../../src/value/literal.js'
import { int32Value } from '../../../src/value/value.js'
import { DocumentWriter } from '../../../src/value/writer.js'
import { toObject } from '../../support/literal.js'
import type { Literal } from '../../support/query.js'
import { compile } from '../../support/updates.js'

const count = 4_000
const options = { matchedIndex: undefined, isInsert: false }

function fields(from: number, to: number, value: unknown, above = ''): Record<string, unknown> {
  const names = Array.from({ length: to - from }, (_, i) => [`${above}f${from + i}`, value])
  return Object.fromEntries(names)
}

t.test('fields are set and taken away in a wide document by their names', async (t) => {
  const before = documentFrom({ _id: 1, ...fields(0, count, 0) })
  const update = {
    $set: fields(1_000, 1_500, 1),
    $unset: fields(2_000, 2_500, ''),
    $inc: fields(count, count + 500, 2),
  }
  const expected: Record<string, unknown> = { _id: 1, ...fields(0, count, 0), ...update.$set }
  for (const name of Object.keys(update.$unset)) delete expected[name]
  const after = toObject(compile(update).apply(before, options))
  t.same(after, { ...expected, ...update.$inc })
})

t.test('where names repeat, the first is changed, then the next', async (t) => {
  const writer = new DocumentWriter()
  for (let i = 0; i < 100; i++) writer.value(`f${i}`, int32Value(i))
  writer.value('f50', int32Value(1_000))
  const update = { $unset: fields(0, 60, '') }
  const once = compile(update).apply(writer.finish(), options)
  const names: string[] = []
  const elements = new Elements(once)
  while (elements.next()) names.push(elements.name())
  t.equal(names.length, 41)
  t.equal(names.at(-1), 'f50')
})

t.test('the work of an update grows as its fields do', async (t) => {
  const spent = (fieldsSet: number): number => {
    const before = work.spent
    compile({ $set: fields(0, fieldsSet, 1) }).apply(documentFrom({ _id: 1 }), options)
    return work.spent - before
  }
  t.ok(spent(count) < 6 * spent(count / 4), 'four times the fields are not sixteen times the work')
})

t.test('many values that are added to a set are hashed, also where there was none', async (t) => {
  const spent = (values: number): number => {
    const update = { $addToSet: { made: { $each: Array.from({ length: values }, (_, i) => i) } } }
    const compiled = compile(update)
    const before = work.spent
    const after = toObject(compiled.apply(documentFrom({ _id: 1 }), options))
    t.equal((after.made as unknown[]).length, values)
    return work.spent - before
  }
  t.ok(spent(count) >= count, 'each is paid for')
  t.ok(spent(count) < 6 * spent(count / 4), 'four times the values are not sixteen times the work')
})

t.test('an operand that is put into each element of an array is measured once', async (t) => {
  const operand = Array.from({ length: count }, (_, i) => i)
  const spent = (elements: number): number => {
    const compiled = compile({ $set: { 'v.$[].w': operand } })
    const document = documentFrom({ _id: 1, v: Array.from({ length: elements }, () => ({ w: 0 })) })
    const before = work.spent
    const after = toObject(compiled.apply(document, options))
    t.same((after.v as { w: unknown }[]).at(-1)?.w, operand)
    return work.spent - before
  }
  const more = spent(40) - spent(10)
  t.ok(more < count, `${more} units of thirty elements more`)
})

const counters = (length: number) => Array.from({ length }, (_, i) => ({ n: i, list: [i] }))
const filtered = [{ 'e.n': { $gte: 0 } }, { 'f.n': { $gte: 1 } }]

/** Updates of each element of an array, and of arrayFilters. */
const perElement: readonly (readonly [Literal, Literal[]])[] = [
  [{ $set: { 'v.$[]': { a: 1 } } }, []],
  [{ $set: { 'v.$[].made.deep.down': 1 } }, []],
  [{ $set: { 'v.$[].a': 1, 'v.$[].b': 1, 'v.$[].n': 1 } }, []],
  [{ $unset: { 'v.$[]': 1 } }, []],
  [{ $inc: { 'v.$[].n': Decimal128.fromString('0.1') } }, []],
  [{ $bit: { 'v.$[].n': { and: 7, or: 3, xor: 1 } } }, []],
  [{ $push: { 'v.$[].list': 5 } }, []],
  [{ $set: { 'v.$[e].n': -1 } }, filtered.slice(0, 1)],
  [{ $set: { 'v.$[e].n': -1, 'v.$[f].list': 1 } }, filtered],
]

t.test('100,000 elements are too much for one program, 10,000 are not', async (t) => {
  for (const [update, arrayFilters] of perElement) {
    const compiled = compile(update, arrayFilters)
    const spent = (elements: number): number => {
      const document = documentFrom({ _id: 1, v: counters(elements) })
      const before = work.spent
      compiled.apply(document, options)
      return work.spent - before
    }
    const few = spent(10_000)
    const many = spent(100_000)
    const name = JSON.stringify(update)
    t.ok(few < writeStretchUnits, `${name} of few: ${few}`)
    t.ok(many > writeTurnUnits + writeStretchUnits, `${name} of many: ${many}`)
  }
})

t.test('fields that a stage makes in each element of an array are counted', async (t) => {
  const document = documentFrom({ _id: 1, v: counters(1_000) })
  const compiled = compile([{ $set: fields(0, 100, 1, 'v.') }])
  const before = work.spent
  compiled.apply(document, options)
  t.ok(work.spent - before > 100_000, `${work.spent - before} units of 100,000 fields`)
})
