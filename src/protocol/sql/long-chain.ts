// A chain of operators that is too long, seen before it is read: where a chain has begun to be long
// and goes on with nothing but plain operands, the place where it becomes too long is found in the
// text. Reading a thousand terms takes 7 ms in a process that has never done so; this takes one.

import { sqlChainMax } from '../../base/limits.js'

/** The operator of a chain at which the text behind it is looked at. */
export const chainLooked = 32

/**
 * Names, numbers, `$1` and plain strings. What else an operand can be (an escape string, one in
 * dollars, a comment before it) never looks like one of these with an operator behind it.
 */
const number = String.raw`\d[\d.]*(?:e[-+]?\d+)?(?![\w.])`
const operand = String.raw`(?:${number}|(?!\d)\w[\w.]*|\$\d+|'[^']*')`
const comparison = String.raw`${operand}(?:\s*(?:=|<>|!=|<=|>=|<|>)\s*${operand})?`

export type ChainKind = 'sum' | 'product' | 'or' | 'and'

const operators: Readonly<Record<ChainKind, string>> = {
  sum: '[-+]',
  product: '[*/%]',
  or: String.raw`\bor\b`,
  and: String.raw`\band\b`,
}

const patterns = new Map<ChainKind, RegExp>()

function patternOf(kind: ChainKind): RegExp {
  const known = patterns.get(kind)
  if (known !== undefined) return known
  const term = kind === 'or' || kind === 'and' ? comparison : operand
  const operator = operators[kind]
  const count = sqlChainMax - chainLooked + 1
  // The one too many has an operand, too: a comment and `->` begin as some operators do.
  const next = String.raw`(?=${operator}\s*[\w$'(])`
  const pattern = new RegExp(`(?:${operator}\\s*${term}\\s*){${count}}${next}`, 'iy')
  patterns.set(kind, pattern)
  return pattern
}

/**
 * The place of the operator that is one too many, where the operator at `at` is the chain's
 * number `chainLooked`; undefined where that takes reading. What it finds in a text that is no
 * statement is as wrong, in another way.
 */
export function chainOverflow(text: string, at: number, kind: ChainKind): number | undefined {
  const pattern = patternOf(kind)
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}
