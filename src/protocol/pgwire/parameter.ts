// Converts the parameters of a Bind to values, in either format. Parse or the statement gives the
// type; a binary parameter of unknown type cannot be read.

import type { Bytes } from '../../base/bytes/bytes.js'
import type { GatewayError } from '../../base/errors.js'
import { sqlListMax } from '../../base/limits/sql.js'
import {
  binaryValue,
  boolValue,
  dateValue,
  doubleValue,
  int32Value,
  int64Value,
  nullValue,
  type Value,
} from '../../value/value.js'
import { writeArray } from '../../value/writer.js'
import { BodyReader, strictText } from './body-reader.js'
import { type Bind, formatAt } from './client-message.js'
import { numericFromBinary } from './numeric.js'
import { parseJson, textValue, valueOfText } from './parameter-text.js'
import { pgError, pgState } from './pg-error.js'
import { msOfDays, msTo2000 } from './timestamp.js'
import { elementTypeOf, type PgTypeName, pgTypes } from './types.js'

const uuidSubtype = 4
const uuidBytes = 16
export const jsonbVersion = 1
/** Dates for plus and minus infinity. */
const infinityDays: readonly number[] = [0x7fffffff, -0x80000000]
const infinityMicroseconds: readonly bigint[] = [2n ** 63n - 1n, -(2n ** 63n)]
const textTypes: readonly number[] = [
  pgTypes.text.oid,
  pgTypes.varchar.oid,
  pgTypes.bpchar.oid,
  pgTypes.name.oid,
]

/**
 * The values of a Bind's parameters; `types` are those of the statement. Throws 08P01 if their
 * number differs, and the errors of `valueOfText` and `valueOfBinary`.
 */
export function parametersOf(bind: Bind, types: readonly PgTypeName[]): Value[] {
  const { parameters, parameterFormats, statement } = bind
  if (parameters.length !== types.length) {
    throw pgError(
      pgState.protocolViolation,
      `bind message supplies ${parameters.length} parameters, but prepared statement ` +
        `"${statement}" requires ${types.length}`,
    )
  }
  return parameters.map((bytes, index) => {
    if (bytes === undefined) return nullValue
    const type = types[index] ?? 'unknown'
    const isText = formatAt(parameterFormats, index) === 'text'
    return isText ? valueOfText(bytes, type) : valueOfBinary(bytes, type, index)
  })
}

/** The value of a binary parameter; `index` counts from 0. Throws 22P03 if it is malformed. */
export function valueOfBinary(bytes: Bytes, type: PgTypeName, index: number): Value {
  const refuse = (): GatewayError =>
    pgError(pgState.badBinary, `incorrect binary data format in bind parameter ${index + 1}`)
  const reader = new BodyReader(bytes, refuse)
  const value = readBinary(reader, bytes, type, refuse)
  reader.end()
  return value
}

function readBinary(
  reader: BodyReader,
  bytes: Bytes,
  type: PgTypeName,
  refuse: () => GatewayError,
): Value {
  switch (type) {
    case 'bool':
      return boolValue(reader.byte() !== 0)
    case 'int2':
      return int32Value(reader.int16())
    case 'int4':
      return int32Value(reader.int32())
    case 'int8':
      return int64Value(readInt64(reader))
    case 'oid':
      return int64Value(BigInt(reader.uint32()))
    case 'float4':
      return doubleValue(Buffer.from(reader.view(4)).readFloatBE())
    case 'float8':
      return doubleValue(Buffer.from(reader.view(8)).readDoubleBE())
    case 'date':
      return dateValue(readDays(reader))
    case 'timestamptz':
      return dateValue(readMicroseconds(reader))
    case 'numeric':
      return numericFromBinary(reader.view(bytes.length))
    case 'bytea':
      return binaryValue(0, reader.view(bytes.length))
    case 'uuid':
      return binaryValue(uuidSubtype, reader.view(uuidBytes))
    case 'jsonb':
      if (reader.byte() !== jsonbVersion) throw refuse()
      return parseJson(strictText(reader.view(reader.left)), 'jsonb')
    case 'json':
      return parseJson(strictText(reader.view(bytes.length)), 'json')
    default: {
      const element = elementTypeOf(type)
      if (element !== undefined) return readArray(reader, element, refuse)
      // Text is the same in both formats.
      return textValue(reader.view(bytes.length))
    }
  }
}

function readInt64(reader: BodyReader): bigint {
  return (BigInt(reader.int32()) << 32n) | BigInt(reader.uint32())
}

function readDays(reader: BodyReader): bigint {
  const days = reader.int32()
  if (infinityDays.includes(days)) throw infinite(pgTypes.date.title)
  return msOfDays(days)
}

/** Microseconds since 2000; fractions of a millisecond are cut, as in text. */
function readMicroseconds(reader: BodyReader): bigint {
  const microseconds = readInt64(reader)
  if (infinityMicroseconds.includes(microseconds)) throw infinite(pgTypes.timestamptz.title)
  const rest = ((microseconds % 1000n) + 1000n) % 1000n
  return (microseconds - rest) / 1000n + msTo2000
}

function infinite(title: string): GatewayError {
  return pgError(pgState.badDate, `infinity of type ${title} is not supported`)
}

/** Zero or one dimension. */
function readArray(reader: BodyReader, element: PgTypeName, refuse: () => GatewayError): Value {
  const dimensions = reader.int32()
  reader.int32()
  const oid = reader.int32()
  const isText = textTypes.includes(pgTypes[element].oid) && textTypes.includes(oid)
  const isOfType = isText || oid === pgTypes[element].oid
  if (dimensions < 0 || dimensions > 1 || !isOfType) throw refuse()
  if (dimensions === 0) return writeArray([])
  const count = reader.int32()
  reader.int32()
  if (count < 0) throw refuse()
  if (count > sqlListMax) {
    throw pgError(pgState.limitExceeded, `an array has at most ${sqlListMax} elements`)
  }
  const items: Value[] = []
  for (let left = count; left > 0; left--) {
    const item = reader.counted()
    items.push(item === undefined ? nullValue : readItem(item, element, refuse))
  }
  return writeArray(items)
}

function readItem(item: Bytes, element: PgTypeName, refuse: () => GatewayError): Value {
  const reader = new BodyReader(item, refuse)
  const value = readBinary(reader, item, element, refuse)
  reader.end()
  return value
}
