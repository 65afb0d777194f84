// What a document client may make of a key, and what it may not: each shape once, with its reason.

import t from 'tap'
import { GatewayError } from '../../../../src/base/errors.js'
import { keyNameBytesMax } from '../../../../src/base/limits/key-value.js'
import { checkKeyDocument } from '../../../../src/engine/keyspace/keys/guard.js'
import { documentFrom } from '../../../../src/value/literal.js'

type Plain = Readonly<Record<string, unknown>>

function refusal(object: Plain, before?: Plain): string {
  try {
    checkKeyDocument(documentFrom(object), before && documentFrom(before))
  } catch (error) {
    if (error instanceof GatewayError && error.code === 121) return error.message
    throw error
  }
  return 'allowed'
}

const head = { $truncated: true, count: 1000, id: 7 }

t.test('the shapes of keys', async (t) => {
  const good: readonly Plain[] = [
    { _id: 'a', type: 'string', value: 'x' },
    { value: 'x', type: 'string', _id: '' },
    { _id: 'a', type: 'string', value: 5, expiresAt: new Date(0) },
    { _id: Buffer.from([0xff]), type: 'string', value: Buffer.from([1]) },
    { _id: 'a', type: 'list', value: ['x', 'x', 1] },
    { _id: 'a', type: 'set', value: ['x', 'y'] },
    { _id: 'a', type: 'hash', value: { f: 'v', g: 1.5 } },
    { _id: 'a', type: 'hash', value: [{ field: '', value: 'v' }] },
    { _id: 'a', type: 'zset', value: [{ member: 'm', score: 1 }] },
    { _id: 'a', type: 'zset', value: [{ member: 'm', score: Number.POSITIVE_INFINITY }] },
  ]
  for (const object of good) t.equal(refusal(object), 'allowed', JSON.stringify(object))
})

t.test('what is no key is refused with its reason', async (t) => {
  const bad: readonly (readonly [Plain, RegExp])[] = [
    [{ _id: 1, type: 'string', value: 'x' }, /'_id' is a string/],
    [{ _id: Buffer.from('text'), type: 'string', value: 'x' }, /'_id' is a string/],
    [{ _id: 'x'.repeat(keyNameBytesMax + 1), type: 'string', value: 'x' }, /at most 65536 bytes/],
    [{ _id: 'a', value: 'x' }, /'type' is one of/],
    [{ _id: 'a', type: 'stream', value: 'x' }, /'type' is one of/],
    [{ _id: 'a', type: 'string' }, /has a 'value'/],
    [{ _id: 'a', type: 'string', value: null }, /a string, a number or binary/],
    [{ _id: 'a', type: 'string', value: 'x', more: 1 }, /no field 'more'/],
    [{ _id: 'a', type: 'string', value: 'x', expiresAt: 5 }, /'expiresAt' is a date/],
    [{ _id: 'a', type: 'list', value: 'x' }, /is an array/],
    [{ _id: 'a', type: 'list', value: [] }, /without members/],
    [{ _id: 'a', type: 'list', value: [['x']] }, /an element is/],
    [{ _id: 'a', type: 'set', value: ['1', 1] }, /stands twice/],
    [{ _id: 'a', type: 'hash', value: {} }, /without members/],
    [{ _id: 'a', type: 'hash', value: { f: { g: 1 } } }, /the value of a field/],
    [{ _id: 'a', type: 'hash', value: [{ field: 'f' }] }, /the value of a field/],
    [{ _id: 'a', type: 'zset', value: [{ member: 'm', score: Number.NaN }] }, /a score/],
    [{ _id: 'a', type: 'zset', value: [{ member: 'm' }] }, /a score/],
    [{ _id: 'a', type: 'hash', value: head }, /summary/],
  ]
  for (const [object, reason] of bad) t.match(refusal(object), reason, JSON.stringify(object))
})

t.test('the summary of a large container may stay, and change its time alone', async (t) => {
  const before = { _id: 'a', type: 'hash', value: head }
  t.equal(refusal({ ...before, expiresAt: new Date(9) }, before), 'allowed')
  t.match(refusal({ ...before, type: 'set' }, before), /summary/)
  t.match(refusal({ ...before, value: { ...head, count: 5 } }, before), /summary/)
  t.match(refusal({ ...before, value: { ...head, id: 8 } }, before), /summary/)
  t.match(refusal({ ...before, value: { extra: 'x', ...head } }, before), /summary/)
  t.equal(refusal({ ...before, value: { f: 'v' } }, before), 'allowed')
})
