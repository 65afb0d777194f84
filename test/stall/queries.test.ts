// Every operator of filters and updates and every stage over hostile documents: those with one
// large value each, and a collection of many.

import t from 'tap'
import { accumulators } from '../../src/query/accumulators.js'
import { fieldOperators } from '../../src/query/filter/operators.js'
import { topOperatorNames } from '../../src/query/filter/parse.js'
import { stageNames } from '../../src/query/stages/table.js'
import { windowFunctionNames } from '../../src/query/stages/windows/window-functions.js'
import { updateOperatorNames } from '../../src/query/update.js'
import { isLong } from '../support/seed.js'
import { type HostileKind, hostileKinds, large, type StallCase, specKinds } from './cases.js'
import { hunt } from './hunt.js'
import { keepValues, restoreValue } from './kept-values.js'
import { accumulatorOperand, stageSpecs } from './stage-specs.js'

const size = isLong ? 3_000_000 : 300_000
const many = isLong ? 20_000 : 5_000
const documentsAtOnce = 1_000

function command(name: string, fields: object): StallCase {
  return { kind: 'document', name, command: fields }
}

/** One document a kind in `values`, and many small ones in `many`. */
const prepare: StallCase[] = hostileKinds.map((kind) =>
  command(`insert ${kind}`, {
    insert: 'values',
    documents: [{ _id: kind, v: large(kind, size), w: large(kind, size - 100), n: 1 }],
  }),
)
for (let from = 0; from < many; from += documentsAtOnce) {
  const documents = Array.from({ length: documentsAtOnce }, (_, i) => ({
    _id: from + i,
    i: from + i,
    g: (from + i) % 10,
    text: `${'a'.repeat(200)}${(from + i) % 7}`,
    list: [from, i, 3],
    at: new Date(from + i).toISOString(),
  }))
  prepare.push(command('insert many', { insert: 'many', documents }))
}

const terms = isLong ? 100_000 : 20_000
const list = (kind: HostileKind = 'numbers') => large(kind, terms * 12)

/** What is long to compile: each character, or each table of Unicode. */
const hostilePatterns = [
  ...['.', 'a?', '(a)', 'ab|', '[^a]', '\\pL', '\\W', '\\R'].map((part) => {
    return part.repeat((isLong ? 32_000 : 3_200) / part.length)
  }),
  ...['\\pL{1000}', '(?:a|b){1000}', '[\\pL\\pN]{1000}'],
  `[${'\\PL\\pN'.repeat(isLong ? 5_000 : 100)}]`,
  `(?i)${'\\pL'.repeat(isLong ? 10_000 : 100)}`,
]

/** Operands of a field's operators. */
const operands: readonly unknown[] = [
  5,
  'a',
  large('text', size >> 2),
  large('almostText', size >> 2),
  list(),
  list('almostTexts'),
  list('nested'),
  { $elemMatch: { $gt: 1 } },
  { $in: list() },
  { v: 5 },
  { $or: Array.from({ length: 1_000 }, (_, i) => ({ k: `k${i}` })) },
  ['(a+)+b', 'i'],
  '(a|aa)+$',
  '^(?!b)a*b',
]

const filters: readonly object[] = [
  ...fieldOperators.flatMap(({ name }) => operands.map((operand) => ({ v: { [name]: operand } }))),
  ...['v.k', 'v.a.a.a.a', 'v.0.5', 'v.f9', 'v.v'].map((path) => ({ [path]: 5 })),
  { v: large('text', size) },
  { v: large('almostText', size) },
  { v: list('equalNumbers') },
  ...topOperatorNames.flatMap((name) => [
    { [name]: Array.from({ length: 5_000 }, (_, i) => ({ v: i })) },
    { [name]: [{ $expr: { $in: [5, '$v'] } }, { v: { $all: list() } }] },
    { [name]: { v: { $gt: 5 } } },
  ]),
  ...[300, 5_000].flatMap((count) => [
    { $or: Array.from({ length: count }, (_, i) => ({ v: { $regex: `a.*b${i}` } })) },
    { v: { $in: Array.from({ length: count }, (_, i) => new RegExp(`^x${i}[0-9]+(foo|bar)?$`)) } },
  ]),
  ...hostilePatterns.map((pattern) => ({ v: { $regex: pattern } })),
  { $jsonSchema: { properties: { v: { uniqueItems: true } } } },
  { $jsonSchema: { properties: { v: { enum: list() } } } },
  { $jsonSchema: { properties: { v: { patternProperties: { '(a|b)*c': { minLength: 1 } } } } } },
  { $jsonSchema: { properties: { v: { items: { enum: list('almostTexts') } } } } },
]

const values: readonly unknown[] = [
  5,
  large('text', size >> 1),
  list(),
  { $each: list() },
  { $each: list(), $sort: 1, $slice: 1_000 },
  { $each: [1], $position: 0 },
  { $in: list() },
  { $or: Array.from({ length: 1_000 }, (_, i) => ({ k: `k${i}` })) },
  { and: 5 },
  1,
  'u',
]

function finds(filter: object, title: string): StallCase[] {
  return hostileKinds.map((kind) =>
    command(`find ${title} of ${kind}`, {
      find: 'values',
      filter: { $and: [{ _id: kind }, filter] },
      projection: { _id: 1 },
    }),
  )
}

function updates(update: object, title: string): StallCase[] {
  return hostileKinds.map((kind) =>
    command(`update ${title} of ${kind}`, {
      update: 'values',
      updates: [{ q: { _id: kind }, u: update }],
    }),
  )
}

function short(value: object): string {
  return JSON.stringify(value).slice(0, 70)
}

t.test('every stage has its hostile forms', async (t) => {
  const known = new Set(Object.keys(stageSpecs))
  t.same(
    stageNames.filter((name) => !known.has(name)),
    [],
  )
})

t.test('no filter holds the loop', async (t) => {
  const cases = filters.flatMap((filter) => finds(filter, short(filter)))
  await hunt(t, cases, { prepare, stretches: 'documents' })
})

function hexId(n: number): string {
  return n.toString(16).padStart(24, '0')
}

/** Commands with as many names in one place as a message takes. */
const names = isLong ? 100_000 : 20_000
const widePlaces: Readonly<Record<string, (names: object) => object>> = {
  filter: (filter) => ({ find: 'many', filter, limit: 1 }),
  projection: (projection) => ({ find: 'many', projection, limit: 1 }),
  sort: (sort) => ({ find: 'many', sort, limit: 1 }),
  let: (given) => ({ find: 'many', let: given, limit: 1 }),
  key: (key) => ({ createIndexes: 'many', indexes: [{ name: 'x', key }] }),
  validator: (properties) => ({ create: 'made', validator: { $jsonSchema: { properties } } }),
  ...Object.fromEntries(
    ['$project', '$addFields', '$group', '$facet', '$match', '$sort', '$replaceWith'].map(
      (stage) => [
        stage,
        (spec: object) => ({
          ...{ aggregate: 'many', cursor: {} },
          pipeline: [{ [stage]: stage === '$group' ? { _id: spec } : spec }],
        }),
      ],
    ),
  ),
  ...Object.fromEntries(
    updateOperatorNames.flatMap((name) =>
      ['wide', 'text'].map((id) => [
        `${name} of ${id}`,
        (fields: object) => ({
          update: 'values',
          updates: [{ q: { _id: id }, u: { [name]: fields } }],
        }),
      ]),
    ),
  ),
}
t.test('no command with very many names holds the loop', async (t) => {
  const cases = Object.entries(widePlaces).flatMap(([place, of]) =>
    specKinds.map((kind) => command(`${place} of ${names} ${kind}`, of(large(kind, names)))),
  )
  const elements = Array.from({ length: names }, (_, i) => ({ v: i }))
  cases.push(
    command('$or', { find: 'many', filter: { $or: elements } }),
    command('$in', { find: 'many', filter: { i: { $in: elements.map(({ v }) => v) } }, limit: 1 }),
    command('wildcard', { createIndexes: 'wild', indexes: [{ name: 'w', key: { '$**': 1 } }] }),
    ...hostileKinds.map((kind) =>
      command(`wildcard leaves of ${kind}`, {
        insert: 'wild',
        documents: [{ v: large(kind, size) }],
      }),
    ),
  )
  for (const text of [{ text: 'x' }, { $or: elements }]) {
    const collated = ['nl', 'fi', 'tr', 'pl'].map((locale) => ({ q: text, collation: { locale } }))
    cases.push(
      command(`update collated ${Object.keys(text)}`, {
        update: 'many',
        updates: collated.map((one) => ({ ...one, u: { $set: { made: 1 } } })),
      }),
      command(`delete collated ${Object.keys(text)}`, {
        delete: 'many',
        deletes: collated.map((one) => ({ ...one, limit: 1 })),
      }),
    )
  }
  // Tables of weights that no command before has asked for.
  for (const locale of ['lt', 'sl', 'hu']) {
    const index = { name: locale, key: { text: 1 }, collation: { locale } }
    cases.push(command(`index collated ${locale}`, { createIndexes: 'many', indexes: [index] }))
  }
  cases.push(
    command('updates by _id', {
      ...{ update: 'many', ordered: false },
      updates: elements.map(({ v }) => ({ q: { _id: v }, u: { $set: { a: 1 } } })),
    }),
    command('deletes by _id', {
      ...{ delete: 'many', ordered: false },
      deletes: elements.map(({ v }) => ({ q: { _id: v }, limit: 1 })),
    }),
    command('updates that cannot be read', {
      ...{ update: 'many', ordered: false },
      updates: elements.map(({ v }) => ({ q: { _id: v }, u: { $sit: { a: 1 } } })),
    }),
    command('specifications', {
      createIndexes: 'many',
      indexes: elements.slice(0, names / 10).map(({ v }) => ({ name: `n${v}`, key: { a: v + 1 } })),
    }),
    ...[{ $or: elements }, { _id: { $in: elements.map(({ v }) => hexId(v)) } }].map(
      (filter): StallCase => ({
        ...{ kind: 'http', name: `HTTP ${Object.keys(filter)}`, method: 'POST' },
        ...{ path: '/api/v1/collections/many/find', json: { filter } },
      }),
    ),
  )
  await hunt(t, cases, { prepare })
})

t.test('no update holds the loop', async (t) => {
  const paths = ['v', 'v.5', 'v.$[]', 'v.$[].v', 'v.a.a', 'v.f9']
  const cases = updateOperatorNames.flatMap((name) =>
    paths.flatMap((path) =>
      values.flatMap((value) => {
        const update = { [name]: { [path]: value } }
        return updates(update, short(update))
      }),
    ),
  )
  await hunt(t, cases, { prepare: [...prepare, keepValues], restore: restoreValue })
})

t.test('no stage holds the loop', async (t) => {
  const cases: StallCase[] = []
  for (const [name, specs] of Object.entries(stageSpecs)) {
    for (const [i, spec] of specs.entries()) {
      const pipeline = Array.isArray(spec) ? spec : [{ [name]: spec }]
      cases.push(command(`${name} ${i} of many`, { aggregate: 'many', pipeline, cursor: {} }))
      for (const kind of hostileKinds) {
        cases.push(
          command(`${name} ${i} of ${kind}`, {
            aggregate: 'values',
            pipeline: [{ $match: { _id: kind } }, ...pipeline],
            cursor: {},
          }),
        )
      }
    }
  }
  for (const collation of [{ locale: 'de' }, { locale: 'en', strength: 1 }, { locale: 'zh' }]) {
    const sorted = { find: 'many', sort: { text: 1, i: -1 }, collation, batchSize: 10 }
    cases.push(command(`sort collated ${collation.locale}`, sorted))
  }
  await hunt(t, cases, { prepare })
})

const stepWindow = { window: { documents: [-1, 0] } }
/** $linearFill takes numbers alone. */
const isFor = (input: string) => (name: string) => name !== '$linearFill' || input === '$i'

t.test('no accumulator and no window function holds the loop', async (t) => {
  const inputs = ['$i', '$text', '$list']
  const groups = [...accumulators.keys()].filter((name) => name !== '$accumulator')
  const cases = inputs.flatMap((input) => [
    ...groups.map((name) => {
      const group = { $group: { _id: null, r: { [name]: accumulatorOperand(name, input) } } }
      return command(`${name} ${input}`, { aggregate: 'many', pipeline: [group], cursor: {} })
    }),
    ...windowFunctionNames.filter(isFor(input)).map((name) => {
      const r = {
        [name]: accumulatorOperand(name, input),
        ...(name === '$derivative' ? stepWindow : {}),
      }
      const window = { $setWindowFields: { sortBy: { i: 1 }, output: { r } } }
      return command(`window ${name} ${input}`, {
        ...{ aggregate: 'many', cursor: {} },
        pipeline: [window],
      })
    }),
  ])
  await hunt(t, cases, { prepare, succeeds: true })
})
