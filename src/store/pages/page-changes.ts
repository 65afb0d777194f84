// Which pages a commit wrote, and whether those that it copied were sound. LMDB never writes over a
// page of the state before, so the two trees share all pages that the commit did not touch; only
// the others are gone into. A page that was damaged while it was copied would be sound ever after.

import { PageBuffer, type PageFile } from './page-file.js'
import {
  childOf,
  isSoundNodes,
  type Meta,
  nodeCount,
  overflowOf,
  type Tree,
} from './page-format.js'
import type { PageSums } from './page-sums.js'

export interface ChangedPages {
  readonly pages: number[]
  /** Of these pages, in their order. */
  readonly sums: number[]
}

/** Read at once where pages lie side by side, and across gaps of so many others. */
const runPages = 64
const gapPages = 4

/** Undefined where a page of the state before is damaged, or one of the new cannot be followed. */
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

  /** Level by level, from the higher root down. */
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

  /** Leaves in each what the other does not have. */
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

  private passGone(gone: number[], height: number, below: number[]): boolean {
    const { noted, before } = this
    return this.inRuns(gone, before.lastPage, (page, place, run) => {
      if (run.sum(place) !== noted.of(page)) return false
      return height === 1 || childrenOf(run.page(place), below)
    })
  }

  private passCome(come: number[], height: number, below: number[]): boolean {
    const { after, before } = this
    const overflow: number[] = []
    const isSound = this.inRuns(come, after.lastPage, (page, place, run) => {
      const bytes = run.page(place)
      this.note(page, run.sum(place))
      if (!isSoundNodes(bytes, page, height === 1)) return false
      if (height > 1) return childrenOf(bytes, below)
      for (let index = 0, count = nodeCount(bytes); index < count; index++) {
        const ref = overflowOf(bytes, index)
        if (ref === undefined || ref.transaction <= before.transaction) continue
        for (let more = 0; more < ref.pages; more++) overflow.push(ref.page + more)
      }
      return true
    })
    return (
      isSound &&
      this.inRuns(overflow, after.lastPage, (page, place, run) => {
        this.note(page, run.sum(place))
        return true
      })
    )
  }

  private note(page: number, sum: number): void {
    this.pages.push(page)
    this.sums.push(sum)
  }

  /** Reads the pages in the order of the file; false where one is not in it or `look` says so. */
  private inRuns(
    pages: number[],
    lastPage: number,
    look: (page: number, place: number, run: PageBuffer) => boolean,
  ): boolean {
    const { file, run } = this
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

/** Removes what `isKept` refuses, in place. */
function keep(pages: number[], isKept: (page: number) => boolean): void {
  let kept = 0
  for (const page of pages) if (isKept(page)) pages[kept++] = page
  pages.length = kept
}
