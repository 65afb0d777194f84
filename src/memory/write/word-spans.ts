// Where the words of a text begin and end, for finding known names in it: a name is found from the
// beginning of a word to the end of one. Texts of plain letters need no segmenter.

import { segmentedSpans, type WordSpan } from '../text/segments.js'

const plainText = /^[\t\n\r -~\u00a0-\u024f\u2010-\u2027]*$/
const plainWord = /[\p{L}\p{N}]+/gu

export function wordSpans(text: string): WordSpan[] {
  if (!plainText.test(text)) return segmentedSpans(text)
  return Array.from(text.matchAll(plainWord), ({ index, 0: word }) => {
    return { start: index, end: index + word.length }
  })
}
