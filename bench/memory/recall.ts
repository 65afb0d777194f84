// Question: what does recall cost in a graph of 100,000 memories, by how frequent the most frequent
// word of a question is, and does it cost more than in one of 1,000 where the words are equally
// frequent? Bars: p95 of 10 ms up to the words of rank 100, a snapshot of 50 ms, and 3x.
// Method: questions of three words that stand side by side in one text, asked by the bus of this
// process in turns; the least of five counts, because the machine is shared.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/base/clock.js'
import { CommandRoom } from '../../test/support/command-room.js'
import { seededRandom } from '../../test/support/seeded-random.js'
import { openBenchStore, settled } from '../support/bench-store.js'
import { type Figure, median, percentile, plain } from '../support/figure.js'
import { type BenchMemory, benchMemories } from './texts.js'

const large = 100_000
const small = 1_000
const ranks = [0, 10, 100, 1_000]
const questionsPerRank = 50
const rounds = 5
const wordsOfQuestion = 3
const writtenAtOnce = 500
const snapshotsAsked = 25
/** Document frequencies that both graphs have. */
const equalFrequencies = [20, 50, 100, 200]

export async function memoryRecall(): Promise<Figure[]> {
  const graphs = [await BenchGraph.fill(small), await BenchGraph.fill(large)] as const
  try {
    const [few, many] = graphs
    const figures: Figure[] = []
    for (const rank of ranks) figures.push(...(await rankFigures(many, rank)))
    for (const frequency of equalFrequencies) {
      figures.push(await growthFigure(few, many, frequency))
    }
    const snapshots: number[] = []
    for (let i = 0; i < snapshotsAsked; i++)
      snapshots.push((await costOf(() => many.snapshot())).ms)
    figures.push(plain(`memory: snapshot of ${large} memories, median`, median(snapshots), 'ms'))
    return figures
  } finally {
    for (const graph of graphs) await graph.close()
  }
}

async function rankFigures(graph: BenchGraph, rank: number): Promise<Figure[]> {
  const costs = await askedAll(graph, graph.questionsAt(rank))
  const frequency = graph.frequencyAt(rank)
  const name = `memory: recall, words from rank ${rank || 'worst'} on (in ${frequency})`
  const times = costs.map(({ ms }) => ms)
  const processor = costs.map(({ processorMs }) => processorMs)
  return [
    plain(`${name}, median`, median(times), 'ms'),
    plain(`${name}, p95`, percentile(times, 0.95), 'ms'),
    plain(`${name}, p95 of processor time`, percentile(processor, 0.95), 'ms'),
  ]
}

async function growthFigure(few: BenchGraph, many: BenchGraph, frequency: number): Promise<Figure> {
  const medianOf = async (graph: BenchGraph): Promise<number> => {
    const costs = await askedAll(graph, graph.wordsOf(frequency))
    return median(costs.map(({ ms }) => ms))
  }
  const [ours, peer] = [await medianOf(many), await medianOf(few)]
  const name = `memory: words in ${frequency}, ${large} beside ${small} memories`
  return { name, unit: 'ms', ours, peer, ratio: ours / peer }
}

interface Cost {
  readonly ms: number
  /** Of all threads of this process: what is left of it on a machine that others use too. */
  readonly processorMs: number
}

/** The least that each question cost. */
async function askedAll(graph: BenchGraph, questions: readonly string[]): Promise<Cost[]> {
  const least: Cost[] = []
  for (let round = 0; round < rounds; round++) {
    for (const [i, question] of questions.entries()) {
      const { ms, processorMs } = await costOf(() => graph.ask(question))
      const before = least[i] ?? { ms, processorMs }
      least[i] = {
        ms: Math.min(before.ms, ms),
        processorMs: Math.min(before.processorMs, processorMs),
      }
    }
  }
  return least
}

async function costOf(run: () => Promise<unknown>): Promise<Cost> {
  const used = process.cpuUsage()
  const started = performance.now()
  await run()
  const ms = performance.now() - started
  const { user, system } = process.cpuUsage(used)
  return { ms, processorMs: (user + system) / 1000 }
}

class BenchGraph {
  /** Words by how many memories have them, the most frequent first. */
  private readonly words: readonly (readonly [word: string, frequency: number])[]
  private readonly rankOf: ReadonlyMap<string, number>

  private constructor(
    private readonly room: CommandRoom,
    private readonly memories: readonly BenchMemory[],
    readonly close: () => Promise<void>,
  ) {
    this.words = frequencies(memories)
    this.rankOf = new Map(this.words.map(([word], rank) => [word, rank]))
  }

  static async fill(count: number): Promise<BenchGraph> {
    const folder = mkdtempSync(join(tmpdir(), 'sigil-memory-'))
    const store = openBenchStore(folder)
    const room = new CommandRoom(store, systemClock)
    const memories = [...benchMemories(count)]
    for (let start = 0; start < count; start += writtenAtOnce) {
      await room.run({
        rememberMemories: 'bench',
        memories: memories.slice(start, start + writtenAtOnce),
      })
    }
    await settled(store)
    return new BenchGraph(room, memories, async () => {
      await room.engine.close()
      await store.close()
      rmSync(folder, { recursive: true })
    })
  }

  ask(q: string): Promise<unknown> {
    return this.room.run({ recallMemories: 'bench', q })
  }

  snapshot(): Promise<unknown> {
    return this.room.run({ graphSnapshot: 'bench' })
  }

  frequencyAt(rank: number): number {
    return this.words[rank]?.[1] ?? 0
  }

  /** Words that so many memories have, or nearly so. */
  wordsOf(frequency: number): string[] {
    const near = this.words.map(([word, own]) => ({ word, off: Math.abs(own - frequency) }))
    near.sort((a, b) => a.off - b.off)
    return near.slice(0, questionsPerRank / 5).map(({ word }) => word)
  }

  /** Questions whose most frequent word is of that rank or a few behind it. */
  questionsAt(rank: number): string[] {
    const random = seededRandom(rank + 1)
    const questions: string[] = []
    while (questions.length < questionsPerRank) {
      const { text } = this.memories[Math.floor(random() * this.memories.length)] ?? { text: '' }
      const words = text.split(' ').filter((word) => (this.rankOf.get(word) ?? -1) >= rank)
      words.sort((a, b) => (this.rankOf.get(a) ?? 0) - (this.rankOf.get(b) ?? 0))
      const [first = ''] = words
      const isNear = (this.rankOf.get(first) ?? 0) <= rank + Math.max(2, rank / 5)
      if (isNear && words.length >= wordsOfQuestion) {
        questions.push(words.slice(0, wordsOfQuestion).join(' '))
      }
    }
    return questions
  }
}

function frequencies(memories: readonly BenchMemory[]): (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const { text } of memories) {
    for (const word of new Set(text.split(' '))) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return [...counts].sort((a, b) => b[1] - a[1])
}
