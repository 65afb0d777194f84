// Reading pages of the tables' file by number, into memory of this program's own: what was verified
// there cannot change any more, which is not so of LMDB's memory map.

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

/** Where the file of the tables in `folder` lies. */
export function tablesPath(folder: string): string {
  return join(folder, 'data.mdb')
}

/** Room for pages, as bytes and as the words that are summed. */
export class PageBuffer {
  readonly bytes: Bytes
  readonly words: Int32Array

  constructor(pages = 1) {
    const memory = new ArrayBuffer(pages * pageBytes)
    this.bytes = new Uint8Array(memory)
    this.words = new Int32Array(memory)
  }

  /** Of a page in it. */
  sum(place = 0): number {
    return wordsSum(this.words, (place * pageBytes) / 4)
  }

  /** A page in it, on its memory. */
  page(place: number): Bytes {
    return this.bytes.subarray(place * pageBytes, (place + 1) * pageBytes)
  }
}

/** The two first pages: the newest state, and the one before it. */
export interface Metas {
  readonly newest: Meta
  readonly newestSum: number
  /** Undefined where it can be none: what LMDB puts back of a commit that the disk has refused. */
  readonly other: Meta | undefined
  readonly otherSum: number
  /** What the sum of the newest would be, had it the number of the transaction two before. */
  readonly disguisedSum: number
}

/** Of `metaState`, where the number of the transaction stands. */
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

  /** Pages that the file has. */
  get pages(): number {
    return Math.floor(fstatSync(this.file).size / pageBytes)
  }

  /** How many of `count` pages from `first` on came; fewer at the end of the file. */
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

  /** A number where LMDB must not open the file: of the page that is to blame. */
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
