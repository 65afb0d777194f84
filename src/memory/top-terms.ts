// What a memory is about, next to the others of its graph: those of its terms that it has often and
// few others have. Told to whoever writes it, so that it can be seen what it will be found by.
// (facts: memory-dashboard A3, extraction, rule 5)

import { keywordsShown } from '../base/limits.js'
import type { Namespace } from '../engine/types.js'
import type { Program, ReadTx } from '../store/store.js'
import { documentAt, readTerm, termKey } from './term-documents.js'
import { totalsOf } from './totals.js'

/** Document frequencies as a program's memories find them, each looked up once. */
export class TermFrequencies {
  private readonly known = new Map<string, number>()
  private memories: number | undefined

  constructor(
    private readonly tx: ReadTx,
    private readonly terms: Namespace,
  ) {}

  /** The best by tf·idf, as BM25 reckons idf; equal ones in the order of the text. */
  *topOf(counts: ReadonlyMap<string, number>): Program<string[]> {
    this.memories ??= (yield* totalsOf(this.tx, this.terms)).memories
    const weighed: { readonly term: string; readonly weight: number }[] = []
    for (const [term, count] of counts) {
      const rarity = rarityOf(yield* this.of(term), this.memories)
      weighed.push({ term, weight: count * rarity })
    }
    weighed.sort((a, b) => b.weight - a.weight)
    return weighed.slice(0, keywordsShown).map(({ term }) => term)
  }

  private *of(term: string): Program<number> {
    const known = this.known.get(term)
    if (known !== undefined) return known
    const document = yield* documentAt(this.tx, this.terms, termKey(this.terms, term))
    const { count } = readTerm(document)
    this.known.set(term, count)
    return count
  }
}

function rarityOf(frequency: number, memories: number): number {
  const others = Math.max(0, memories - frequency)
  return Math.log(1 + (others + 0.5) / (frequency + 0.5))
}
