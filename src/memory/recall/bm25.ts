// BM25, exactly: score = Σ idf · tf·(k1+1) / (tf + k1·(1 − b + b·length/average)) over the terms of
// a question, idf = ln(1 + (N − df + 0.5) / (df + 0.5)), which is never negative.

import type { Totals } from '../postings/totals.js'

export interface Bm25Parameters {
  readonly k1: number
  readonly b: number
}

export const bm25Defaults: Bm25Parameters = { k1: 1.2, b: 0.75 }

/** Values of the formula over all memories. */
export interface Corpus {
  readonly memories: number
  /** Average length of a memory, in terms. */
  readonly averageLength: number
}

/** The memories that a question searches: active ones, or superseded ones too. */
export function corpusOf(totals: Totals, withSuperseded: boolean): Corpus {
  const memories = totals.memories - (withSuperseded ? 0 : totals.superseded)
  const length = totals.length - (withSuperseded ? 0 : totals.supersededLength)
  return { memories, averageLength: length === 0 ? 1 : length / memories }
}

/** Inverse document frequency of a term in `frequency` memories. */
export function idf({ memories }: Corpus, frequency: number): number {
  return Math.log(1 + (memories - frequency + 0.5) / (frequency + 0.5))
}

/** The formula for one term. */
export class TermWeight {
  private readonly factor: number
  private readonly base: number
  private readonly perTerm: number

  constructor(corpus: Corpus, { k1, b }: Bm25Parameters, frequency: number) {
    this.factor = idf(corpus, frequency) * (k1 + 1)
    this.base = k1 * (1 - b)
    this.perTerm = (k1 * b) / corpus.averageLength
  }

  /** The score of `count` occurrences in a memory of `length` terms. */
  score(count: number, length: number): number {
    return (this.factor * count) / (count + this.base + this.perTerm * length)
  }
}
