// Arbitrary BSON values for the property tests of this folder: every type, numbers crowded around
// the places where the numeric types part, nesting, texts with NUL and beyond the basic plane.

import fc from 'fast-check'
import { GatewayError } from '../../src/base/errors.js'
import { decimalFromString } from '../../src/value/decimal.js'
import {
  binaryValue,
  boolValue,
  bsonType,
  type Document,
  dateValue,
  documentValue,
  doubleValue,
  int32Value,
  int64Value,
  maxKeyValue,
  minKeyValue,
  nullValue,
  objectIdValue,
  stringValue,
  timestampValue,
  undefinedValue,
  Value,
} from '../../src/value/value.js'
import { DocumentWriter, writeArray } from '../../src/value/writer.js'

/** The code name that `run` throws; undefined if it throws nothing or something else. */
export function codeNameOf(run: () => unknown): string | undefined {
  try {
    run()
  } catch (error) {
    return error instanceof GatewayError ? error.codeName : String(error)
  }
  return undefined
}

const int64 = (n: bigint) => int64Value(BigInt.asIntN(64, n))
const near = fc.bigInt(-3n, 3n)
const sign = fc.constantFrom(1n, -1n)
const powers = fc.constantFrom(
  0n,
  1n,
  2n ** 24n,
  2n ** 31n,
  2n ** 32n,
  2n ** 53n,
  2n ** 54n,
  2n ** 62n,
  2n ** 63n,
)

/** Whole numbers at the edges of the types. */
const edge = fc.tuple(powers, near, sign).map(([power, offset, s]) => s * (power + offset))
const bits = fc.bigInt(0n, 2n ** 64n - 1n).map((word) => {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, word)
  return view.getFloat64(0)
})

const doubles = fc.oneof(
  fc.constantFrom(0, -0, Number.NaN, Infinity, -Infinity, 5e-324, -5e-324, 2.2250738585072014e-308),
  fc.constantFrom(Number.MAX_VALUE, -Number.MAX_VALUE, 0.1, -0.1, 0.5, 1e22, 1e23, 2 ** 53 + 2),
  edge.map(Number),
  bits,
  fc.double(),
)

const decimalTexts = fc.oneof(
  fc.constantFrom('NaN', 'Infinity', '-Infinity', '0', '-0', '0E-6176', '0E+6111', '1E-6176'),
  fc.constantFrom('-1E-6176', '9.999999999999999999999999999999999E+6144', '1E+6111', '0.1', '1.0'),
  edge.map(String),
  fc.tuple(edge, fc.nat(99)).map(([whole, hundredths]) => `${whole}.${String(hundredths)}`),
  fc.tuple(doubles, near).map(([n, offset]) => shifted(n, offset)),
  fc
    .tuple(fc.bigInt(-(10n ** 34n) + 1n, 10n ** 34n - 1n), fc.integer({ min: -6176, max: 6111 }))
    .map(([coefficient, exponent]) => `${coefficient}E${exponent}`),
  fc
    .tuple(fc.integer({ min: -120, max: 120 }), fc.integer({ min: -330, max: 310 }))
    .map(([coefficient, exponent]) => `${coefficient}E${exponent}`),
)

/** The shortest text of a double, its last digits moved a little beyond double precision. */
function shifted(n: number, offset: bigint): string {
  if (!Number.isFinite(n)) return String(n)
  const [mantissa = '0', exponent = '0'] = n.toExponential(20).split('e')
  const digits = BigInt(mantissa.replace('.', '')) + offset
  return `${digits}E${Number(exponent) - 20}`
}

export const numbers: fc.Arbitrary<Value> = fc.oneof(
  fc.integer().map(int32Value),
  edge.map((n) => int32Value(Number(BigInt.asIntN(32, n)))),
  edge.map(int64),
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(int64),
  doubles.map(doubleValue),
  decimalTexts.map((text) => decimalFromString(text)),
)

const characters = fc.constantFrom(
  'a',
  'b',
  '\0',
  '\u0001',
  '\u0002',
  'é',
  '\uffff',
  '😀',
  '\ud7ff',
)
export const texts = fc.oneof(
  fc.array(characters, { maxLength: 4 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme', maxLength: 80 }),
)
const terminated = fc.array(fc.constantFrom('a', 'b', '\u0001', 'é'), { maxLength: 3 })
const fieldNames = terminated.map((parts) => parts.join(''))
const byteStrings = fc.uint8Array({ maxLength: 4 })
const objectIds = fc.array(fc.constantFrom(0, 1, 255), { minLength: 12, maxLength: 12 })

const retyped = (type: number) => (v: Value) => new Value(type, v.bytes, v.start, v.end)
const codes = texts.map(stringValue).map(retyped(bsonType.code))

const scalars: fc.Arbitrary<Value> = fc.oneof(
  { arbitrary: numbers, weight: 5 },
  { arbitrary: texts.map(stringValue), weight: 4 },
  texts.map(stringValue).map(retyped(bsonType.symbol)),
  fc.constantFrom(minKeyValue, maxKeyValue, nullValue, undefinedValue),
  fc.tuple(fc.nat(255), byteStrings).map(([subtype, body]) => binaryOf(subtype, body)),
  objectIds.map((id) => objectIdValue(Uint8Array.from(id))),
  fc.boolean().map(boolValue),
  edge.map((n) => dateValue(BigInt.asIntN(64, n))),
  fc.tuple(fc.nat(), fc.nat()).map(([seconds, i]) => timestampValue(seconds * 3, i * 3)),
  fc.tuple(fieldNames, fieldNames).map(([pattern, options]) => regexValue(pattern, options)),
  fc.tuple(texts.map(stringValue), objectIds).map(([namespace, id]) => pointer(namespace, id)),
  codes,
)

/** Subtype 2 carries a second length. */
function binaryOf(subtype: number, body: Uint8Array): Value {
  if (subtype !== 2) return binaryValue(subtype, body)
  return binaryValue(2, Uint8Array.of(body.length, 0, 0, 0, ...body))
}

export function regexValue(pattern: string, options: string): Value {
  const bytes = new Uint8Array(Buffer.from(`${pattern}\0${options}\0`))
  return new Value(bsonType.regex, bytes, 0, bytes.length)
}

function pointer(namespace: Value, id: readonly number[]): Value {
  const bytes = Uint8Array.of(...namespace.payload(), ...id)
  return new Value(bsonType.dbPointer, bytes, 0, bytes.length)
}

function scoped(code: Value, scope: Document): Value {
  const bytes = new Uint8Array(4 + code.end + scope.length)
  new DataView(bytes.buffer).setInt32(0, bytes.length, true)
  bytes.set(code.payload(), 4)
  bytes.set(scope, 4 + code.end)
  return new Value(bsonType.codeWithScope, bytes, 0, bytes.length)
}

export function documentOfFields(fields: readonly (readonly [string, Value])[]): Document {
  const writer = new DocumentWriter()
  for (const [name, value] of fields) writer.value(name, value)
  return writer.finish()
}

const { value } = fc.letrec<{ value: Value; document: Document }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    { arbitrary: scalars, weight: 6 },
    { arbitrary: tie('document').map(documentValue), weight: 2 },
    { arbitrary: fc.array(tie('value'), { maxLength: 3 }).map(writeArray), weight: 2 },
    { arbitrary: fc.tuple(codes, tie('document')).map(([c, d]) => scoped(c, d)), weight: 1 },
  ),
  document: fc.array(fc.tuple(fieldNames, tie('value')), { maxLength: 3 }).map(documentOfFields),
}))

/** Any value, objects and arrays included. */
export const values: fc.Arbitrary<Value> = value
export const documents: fc.Arbitrary<Document> = fc
  .array(fc.tuple(fieldNames, values), { maxLength: 5 })
  .map(documentOfFields)

/** Two values of which the second is often equal or close to the first. */
export const pairs: fc.Arbitrary<[Value, Value]> = fc.oneof(
  fc.tuple(values, values),
  fc.tuple(numbers, numbers),
  fc.tuple(texts.map(stringValue), texts.map(stringValue)),
  numbers.chain((n) => fc.tuple(fc.constant(n), fc.constantFrom(...sameNumber(n)))),
)

/** The number as every type that can hold it, and as the double beside it. */
function sameNumber(v: Value): Value[] {
  const same = [v]
  if (v.type === bsonType.double) {
    const n = new DataView(v.bytes.buffer, v.bytes.byteOffset).getFloat64(0, true)
    if (Number.isInteger(n)) {
      same.push(decimalFromString(String(n), true))
      if (Math.abs(n) < 2 ** 63) same.push(int64(BigInt(n)), int64(BigInt(n) + 1n))
    }
  } else if (v.type === bsonType.int64) {
    const n = new DataView(v.bytes.buffer, v.bytes.byteOffset).getBigInt64(0, true)
    same.push(doubleValue(Number(n)), decimalFromString(String(n)), decimalFromString(`${n}.5`))
  }
  return same
}
