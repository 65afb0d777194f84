// Texts for benches of graph memory: words by Zipf's law as in chats, some names, and conversations
// whose memories follow each other.

import { seededRandom } from '../../test/support/seeded-random.js'

export interface BenchMemory {
  readonly text: string
  readonly source: { readonly ref: string }
}

const wordsInAll = 30_000
const wordsOfText = 16
/** How much rarer the most frequent words are than by Zipf's law, as without stop words. */
const flattening = 6
const namesInAll = 500
const shareWithName = 1 / 3
const memoriesOfConversation = 20

/** `count` memories, the same in every run. */
export function* benchMemories(count: number): Generator<BenchMemory> {
  const random = seededRandom(11)
  const pick = zipf(random)
  for (let i = 0; i < count; i++) {
    const words = Array.from({ length: wordsOfText }, () => wordOf(pick()))
    if (random() < shareWithName) words.push(`with ${nameOf(Math.floor(random() * namesInAll))}`)
    yield {
      text: words.join(' '),
      source: { ref: `talk-${Math.floor(i / memoriesOfConversation)}` },
    }
  }
}

const syllables = ['ba', 'ko', 'mu', 'ti', 'ra', 'lo', 'ne', 'vi', 'du', 'pa']

/** Four syllables tell ten thousand words apart, five a hundred thousand. */
function wordOf(n: number): string {
  let word = ''
  for (let rest = n + 10_000; rest > 0; rest = Math.floor(rest / 10)) word += syllables[rest % 10]
  return word
}

function nameOf(n: number): string {
  const word = wordOf(n)
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}ton`
}

function zipf(random: () => number): () => number {
  const sums = new Float64Array(wordsInAll)
  let sum = 0
  for (let rank = 0; rank < wordsInAll; rank++) {
    sum += 1 / (rank + flattening)
    sums[rank] = sum
  }
  return () => {
    const at = random() * sum
    let low = 0
    let high = wordsInAll - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] ?? 0) < at) low = middle + 1
      else high = middle
    }
    return low
  }
}
