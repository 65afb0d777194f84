// The kind of a word, by lists and endings, shared by the rules of each language.
// (docs/memory.md, "What is kept")

import { withoutAccents } from '../nodes/names.js'
import { englishWords } from './english-words.js'
import { germanStarts, germanWords } from './german-words.js'
import { givenNames, surnames } from './people-words.js'
import { brands, places, tools } from './place-words.js'
import { abbreviations, calendarWords, languageWords, titles, unitWords } from './plain-words.js'
import type { Token } from './tokens.js'

/** Words with one of these endings; with bounds on the letters before, and on what may follow. */
export function endings(
  list: string,
  { lettersBefore = 0, behind = '' }: { lettersBefore?: number; behind?: string } = {},
): RegExp {
  return new RegExp(`\\p{L}{${lettersBefore}}(?:${alternatives(list)})${behind}$`, 'u')
}

/** Words as alternatives of a pattern. */
export function alternatives(list: string): string {
  return list.split(' ').join('|')
}

const surnameEndings = endings(
  'mann berg stein bach feld haus hof hagen dorf meier meyer maier müller huber bauer ' +
    'brink kamp horst hauer mayr macher schmidt wald busch baum lein ling ' +
    'berger burger bacher hofer hauser heimer felder brunner kirchner leitner',
  { lettersBefore: 2 },
)
const townEndings = endings(
  'berg berge kirchen hausen heim burg dorf stadt furt bach feld hagen brück brücken ' +
    'münster horst stedt leben wald walde hafen haven',
  { lettersBefore: 3 },
)

export function isGiven({ lower }: Token): boolean {
  const bare = withoutAccents(lower)
  if (givenNames.has(bare)) return true
  const parts = bare.split('-')
  return parts.length > 1 && parts.every((part) => givenNames.has(part))
}

export function isSurname({ lower }: Token): boolean {
  return surnames.has(lower)
}

export function isListed({ lower }: Token): boolean {
  return places.has(lower) || brands.has(lower)
}

export function isBrand({ lower }: Token): boolean {
  return brands.has(lower)
}

/** Known by its spelling, without a capital letter. */
export function isTool({ word }: Token): boolean {
  return tools.has(word)
}

export function isTitle({ lower }: Token): boolean {
  return titles.has(lower)
}

/** Of the calendar, a unit, a language, an abbreviation: never a name or part of one. */
export function isPlain({ lower, word }: Token): boolean {
  if (word.length < 2 || calendarWords.has(lower) || unitWords.has(lower)) return true
  if (/^\p{Lu}\d{1,3}$/u.test(word) || /^i['’]/.test(lower)) return true
  return languageWords.has(lower) || (abbreviations.has(lower) && /\p{Lu}$/u.test(word))
}

/** An ending of many surnames, and of nouns too. */
export function isSurnameLike({ lower }: Token): boolean {
  return surnames.has(lower) || surnameEndings.test(lower)
}

/** An ending of many towns, and of nouns too. */
export function isTownLike({ lower }: Token): boolean {
  return townEndings.test(lower)
}

/** All capital letters, or one inside: only names are written so. */
export function isMarked({ word, lower }: Token): boolean {
  if (abbreviations.has(lower)) return false
  if (isUpper(word)) return word.length > 2 && /\p{L}{2}/u.test(word)
  return /\p{Ll}\p{Lu}/u.test(word) || /\.\p{Ll}+$/u.test(word)
}

function isUpper(word: string): boolean {
  return /\p{Lu}/u.test(word) && !/\p{Ll}/u.test(word)
}

const englishEndings = ['s', 'es', 'ed', 'd', 'ing', 'ly', 'er', 'n’t', "n't"]

export function isEnglishWord({ lower }: Token): boolean {
  if (englishWords.has(lower)) return true
  for (const ending of englishEndings) {
    if (!lower.endsWith(ending)) continue
    const stem = lower.slice(0, -ending.length)
    if (stem.length < 3) continue
    if (englishWords.has(stem) || englishWords.has(`${stem}e`)) return true
    if (/(.)\1$/.test(stem) && englishWords.has(stem.slice(0, -1))) return true
  }
  const parts = lower.split('-')
  return parts.length > 1 && parts.some((part) => englishWords.has(part))
}

export function isGermanWord({ lower }: Token): boolean {
  return germanWords.has(lower) || germanStarts.has(lower)
}
