// BM25 by its golden vectors. Those were computed by another program from the formula alone.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { type Bm25Parameters, corpusOf, idf, TermWeight } from '../../../src/memory/recall/bm25.js'
import { rounded } from '../../../src/memory/recall/ranking.js'

interface Vector extends Bm25Parameters {
  readonly name: string
  /** Terms of each memory. */
  readonly memories: readonly (readonly string[])[]
  readonly question: readonly string[]
  readonly scores: readonly number[]
}

const vectors = JSON.parse(readFileSync('protocol-fixtures/memory/bm25.json', 'utf8')) as Vector[]

t.test('scores are those of the golden vectors', async () => {
  assert.ok(vectors.length > 0)
  for (const vector of vectors) assert.deepEqual(scoresOf(vector), vector.scores, vector.name)
})

t.test('a term that all have weighs something, and less than a rare one', async () => {
  const corpus = { memories: 5, averageLength: 3 }
  assert.ok(idf(corpus, 5) > 0)
  assert.ok(idf(corpus, 1) > idf(corpus, 5))
})

t.test('superseded memories count only where they are asked for', async () => {
  const totals = { memories: 10, length: 50, superseded: 4, supersededLength: 8 }
  assert.deepEqual(corpusOf(totals, true), { memories: 10, averageLength: 5 })
  assert.deepEqual(corpusOf(totals, false), { memories: 6, averageLength: 7 })
})

function scoresOf({ memories, question, ...parameters }: Vector): number[] {
  const length = memories.flat().length
  const totals = { memories: memories.length, length, superseded: 0, supersededLength: 0 }
  const corpus = corpusOf(totals, false)
  return memories.map((terms) => {
    let score = 0
    for (const term of question) {
      const frequency = memories.filter((other) => other.includes(term)).length
      const count = terms.filter((other) => other === term).length
      const weight = new TermWeight(corpus, parameters, frequency)
      if (count > 0) score += weight.score(count, terms.length)
    }
    return rounded(score)
  })
}
