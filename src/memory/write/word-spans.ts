// The positions of words in a text, for finding known names: a name starts at the start of a word
// and ends at the end of one. Texts of plain letters need no segmenter.

import { segmentedSpans, type WordSpan } from '../text/segments.js'

const plainText = /^[\t\n\r -~\u00a0-\u024f\u2010-\u2027]*$/
const plainWord = /[\p{L}\p{N}]+/gu

export function wordSpans(text: string): WordSpan[] {
  if (!plainText.test(text)) return segmentedSpans(text)
  return Array.from(text.matchAll(plainWord), ({ index, 0: word }) => {
    return { start: index, end: index + word.length }
  })
}
