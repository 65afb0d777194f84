// Values back out of keys: what comes back is the value, byte for byte, and what cannot come back is
// passed over or refused.

import { Binary, Decimal128, Double, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson'
import fc from 'fast-check'
import t from 'tap'
import { field } from '../../src/value/elements.js'
import { encodeKey } from '../../src/value/key.js'
import { readKeyPart } from '../../src/value/key-reader.js'
import { documentFrom, valueFrom } from '../../src/value/literal.js'
import { runs } from '../support/runs.js'

const bytesOf = (value: unknown): string => {
  const found = field(documentFrom({ value }), 'value')
  return found === undefined ? '' : `${found.type} ${Buffer.from(found.payload()).toString('hex')}`
}

function reads(value: unknown, descending: boolean): string | undefined {
  const before = Uint8Array.of(1, 2, 3)
  const key = Buffer.concat([before, encodeKey(valueFrom(value), descending), Uint8Array.of(4, 9)])
  const part = readKeyPart(key, before.length, descending)
  if (part === undefined) return undefined
  t.equal(part.end, key.length - 2, 'the next value begins behind it')
  const { value: read } = part
  if (read === undefined) return 'passed'
  return `${read.type} ${Buffer.from(read.payload()).toString('hex')}`
}

t.test('text, binaries, ids, truths, dates and timestamps come back', async (t) => {
  const values: unknown[] = [
    ...['', 'a', 'ä\u0000b\u0001', '\u0000', '\u0001\u0002', '𝄞', 'x'.repeat(300)],
    ...[true, false, new Date(0), new Date(-1), new Date(8.64e15), new Date('2026-11-21')],
    new ObjectId('0123456789abcdef01234567'),
    Timestamp.fromBits(7, 0xf0000001),
    ...[new Binary(Buffer.from([0, 1, 255]), 0), new Binary(Buffer.alloc(0), 4)],
    ...[new MinKey(), new MaxKey()],
  ]
  for (const value of values) {
    t.equal(reads(value, false), bytesOf(value))
    t.equal(reads(value, true), bytesOf(value))
  }
})

t.test('numbers and null are passed over, what is nested is not', async (t) => {
  const passed = [null, undefined, 0, -1, 1.5, -0.25, Infinity, -Infinity, NaN, Long.fromNumber(5)]
  for (const value of [...passed, new Double(3), Decimal128.fromString('2.5')]) {
    t.equal(reads(value, false), 'passed')
    t.equal(reads(value, true), 'passed')
  }
  const unknown = [{ a: 1 }, [1], Decimal128.fromString('0.1'), Decimal128.fromString('-0.1'), /x/]
  for (const value of unknown) {
    t.equal(reads(value, false), undefined)
    t.equal(reads(value, true), undefined)
  }
})

t.test('any text comes back, and a cut key is refused', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (text, descending) => {
      if (reads(text, descending) !== bytesOf(text)) throw new Error('another text')
      const key = encodeKey(valueFrom(text))
      for (let end = 1; end < key.length; end++) {
        if (readKeyPart(key.subarray(0, end), 0) !== undefined) throw new Error('a cut key is read')
      }
    }),
    { numRuns: runs(200) },
  )
  for (const value of [new ObjectId(), new Date(5), new Binary(Buffer.alloc(9)), 5, true]) {
    const key = encodeKey(valueFrom(value))
    for (let end = 1; end < key.length; end++) {
      t.equal(readKeyPart(key.subarray(0, end), 0), undefined)
    }
  }
})
