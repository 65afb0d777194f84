// Question: how much of what answers a question is among the first k memories, beside minisearch
// with the same analyser? No model judges. Bars: at least equal by the text alone, better with what
// neighbours share. The data is read from a path: `npm run bench -- memory-quality --data PATH`.
// Method: minisearch as it comes; a graph for each conversation, a memory for each turn; recall@k is
// the share of a question's evidence among the first k, and the mean of that over all questions.

import MiniSearch from 'minisearch'
import { systemClock } from '../../src/base/clock.js'
import { analyse } from '../../src/memory/text/analyser.js'
import { openMemoryStore } from '../../src/store/memory.js'
import { CommandRoom, type Reply } from '../../test/support/command-room.js'
import type { Figure } from '../support/figure.js'
import { type Conversation, type Question, readConversations } from './locomo.js'

const writtenAtOnce = 500
const cuts = [1, 5, 10, 20] as const
const most = 20
/** Parameters of the ranking; those of minisearch are for short texts as they come. */
const forShortTexts = { k1: 0.4, b: 0.4 }

/** Ids of turns, best first. */
type Search = (question: string) => Promise<readonly string[]>

const settings: readonly (readonly [name: string, args: Reply])[] = [
  ['q', { hops: 0 }],
  ['q, neighbours 0.2', { neighbours: 0.2 }],
  ['q, neighbours 0.3', { neighbours: 0.3 }],
  ['q, neighbours 0.4', { neighbours: 0.4 }],
]

export async function memoryQuality(path: string): Promise<Figure[]> {
  const ours = settings.map(() => new Shares())
  const peer = new Shares()
  for (const conversation of readConversations(path)) {
    await ask(conversation, peer, searchOfPeer(conversation))
    const room = new CommandRoom(openMemoryStore(systemClock), systemClock)
    const turnOf = await remember(room, conversation)
    await room.run({ setGraph: 'talk', ...forShortTexts })
    for (const [i, [, args]] of settings.entries()) {
      await ask(conversation, ours[i] ?? new Shares(), async (q) => {
        const found = await room.run({ recallMemories: 'talk', q, limit: most, ...args })
        return found.memories.map(({ id }: Reply) => turnOf.get(id))
      })
    }
    await room.engine.close()
    await room.store.close()
  }
  return settings.flatMap(([name], i) => figuresOf(name, ours[i] ?? new Shares(), peer))
}

function figuresOf(name: string, ours: Shares, peer: Shares): Figure[] {
  return cuts.map((k) => {
    const [our, their] = [ours.recallAt(k), peer.recallAt(k)]
    const label = `memory: recall@${k} of ${ours.asked} questions, ${name}`
    return { name: label, unit: '%', ours: our, peer: their, ratio: our / their }
  })
}

async function ask(conversation: Conversation, shares: Shares, search: Search): Promise<void> {
  for (const question of conversation.questions) {
    shares.note(question, await search(question.text))
  }
}

/** Turns by the ids of their memories. */
async function remember(room: CommandRoom, { turns }: Conversation): Promise<Map<string, string>> {
  const turnOf = new Map<string, string>()
  for (let start = 0; start < turns.length; start += writtenAtOnce) {
    const page = turns.slice(start, start + writtenAtOnce)
    const memories = page.map(({ text, session }) => ({ text, source: { ref: session } }))
    const { results } = await room.run({ rememberMemories: 'talk', memories })
    for (const [i, { id }] of results.entries()) turnOf.set(id, page[i]?.id ?? '')
  }
  return turnOf
}

function searchOfPeer({ turns }: Conversation): Search {
  const index = new MiniSearch({
    fields: ['text'],
    tokenize: (text) => [...analyse(text).terms].flatMap(([term, n]) => new Array(n).fill(term)),
    processTerm: (term) => term,
  })
  index.addAll(turns)
  return async (question) => index.search(question).map(({ id }) => String(id))
}

/** What was found of what was asked for. */
class Shares {
  asked = 0
  private readonly sums = new Map<number, number>()

  note({ evidence }: Question, found: readonly string[]): void {
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
