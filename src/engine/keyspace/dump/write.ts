// DUMP: what a key holds in the peer's own format, in its plainest types, which every version of it
// reads and packs as it likes. Integers are written as the peer writes them; nothing is compressed.

import type { Bytes } from '../../../base/bytes.js'
import type { Slice } from '../../../base/slice.js'
import type { Contents } from '../contents.js'
import { parseInt64 } from '../numbers.js'
import { crc64 } from './crc64.js'
import { dumpType, dumpVersion, footerBytes, stringEncoding } from './types.js'

/** The payload with its version and its checksum. */
export function writeDump(contents: Contents): Bytes {
  const writer = new DumpWriter(sizeOf(contents))
  switch (contents.type) {
    case 'string':
      writer.byte(dumpType.string)
      writer.string(contents.text)
      break
    case 'list':
      writer.byte(dumpType.list)
      writer.strings(contents.elements)
      break
    case 'set':
      writer.byte(dumpType.set)
      writer.strings(contents.members)
      break
    case 'zset':
      writer.byte(dumpType.zset)
      writer.length(contents.entries.length)
      for (const { member, score } of contents.entries) {
        writer.string(member)
        writer.double(score)
      }
      break
    case 'hash':
      writer.byte(dumpType.hash)
      writer.length(contents.fields.length)
      for (const { field, value } of contents.fields) {
        writer.string(field)
        writer.string(value)
      }
  }
  return writer.finish()
}

const typeBytes = 1
/** The longest length in front of a string, and of a count. */
const lengthBytesMax = 9
const scoreBytes = 8

/** At most so many bytes. */
function sizeOf(contents: Contents): number {
  const sum = (slices: readonly Slice[]) =>
    slices.reduce((bytes, slice) => bytes + slice.length + lengthBytesMax, 0)
  const frame = typeBytes + lengthBytesMax + footerBytes
  switch (contents.type) {
    case 'string':
      return frame + sum([contents.text])
    case 'list':
      return frame + sum(contents.elements)
    case 'set':
      return frame + sum(contents.members)
    case 'zset': {
      const { entries } = contents
      return frame + sum(entries.map(({ member }) => member)) + entries.length * scoreBytes
    }
    case 'hash':
      return frame + sum(contents.fields.flatMap(({ field, value }) => [field, value]))
  }
}

class DumpWriter {
  private readonly bytes: Bytes
  private readonly view: DataView
  private at = 0

  constructor(size: number) {
    this.bytes = new Uint8Array(size)
    this.view = new DataView(this.bytes.buffer)
  }

  byte(value: number): void {
    this.bytes[this.at++] = value
  }

  /** 6, 14 or 32 bits, the first two of the first byte say which. */
  length(value: number): void {
    if (value < 0x40) this.byte(value)
    else if (value < 0x4000) {
      this.byte(0x40 | (value >>> 8))
      this.byte(value & 0xff)
    } else {
      this.byte(0x80)
      this.view.setUint32(this.at, value)
      this.at += 4
    }
  }

  strings(slices: readonly Slice[]): void {
    this.length(slices.length)
    for (const slice of slices) this.string(slice)
  }

  string(slice: Slice): void {
    const { bytes, start, end } = slice
    const value = slice.length <= integerCharsMax ? parseInt64(bytes, start, end) : undefined
    if (typeof value === 'number' && this.integer(value)) return
    this.length(slice.length)
    this.bytes.set(slice.view(), this.at)
    this.at += slice.length
  }

  double(value: number): void {
    this.view.setFloat64(this.at, value, true)
    this.at += 8
  }

  finish(): Bytes {
    this.view.setUint16(this.at, dumpVersion, true)
    this.at += 2
    const { high, low } = crc64(this.bytes, 0, this.at)
    this.view.setUint32(this.at, low, true)
    this.view.setUint32(this.at + 4, high, true)
    return this.bytes.slice(0, this.at + 8)
  }

  /** False where it needs more than 32 bits. */
  private integer(value: number): boolean {
    if (value >= -0x80 && value < 0x80) {
      this.byte(0xc0 | stringEncoding.int8)
      this.view.setInt8(this.at, value)
      this.at += 1
    } else if (value >= -0x8000 && value < 0x8000) {
      this.byte(0xc0 | stringEncoding.int16)
      this.view.setInt16(this.at, value, true)
      this.at += 2
    } else if (value >= -0x80000000 && value < 0x80000000) {
      this.byte(0xc0 | stringEncoding.int32)
      this.view.setInt32(this.at, value, true)
      this.at += 4
    } else return false
    return true
  }
}

/** `-2147483648`. */
const integerCharsMax = 11
