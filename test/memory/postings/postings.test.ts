// Postings against a list of memories: added in batches and out of order, removed, superseded, over
// the bounds of blocks; and the ranking of what is there against the formula over all memories.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { Graph } from '../../../src/memory/graph/graph.js'
import { PreparingPostings } from '../../../src/memory/postings/optimistic-postings.js'
import {
  compareIds,
  isMemoryId,
  packedId,
  timeAt,
  unpackId,
} from '../../../src/memory/postings/packed-id.js'
import {
  emptyBlock,
  packPosting,
  sizeOf,
  withPosting,
  withPostings,
} from '../../../src/memory/postings/posting-block.js'
import { type Posted, writePostings } from '../../../src/memory/postings/postings.js'
import {
  blockIn,
  documentAt,
  readTerm,
  termKey,
} from '../../../src/memory/postings/term-documents.js'
import { blockPostingsMax, newestPostingsMax } from '../../../src/memory/postings/term-writing.js'
import { totalsOf } from '../../../src/memory/postings/totals.js'
import { bm25Defaults, corpusOf, TermWeight } from '../../../src/memory/recall/bm25.js'
import { bestOf, compareScored, rounded, type Scored } from '../../../src/memory/recall/ranking.js'
import { PostingCursor, type WeightedTerm } from '../../../src/memory/recall/score-cursors.js'
import { idKey, idKeyEnd, keyClass } from '../../../src/store/layout.js'
import type { Program, ReadTx, Store, Tx } from '../../../src/store/store.js'
import { NotedReads } from '../../../src/store/transactions/reads.js'
import { field } from '../../../src/value/elements.js'
import { ulid } from '../../../src/value/ulid.js'
import { stringOf } from '../../../src/value/value.js'
import { addPostings, GraphRoom } from '../../support/graph-room.js'
import { runs } from '../../support/runs.js'
import { eachStore } from '../../support/stores.js'

const vocabulary = ['ant', 'bee', 'cow', 'dog']
const startMs = 1_700_000_000_000

/** What a list of memories says. */
class Model {
  readonly memories = new Map<string, Posted>()
  private made = 0

  /** `at`: how far back its time is. */
  make(at: number): Posted {
    const n = this.made++
    const random = new Uint8Array(10).map((_, i) => (n * (i + 7)) >>> (i % 3))
    const terms = new Map<string, number>()
    for (const [i, term] of vocabulary.entries()) {
      if ((n * 7 + i * i) % (i + 1) === 0) terms.set(term, 1 + (n % (i + 2)))
    }
    const length = [...terms.values()].reduce((sum, count) => sum + count, n % 5)
    return { id: `mem_${ulid(startMs + n - at, random)}`, terms, length, isSuperseded: false }
  }

  pick(n: number): Posted | undefined {
    return [...this.memories.values()][n % Math.max(1, this.memories.size)]
  }

  best(names: readonly string[], limit: number, withSuperseded: boolean): Scored[] {
    const all = [...this.memories.values()].filter((m) => withSuperseded || !m.isSuperseded)
    const length = all.reduce((sum, memory) => sum + memory.length, 0)
    const corpus = { memories: all.length, averageLength: length / all.length || 1 }
    const scored: Scored[] = []
    for (const { id, terms, length } of all) {
      let score = 0
      for (const name of names) {
        const frequency = all.filter((other) => other.terms.has(name)).length
        const count = terms.get(name) ?? 0
        const weight = new TermWeight(corpus, bm25Defaults, frequency)
        if (count > 0) score += weight.score(count, length)
      }
      if (score > 0) scored.push({ id, score: rounded(score), createdAt: timeAt(packedId(id), 0) })
    }
    return scored.sort(compareScored).slice(0, limit)
  }
}

type Change =
  | { readonly kind: 'add'; readonly count: number; readonly back: number }
  | { readonly kind: 'remove' | 'supersede' | 'restore'; readonly pick: number }

function adding(min: number, max: number): fc.Arbitrary<Change> {
  const back = fc.oneof(fc.constant(0), fc.nat(300))
  return fc.record({ kind: fc.constant('add' as const), count: fc.integer({ min, max }), back })
}

const picked = fc.record({
  kind: fc.constantFrom('remove' as const, 'supersede' as const, 'restore' as const),
  pick: fc.nat(),
})

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 2, arbitrary: adding(1, 3) },
  { weight: 2, arbitrary: adding(40, 130) },
  { weight: 6, arbitrary: picked },
)

/** One program, and what the model notes when it has been committed, however often it ran. */
interface Planned {
  write(tx: Tx): Program<void>
  note(): void
}

function plan({ terms }: Graph, model: Model, given: Change): Planned | undefined {
  const { memories } = model
  if (given.kind === 'add') {
    const made = Array.from({ length: given.count }, () => model.make(given.back))
    return {
      write: (tx) => addPostings(tx, terms, made),
      note: () => made.forEach((memory) => void memories.set(memory.id, memory)),
    }
  }
  const memory = model.pick(given.pick)
  if (memory === undefined) return undefined
  if (given.kind === 'remove') {
    return {
      write: (tx) => writePostings(tx, terms, (postings) => postings.remove(memory)),
      note: () => memories.delete(memory.id),
    }
  }
  const isSuperseded = given.kind === 'supersede'
  return {
    write: (tx) => writePostings(tx, terms, (postings) => postings.setStatus(memory, isSuperseded)),
    note: () => memories.set(memory.id, { ...memory, isSuperseded }),
  }
}

function* best(
  tx: ReadTx,
  { terms }: Graph,
  names: readonly string[],
  limit: number,
  withSuperseded: boolean,
): Program<Scored[]> {
  const corpus = corpusOf(yield* totalsOf(tx, terms), withSuperseded)
  const weighted: WeightedTerm[] = []
  for (const name of names) {
    const postings = readTerm(yield* documentAt(tx, terms, termKey(terms, name)))
    const frequency = postings.count - (withSuperseded ? 0 : postings.superseded)
    weighted.push({ name, postings, weight: new TermWeight(corpus, bm25Defaults, frequency) })
  }
  const cursors = weighted.map((term) => new PostingCursor(terms, term, withSuperseded))
  return yield* bestOf(tx, cursors, limit)
}

/** Each stored document of the terms: its `_id`, and how many postings it has. */
async function stored(store: Store, { terms }: Graph): Promise<[name: string, size: number][]> {
  const start = idKey(keyClass.record, terms.id)
  const end = idKeyEnd(keyClass.record, terms.id)
  const entries = await store.read(function* (tx) {
    return yield* tx.scan({ start, end }, 1_000)
  })
  return entries.map(({ value }) => {
    const document = value.subarray(1)
    const name = field(document, '_id')
    const hasPostings = field(document, 'p') !== undefined
    const size = hasPostings ? sizeOf(blockIn(document)) : 0
    return [name === undefined ? '' : stringOf(name), size]
  })
}

async function compare(store: Store, graph: Graph, model: Model): Promise<void> {
  for (const withSuperseded of [false, true]) {
    for (const names of [['ant'], ['dog', 'bee'], vocabulary]) {
      for (const limit of [3, 1_000]) {
        const found = await store.read((tx) => best(tx, graph, names, limit, withSuperseded))
        assert.deepEqual(found, model.best(names, limit, withSuperseded))
      }
    }
  }
}

t.test('an id is packed and unpacked, and packed ids sort as texts do', async () => {
  const random = fc.uint8Array({ minLength: 10, maxLength: 10 })
  const made = fc.record({ ms: fc.nat(2 ** 48 - 1), random })
  const property = fc.property(made, made, (one, other) => {
    const [a, b] = [`mem_${ulid(one.ms, one.random)}`, `mem_${ulid(other.ms, other.random)}`]
    assert.ok(isMemoryId(a))
    assert.equal(unpackId(packedId(a), 0), a)
    assert.equal(timeAt(packedId(a), 0), one.ms)
    const order = Buffer.compare(packedId(a), packedId(b))
    assert.equal(order, a < b ? -1 : a > b ? 1 : 0)
  })
  fc.assert(property, { numRuns: runs(1_000) })
})

t.test('postings that are put at once lie as if each were put alone', async () => {
  const posting = fc
    .record({ n: fc.nat(40), count: fc.integer({ min: 1, max: 9 }), isSuperseded: fc.boolean() })
    .map(({ n, ...rest }) => {
      const random = new Uint8Array(10).fill(n)
      return packPosting(`mem_${ulid(startMs, random)}`, { ...rest, length: 10 })
    })
  const some = fc.array(posting, { maxLength: 30 })
  const property = fc.property(some, some, (before, postings) => {
    const block = before.reduce(withPosting, emptyBlock)
    const sorted = [...postings].sort((a, b) => compareIds(a, 0, b, 0))
    assert.deepEqual(withPostings(block, sorted), sorted.reduce(withPosting, block))
  })
  fc.assert(property, { numRuns: runs(500) })
})

await eachStore(t, 'what is prepared lets others go first at each term', async (t, { store }) => {
  const graph = await new GraphRoom(store, 'prepared').create()
  const terms = new Map(Array.from({ length: 300 }, (_, i) => [`term${i}`, 1]))
  const posted = (n: number): Posted => {
    const id = `mem_${ulid(startMs + n, new Uint8Array(10))}`
    return { id, terms, length: terms.size, isSuperseded: false }
  }
  await store.write((tx) => addPostings(tx, graph.terms, [posted(0)]))
  let steps = 0
  await store.read(function* (tx) {
    const postings = new PreparingPostings(tx, graph.terms, () => new NotedReads())
    yield* postings.add(posted(1))
    const pause = tx.pause.bind(tx)
    tx.pause = (units) => {
      steps++
      return pause(units)
    }
    yield* postings.finish()
  })
  t.ok(steps >= terms.size)
})

await eachStore(t, 'postings rank as the formula does', async (_t, { store, kind }) => {
  let graphs = 0
  const changes = fc.array(change, { minLength: 4, maxLength: 10 })
  const property = fc.asyncProperty(changes, async (all) => {
    const graph = await new GraphRoom(store, `g${graphs++}`).create()
    const model = new Model()
    for (const one of all) {
      const planned = plan(graph, model, one)
      if (planned === undefined) continue
      await store.write(planned.write)
      planned.note()
    }
    await compare(store, graph, model)
  })
  await fc.assert(property, { numRuns: runs(kind === 'late' ? 3 : 8) })
})

await eachStore(t, 'one program may change postings in many ways', async (_t, { store }) => {
  const graph = await new GraphRoom(store).create()
  const model = new Model()
  const make = (count: number, back = 0) => Array.from({ length: count }, () => model.make(back))
  const first = make(130)
  await store.write((tx) => addPostings(tx, graph.terms, first))
  const [superseded, removed] = [first[0], first[60]] as [Posted, Posted]
  const late = make(2, 90)
  const last = make(40)
  await store.write((tx) =>
    writePostings(tx, graph.terms, function* (postings) {
      const before = yield* postings.frequenciesOf(vocabulary)
      for (const memory of last.slice(0, 20)) yield* postings.add(memory)
      yield* postings.setStatus(superseded, true)
      for (const memory of late) yield* postings.add(memory)
      yield* postings.remove(removed)
      for (const memory of last.slice(20)) yield* postings.add(memory)
      assert.deepEqual(yield* postings.frequenciesOf(vocabulary), before)
      const found = vocabulary.map((term) => first.filter(({ terms }) => terms.has(term)).length)
      assert.deepEqual(before, found)
    }),
  )
  for (const memory of [...first, ...late, ...last]) model.memories.set(memory.id, memory)
  model.memories.set(superseded.id, { ...superseded, isSuperseded: true })
  model.memories.delete(removed.id)
  await compare(store, graph, model)
})

await eachStore(t, 'blocks are bounded, and nothing is left behind', async (_t, { store }) => {
  const graph = await new GraphRoom(store).create()
  const model = new Model()
  const made = [0, 0, 500, 0, 300].flatMap((back) => {
    return Array.from({ length: newestPostingsMax }, () => model.make(back))
  })
  for (let i = 0; i < made.length; i += 50) {
    await store.write((tx) => addPostings(tx, graph.terms, made.slice(i, i + 50)))
  }
  const blocks = await stored(store, graph)
  assert.ok(blocks.length > 2 * vocabulary.length)
  for (const [name, size] of blocks) {
    const max = vocabulary.includes(name) ? newestPostingsMax : blockPostingsMax
    assert.ok(size <= max, `${name}: ${size}`)
  }
  for (const memory of made) {
    await store.write((tx) => writePostings(tx, graph.terms, (postings) => postings.remove(memory)))
  }
  assert.deepEqual(await stored(store, graph), [['\u001ftotals', 0]])
  const totals = await store.read((tx) => totalsOf(tx, graph.terms))
  assert.deepEqual(totals, { memories: 0, length: 0, superseded: 0, supersededLength: 0 })
})
