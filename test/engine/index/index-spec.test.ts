// Index specifications: what is accepted and echoed, what is refused and with which number.

import t, { type Test } from 'tap'
import {
  existingIndex,
  parseIndexSpec,
  parseIndexSpecs,
} from '../../../src/engine/index/index-spec.js'
import type { IndexDescriptor, IndexId } from '../../../src/engine/types.js'
import { documentFrom, valueFrom } from '../../../src/value/literal.js'
import { toObject } from '../../support/literal.js'

type Plain = Readonly<Record<string, unknown>>

const parse = (spec: Plain) => parseIndexSpec(documentFrom(spec))

function refuses(t: Test, spec: Plain, code: number, message?: RegExp): void {
  t.throws(() => parse(spec), message === undefined ? { code } : { code, message })
}

t.test('a specification is echoed with its version, key, name and what is set', async (t) => {
  const spec = parse({ name: 'n', key: { a: 1, 'b.c': -1.0 }, unique: 1, background: true })
  t.same(toObject(spec.document), {
    v: 2,
    key: { a: 1, 'b.c': -1 },
    name: 'n',
    unique: true,
    background: true,
  })
  t.same(spec.fields, [
    { path: 'a', direction: 1 },
    { path: 'b.c', direction: -1 },
  ])
  const plain = parse({ key: { a: 17 }, name: 'a', unique: false, sparse: false, hidden: 0, v: 1 })
  t.same(toObject(plain.document), { v: 1, key: { a: 17 }, name: 'a' })
  t.same(plain.fields, [{ path: 'a', direction: 1 }])
})

t.test('the _id index is recognised by its key, whatever its name', async (t) => {
  t.ok(parse({ key: { _id: 1 }, name: 'mine' }).isId)
  t.notOk(parse({ key: { _id: 1, a: 1 }, name: 'x' }).isId)
  refuses(t, { key: { _id: -1 }, name: 'x' }, 2)
  refuses(t, { key: { _id: 1 }, name: '_id_', unique: true }, 197, /not valid for an _id index/)
  refuses(t, { key: { a: 1 }, name: '_id_' }, 2, /reserved for the _id index/)
})

t.test('keys that are no key patterns are 67', async (t) => {
  const keys: Plain[] = [
    {},
    { a: 0 },
    { a: Number.NaN },
    { a: true },
    { a: null },
    { a: 'up' },
    { a: 'text' },
    { a: '2dsphere' },
    { a: 'hashed', '$**': 1 },
    { '$**': 0 },
    { '$**': 'wildcard' },
    { 'a.$**.b': 1 },
    { '': 1 },
    { 'a..b': 1 },
    { 'a.': 1 },
    { $a: 1 },
    { 'a.$b': 1 },
    Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`f${i}`, 1])),
  ]
  for (const key of keys) refuses(t, { key, name: 'x' }, 67)
  parse({ key: { 'a.$id': 1 }, name: 'x' })
  parse({ key: Object.fromEntries(Array.from({ length: 32 }, (_, i) => [`f${i}`, 1])), name: 'x' })
})

t.test('missing and mistyped parts have their own numbers', async (t) => {
  refuses(t, { key: { a: 1 } }, 9, /The 'name' field is a required property/)
  refuses(t, { name: 'a' }, 9, /The 'key' field is a required property/)
  refuses(t, { key: 'a', name: 'a' }, 14)
  refuses(t, { key: { a: 1 }, name: 1 }, 14)
  refuses(t, { key: { a: 1 }, name: 'a', unique: 'yes' }, 14)
  refuses(t, { key: { a: 1 }, name: '' }, 67)
  refuses(t, { key: { a: 1 }, name: '*' }, 2)
  refuses(t, { key: { a: 1 }, name: 'a', v: 0 }, 67)
  refuses(t, { key: { a: 1 }, name: 'a', v: '2' }, 14)
  refuses(t, { key: { a: 1 }, name: 'a', uniq: true }, 197, /The field 'uniq' is not valid/)
  refuses(t, { key: { a: 1 }, name: 'a', toString: true }, 197)
  t.throws(() => parseIndexSpecs([]), { code: 2 })
  t.throws(() => parseIndexSpecs([valueFrom(1)]), { code: 14 })
})

t.test('what is not served is refused, never silently dropped', async (t) => {
  const options: Plain[] = [{ weights: { a: 1 } }]
  for (const option of options) refuses(t, { key: { a: 1 }, name: 'a', ...option }, 115)
  parse({ key: { a: 1 }, name: 'a', collation: { locale: 'simple' } })
})

function descriptor(spec: Plain): IndexDescriptor {
  const { name, fields, unique, document } = parse(spec)
  const rest = { state: 'ready', multikey: [], inexact: false } as const
  return { id: 1 as IndexId, name, fields, unique, spec: document, ...rest }
}

t.test('an existing index is the same, or a conflict of one of two kinds', async (t) => {
  const have = [
    descriptor({ key: { a: 1 }, name: 'a_1' }),
    descriptor({ key: { b: 1 }, name: 'b' }),
  ]
  const find = (spec: Plain) => existingIndex(have, parse(spec))?.name
  t.equal(find({ key: { a: 1.0 }, name: 'a_1' }), 'a_1')
  t.equal(find({ key: { a: -1 }, name: 'a_-1' }), undefined)
  t.equal(find({ key: { a: 1, b: 1 }, name: 'ab' }), undefined)
  t.equal(find({ key: { a: 1 }, name: 'a_1', hidden: true }), 'a_1')
  t.throws(() => find({ key: { a: 1 }, name: 'other' }), {
    code: 85,
    message: 'Index already exists with a different name: a_1',
  })
  t.throws(() => find({ key: { a: 1 }, name: 'a_1', unique: true }), { code: 86 })
  t.throws(() => find({ key: { c: 1 }, name: 'b' }), { code: 86 })
  const storageEngine = { one: {} }
  t.throws(() => find({ key: { a: 1 }, name: 'other', storageEngine }), {
    code: 85,
    message: /^An equivalent index already exists with a different name and options/,
  })
  t.throws(() => find({ key: { a: 1 }, name: 'a_1', storageEngine }), {
    code: 85,
    message: /^An equivalent index already exists with the same name but different options/,
  })
})

t.test('indexes over one key may differ by unique, sparse or partial filter', async (t) => {
  const have = [
    descriptor({ key: { a: 1 }, name: 'plain' }),
    descriptor({ key: { a: 1 }, name: 'unique', unique: true }),
    descriptor({ key: { a: 1 }, name: 'sparse', sparse: true }),
    descriptor({ key: { a: 1 }, name: 'partial', partialFilterExpression: { b: 1 } }),
  ]
  const find = (spec: Plain) => existingIndex(have, parse({ key: { a: 1 }, ...spec }))?.name
  t.equal(find({ name: 'x', partialFilterExpression: { b: 2 } }), undefined)
  t.equal(find({ name: 'x', unique: true, sparse: true }), undefined)
  t.equal(find({ name: 'partial', partialFilterExpression: { b: 1.0 } }), 'partial')
  t.throws(() => find({ name: 'x', sparse: true }), { code: 85 })
  t.throws(() => find({ name: 'sparse' }), { code: 86 })
})

t.test('sparse, hidden and partial are echoed when set', async (t) => {
  const spec = parse({ key: { a: 1 }, name: 'a', sparse: 1, hidden: true, unique: true })
  t.same(toObject(spec.document), {
    v: 2,
    key: { a: 1 },
    name: 'a',
    unique: true,
    sparse: true,
    hidden: true,
  })
  const partialFilterExpression = { b: { $gt: 5 } }
  const partial = parse({ key: { a: 1 }, name: 'a', sparse: false, partialFilterExpression })
  t.same(toObject(partial.document), { v: 2, key: { a: 1 }, name: 'a', partialFilterExpression })
})

t.test(
  'a partial filter takes equality, ranges, $exists: true, $type, $in, $and, $or',
  async (t) => {
    const partial = (partialFilterExpression: unknown, rest: Plain = {}): Plain => ({
      key: { a: 1 },
      name: 'a',
      partialFilterExpression,
      ...rest,
    })
    const good: Plain[] = [
      {},
      { b: 1, c: null },
      { b: { $eq: 1 } },
      { b: { $exists: true } },
      { b: { $gt: 1, $lte: 5 } },
      { b: { $gte: 1, $lt: 5 } },
      { b: { $type: 'string' } },
      { b: { $in: [1, 2] } },
      { $and: [{ b: 1 }, { $or: [{ c: 1 }, { d: { $gt: 1 } }] }] },
    ]
    for (const filter of good) parse(partial(filter))
    const bad: Plain[] = [
      { b: { $exists: false } },
      { b: { $ne: 1 } },
      { b: { $nin: [1] } },
      { b: { $not: { $gt: 1 } } },
      { b: /x/ },
      { b: { $mod: [2, 0] } },
      { b: { $size: 1 } },
      { b: { $elemMatch: { c: 1 } } },
      { $nor: [{ b: 1 }] },
      { $or: [{ b: 1 }, { c: { $ne: 1 } }] },
    ]
    for (const filter of bad) {
      refuses(t, partial(filter), 67, /Expression not supported in partial index/)
    }
    refuses(t, partial({ $expr: { $eq: ['$a', 1] } }), 224)
    refuses(t, partial({ b: { $what: 1 } }), 2)
    refuses(t, partial(5), 14)
    refuses(t, partial({ b: 1 }, { sparse: true }), 67, /cannot mix/)
    refuses(t, { key: { _id: 1 }, name: '_id_', partialFilterExpression: { a: 1 } }, 197)
    refuses(t, { key: { _id: 1 }, name: '_id_', sparse: true }, 197)
    refuses(t, { key: { _id: 1 }, name: '_id_', hidden: true }, 197)
  },
)

t.test('a TTL index has one field, and seconds that fit an int32', async (t) => {
  const ttl = (expireAfterSeconds: unknown, key: Plain = { a: 1 }): Plain => ({
    key,
    name: 'a',
    expireAfterSeconds,
  })
  const spec = parse(ttl(60.7, { a: -1 }))
  t.same(toObject(spec.document), { v: 2, key: { a: -1 }, name: 'a', expireAfterSeconds: 60 })
  parse(ttl(0))
  parse(ttl(2_147_483_647))
  for (const bad of [-1, 2_147_483_648, Number.NaN, Number.POSITIVE_INFINITY, '60', true, null]) {
    refuses(t, ttl(bad), 67, /expireAfterSeconds/)
  }
  refuses(t, ttl(60, { a: 1, b: 1 }), 67, /single-field indexes/)
  refuses(t, ttl(60, { _id: 1 }), 197)
})
