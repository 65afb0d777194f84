// DUMP: writes a key in Redis' own format, in its plainest types, which every version reads and
// repacks as it prefers. Integers are written as Redis writes them; nothing is compressed.

import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Slice } from '../../../base/bytes/slice.js'
import { work } from '../../../base/work/work-budget.js'
import { bytesPerUnit } from '../../../base/work/work-figures.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { eachInTurns } from '../containers/in-turns.js'
import type { Contents } from '../keys/contents.js'
import { parseInt64 } from '../strings/numbers.js'
import { type Crc64, crc64InTurns } from './crc64.js'
import { dumpType, dumpVersion, footerBytes, stringEncoding } from './types.js'

/** The payload with its version and its checksum. */
export function* writeDump(tx: ReadTx, contents: Contents): Program<Bytes> {
  const writer = new DumpWriter(yield* sizeOf(tx, contents))
  switch (contents.type) {
    case 'string':
      writer.byte(dumpType.string)
      writer.string(contents.text)
      break
    case 'list':
      writer.byte(dumpType.list)
      yield* writeStrings(tx, writer, contents.elements)
      break
    case 'set':
      writer.byte(dumpType.set)
      yield* writeStrings(tx, writer, contents.members)
      break
    case 'zset':
      writer.byte(dumpType.zset)
      writer.length(contents.entries.length)
      yield* eachInTurns(tx, contents.entries, ({ member, score }) => {
        writer.string(member)
        writer.double(score)
      })
      break
    case 'hash':
      writer.byte(dumpType.hash)
      writer.length(contents.fields.length)
      yield* eachInTurns(tx, contents.fields, ({ field, value }) => {
        writer.string(field)
        writer.string(value)
      })
  }
  return writer.seal(yield* crc64InTurns(tx, writer.versioned(), writer.written))
}

function* writeStrings(tx: ReadTx, writer: DumpWriter, slices: readonly Slice[]): Program<void> {
  writer.length(slices.length)
  yield* eachInTurns(tx, slices, (slice) => writer.string(slice))
}

const typeBytes = 1
/** Maximum bytes of the length before a string, and of a count. */
const lengthBytesMax = 9
const scoreBytes = 8

/** Upper bound of the payload, bytes. */
function* sizeOf(tx: ReadTx, contents: Contents): Program<number> {
  let bytes = typeBytes + lengthBytesMax + footerBytes
  const add = (slice: Slice) => {
    bytes += slice.length + lengthBytesMax
  }
  switch (contents.type) {
    case 'string':
      add(contents.text)
      break
    case 'list':
      yield* eachInTurns(tx, contents.elements, add)
      break
    case 'set':
      yield* eachInTurns(tx, contents.members, add)
      break
    case 'zset':
      yield* eachInTurns(tx, contents.entries, ({ member }) => add(member))
      bytes += contents.entries.length * scoreBytes
      break
    case 'hash':
      yield* eachInTurns(tx, contents.fields, ({ field, value }) => {
        add(field)
        add(value)
      })
  }
  return bytes
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

  /** A length in 6, 14 or 32 bits; the first two bits of the first byte select which. */
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

  string(slice: Slice): void {
    const { bytes, start, end } = slice
    const value = slice.length <= integerCharsMax ? parseInt64(bytes, start, end) : undefined
    if (typeof value === 'number' && this.integer(value)) return
    this.length(slice.length)
    work.note(slice.length / bytesPerUnit)
    this.bytes.set(slice.view(), this.at)
    this.at += slice.length
  }

  double(value: number): void {
    this.view.setFloat64(this.at, value, true)
    this.at += 8
  }

  get written(): number {
    return this.at
  }

  /** Appends the version; the checksum covers the result. */
  versioned(): Bytes {
    this.view.setUint16(this.at, dumpVersion, true)
    this.at += 2
    return this.bytes
  }

  seal({ high, low }: Crc64): Bytes {
    this.view.setUint32(this.at, low, true)
    this.view.setUint32(this.at + 4, high, true)
    return this.bytes.subarray(0, this.at + 8)
  }

  /** False if the value needs more than 32 bits. */
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
