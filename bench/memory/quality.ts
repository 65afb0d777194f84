// Question: how much of what answers a question is among the first k memories, beside minisearch
// with the same analyser? No model judges. Bars: at least equal by the text alone, better with what
// neighbours share. The data is read from a path: `npm run bench -- memory-quality --data PATH`.
// Method: minisearch as it comes; a graph for each conversation, a memory for each turn; recall@k
// is the share of a question's evidence among the first k, the mean of that over all questions.

import MiniSearch from 'minisearch'
import { systemClock } from '../../src/base/clock.js'
import { type Bm25Parameters, bm25Defaults } from '../../src/memory/recall/bm25.js'
import { analyse } from '../../src/memory/text/analyser.js'
import { openMemoryStore } from '../../src/store/memory.js'
import { CommandRoom, type Reply } from '../../test/support/command-room.js'
import type { Figure } from '../support/figure.js'
import { type Conversation, type Question, readConversations } from './locomo.js'

const writtenAtOnce = 500
const cuts = [1, 5, 10, 20] as const
const most = 20

/**
 * Of a graph with default settings; for talks (docs/memory.md, "Recall, exactly"); and what fits
 * LoCoMo itself.
 */
const parameters: readonly Bm25Parameters[] = [
  bm25Defaults,
  { k1: 0.9, b: 0.4 },
  { k1: 0.4, b: 0.2 },
]

/** Of recallMemories. */
const settings: readonly (readonly [name: string, args: Reply])[] = [
  ['q', { hops: 0 }],
  ['q, neighbours 0.2', { neighbours: 0.2 }],
  ['q, neighbours 0.3', { neighbours: 0.3 }],
  ['q, neighbours 0.4', { neighbours: 0.4 }],
]

/** Ids of turns, best first. */
type Search = (question: string) => Promise<readonly string[]>

export async function memoryQuality(path: string): Promise<Figure[]> {
  const peer = new Shares()
  const ours = new Map<string, Shares>()
  const ask = async (name: string, { questions }: Conversation, search: Search): Promise<void> => {
    const shares = ours.get(name) ?? new Shares()
    ours.set(name, shares)
    await shares.askAll(questions, search)
  }
  for (const conversation of readConversations(path)) {
    await peer.askAll(conversation.questions, searchOfPeer(conversation))
    const graph = await GraphOfTalk.of(conversation)
    for (const { k1, b } of parameters) {
      await graph.choose({ k1, b })
      for (const [name, args] of settings) {
        await ask(`${name}, k1 ${k1}, b ${b}`, conversation, graph.search(args))
      }
      const same = searchOfPeer(conversation, { k1, b })
      await ask(`minisearch, k1 ${k1}, b ${b}`, conversation, same)
    }
    await graph.close()
  }
  return [...ours].flatMap(([name, shares]) => figuresOf(name, shares, peer))
}

function figuresOf(name: string, shares: Shares, peer: Shares): Figure[] {
  return cuts.map((k) => {
    const [ours, theirs] = [shares.recallAt(k), peer.recallAt(k)]
    const label = `memory: recall@${k} of ${shares.asked} questions, ${name}`
    return { name: label, unit: '%', ours, peer: theirs, ratio: ours / theirs }
  })
}

/** A conversation as memories. */
class GraphOfTalk {
  private readonly room = new CommandRoom(openMemoryStore(systemClock), systemClock)
  /** Turns by the ids of their memories. */
  private readonly turnOf = new Map<string, string>()

  static async of({ turns }: Conversation): Promise<GraphOfTalk> {
    const graph = new GraphOfTalk()
    for (let start = 0; start < turns.length; start += writtenAtOnce) {
      const page = turns.slice(start, start + writtenAtOnce)
      const memories = page.map(({ text, session }) => ({ text, source: { ref: session } }))
      const { results } = await graph.room.run({ rememberMemories: 'talk', memories })
      for (const [i, { id }] of results.entries()) graph.turnOf.set(id, page[i]?.id ?? '')
    }
    return graph
  }

  async choose(parameters: Bm25Parameters): Promise<void> {
    await this.room.run({ setGraph: 'talk', ...parameters })
  }

  search(args: Reply): Search {
    return async (q) => {
      const found = await this.room.run({ recallMemories: 'talk', q, limit: most, ...args })
      return found.memories.map(({ id }: Reply) => this.turnOf.get(id))
    }
  }

  async close(): Promise<void> {
    await this.room.engine.close()
    await this.room.store.close()
  }
}

/**
 * As it comes it is BM25+ (k 1.2, b 0.7, delta 0.5). With our parameters and no delta its own are
 * still: a text's length is how many different terms it has, and a score is multiplied by how many
 * terms of the question are in the text.
 */
function searchOfPeer({ turns }: Conversation, parameters?: Bm25Parameters): Search {
  const index = new MiniSearch({
    fields: ['text'],
    tokenize: (text) => [...analyse(text).terms].flatMap(([term, n]) => new Array(n).fill(term)),
    processTerm: (term) => term,
    ...(parameters === undefined
      ? {}
      : { searchOptions: { bm25: { k: parameters.k1, b: parameters.b, d: 0 } } }),
  })
  index.addAll(turns)
  return async (question) => index.search(question).map(({ id }) => String(id))
}

/** What was found of what was asked for. */
class Shares {
  asked = 0
  private readonly sums = new Map<number, number>()

  async askAll(questions: readonly Question[], search: Search): Promise<void> {
    for (const question of questions) this.note(question, await search(question.text))
  }

  private note({ evidence }: Question, found: readonly string[]): void {
    this.asked++
    for (const k of cuts) {
      const first = found.slice(0, k)
      const share = evidence.filter((id) => first.includes(id)).length / evidence.length
      this.sums.set(k, (this.sums.get(k) ?? 0) + share)
    }
  }

  /** Percent. */
  recallAt(k: number): number {
    return (100 * (this.sums.get(k) ?? 0)) / this.asked
  }
}
