// Updates by a pipeline, by arrayFilters, and upserts, of documents with one hostile value each.
// The operators alone are in queries.test.ts.

import t from 'tap'
import { isLong } from '../support/seed.js'
import { type HostileKind, hostileKinds, large, type StallCase } from './cases.js'
import { hunt } from './hunt.js'
import { keepValues, restoreValue } from './kept-values.js'

const size = isLong ? 3_000_000 : 300_000
const terms = isLong ? 100_000 : 20_000
const names = isLong ? 50_000 : 10_000
const list = (kind: HostileKind = 'numbers') => large(kind, terms * 12)

function command(name: string, fields: object): StallCase {
  return { kind: 'document', name, command: fields }
}

const prepare: readonly StallCase[] = [
  ...hostileKinds.map((kind) =>
    command(`insert ${kind}`, {
      insert: 'values',
      documents: [{ _id: kind, v: large(kind, size), w: large(kind, size >> 1), n: 1 }],
    }),
  ),
  keepValues,
]

function ofEach(title: string, update: object): StallCase[] {
  return hostileKinds.map((kind) =>
    command(`${title} of ${kind}`, {
      update: 'values',
      updates: [{ q: { _id: kind }, ...update }],
    }),
  )
}

function short(value: object): string {
  return JSON.stringify(value).slice(0, 90)
}

const both = ['$v', '$w']
const set = (v: unknown) => [{ $set: { v } }]

const pipelines: readonly (readonly object[])[] = [
  ...set('$w'),
  ...[{ $set: { made: '$v' } }, { $set: { 'v.x': 5 } }, { $set: { 'v.v': '$n' } }],
  ...[{ $set: { 'a.b.c': '$v' } }, { $set: { 'v.a.a': '$$REMOVE' } }],
  ...[{ $unset: 'v' }, { $unset: ['v.v', 'v.a.a', 'v.f9'] }],
  ...[{ $project: { v: 1 } }, { $project: { 'v.v': 0 } }, { $project: { 'v.v': 1, 'v.a': 1 } }],
  ...[{ $replaceWith: { $mergeObjects: ['$$ROOT', { a: 1 }] } }, { $replaceWith: { a: both } }],
  ...set({ $concatArrays: ['$v', '$w', [1]] }),
  ...set({ $map: { input: '$v', in: { a: '$$this' } } }),
  ...set({ $filter: { input: '$v', cond: { $gt: ['$$this', 'a'] } } }),
  ...set({ $reduce: { input: '$v', initialValue: 0, in: { $add: ['$$value', 1] } } }),
  ...['$setUnion', '$setDifference', '$setIntersection', '$setEquals', '$setIsSubset'].flatMap(
    (name) => set({ [name]: both }),
  ),
  ...set({ $setUnion: ['$v', [1]] }),
  ...set({ $sortArray: { input: '$v', sortBy: -1 } }),
  ...['$objectToArray', '$arrayToObject', '$reverseArray', '$toUpper', '$size'].flatMap((name) =>
    set({ [name]: '$v' }),
  ),
  ...set({ $slice: ['$v', 5] }),
  ...set({ $concat: ['$v', '$w'] }),
].map((stage) => [stage])

const longPipelines: readonly (readonly object[])[] = [
  Array.from({ length: 200 }, (_, i) => ({ $set: { [`s${i}`]: i } })),
  [{ $set: { v: list() } }, { $set: { v: { $concatArrays: ['$v', '$v'] } } }, { $unset: 'w' }],
  [{ $set: Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`v.f${i}`, i])) }],
  [{ $unset: Array.from({ length: 1_000 }, (_, i) => `v.f${i}`) }],
]

/** Conditions of an identifier `e`, or of a field below it. */
const conditions: readonly object[] = [
  ...[{ e: { $gt: 5 } }, { e: { $ne: 'x' } }, { 'e.v': { $ne: 5 } }, { 'e.0': { $gte: 0 } }],
  ...[{ e: { $regex: '(a+)+b' } }, { e: { $in: list() } }, { e: { $nin: list('almostTexts') } }],
  { $or: Array.from({ length: 1_000 }, (_, i) => ({ 'e.k': i })) },
  { 'e.v': { $elemMatch: { $gt: 1 } } },
]

const changes: readonly object[] = [
  ...[{ $set: { 'v.$[e]': 5 } }, { $set: { 'v.$[e].v': 5 } }, { $unset: { 'v.$[e]': 1 } }],
  ...[{ $set: { 'v.$[e]': { a: 1 } } }, { $max: { 'v.$[e]': 'z' } }, { $inc: { 'v.$[e]': 1 } }],
  { $bit: { 'v.$[e]': { and: 5, xor: 3 } } },
  { $currentDate: { 'v.$[e].at': true } },
]

const identifiers = Array.from({ length: 300 }, (_, i) => `e${i}`)

t.test('no update by a pipeline holds the loop', async (t) => {
  const cases = [...pipelines, ...longPipelines].flatMap((u) => ofEach(short(u), { u }))
  await hunt(t, cases, { prepare, restore: restoreValue })
})

t.test('no update by arrayFilters holds the loop', async (t) => {
  const cases = conditions.flatMap((condition) =>
    changes.flatMap((u) =>
      ofEach(`${short(condition)} ${short(u)}`, { u, arrayFilters: [condition] }),
    ),
  )
  const many = {
    u: { $set: Object.fromEntries(identifiers.map((name) => [`v.$[${name}].${name}`, 1])) },
    arrayFilters: identifiers.map((name) => ({ [name]: { $ne: 5 } })),
  }
  const two = {
    u: { $set: { 'v.$[e].a': 1, 'v.$[f].b': 2 } },
    arrayFilters: [{ e: { $ne: 5 } }, { f: { $gt: 'a' } }],
  }
  cases.push(...ofEach('many identifiers', many), ...ofEach('two identifiers', two))
  await hunt(t, cases, { prepare, restore: restoreValue })
})

const equalities = Array.from({ length: names }, (_, i) => ({ [`k${i}`]: i }))
const fieldsOf = (of: (i: number) => [string, unknown]) =>
  Object.fromEntries(Array.from({ length: names }, (_, i) => of(i)))

/** Filter and update of an upsert. The filter never matches what is inserted. */
const upserts: readonly (readonly [string, object, unknown])[] = [
  ['equalities', { n: 7, $and: equalities }, { $set: { n: 8 } }],
  [
    'paths of one',
    { n: 7, $and: equalities.map((_, i) => ({ [`a.k${i}`]: i })) },
    { $set: { n: 8 } },
  ],
  ['nested equalities', { n: 7, [`${'a.'.repeat(80)}a`]: 1 }, { $set: { n: 8 } }],
  ['$setOnInsert', { n: 7 }, { $setOnInsert: fieldsOf((i) => [`k${i}`, i]), $set: { n: 8 } }],
  ['$set', { n: 7 }, { $set: fieldsOf((i) => [`a.k${i}.b`, i]), $inc: { n: 8 } }],
  ['$min', { n: 7 }, { $min: fieldsOf((i) => [`k${i}`, i]), $set: { n: 8 } }],
  ['$currentDate', { n: 7 }, { $currentDate: fieldsOf((i) => [`k${i}`, true]), $set: { n: 8 } }],
  ['$bit', { n: 7 }, { $bit: fieldsOf((i) => [`k${i}`, { or: i }]), $set: { n: 8 } }],
  ['dollar names', { n: 7 }, { $set: fieldsOf((i) => (i === 0 ? ['n', 8] : [`$k${i}`, i])) }],
  ['replacement', { n: 7 }, fieldsOf((i) => [`k${i}`, i])],
  [
    'pipeline',
    { n: 7 },
    [{ $set: { n: 8, v: list(), w: list() } }, { $set: { u: { $setUnion: both } } }],
  ],
]

t.test('no upsert holds the loop', async (t) => {
  const cases = upserts.map(([title, q, u]) =>
    command(`upsert ${title} of one`, { update: 'made', updates: [{ q, u, upsert: true }] }),
  )
  for (const kind of hostileKinds) {
    const v = large(kind, size)
    const updates: readonly [string, object, unknown][] = [
      ['filter', { n: 7, v: { $eq: v } }, { $set: { n: 8 } }],
      ['$setOnInsert', { n: 7 }, { $setOnInsert: { v }, $set: { n: 8 } }],
      ['pipeline', { n: 7 }, [{ $set: { n: 8, v: { $literal: v } } }]],
      ['replacement', { n: 7 }, { v }],
    ]
    for (const [title, q, u] of updates) {
      cases.push(
        command(`upsert ${title} of ${kind}`, {
          update: 'made',
          updates: [{ q, u, upsert: true }],
        }),
        command(`findAndModify ${title} of ${kind}`, {
          ...{ findAndModify: 'made', query: q, update: u },
          ...{ upsert: true, new: true },
        }),
      )
    }
  }
  const wide = { $rename: fieldsOf((i) => [`f${i}`, `g${i}`]) }
  cases.push(...ofEach('$rename of all', { u: wide }))
  await hunt(t, cases, { prepare, restore: restoreValue })
})
