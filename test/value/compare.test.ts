import fc from 'fast-check'
import t, { type Test } from 'tap'
import { work } from '../../src/base/work/work-budget.js'
import { compareValues, equalValues, sameBytes, typeClass } from '../../src/value/compare.js'
import { decimalFromString } from '../../src/value/decimal.js'
import { documentFrom, valueFrom } from '../../src/value/literal.js'
import {
  arrayValue,
  binaryValue,
  bsonType,
  dateValue,
  documentValue,
  doubleValue,
  falseValue,
  int32Value,
  int64Value,
  maxKeyValue,
  minKeyValue,
  nullValue,
  objectIdValue,
  stringValue,
  timestampValue,
  trueValue,
  undefinedValue,
  type Value,
} from '../../src/value/value.js'
import { writeArray, writeDocument } from '../../src/value/writer.js'
import { runs } from '../support/runs.js'
import { documentOfFields, numbers, pairs, regexValue, values } from './arbitrary.js'

const decimal = decimalFromString
const object = (fields: Record<string, unknown>) => documentValue(documentFrom(fields))
const array = (...items: unknown[]) => valueFrom(items)

/** Every value is below the next one. */
function rising(t: Test, sorted: readonly Value[]): void {
  for (const [i, low] of sorted.entries()) {
    for (const high of sorted.slice(i + 1)) {
      t.ok(compareValues(low, high) < 0, `0x${low.type.toString(16)} < 0x${high.type.toString(16)}`)
      t.ok(compareValues(high, low) > 0)
    }
    t.equal(compareValues(low, low), 0)
  }
}

t.test('types sort in the order of the specification', async (t) => {
  rising(t, [
    minKeyValue,
    undefinedValue,
    nullValue,
    int32Value(5),
    stringValue(''),
    object({}),
    array(),
    binaryValue(0, new Uint8Array(0)),
    objectIdValue(new Uint8Array(12)),
    falseValue,
    trueValue,
    dateValue(-1),
    dateValue(0),
    timestampValue(0, 1),
    regexValue('a', ''),
    maxKeyValue,
  ])
})

t.test('numbers of different types compare by exact value', async (t) => {
  rising(t, [
    doubleValue(Number.NaN),
    doubleValue(-Infinity),
    decimal('-9.999999999999999999999999999999999E+6144'),
    doubleValue(-Number.MAX_VALUE),
    int64Value(-(2n ** 63n)),
    int64Value(-(2n ** 53n) - 1n),
    doubleValue(-(2 ** 53)),
    decimal('-0.1000000000000000055511151231257828'),
    doubleValue(-0.1),
    decimal('-0.1'),
    doubleValue(-5e-324),
    decimal('-1E-6176'),
    doubleValue(-0),
    decimal('1E-6176'),
    doubleValue(5e-324),
    decimal('0.1'),
    doubleValue(0.1),
    int32Value(1),
    decimal('1.000000000000000000000000000000001'),
    doubleValue(2 ** 53),
    int64Value(2n ** 53n + 1n),
    decimal('9007199254740993.5'),
    int64Value(2n ** 53n + 2n),
    int64Value(2n ** 63n - 1n),
    doubleValue(2 ** 63),
    decimal('9223372036854775808.5'),
    doubleValue(Number.MAX_VALUE),
    decimal('1E+6111'),
    decimal('Infinity'),
  ])
})

t.test('equal numbers of different types are equal, and not the same bytes', async (t) => {
  const ones = [int32Value(1), int64Value(1n), doubleValue(1), decimal('1'), decimal('1.00')]
  const zeros = [int32Value(0), doubleValue(-0), decimal('-0'), decimal('0E-6176')]
  for (const group of [ones, zeros, [doubleValue(Number.NaN), decimal('NaN')]]) {
    for (const a of group) {
      for (const b of group) {
        t.ok(equalValues(a, b))
        t.equal(sameBytes(a, b), a === b)
      }
    }
  }
})

t.test('texts compare by UTF-8 bytes, so the astral plane is above U+FFFF', async (t) => {
  rising(
    t,
    ['', '\0', '\0a', 'a', 'a\0', 'a\0b', 'a\u0001', 'ab', 'é', '\uffff', '😀'].map(stringValue),
  )
  const long = 'x'.repeat(100)
  rising(t, [stringValue(long), stringValue(`${long}\0`), stringValue(`${long}a`)])
})

t.test('a string and a symbol of the same text are equal', async (t) => {
  const text = stringValue('a')
  const symbol = valueFrom(text)
  t.equal(typeClass(bsonType.symbol), typeClass(bsonType.string))
  t.ok(equalValues(text, symbol))
})

t.test(
  'objects compare field by field: type, then name, then value; fewer fields first',
  async (t) => {
    rising(t, [
      object({}),
      object({ b: null }),
      object({ a: 1 }),
      object({ a: 1, b: 2 }),
      object({ a: 1, b: 2, c: null }),
      object({ a: 2 }),
      object({ b: 0 }),
      object({ b: 2, a: 1 }),
      object({ a: 'x' }),
      object({ a: { a: 1 } }),
      object({ a: [] }),
    ])
  },
)

t.test('arrays compare element by element, whatever the names of their elements', async (t) => {
  rising(t, [array(), array(null), array(1), array(1, 2), array(2), array('a'), array([])])
  const named = documentOfFields([
    ['7', int32Value(1)],
    ['x', int32Value(2)],
  ])
  t.equal(compareValues(arrayValue(named), array(1, 2)), 0)
})

t.test('binary compares by length, then subtype, then bytes', async (t) => {
  rising(t, [
    binaryValue(9, Uint8Array.of()),
    binaryValue(0, Uint8Array.of(255)),
    binaryValue(128, Uint8Array.of(0)),
    binaryValue(0, Uint8Array.of(0, 0)),
  ])
})

t.test('dates are signed, timestamps unsigned', async (t) => {
  rising(t, [-(2n ** 63n), -1n, 0n, 1n, 2n ** 32n, 2n ** 63n - 1n].map(dateValue))
  rising(t, [
    timestampValue(0, 0),
    timestampValue(0, 0xffffffff),
    timestampValue(1, 0),
    timestampValue(0x7fffffff, 0),
    timestampValue(0x80000000, 0),
    timestampValue(0xffffffff, 1),
  ])
})

t.test('a regex compares by pattern, then options', async (t) => {
  rising(t, [regexValue('', 'x'), regexValue('a', 'i'), regexValue('a', 'm'), regexValue('aa', '')])
})

t.test('the order is total', async () => {
  const check = (a: Value, b: Value, c: Value) => {
    const [ab, bc, ac] = [compareValues(a, b), compareValues(b, c), compareValues(a, c)]
    if (Math.sign(compareValues(b, a)) !== -Math.sign(ab)) return false
    return !(ab <= 0 && bc <= 0) || ac <= 0
  }
  fc.assert(fc.property(values, values, values, check), { numRuns: runs(2_000) })
  fc.assert(fc.property(numbers, numbers, numbers, check), { numRuns: runs(5_000) })
  fc.assert(
    fc.property(pairs, ([a, b]) => !sameBytes(a, b) || equalValues(a, b)),
    { numRuns: runs(2_000) },
  )
})

t.test(
  'long arrays and objects compare by their elements, however many bytes are the same',
  async () => {
    const long = fc.tuple(
      fc.array(values, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 0, max: 400 }),
    )
    const check = (
      [items, times]: [Value[], number],
      [a, b]: readonly [Value, Value],
      rest: Value[],
      other: Value[],
      depth: number,
    ) => {
      const first = Array.from({ length: times }, () => items).flat()
      const [left, right] = [
        [...first, a, ...rest],
        [...first, b, ...other],
      ]
      let expected = 0
      for (let i = 0; i < Math.min(left.length, right.length) && expected === 0; i++) {
        expected = compareValues(left[i] as Value, right[i] as Value)
      }
      expected ||= left.length - right.length
      const nested = (list: readonly Value[]) => {
        let value = writeArray(list)
        for (let i = 0; i < depth; i++) {
          const inner = value
          value =
            i % 2 === 0
              ? documentValue(writeDocument((writer) => writer.int32('n', 1).value('v', inner)))
              : writeArray([inner, ...items])
        }
        return value
      }
      const found = compareValues(nested(left), nested(right))
      return Math.sign(found) === Math.sign(expected)
    }
    const lists = fc.array(values, { maxLength: 2 })
    fc.assert(fc.property(long, pairs, lists, lists, fc.nat(5), check), { numRuns: runs(500) })
  },
)

t.test('what is the same is compared as bytes, at any depth', async (t) => {
  const list = valueFrom(Array.from({ length: 100_000 }, (_, i) => [i]))
  const [a, b] = [writeArray([list, int32Value(1)]), writeArray([list, int32Value(2)])]
  const [deepA, deepB] = [a, b].map((value) => {
    let deep = value
    for (let i = 0; i < 80; i++) deep = writeArray([deep])
    return deep
  }) as [Value, Value]
  const before = work.spent
  t.ok(compareValues(deepA, deepB) < 0)
  t.ok(compareValues(deepA, deepA) === 0)
  const bytes = list.end - list.start
  t.ok(work.spent - before < bytes / 100, `${work.spent - before} units, ${bytes} bytes`)
})
