// The bounds of ranges in commands, `(1.5`, `-inf`, `[name`, `+`, and the commands that need only
// bounds: counting and removing a range.

import { emptySlice, Slice } from '../../../base/bytes/slice.js'
import { refuse } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import {
  type LexBound,
  type LexSpan,
  openSortedSet,
  type ScoreSpan,
  type Span,
} from '../../../engine/keyspace/sorted-sets/sorted-set.js'
import { parseFloatBound } from '../../../engine/keyspace/strings/numbers.js'
import { saveRemoved } from './sorted-sets.js'

const shared = { categories: ['sortedset'], keys: [1, 1, 1], group: 'sorted-set' } as const

const char = { open: 0x28, closed: 0x5b, plus: 0x2b, minus: 0x2d } as const

/** Throws "min or max is not a float". */
export function scoreSpanAt(call: KeyValueCall, minIndex: number, maxIndex: number): ScoreSpan {
  const min = call.args.read(minIndex, readScoreBound)
  const max = call.args.read(maxIndex, readScoreBound)
  if (min.value === undefined || max.value === undefined) {
    throw refuse('ERR min or max is not a float')
  }
  return {
    by: 'score',
    min: min.value,
    isMinOpen: min.isOpen,
    max: max.value,
    isMaxOpen: max.isOpen,
  }
}

/** Throws "min or max not valid string range item". */
export function lexSpanAt(call: KeyValueCall, minIndex: number, maxIndex: number): LexSpan {
  const min = call.args.read(minIndex, readLexBound)
  const max = call.args.read(maxIndex, readLexBound)
  if (min === undefined || max === undefined) {
    throw refuse('ERR min or max not valid string range item')
  }
  return { by: 'lex', min, max }
}

function readScoreBound(bytes: Uint8Array, start: number, end: number) {
  const isOpen = start < end && bytes[start] === char.open
  return { isOpen, value: parseFloatBound(bytes, isOpen ? start + 1 : start, end) }
}

function readLexBound(bytes: Uint8Array, start: number, end: number): LexBound | undefined {
  const first = start < end ? bytes[start] : undefined
  if (first === char.open || first === char.closed) {
    const isOpen = first === char.open
    return { infinite: 0, member: new Slice(bytes, start + 1, end), isOpen }
  }
  const isAlone = end - start === 1 || bytes[start + 1] === 0
  if (!isAlone || (first !== char.plus && first !== char.minus)) return undefined
  return { infinite: first === char.plus ? 1 : -1, member: emptySlice, isOpen: true }
}

type ReadSpan = (call: KeyValueCall, minIndex: number, maxIndex: number) => Span

function countRow(name: string, since: string, summary: string, read: ReadSpan): KeyValueRow {
  return {
    ...shared,
    name,
    grows: 'nothing',
    since,
    summary,
    arity: 4,
    flags: ['readonly', 'fast'],
    complexity: 'O(log(N))',
    syntax: 'key min max',
    grain: 'read',
    *run(ks, call) {
      const span = read(call, 2, 3)
      return yield* (yield* openSortedSet(ks, call.arg(1))).countIn(span)
    },
  }
}

function removeRow(name: string, since: string, summary: string, read: ReadSpan): KeyValueRow {
  return {
    ...shared,
    name,
    uses: 'RW delete',
    grows: 'nothing',
    since,
    summary,
    arity: 4,
    flags: ['write'],
    // The number of removed members reveals scores and names.
    privileges: ['read', 'write'],
    complexity: 'O(log(N)+M) with M members removed',
    syntax: 'key min max',
    grain: 'write',
    *run(ks, call) {
      const span = read(call, 2, 3)
      const set = yield* openSortedSet(ks, call.arg(1))
      const removed = yield* set.removeSpan(span)
      yield* saveRemoved(ks, set, removed, name)
      return removed
    },
  }
}

/**
 * Ranks of two positions within a size. The last position is included, negative ones count from the
 * end.
 */
export function ranksOf(
  first: number,
  last: number,
  size: number,
): { first: number; count: number } {
  const from = Math.max(first < 0 ? first + size : first, 0)
  const to = Math.min(last < 0 ? last + size : last, size - 1)
  return { first: from, count: Math.max(to - from + 1, 0) }
}

const zremrangebyrank: KeyValueRow = {
  ...shared,
  name: 'zremrangebyrank',
  uses: 'RW delete',
  grows: 'nothing',
  arity: 4,
  flags: ['write'],
  summary: 'Removes the members between two ranks; returns how many.',
  since: '2.0.0',
  complexity: 'O(log(N)+M) with M members removed',
  syntax: 'key start stop',
  grain: 'write',
  *run(ks, call) {
    const start = call.integer(2)
    const stop = call.integer(3)
    const set = yield* openSortedSet(ks, call.arg(1))
    const { first, count } = ranksOf(start, stop, set.size)
    if (count === 0) return 0
    const removed = yield* set.removeRanks(first, first + count)
    yield* saveRemoved(ks, set, removed, 'zremrangebyrank')
    return removed
  },
}

export const sortedSetBoundsRows: readonly KeyValueRow[] = [
  countRow('zcount', '2.0.0', 'Returns how many members have a score in a range.', scoreSpanAt),
  countRow(
    'zlexcount',
    '2.8.9',
    'Returns how many members are in a range of equal scores.',
    lexSpanAt,
  ),
  zremrangebyrank,
  removeRow(
    'zremrangebyscore',
    '1.2.0',
    'Removes the members with a score in a range; returns how many.',
    scoreSpanAt,
  ),
  removeRow(
    'zremrangebylex',
    '2.8.9',
    'Removes the members in a range of equal scores; returns how many.',
    lexSpanAt,
  ),
]
