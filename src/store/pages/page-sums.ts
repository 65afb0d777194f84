// Checksums of the pages of the tables' file, since LMDB has none. They are in a file beside it,
// appended after each commit as records of the pages that one transaction wrote. A torn or lost
// record ends the file. Pages of later transactions are then accepted as they are, never called
// damaged.

import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type Bytes,
  readUint32,
  readUint64,
  utf8,
  writeUint32,
  writeUint64,
} from '../../base/bytes/bytes.js'
import { crc32c } from '../../base/bytes/crc32c.js'
import { errorCode } from '../files.js'
import { pageBytes } from './page-format.js'

const fileName = 'page-sums'
/** Also identifies the format of the file. */
const fileHead = utf8('SIGILPS1')
/** Checksum, number of pages, transaction, checksum of its meta page and of the other one. */
const recordHeadBytes = 24
const entryBytes = 8
/** The file is rewritten when it exceeds twice the table's size plus this slack. */
const slackBytes = 1_048_576
const wordsPerPage = pageBytes / 4
const prime = 0x9e3779b1
const finalPrime = 0x85ebca6b

/** Marks a page without a recorded checksum. */
export const unknownSum = 0

/** The state that the checksums cover: the last recorded transaction, and the two meta pages. */
export interface Noted {
  readonly transaction: number
  readonly metaSum: number
  /** Checksum of the meta page that the transaction did not write. */
  readonly otherSum: number
}

/** Path of the checksum file of the tables in `folder`. */
export function sumsPath(folder: string): string {
  return join(folder, fileName)
}

/**
 * The checksum of `count` words from `from` on; never `unknownSum`. Each word is mixed by a
 * bijective step, so any change within one word changes the result. Four parallel sums take a third
 * of the time of CRC-32C in JavaScript.
 */
export function wordsSum(words: Int32Array, from = 0, count = wordsPerPage): number {
  let a = 1
  let b = 2
  let c = 3
  let d = 4
  for (let i = from, end = from + count; i < end; i += 4) {
    a = Math.imul(a ^ (words[i] as number), prime)
    b = Math.imul(b ^ (words[i + 1] as number), prime)
    c = Math.imul(c ^ (words[i + 2] as number), prime)
    d = Math.imul(d ^ (words[i + 3] as number), prime)
    a ^= a >>> 15
    b ^= b >>> 15
    c ^= c >>> 15
    d ^= d >>> 15
  }
  let sum = a
  for (const lane of [b, c, d]) {
    sum = Math.imul(sum ^ (sum >>> 16), finalPrime)
    sum = Math.imul(sum, prime) ^ lane
  }
  sum = Math.imul(sum ^ (sum >>> 16), finalPrime) >>> 0
  return sum === unknownSum ? 1 : sum
}

export class PageSums {
  private sums = new Uint32Array(1_024)
  /** All recorded pages are below it. */
  private end = 0
  private noted: Noted = { transaction: 0, metaSum: unknownSum, otherSum: unknownSum }
  private fileBytes = 0

  private constructor(private readonly folder: string) {}

  /** Loads the folder's checksums; empty if the file is missing or damaged at its start. */
  static load(folder: string): PageSums {
    const sums = new PageSums(folder)
    const bytes = readWhole(sumsPath(folder))
    if (bytes === undefined || !startsWithHead(bytes)) return sums
    sums.fileBytes = fileHead.length
    for (let at = fileHead.length; ; ) {
      const end = sums.takeRecord(bytes, at)
      if (end === undefined) return sums
      at = end
      sums.fileBytes = end
    }
  }

  get last(): Noted {
    return this.noted
  }

  of(page: number): number {
    return page < this.end ? (this.sums[page] as number) : unknownSum
  }

  set(page: number, sum: number): void {
    if (page >= this.sums.length) {
      const grown = new Uint32Array(Math.max(2 * this.sums.length, page + 1))
      grown.set(this.sums)
      this.sums = grown
    }
    this.sums[page] = sum
    if (page >= this.end) this.end = page + 1
  }

  /**
   * Records what a transaction wrote; the pages' checksums are already set. Not synced: pages whose
   * record a power cut loses have no checksum. If it throws, the file is unchanged, and the next
   * call writes everything.
   */
  append(noted: Noted, pages: readonly number[]): void {
    this.noted = noted
    const { fileBytes } = this
    this.fileBytes = 0
    this.fileBytes = this.write(fileBytes, pages)
  }

  /** Returns the new size of the file, bytes. */
  private write(fileBytes: number, pages: readonly number[]): number {
    const whole = recordHeadBytes + entryBytes * this.end
    if (fileBytes === 0 || fileBytes > 2 * whole + slackBytes) return this.rewrite()
    const record = this.encode(pages.length, (index) => pages[index] as number)
    const file = openSync(sumsPath(this.folder), 'r+')
    try {
      // Removes the remains of a torn record.
      ftruncateSync(file, fileBytes)
      writeAll(file, record, fileBytes)
      return fileBytes + record.length
    } finally {
      closeSync(file)
    }
  }

  /** Writes the whole table in one record. The old or the new file exists at any time. */
  private rewrite(): number {
    const path = sumsPath(this.folder)
    const record = this.encode(this.end, (index) => index)
    const file = openSync(`${path}.new`, 'w', 0o600)
    try {
      writeAll(file, fileHead, 0)
      writeAll(file, record, fileHead.length)
      fdatasyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(`${path}.new`, path)
    const folder = openSync(dirname(path), 'r')
    try {
      fsyncSync(folder)
    } finally {
      closeSync(folder)
    }
    return fileHead.length + record.length
  }

  private encode(count: number, pageAt: (index: number) => number): Bytes {
    const record = new Uint8Array(recordHeadBytes + entryBytes * count)
    writeUint32(record, 4, count)
    writeUint64(record, 8, this.noted.transaction)
    writeUint32(record, 16, this.noted.metaSum)
    writeUint32(record, 20, this.noted.otherSum)
    for (let index = 0, at = recordHeadBytes; index < count; index++, at += entryBytes) {
      const page = pageAt(index)
      writeUint32(record, at, page)
      writeUint32(record, at + 4, this.of(page))
    }
    writeUint32(record, 0, crc32c(record, 4))
    return record
  }

  /** Reads one record and returns its end; undefined if it is incomplete or damaged. */
  private takeRecord(bytes: Bytes, start: number): number | undefined {
    if (start + recordHeadBytes > bytes.length) return undefined
    const count = readUint32(bytes, start + 4)
    const end = start + recordHeadBytes + entryBytes * count
    if (end > bytes.length) return undefined
    if (crc32c(bytes, start + 4, end) !== readUint32(bytes, start)) return undefined
    for (let at = start + recordHeadBytes; at < end; at += entryBytes) {
      this.set(readUint32(bytes, at), readUint32(bytes, at + 4))
    }
    this.noted = {
      transaction: readUint64(bytes, start + 8),
      metaSum: readUint32(bytes, start + 16),
      otherSum: readUint32(bytes, start + 20),
    }
    return end
  }
}

function startsWithHead(bytes: Bytes): boolean {
  return bytes.length >= fileHead.length && fileHead.every((byte, at) => bytes[at] === byte)
}

function readWhole(path: string): Bytes | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function writeAll(file: number, bytes: Bytes, position: number): void {
  for (let at = 0; at < bytes.length; ) {
    at += writeSync(file, bytes, at, bytes.length - at, position + at)
  }
}
