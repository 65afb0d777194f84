// Parses messages of a client after login, and its answers during login. A malformed message is an
// error of that message only: its bounds are known, so the stream continues. Texts are those of
// PostgreSQL.
// Source: PostgreSQL 17, 53.7.

import type { Bytes } from '../../base/bytes/bytes.js'
import { sqlInsertBytesMax } from '../../base/limits/sql.js'
import { BodyReader } from './body-reader.js'
import type { Frame } from './message-splitter.js'
import { fatalError, pgError, pgState } from './pg-error.js'

export type Format = 'text' | 'binary'
/** The target of Describe and Close. */
export type Target = 'statement' | 'portal'

export interface Parse {
  readonly kind: 'parse'
  /** Empty: the unnamed one. */
  readonly statement: string
  readonly text: string
  /** OIDs of the parameters that the client names; 0 leaves the type to the server. */
  readonly types: readonly number[]
}

export interface Bind {
  readonly kind: 'bind'
  readonly portal: string
  readonly statement: string
  /** Undefined for NULL; views of the message. */
  readonly parameters: readonly (Bytes | undefined)[]
  /** None (all text), one for all, or one each: see `formatAt`. */
  readonly parameterFormats: readonly Format[]
  readonly resultFormats: readonly Format[]
}

export type ClientMessage =
  | { readonly kind: 'query'; readonly text: string }
  | Parse
  | Bind
  | { readonly kind: 'describe'; readonly target: Target; readonly name: string }
  /** `rowsMax` 0: all rows. */
  | { readonly kind: 'execute'; readonly portal: string; readonly rowsMax: number }
  | { readonly kind: 'close'; readonly target: Target; readonly name: string }
  | { readonly kind: 'flush' }
  | { readonly kind: 'sync' }
  | { readonly kind: 'terminate' }
  /** Belongs to a COPY that is over or never started; ignored. */
  | { readonly kind: 'copy' }

/**
 * Parses a message after login. Throws GatewayError with the SQLSTATE: 08P01, 0A000 for a function
 * call, 22021 for invalid UTF-8, 22023 for an unknown format.
 */
export function parseMessage(frame: Frame): ClientMessage {
  const reader = new BodyReader(frame.body)
  const message = readMessage(String.fromCharCode(frame.type), reader)
  reader.end()
  return message
}

function readMessage(type: string, reader: BodyReader): ClientMessage {
  switch (type) {
    case 'Q':
      return { kind: 'query', text: reader.text(sqlInsertBytesMax) }
    case 'P':
      return readParse(reader)
    case 'B':
      return readBind(reader)
    case 'D':
      return { kind: 'describe', target: readTarget(reader, 'DESCRIBE'), name: reader.text() }
    case 'E':
      return { kind: 'execute', portal: reader.text(), rowsMax: Math.max(0, reader.int32()) }
    case 'C':
      return { kind: 'close', target: readTarget(reader, 'CLOSE'), name: reader.text() }
    case 'H':
      return { kind: 'flush' }
    case 'S':
      return { kind: 'sync' }
    case 'X':
      // PostgreSQL reads no further.
      reader.view(reader.left)
      return { kind: 'terminate' }
    case 'd':
    case 'c':
    case 'f':
      reader.view(reader.left)
      return { kind: 'copy' }
    case 'F':
      throw pgError(pgState.featureNotSupported, 'function calls by message are not supported')
    default:
      throw fatalError(`invalid frontend message type ${type.charCodeAt(0)}`)
  }
}

function readParse(reader: BodyReader): Parse {
  const statement = reader.text()
  const text = reader.text(sqlInsertBytesMax)
  const types: number[] = []
  for (let left = reader.uint16(); left > 0; left--) types.push(reader.uint32())
  return { kind: 'parse', statement, text, types }
}

function readBind(reader: BodyReader): Bind {
  const portal = reader.text()
  const statement = reader.text()
  const parameterFormats = readFormats(reader)
  const count = reader.uint16()
  const given = parameterFormats.length
  if (given > 1 && given !== count) {
    throw pgError(
      pgState.protocolViolation,
      `bind message has ${given} parameter formats but ${count} parameters`,
    )
  }
  const parameters: (Bytes | undefined)[] = []
  for (let left = count; left > 0; left--) parameters.push(reader.counted())
  const resultFormats = readFormats(reader)
  return { kind: 'bind', portal, statement, parameters, parameterFormats, resultFormats }
}

function readFormats(reader: BodyReader): Format[] {
  const formats: Format[] = []
  for (let left = reader.uint16(); left > 0; left--) {
    const code = reader.int16()
    if (code !== 0 && code !== 1) {
      throw pgError(pgState.badParameter, `unsupported format code: ${code}`)
    }
    formats.push(code === 0 ? 'text' : 'binary')
  }
  return formats
}

function readTarget(reader: BodyReader, what: string): Target {
  const code = reader.byte()
  if (code === 0x53) return 'statement'
  if (code === 0x50) return 'portal'
  throw pgError(pgState.protocolViolation, `invalid ${what} message subtype ${code}`)
}

/** The format of column or parameter `index`. */
export function formatAt(formats: readonly Format[], index: number): Format {
  return formats[formats.length === 1 ? 0 : index] ?? 'text'
}

/** Refuses result formats that are neither none, one, nor one a column (08P01). */
export function requireResultFormats(formats: readonly Format[], columns: number): void {
  const { length } = formats
  if (length <= 1 || length === columns) return
  throw pgError(
    pgState.protocolViolation,
    `bind message has ${length} result formats but query has ${columns} columns`,
  )
}

interface SaslInitial {
  readonly mechanism: string
  /** Undefined if the client expects the first message from the server. */
  readonly response: Bytes | undefined
}

/** The first SASL response: the body of a `p`. Throws ProtocolError, FATAL. */
export function parseSaslInitial(body: Bytes): SaslInitial {
  const reader = new BodyReader(body, fatalError)
  const end = body.indexOf(0)
  if (end < 0) throw fatalError('invalid string in message')
  // Names of mechanisms are ASCII; any other name is unknown.
  const mechanism = Buffer.from(reader.view(end)).toString('latin1')
  reader.byte()
  const response = reader.counted()
  reader.end()
  return { mechanism, response }
}
