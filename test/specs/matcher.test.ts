// The rules of matching, from the unified test format's own text: a runner that matches too much
// would pass whatever the server does.

import { BSON } from 'mongodb'
import t from 'tap'
import { Mismatch, requireMatch } from './matcher.js'

const session = { id: new BSON.UUID('00112233-4455-6677-8899-aabbccddeeff') }
const context = {
  entity: (id: string) => (id === 'saved' ? { a: 1 } : undefined),
  sessionLsid: () => session,
}

const matches = (expected: unknown, actual: unknown) => {
  try {
    requireMatch(expected, actual, context, 'value')
    return true
  } catch (error) {
    if (error instanceof Mismatch) return false
    throw error
  }
}

t.test('a root may hold more than is expected, a nested document not', async (t) => {
  t.ok(matches({ a: 1 }, { a: 1, b: 2 }))
  t.ok(matches([{ a: 1 }], [{ a: 1, b: 2 }]), 'each document of an array is a root')
  t.notOk(matches({ a: { b: 1 } }, { a: { b: 1, c: 2 } }))
  t.ok(matches({ a: { b: 1 } }, { a: { b: 1, c: undefined } }), 'undefined is not there')
  t.notOk(matches({ a: 1, b: 2 }, { a: 1 }))
  t.notOk(matches({ a: [1] }, { a: [1, 2] }), 'arrays have one length')
  t.notOk(matches([], { a: 1 }))
})

t.test('numbers agree across types, other values only with their own', async (t) => {
  t.ok(matches({ n: 1 }, { n: new BSON.Int32(1) }))
  t.ok(matches({ n: BSON.Long.fromNumber(7) }, { n: 7 }))
  t.notOk(matches({ n: 1 }, { n: 2 }))
  t.notOk(matches({ n: 1 }, { n: '1' }))
  t.notOk(matches({ n: null }, { n: undefined }))
  t.ok(matches({ n: null }, { n: null }))
  t.notOk(matches({ d: new Date(0) }, { d: new Date(1) }))
  const id = new BSON.ObjectId('0123456789abcdef01234567')
  t.ok(matches({ id }, { id: new BSON.ObjectId('0123456789abcdef01234567') }))
  t.notOk(matches({ id }, { id: '0123456789abcdef01234567' }))
})

t.test('a Map of the driver is a document', async (t) => {
  t.ok(matches({ sort: { a: 1 } }, { sort: new Map([['a', 1]]) }))
  t.notOk(matches({ sort: { a: 1 } }, { sort: new Map([['a', -1]]) }))
})

t.test('operators stand for values', async (t) => {
  t.ok(matches({ a: { $$exists: true } }, { a: null }))
  t.notOk(matches({ a: { $$exists: true } }, {}))
  t.ok(matches({ a: { $$exists: false } }, {}))
  t.notOk(matches({ a: { $$exists: false } }, { a: 1 }))
  t.ok(matches({ a: { $$unsetOrMatches: 1 } }, {}))
  t.ok(matches({ a: { $$unsetOrMatches: 1 } }, { a: 1 }))
  t.notOk(matches({ a: { $$unsetOrMatches: 1 } }, { a: 2 }))
  t.ok(matches({ $$unsetOrMatches: { a: 1 } }, { a: 1, b: 2 }), 'a root stays a root')
  t.ok(matches({ a: { $$type: ['int', 'long'] } }, { a: 1 }))
  t.notOk(matches({ a: { $$type: 'int' } }, { a: 2 ** 40 }))
  t.notOk(matches({ a: { $$type: 'string' } }, { a: 1 }))
  t.ok(matches({ a: { $$lte: 5 } }, { a: 5 }))
  t.notOk(matches({ a: { $$lte: 5 } }, { a: 6 }))
  t.ok(matches({ a: { $$matchesEntity: 'saved' } }, { a: { a: 1 } }))
  t.notOk(matches({ a: { $$matchesEntity: 'saved' } }, { a: { a: 2 } }))
  t.ok(matches({ lsid: { $$sessionLsid: 's' } }, { lsid: { id: session.id } }))
  t.notOk(matches({ lsid: { $$sessionLsid: 's' } }, { lsid: { id: new BSON.UUID() } }))
  t.throws(() => matches({ a: { $$new: 1 } }, { a: 1 }), /knows no \$\$new/)
})
