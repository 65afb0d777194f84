// Whether a German word is a noun, in any case and number: it is listed, has a noun ending, or is a
// compound of known parts. Any other capitalised word may be a name, since nouns have capital
// letters too. (docs/memory.md, "What is kept")

import { germanNouns } from './german-nouns.js'
import { germanParts } from './german-parts.js'
import type { Token } from './tokens.js'
import { endings } from './word-kinds.js'

const inflected = '(?:en|e|s|se|sen|ses|nen|in|innen|n)?'
const abstract = endings(
  'ung heit keit schaft tion sion tät ismus logie grafie metrie erei ierer thek iker',
  { lettersBefore: 3, behind: inflected },
)
const derived = endings('nis ling ment enz anz chen lein eur ist at ium ion age iv är', {
  lettersBefore: 4,
  behind: inflected,
})
const nounEndings = ['', 'e', 'en', 'n', 'er', 'ern', 's', 'es', 'r', 'nen', 'in', 'innen']
/** Plurals from Latin and Greek: "Gremien", "Themen", "Globen". */
const foreignPlurals: readonly (readonly [plural: RegExp, singulars: readonly string[]])[] = [
  [/ien$/, ['ium', 'ie']],
  [/en$/, ['um', 'a', 'us', 'is']],
]
const links = ['s', 'es', 'n', 'en', 'er', 'e', 'ens', 'nen']
const umlauts: Readonly<Record<string, string>> = { ä: 'a', ö: 'o', ü: 'u' }
/** Swiss and older spelling differ only in the sharp s. */
const nouns = new Set(Array.from(germanNouns, withoutSharpS))
const parts = new Set(Array.from(germanParts, withoutSharpS))
/** Endings of names of people and places, after any other letters. */
const nameEndings = endings(
  'berg burg dorf heim hof bach stein feld feldt haus hausen wald see stadt land halle ' +
    'kamp brück mann meier müller bauer schmidt richter hafen kirchen tal thal au horst ' +
    'hagen werder winkel rode stedt furt moor sand busch baum platz straße park allee ' +
    'brücke turm schloss kirche',
  { behind: '(?:e|er|s)?' },
)
const firstPartMin = 2
const lastPartMin = 3
const longPartMin = 6
/** Compounds with more parts are not analysed. */
const partsMax = 4

/** A listed noun, not a compound. */
export function isNoun({ lower }: Token): boolean {
  return germanNouns.has(lower)
}

export function isGermanNoun({ lower }: Token): boolean {
  const word = withoutSharpS(lower.slice(lower.lastIndexOf('-') + 1))
  if (isInflected(word) || isDerived(word) || isCompound(word, partsMax)) return true
  return !nameEndings.test(word) && endsWithNoun(word)
}

/** A long noun at the end makes a noun, unless names end so: "Permakultur". */
function endsWithNoun(word: string): boolean {
  for (let at = firstPartMin; at <= word.length - longPartMin; at++) {
    if (hasNoun(word.slice(at))) return true
  }
  return false
}

function isDerived(word: string): boolean {
  return abstract.test(word) || derived.test(word)
}

function isInflected(word: string): boolean {
  const plain = withoutUmlauts(word)
  return hasNoun(word) || (plain !== word && hasNoun(plain))
}

function hasNoun(word: string): boolean {
  if (nounEndings.some((ending) => hasWithout(nouns, word, ending))) return true
  // From verbs and adjectives: "Schwimmen", "Neues".
  if (word.length > 5 && hasWithout(parts, word, 'en')) return true
  return foreignPlurals.some(
    ([plural, singulars]) =>
      plural.test(word) && singulars.some((singular) => nouns.has(word.replace(plural, singular))),
  )
}

function hasWithout(list: ReadonlySet<string>, word: string, ending: string): boolean {
  return word.endsWith(ending) && list.has(word.slice(0, word.length - ending.length))
}

/** Known parts, of which the last is a noun. */
function isCompound(word: string, partsLeft: number): boolean {
  for (let at = firstPartMin; at <= word.length - lastPartMin; at++) {
    if (!isFirstPart(word.slice(0, at))) continue
    const rest = word.slice(at)
    if (isInflected(rest) || (partsLeft > 2 && isCompound(rest, partsLeft - 1))) return true
  }
  return false
}

function isFirstPart(word: string): boolean {
  if (parts.has(word) || hasNoun(word)) return true
  if (nouns.has(`${word}e`) || nouns.has(`${word}en`) || isDerived(word)) return true
  return links.some((link) => word.endsWith(link) && isLinked(word.slice(0, -link.length)))
}

/** Without the letters that link it to the next part. */
function isLinked(word: string): boolean {
  if (parts.has(word) || nouns.has(word)) return true
  return nouns.has(withoutUmlauts(word)) || abstract.test(word)
}

function withoutUmlauts(word: string): string {
  return word.replace(/[äöü]/g, (letter) => umlauts[letter] ?? letter)
}

function withoutSharpS(word: string): string {
  return word.replaceAll('ß', 'ss')
}
