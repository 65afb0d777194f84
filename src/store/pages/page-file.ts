// Reads pages of the tables' file by number into private memory. A verified page cannot change
// there, in contrast to LMDB's memory map.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { Bytes } from '../../base/bytes/bytes.js'
import {
  isMeta,
  type Meta,
  metaState,
  metaTransaction,
  pageBytes,
  readMeta,
} from './page-format.js'
import { wordsSum } from './page-sums.js'

/** Path of the tables' file in `folder`. */
export function tablesPath(folder: string): string {
  return join(folder, 'data.mdb')
}

/** A buffer for pages, viewed as bytes and as the words that are checksummed. */
export class PageBuffer {
  readonly bytes: Bytes
  readonly words: Int32Array

  constructor(pages = 1) {
    const memory = new ArrayBuffer(pages * pageBytes)
    this.bytes = new Uint8Array(memory)
    this.words = new Int32Array(memory)
  }

  /** The checksum of a page in the buffer. */
  sum(place = 0): number {
    return wordsSum(this.words, (place * pageBytes) / 4)
  }

  /** A page in the buffer, as a view. */
  page(place: number): Bytes {
    return this.bytes.subarray(place * pageBytes, (place + 1) * pageBytes)
  }
}

/** The two meta pages: the newest state and the previous one. */
export interface Metas {
  readonly newest: Meta
  readonly newestSum: number
  /** Undefined if it is invalid: LMDB's restored page after a commit that the disk refused. */
  readonly other: Meta | undefined
  readonly otherSum: number
  /** The checksum that the newest page would have with a transaction number lower by two. */
  readonly disguisedSum: number
}

/** Offset of the transaction number in `metaState`. */
const transactionAt = 112

export class PageFile {
  private readonly buffer = new PageBuffer(2)

  private constructor(private readonly file: number) {}

  static open(folder: string): PageFile {
    return new PageFile(openSync(tablesPath(folder), 'r'))
  }

  close(): void {
    closeSync(this.file)
  }

  /** Number of pages in the file. */
  get pages(): number {
    return Math.floor(fstatSync(this.file).size / pageBytes)
  }

  /**
   * Reads `count` pages from `first` on; returns how many were read, fewer at the end of the file.
   */
  read(first: number, count: number, into: PageBuffer): number {
    const length = count * pageBytes
    let at = 0
    while (at < length) {
      const came = readSync(this.file, into.bytes, at, length - at, first * pageBytes + at)
      if (came === 0) break
      at += came
    }
    return Math.floor(at / pageBytes)
  }

  /** Returns the number of the faulty page if LMDB must not open the file. */
  metas(): Metas | number {
    const { buffer } = this
    if (this.read(0, 2, buffer) < 2) return 0
    const pages = [buffer.page(0), buffer.page(1)] as const
    const notMeta = pages.findIndex((page) => !isMeta(page))
    if (notMeta !== -1) return notMeta
    const newestPage = metaTransaction(pages[0]) > metaTransaction(pages[1]) ? 0 : 1
    const newest = readMeta(pages[newestPage])
    if (newest === undefined) return newestPage
    return {
      newest,
      newestSum: stateSum(pages[newestPage]),
      other: readMeta(pages[1 - newestPage] as Bytes),
      otherSum: stateSum(pages[1 - newestPage] as Bytes),
      disguisedSum: stateSum(pages[newestPage], 2),
    }
  }
}

function stateSum(page: Bytes, less = 0): number {
  const state = metaState(page).slice()
  const words = new Int32Array(state.buffer)
  // Of numbers below 2^31, which no folder reaches with two transactions a second.
  if (less > 0) words[transactionAt / 4] = (words[transactionAt / 4] as number) - less
  return wordsSum(words, 0, words.length)
}
