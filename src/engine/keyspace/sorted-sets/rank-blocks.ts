// Blocks that count places in order, in records of several levels (sorted-set-ranks.ts): their
// format, and their construction over places without blocks.

import { type Bytes, concatBytes } from '../../../base/bytes/bytes.js'
import { Slice } from '../../../base/bytes/slice.js'
import { assert } from '../../../base/errors.js'
import { rankBlockMembersMax } from '../../../base/limits/key-value.js'
import type { Entry } from '../../../store/store.js'
import {
  type Members,
  numberBytes,
  numberOfSlice,
  numberSlice,
  suffixOf,
} from '../containers/members.js'
import { lastMark, nextMark } from './open-blocks.js'

/** Part of the places; the levels of blocks follow. */
export const placesPart = 1

export interface Block {
  /** The block's places start here and end at the next block; empty for the first one. */
  readonly start: Bytes
  readonly count: number
  /** Start of the next block of the level; undefined for the last one. */
  readonly next: Bytes | undefined
}

/** A block of a level. */
export interface LevelBlock {
  readonly level: number
  readonly block: Block
}

/** The start before all places. */
export const beginning: Bytes = new Uint8Array(0)

/** Builds the blocks over ordered places, level by level. */
export function blocksOf(places: readonly Bytes[], blockMax = rankBlockMembersMax): LevelBlock[] {
  if (places.length <= blockMax) return []
  const lowest = divide(
    places,
    blockMax,
    (place, before) => separator(before, place),
    () => 1,
  )
  return levelsOver(lowest, blockMax)
}

/** Like blocksOf, over `count` places that are consecutive numbers from `first`. */
export function blocksOfNumbers(
  first: number,
  count: number,
  blockMax = rankBlockMembersMax,
): LevelBlock[] {
  const size = usualSize(blockMax)
  const lowest: Block[] = []
  for (let at = 0; at < count; at += size) {
    const end = at + size
    const start = at === 0 ? beginning : numberSlice(first + at).bytes
    const next = end < count ? numberSlice(first + end).bytes : undefined
    lowest.push({ start, count: Math.min(size, count - at), next })
  }
  return levelsOver(lowest, blockMax)
}

/** The blocks of the lowest level, and the levels above them. */
function levelsOver(lowest: Block[], blockMax: number): LevelBlock[] {
  const found: LevelBlock[] = []
  let below = lowest
  for (let level = 1; ; level++) {
    for (const block of below) found.push({ level, block })
    if (below.length <= blockMax) return found
    below = divide(
      below,
      blockMax,
      ({ start }) => start,
      ({ count }) => count,
    )
  }
}

/** Blocks are not filled completely, or the next places would split them all. */
function usualSize(blockMax: number): number {
  return Math.max(1, Math.floor((blockMax * 3) / 4))
}

/** Divides ordered items into blocks; each starts at its first item. */
function divide<T>(
  items: readonly T[],
  blockMax: number,
  startOf: (item: T, before: T) => Bytes,
  countOf: (item: T) => number,
): Block[] {
  const size = usualSize(blockMax)
  const blocks: Block[] = []
  let start: Bytes = beginning
  for (let at = 0; at < items.length; at += size) {
    const next = items[at + size]
    const before = items[at + size - 1]
    const end = next === undefined || before === undefined ? undefined : startOf(next, before)
    const count = items.slice(at, at + size).reduce((sum, item) => sum + countOf(item), 0)
    blocks.push({ start, count, next: end })
    if (end !== undefined) start = end
  }
  return blocks
}

export function putBlock(members: Members, { level, block }: LevelBlock, part = placesPart): void {
  const { start, count, next } = block
  const number = numberSlice(count)
  const tail = next === undefined ? lastMark : concatBytes(nextMark, next)
  members.put(part + level, Slice.of(start), Slice.of(concatBytes(number.view(), tail)))
}

export function placeIn({ key }: Entry): Bytes {
  return suffixOf(key)
}

/** A record is a flag byte and the payload. */
export function payloadOf({ value }: Entry): Slice {
  return new Slice(value, 1, value.length)
}

export function blockIn(entry: Entry): Block {
  return blockOf(suffixOf(entry.key), payloadOf(entry))
}

/** Decodes a block; old records do not state the next start. */
export function blockOf(start: Bytes, payload: Slice): Block {
  const at = payload.start + numberBytes
  const hasNext = at < payload.end && payload.bytes[at] === nextMark[0]
  const next = hasNext ? payload.bytes.subarray(at + 1, payload.end) : undefined
  return { start, count: numberOfSlice(payload), next }
}

export function sum(blocks: readonly Block[]): number {
  return blocks.reduce((total, { count }) => total + count, 0)
}

/** The shortest prefix of `right` that is above `left`. */
export function separator(left: Bytes | undefined, right: Bytes | undefined): Bytes {
  assert(left !== undefined && right !== undefined, 'a block is split between two places')
  let same = 0
  while (same < left.length && left[same] === right[same]) same++
  return right.subarray(0, same + 1)
}

export function isSame(a: Bytes, b: Bytes): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** The key directly after `key`. */
export function behind(key: Bytes): Bytes {
  const next = new Uint8Array(key.length + 1)
  next.set(key)
  return next
}
