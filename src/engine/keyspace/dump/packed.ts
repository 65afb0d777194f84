// The packed encodings that Redis uses for small containers and dumps unchanged: ziplist, listpack,
// intset and zipmap. Read from front to back; redundant parts are skipped.

import { Slice } from '../../../base/bytes/slice.js'
import { badFormat, type DumpReader } from './reader.js'

const endMark = 0xff

/** Elements of a ziplist. */
export function readZiplist(reader: DumpReader): Slice[] {
  // Its length in bytes and the offset of its last entry.
  reader.skip(8)
  const count = reader.uint16()
  const found: Slice[] = []
  for (;;) {
    const previous = reader.byte()
    if (previous === endMark) break
    if (previous === 0xfe) reader.skip(4)
    found.push(ziplistEntry(reader))
  }
  checkCount(found, count)
  return found
}

function ziplistEntry(reader: DumpReader): Slice {
  const head = reader.byte()
  switch (head >>> 6) {
    case 0:
      return reader.raw(head)
    case 1:
      return reader.raw(((head & 0x3f) << 8) | reader.byte())
    case 2:
      return reader.raw(reader.uint32BigEndian())
  }
  switch (head) {
    case 0xc0:
      return reader.integer(2)
    case 0xd0:
      return reader.integer(4)
    case 0xe0:
      return reader.integer(8)
    case 0xf0:
      return reader.integer(3)
    case 0xfe:
      return reader.integer(1)
  }
  if (head < 0xf1 || head > 0xfd) throw badFormat()
  return small(head - 0xf1)
}

/** Elements of a listpack. */
export function readListpack(reader: DumpReader): Slice[] {
  reader.skip(4)
  const count = reader.uint16()
  const found: Slice[] = []
  for (;;) {
    const head = reader.byte()
    if (head === endMark) break
    const before = reader.left + 1
    found.push(listpackEntry(reader, head))
    reader.skip(backBytes(before - reader.left))
  }
  checkCount(found, count)
  return found
}

function listpackEntry(reader: DumpReader, head: number): Slice {
  if (head < 0x80) return small(head)
  if (head < 0xc0) return reader.raw(head & 0x3f)
  if (head < 0xe0) {
    const value = ((head & 0x1f) << 8) | reader.byte()
    return small(value < 0x1000 ? value : value - 0x2000)
  }
  if (head < 0xf0) return reader.raw(((head & 0x0f) << 8) | reader.byte())
  switch (head) {
    case 0xf0:
      return reader.raw(reader.uint32())
    case 0xf1:
      return reader.integer(2)
    case 0xf2:
      return reader.integer(3)
    case 0xf3:
      return reader.integer(4)
    case 0xf4:
      return reader.integer(8)
    default:
      throw badFormat()
  }
}

/** After an entry is its length, seven bits in each byte, for reading backwards. */
function backBytes(length: number): number {
  if (length < 0x80) return 1
  if (length < 0x4000) return 2
  if (length < 0x20_0000) return 3
  return length < 0x1000_0000 ? 4 : 5
}

/** Members of an intset. */
export function readIntset(reader: DumpReader): Slice[] {
  const bytes = reader.uint32()
  const count = reader.uint32()
  if ((bytes !== 2 && bytes !== 4 && bytes !== 8) || reader.left !== count * bytes) {
    throw badFormat()
  }
  return Array.from({ length: count }, () => reader.integer(bytes))
}

/** Fields and values of a zipmap in turn. */
export function readZipmap(reader: DumpReader): Slice[] {
  reader.skip(1)
  const found: Slice[] = []
  for (;;) {
    const first = reader.byte()
    if (first === endMark) return found
    found.push(reader.raw(zipmapLength(reader, first)))
    const length = zipmapLength(reader, reader.byte())
    // This many bytes after the value are unused.
    const unused = reader.byte()
    found.push(reader.raw(length))
    reader.skip(unused)
  }
}

function zipmapLength(reader: DumpReader, first: number): number {
  if (first === endMark) throw badFormat()
  return first === 0xfe ? reader.uint32() : first
}

/** Above 65,534 elements the count is not stored. */
const countMax = 0xffff

function checkCount(found: readonly Slice[], count: number): void {
  if (count !== countMax && count !== found.length) throw badFormat()
}

function small(value: number): Slice {
  return Slice.ofText(String(value))
}
