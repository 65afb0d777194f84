// Characters that count as one: digraphs of a language as Hungarian's `dzs`, and a letter with a
// mark that stands behind another mark. Found by asking Intl.Collator, which names none.
// Source: UTS #10, contractions; discontiguous matching.

/** Completely ignorable, and nothing forms a contraction across it. */
export const joiner = '\u034f'
const firstLetter = 0x20
const lastLetter = 0x7e
const letters = [...'abcdefghijklmnopqrstuvwxyz']
/** Of a letter with more marks no contraction is looked for across them. */
const acrossMax = 5
const isMark = /^\p{M}/u

/** Pairs of ASCII characters that count as one: `ch` in Czech. */
export function plainPairs(variant: Intl.Collator): string[] {
  const found: string[] = []
  for (let i = firstLetter; i <= lastLetter; i++) {
    for (let j = firstLetter; j <= lastLetter; j++) {
      const [a, b] = [String.fromCharCode(i), String.fromCharCode(j)]
      if (variant.compare(a + b, a + joiner + b) !== 0) found.push(a + b)
    }
  }
  return found
}

/** Digraphs and trigraphs of ASCII letters, in every case that is one. */
export function digraphs(pairs: readonly string[], variant: Intl.Collator): string[] {
  const two = pairs.filter((pair) => /^[a-z]+$/i.test(pair))
  const three = two
    .flatMap((pair) => letters.flatMap((c) => [pair + c, pair + c.toUpperCase()]))
    .filter((text) => {
      const [pair, last] = [text.slice(0, 2), text.slice(2)]
      return variant.compare(text, pair + joiner + last) !== 0
    })
  return [...two, ...three]
}

/**
 * `unit` as a letter with the marks that it forms a contraction with, then its other marks one by
 * one: in Danish `A`, a dot below and a diaeresis are `Ä` and the dot. Undefined where it is none.
 */
export function splitAcrossMarks(
  unit: string,
  parts: readonly string[],
  variant: Intl.Collator,
): string[] | undefined {
  const first = parts.findIndex((part) => isMark.test(part))
  const marks = parts.slice(first)
  if (first < 1 || marks.length > acrossMax || !marks.every((part) => isMark.test(part))) return
  const start = parts.slice(0, first).join('')
  for (const set of setsOf(marks.length)) {
    const isOf = (at: number): boolean => (set & (1 << at)) !== 0
    const head = start + marks.filter((_, at) => isOf(at)).join('')
    const split = [head, ...marks.filter((_, at) => !isOf(at))]
    if (variant.compare(unit, split.join(joiner)) === 0) return split
  }
  return undefined
}

/** Some of `count` marks, each a bit; not none and not all, the fewest first. */
function setsOf(count: number): number[] {
  const sets = Array.from({ length: (1 << count) - 1 }, (_, set) => set).slice(1)
  return sets.sort((a, b) => sizeOf(a) - sizeOf(b))
}

const sizeOf = (set: number): number => set.toString(2).replaceAll('0', '').length
