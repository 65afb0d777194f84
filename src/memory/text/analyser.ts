// What a text is found by: its terms, counted. Memories and questions go through the same steps,
// and postings are kept by them, so that a change of a step must increase `analyserVersion`:
// a graph remembers the version that its postings are of.

import { createHash } from 'node:crypto'
import { termsMax, termUnitsMax } from '../../base/limits.js'
import { bareForm } from './bare-form.js'
import { bigramsOf, isLeftToBigrams } from './bigrams.js'
import { partsOf } from './identifier.js'
import { stem } from './stem.js'
import { stopWords } from './stop-words.js'
import { wordsOf } from './words.js'

export const analyserVersion = 2

interface Analysis {
  /** How often each term occurs, in the order of their first occurrence. */
  readonly terms: ReadonlyMap<string, number>
  /** Occurrences of all of them. */
  readonly length: number
}

/** Hexadecimal digits that stand for the rest of a long term. */
const hashChars = 16

/** The terms of a text. One of stop words alone keeps them, or nothing would find it. */
export function analyse(text: string): Analysis {
  const composed = text.normalize('NFKC')
  const words = wordsOf(composed)
  const counter = new TermCounter()
  for (const word of words) addWord(counter, word)
  for (const bigram of bigramsOf(composed)) counter.add(bigram)
  if (counter.length === 0) for (const word of words) counter.add(termOf(word))
  return counter
}

function addWord(counter: TermCounter, written: string): void {
  if (isLeftToBigrams(written)) return
  const word = written.replace(/[\u2018\u2019]/g, "'").replace(/'s$/i, '')
  if (stopWords.has(word.toLowerCase())) return
  addTerm(counter, word)
  for (const part of partsOf(word)) if (!stopWords.has(part.toLowerCase())) addTerm(counter, part)
}

/** A word is also found by its bare form: who asks may have no key for accents. */
function addTerm(counter: TermCounter, word: string): void {
  counter.add(termOf(word))
  const bare = bareForm(word)
  if (bare !== word) counter.add(termOf(bare))
}

function termOf(word: string): string {
  const lower = word.toLowerCase()
  // Greek has another sigma at the end of a word, which capital letters do not tell.
  return shortened(/^[a-z]+$/.test(lower) ? stem(lower) : lower.replaceAll('ς', 'σ'))
}

/** A term is part of a key: of a long one the end is replaced by a hash of the whole. */
function shortened(word: string): string {
  if (word.length <= termUnitsMax) return word
  const hash = createHash('sha256').update(word).digest('hex').slice(0, hashChars)
  const kept = word.slice(0, termUnitsMax - hashChars - 1).replace(/[\ud800-\udbff]$/, '')
  return `${kept}~${hash}`
}

class TermCounter implements Analysis {
  readonly terms = new Map<string, number>()
  length = 0

  /** Terms beyond the bound are not counted at all. */
  add(term: string): void {
    const count = this.terms.get(term)
    if (count === undefined && this.terms.size === termsMax) return
    this.terms.set(term, (count ?? 0) + 1)
    this.length++
  }
}
