// Walks a tree of the tables' file in key order and verifies each page before following it. Pages
// of unrecorded transactions are accepted if their structure is valid, and get checksums.

import { type Bytes, compareBytes, keyAfter } from '../../base/bytes/bytes.js'
import { damagedPage, type PageDamage, type Span } from './page-damage.js'
import { PageBuffer, type PageFile } from './page-file.js'
import {
  childOf,
  isSoundNodes,
  isSoundOverflow,
  keyOf,
  type Meta,
  nodeCount,
  type OverflowRef,
  overflowOf,
  pageTransaction,
  type Tree,
} from './page-format.js'
import { type PageSums, unknownSum } from './page-sums.js'

interface Verification {
  /** The state that the tree is part of. */
  readonly meta: Meta
  /** Pages of later transactions may have no checksums yet. */
  readonly notedUpTo: number
  /** Those pages may have checksums of earlier contents, since nothing was recorded since. */
  readonly hasOldSums?: boolean
  /** The key to begin at: where an earlier step ended. */
  readonly from?: Bytes
  /** Pages after which the step ends; the current leaf is still completed. */
  readonly pagesMax?: number
  /** False for the tree of free pages, which has no data keys. */
  readonly hasKeys?: boolean
}

interface Verified {
  readonly damages: PageDamage[]
  /** Pages that got a checksum. */
  readonly taken: number[]
  /** The key where the next step begins; undefined at the end of the tree. */
  readonly next: Bytes | undefined
}

const mismatch = 'its checksum does not match'
const firstOfAll: Bytes = new Uint8Array(0)
const overflowPagesAtOnce = 256

export class TreeVerifier {
  private readonly buffers: PageBuffer[] = []
  private readonly overflow = new PageBuffer(overflowPagesAtOnce)
  private damages: PageDamage[] = []
  private taken: number[] = []
  private next: Bytes | undefined
  private pages = 0
  private isOver = false
  private leafBefore: Bytes = firstOfAll
  /** Damaged pages whose following leaf is not known yet. */
  private pending: { page: number; what: string; keys: Span; start: Bytes }[] = []

  constructor(
    private readonly file: PageFile,
    private readonly sums: PageSums,
  ) {}

  verify({ root, depth }: Tree, verification: Verification): Verified {
    this.damages = []
    this.taken = []
    this.next = undefined
    this.pages = 0
    this.isOver = false
    this.leafBefore = firstOfAll
    const { from = firstOfAll } = verification
    if (root !== undefined) {
      this.visit(root, depth, { start: firstOfAll, end: undefined }, { ...verification, from })
    }
    this.settle(undefined)
    const { damages, taken, next } = this
    return { damages, taken, next }
  }

  /** `height` is 1 for leaves. */
  private visit(
    page: number,
    height: number,
    keys: Span,
    verification: Verification & { readonly from: Bytes },
  ): void {
    const { hasKeys = true, pagesMax = Number.POSITIVE_INFINITY } = verification
    if (height === 1 && this.pages >= pagesMax && this.pages > 0) {
      this.isOver = true
      this.next = keys.start.slice()
      return
    }
    this.buffers[height] ??= new PageBuffer()
    const buffer = this.buffers[height] as PageBuffer
    this.pages++
    if (height === 1) this.settle(keys.end)
    if (!this.isSound(page, height, buffer, verification)) {
      this.note(page, keys, hasKeys)
      return
    }
    const { bytes } = buffer
    const count = nodeCount(bytes)
    if (height === 1) {
      this.leafBefore = keys.start.slice()
      for (let index = 0; index < count; index++) {
        const ref = overflowOf(bytes, index)
        if (ref !== undefined) this.verifyOverflow(ref, keyOf(bytes, index), verification)
      }
      return
    }
    const first = hasKeys ? childWith(bytes, count, verification.from) : 0
    for (let index = first; index < count && !this.isOver; index++) {
      const start = index === 0 ? keys.start : keyOf(bytes, index)
      const end = index + 1 < count ? keyOf(bytes, index + 1) : keys.end
      this.visit(childOf(bytes, index), height - 1, { start, end }, verification)
    }
  }

  private isSound(
    page: number,
    height: number,
    buffer: PageBuffer,
    { meta, notedUpTo, hasOldSums = true }: Verification,
  ): boolean {
    if (page < 2 || page > meta.lastPage || this.file.read(page, 1, buffer) < 1) return false
    const sum = buffer.sum()
    const wanted = this.sums.of(page)
    if (sum === wanted) return true
    if (!hasOldSums && wanted !== unknownSum) return false
    const transaction = pageTransaction(buffer.bytes)
    if (transaction <= notedUpTo || transaction > meta.transaction) return false
    if (!isSoundNodes(buffer.bytes, page, height === 1)) return false
    this.take(page, sum)
    return true
  }

  private verifyOverflow(ref: OverflowRef, key: Bytes, { meta, notedUpTo }: Verification): void {
    const { overflow } = this
    const { page: first, pages, transaction } = ref
    const isNew = transaction > notedUpTo && transaction <= meta.transaction
    const end = first + pages
    let bad: number | undefined = end - 1 > meta.lastPage ? first : undefined
    for (let at = first; at < end && bad === undefined; at += overflowPagesAtOnce) {
      const count = Math.min(overflowPagesAtOnce, end - at)
      if (this.file.read(at, count, overflow) < count) bad = at
      this.pages += count
      for (let place = 0; place < count && bad === undefined; place++) {
        const sum = overflow.sum(place)
        if (sum === this.sums.of(at + place)) continue
        const isTaken = isNew && (at + place > first || isSoundOverflow(overflow.page(place), ref))
        if (isTaken) this.take(at + place, sum)
        else bad = at + place
      }
    }
    if (bad === undefined) return
    const start = key.slice()
    // Only reads of this key touch these pages.
    const keys = { start, end: keyAfter(start) }
    this.damages.push(damagedPage(bad, mismatch, keys))
  }

  private take(page: number, sum: number): void {
    this.sums.set(page, sum)
    this.taken.push(page)
  }

  private note(page: number, { start, end }: Span, hasKeys: boolean): void {
    if (!hasKeys) {
      this.damages.push(damagedPage(page, `${mismatch}; it lists free pages`))
      return
    }
    const keys = { start: start.slice(), end: end?.slice() }
    this.pending.push({ page, what: mismatch, keys, start: this.leafBefore })
  }

  /** Completes the damaged pages: the leaf after them ends at `end`. */
  private settle(end: Bytes | undefined): void {
    for (const { page, what, keys, start } of this.pending.splice(0)) {
      this.damages.push(damagedPage(page, what, keys, { start, end: end?.slice() }))
    }
  }
}

/** The last child of a branch page that begins at or below the key. */
function childWith(bytes: Bytes, count: number, key: Bytes): number {
  if (key.length === 0) return 0
  let low = 0
  let high = count - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (compareBytes(keyOf(bytes, middle), key) <= 0) low = middle
    else high = middle - 1
  }
  return low
}
