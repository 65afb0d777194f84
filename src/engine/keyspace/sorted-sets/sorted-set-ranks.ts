// Ranks in a large sorted set: how many members are before a place. The places are divided into
// blocks, each a record with its start, its count and the start of the next one. Many blocks are
// divided into blocks of a higher level, so a rank reads one block of each level. A full block is
// split, an empty one removed; blocks are never joined. A place that starts a block also starts one
// of each lower level; the first block of a level starts before all places.

import { type Bytes, compareBytes, mapKey } from '../../../base/bytes/bytes.js'
import { Slice } from '../../../base/bytes/slice.js'
import { assert } from '../../../base/errors.js'
import { scanEntriesMax } from '../../../base/limits/engine.js'
import { memberKeyBytesMax, rankBlockMembersMax } from '../../../base/limits/key-value.js'
import { Done } from '../../../store/steps.js'
import type { Entry, Program } from '../../../store/store.js'
import { type Members, numberBytes, suffixOf, writeNumber } from '../containers/members.js'
import type { Keyspace } from '../keyspace.js'
import { LearnedStarts } from './learned-starts.js'
import { isWhole, OpenBlock, OpenBlocks } from './open-blocks.js'
import {
  type Block,
  beginning,
  behind,
  blockIn,
  blockOf,
  isSame,
  type LevelBlock,
  payloadOf,
  placeIn,
  placesPart,
  putBlock,
  separator,
  sum,
} from './rank-blocks.js'
import type { Edges } from './sorted-set-edges.js'

/** A probable start of a block, and the key of its record. */
interface Hint {
  readonly start: Bytes
  readonly key: Bytes
}

/** A change of a block's count, applied if the count is from `least` to `most`. */
interface Recount {
  readonly by: number
  readonly least: number
  readonly most: number
}

/** The block of its last place is removed with it. */
export const oneLess: Recount = { by: -1, least: 2, most: Number.POSITIVE_INFINITY }

const oneMoreAbove: Recount = { by: 1, least: 0, most: Number.POSITIVE_INFINITY }

/** Blocks that one step of a search by rank reads. */
const pageEntries = 128
/** Blocks that a lookup follows from a hint before it searches. */
const stepsMax = 2

/** Blocks of a page that are read ahead, and the pages of one command. */
const aheadEntries = 512
const aheadPagesMax = 8

/** Few members do not pay for many blocks. */
function learnedPages(members: number): number {
  return Math.min(aheadPagesMax, 1 + Math.ceil((4 * members) / aheadEntries))
}

export class Ranks {
  /** Open blocks of the lowest level with deferred counts (recountNow). */
  private opened: OpenBlocks | undefined
  private learned: LearnedStarts | undefined
  /** Adding to a full block of the lowest level needs a split. */
  readonly oneMore: Recount

  constructor(
    private readonly ks: Pick<Keyspace, 'entries' | 'work'>,
    private readonly members: Members,
    /** Levels of blocks: 0 while the places are few. */
    public levels: number,
    private readonly blockMax = rankBlockMembersMax,
    private readonly edges: Pick<Edges, 'lowest'> = { lowest: undefined },
    /** Part of the places; the block levels are the parts after it. */
    private readonly part = placesPart,
  ) {
    this.oneMore = { by: 1, least: 0, most: blockMax - 1 }
  }

  /** The number of places before this one. */
  *before(place: Bytes): Program<number> {
    this.settle()
    let rank = 0
    let start: Bytes = beginning
    for (let level = this.levels; level > 0; level--) {
      const blocks = yield* this.blocks(level, start, behind(place))
      for (let i = 0; i < blocks.length - 1; i++) rank += blocks[i]?.count ?? 0
      start = blocks.at(-1)?.start ?? start
    }
    const { lowest } = this.edges
    const isBelow = lowest !== undefined && compareBytes(lowest, start) > 0
    const from = isBelow ? lowest : start
    if (compareBytes(from, place) >= 0) return rank
    return rank + (yield* this.entries(this.part, from, place)).length
  }

  /** Finds the place with a rank: a start, and how many places to skip from there. */
  *find(rank: number): Program<{ start: Bytes; skip: number }> {
    this.settle()
    let start: Bytes = beginning
    let skip = rank
    for (let level = this.levels; level > 0; level--) {
      const { members } = this
      const end = members.raw(this.part + level + 1, beginning)
      let from = members.raw(this.part + level, start)
      let isFound = false
      while (!isFound) {
        const page = yield* this.ks.entries({ start: from, end }, pageEntries)
        for (const block of page.map(blockIn)) {
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

  /** Counts an added place; `count` includes it. */
  *added(place: Bytes, count: number): Program<void> {
    this.settle()
    let bottom: Block = { start: beginning, count, next: undefined }
    for (let level = this.levels; level > 0; level--) {
      const recount = level === 1 ? this.oneMore : oneMoreAbove
      const start = yield* this.recount(level, place, recount)
      if (start !== undefined) {
        bottom = { start, count: 0, next: undefined }
        continue
      }
      const block = yield* this.covering(level, place)
      bottom = { ...block, count: block.count + 1 }
      this.put(level, bottom)
    }
    if (bottom.count > this.blockMax) yield* this.splitPlaces(bottom, place)
  }

  /** Counts a removed place. */
  *removed(place: Bytes): Program<void> {
    this.settle()
    /** Start of the block above, if it stays. */
    let kept: Bytes | undefined
    const gone: Bytes[] = []
    for (let level = this.levels; level > 0; level--) {
      const stays = gone.length === 0 ? yield* this.recount(level, place, oneLess) : undefined
      if (stays !== undefined) {
        kept = stays
        continue
      }
      const block = yield* this.covering(level, place)
      const { start, count } = block
      for (const each of gone) if (!isSame(each, start)) yield* this.drop(level, each)
      const isNeeded = start.length === 0 || (kept !== undefined && isSame(kept, start))
      if (count > 1 || isNeeded) {
        this.put(level, { ...block, count: count - 1 })
        kept = start
      } else {
        yield* this.drop(level, start)
        gone.push(start)
        kept = undefined
      }
    }
  }

  /** Counts removed adjacent places, in order, at least one. */
  *removedRun(places: readonly Bytes[]): Program<void> {
    this.settle()
    /** Block starts of higher levels, where blocks of this level must start too. */
    const kept = new Set<string>()
    for (let level = this.levels; level > 0; level--) yield* this.thin(level, places, kept)
  }

  /** Subtracts places from the blocks of a level; adds the remaining starts to `kept`. */
  private *thin(level: number, places: readonly Bytes[], kept: Set<string>): Program<void> {
    const { start: from } = yield* this.covering(level, places[0] as Bytes)
    const last = places.at(-1) as Bytes
    const { next: end } = yield* this.covering(level, last)
    const blocks = yield* this.blocks(level, from, behind(last))
    const left: Block[] = []
    let at = 0
    for (let i = 0; i < blocks.length; i++) {
      const { start, count } = blocks[i] as Block
      const next = i + 1 < blocks.length ? blocks[i + 1]?.start : end
      const first = at
      while (isBefore(places[at], next)) at++
      const name = mapKey(start)
      const block = { start, count: count - (at - first), next }
      if (block.count > 0 || start.length === 0 || kept.has(name)) {
        kept.add(name)
        left.push(block)
      } else this.forget(level, start)
    }
    // The previous block extends to the first remaining one.
    const isFirstLeft = left[0] !== undefined && isSame(left[0].start, from)
    const before = isFirstLeft ? undefined : yield* this.blockBefore(level, from)
    if (before !== undefined) left.unshift(before)
    const stored = new Map(blocks.map((block) => [block.start, block]))
    left.forEach(({ start, count }, i) => {
      const next = i + 1 < left.length ? left[i + 1]?.start : end
      const isAsStored =
        stored.get(start)?.count === count && isSameEnd(stored.get(start)?.next, next)
      if (!isAsStored) this.put(level, { start, count, next })
    })
  }

  /** Puts the blocks of places that have none yet. */
  build(blocks: readonly LevelBlock[]): void {
    this.levels = blocks.at(-1)?.level ?? 0
    for (const block of blocks) putBlock(this.members, block, this.part)
  }

  /** For a loop of `count` members with these places next: reads their blocks in few trips. */
  *readAhead(places: readonly Bytes[], count: number): Program<void> {
    const { levels, members } = this
    this.learned ??= yield* this.learnStarts(learnedPages(count))
    const keys = new Map<string, Bytes>()
    for (const place of places) {
      for (let level = levels; level > 0; level--) {
        const hint = this.hintOf(level, place)
        if (hint !== undefined) keys.set(mapKey(hint.key), hint.key)
      }
    }
    yield* members.readKeysAhead([...keys.values()])
  }

  /** The starts of blocks, from the top level down, in at most so many pages. */
  private *learnStarts(pagesMax: number): Program<LearnedStarts> {
    const learned = new LearnedStarts()
    const { members } = this
    let pages = 0
    for (let level = this.levels; level > 0; level--) {
      const starts: Bytes[] = []
      const end = members.raw(this.part + level + 1, beginning)
      let from: Bytes | undefined = members.raw(this.part + level, beginning)
      while (from !== undefined && pages < pagesMax) {
        pages++
        const page: Entry[] = yield* this.ks.entries({ start: from, end }, aheadEntries)
        for (const entry of page) starts.push(blockIn(entry).start.slice())
        from = page.length < aheadEntries ? undefined : behind(page.at(-1)?.key as Bytes)
      }
      learned.learn(level, starts, from === undefined ? undefined : (starts.at(-1) ?? beginning))
    }
    return learned
  }

  /**
   * Changes the count of a place's block in its record, if that needs no search and stays within
   * limits. Returns where the block begins.
   */
  private *recount(
    level: number,
    place: Bytes,
    { by, least, most }: Recount,
  ): Program<Bytes | undefined> {
    const hint = this.hintOf(level, place)
    if (hint === undefined) return undefined
    const record = yield* this.members.getRaw(hint.key)
    return this.recounted(hint, record, place, { by, least, most })
  }

  /**
   * Like recount, synchronously and with a deferred write (settle), if there is one level. Returns
   * false without a change if that is impossible. The place ends at `end` of `bytes`.
   */
  recountNow(bytes: Bytes, end: number, { by, least, most }: Recount): boolean {
    if (this.levels !== 1) return false
    const block = this.opened?.find(bytes, end) ?? this.open(bytes.slice(0, end))
    if (block === undefined || block.count < least || block.count > most) return false
    block.count += by
    return true
  }

  /** Writes the deferred counts. */
  settle(): void {
    this.opened?.settle(this.members)
  }

  private open(place: Bytes): OpenBlock | undefined {
    const hint = this.hintOf(1, place)
    if (hint === undefined) return undefined
    const step = this.members.getRaw(hint.key)
    const record = step instanceof Done ? (step.value as Bytes | undefined) : undefined
    if (record === undefined || !isWhole(record)) return undefined
    const block = new OpenBlock(hint.start, hint.key, record)
    if (!block.covers(place, place.length)) return undefined
    this.opened ??= new OpenBlocks()
    this.opened.add(block)
    return block
  }

  private hintOf(level: number, place: Bytes): Hint | undefined {
    const { members } = this
    const start = this.startOf(level, place)
    if (start === undefined || start.length >= memberKeyBytesMax) return undefined
    return { start, key: members.raw(this.part + level, start) }
  }

  /** The probable start of a place's block. */
  private startOf(level: number, place: Bytes): Bytes | undefined {
    const learned = this.learned?.find(level, place)
    return learned ?? this.ks.work.hints?.find(this.members.id, level, place)
  }

  private recounted(
    { start, key }: Hint,
    record: Bytes | undefined,
    place: Bytes,
    { by, least, most }: Recount,
  ): Bytes | undefined {
    if (record === undefined || !isWhole(record)) return undefined
    const block = new OpenBlock(start, key, record)
    const { count } = block
    if (!block.covers(place, place.length) || count < least || count > most) return undefined
    writeNumber(record, 1, count + by)
    this.members.putRaw(key, record)
    return start
  }

  /** The block that contains a place. */
  private *covering(level: number, place: Bytes): Program<Block> {
    const { members } = this
    const { hints } = this.ks.work
    let hint = this.startOf(level, place)
    for (let step = 0; step < stepsMax && hint !== undefined; step++) {
      const block: Block | undefined = yield* this.blockAt(level, hint)
      if (block === undefined) {
        hints?.remove(members.id, level, hint)
        this.learned?.remove(level, hint)
      } else if (block.next === undefined || compareBytes(place, block.next) < 0) return block
      else {
        hints?.add(members.id, level, block.next)
        this.learned?.add(level, block.next)
      }
      hint = block?.next
    }
    const found = yield* this.last(level, behind(place))
    assert(found !== undefined, 'the first block begins before all places')
    hints?.add(members.id, level, found.start)
    return found
  }

  /** The block that begins there. */
  private *blockAt(level: number, start: Bytes): Program<Block | undefined> {
    const found = yield* this.members.get(this.part + level, Slice.of(start))
    return found === undefined ? undefined : yield* this.whole(level, start, found.payload)
  }

  /** A stored block; an old record lacks `next`, so that is searched. */
  private *whole(level: number, start: Bytes, payload: Slice): Program<Block> {
    const block = blockOf(start, payload)
    if (payload.end - payload.start > numberBytes) return block
    const [following] = yield* this.entries(this.part + level, behind(start), undefined, 1)
    return following === undefined ? block : { ...block, next: placeIn(following) }
  }

  /** The last block of a level that begins before `place`. */
  private *last(level: number, place: Bytes): Program<Block | undefined> {
    const { ks, members } = this
    const start = members.raw(this.part + level, beginning)
    const end = members.raw(this.part + level, place)
    const [entry] = yield* ks.entries({ start, end, reverse: true }, 1)
    if (entry === undefined) return undefined
    return yield* this.whole(level, suffixOf(entry.key), payloadOf(entry))
  }

  /**
   * The block before the one that begins there. In a queue it is mostly the first one; a search
   * would pass the tombstones of all blocks that were dropped in between.
   */
  private *blockBefore(level: number, start: Bytes): Program<Block | undefined> {
    const first = yield* this.blockAt(level, beginning)
    if (first?.next !== undefined && isSame(first.next, start)) return first
    return yield* this.last(level, start)
  }

  private *splitPlaces({ start, count, next }: Block, added: Bytes): Program<void> {
    const places = (yield* this.entries(this.part, start, undefined, count + 1)).map(placeIn)
    const last = places[count - 1]
    assert(last !== undefined, 'a block has as many places as it counts')
    // If members arrive in order, earlier blocks stay full.
    const isAppended = places.length === count && isSame(last, added)
    const at = isAppended ? count - 1 : count >>> 1
    const middle = separator(places[at - 1], places[at])
    if (this.levels === 0) this.levels = 1
    this.put(1, { start, count: at, next: middle })
    this.put(1, { start: middle, count: count - at, next })
    yield* this.splitAbove(1, middle)
  }

  /** Counts a new block in the level above. */
  private *splitAbove(level: number, added: Bytes): Program<void> {
    const isTop = level === this.levels
    const parent = isTop
      ? { start: beginning, next: undefined }
      : yield* this.covering(level + 1, added)
    const { start, next } = parent
    const blocks = yield* this.blocks(level, start, next)
    if (blocks.length <= this.blockMax) return
    const at = blocks.length >>> 1
    const middle = blocks[at]?.start as Bytes
    if (isTop) this.levels++
    this.put(level + 1, { start, count: sum(blocks.slice(0, at)), next: middle })
    this.put(level + 1, { start: middle, count: sum(blocks.slice(at)), next })
    yield* this.splitAbove(level + 1, middle)
  }

  private *blocks(level: number, start: Bytes, end: Bytes | undefined): Program<Block[]> {
    return (yield* this.entries(this.part + level, start, end)).map(blockIn)
  }

  /** Entries of a part from one place to another (exclusive). */
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

  private put(level: number, block: Block): void {
    putBlock(this.members, { level, block }, this.part)
  }

  /** Removes a block; the previous one extends to the next one. */
  private *drop(level: number, start: Bytes): Program<void> {
    const block = yield* this.blockAt(level, start)
    const before = yield* this.blockBefore(level, start)
    if (before !== undefined) this.put(level, { ...before, next: block?.next })
    this.forget(level, start)
  }

  private forget(level: number, start: Bytes): void {
    const { members } = this
    const member = Slice.of(start)
    members.remove(this.part + level, { member, payload: member, chunks: undefined })
    this.ks.work.hints?.remove(members.id, level, start)
    this.learned?.remove(level, start)
  }
}

function isSameEnd(a: Bytes | undefined, b: Bytes | undefined): boolean {
  return a === undefined || b === undefined ? a === b : isSame(a, b)
}

/** `end` undefined means after all places. */
function isBefore(place: Bytes | undefined, end: Bytes | undefined): boolean {
  if (place === undefined) return false
  return end === undefined || compareBytes(place, end) < 0
}
