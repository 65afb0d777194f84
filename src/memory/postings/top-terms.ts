// What a memory is about, next to the others of its graph: those of its terms that it has often and
// few others have. Told to the writer, to show which words will find the memory.
// (docs/memory.md, "What is kept")

import { keywordsShown } from '../../base/limits.js'

/**
 * The best by tf·idf, as BM25 reckons idf; equal ones in the order of the text. `frequencies` are
 * those of the terms in their order, in a graph of so many memories.
 */
export function topTerms(
  counts: ReadonlyMap<string, number>,
  frequencies: readonly number[],
  memories: number,
): string[] {
  const weighed: { readonly term: string; readonly weight: number }[] = []
  for (const [term, count] of counts) {
    const rarity = rarityOf(frequencies[weighed.length] ?? 0, memories)
    weighed.push({ term, weight: count * rarity })
  }
  weighed.sort((a, b) => b.weight - a.weight)
  return weighed.slice(0, keywordsShown).map(({ term }) => term)
}

function rarityOf(frequency: number, memories: number): number {
  const others = Math.max(0, memories - frequency)
  return Math.log(1 + (others + 0.5) / (frequency + 0.5))
}
