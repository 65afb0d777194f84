// The simplified spelling of a word: without accents, without the Arabic article. Only marks that
// do not change the letter are removed: Cyrillic й is not и, but ё is often written as е.

const beyondAscii = /[\u0080-\uffff]/
/** Letters of Latin and Greek. */
const accented = /[\u00c0-\u024f\u0370-\u03ff\u1f00-\u1fff]/
/** Alone or after و or ب; the rest must be long enough for a word. */
const article = /^[\u0648\u0628]?\u0627\u0644(?=\p{L}{3})/u

/** The word itself if it has none; `word` is in NFKC. */
export function bareForm(word: string): string {
  if (!beyondAscii.test(word)) return word
  if (accented.test(word)) return word.normalize('NFD').replace(/\p{M}/gu, '')
  return word
    .replace(/\u0451/g, '\u0435')
    .replace(/\u0401/g, '\u0415')
    .replace(article, '')
}
