// LIKE and ILIKE. A pattern is parsed once and matched with two pointers that backtrack only to the
// last `%`. The cost is at most the product of both lengths. (PostgreSQL 17, 9.7.1)

import { sqlPatternCharsMax } from '../../../../base/limits/sql.js'
import { evaluationError, evaluationState } from '../evaluation-error.js'
import { spendOn, spendOnSteps } from './text-cost.js'

/** Cost of comparing a character, relative to reading it. */
const likeWeight = 48

const anyRun = -1
const anyOne = -2

export interface LikePattern {
  /** Code points, and the two wildcards. */
  readonly steps: readonly number[]
  readonly ignoresCase: boolean
}

/** `escaping` is one character or empty. Throws 22025 for an escape character at the end. */
export function parseLike(pattern: string, escaping: string, ignoresCase: boolean): LikePattern {
  if (pattern.length > sqlPatternCharsMax) {
    throw evaluationError(evaluationState.tooLong, 'LIKE pattern too long')
  }
  const mark = escapeOf(escaping)
  const steps: number[] = []
  let isEscaped = false
  for (const character of pattern) {
    const point = character.codePointAt(0) as number
    if (isEscaped) {
      steps.push(ignoresCase ? lowerPoint(point) : point)
      isEscaped = false
    } else if (point === mark) isEscaped = true
    else if (character === '%') {
      if (steps.at(-1) !== anyRun) steps.push(anyRun)
    } else if (character === '_') steps.push(anyOne)
    else steps.push(ignoresCase ? lowerPoint(point) : point)
  }
  if (isEscaped) {
    throw evaluationError(
      evaluationState.badEscape,
      'LIKE pattern must not end with escape character',
    )
  }
  return { steps, ignoresCase }
}

function escapeOf(escaping: string): number | undefined {
  const [first, ...others] = escaping
  if (others.length > 0) throw evaluationError(evaluationState.badEscape, 'invalid escape string')
  return first?.codePointAt(0)
}

/** A character whose lower case has several code points is unchanged. */
function lowerPoint(point: number): number {
  if (point < 0x80) return point >= 0x41 && point <= 0x5a ? point + 0x20 : point
  const lower = String.fromCodePoint(point).toLowerCase()
  const folded = lower.codePointAt(0) as number
  return lower.length === (folded > 0xffff ? 2 : 1) ? folded : point
}

/** Throws 54000 if backtracking costs too much. */
export function matchesLike({ steps, ignoresCase }: LikePattern, text: string): boolean {
  spendOn(text.length, likeWeight)
  let at = 0
  let step = 0
  /** The step after the last `%`, and the position of the text there. */
  let backStep = -1
  let backAt = 0
  while (at < text.length) {
    const wanted = steps[step]
    if (wanted === anyRun) {
      backStep = ++step
      backAt = at
      continue
    }
    const point = text.codePointAt(at) as number
    const found = ignoresCase ? lowerPoint(point) : point
    if (wanted === anyOne || wanted === found) {
      at += width(point)
      step++
    } else if (backStep >= 0) {
      if (backStep === steps.length) return true
      spendOnSteps(at - backAt)
      backAt += width(text.codePointAt(backAt) as number)
      at = backAt
      step = backStep
    } else return false
  }
  while (steps[step] === anyRun) step++
  return step === steps.length
}

function width(point: number): number {
  return point > 0xffff ? 2 : 1
}

/** The literal beginning of every match, and whether the pattern has nothing else. */
export function literalStart({ steps }: LikePattern): { text: string; isWhole: boolean } {
  const end = steps.findIndex((step) => step < 0)
  const points = end < 0 ? steps : steps.slice(0, end)
  return { text: points.map((point) => String.fromCodePoint(point)).join(''), isWhole: end < 0 }
}
