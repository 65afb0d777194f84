// Encodes server messages and gathers them until the listener takes them, so the replies of a
// pipeline leave in one write. A row is written field by field, without an intermediate array.
// Source: PostgreSQL 17, 53.7.

import type { Bytes } from '../../base/bytes/bytes.js'
import { assert } from '../../base/errors.js'
import { copyOf } from '../../base/heap/slab.js'
import { pgColumnsMax } from '../../base/limits/sql.js'
import { KiB } from '../../base/units.js'
import type { Format } from './client-message.js'
import type { ErrorFields } from './error-fields.js'
import { pgError, pgState } from './pg-error.js'
import { type PgTypeName, pgTypes } from './types.js'

/** Idle, in a transaction, in a failed transaction. */
export type TransactionStatus = 'I' | 'T' | 'E'

export interface Column {
  readonly name: string
  readonly type: PgTypeName
  readonly format: Format
}

/**
 * Both sides speak 3.0 from here on; PostgreSQL sends the whole version, not only the minor one.
 */
const version3 = 3 << 16
const firstBytes = 1024
const nothing = Buffer.alloc(0)
/** Space after a long field for the end of the answer, which must not double the buffer. */
const endBytes = 64
/** Bytes of UTF-8 that one unit of UTF-16 may take. */
const unitBytesMax = 3
/** A longer text is measured before it is written. */
const measuredChars = 64 * KiB

const { utf8Write } = Buffer.prototype as Buffer & {
  utf8Write(this: Bytes, text: string, offset: number, length: number): number
}

/** Order of the fields as PostgreSQL sends them. */
const errorFieldTypes: readonly (readonly [type: string, field: keyof ErrorFields])[] = [
  ['S', 'severity'],
  ['V', 'severity'],
  ['C', 'sqlState'],
  ['M', 'message'],
  ['D', 'detail'],
  ['H', 'hint'],
  ['P', 'position'],
  ['p', 'internalPosition'],
  ['q', 'internalQuery'],
  ['W', 'where'],
  ['s', 'schema'],
  ['t', 'table'],
  ['c', 'column'],
  ['d', 'dataType'],
  ['n', 'constraint'],
  ['F', 'file'],
  ['L', 'line'],
  ['R', 'routine'],
]

export class MessageWriter {
  private out: Buffer = nothing
  private at = 0
  /** Start of the message being written; -1 between messages. */
  private open = -1

  /** Bytes waiting to be taken. */
  get length(): number {
    return this.open < 0 ? this.at : this.open
  }

  /** The bytes written since the last call. */
  take(): Bytes {
    assert(this.open < 0, 'a message is taken whole')
    const { out, at } = this
    this.at = 0
    // A separate allocation for each small reply would cost more than the reply.
    if (out.length <= firstBytes) return copyOf(out, 0, at)
    this.out = nothing
    return out.subarray(0, at)
  }

  /** The one-byte answer to a request for encryption. */
  encryption(isOffered: boolean): void {
    this.room(1)
    this.out[this.at++] = isOffered ? 0x53 : 0x4e
  }

  authenticationOk(): void {
    this.authentication(0, nothing)
  }

  authenticationSasl(mechanisms: readonly string[]): void {
    this.begin('R')
    this.int32(10)
    for (const mechanism of mechanisms) this.cString(mechanism)
    this.byte(0)
    this.end()
  }

  saslContinue(payload: Bytes): void {
    this.authentication(11, payload)
  }

  saslFinal(payload: Bytes): void {
    this.authentication(12, payload)
  }

  /** Answers a start-up packet that requests more than version 3.0. */
  negotiateVersion(unknownOptions: readonly string[]): void {
    this.begin('v')
    this.int32(version3)
    this.int32(unknownOptions.length)
    for (const option of unknownOptions) this.cString(option)
    this.end()
  }

  parameterStatus(name: string, value: string): void {
    this.begin('S')
    this.cString(name)
    this.cString(value)
    this.end()
  }

  /** The key that a CancelRequest must contain; in version 3.0 the secret has four bytes. */
  backendKeyData(processId: number, secret: Bytes): void {
    assert(secret.length === 4, 'a cancel key of version 3.0 has four bytes')
    this.begin('K')
    this.int32(processId)
    this.bytes(secret)
    this.end()
  }

  readyForQuery(status: TransactionStatus): void {
    this.begin('Z')
    this.byte(status.charCodeAt(0))
    this.end()
  }

  /** Throws 54011 if there are more columns than clients can count. */
  rowDescription(columns: readonly Column[]): void {
    if (columns.length > pgColumnsMax) {
      const message = `a row has at most ${pgColumnsMax} columns`
      throw pgError(pgState.tooManyColumns, message, 'Name the columns that are wanted.')
    }
    this.begin('T')
    this.int16(columns.length)
    for (const { name, type, format } of columns) {
      this.cString(name)
      // No table and no column number: documents have neither.
      this.int32(0)
      this.int16(0)
      this.int32(pgTypes[type].oid)
      this.int16(pgTypes[type].size)
      this.int32(-1)
      this.int16(format === 'binary' ? 1 : 0)
    }
    this.end()
  }

  /** Starts a row: `count` fields follow, then `closeRow`. */
  openRow(count: number): void {
    this.begin('D')
    this.int16(count)
  }

  /** The result of `textForm` or `binaryForm`: undefined is NULL. */
  field(form: string | Bytes | undefined): void {
    if (form === undefined) {
      this.int32(-1)
    } else if (typeof form === 'string') {
      const lengthAt = this.at
      this.int32(0)
      const length = this.utf8(form)
      this.out.writeInt32BE(length, lengthAt)
    } else {
      this.int32(form.length)
      this.bytes(form)
    }
  }

  closeRow(): void {
    this.end()
  }

  commandComplete(tag: string): void {
    this.begin('C')
    this.cString(tag)
    this.end()
  }

  emptyQueryResponse(): void {
    this.empty('I')
  }

  /** Drops an unfinished row: the error came from one of its fields. */
  errorResponse(fields: ErrorFields): void {
    this.drop()
    this.fields('E', fields)
  }

  noticeResponse(fields: ErrorFields): void {
    this.fields('N', fields)
  }

  /** `processId`: the session that has notified; 0 for a client of another protocol. */
  notificationResponse(processId: number, channel: string, payload: string): void {
    this.begin('A')
    this.int32(processId)
    this.cString(channel)
    this.cString(payload)
    this.end()
  }

  parseComplete(): void {
    this.empty('1')
  }

  bindComplete(): void {
    this.empty('2')
  }

  closeComplete(): void {
    this.empty('3')
  }

  noData(): void {
    this.empty('n')
  }

  portalSuspended(): void {
    this.empty('s')
  }

  parameterDescription(types: readonly PgTypeName[]): void {
    this.begin('t')
    this.int16(types.length)
    for (const type of types) this.int32(pgTypes[type].oid)
    this.end()
  }

  private authentication(code: number, payload: Bytes): void {
    this.begin('R')
    this.int32(code)
    this.bytes(payload)
    this.end()
  }

  private fields(type: string, fields: ErrorFields): void {
    this.begin(type)
    for (const [code, field] of errorFieldTypes) {
      const value = fields[field]
      if (value === undefined) continue
      this.byte(code.charCodeAt(0))
      this.cString(String(value))
    }
    this.byte(0)
    this.end()
  }

  private empty(type: string): void {
    this.begin(type)
    this.end()
  }

  private begin(type: string): void {
    assert(this.open < 0, 'a message ends before the next begins')
    this.room(5)
    this.open = this.at
    this.out[this.at] = type.charCodeAt(0)
    this.at += 5
  }

  private end(): void {
    this.out.writeInt32BE(this.at - this.open - 1, this.open + 1)
    this.open = -1
  }

  private drop(): void {
    if (this.open < 0) return
    this.at = this.open
    this.open = -1
  }

  private byte(value: number): void {
    this.room(1)
    this.out[this.at++] = value
  }

  private int16(value: number): void {
    this.room(2)
    this.out[this.at++] = value >> 8
    this.out[this.at++] = value
  }

  private int32(value: number): void {
    this.room(4)
    this.out.writeInt32BE(value, this.at)
    this.at += 4
  }

  private bytes(bytes: Bytes): void {
    this.room(bytes.length)
    this.out.set(bytes, this.at)
    this.at += bytes.length
  }

  /** A zero byte would end the text early, and the rest would be read as another field. */
  private cString(text: string): void {
    this.utf8(text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text)
    this.byte(0)
  }

  /** Returns the number of bytes written. */
  private utf8(text: string): number {
    // A long text is measured: its reply waits for the client in a buffer of its size.
    const isLong = text.length > measuredChars
    const bytesMax = isLong ? Buffer.byteLength(text) : unitBytesMax * text.length
    this.room(bytesMax)
    const count = utf8Write.call(this.out, text, this.at, bytesMax)
    this.at += count
    return count
  }

  private room(count: number): void {
    const wanted = this.at + count
    if (wanted <= this.out.length) return
    const bytes = Math.max(firstBytes, 2 * this.out.length, wanted + endBytes)
    const larger = Buffer.allocUnsafeSlow(bytes)
    larger.set(this.out.subarray(0, this.at))
    this.out = larger
  }
}
