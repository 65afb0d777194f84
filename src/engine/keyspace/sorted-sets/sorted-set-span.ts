// Spans of a sorted set in commands: between two scores, or between two members of one score. If
// members have different scores, a lexical span is what a walk from its near end to its far end
// finds.

import type { Slice } from '../../../base/bytes/slice.js'
import type { ScoredMember } from './sorted-set-place.js'

export interface ScoreSpan {
  readonly by: 'score'
  readonly min: number
  readonly max: number
  /** Whether the bound itself is excluded. */
  readonly isMinOpen: boolean
  readonly isMaxOpen: boolean
}

export interface LexBound {
  /** -1 is before all members, 1 after all, 0 is `member`. */
  readonly infinite: -1 | 0 | 1
  readonly member: Slice
  readonly isOpen: boolean
}

export interface LexSpan {
  readonly by: 'lex'
  readonly min: LexBound
  readonly max: LexBound
}

export type Span = ScoreSpan | LexSpan

/** How a walk treats a member. */
type Verdict = 'skip' | 'take' | 'stop'

export type Judge = (entry: ScoredMember) => Verdict

/** Whether the span is empty for every set. */
export function isEmptySpan(span: Span): boolean {
  if (span.by === 'score') {
    const { min, max, isMinOpen, isMaxOpen } = span
    return min > max || (min === max && (isMinOpen || isMaxOpen))
  }
  const { min, max } = span
  if (min.infinite !== max.infinite) return min.infinite > max.infinite
  if (min.infinite !== 0) return true
  const order = min.member.compare(max.member)
  return order > 0 || (order === 0 && (min.isOpen || max.isOpen))
}

export function isBelow(span: Span, { member, score }: ScoredMember): boolean {
  if (span.by === 'score') return span.isMinOpen ? score <= span.min : score < span.min
  const { infinite, isOpen, member: bound } = span.min
  if (infinite !== 0) return infinite > 0
  const order = member.compare(bound)
  return isOpen ? order <= 0 : order < 0
}

export function isAbove(span: Span, { member, score }: ScoredMember): boolean {
  if (span.by === 'score') return span.isMaxOpen ? score >= span.max : score > span.max
  const { infinite, isOpen, member: bound } = span.max
  if (infinite !== 0) return infinite < 0
  const order = member.compare(bound)
  return isOpen ? order >= 0 : order > 0
}

/**
 * Walks from the first member at or after the near end, if it is in the span, to the last before
 * the far end. Like Redis, it skips the first `offset` members without further checks.
 */
export function walker(span: Span, reverse: boolean, offset: number): Judge {
  let isInside = false
  let left = offset
  return (entry) => {
    const isFirst = !isInside
    isInside ||= !(reverse ? isAbove(span, entry) : isBelow(span, entry))
    if (!isInside) return 'skip'
    const isBeyond = reverse ? isBelow(span, entry) : isAbove(span, entry)
    if (isBeyond && (isFirst || left === 0)) return 'stop'
    if (left === 0) return 'take'
    left--
    return 'skip'
  }
}

/** Judges each member separately. */
export function sieve(span: Span, offset: number): Judge {
  let left = offset
  return (entry) => {
    const isOutside = isBelow(span, entry) || isAbove(span, entry)
    return isOutside || --left >= 0 ? 'skip' : 'take'
  }
}
