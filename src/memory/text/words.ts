// The words of a text, as they are written: what Intl.Segmenter takes for words. Asking it costs
// forty times what a regular expression does, so texts of Latin letters alone go by one, which
// follows the same rules (Unicode annex 29) for the characters that it knows. A property test
// compares the two.

import { segmentedSpans } from './segments.js'

const letter = 'A-Za-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u024f'

/** Every character of it is one whose word rules `plainWord` knows. */
const plainText = new RegExp(
  `^[\\t\\n\\r -~\\u201c-\\u201e\\u2013\\u2014\\u2018\\u2019${letter}]*$`,
)

/** Letters, digits and `_`, joined by what stands between two letters or between two digits. */
const betweenLetters = `(?<=[${letter}])['.:\\u2018\\u2019](?=[${letter}])`
const betweenDigits = "(?<=[0-9])['.,;\\u2018\\u2019](?=[0-9])"
const plainWord = new RegExp(`(?:[${letter}0-9_]|${betweenLetters}|${betweenDigits})+`, 'g')

/** `_` alone is a word to the rules. */
const meaningful = /[\p{L}\p{N}]/u

/** The words of a text in NFKC. */
export function wordsOf(text: string): string[] {
  return plainWordsOf(text) ?? segmentedWords(text)
}

/** Undefined where `text` has characters that only the segmenter knows. */
export function plainWordsOf(text: string): string[] | undefined {
  if (!plainText.test(text)) return undefined
  return (text.match(plainWord) ?? []).filter((word) => meaningful.test(word))
}

export function segmentedWords(text: string): string[] {
  const words = segmentedSpans(text).map(({ start, end }) => text.slice(start, end))
  return words.filter((word) => meaningful.test(word))
}
