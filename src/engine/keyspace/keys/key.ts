// One key of a key-value database in a program: whether it exists, its type, its expiry and its
// document. An expired document stays stored until the expiry job deletes it, but commands treat it
// as missing.

import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Slice } from '../../../base/bytes/slice.js'
import { wrongType } from '../../../base/reply-error.js'
import { Elements } from '../../../value/elements.js'
import { numberOf } from '../../../value/numbers.js'
import { type Document, nullValue, Value } from '../../../value/value.js'
import type { ChunkedHead } from '../../collection/records.js'
import { type Head, isHead, readHead } from '../containers/head.js'
import { scalarOf } from '../strings/scalar.js'

export const keyTypes = ['string', 'list', 'set', 'zset', 'hash'] as const
export type KeyType = (typeof keyTypes)[number]

/** Value of `expiresAt` for a key without expiry, or without a document. */
export const never = -1

/** The fields of a key's document. */
interface Fields {
  type: KeyType
  value: Value
  /** Milliseconds since 1970, or `never`. */
  expiresAt: number
}

export class Key {
  readonly name: Slice
  /** Store key of its record. */
  readonly record: Bytes
  /** Undefined if the key does not exist. */
  type: KeyType | undefined
  /** Milliseconds since 1970, or `never`. */
  expiresAt = never
  /** Expiry of the stored document, or `never`. */
  storedExpiresAt = never
  /** Whether its record refers to chunks. */
  isChunked = false
  /** The chunks of a value of which only the length is known (loadBeginning). */
  chunks: ChunkedHead | undefined
  /** The bytes that contain the stored document, from `storedAt` on. */
  private storedIn: Bytes | undefined
  private storedAt = 0
  private valueOf = nullValue
  /** Undefined until it is read, null if there is none. */
  private knownHead: Head | null | undefined

  constructor(name: Slice, record: Bytes) {
    this.name = name
    this.record = record
  }

  get exists(): boolean {
    return this.type !== undefined
  }

  /** The bytes that it holds in memory, if any. */
  get held(): Bytes | undefined {
    return this.storedIn
  }

  /** Whether a document is stored, perhaps expired. */
  get isStored(): boolean {
    return this.storedIn !== undefined
  }

  /** Size of the stored document in bytes; 0 if there is none. */
  get storedBytes(): number {
    return this.storedIn === undefined ? 0 : this.storedIn.length - this.storedAt
  }

  /** The stored document, perhaps expired: a write replaces it. */
  get stored(): Document | undefined {
    const { storedIn, storedAt } = this
    if (storedIn === undefined || storedAt === 0) return storedIn
    // The view is made on its first use: most writes replace a value without reading it.
    this.storedIn = storedIn.subarray(storedAt)
    this.storedAt = 0
    return this.storedIn
  }

  /** The BSON value: a string's text or bytes, a container, or a head. */
  get value(): Value {
    return this.valueOf
  }

  /** The head of a large container; undefined for a small one. */
  get head(): Head | undefined {
    if (this.knownHead === undefined) {
      this.knownHead = isHead(this.valueOf) ? readHead(this.valueOf) : null
    }
    return this.knownHead ?? undefined
  }

  /** The head of the stored document, expired or not. */
  get storedHead(): Head | undefined {
    if (this.type === 'string') return undefined
    const { stored } = this
    if (stored === undefined) return undefined
    return this.valueOf === nullValue ? headOfDocument(stored) : this.head
  }

  /** Throws WRONGTYPE if the key has another type; returns whether it exists. */
  requireType(type: KeyType): boolean {
    if (this.type !== undefined && this.type !== type) throw wrongType()
    return this.type !== undefined
  }

  /** The bytes of a string key. */
  text(): Slice {
    const text = scalarOf(this.valueOf)
    if (text === undefined) throw wrongType()
    return text
  }

  /** Loads the document under the record key, as of `now`. */
  load(document: Document, isChunked: boolean, now: number): this {
    return this.take(document, 0, isChunked, now)
  }

  /** Like load, for a record with an inline document. */
  loadRecord(record: Bytes, now: number): this {
    return this.take(record, 1, false, now)
  }

  /** Like load, for a chunked document without its value: only its length, type and expiry. */
  loadEnds(document: Document, now: number): this {
    this.take(document, 0, true, now)
    this.valueOf = nullValue
    return this
  }

  /** Like load, for a reader: the bytes of a string's `text` are read from its chunks. */
  loadBeginning(beginning: Document, chunks: ChunkedHead | undefined, now: number): this {
    this.chunks = chunks
    return this.take(beginning, 0, true, now)
  }

  private take(bytes: Bytes, at: number, isChunked: boolean, now: number): this {
    const { type, value, expiresAt } = readKeyDocument(bytes, at)
    this.storedIn = bytes
    this.storedAt = at
    this.isChunked = isChunked
    this.storedExpiresAt = expiresAt
    this.knownHead = undefined
    if (expiresAt !== never && expiresAt <= now) {
      this.type = undefined
      this.expiresAt = never
      this.valueOf = nullValue
    } else {
      this.type = type
      this.expiresAt = expiresAt
      this.valueOf = value
    }
    return this
  }

  /** Like load, for another key object of the same name. */
  loadLike(other: Key): this {
    this.type = other.type
    this.expiresAt = other.expiresAt
    this.storedExpiresAt = other.storedExpiresAt
    this.isChunked = other.isChunked
    this.chunks = other.chunks
    this.storedIn = other.storedIn
    this.storedAt = other.storedAt
    this.valueOf = other.valueOf
    this.knownHead = other.knownHead
    return this
  }

  /** Drops the document: the command uses only the type, or refuses it. */
  forget(): void {
    this.storedIn = undefined
    this.storedAt = 0
    this.valueOf = nullValue
    this.knownHead = undefined
  }

  /** Updates the object after a write of a document from `at` on; the value is not kept. */
  wrote(type: KeyType, bytes: Bytes, at: number, expiresAt: number, isChunked: boolean): void {
    this.type = type
    this.expiresAt = expiresAt
    this.storedIn = bytes
    this.storedAt = at
    this.storedExpiresAt = expiresAt
    this.isChunked = isChunked
    this.valueOf = nullValue
    this.knownHead = undefined
  }

  /** Updates the object after the document was removed. */
  clear(): void {
    this.type = undefined
    this.expiresAt = never
    this.storedIn = undefined
    this.storedAt = 0
    this.storedExpiresAt = never
    this.isChunked = false
    this.valueOf = nullValue
    this.knownHead = undefined
  }
}

/** Reads the fields of a key's document at `start`, in any order. */
export function readKeyDocument(document: Bytes, start = 0): Fields {
  const elements = new Elements(document, start)
  let type: KeyType = 'string'
  let value = nullValue
  let expiresAt = never
  while (elements.next()) {
    switch (elements.nameEnd - elements.nameStart) {
      case 4:
        type = typeAt(document, elements.valueStart + 4)
        break
      case 5:
        value = elements.value()
        break
      case 9:
        expiresAt = numberOf(dateAsLong(document, elements.valueStart))
        break
    }
  }
  return { type, value, expiresAt }
}

function headOfDocument(document: Document): Head | undefined {
  const { value } = readKeyDocument(document)
  return isHead(value) ? readHead(value) : undefined
}

const int64Type = 0x12

function dateAsLong(document: Document, at: number): Value {
  return new Value(int64Type, document, at, at + 8)
}

/** The type whose name begins at `at`; the validator allows no other names. */
function typeAt(document: Document, at: number): KeyType {
  switch (document[at]) {
    case 0x6c:
      return 'list'
    case 0x7a:
      return 'zset'
    case 0x68:
      return 'hash'
    default:
      return document[at + 1] === 0x65 ? 'set' : 'string'
  }
}
