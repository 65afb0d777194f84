// Words as Intl.Segmenter tells them apart, asked piece by piece: what it costs grows faster than
// the text that it is given at once.

/** Where a word lies in a text. */
export interface WordSpan {
  readonly start: number
  readonly end: number
}

/** The locale decides nothing that is used here, but a fixed one is the same on every machine. */
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** UTF-16 units of a piece. */
const pieceUnits = 512
/**
 * What follows the end of a word may move it: the rules look at the next letters, dictionaries some
 * words ahead. Where so much follows, an end is where it would be in the whole text.
 */
const aheadUnits = 32

/** Letters, digits and `_` alone among them, as the segmenter has it. */
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
    // Longer than the piece is a word that has no end in it.
    units = next === from ? 2 * units : pieceUnits
    from = next
  }
  return spans
}
