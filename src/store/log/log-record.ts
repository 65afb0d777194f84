// The byte format of the log. A segment is a header and records; a record is one write group. Each
// record carries the random salt of its segment, which clients never see. After a damaged record
// the next one is found by a search, so no stored value must look like a record.

import {
  type Bytes,
  readUint32,
  readUint64,
  writeUint32,
  writeUint64,
} from '../../base/bytes/bytes.js'
import { crc32c, crc32cOfBoth } from '../../base/bytes/crc32c.js'
import { logRecordBytesMax } from '../../base/limits/store.js'
import { changeEnd, changeHeaderBytes, isChangeKind, versionOf } from './change.js'

/**
 * All little-endian. Segment header: magic u32 | salt u32 | format u32 | CRC-32C u32 of the salt
 * and what follows | first group u64 | group before it u64, 0 if there is none. Record header:
 * magic u32 | CRC-32C u32 of what follows, changes included | length u32 of the changes | their
 * number u32 | group u64 | groups since the last synced one u32 | salt u32.
 */
export const segmentHeaderBytes = 32
export const recordHeaderBytes = 32
export const segmentFormat = 1

/** `SIGL` and `GRUP`. */
const segmentMagic = 0x4c474953
const recordMagic = 0x50555247
/** The bytes that a search for records looks for. */
export const recordMagicBytes = Buffer.from('GRUP')

const saltAt = 4
const formatAt = 8
const headerChecksumAt = 12
const firstGroupAt = 16
const groupBeforeAt = 24
const checksumAt = 4
const checkedAt = 8
const lengthAt = 8
const countAt = 12
const groupAt = 16
const unsyncedAt = 24
const recordSaltAt = 28
/** Stands for a distance that is absent or too large to store. */
const unknownDistance = 0xffffffff

export interface SegmentHeader {
  readonly salt: number
  readonly firstGroup: number
  readonly groupBefore: number
}

const nameDigits = 16
const namePattern = /^(\d{16})\.log$/

export function segmentName(firstGroup: number): string {
  return `${String(firstGroup).padStart(nameDigits, '0')}.log`
}

/** The first group of a segment, from its file name; undefined for other files. */
export function groupOfName(name: string): number | undefined {
  const digits = namePattern.exec(name)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

export function segmentHeader({ salt, firstGroup, groupBefore }: SegmentHeader): Bytes {
  const bytes = new Uint8Array(segmentHeaderBytes)
  writeUint32(bytes, 0, segmentMagic)
  writeUint32(bytes, saltAt, salt)
  writeUint32(bytes, formatAt, segmentFormat)
  writeUint64(bytes, firstGroupAt, firstGroup)
  writeUint64(bytes, groupBeforeAt, groupBefore)
  writeUint32(bytes, headerChecksumAt, headerChecksum(bytes))
  return bytes
}

/** The format number if this is the header of another format. 0 is a hole, not a format. */
export function foreignFormat(bytes: Bytes): number | undefined {
  if (bytes.length < segmentHeaderBytes || readUint32(bytes, 0) !== segmentMagic) return undefined
  const format = readUint32(bytes, formatAt)
  return format === segmentFormat || format === 0 ? undefined : format
}

/** Reads the header of a segment; undefined if it is short or damaged. */
export function openSegmentHeader(bytes: Bytes): SegmentHeader | undefined {
  if (bytes.length < segmentHeaderBytes || readUint32(bytes, 0) !== segmentMagic) return undefined
  if (readUint32(bytes, formatAt) !== segmentFormat) return undefined
  if (readUint32(bytes, headerChecksumAt) !== headerChecksum(bytes)) return undefined
  return {
    salt: readUint32(bytes, saltAt),
    firstGroup: readUint64(bytes, firstGroupAt),
    groupBefore: readUint64(bytes, groupBeforeAt),
  }
}

function headerChecksum(bytes: Bytes): number {
  const salted = crc32c(bytes, saltAt, saltAt + 4)
  return crc32c(bytes, firstGroupAt, segmentHeaderBytes, salted)
}

/**
 * Fills the record header at the start of `pieces[0]`. The changes follow it and fill the other
 * pieces, `length` bytes in all. Groups up to `synced` are known to be on disk.
 */
export function fillRecordHeader(
  pieces: readonly Bytes[],
  length: number,
  changes: number,
  group: number,
  synced: number,
  salt: number,
): void {
  const first = pieces[0] as Bytes
  writeUint32(first, 0, recordMagic)
  writeUint32(first, lengthAt, length)
  writeUint32(first, countAt, changes)
  writeUint64(first, groupAt, group)
  writeUint32(first, unsyncedAt, Math.min(group - synced, unknownDistance))
  writeUint32(first, recordSaltAt, salt)
  let checksum = crc32c(first, checkedAt)
  for (let i = 1; i < pieces.length; i++) {
    const piece = pieces[i] as Bytes
    checksum = crc32c(piece, 0, piece.length, checksum)
  }
  writeUint32(first, checksumAt, checksum)
}

interface RecordFields {
  /** Bytes of the changes. */
  readonly length: number
  readonly checksum: number
  readonly changes: number
  readonly group: number
  readonly syncedGroup: number
  readonly salt: number
}

/** Like fillRecordHeader, for changes whose checksum is known. */
export function recordHeader(fields: RecordFields): Bytes {
  const { length, checksum, changes, group, syncedGroup, salt } = fields
  const header = new Uint8Array(recordHeaderBytes)
  fillRecordHeader([header], length, changes, group, syncedGroup, salt)
  const ofHeader = readUint32(header, checksumAt)
  writeUint32(header, checksumAt, crc32cOfBoth(ofHeader, checksum, length))
  return header
}

/** The end of the valid record at `at`, or -1 if there is none before `end`. */
export function soundRecordEnd(bytes: Bytes, at: number, end: number, salt: number): number {
  if (at + recordHeaderBytes > end || readUint32(bytes, at) !== recordMagic) return -1
  if (recordSalt(bytes, at) !== salt) return -1
  const length = readUint32(bytes, at + lengthAt)
  const recordEnd = at + recordHeaderBytes + length
  if (length > logRecordBytesMax || recordEnd > end) return -1
  return crc32c(bytes, at + checkedAt, recordEnd) === readUint32(bytes, at + checksumAt)
    ? recordEnd
    : -1
}

export function recordSalt(bytes: Bytes, at: number): number {
  return readUint32(bytes, at + recordSaltAt)
}

export function recordGroup(bytes: Bytes, at: number): number {
  return readUint64(bytes, at + groupAt)
}

/** The last group known to be on disk when the record was written; 0 for none. */
export function recordSynced(bytes: Bytes, at: number): number {
  const distance = readUint32(bytes, at + unsyncedAt)
  return distance === unknownDistance ? 0 : Math.max(recordGroup(bytes, at) - distance, 0)
}

/** The number of changes that the record header states. */
export function recordChanges(bytes: Bytes, at: number): number {
  return readUint32(bytes, at + countAt)
}

/**
 * The highest version among the changes of a valid record that ends at `end`. Undefined if the
 * changes contradict the header: then this code did not write the record.
 */
export function highestVersion(bytes: Bytes, at: number, end: number): number | undefined {
  let version = 0
  let count = 0
  let change = at + recordHeaderBytes
  while (change + changeHeaderBytes <= end && isChangeKind(bytes[change])) {
    version = Math.max(version, versionOf(bytes, change))
    change = changeEnd(bytes, change)
    count++
  }
  return change === end && count === recordChanges(bytes, at) ? version : undefined
}
