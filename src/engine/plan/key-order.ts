// Sorts intervals by their first key. A membership may have hundreds of thousands, and a sort with
// a comparison of byte strings took half a second of one turn. So the next four bytes of each key
// are sorted as numbers, and keys that are equal so far by the bytes after those.

import { type Bytes, compareBytes } from '../../base/bytes/bytes.js'

/** What begins with a key. */
interface Keyed {
  readonly start: Bytes
}

/** Fewer are sorted by comparing. */
const manyMin = 64
/** A number of 52 bits holds four bytes of the key and the position. */
const positions = 2 ** 20
const wordBytes = 4
/** Up to this length, keys are compared in a loop: a native call takes longer. */
const loopBytesMax = 64

/** Sorts in place. */
export function sortByStart(keyed: Keyed[]): void {
  if (keyed.length > positions) keyed.sort(byStart)
  else sortFrom(keyed, 0, keyed.length, 0)
}

/** As compareBytes, faster for short keys. */
export function compareKeys(a: Bytes, b: Bytes): number {
  const least = Math.min(a.length, b.length)
  if (least > loopBytesMax) return compareBytes(a, b)
  for (let i = 0; i < least; i++) {
    const difference = (a[i] as number) - (b[i] as number)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

function byStart(a: Keyed, b: Keyed): number {
  return compareKeys(a.start, b.start)
}

/** Sorts the part from `from` to `to`, whose keys have `equal` equal bytes. */
function sortFrom(keyed: Keyed[], from: number, to: number, equal: number): void {
  const part = keyed.slice(from, to)
  if (part.length < manyMin) {
    place(keyed, from, part.sort(byStart))
    return
  }
  const at = equalBytesOf(part, equal)
  // All keys end here: all are equal.
  if (part.every(({ start }) => start.length === at)) return
  const order = new Float64Array(part.length)
  for (let i = 0; i < part.length; i++) {
    order[i] = fourBytes((part[i] as Keyed).start, at) * positions + i
  }
  order.sort()
  let group: Keyed[] = []
  for (let i = 0; i < order.length; i++) {
    const bytes = Math.floor((order[i] as number) / positions)
    group.push(part[(order[i] as number) - bytes * positions] as Keyed)
    if (Math.floor((order[i + 1] ?? 0) / positions) === bytes && i + 1 < order.length) continue
    placeGroup(keyed, from + i + 1 - group.length, group, at + wordBytes)
    group = []
  }
}

/** Places keys that have equal bytes up to `equal`, or end before it with zeros missing. */
function placeGroup(keyed: Keyed[], from: number, group: readonly Keyed[], equal: number): void {
  if (group.length === 1) {
    keyed[from] = group[0] as Keyed
    return
  }
  const ended = group.filter(({ start }) => start.length < equal)
  const others = ended.length === 0 ? group : group.filter(({ start }) => start.length >= equal)
  place(
    keyed,
    from,
    ended.sort((a, b) => a.start.length - b.start.length),
  )
  place(keyed, from + ended.length, others)
  if (others.length > 1) sortFrom(keyed, from + ended.length, from + group.length, equal)
}

function place(keyed: Keyed[], from: number, part: readonly Keyed[]): void {
  for (let i = 0; i < part.length; i++) keyed[from + i] = part[i] as Keyed
}

/** How many bytes all keys begin with; at least `known`. */
function equalBytesOf(part: readonly Keyed[], known: number): number {
  const first = (part[0] as Keyed).start
  let equal = first.length
  for (const { start } of part) {
    const most = Math.min(equal, start.length)
    let at = known
    while (at < most && start[at] === first[at]) at++
    equal = at
  }
  return equal
}

/** The four bytes at `at`; zeros stand for those after the end. */
function fourBytes(key: Bytes, at: number): number {
  const high = ((key[at] ?? 0) << 8) | (key[at + 1] ?? 0)
  return high * 65_536 + (((key[at + 2] ?? 0) << 8) | (key[at + 3] ?? 0))
}
