// Index specifications: what is accepted and echoed, what is refused and with which number.

import t, { type Test } from 'tap'
import { existingIndex, parseIndexSpec, parseIndexSpecs } from '../../src/engine/index-spec.js'
import type { IndexDescriptor, IndexId } from '../../src/engine/types.js'
import { documentFrom, toObject, valueFrom } from '../../src/value/literal.js'

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
    { a: 'hashed' },
    { '$**': 1 },
    { 'a.$**': 1 },
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
  const options: Plain[] = [
    { sparse: true },
    { hidden: true },
    { expireAfterSeconds: 60 },
    { partialFilterExpression: { a: 1 } },
    { collation: { locale: 'de' } },
    { wildcardProjection: { a: 1 } },
    { weights: { a: 1 } },
    { prepareUnique: true },
  ]
  for (const option of options) refuses(t, { key: { a: 1 }, name: 'a', ...option }, 115)
  parse({ key: { a: 1 }, name: 'a', collation: { locale: 'simple' } })
})

t.test('an existing index is the same, or a conflict of one of two kinds', async (t) => {
  const descriptor = (spec: Plain): IndexDescriptor => {
    const { name, fields, unique, document } = parse(spec)
    const rest = { state: 'ready', multikey: [], inexact: false } as const
    return { id: 1 as IndexId, name, fields, unique, spec: document, ...rest }
  }
  const have = [
    descriptor({ key: { a: 1 }, name: 'a_1' }),
    descriptor({ key: { b: 1 }, name: 'b' }),
  ]
  const find = (spec: Plain) => existingIndex(have, parse(spec))?.name
  t.equal(find({ key: { a: 1.0 }, name: 'a_1' }), 'a_1')
  t.equal(find({ key: { a: -1 }, name: 'a_-1' }), undefined)
  t.equal(find({ key: { a: 1, b: 1 }, name: 'ab' }), undefined)
  t.throws(() => find({ key: { a: 1 }, name: 'other' }), {
    code: 85,
    message: 'Index already exists with a different name: a_1',
  })
  t.throws(() => find({ key: { a: 1 }, name: 'other', unique: true }), { code: 85 })
  t.throws(() => find({ key: { a: 1 }, name: 'a_1', unique: true }), { code: 86 })
  t.throws(() => find({ key: { c: 1 }, name: 'b' }), { code: 86 })
})
