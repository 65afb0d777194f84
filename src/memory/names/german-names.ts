// Finds names in a German text, where every noun has a capital letter. A word is a name if it is
// listed, or if a title or company form says so. It is also a name if it is no known noun and lacks
// the article that nouns need. (docs/memory.md, "What is kept")

import { isGermanNoun, isNoun } from './german-noun.js'
import { isPaired, shapeAt } from './german-shapes.js'
import { isInitial, type Token } from './tokens.js'
import {
  alternatives,
  endings,
  isBrand,
  isGermanWord,
  isGiven,
  isListed,
  isMarked,
  isPlain,
  isSurname,
  isSurnameLike,
  isTitle,
  isTool,
  isTownLike,
} from './word-kinds.js'

/** A name follows; the word is no part of it. */
const kindsBefore = new Set('projekt firma kanzlei stadt insel dorf ortsteil band'.split(' '))
/** Parts of a hyphenated name of two words. */
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
const commonAdjective =
  /^(?:neu|alt|groß|klein|gut|letzt|nächst|lieb|lang|halb|ganz|ander|weiter|best|eigen)/
const prepositions = /^(?:an|auf|aus|bei|für|gegen|in|mit|nach|über|um|von|vor|zu)$/
/** Words that follow a name at the start of a sentence. */
const verb = new RegExp(
  `(?:t|te|^(?:${alternatives(
    'will kann soll muss darf mag war wurde möchte kam ging rief schrieb fuhr gab nahm fand ' +
      'blieb sprach und aus von',
  )}))$`,
)
/** A surname after them is a name, though it is a noun too: "Kollegin Sommer". */
const roles = endings(
  'kollege kollegin nachbar nachbarin lehrer lehrerin vermieter vermieterin kunde kundin ' +
    'mandant mandantin patient patientin chef chefin pfarrer pfarrerin bürgermeister ' +
    'bürgermeisterin richter richterin anwalt anwältin makler maklerin hausmeister meister ' +
    'berater beraterin leiter leiterin arzt ärztin trainer trainerin pfleger schwester',
)
/** After a maker they are part of a product's name. */
const products = new Set(
  (
    'maps teams drive docs sheets play pay prime music watch workspace analytics search ' +
    'console actions pages studio code connect cloud office ads meet calendar home photos ' +
    'explorer reader acrobat server azure desktop one now store tv max pro'
  ).split(' '),
)
const wordsMax = 5

export function* germanNames(written: readonly Token[]): Generator<Token[]> {
  const tokens = written.map(withoutGenitive)
  for (let i = 0; i < tokens.length; ) {
    const run = nameAt(tokens, i)
    if (run.length > 0) yield run
    i += Math.max(1, run.length)
  }
}

/** "Annas Fahrrad", "Berlins Straßen": the name is without the s. */
function withoutGenitive(token: Token, at: number, all: readonly Token[]): Token {
  const { word, lower, end } = token
  if (isPaired(all[at - 1], token)) return token
  if (!/[^s]s$/.test(lower) || !token.isCapital || isKnown(token) || isNoun(token)) return token
  const bare = { ...token, word: word.slice(0, -1), lower: lower.slice(0, -1), end: end - 1 }
  return (isGiven(bare) || isListed(bare)) && !isNoun(bare)
    ? { ...bare, hadPossessive: true }
    : token
}

function isKnown(token: Token): boolean {
  return isGiven(token) || isListed(token) || isSurname(token)
}

function nameAt(tokens: readonly Token[], at: number): Token[] {
  const token = tokens[at]
  if (token === undefined) return []
  if (isTool(token)) return [token]
  if (!token.isCapital && !isMarked(token)) return []
  const shape = shapeAt(tokens, at)
  if (shape.length > 0) return shape
  const before = tokens[at - 1]
  const isTitled = token.isJoined && before !== undefined && isTitle(before) && before.isCapital
  if (isTitled && isFormal(before) && isSurname(token)) {
    return [token, ...surnamesAt(tokens, at + 1)]
  }
  if (isPlain(token) || isTitle(token)) return []
  if (
    isTitled &&
    (isFormal(before) || isSurnameLike(token) || isGiven(token) || !isGermanNoun(token))
  ) {
    return [token, ...surnamesAt(tokens, at + 1)]
  }
  const isBehindNoun = token.isJoined && before?.isCapital === true && isGermanNoun(before)
  if (isBehindNoun && isSurnameLike(token) && !isNoun(token)) return [token]
  if (isBehindNoun && roles.test(before.lower) && isSurname(token)) return [token]
  if (isNamedThing(tokens, at)) return [token, ...othersAt(tokens, at + 1)]
  if (streets.test(token.lower) || institutions.test(token.lower)) return [token]
  if (token.isFirst && (isGermanWord(token) || isDescriptive(token))) return []
  if (isShouted(token)) return []
  const isDoubtful = isNoun(token) && (isDetermined(tokens, at) || isDescribed(token, before))
  if (isGiven(token) && !isDoubtful) return [token, ...surnamesAt(tokens, at + 1)]
  if (isBrand(token) && !isDoubtful) return [token, ...productAt(tokens, at + 1)]
  if (isListed(token) && (!isNoun(token) || isAtPlace(token, before))) return [token]
  if (isMarked(token)) return [token, ...othersAt(tokens, at + 1)]
  if (isPlaced(token, before)) return [token]
  if (isGermanNoun(token) || isGermanWord(token)) return []
  if (isDetermined(tokens, at)) return isOfPlace(tokens, at) ? [token] : []
  const run = [token, ...othersAt(tokens, at + 1)]
  if (run.length > 1) return run[1] !== undefined && isGiven(run[1]) ? run.slice(1) : run
  if (token.isFirst) return isSubject(tokens, at) ? run : []
  if (!token.isJoined) {
    if (/(?:e|er|en)$/.test(token.lower)) return []
    return isSubject(tokens, at) || isApposed(tokens[at + 1]) ? run : []
  }
  return isPlural(token, before) ? [] : run
}

/** "meine Schwester, Malou, lernt": a list of things does not continue so. */
function isApposed(next: Token | undefined): boolean {
  if (next === undefined || next.isJoined || next.isFirst || next.isCapital) return false
  return !/^(?:und|oder|sowie|aber|dann|usw|etc)$/.test(next.lower)
}

/** Without an article after "in" and its like: a town, a person, and hardly ever a noun. */
function isPlaced(token: Token, before: Token | undefined): boolean {
  if (!token.isJoined || isNoun(token)) return false
  if (/^(?:in|nach|über|aus|bis)$/.test(before?.lower ?? '')) return isTownLike(token)
  return /^(?:von|bei|mit|an|für)$/.test(before?.lower ?? '') && /mann$/.test(token.lower)
}

/** "bei der Charité", "auf den Watzmann": after a preposition, and of one thing. */
function isOfPlace(tokens: readonly Token[], at: number): boolean {
  const [token, before, preposition] = [tokens[at], tokens[at - 1], tokens[at - 2]]
  if (token?.isJoined !== true || /(?:e[nrs]|ern|s)$/.test(token.lower)) return false
  if (/^(?:am|beim|vom|zum|zur|im|ins)$/.test(before?.lower ?? '')) return true
  return (
    /^(?:der|dem|den|die|das)$/.test(before?.lower ?? '') &&
    before?.isJoined === true &&
    prepositions.test(preposition?.lower ?? '')
  )
}

/** At the start of a sentence: "Unheimlich", "Mehrmals". */
function isDescriptive(token: Token): boolean {
  if (isKnown(token)) return false
  return /\p{L}{2}(?:lich|ig|isch|los|bar|sam|haft|voll|weise|mals|halb|wärts)(?:e[nrms]?)?$/u.test(
    token.lower,
  )
}

/** A word that is no name is none in capital letters either. */
function isShouted({ word, lower }: Token): boolean {
  if (/\p{Ll}/u.test(word)) return false
  const token = { word, lower } as Token
  return isGermanWord(token) || isNoun(token)
}

/** "gutes Essen", "viel Rose": a name has no such word before it. */
function isDescribed(token: Token, before: Token | undefined): boolean {
  if (!token.isJoined || before === undefined || before.isCapital) return false
  return /^(?:als|etwas|kein|viel|wegen|ohne)$/.test(before.lower) || isAdjective(before)
}

function isAdjective(token: Token): boolean {
  if (!adjective.test(token.lower)) return false
  return !isGermanWord(token) || commonAdjective.test(token.lower)
}

/** A town is meant, though the word is a noun too: "in Essen". */
function isAtPlace(token: Token, before: Token | undefined): boolean {
  return token.isJoined && /^(?:in|nach|aus|von|bei|über|bis)$/.test(before?.lower ?? '')
}

/** "Google Maps", "Microsoft Teams". */
function productAt(tokens: readonly Token[], at: number): Token[] {
  const token = tokens[at]
  if (token?.isJoined !== true || token.isFirst || !token.isCapital) return []
  if (products.has(token.lower)) return [token, ...productAt(tokens, at + 1)]
  if (isPlain(token) || isTitle(token) || isGiven(token) || isListed(token)) return []
  return isGermanNoun(token) ? [] : [token]
}

/** "bei Umlauten": a plural, so no name. */
function isPlural({ lower }: Token, before: Token | undefined): boolean {
  return /[^aiou]en$/.test(lower) && /^(?:bei|mit|von|zu|aus|seit|ohne)$/.test(before?.lower ?? '')
}

/** The next word is a name, whatever else it could be. */
function isFormal({ lower }: Token): boolean {
  return /^(?:herrn?|frau|dr|prof|familie|kolleg(?:in|en?))$/.test(lower)
}

/** Its kind stands before it: "das Projekt Nordlicht". */
function isNamedThing(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1]
  return tokens[at]?.isJoined === true && kindsBefore.has(before?.lower ?? '')
}

/** The words after a given name, except an independent noun. */
function surnamesAt(tokens: readonly Token[], from: number): Token[] {
  const found: Token[] = []
  if (isInitial(tokens, from)) found.push(...tokens.slice(from, ++from))
  for (let i = from; i < from + wordsMax - 1; i++) {
    const token = tokens[i]
    if (token?.isJoined !== true || !token.isCapital || token.isFirst) break
    if (isPlain(token) || isTitle(token) || (isListed(token) && !isSurname(token))) break
    if (isGermanNoun(token) && !isSurnameLike(token)) break
    found.push(token)
  }
  return found
}

/** Further words of a name that is not a person's. */
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

/** An article or similar word precedes it, with or without adjectives between them. */
function isDetermined(tokens: readonly Token[], at: number): boolean {
  for (let i = at - 1; i >= Math.max(0, at - 3); i--) {
    const token = tokens[i]
    if (token === undefined || tokens[i + 1]?.isJoined !== true) return false
    if (determiners.has(token.lower) || /^\d/.test(token.word)) return true
    if (token.isCapital || !isAdjective(token)) return false
  }
  return false
}

/** It starts a sentence and is the subject of the next word. */
function isSubject(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1]
  return next?.isJoined === true && !next.isCapital && verb.test(next.lower)
}
