// Names of several words in a German text, by their shape: companies by their form or `&`, towns by
// their first word, houses and institutions by their kind, adjectives by a capital letter.
// (docs/memory.md, "What is kept")

import { isGermanNoun, isNoun } from './german-noun.js'
import type { Token } from './tokens.js'
import {
  alternatives,
  endings,
  isGermanWord,
  isGiven,
  isListed,
  isMarked,
  isPlain,
  isSurname,
  isTitle,
} from './word-kinds.js'

const companyForms = new Set(['gmbh', 'ag', 'kg', 'se', 'ug', 'ohg', 'mbh', 'ltd', 'inc', 'corp'])
/** A name follows; the word is part of it. */
const houses = endings(
  'gasthaus gasthof hotel pension restaurant café cafe eiscafé bistro kneipe trattoria ' +
    'pizzeria ristorante osteria taverna sparkasse volksbank schule universität klinik ' +
    'klinikum stiftung gymnasium museum theater stadtwerke erei ' +
    'weingut autohaus apotheke ' +
    'gericht krankenkasse akademie zentrum hallenbad orchester schloss burg kloster ' +
    'verlag tierpark campingplatz verein verbraucherzentrale tierheim jugendherberge kita ' +
    'kindergarten feinkost möbel optik sanitär waren getränke moden reisen elektro haustechnik ' +
    'küchen gartenbau bestattungen immobilien',
)
/** After these words such a name continues, also with nouns: "Gasthof Zum Goldenen Hirsch". */
const namedBy = new Set('zum zur am im an beim da bei der die das'.split(' '))
/** With a capitalised word before them they are names: "Techniker Krankenkasse". */
const institutions = endings(
  'krankenkasse ersatzkasse versicherung sparkasse volksbank stadtwerke verlag rundschau bank ' +
    'stiftung gruppe',
)
/** After the name of a place they are part of a name: "Timmendorfer Strand". */
const landmarks = endings(
  'strand markt platz tor dom bahnhof straße allee weg brücke see wald zoo messe flughafen ' +
    'hafen ring ufer park garten turm schloss burg kirche rathaus universität klinikum land ' +
    'alpen heide seenplatte bucht tal hütte theater oper museum philharmonie kreuz höhe',
)
const ofPlace = /(?:er|sche[rnm]?)$/
/** With a capital letter inside a sentence they are part of a name: "beim Roten Kreuz". */
const nameAdjectives = new RegExp(
  `^(?:${alternatives(
    'rot schwarz weiß blau grün gelb golden silbern alt neu groß klein hoh jung frei heilig tot ' +
      'kalt wild lang vereint vereinigt nah fern still ewig rund deutsch international ' +
      'süddeutsch norddeutsch ostdeutsch westdeutsch \\p{L}{3,}isch',
  )})(?:e|er|es|en|em)$`,
  'u',
)
/** First words of towns: "Bad Aibling", "New York". */
const townStarts = new Set(
  'bad sankt st new san santa são los las neu rio tel sri costa puerto saint mont port'.split(' '),
)
const rivers = new Set(
  'main oder rhein neckar donau ruhr saale havel spree weser elbe lahn inn mosel tauber'.split(' '),
)
const wordsMax = 5

export function shapeAt(tokens: readonly Token[], at: number): Token[] {
  const token = tokens[at]
  if (token?.isCapital !== true) return []
  for (const length of [
    companyLength(tokens, at),
    pairLength(tokens, at),
    titleLength(tokens, at),
    townLength(tokens, at),
    houseLength(tokens, at),
    isNamedByTwo(token, tokens[at + 1]) ? 2 : 0,
  ]) {
    if (length > 0) return tokens.slice(at, at + length)
  }
  return []
}

/** Follows a word after a space, has a capital letter, and may be part of a name. */
function follows(token: Token | undefined): token is Token {
  return token?.isJoined === true && !token.isFirst && token.isCapital && !isPlain(token)
}

/** A company form ends its name, whatever words precede it. */
function companyLength(tokens: readonly Token[], at: number): number {
  if (isGermanWord(tokens[at] as Token)) return 0
  for (let end = at + 1; end < at + wordsMax; end++) {
    const token = tokens[end]
    if (token?.isJoined !== true || token.isFirst || !token.isCapital) return 0
    if (companyForms.has(token.lower)) return companyEnd(tokens, end + 1) - at
  }
  return 0
}

/** After "& Co. KG" and its like. */
function companyEnd(tokens: readonly Token[], from: number): number {
  let end = from
  for (let token = tokens[end]; token?.isJoined === true; token = tokens[end]) {
    if (token.lower !== 'co' && !companyForms.has(token.lower)) break
    end++
  }
  return end
}

/** Whether `&` is between them. */
export function isPaired(one: Token | undefined, other: Token): boolean {
  return one !== undefined && other.isJoined && other.start - one.end === ' & '.length
}

/** "Engel & Völkers", and not "Kaffee & Kuchen". */
function pairLength(tokens: readonly Token[], at: number): number {
  const [one, other] = [tokens[at], tokens[at + 1]]
  if (one === undefined || isPlain(one) || !follows(other)) return 0
  if (!isPaired(one, other)) return 0
  return [one, other].some((token) => isSurname(token) || !isGermanNoun(token)) ? 2 : 0
}

/** English titles, as of works and bands: "Element of Crime". */
function titleLength(tokens: readonly Token[], at: number): number {
  const of = tokens[at + 1]
  if (of?.isJoined !== true || of.lower !== 'of') return 0
  const the = tokens[at + 2]?.lower === 'the' ? 1 : 0
  return follows(tokens[at + 2 + the]) ? 3 + the : 0
}

function townLength(tokens: readonly Token[], at: number): number {
  const [start, next] = [tokens[at], tokens[at + 1]]
  if (start === undefined || !follows(next)) return townWithRiver(tokens, at)
  if (!townStarts.has(start.lower) || isGiven(next) || isTitle(next)) return 0
  if (start.lower === 'bad' && !isNoun(next)) return 2
  return isListed(next) || !isGermanNoun(next) ? 2 : 0
}

/** "Frankfurt am Main", "Rothenburg ob der Tauber". */
function townWithRiver(tokens: readonly Token[], at: number): number {
  const town = tokens[at]
  if (town === undefined || !isListed(town)) return 0
  const words = tokens.slice(at + 1, at + 4).map(({ lower }) => lower)
  const length = words[0] === 'am' ? 2 : /^(?:an|ob) der$/.test(words.slice(0, 2).join(' ')) ? 3 : 0
  return length > 0 && rivers.has(words[length - 1] ?? '') ? length + 1 : 0
}

function houseLength(tokens: readonly Token[], at: number): number {
  const next = tokens[at + 1]
  if (!houses.test(tokens[at]?.lower ?? '') || !follows(next) || isTitle(next)) return 0
  let end = at + 2
  const isNamed = namedBy.has(next.lower) || nameAdjectives.test(next.lower)
  for (let token = tokens[end]; follows(token) && end < at + wordsMax; token = tokens[end]) {
    if (!isNamed && isGermanNoun(token) && !isSurname(token)) break
    end++
  }
  return end - at
}

function isNamedByTwo(one: Token, other: Token | undefined): boolean {
  if (!follows(other) || isGiven(one) || isTitle(one)) return false
  if (!one.isFirst && nameAdjectives.test(one.lower) && isGermanNoun(other)) return true
  if (isPlain(one)) return false
  if (institutions.test(other.lower) && !isGermanWord(one)) {
    if (isMarked(one) || !isGermanNoun(one) || (!one.isFirst && isWhole(other))) return true
  }
  if (!landmarks.test(other.lower) || !ofPlace.test(one.lower)) return false
  return isOfTown(one) || (!one.isFirst && (/sche.$/.test(one.lower) || !isGermanNoun(one)))
}

/** A general word, such as "Gruppe". */
function isWhole({ lower }: Token): boolean {
  return /^(?:krankenkasse|ersatzkasse|sparkasse|volksbank|stadtwerke)$/.test(lower)
}

/** "Kölner", "Bremer", "Dresdner". */
function isOfTown(token: Token): boolean {
  const stem = token.lower.replace(/er$/, '')
  return [stem, `${stem}en`, `${stem}e`, stem.replace(/n$/, 'en')].some((lower) =>
    isListed({ ...token, lower }),
  )
}
