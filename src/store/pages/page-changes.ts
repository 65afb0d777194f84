// Finds the pages that a commit wrote and verifies the ones it copied. LMDB never overwrites a page
// of the previous state, so both trees share all untouched pages, and only the others are read. A
// damaged page must be found here: its copy would get a valid checksum.

import { PageBuffer, type PageFile } from './page-file.js'
import {
  childOf,
  hasOverflow,
  type Meta,
  nodeCount,
  overflowOf,
  pageBytes,
  type Tree,
} from './page-format.js'
import { type PageSums, unknownSum } from './page-sums.js'

/**
 * Leaves that a commit checksums at once, and replaced leaves that it verifies: about 0.5 ms. The
 * background scrub checksums the rest of larger commits.
 */
const leavesPerCommit = 64

export interface ChangedPages {
  /** Pages that now have a checksum: those above the leaves, and the first leaves. */
  readonly pages: number[]
  /** The checksums of `pages`, in the same order. */
  readonly sums: number[]
  /** Leaves without a checksum yet. */
  readonly unsummed: number[]
  /** Pages that only the previous state used. */
  readonly gone: number[]
}

/** Adjacent pages are read at once, across gaps of up to `gapPages`. */
const runPages = 64
const gapPages = 3

/** Undefined if a page of the previous state is damaged, or a new page cannot be followed. */
export function changedPages(
  file: PageFile,
  sums: PageSums,
  before: Meta,
  after: Meta,
): ChangedPages | undefined {
  const changes = new Changes(file, sums, before, after)
  const isSound =
    changes.compare(before.pairs, after.pairs) && changes.compare(before.free, after.free)
  return isSound ? changes : undefined
}

class Changes implements ChangedPages {
  readonly pages: number[] = []
  readonly sums: number[] = []
  readonly unsummed: number[] = []
  readonly gone: number[] = []
  private readonly marks: Uint8Array
  private readonly run = new PageBuffer(runPages)

  constructor(
    private readonly file: PageFile,
    private readonly noted: PageSums,
    private readonly before: Meta,
    private readonly after: Meta,
  ) {
    this.marks = new Uint8Array(Math.max(before.lastPage, after.lastPage) + 1)
  }

  /** Compares level by level, from the higher root down. */
  compare(before: Tree, after: Tree): boolean {
    let gone: number[] = []
    let come: number[] = []
    for (let height = Math.max(before.depth, after.depth); height > 0; height--) {
      if (height === before.depth && before.root !== undefined) gone = [before.root]
      if (height === after.depth && after.root !== undefined) come = [after.root]
      this.dropShared(gone, come)
      const goneBelow: number[] = []
      const comeBelow: number[] = []
      if (!this.passGone(gone, height, goneBelow)) return false
      if (!this.passCome(come, height, comeBelow)) return false
      gone = goneBelow
      come = comeBelow
    }
    return true
  }

  /** Keeps in each list only the pages that the other lacks. */
  private dropShared(gone: number[], come: number[]): void {
    const { marks } = this
    for (const page of gone) marks[page] = 1
    keep(come, (page) => {
      if (marks[page] !== 1) return true
      marks[page] = 0
      return false
    })
    keep(gone, (page) => {
      const isGone = marks[page] === 1
      marks[page] = 0
      return isGone
    })
  }

  /** Of many leaves, verifies some and leaves the rest to the scrub. */
  private passGone(gone: number[], height: number, below: number[]): boolean {
    const { noted, before } = this
    for (const page of gone) this.gone.push(page)
    const looked = height > 1 ? gone : gone.slice(0, leavesPerCommit)
    return this.inRuns(looked, before.lastPage, (page, place, run) => {
      const wanted = noted.of(page)
      const isUnsummed = height === 1 && wanted === unknownSum
      if (!isUnsummed && run.sum(place) !== wanted) return false
      return height === 1 || childrenOf(run.page(place), below)
    })
  }

  private passCome(come: number[], height: number, below: number[]): boolean {
    const { file, after, noted } = this
    if (height > 1) {
      return this.inRuns(come, after.lastPage, (page, place, run) => {
        this.note(page, run.sum(place))
        return childrenOf(run.page(place), below)
      })
    }
    for (const page of come.slice(leavesPerCommit)) this.unsummed.push(page)
    const leaves = come.slice(0, leavesPerCommit)
    const overflow: number[] = []
    const isSound = this.inRuns(leaves, after.lastPage, (page, place, run) => {
      this.note(page, run.sum(place))
      overflowPages(run, place, noted.last.transaction, overflow)
      return true
    })
    return (
      isSound && sumPages(file, overflow, after.lastPage, this.run, (...of) => this.note(...of))
    )
  }

  private note(page: number, sum: number): void {
    this.pages.push(page)
    this.sums.push(sum)
  }

  private inRuns(pages: number[], lastPage: number, look: Look): boolean {
    return inRuns(this.file, pages, lastPage, this.run, look)
  }
}

/** Adds the overflow pages of a leaf's values that were written after `transaction`. */
export function overflowPages(
  run: PageBuffer,
  place: number,
  transaction: number,
  pages: number[],
): void {
  if (!hasOverflow(run.bytes, place * pageBytes)) return
  const bytes = run.page(place)
  for (let index = 0, count = nodeCount(bytes); index < count; index++) {
    const ref = overflowOf(bytes, index)
    if (ref === undefined || ref.transaction <= transaction) continue
    for (let more = 0; more < ref.pages; more++) pages.push(ref.page + more)
  }
}

/** Passes on the checksum of each page; false if a page is not in the file. */
export function sumPages(
  file: PageFile,
  pages: number[],
  lastPage: number,
  run: PageBuffer,
  note: (page: number, sum: number) => void,
): boolean {
  return inRuns(file, pages, lastPage, run, (page, place) => {
    note(page, run.sum(place))
    return true
  })
}

type Look = (page: number, place: number, run: PageBuffer) => boolean

/** Reads the pages in file order; false if a page is not in the file or `look` returns false. */
export function inRuns(
  file: PageFile,
  pages: number[],
  lastPage: number,
  run: PageBuffer,
  look: Look,
): boolean {
  const sorted = Float64Array.from(pages).sort()
  if (sorted.length > 0 && ((sorted[0] as number) < 2 || (sorted.at(-1) as number) > lastPage)) {
    return false
  }
  for (let from = 0; from < sorted.length; ) {
    const first = sorted[from] as number
    let end = from + 1
    while (end < sorted.length && isNear(first, sorted[end - 1], sorted[end])) end++
    const count = (sorted[end - 1] as number) - first + 1
    if (file.read(first, count, run) < count) return false
    for (; from < end; from++) {
      const page = sorted[from] as number
      if (!look(page, page - first, run)) return false
    }
  }
  return true
}

/** A buffer for a run of pages. */
export function runBuffer(): PageBuffer {
  return new PageBuffer(runPages)
}

function isNear(first: number, last = 0, next = 0): boolean {
  return next - first < runPages && next - last <= gapPages
}

function childrenOf(bytes: Uint8Array, below: number[]): boolean {
  for (let index = 0, count = nodeCount(bytes); index < count; index++) {
    below.push(childOf(bytes, index))
  }
  return true
}

/** Removes in place the pages that `isKept` rejects. */
function keep(pages: number[], isKept: (page: number) => boolean): void {
  let kept = 0
  for (const page of pages) if (isKept(page)) pages[kept++] = page
  pages.length = kept
}
