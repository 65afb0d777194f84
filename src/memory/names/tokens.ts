// Splits a text into words with the features that tell names from other words: capital letters, the
// starts of sentences, and the characters between words. (docs/memory.md, "What is kept")

import { germanWords } from './german-words.js'
import { brands } from './place-words.js'

export interface Token {
  /** As written, without a possessive ending. */
  readonly word: string
  readonly lower: string
  readonly start: number
  readonly end: number
  readonly isCapital: boolean
  /** It starts a sentence, a line, a quotation or the text after a colon. */
  readonly isFirst: boolean
  /** Only a space is between it and the previous word. */
  readonly isJoined: boolean
  readonly hadPossessive: boolean
}

const wordPattern =
  /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['’-][\p{L}\p{M}\p{N}]+|\.(?:js|io|ai|net|py)\b)*/gu
const beforeSentence = /(?:^|[.!?:\n\u2026]["'”’“»)]*\s*|(?:^|\s)["'“„«‘(-]+\s*)$/u
/** A full stop after one of these ends no sentence. */
const shortened =
  /(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|sr|jr|nr|str|tel|ca|bzw|z\.b|e\.g|i\.e|vs)\.\s*$/iu
/** Nor does a full stop after a single letter that follows a capitalised word. */
const initial = /\p{Lu}[\p{L}’'-]+ \p{Lu}\.\s$/u
const lookBehind = 12

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  let last = 0
  for (const { 0: written, index } of text.matchAll(wordPattern)) {
    const word = withoutPossessive(written)
    const before = text.slice(Math.max(0, index - lookBehind), index)
    const end = index + word.length
    tokens.push({
      word,
      lower: word.toLowerCase(),
      start: index,
      end,
      isCapital: /^\p{Lu}/u.test(word),
      isFirst: beforeSentence.test(before) && !shortened.test(before) && !initial.test(before),
      isJoined: tokens.length > 0 && /^(?:\.? | & )$/u.test(text.slice(last, index)),
      hadPossessive: word !== written,
    })
    last = end
  }
  return tokens
}

/** "McDonald's" keeps it as part of the name. */
function withoutPossessive(written: string): string {
  const isWhole = brands.has(written.toLowerCase().replace('’', "'"))
  return isWhole ? written : written.replace(/['’]s?$/u, '')
}

/** "Ursula K. Le Guin": one letter between two parts of a name. */
export function isInitial(tokens: readonly Token[], at: number): boolean {
  const [token, next] = [tokens[at], tokens[at + 1]]
  if (token?.isJoined !== true || !/^\p{Lu}$/u.test(token.word)) return false
  return next?.isCapital === true && next.start - token.end <= '. '.length
}

const englishMarks: ReadonlySet<string> = new Set([
  ...['the', 'of', 'and', 'to', 'is', 'was', 'with', 'for', 'from', 'that', 'this', 'it', 'my'],
  ...['our', 'we', 'at', 'by', 'not', 'be', 'are', 'has', 'he', 'she', 'they'],
])

/** By words that only one of the two languages has. */
export function isGerman(tokens: readonly Token[]): boolean {
  let german = 0
  let english = 0
  for (const { lower, word } of tokens) {
    if (englishMarks.has(lower)) english++
    else if (germanWords.has(lower) || /[äöüß]/.test(word)) german++
  }
  return german > english
}
