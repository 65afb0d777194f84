import fc from 'fast-check'
import t from 'tap'
import { compareBytes, mapKey } from '../../src/base/bytes/bytes.js'
import { Slice } from '../../src/base/bytes/slice.js'
import { keyBytesMax } from '../../src/base/limits/store.js'
import { compareValues, equalValues } from '../../src/value/compare.js'
import { encodeKey, equalityKey, hashKey, KeyWriter } from '../../src/value/key.js'
import { valueFrom } from '../../src/value/literal.js'
import {
  dateValue,
  doubleValue,
  int32Value,
  int64Value,
  nullValue,
  stringValue,
  type Value,
} from '../../src/value/value.js'
import { runs } from '../support/runs.js'
import { numbers, pairs, values } from './arbitrary.js'

const hex = (v: Value, descending = false) => Buffer.from(encodeKey(v, descending)).toString('hex')

function agrees([a, b]: readonly [Value, Value]): void {
  const expected = Math.sign(compareValues(a, b))
  const rising = Math.sign(compareBytes(encodeKey(a), encodeKey(b)))
  if (rising !== expected) throw new Error(`${expected}: ${hex(a)} and ${hex(b)}`)
  const falling = Math.sign(compareBytes(encodeKey(a, true), encodeKey(b, true)))
  if (falling !== -expected + 0) throw new Error(`falling ${expected}: ${hex(a)} and ${hex(b)}`)
  if ((equalityKey(a) === equalityKey(b)) !== equalValues(a, b)) {
    throw new Error(`equality key: ${hex(a)} and ${hex(b)}`)
  }
}

t.test('keys sort as values do, descending ones inverted', async () => {
  fc.assert(fc.property(pairs, agrees), { numRuns: runs(10_000) })
  fc.assert(fc.property(fc.tuple(values, values), agrees), { numRuns: runs(5_000) })
})

t.test('a text has the key of its value', async () => {
  const piece = fc.constantFrom('\0', '\u0001', '\u0002', 'a', 'Z~\u007f', 'é', '東', '😀')
  const text = fc.oneof(
    fc.string(),
    fc.array(piece).map((all) => all.join('')),
  )
  const writer = new KeyWriter()
  const property = fc.property(text, (text) => {
    const written = writer.reset().u8(7).string(text).finish()
    const expected = writer.reset().u8(7).value(stringValue(text)).finish()
    if (compareBytes(written, expected) !== 0) throw new Error(JSON.stringify(text))
  })
  fc.assert(property, { numRuns: runs(2_000) })
})

t.test('keys of numbers sort as numbers do, whatever their types', async () => {
  fc.assert(fc.property(fc.tuple(numbers, numbers), agrees), { numRuns: runs(20_000) })
})

t.test('a compound key sorts by its fields, each in its direction', async () => {
  const rows = fc.tuple(values, values, numbers)
  const check = (a: [Value, Value, Value], b: [Value, Value, Value], falls: boolean[]) => {
    const key = (row: readonly Value[]) => {
      const writer = new KeyWriter()
      row.forEach((v, i) => {
        writer.value(v, falls[i])
      })
      return writer.finish()
    }
    let expected = 0
    for (let i = 0; i < 3 && expected === 0; i++) {
      const order = Math.sign(compareValues(a[i] as Value, b[i] as Value))
      expected = falls[i] ? -order : order
    }
    return Math.sign(compareBytes(key(a), key(b))) === expected + 0
  }
  const directions = fc.array(fc.boolean(), { minLength: 3, maxLength: 3 })
  fc.assert(fc.property(rows, rows, directions, check), { numRuns: runs(5_000) })
})

t.test('no key is the beginning of another', async () => {
  const check = ([a, b]: [Value, Value]) => {
    const [left, right] = [encodeKey(a), encodeKey(b)]
    const shared = Math.min(left.length, right.length)
    const isPrefix = compareBytes(left.subarray(0, shared), right.subarray(0, shared)) === 0
    return !isPrefix || equalValues(a, b)
  }
  fc.assert(fc.property(pairs, check), { numRuns: runs(10_000) })
})

t.test('deep nesting keeps the order', async (t) => {
  let low: unknown = 1
  let high: unknown = 2
  for (let depth = 0; depth < 150; depth++) {
    ;[low, high] = depth % 2 === 0 ? [{ a: low }, { a: high }] : [[low], [high]]
  }
  agrees([valueFrom(low), valueFrom(high)])
  agrees([valueFrom(high), valueFrom(high)])
  t.pass()
})

t.test('the stored form of keys does not change', async (t) => {
  t.equal(hex(nullValue), '10')
  t.equal(hex(int32Value(1)), '20bff000000000000000')
  t.equal(hex(doubleValue(-1)), '20400fffffffffffffff')
  t.equal(hex(doubleValue(Number.NaN)), '20000000000000000000')
  t.equal(hex(int64Value(2n ** 53n + 1n)), '20c3400000000000000180085b08145d374b0a5e00')
  t.equal(hex(stringValue('a\0\u0001b')), '3061010101026200')
  t.equal(hex(stringValue('a'), true), 'cf9eff')
  t.equal(hex(valueFrom({ a: 1 })), '40206100bff00000000000000000')
  t.equal(hex(valueFrom([null])), '501000')
  t.equal(hex(dateValue(0)), '708000000000000000')
})

t.test('a writer is reused, and what it gave stays', async (t) => {
  const writer = new KeyWriter()
  const first = writer.u8(1).u32(0xfffefdfc).bytes(Uint8Array.of(9)).finish()
  const second = writer
    .reset()
    .value(stringValue('x'.repeat(1_000)))
    .finish()
  t.same([...first], [1, 0xff, 0xfe, 0xfd, 0xfc, 9])
  t.equal(second.length, 1_002)
  t.equal(writer.length, 1_002)
})

// V8 hashes only the length of a text above 16,383 characters: a Map would compare all of them.
t.test('keys of long values for a Map are short, and as distinct as the values', (t) => {
  const long = (text: string, length = 20_000) => `${'a'.repeat(length)}${text}`
  const keysOf: Readonly<Record<string, (text: string) => string | number>> = {
    equalityKey: (text) => equalityKey(stringValue(text)),
    hashKey: (text) => hashKey(stringValue(text)),
    array: (text) => equalityKey(valueFrom([text])),
    slice: (text) => Slice.of(Buffer.from(`x${text}`)).mapKey(),
  }
  for (const [name, keyOf] of Object.entries(keysOf)) {
    const texts = [long('b'), long('c'), long(''), 'a', String(keyOf(long('b')))]
    const keys = new Set(texts.map(keyOf))
    t.equal(keys.size, texts.length, `${name}: distinct`)
    t.ok(String(keyOf(long('b'))).length < 100, `${name}: short`)
    t.equal(keyOf(long('b')), keyOf(long('b')), `${name}: equal`)
  }
  const storeKey = Buffer.alloc(keyBytesMax, 7)
  t.same(Buffer.from(mapKey(storeKey), 'latin1'), storeKey, 'that of a store has its bytes')
  t.end()
})
