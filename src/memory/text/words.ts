// Splits a text into words as Intl.Segmenter does. The segmenter costs forty times as much as a
// regular expression, so texts of Latin letters use one with the same rules (Unicode annex 29). A
// property test compares the two.

import { segmentedSpans } from './segments.js'

const letter = 'A-Za-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u024f'

/** Every character is one that `plainWord` supports. */
const plainText = new RegExp(
  `^[\\t\\n\\r -~\\u201c-\\u201e\\u2013\\u2014\\u2018\\u2019${letter}]*$`,
)

/** Letters, digits and `_`, and characters that join two letters or two digits. */
const betweenLetters = `(?<=[${letter}])['.:\\u2018\\u2019](?=[${letter}])`
const betweenDigits = "(?<=[0-9])['.,;\\u2018\\u2019](?=[0-9])"
const plainWord = new RegExp(`(?:[${letter}0-9_]|${betweenLetters}|${betweenDigits})+`, 'g')

/** The rules accept `_` alone as a word. */
const meaningful = /[\p{L}\p{N}]/u

/** The words of a text in NFKC. */
export function wordsOf(text: string): string[] {
  return plainWordsOf(text) ?? segmentedWords(text)
}

/** Undefined if `text` has characters that only the segmenter supports. */
export function plainWordsOf(text: string): string[] | undefined {
  if (!plainText.test(text)) return undefined
  return (text.match(plainWord) ?? []).filter((word) => meaningful.test(word))
}

export function segmentedWords(text: string): string[] {
  const words = segmentedSpans(text).map(({ start, end }) => text.slice(start, end))
  return words.filter((word) => meaningful.test(word))
}
