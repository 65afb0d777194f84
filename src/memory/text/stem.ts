// Light English stemming: plurals, -ing, -ed, a final e and doubled consonants, so that "runs",
// "running" and "run" are one term. Texts and questions both use it, so a stem need not be a word.
// It must rarely merge different words.

const vowel = /[aeiouy]/
/** Consonants doubled for -ing or -ed; "fall", "miss", "buzz" stay. */
const doubled = /([bcdfghjkmnpqrtvwx])\1$/
/** Shorter words are their own stems. */
const stemmedLengthMin = 4

/** `word` has only lower-case ASCII letters. */
export function stem(word: string): string {
  if (word.length < stemmedLengthMin) return word
  return withoutFinalE(withoutEnding(singular(word)))
}

function singular(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(?:ss|x|ch|sh|z)es$/.test(word)) return word.slice(0, -2)
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word
}

function withoutEnding(word: string): string {
  if (word.endsWith('ied') && word.length > 4) return `${word.slice(0, -3)}y`
  if (word.endsWith('ing')) return base(word, word.slice(0, -3))
  if (word.endsWith('ed') && !word.endsWith('eed')) return base(word, word.slice(0, -2))
  return word
}

/** A word without its ending, unless too little would be left. */
function base(word: string, left: string): string {
  if (left.length < 3 || !vowel.test(left)) return word
  return left.length > 3 && doubled.test(left) ? left.slice(0, -1) : left
}

function withoutFinalE(word: string): string {
  return word.length >= stemmedLengthMin && word.endsWith('e') ? word.slice(0, -1) : word
}
