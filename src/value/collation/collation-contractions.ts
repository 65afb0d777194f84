// Finds contractions, characters that sort as one: digraphs such as Hungarian `dzs`, and a letter
// with a mark after another mark. Intl.Collator does not list them, so they are found by
// comparisons. Source: UTS #10, contractions; discontiguous matching.

/** Completely ignorable, and it prevents contractions across it. */
export const joiner = '\u034f'
const firstLetter = 0x20
const lastLetter = 0x7e
const letters = [...'abcdefghijklmnopqrstuvwxyz']
/** Above this many marks, contractions across marks are not searched. */
const acrossMax = 5
const isMark = /^\p{M}/u

/** Pairs of ASCII characters that sort as one, such as `ch` in Czech. */
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

/** Digraphs and trigraphs of ASCII letters, in every case form that is a contraction. */
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
 * Splits `unit` into a letter with the marks that form a contraction with it, and its other marks.
 * In Danish, `A`, a dot below and a diaeresis become `Ä` and the dot. Undefined if there is no
 * contraction.
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

/** Proper non-empty subsets of `count` marks as bit sets, the smallest first. */
function setsOf(count: number): number[] {
  const sets = Array.from({ length: (1 << count) - 1 }, (_, set) => set).slice(1)
  return sets.sort((a, b) => sizeOf(a) - sizeOf(b))
}

const sizeOf = (set: number): number => set.toString(2).replaceAll('0', '').length
