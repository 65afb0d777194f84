// The backup file format: encoding and decoding of its sections. Each section has a checksum, and
// the last section has a checksum over those, so any flipped, missing or swapped part is detected.

import { type Bytes, bufferOf, textOf, utf8 } from '../../base/bytes/bytes.js'
import { crc32c } from '../../base/bytes/crc32c.js'
import type { GatewayError } from '../../base/errors.js'
import { backupBlockBytes } from '../../base/limits/store.js'
import type { Applied } from '../tables/lmdb-environment.js'

/**
 * All numbers are little-endian.
 *
 *     file     'SIGILBAK' | format u32 | sections: one HEAD, DATA …, one TAIL, and nothing more
 *     section  CRC-32C u32 of all that follows in it | kind, 4 letters | length u32 | body
 *     HEAD     tables' format u32 | group u64 | version u64 | time u64 | pairs u64 | Sigil's
 *              version, text
 *     DATA     number u32, from 0 | pairs u32 | pairs
 *     pair     key length u16 | value length u32 | key | value
 *     TAIL     blocks u32 | CRC-32C u32 of the blocks' CRCs | pairs u64 | bytes of the pairs u64
 *
 * Pairs are copied from the tables in key order, with their frames (record-frame.ts), without the
 * store's own metadata. A stream that fails ends with a FAIL section (code u32, text). It tells the
 * client the error, since the HTTP status is already sent. No file keeps it.
 */
export const backupFormat = 1
export const backupMagic = utf8('SIGILBAK')
/** Magic and format. */
export const preludeBytes = 12
export const sectionHeaderBytes = 12
const pairHeaderBytes = 6

export const sectionKind = {
  head: fourLetters('HEAD'),
  block: fourLetters('DATA'),
  tail: fourLetters('TAIL'),
  failure: fourLetters('FAIL'),
} as const

const headBytes = 36
const blockHeaderBytes = 8
const tailBytes = 24

/** The state that a backup contains. */
export interface BackupHead {
  readonly tablesFormat: number
  readonly applied: Applied
  /** Milliseconds since 1970. */
  readonly time: number
  /** Number of pairs in the backup, for progress reports. */
  readonly pairs: number
  /** Version of Sigil that made the backup. */
  readonly sigil: string
}

export interface BackupTail {
  readonly blocks: number
  readonly blocksCrc: number
  readonly pairs: number
  /** Total bytes of keys and values. */
  readonly bytes: number
}

/** The start of the file: prelude and HEAD. */
export function encodeHead(head: BackupHead): Bytes {
  const text = utf8(head.sigil)
  const whole = Buffer.alloc(preludeBytes + sectionHeaderBytes + headBytes + text.length)
  whole.set(backupMagic)
  whole.writeUInt32LE(backupFormat, 8)
  const body = whole.subarray(preludeBytes + sectionHeaderBytes)
  body.writeUInt32LE(head.tablesFormat, 0)
  body.writeBigUInt64LE(BigInt(head.applied.group), 4)
  body.writeBigUInt64LE(BigInt(head.applied.version), 12)
  body.writeBigUInt64LE(BigInt(head.time), 20)
  body.writeBigUInt64LE(BigInt(head.pairs), 28)
  body.set(text, headBytes)
  closeSection(whole.subarray(preludeBytes), sectionKind.head)
  return whole
}

/** Undefined if the body is too short. */
export function decodeHead(given: Bytes): BackupHead | undefined {
  if (given.length < headBytes) return undefined
  const body = bufferOf(given)
  return {
    tablesFormat: body.readUInt32LE(0),
    applied: {
      group: Number(body.readBigUInt64LE(4)),
      version: Number(body.readBigUInt64LE(12)),
    },
    time: Number(body.readBigUInt64LE(20)),
    pairs: Number(body.readBigUInt64LE(28)),
    sigil: textOf(given, headBytes),
  }
}

export function encodeTail({ blocks, blocksCrc, pairs, bytes }: BackupTail): Bytes {
  const section = Buffer.alloc(sectionHeaderBytes + tailBytes)
  const body = section.subarray(sectionHeaderBytes)
  body.writeUInt32LE(blocks, 0)
  body.writeUInt32LE(blocksCrc, 4)
  body.writeBigUInt64LE(BigInt(pairs), 8)
  body.writeBigUInt64LE(BigInt(bytes), 16)
  closeSection(section, sectionKind.tail)
  return section
}

/** Undefined if the body has the wrong length. */
export function decodeTail(given: Bytes): BackupTail | undefined {
  if (given.length !== tailBytes) return undefined
  const body = bufferOf(given)
  return {
    blocks: body.readUInt32LE(0),
    blocksCrc: body.readUInt32LE(4),
    pairs: Number(body.readBigUInt64LE(8)),
    bytes: Number(body.readBigUInt64LE(16)),
  }
}

export function encodeFailure(error: GatewayError): Bytes {
  const text = utf8(error.message)
  const section = Buffer.alloc(sectionHeaderBytes + 4 + text.length)
  section.writeUInt32LE(error.code, sectionHeaderBytes)
  section.set(text, sectionHeaderBytes + 4)
  closeSection(section, sectionKind.failure)
  return section
}

/** Undefined if the body is too short. */
export function decodeFailure(given: Bytes): { code: number; text: string } | undefined {
  if (given.length < 4) return undefined
  return { code: bufferOf(given).readUInt32LE(0), text: textOf(given, 4) }
}

/** Fills the header of a section whose other bytes are complete; returns its CRC. */
function closeSection(section: Buffer, kind: number): number {
  section.writeUInt32LE(kind, 4)
  section.writeUInt32LE(section.length - sectionHeaderBytes, 8)
  const crc = crc32c(section, 4)
  section.writeUInt32LE(crc, 0)
  return crc
}

const crcBytes = Buffer.alloc(4)

/** Extends the checksum over the blocks' checksums by one block. */
export function nextBlocksCrc(before: number, crc: number): number {
  crcBytes.writeUInt32LE(crc, 0)
  return crc32c(crcBytes, 0, 4, before)
}

/** A block under construction. The caller adds pairs until `add` returns false. */
export class Block {
  pairs = 0
  /** Total bytes of keys and values. */
  bytes = 0
  private section: Buffer
  private end = sectionHeaderBytes + blockHeaderBytes

  constructor(private readonly number: number) {
    this.section = Buffer.from(new ArrayBuffer(backupBlockBytes))
  }

  /** Returns false, without a change, if the block is full. The first pair always fits. */
  add(key: Bytes, value: Bytes): boolean {
    const end = this.end + pairHeaderBytes + key.length + value.length
    if (end > this.section.length) {
      if (this.pairs > 0) return false
      this.grow(end)
    }
    const { section } = this
    section.writeUInt16LE(key.length, this.end)
    section.writeUInt32LE(value.length, this.end + 2)
    section.set(key, this.end + pairHeaderBytes)
    section.set(value, end - value.length)
    this.pairs++
    this.bytes += key.length + value.length
    this.end = end
    return true
  }

  /** Returns the section, at the start of its own buffer, and its CRC. */
  close(): { section: Bytes; crc: number } {
    const section = this.section.subarray(0, this.end)
    section.writeUInt32LE(this.number, sectionHeaderBytes)
    section.writeUInt32LE(this.pairs, sectionHeaderBytes + 4)
    return { section, crc: closeSection(section, sectionKind.block) }
  }

  private grow(length: number): void {
    const larger = Buffer.from(new ArrayBuffer(length))
    larger.set(this.section.subarray(0, this.end))
    this.section = larger
  }
}

interface DecodedBlock {
  readonly number: number
  readonly pairs: number
  /** Total bytes of keys and values. */
  readonly bytes: number
}

/**
 * Calls `visit` for each pair of a block; keys and values share the block's memory. Returns
 * undefined if the body is malformed; the caller must then discard the pairs visited so far.
 */
export function decodeBlock(
  given: Bytes,
  visit?: (key: Bytes, value: Bytes) => void,
): DecodedBlock | undefined {
  if (given.length < blockHeaderBytes) return undefined
  const body = bufferOf(given)
  const pairs = body.readUInt32LE(4)
  let at = blockHeaderBytes
  for (let pair = 0; pair < pairs; pair++) {
    if (at + pairHeaderBytes > body.length) return undefined
    const valueAt = at + pairHeaderBytes + body.readUInt16LE(at)
    const end = valueAt + body.readUInt32LE(at + 2)
    if (end > body.length) return undefined
    visit?.(given.subarray(at + pairHeaderBytes, valueAt), given.subarray(valueAt, end))
    at = end
  }
  if (at !== body.length) return undefined
  const bytes = at - blockHeaderBytes - pairs * pairHeaderBytes
  return { number: body.readUInt32LE(0), pairs, bytes }
}

function fourLetters(text: string): number {
  return Buffer.from(text).readUInt32LE(0)
}
