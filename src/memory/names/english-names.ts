// Finds names in an English text: runs of capitalised words, without titles before names, and
// without a first word of a sentence that is capitalised only for its position.
// (docs/memory.md, "What is kept")

import { stopWords } from '../text/stop-words.js'
import { languageWords } from './plain-words.js'
import { isInitial, type Token } from './tokens.js'
import {
  isEnglishWord,
  isGiven,
  isListed,
  isMarked,
  isPlain,
  isSurname,
  isTitle,
  isTool,
} from './word-kinds.js'

/** Between two capitalised words these are parts of a name. */
const particles = new Set([
  'de',
  'da',
  'di',
  'del',
  'della',
  'dos',
  'van',
  'von',
  'der',
  'bin',
  'al',
  'la',
])
/** Words before `of` and a capitalised word. */
const beforeOf = new Set(
  (
    'bank university ministry department house museum church institute isle gulf cape ' +
    'city school bay lord'
  ).split(' '),
)
/** Verbs that only follow names, at the start of a sentence. */
const acts = new Set(
  (
    'said says told asked asks wants wanted prefers hates loves likes thinks believes ' +
    'lent agreed promised suggested offered mentioned owns joined quit resigned lives ' +
    'plays married wrote texted emailed reviewed presented is was has had will can ' +
    'cannot does did would should must lost ran got left made went came took gave ' +
    'sent paid found kept met brought bought from owes needs plans keeps works speaks ' +
    'drives runs studies moved started finished left agrees disagrees insists refuses ' +
    'refused insisted complained complains rejected approved fixed broke forgot ' +
    'remembers forgets knows teaches taught learned learns borrowed returned booked ' +
    'ordered cancelled called calls sends writes wears eats drinks smokes cooks bakes ' +
    'sings travels sleeps snores may might won ate drove flew paints studied worked'
  ).split(' '),
)
/** Names that begin with an article, even at the start of a sentence. */
const withThe = new Set(
  (
    'guardian times economist telegraph independent observer atlantic hague bronx ritz ' +
    'savoy shard'
  ).split(' '),
)
const wordsMax = 6

export function* englishNames(tokens: readonly Token[]): Generator<Token[]> {
  for (let i = 0; i < tokens.length; ) {
    const run = runFrom(tokens, i)
    if (run.length === 0) {
      i++
      continue
    }
    const kept = keptOf(run, tokens, i)
    if (kept.length > 0 && !isFeast(kept)) yield withPossessive(kept, tokens[i + run.length])
    i += run.length
  }
}

/** "New Year", "Boxing Day": part of the calendar. */
function isFeast(run: readonly Token[]): boolean {
  return run.length > 1 && /^(?:day|eve|year|weekend|holiday)$/.test(run.at(-1)?.lower ?? '')
}

/**
 * "at Nando's is": without an owned thing the possessive is part of the name, unless of a person.
 */
function withPossessive(run: Token[], next: Token | undefined): Token[] {
  const last = run.at(-1)
  if (last?.hadPossessive !== true || run.some(isGiven)) return run
  if (next?.isJoined === true && !stopWords.has(next.lower)) return run
  return [...run.slice(0, -1), { ...last, end: last.end + "'s".length }]
}

/** Adjacent capitalised words, and the words that join them. */
function runFrom(tokens: readonly Token[], from: number): Token[] {
  const first = tokens[from]
  const second = tokens[from + 1]
  if (first === undefined) return []
  if (isTool(first)) return [first]
  const isThe = first.word === 'The' && second?.isJoined === true
  const isNamed = isThe && (!first.isFirst || withThe.has(second.lower)) && isPart(second)
  if (!isNamed && !isPart(first) && !isNation(first, second)) return []
  const run = [first]
  while (run.length < wordsMax && run.at(-1)?.hadPossessive !== true) {
    const next = tokens[from + run.length]
    const after = tokens[from + run.length + 1]
    if (next?.isJoined !== true || next.isFirst) break
    if (isPart(next)) run.push(next)
    else if (isInitial(tokens, from + run.length) && after !== undefined) run.push(next, after)
    else if (joins(run, next) && after?.isJoined === true && isPart(after)) run.push(next, after)
    else break
  }
  const last = run.at(-1)
  const owned = last === undefined ? undefined : tokens[from + run.length]
  // "Rosa's Bakery" is one name, "Carla's place" is not.
  if (last?.hadPossessive === true && owned?.isCapital === true && isPart(owned))
    return [...run, owned]
  return run
}

function joins(run: readonly Token[], { lower }: Token): boolean {
  if (lower === 'of') return beforeOf.has(run.at(-1)?.lower ?? '')
  return particles.has(lower)
}

/** "British Rail": here the nationality is part of a name. */
function isNation(token: Token, next: Token | undefined): boolean {
  if (!languageWords.has(token.lower) || token.isFirst || !token.isCapital) return false
  return next?.isJoined === true && !next.isFirst && next.isCapital && isPart(next)
}

function isPart(token: Token): boolean {
  if (!token.isCapital && !isMarked(token)) return false
  return !(isPlain(token) || isTitle(token) || stopWords.has(token.lower)) || isTitled(token)
}

/** "St." is part of the name of a place. */
function isTitled({ word }: Token): boolean {
  return word === 'St'
}

function keptOf(run: Token[], tokens: readonly Token[], at: number): Token[] {
  const [first, second] = run
  if (first === undefined) return []
  if (!first.isFirst || isMarked(first) || isTool(first)) return run
  if (first.word === 'The') return run
  const isKnown = isGiven(first) || isListed(first)
  if (second === undefined) {
    if (isKnown && !isEnglishWord(first)) return run
    const next = tokens[at + 1]?.lower ?? ''
    if ((acts.has(next) || /[^e]ed$/.test(next)) && !isEnglishWord(first)) return run
    if (next === 'and' && tokens[at + 2]?.isCapital === true && !isEnglishWord(first)) return run
    if (tokens[at + 1]?.isCapital === true && !isEnglishWord(first)) return run
    return isRepeated(first, tokens) && !isEnglishWord(first) ? run : []
  }
  if (isKnown && (isSurname(second) || !isEnglishWord(second))) return run
  if (isEnglishWord(first) && (isGiven(second) || !isEnglishWord(second))) {
    return run.length === 2 && isPlaceName(run) ? run : run.slice(1)
  }
  return !isKnown && isGiven(second) ? run.slice(1) : run
}

/** The next word tells its kind: "Baker Street", "Green Party". */
function isPlaceName(run: readonly Token[]): boolean {
  const last = run.at(-1)?.lower ?? ''
  return /^(?:street|road|avenue|lane|square|park|station|bridge|airport|corp|inc|ltd|bank)$/.test(
    last,
  )
}

/** It is also capitalised inside a sentence. */
function isRepeated({ word }: Token, tokens: readonly Token[]): boolean {
  return tokens.some((other) => other.word === word && !other.isFirst)
}
