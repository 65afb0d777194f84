// Chinese, Japanese and Korean are written without spaces between what one would ask for, and a
// dictionary may split a text and a question about it in different ways. So each run of their
// characters is also found by every two that stand side by side.

const characters = '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}'
const runs = new RegExp(`(?:(?=[\\p{L}\\p{M}\\p{N}])[${characters}])+`, 'gu')
const someCharacter = new RegExp(`(?=[\\p{L}\\p{M}\\p{N}])[${characters}]`, 'u')
/** A particle or an ending. */
const oneHiragana = /^\p{sc=Hira}$/u

/** Whether bigrams stand for the word too, or it is too small to be asked for. */
export function isLeftToBigrams(word: string): boolean {
  if (!someCharacter.test(word)) return false
  return [...word].length === 2 || oneHiragana.test(word)
}

/** Every two characters that stand side by side in a run, in order. */
export function bigramsOf(text: string): string[] {
  const bigrams: string[] = []
  for (const [run] of text.matchAll(runs)) {
    const letters = [...run]
    for (let i = 1; i < letters.length; i++) bigrams.push(`${letters[i - 1]}${letters[i]}`)
  }
  return bigrams
}
