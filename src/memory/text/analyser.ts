// Analyses a text to counted terms. Memories and questions use the same steps, and postings depend
// on them, so a change of a step must increase `analyserVersion`. A graph stores the version of its
// postings.

import { createHash } from 'node:crypto'
import { termsMax, termUnitsMax } from '../../base/limits/memory.js'
import { bareForm } from './bare-form.js'
import { bigramsOf, isLeftToBigrams } from './bigrams.js'
import { partsOf } from './identifier.js'
import { stem } from './stem.js'
import { stopWords } from './stop-words.js'
import { wordsOf } from './words.js'

export const analyserVersion = 2

interface Analysis {
  /** Count of each term, in the order of first occurrence. */
  readonly terms: ReadonlyMap<string, number>
  /** Sum of these counts. */
  readonly length: number
}

/** Hexadecimal digits of the hash at the end of a long term. */
const hashChars = 16

/** The terms of a text. A text of stop words only keeps them, or nothing would find it. */
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

/** A word is also found by its form without accents: a reader's keyboard may lack them. */
function addTerm(counter: TermCounter, word: string): void {
  counter.add(termOf(word))
  const bare = bareForm(word)
  if (bare !== word) counter.add(termOf(bare))
}

function termOf(word: string): string {
  const lower = word.toLowerCase()
  // Greek has another sigma at the end of a word, which capital letters do not distinguish.
  return shortened(/^[a-z]+$/.test(lower) ? stem(lower) : lower.replaceAll('ς', 'σ'))
}

/** A term is part of a key: the end of a long one is replaced by a hash of the whole. */
function shortened(word: string): string {
  if (word.length <= termUnitsMax) return word
  const hash = createHash('sha256').update(word).digest('hex').slice(0, hashChars)
  const kept = word.slice(0, termUnitsMax - hashChars - 1).replace(/[\ud800-\udbff]$/, '')
  return `${kept}~${hash}`
}

class TermCounter implements Analysis {
  readonly terms = new Map<string, number>()
  length = 0

  /** Terms above the bound are not counted. */
  add(term: string): void {
    const count = this.terms.get(term)
    if (count === undefined && this.terms.size === termsMax) return
    this.terms.set(term, (count ?? 0) + 1)
    this.length++
  }
}
