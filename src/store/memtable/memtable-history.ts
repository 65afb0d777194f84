// Records superseded versions: to roll back a group, to give a snapshot the state at its position,
// and to know when no reader needs an old version. A queue in time order, trimmed from the front as
// snapshots end.

/** Items are stored in pages, so growth copies nothing. */
const pageItems = 4_096
const pageBytes = pageItems * 32
const headPageIds = 8_192

/** Stands for the version before a key's first change. */
export const absent = -1
/**
 * Values in place of a previous item, if no reader needs the chain: the later version fits, or does
 * not fit, in the place of the one it supersedes.
 */
const fitting = -1
const unfitting = -2

interface Page {
  readonly ids: Int32Array
  /** Hashes of the keys. */
  readonly hashes: Int32Array
  /** Addresses of the superseded version (or absent), and of the change that replaced it. */
  readonly before: Float64Array
  readonly after: Float64Array
  /** The previous item of the same key; meaningless if it lies before the front. */
  readonly previous: Float64Array
}

/** Items are numbered from 1; numbers are never reused. */
export class History {
  /** The oldest item, and the number of the next one. */
  front = 1
  end = 1
  private readonly pages: Page[] = []
  private firstPage = 0
  private spare: Page | undefined
  /** The newest chained item of each key, by id. Stale if it lies before the front. */
  private readonly heads: (Float64Array | undefined)[] = []
  private headPages = 0

  get bytes(): number {
    const pages = this.pages.length + (this.spare === undefined ? 0 : 1)
    return pages * pageBytes + this.headPages * headPageIds * 8
  }

  /**
   * `fits`: `after` may take the place of `before` once the group is kept. Undefined while there
   * are snapshots, which may need older versions.
   */
  add(id: number, hash: number, before: number, after: number, fits: boolean | undefined): void {
    const item = this.end++
    const page = this.pages[Math.floor(item / pageItems) - this.firstPage] ?? this.addPage(item)
    const index = item % pageItems
    page.ids[index] = id
    page.hashes[index] = hash
    page.before[index] = before
    page.after[index] = after
    if (fits === undefined) page.previous[index] = this.chain(id, item)
    else page.previous[index] = fits ? fitting : unfitting
  }

  /** Removes the newest item. */
  removeLast(): void {
    const item = --this.end
    const page = this.pageOf(item)
    const previous = page.previous[item % pageItems] as number
    if (previous < 0) return
    const id = page.ids[item % pageItems] as number
    const heads = this.heads[Math.floor(id / headPageIds)] as Float64Array
    heads[id % headPageIds] = previous
  }

  removeFirst(): void {
    this.front++
    if (this.front % pageItems === 0) this.dropPages()
  }

  /** Removes the items superseded before `position`. */
  removeBefore(position: number): void {
    while (this.front < this.end) {
      const next = Math.min((Math.floor(this.front / pageItems) + 1) * pageItems, this.end)
      if (this.after(next - 1) >= position) break
      this.front = next
      this.dropPages()
    }
    while (this.front < this.end && this.after(this.front) < position) this.front++
  }

  id(item: number): number {
    return this.pageOf(item).ids[item % pageItems] as number
  }

  hash(item: number): number {
    return this.pageOf(item).hashes[item % pageItems] as number
  }

  fits(item: number): boolean {
    return this.pageOf(item).previous[item % pageItems] === fitting
  }

  before(item: number): number {
    return this.pageOf(item).before[item % pageItems] as number
  }

  after(item: number): number {
    return this.pageOf(item).after[item % pageItems] as number
  }

  /**
   * For a key whose newest change is later: the address that a snapshot at `position` sees, or
   * absent.
   */
  find(id: number, position: number): number {
    let item = this.heads[Math.floor(id / headPageIds)]?.[id % headPageIds] ?? 0
    while (item >= this.front) {
      const page = this.pageOf(item)
      const before = page.before[item % pageItems] as number
      if (before < position) return before
      item = page.previous[item % pageItems] as number
    }
    return absent
  }

  private chain(id: number, item: number): number {
    const index = Math.floor(id / headPageIds)
    let heads = this.heads[index]
    if (heads === undefined) {
      heads = new Float64Array(headPageIds)
      this.heads[index] = heads
      this.headPages++
    }
    const previous = heads[id % headPageIds] as number
    heads[id % headPageIds] = item
    return previous
  }

  private pageOf(item: number): Page {
    return this.pages[Math.floor(item / pageItems) - this.firstPage] as Page
  }

  private addPage(item: number): Page {
    if (this.pages.length === 0) this.firstPage = Math.floor(item / pageItems)
    const page = this.spare ?? emptyPage()
    this.spare = undefined
    this.pages.push(page)
    return page
  }

  private dropPages(): void {
    while (this.pages.length > 0 && (this.firstPage + 1) * pageItems <= this.front) {
      this.spare = this.pages.shift()
      this.firstPage++
    }
  }
}

function emptyPage(): Page {
  return {
    ids: new Int32Array(pageItems),
    hashes: new Int32Array(pageItems),
    before: new Float64Array(pageItems),
    after: new Float64Array(pageItems),
    previous: new Float64Array(pageItems),
  }
}
