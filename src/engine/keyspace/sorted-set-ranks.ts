// How many members stand before a place of a large sorted set. The places are cut into blocks, a
// record each: where it begins, and how many places it has. Where the blocks are many they are cut
// into blocks in turn, level above level, so that a rank reads a block of each. A block that runs
// full is split in two, one that runs empty goes; none are joined. A place that begins a block
// begins one of each level below too; the first block of a level begins before all places.

import type { Bytes } from '../../base/bytes.js'
import { assert } from '../../base/errors.js'
import { rankBlockMembersMax, scanEntriesMax } from '../../base/limits.js'
import { Slice } from '../../base/slice.js'
import type { Entry, Program } from '../../store/store.js'
import type { Keyspace } from './keyspace.js'
import { type Members, numberOfSlice, numberSlice, suffixOf } from './members.js'

/** Part of the places; the levels of blocks follow. */
export const placesPart = 1

interface Block {
  /** The places from here on, up to where the next block begins; empty in the first one. */
  readonly start: Bytes
  readonly count: number
}

const beginning = new Uint8Array(0)

export class Ranks {
  constructor(
    private readonly ks: Pick<Keyspace, 'entries'>,
    private readonly members: Members,
    /** Levels of blocks: 0 while the places are few. */
    public levels: number,
    private readonly blockMax = rankBlockMembersMax,
  ) {}

  /** Places before this one. */
  *before(place: Bytes): Program<number> {
    let rank = 0
    let start: Bytes = beginning
    for (let level = this.levels; level > 0; level--) {
      const blocks = yield* this.blocks(level, start, behind(place))
      for (let i = 0; i < blocks.length - 1; i++) rank += blocks[i]?.count ?? 0
      start = blocks.at(-1)?.start ?? start
    }
    return rank + (yield* this.entries(placesPart, start, place)).length
  }

  /** A place to begin at, and how many places from it the one with that rank is. */
  *find(rank: number): Program<{ start: Bytes; skip: number }> {
    let start: Bytes = beginning
    let skip = rank
    for (let level = this.levels; level > 0; level--) {
      const { members } = this
      const end = members.raw(placesPart + level + 1, beginning)
      let from = members.raw(placesPart + level, start)
      let isFound = false
      while (!isFound) {
        const page = yield* this.ks.entries({ start: from, end }, pageEntries)
        for (const block of page.map(blockOf)) {
          start = block.start
          isFound = skip < block.count
          if (isFound) break
          skip -= block.count
        }
        assert(isFound || page.length === pageEntries, 'the blocks have every place')
        from = behind(page.at(-1)?.key ?? from)
      }
    }
    return { start, skip }
  }

  /** A place has been put; `count` with it. */
  *added(place: Bytes, count: number): Program<void> {
    let bottom: Block = { start: beginning, count }
    for (let level = this.levels; level > 0; level--) {
      const block = yield* this.covering(level, place)
      bottom = { start: block.start, count: block.count + 1 }
      this.put(level, bottom.start, bottom.count)
    }
    if (bottom.count > this.blockMax) yield* this.splitPlaces(bottom, place)
  }

  /** A place has been removed. */
  *removed(place: Bytes): Program<void> {
    /** Where the block above begins, if that stays. */
    let kept: Bytes | undefined
    const gone: Bytes[] = []
    for (let level = this.levels; level > 0; level--) {
      const { start, count } = yield* this.covering(level, place)
      for (const each of gone) if (!isSame(each, start)) this.drop(level, each)
      const isNeeded = start.length === 0 || (kept !== undefined && isSame(kept, start))
      if (count > 1 || isNeeded) {
        this.put(level, start, count - 1)
        kept = start
      } else {
        this.drop(level, start)
        gone.push(start)
        kept = undefined
      }
    }
  }

  /** The blocks of places that have none yet, in order. */
  build(places: readonly Bytes[]): void {
    const { length } = places
    if (length <= this.blockMax) return
    // Not full: the next ones would split them all.
    const size = Math.max(1, Math.floor((this.blockMax * 3) / 4))
    assert(length / size <= this.blockMax, 'so many are no first filling')
    this.levels = 1
    for (let at = 0; at < length; at += size) {
      const start = at === 0 ? beginning : separator(places[at - 1], places[at])
      this.put(1, start, Math.min(size, length - at))
    }
  }

  /** The block in which a place is. */
  private *covering(level: number, place: Bytes): Program<Block> {
    const { ks, members } = this
    const start = members.raw(placesPart + level, beginning)
    const end = behind(members.raw(placesPart + level, place))
    const [entry] = yield* ks.entries({ start, end, reverse: true }, 1)
    assert(entry !== undefined, 'the first block begins before all places')
    return blockOf(entry)
  }

  private *splitPlaces({ start, count }: Block, added: Bytes): Program<void> {
    const places = (yield* this.entries(placesPart, start, undefined, count + 1)).map(placeIn)
    const last = places[count - 1]
    assert(last !== undefined, 'a block has as many places as it counts')
    // Where members come in order, the blocks behind them stay full.
    const isAppended = places.length === count && isSame(last, added)
    const at = isAppended ? count - 1 : count >>> 1
    const middle = separator(places[at - 1], places[at])
    if (this.levels === 0) this.levels = 1
    this.put(1, start, at)
    this.put(1, middle, count - at)
    yield* this.splitAbove(1, middle)
  }

  /** A level has got one block more. */
  private *splitAbove(level: number, added: Bytes): Program<void> {
    const isTop = level === this.levels
    const parent = isTop ? { start: beginning, count: 0 } : yield* this.covering(level + 1, added)
    const next = isTop ? undefined : yield* this.following(level + 1, parent.start)
    const blocks = yield* this.blocks(level, parent.start, next)
    if (blocks.length <= this.blockMax) return
    const at = blocks.length >>> 1
    const middle = blocks[at]?.start as Bytes
    if (isTop) this.levels++
    this.put(level + 1, parent.start, sum(blocks.slice(0, at)))
    this.put(level + 1, middle, sum(blocks.slice(at)))
    yield* this.splitAbove(level + 1, middle)
  }

  /** Where the next block begins. */
  private *following(level: number, start: Bytes): Program<Bytes | undefined> {
    const [next] = yield* this.entries(placesPart + level, behind(start), undefined, 1)
    return next === undefined ? undefined : placeIn(next)
  }

  private *blocks(level: number, start: Bytes, end: Bytes | undefined): Program<Block[]> {
    return (yield* this.entries(placesPart + level, start, end)).map(blockOf)
  }

  /** Of a part, from one place to before another. */
  private *entries(
    part: number,
    start: Bytes,
    end: Bytes | undefined,
    limit = Number.POSITIVE_INFINITY,
  ): Program<Entry[]> {
    const { ks, members } = this
    const found: Entry[] = []
    let from = members.raw(part, start)
    const to = end === undefined ? members.raw(part + 1, beginning) : members.raw(part, end)
    while (found.length < limit) {
      const wanted = Math.min(limit - found.length, scanEntriesMax)
      const page = yield* ks.entries({ start: from, end: to }, wanted)
      for (const entry of page) found.push(entry)
      if (page.length < wanted) break
      from = behind(page.at(-1)?.key ?? from)
    }
    return found
  }

  private put(level: number, start: Bytes, count: number): void {
    this.members.put(placesPart + level, Slice.of(start), numberSlice(count))
  }

  private drop(level: number, start: Bytes): void {
    const member = Slice.of(start)
    this.members.remove(placesPart + level, { member, payload: member, chunks: undefined })
  }
}

/** Blocks that one step of a search by rank reads. */
const pageEntries = 128

function placeIn({ key }: Entry): Bytes {
  return suffixOf(key)
}

/** The record is a byte of flags and the number. */
function blockOf({ key, value }: Entry): Block {
  return { start: suffixOf(key), count: numberOfSlice(new Slice(value, 1, value.length)) }
}

function sum(blocks: readonly Block[]): number {
  return blocks.reduce((total, { count }) => total + count, 0)
}

/** The shortest beginning of `right` that is above `left`. */
function separator(left: Bytes | undefined, right: Bytes | undefined): Bytes {
  assert(left !== undefined && right !== undefined, 'a block is split between two places')
  let same = 0
  while (same < left.length && left[same] === right[same]) same++
  return right.subarray(0, same + 1)
}

function isSame(a: Bytes, b: Bytes): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** The next key. */
export function behind(key: Bytes): Bytes {
  const next = new Uint8Array(key.length + 1)
  next.set(key)
  return next
}
