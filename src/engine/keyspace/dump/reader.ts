// Reads the parts of a dump: lengths, strings, numbers. It never reads beyond the end, and never
// allocates memory for a length that the data does not contain.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { Slice } from '../../../base/bytes/slice.js'
import { dumpUnpackedBytesMax } from '../../../base/limits/key-value.js'
import { refuse, tooLong } from '../../../base/reply-error.js'
import { unpackLzf } from './lzf.js'
import { stringEncoding } from './types.js'

export const badFormat = () => refuse('ERR Bad data format', 'FailedToParse')

/** A length, or the special encoding of a string. */
type Length = { readonly length: number } | { readonly encoding: number }

export class DumpReader {
  private readonly view: DataView

  constructor(
    private readonly bytes: Bytes,
    private at: number,
    private readonly end: number,
    /**
     * Remaining bytes that packed strings may expand to, since a small payload can claim a huge
     * one.
     */
    private readonly unpacked = { left: dumpUnpackedBytesMax },
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  get isAtEnd(): boolean {
    return this.at === this.end
  }

  byte(): number {
    return this.bytes[this.take(1)] as number
  }

  uint16(): number {
    return this.view.getUint16(this.take(2), true)
  }

  uint32(): number {
    return this.view.getUint32(this.take(4), true)
  }

  uint32BigEndian(): number {
    return this.view.getUint32(this.take(4))
  }

  /** An integer of 1, 2, 3, 4 or 8 bytes, little-endian, as decimal text. */
  integer(bytes: number): Slice {
    const at = this.take(bytes)
    const { view } = this
    switch (bytes) {
      case 1:
        return textOf(view.getInt8(at))
      case 2:
        return textOf(view.getInt16(at, true))
      case 3:
        return textOf(view.getUint16(at, true) + view.getInt8(at + 2) * 0x10000)
      case 4:
        return textOf(view.getInt32(at, true))
      default:
        return textOf(view.getBigInt64(at, true))
    }
  }

  double(): number {
    return this.view.getFloat64(this.take(8), true)
  }

  raw(length: number): Slice {
    const start = this.take(length)
    return new Slice(this.bytes, start, start + length)
  }

  skip(length: number): void {
    this.take(length)
  }

  /** A count of items of at least one byte each. */
  count(): number {
    const read = this.readLength()
    if (!('length' in read) || read.length > this.end - this.at) throw badFormat()
    return read.length
  }

  string(): Slice {
    const read = this.readLength()
    if ('length' in read) return this.raw(read.length)
    switch (read.encoding) {
      case stringEncoding.int8:
        return this.integer(1)
      case stringEncoding.int16:
        return this.integer(2)
      case stringEncoding.int32:
        return this.integer(4)
      case stringEncoding.lzf:
        return this.packed()
      default:
        throw badFormat()
    }
  }

  /** A reader over a structure inside a string. */
  nested(): DumpReader {
    const { bytes, start, end } = this.string()
    return new DumpReader(bytes, start, end, this.unpacked)
  }

  get left(): number {
    return this.end - this.at
  }

  private packed(): Slice {
    const packed = this.readLength()
    const whole = this.readLength()
    if (!('length' in packed && 'length' in whole)) throw badFormat()
    if (whole.length > this.unpacked.left) throw tooLong()
    this.unpacked.left -= whole.length
    const found = unpackLzf(this.raw(packed.length), whole.length)
    if (found === undefined) throw badFormat()
    return Slice.of(found)
  }

  private readLength(): Length {
    const first = this.byte()
    switch (first >>> 6) {
      case 0:
        return { length: first & 0x3f }
      case 1:
        return { length: ((first & 0x3f) << 8) | this.byte() }
      case 3:
        return { encoding: first & 0x3f }
    }
    if (first === 0x80) return { length: this.uint32BigEndian() }
    if (first !== 0x81) throw badFormat()
    return { length: Number(this.view.getBigUint64(this.take(8))) }
  }

  /** Consumes `length` bytes; returns where they begin. */
  private take(length: number): number {
    const { at } = this
    if (length > this.end - at) throw badFormat()
    this.at = at + length
    return at
  }
}

function textOf(value: number | bigint): Slice {
  return Slice.ofText(String(value))
}
