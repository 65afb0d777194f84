// Splits words with Intl.Segmenter, piece by piece, because its cost grows faster than the length
// of its input.

/** The position of a word in a text. */
export interface WordSpan {
  readonly start: number
  readonly end: number
}

/** The locale has no effect here, but a fixed one gives the same result on every machine. */
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** UTF-16 units of a piece. */
const pieceUnits = 512
/**
 * Text after a word may move its end: the rules read the next letters, dictionaries some words
 * ahead. With this many units after it, an end is final.
 */
const aheadUnits = 32

/** Includes words of letters, digits and `_`, as in the segmenter. */
export function segmentedSpans(text: string): WordSpan[] {
  const spans: WordSpan[] = []
  let units = pieceUnits
  for (let from = 0; from < text.length; ) {
    const isRest = from + units >= text.length
    const sureEnd = isRest ? text.length : from + units - aheadUnits
    let next = from
    for (const { index, segment, isWordLike } of segmenter.segment(
      text.slice(from, from + units),
    )) {
      const start = from + index
      const end = start + segment.length
      if (end > sureEnd) break
      if (isWordLike === true) spans.push({ start, end })
      next = end
    }
    // A word longer than the piece has no end in it: the piece doubles.
    units = next === from ? 2 * units : pieceUnits
    from = next
  }
  return spans
}
