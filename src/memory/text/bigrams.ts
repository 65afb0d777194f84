// Chinese, Japanese and Korean have no spaces between words, and a dictionary may split a text and
// a question differently. So each run of their characters is also indexed by pairs of adjacent
// characters.

const characters = '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}'
const runs = new RegExp(`(?:(?=[\\p{L}\\p{M}\\p{N}])[${characters}])+`, 'gu')
const someCharacter = new RegExp(`(?=[\\p{L}\\p{M}\\p{N}])[${characters}]`, 'u')
/** A particle or an ending. */
const oneHiragana = /^\p{sc=Hira}$/u

/** Whether bigrams replace the word, or it is too short to be searched for. */
export function isLeftToBigrams(word: string): boolean {
  if (!someCharacter.test(word)) return false
  return [...word].length === 2 || oneHiragana.test(word)
}

/** All pairs of adjacent characters in a run, in order. */
export function bigramsOf(text: string): string[] {
  const bigrams: string[] = []
  for (const [run] of text.matchAll(runs)) {
    const letters = [...run]
    for (let i = 1; i < letters.length; i++) bigrams.push(`${letters[i - 1]}${letters[i]}`)
  }
  return bigrams
}
