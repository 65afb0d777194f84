// Reads the fields of one message: big-endian integers, zero-terminated texts, counted bytes. A
// missing field is an error of the message, never a read past its end.

import { isUtf8 } from 'node:buffer'
import { type Bytes, textOf } from '../../base/bytes/bytes.js'
import type { GatewayError } from '../../base/errors.js'
import { pgError, pgState } from './pg-error.js'

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Longer texts are checked and decoded in two steps, which is faster. */
const shortTextBytes = 4_096

export function readInt32BE(bytes: Bytes, at: number): number {
  return (readUint16BE(bytes, at) << 16) | readUint16BE(bytes, at + 2)
}

function readUint16BE(bytes: Bytes, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
}

/** UTF-8 as text; throws 22021 if it is invalid. */
export function strictText(bytes: Bytes): string {
  if (bytes.length > shortTextBytes) {
    requireUtf8(bytes)
    return textOf(bytes)
  }
  try {
    return strictUtf8.decode(bytes)
  } catch {
    throw badUtf8()
  }
}

/** Throws 22021 if the bytes are not valid UTF-8. */
export function requireUtf8(bytes: Bytes): void {
  if (!isUtf8(bytes)) throw badUtf8()
}

function badUtf8(): GatewayError {
  return pgError(pgState.badEncoding, 'invalid byte sequence for encoding "UTF8"')
}

export class BodyReader {
  private at = 0

  constructor(
    private readonly bytes: Bytes,
    private readonly refuse: (message: string) => GatewayError = violation,
  ) {}

  /** Bytes not yet read. */
  get left(): number {
    return this.bytes.length - this.at
  }

  byte(): number {
    return this.bytes[this.step(1)] ?? 0
  }

  uint16(): number {
    return readUint16BE(this.bytes, this.step(2))
  }

  int16(): number {
    return (this.uint16() << 16) >> 16
  }

  int32(): number {
    return readInt32BE(this.bytes, this.step(4))
  }

  uint32(): number {
    return this.int32() >>> 0
  }

  /** A view. */
  view(length: number): Bytes {
    const start = this.step(length)
    return this.bytes.subarray(start, start + length)
  }

  /** An int32 length and that many bytes; undefined for -1, which means NULL. */
  counted(): Bytes | undefined {
    const length = this.int32()
    return length === -1 ? undefined : this.view(length)
  }

  /** Text up to the next zero byte; a text above `bytesMax` is cut just above it. */
  text(bytesMax = Number.POSITIVE_INFINITY): string {
    const end = this.bytes.indexOf(0, this.at)
    if (end < 0) throw this.refuse('invalid string in message')
    const start = this.at
    this.at = end + 1
    // The unnamed statement or portal, the usual case.
    if (end === start) return ''
    const text = this.bytes.subarray(start, end)
    if (text.length <= bytesMax + 4) return strictText(text)
    requireUtf8(text)
    return textOf(text, 0, bytesMax + 4)
  }

  /** Throws unless the message ends here. */
  end(): void {
    if (this.left > 0) throw this.refuse('invalid message format')
  }

  /** Skips `length` bytes; returns where they start. */
  private step(length: number): number {
    const { at } = this
    if (length < 0 || length > this.left) throw this.refuse('insufficient data left in message')
    this.at = at + length
    return at
  }
}

function violation(message: string): GatewayError {
  return pgError(pgState.protocolViolation, message)
}
