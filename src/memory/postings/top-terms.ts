// The keywords of a memory: terms that are frequent in it and rare in its graph. The writer sees
// which words will find the memory. (docs/memory.md, "What is kept")

import { keywordsShown } from '../../base/limits/memory.js'

/**
 * The best by tf·idf, with BM25's idf; equal ones in text order. `frequencies` are those of the
 * terms, in their order, in a graph of `memories` memories.
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
