// Reads the pairs of one state of the tables page by page without LMDB, and verifies each page
// before following it. Backups and checks use it, since they must report damage and continue. The
// state must be pinned by an LMDB reader, or the folder unused by others.

import { type Bytes, compareBytes, keyAfter } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import type { Entry } from '../store.js'
import { damagedPage, type PageDamage, type Span } from './page-damage.js'
import { PageBuffer, PageFile } from './page-file.js'
import {
  childOf,
  inlineValue,
  isSoundNodes,
  keyOf,
  type Meta,
  nodeCount,
  type OverflowRef,
  overflowOf,
  overflowValueAt,
  pageTransaction,
  valueBytes,
} from './page-format.js'
import { PageSums } from './page-sums.js'

const firstOfAll: Bytes = new Uint8Array(0)
const mismatch = 'its checksum does not match'

export class PairReader {
  private readonly file: PageFile
  private readonly sums: PageSums
  private readonly meta: Meta

  /** Reads the newest state. Throws OperationFailed if the file is not a tables file. */
  constructor(folder: string) {
    this.file = PageFile.open(folder)
    this.sums = PageSums.load(folder)
    const metas = this.file.metas()
    if (typeof metas === 'number') {
      this.file.close()
      throw fail('OperationFailed', `page ${metas} of data.mdb is not the first page of tables`)
    }
    this.meta = metas.newest
  }

  /** Number of pairs by the file's own count, including the store's metadata. */
  get pairs(): number {
    return this.meta.pairs.entries
  }

  close(): void {
    this.file.close()
  }

  /**
   * Pairs in key order, from a key on. The key is the caller's own; the value is valid until the
   * next pair. Pairs on a damaged page are skipped and reported to `damaged`, which may throw.
   */
  *entries(damaged: (damage: PageDamage) => void, from = firstOfAll): Generator<Entry, void> {
    const { root, depth } = this.meta.pairs
    if (root === undefined) return
    yield* this.under(root, depth, { start: firstOfAll, end: undefined }, from, damaged)
  }

  private *under(
    page: number,
    height: number,
    keys: Span,
    from: Bytes,
    damaged: (damage: PageDamage) => void,
  ): Generator<Entry, void> {
    const buffer = new PageBuffer()
    if (!this.isSound(page, height, buffer)) {
      const span = { start: keys.start.slice(), end: keys.end?.slice() }
      damaged(damagedPage(page, mismatch, span))
      return
    }
    const { bytes } = buffer
    const count = nodeCount(bytes)
    for (let index = 0; index < count; index++) {
      const end = index + 1 < count ? keyOf(bytes, index + 1) : keys.end
      if (height > 1) {
        if (end !== undefined && compareBytes(end, from) <= 0) continue
        const start = index === 0 ? keys.start : keyOf(bytes, index)
        yield* this.under(childOf(bytes, index), height - 1, { start, end }, from, damaged)
        continue
      }
      const key = keyOf(bytes, index).slice()
      if (compareBytes(key, from) < 0) continue
      const value = this.valueAt(bytes, index, key, damaged)
      if (value !== undefined) yield { key, value }
    }
  }

  private isSound(page: number, height: number, buffer: PageBuffer): boolean {
    const { file, sums, meta } = this
    if (page < 2 || page > meta.lastPage || file.read(page, 1, buffer) < 1) return false
    if (buffer.sum() === sums.of(page)) return true
    const transaction = pageTransaction(buffer.bytes)
    return this.isNew(transaction) && isSoundNodes(buffer.bytes, page, height === 1)
  }

  /** Whether the pages of a transaction have no checksums yet. */
  private isNew(transaction: number): boolean {
    return transaction > this.sums.last.transaction && transaction <= this.meta.transaction
  }

  private valueAt(
    bytes: Bytes,
    index: number,
    key: Bytes,
    damaged: (damage: PageDamage) => void,
  ): Bytes | undefined {
    const ref = overflowOf(bytes, index)
    if (ref === undefined) return inlineValue(bytes, index)
    const buffer = this.overflow(ref)
    const end = overflowValueAt + valueBytes(bytes, index)
    if (typeof buffer !== 'number' && end <= buffer.bytes.length) {
      return buffer.bytes.subarray(overflowValueAt, end)
    }
    damaged(
      damagedPage(typeof buffer === 'number' ? buffer : ref.page, mismatch, {
        start: key,
        end: keyAfter(key),
      }),
    )
    return undefined
  }

  /** The pages of a large value, or the number of its damaged page. */
  private overflow({ page, pages, transaction }: OverflowRef): PageBuffer | number {
    const { file, sums, meta } = this
    if (page < 2 || page + pages - 1 > meta.lastPage) return page
    const buffer = new PageBuffer(pages)
    if (file.read(page, pages, buffer) < pages) return page
    for (let place = 0; place < pages; place++) {
      if (buffer.sum(place) === sums.of(page + place) || this.isNew(transaction)) continue
      return page + place
    }
    return buffer
  }
}
