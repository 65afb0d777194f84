// Names in a German text, where every noun has a capital letter: a word is a name where it is known
// as one, where a title or a form of company says so, or where it is no known noun and stands as
// nouns without an article do not. (docs/memory.md, "What is kept")

import type { Token } from './tokens.js'
import {
  endings,
  isGermanNoun,
  isGermanWord,
  isGiven,
  isListed,
  isMarked,
  isNoun,
  isPlain,
  isSurname,
  isSurnameLike,
  isTitle,
  isTownLike,
} from './word-kinds.js'

const companyForms = new Set(['gmbh', 'ag', 'kg', 'se', 'ug', 'ohg', 'mbh', 'ltd', 'inc', 'corp'])
/** A name follows, and they are a part of it. */
const houses = endings(
  'gasthaus gasthof hotel pension restaurant café cafe sparkasse volksbank schule ' +
    'universität klinik klinikum stiftung gymnasium museum theater stadtwerke bäckerei ' +
    'bücherei gericht krankenkasse akademie zentrum hallenbad orchester schloss burg ' +
    'verlag',
)
/** A name follows, and they are no part of it. */
const kindsBefore = new Set('projekt firma kanzlei stadt insel dorf ortsteil band'.split(' '))
/** Parts of a name made of two words with a hyphen. */
const institutions = endings(
  '-schule -gymnasium -platz -straße -park -brücke -museum -stiftung -universität ' +
    '-halle -klinikum -institut -haus -allee -ufer',
)
const streets = /^(?!haupt$|neben|einbahn|auto|sack)\p{L}{3,}(?:straße|strasse|gasse|allee)$/u
const determiners = new Set(
  (
    'der die das den dem des ein eine einen einem einer eines kein keine keinen ' +
    'keinem keiner mein meine meinen meinem meiner dein deine deinen sein seine ' +
    'seinen seinem seiner ihr ihre ihren ihrem ihrer unser unsere unseren unserem ' +
    'unserer euer eure dieser diese dieses diesen diesem jeder jede jedes jeden jedem ' +
    'welche welcher im am zum zur beim vom ins ans fürs alle allen beide beiden viele ' +
    'vielen einige mehr pro je zwei drei vier fünf sechs sieben acht neun zehn zwölf'
  ).split(' '),
)
const adjective = /\p{Ll}(?:e|en|er|es|em)$/u
const verb = /(?:t|^will|^kann|^soll|^muss|^war|^möchte|^kam|^ging|^und|^aus|^von)$/
const wordsMax = 5

export function* germanNames(tokens: readonly Token[]): Generator<Token[]> {
  for (let i = 0; i < tokens.length; ) {
    const run = nameAt(tokens, i)
    if (run.length > 0) yield run
    i += Math.max(1, run.length)
  }
}

function nameAt(tokens: readonly Token[], at: number): Token[] {
  const token = tokens[at]
  if (token === undefined || !(token.isCapital || isMarked(token))) return []
  const company = companyAt(tokens, at)
  if (company.length > 0) return company
  if (isPlain(token) || isTitle(token)) return []
  const before = tokens[at - 1]
  const isTitled = token.isJoined && before !== undefined && isTitle(before) && before.isCapital
  if (
    isTitled &&
    (isFormal(before) || isSurnameLike(token) || isGiven(token) || !isGermanNoun(token))
  ) {
    return [token, ...surnamesAt(tokens, at + 1)]
  }
  const isRole = token.isJoined && before?.isCapital === true && isGermanNoun(before)
  if (isRole && isSurnameLike(token) && !isNoun(token)) return [token]
  if (isNamedThing(tokens, at)) return [token, ...othersAt(tokens, at + 1)]
  if (isHouse(tokens, at)) return tokens.slice(at, at + 2)
  if (streets.test(token.lower) || institutions.test(token.lower)) return [token]
  if (token.isFirst && isGermanWord(token)) return []
  if (isGiven(token) && !isNoun(token)) return [token, ...surnamesAt(tokens, at + 1)]
  if (isListed(token) && !(isNoun(token) && isDetermined(tokens, at))) return [token]
  if (isMarked(token)) return [token, ...othersAt(tokens, at + 1)]
  if (isPlaced(token, before)) return [token]
  if (isGermanNoun(token) || isGermanWord(token) || isDetermined(tokens, at)) return []
  const run = [token, ...othersAt(tokens, at + 1)]
  if (run.length > 1) return run[1] !== undefined && isGiven(run[1]) ? run.slice(1) : run
  if (token.isFirst) return isSubject(tokens, at) ? run : []
  if (!token.isJoined) return /(?:e|er|en)$/.test(token.lower) || !isSubject(tokens, at) ? [] : run
  return isPlural(token, before) ? [] : run
}

/** Without an article behind "in" and its like: a town, a person, and hardly ever a noun. */
function isPlaced(token: Token, before: Token | undefined): boolean {
  if (!token.isJoined || isNoun(token)) return false
  if (/^(?:in|nach|über|aus|bis)$/.test(before?.lower ?? '')) return isTownLike(token)
  return /^(?:von|bei|mit|an|für)$/.test(before?.lower ?? '') && /mann$/.test(token.lower)
}

/** "bei Umlauten": of many, and so no name. */
function isPlural({ lower }: Token, before: Token | undefined): boolean {
  return /[^aiou]en$/.test(lower) && /^(?:bei|mit|von|zu|aus|seit|ohne)$/.test(before?.lower ?? '')
}

/** What stands behind it is a name whatever else it could be. */
function isFormal({ lower }: Token): boolean {
  return /^(?:herrn?|frau|dr|prof|familie)$/.test(lower)
}

/** A form of company ends its name, whatever the words before it are. */
function companyAt(tokens: readonly Token[], at: number): Token[] {
  if (isGermanWord(tokens[at] as Token)) return []
  for (let end = at + 1; end < at + wordsMax; end++) {
    const token = tokens[end]
    if (token?.isJoined !== true || token.isFirst || !token.isCapital) return []
    if (companyForms.has(token.lower)) return tokens.slice(at, companyEnd(tokens, end + 1))
  }
  return []
}

/** Behind "& Co. KG" and its like. */
function companyEnd(tokens: readonly Token[], from: number): number {
  let end = from
  for (let token = tokens[end]; token?.isJoined === true; token = tokens[end]) {
    if (token.lower !== 'co' && !companyForms.has(token.lower)) break
    end++
  }
  return end
}

function isHouse(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1]
  if (!houses.test(tokens[at]?.lower ?? '') || next?.isJoined !== true) return false
  return next.isCapital && !isPlain(next) && !isTitle(next)
}

/** What it is stands before it: "das Projekt Nordlicht". */
function isNamedThing(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]
  return tokens[at]?.isJoined === true && kindsBefore.has(before?.lower ?? '')
}

/** What follows a given name, unless it is a noun that stands there for itself. */
function surnamesAt(tokens: readonly Token[], from: number): Token[] {
  const found: Token[] = []
  for (let i = from; i < from + wordsMax - 1; i++) {
    const token = tokens[i]
    if (token?.isJoined !== true || !token.isCapital || token.isFirst) break
    if (isPlain(token) || isTitle(token) || (isListed(token) && !isSurname(token))) break
    if (isGermanNoun(token) && !isSurnameLike(token)) break
    found.push(token)
  }
  return found
}

/** Further words of a name that is none of a person. */
function othersAt(tokens: readonly Token[], from: number): Token[] {
  const found: Token[] = []
  for (let i = from; i < from + wordsMax - 1; i++) {
    const token = tokens[i]
    if (token?.isJoined !== true || !token.isCapital || token.isFirst) break
    if (isPlain(token) || isTitle(token) || (isGermanNoun(token) && !isSurname(token))) break
    found.push(token)
  }
  return found
}

/** An article or the like is before it, adjectives between them or not. */
function isDetermined(tokens: readonly Token[], at: number): boolean {
  for (let i = at - 1; i >= Math.max(0, at - 3); i--) {
    const token = tokens[i]
    if (token === undefined || tokens[i + 1]?.isJoined !== true) return false
    if (determiners.has(token.lower) || /^\d/.test(token.word)) return true
    if (token.isCapital || isGermanWord(token) || !adjective.test(token.lower)) return false
  }
  return false
}

/** It begins a sentence and does what the next word says. */
function isSubject(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1]
  return next?.isJoined === true && !next.isCapital && verb.test(next.lower)
}
