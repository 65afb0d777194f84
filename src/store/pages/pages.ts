// Verifies the pages of a store: all of them before LMDB walks them, then again and again in the
// background. It also records checksums after each commit. (docs/design/storage.md, "Checksums of
// pages")

import type { Bytes } from '../../base/bytes/bytes.js'
import { isNoSpace } from '../files.js'
import {
  type ChangedPages,
  changedPages,
  inRuns,
  overflowPages,
  runBuffer,
  sumPages,
} from './page-changes.js'
import { damagedFirstPage, type PageDamage } from './page-damage.js'
import { type Metas, PageFile } from './page-file.js'
import type { Meta } from './page-format.js'
import { type Noted, PageSums, unknownSum } from './page-sums.js'
import { TreeVerifier } from './tree-verifier.js'

/** Pages that the scrub reads in one step: 1 MiB, about 0.3 ms of the checkpoint thread. */
const scrubPagesPerStep = 256

interface VerifyOptions {
  /** If set, no checksums are recorded. */
  readonly isReadOnly?: boolean
}

export class Pages {
  private readonly file: PageFile
  private readonly sums: PageSums
  private readonly verifier: TreeVerifier
  private readonly run = runBuffer()
  /** The last state that was verified, or compared with its predecessor. */
  private seen: Noted
  /** Marks the leaves without a checksum. */
  private unsummed = new Uint8Array(0)
  private unsummedPages = 0
  private nextUnsummed = 0
  /** Pages that got a checksum since the last record was written. */
  private unrecorded: number[] = []
  /** The key at which the next scrub step begins. */
  private from: Bytes | undefined

  constructor(folder: string) {
    this.file = PageFile.open(folder)
    this.sums = PageSums.load(folder)
    this.verifier = new TreeVerifier(this.file, this.sums)
    this.seen = this.sums.last
  }

  close(): void {
    this.file.close()
  }

  /**
   * Verifies every page that the newest state uses. If all are valid, it records checksums for
   * pages without one. Those exist after a crash that followed a commit, and in folders of earlier
   * versions.
   */
  verify({ isReadOnly = false }: VerifyOptions = {}): PageDamage[] {
    const { file, sums } = this
    const metas = file.metas()
    const damagedMeta = metaDamage(metas, this.seen)
    if (typeof metas === 'number' || damagedMeta !== undefined) return damagedMeta ?? []
    const { newest, other, otherSum } = metas
    const { transaction: notedUpTo, metaSum } = sums.last
    const isBehind = newest.transaction > notedUpTo
    const damages: PageDamage[] = []
    // An unrecorded commit may have copied damaged pages, so the older state is verified too.
    if (isBehind && other?.transaction === notedUpTo && otherSum === metaSum && notedUpTo > 0) {
      damages.push(...this.verifyState(other, notedUpTo).damages)
    }
    const found = this.verifyState(newest, notedUpTo)
    damages.push(...found.damages)
    if (damages.length > 0) return damages
    this.seen = notedOf(metas)
    this.unsummed = new Uint8Array(0)
    this.unsummedPages = 0
    for (const page of found.taken) this.unrecorded.push(page)
    if (isBehind && !isReadOnly) this.record()
    return []
  }

  /** Like verify, but only if there is a commit that was not checked. */
  verifyIfBehind(): PageDamage[] {
    const metas = this.file.metas()
    const { transaction } = this.seen
    return typeof metas === 'number' || metas.newest.transaction !== transaction
      ? this.verify()
      : []
  }

  /**
   * Checks the pages that the last commit wrote, and the pages it copied them from. If it returns
   * damages, there must be no further commit.
   */
  noteCommit(): PageDamage[] {
    const { file, sums, seen } = this
    const metas = file.metas()
    if (typeof metas === 'number') return metaDamage(metas, seen) ?? []
    const { newest, other } = metas
    if (newest.transaction === seen.transaction) return []
    if (other?.transaction !== seen.transaction) return this.verify()
    const changed: ChangedPages | undefined = changedPages(file, sums, other, newest)
    if (changed === undefined) {
      const { damages } = this.verifyState(other, sums.last.transaction, false)
      return damages.length > 0 ? damages : this.verify()
    }
    this.seen = notedOf(metas)
    for (const page of changed.gone) this.settle(page)
    for (let i = 0; i < changed.pages.length; i++) {
      this.note(changed.pages[i] as number, changed.sums[i] as number)
    }
    this.putOff(changed.unsummed, newest.lastPage)
    if (this.unsummedPages === 0) this.record()
    return []
  }

  /**
   * Checksums pages without a checksum, or else continues the scrub where the last step ended;
   * about `scrubPagesPerStep` pages. No commit may run at the same time. `isEnd` is true after a
   * full pass.
   */
  scrubStep(): { readonly damages: PageDamage[]; readonly isEnd: boolean } {
    const { file, sums, from, seen } = this
    const metas = file.metas()
    const damagedMeta = metaDamage(metas, seen)
    if (typeof metas === 'number' || damagedMeta !== undefined) {
      return { damages: damagedMeta ?? [], isEnd: true }
    }
    const { newest } = metas
    if (this.unsummedPages > 0) {
      this.sumSome(newest)
      return { damages: [], isEnd: false }
    }
    const notedUpTo = sums.last.transaction
    const step = { meta: newest, notedUpTo, pagesMax: scrubPagesPerStep, hasOldSums: false }
    const found = this.verifier.verify(newest.pairs, {
      ...step,
      ...(from === undefined ? {} : { from }),
    })
    this.from = found.next
    const isEnd = this.from === undefined
    const isSound =
      found.damages.length === 0 &&
      (!isEnd || this.verifyFree(newest, notedUpTo, false).damages.length === 0)
    const damages = isSound ? [] : this.verifyState(newest, notedUpTo, false).damages
    return { damages, isEnd }
  }

  /** Checksums one step of the deferred leaves, and their large values. */
  private sumSome({ lastPage }: Meta): void {
    const { file, unsummed, run } = this
    const leaves: number[] = []
    let at = this.nextUnsummed
    for (; at < unsummed.length && leaves.length < scrubPagesPerStep; at++) {
      if (unsummed[at] === 1) leaves.push(at)
    }
    this.nextUnsummed = at < unsummed.length ? at : 0
    const overflow: number[] = []
    const { transaction } = this.sums.last
    inRuns(file, leaves, lastPage, run, (page, place) => {
      this.note(page, run.sum(place))
      overflowPages(run, place, transaction, overflow)
      this.settle(page)
      return true
    })
    sumPages(file, overflow, lastPage, run, (page, sum) => this.note(page, sum))
    if (this.unsummedPages === 0) this.record()
  }

  private note(page: number, sum: number): void {
    this.sums.set(page, sum)
    this.unrecorded.push(page)
  }

  private putOff(leaves: readonly number[], lastPage: number): void {
    if (leaves.length === 0) return
    if (lastPage >= this.unsummed.length) {
      const grown = new Uint8Array(Math.max(2 * this.unsummed.length, lastPage + 1))
      grown.set(this.unsummed)
      this.unsummed = grown
    }
    for (const page of leaves) {
      if (this.unsummed[page] !== 1) this.unsummedPages++
      this.unsummed[page] = 1
      this.sums.set(page, unknownSum)
    }
  }

  /** Unmarks a page that has a checksum now or is no longer used. */
  private settle(page: number): void {
    if (this.unsummed[page] !== 1) return
    this.unsummed[page] = 0
    this.unsummedPages--
  }

  private record(): void {
    this.append(this.seen, this.unrecorded)
    this.unrecorded = []
  }

  /** If the disk is full, a later commit records these too. */
  private append(noted: Noted, pages: readonly number[]): void {
    try {
      this.sums.append(noted, pages)
    } catch (error) {
      if (!isNoSpace(error)) throw error
    }
  }

  private verifyState(meta: Meta, notedUpTo: number, hasOldSums = true) {
    const pairs = this.verifier.verify(meta.pairs, { meta, notedUpTo, hasOldSums })
    const free = this.verifyFree(meta, notedUpTo, hasOldSums)
    return {
      damages: [...pairs.damages, ...free.damages],
      taken: [...pairs.taken, ...free.taken],
    }
  }

  private verifyFree(meta: Meta, notedUpTo: number, hasOldSums: boolean) {
    return this.verifier.verify(meta.free, { meta, notedUpTo, hasOldSums, hasKeys: false })
  }
}

/** Verifies the pages of the tables in `folder` before LMDB reads them. */
export function verifyPages(folder: string, options?: VerifyOptions): PageDamage[] {
  const pages = new Pages(folder)
  try {
    return pages.verify(options)
  } finally {
    pages.close()
  }
}

/**
 * The damage, if LMDB must not open the file. Checksums of the first pages are verified only under
 * the lock, since until then another process may write them.
 */
export function firstPagesDamage(folder: string): PageDamage | undefined {
  const file = PageFile.open(folder)
  try {
    const metas = file.metas()
    return typeof metas === 'number' ? damagedFirstPage(metas, notOfTables) : undefined
  } finally {
    file.close()
  }
}

const notOfTables = 'it is not the first page of tables'
const notNoted =
  'it says another state than was noted (where data.mdb was replaced on purpose, remove page-sums)'

function notedOf({ newest, newestSum, otherSum }: Metas): Noted {
  return { transaction: newest.transaction, metaSum: newestSum, otherSum }
}

/**
 * Checks that the newest meta page is the recorded one or its direct successor. The older page is
 * not used: a commit that the disk refused may leave anything in it except its number.
 */
function metaDamage(metas: Metas | number, noted: Noted): PageDamage[] | undefined {
  if (typeof metas === 'number') return [damagedFirstPage(metas, notOfTables)]
  const { newest, newestSum, other, disguisedSum } = metas
  const newestPage = newest.transaction % 2
  const inTurn =
    newest.transaction === 0 || other === undefined || other.transaction === newest.transaction - 1
  if (!inTurn) return [damagedFirstPage(1 - newestPage, notNoted)]
  if (noted.transaction === 0) return undefined
  const ahead = newest.transaction - noted.transaction
  const isOther =
    ahead < 0 ||
    (ahead === 0 && newestSum !== noted.metaSum) ||
    // One flipped bit in the older page's number may make it look like the newest.
    (ahead === 1 && disguisedSum === noted.otherSum)
  return isOther ? [damagedFirstPage(newestPage, notNoted)] : undefined
}
