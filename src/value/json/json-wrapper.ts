// The wrappers of Extended JSON 2, such as `{"$oid": "…"}`: their exact keys, and the BSON they
// represent. A wrapper with other content is an error, never a plain object.

import { fail } from '../../base/errors.js'
import { decimalFromString } from '../decimal.js'
import { bsonType, type Document } from '../value.js'
import type { JsonScanner } from './json-scanner.js'

const closeBrace = 0x7d
const openBrace = 0x7b
const comma = 0x2c

const int64Text = /^-?\d{1,19}$/
const doubleText = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const base64Text = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const uuidText = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const dateText =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):?([0-5]\d))$/

/** Writes the payload of one wrapper, with the cursor on its value; returns the type. */
type Write = (reader: JsonScanner) => number

const writers: ReadonlyMap<string, Write> = new Map<string, Write>([
  ['$oid', writeObjectId],
  ['$date', alone(writeDate)],
  ['$numberInt', alone(writeInt32Text)],
  ['$numberLong', alone(writeInt64Text)],
  ['$numberDouble', alone(writeDoubleText)],
  ['$numberDecimal', alone(writeDecimalText)],
  ['$binary', alone(writeBinary)],
  ['$uuid', alone(writeUuid)],
  ['$regularExpression', alone(writeRegex)],
  ['$timestamp', alone(writeTimestamp)],
  ['$minKey', alone(writeOne(bsonType.minKey))],
  ['$maxKey', alone(writeOne(bsonType.maxKey))],
  ['$undefined', alone(writeUndefined)],
  ['$symbol', alone(writeSymbol)],
  ['$code', writeCode],
  ['$scope', writeScopeFirst],
  ['$dbPointer', alone(writeDbPointer)],
])

export function isWrapper(name: string): boolean {
  return writers.has(name)
}

/** Writes the value of the wrapper `name`, up to its closing brace, and returns the type. */
export function writeWrapper(reader: JsonScanner, name: string): number {
  const write = writers.get(name)
  if (write === undefined) throw fail('InternalError', `no such wrapper: ${name}`)
  return write(reader)
}

/** A wrapper of one key: nothing may follow its value. */
function alone(write: Write): Write {
  return (reader) => {
    const type = write(reader)
    finish(reader)
    return type
  }
}

function finish(reader: JsonScanner): void {
  reader.space()
  reader.expect(closeBrace, 'a wrapper must have no further fields')
}

function writeObjectId(reader: JsonScanner): number {
  reader.bytes(objectIdBytes(reader))
  finish(reader)
  return bsonType.objectId
}

function objectIdBytes(reader: JsonScanner): Uint8Array {
  const text = reader.textValue()
  if (!/^[0-9a-fA-F]{24}$/.test(text)) throw reader.bad('$oid must be 24 hex digits')
  return Buffer.from(text, 'hex')
}

function writeDate(reader: JsonScanner): number {
  if (reader.peek() === openBrace) {
    reader.expect(openBrace, '')
    reader.exactFields(['$numberLong'], () => writeInt64Text(reader))
  } else reader.int64(BigInt(parseDate(reader, reader.textValue())))
  return bsonType.date
}

/** Milliseconds since 1970 of an RFC 3339 text; further digits are truncated. */
function parseDate(reader: JsonScanner, text: string): number {
  const match = dateText.exec(text)
  if (match === null) throw reader.bad('$date must be an ISO 8601 date with time and zone')
  const [, year, month, day, hour, minute, second, fraction = '', sign, hours, minutes] = match
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  date.setUTCHours(
    Number(hour),
    Number(minute),
    Number(second),
    Number(fraction.slice(0, 3).padEnd(3, '0')),
  )
  if (!date.toISOString().startsWith(text.slice(0, 19))) throw reader.bad('no such date')
  if (Number(hours) > 23) throw reader.bad('no such time zone')
  const offset = sign === undefined ? 0 : Number(hours) * 60 + Number(minutes)
  return date.getTime() - (sign === '-' ? -offset : offset) * 60_000
}

function writeInt32Text(reader: JsonScanner): number {
  const text = reader.textValue()
  const n = Number(text)
  if (!int64Text.test(text) || n !== (n | 0)) throw reader.bad('$numberInt must be an int32')
  reader.int32(n)
  return bsonType.int32
}

function writeInt64Text(reader: JsonScanner): number {
  const text = reader.textValue()
  const n = int64Text.test(text) ? BigInt(text) : undefined
  if (n === undefined || BigInt.asIntN(64, n) !== n) {
    throw reader.bad('$numberLong must be an int64')
  }
  reader.int64(n)
  return bsonType.int64
}

function writeDoubleText(reader: JsonScanner): number {
  const text = reader.textValue()
  const isSpecial = text === 'NaN' || text === 'Infinity' || text === '-Infinity'
  if (!isSpecial && !doubleText.test(text)) throw reader.bad('$numberDouble must be a number')
  reader.float(Number(text))
  return bsonType.double
}

function writeDecimalText(reader: JsonScanner): number {
  reader.bytes(decimalFromString(reader.textValue()).payload())
  return bsonType.decimal128
}

function writeBinary(reader: JsonScanner): number {
  let base64 = ''
  let hex = ''
  reader.expect(openBrace, '$binary must be an object')
  reader.exactFields(['base64', 'subType'], (name) => {
    if (name === 'base64') base64 = reader.textValue()
    else hex = reader.textValue()
  })
  if (!base64Text.test(base64)) throw reader.bad('$binary must be in base64')
  if (!/^[0-9a-fA-F]{1,2}$/.test(hex)) throw reader.bad('subType must be one or two hex digits')
  writeBytes(reader, Number.parseInt(hex, 16), Buffer.from(base64, 'base64'))
  return bsonType.binary
}

/** Subtype 2 repeats its length inside. */
function writeBytes(reader: JsonScanner, subtype: number, body: Uint8Array): void {
  reader.int32(subtype === 2 ? body.length + 4 : body.length)
  reader.bytes(Uint8Array.of(subtype))
  if (subtype === 2) reader.int32(body.length)
  reader.bytes(body)
}

function writeUuid(reader: JsonScanner): number {
  const text = reader.textValue()
  if (!uuidText.test(text)) throw reader.bad('$uuid must be a UUID with hyphens')
  writeBytes(reader, 4, Buffer.from(text.replaceAll('-', ''), 'hex'))
  return bsonType.binary
}

function writeRegex(reader: JsonScanner): number {
  let pattern = ''
  let options = ''
  reader.expect(openBrace, '$regularExpression must be an object')
  reader.exactFields(['pattern', 'options'], (name) => {
    if (name === 'pattern') pattern = reader.textValue()
    else options = reader.textValue()
  })
  if (pattern.includes('\0') || options.includes('\0')) {
    throw reader.bad('$regularExpression must not contain NUL')
  }
  reader.bytes(Buffer.from(`${pattern}\0${[...options].sort().join('')}\0`))
  return bsonType.regex
}

function writeTimestamp(reader: JsonScanner): number {
  let seconds = 0
  let increment = 0
  reader.expect(openBrace, '$timestamp must be an object')
  reader.exactFields(['t', 'i'], (name) => {
    if (name === 't') seconds = reader.uint32Value()
    else increment = reader.uint32Value()
  })
  reader.int32(increment)
  reader.int32(seconds)
  return bsonType.timestamp
}

function writeOne(type: number): Write {
  return (reader) => {
    if (reader.uint32Value() !== 1) throw reader.bad('$minKey and $maxKey must be 1')
    return type
  }
}

function writeUndefined(reader: JsonScanner): number {
  for (const letter of 'true') reader.expect(letter.charCodeAt(0), '$undefined must be true')
  return bsonType.undefined
}

function writeText(reader: JsonScanner, text: string): void {
  const bytes = Buffer.from(text)
  reader.int32(bytes.length + 1)
  reader.bytes(bytes)
  reader.bytes(Uint8Array.of(0))
}

function writeSymbol(reader: JsonScanner): number {
  writeText(reader, reader.textValue())
  return bsonType.symbol
}

function writeCode(reader: JsonScanner): number {
  const code = reader.textValue()
  if (!reader.accept(comma)) {
    finish(reader)
    writeText(reader, code)
    return bsonType.code
  }
  let scope: Document | undefined
  reader.exactFields(['$scope'], () => {
    scope = reader.subdocument()
  })
  return writeScoped(reader, code, scope)
}

function writeScopeFirst(reader: JsonScanner): number {
  const scope = reader.subdocument()
  if (!reader.accept(comma)) throw reader.bad('$scope needs $code')
  let code = ''
  reader.exactFields(['$code'], () => {
    code = reader.textValue()
  })
  return writeScoped(reader, code, scope)
}

function writeScoped(reader: JsonScanner, code: string, scope: Document | undefined): number {
  if (scope === undefined) throw reader.bad('$scope must be an object')
  reader.int32(4 + 4 + Buffer.byteLength(code) + 1 + scope.length)
  writeText(reader, code)
  reader.bytes(scope)
  return bsonType.codeWithScope
}

function writeDbPointer(reader: JsonScanner): number {
  let namespace = ''
  let id: Uint8Array = new Uint8Array(12)
  reader.expect(openBrace, '$dbPointer must be an object')
  reader.exactFields(['$ref', '$id'], (name) => {
    if (name === '$ref') namespace = reader.textValue()
    else {
      reader.expect(openBrace, '$id must be an ObjectId')
      reader.exactFields(['$oid'], () => {
        id = objectIdBytes(reader)
      })
    }
  })
  writeText(reader, namespace)
  reader.bytes(id)
  return bsonType.dbPointer
}
