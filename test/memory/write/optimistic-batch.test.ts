// Batches in mode `all` that are prepared by a read: what others change before they are written is
// minded where they rest on it, and leaves them alone where it only changes beside them.

import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { fail } from '../../../src/base/errors.js'
import { programPutsMax, programRunsMax } from '../../../src/base/limits/engine.js'
import { memoryBatchesOptimisticMax } from '../../../src/base/limits/memory.js'
import { Quotas } from '../../../src/bus/quota.js'
import { checkStore } from '../../../src/engine/check/check.js'
import { strictRules } from '../../../src/identity/rights/allow.js'
import { checkGraphs } from '../../../src/memory/check-graphs.js'
import { PassingReadTx, PassingTx } from '../../../src/store/passing-tx.js'
import type {
  Awaitable,
  Entry,
  HeldState,
  KeyRange,
  LargeChanges,
  Program,
  ReadOptions,
  ReadTx,
  Step,
  Store,
  StoreStats,
  Tx,
} from '../../../src/store/store.js'
import { CommandRoom, eachRoom, type Reply } from '../../support/command-room.js'
import { admit, revocation, sessionOf, wallets } from '../../support/identities.js'
import { eachStore, type StoreCase } from '../../support/stores.js'

type Given = Readonly<Record<string, unknown>>

const words = 'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda omicron'
/** More than one program takes at once. */
const batchSize = 40

function batchOf(name: string, rest: Given = {}): Given[] {
  return Array.from({ length: batchSize }, (_, i) => ({ text: `${name} ${i} ${words}`, ...rest }))
}

function all(memories: readonly Given[], graph = 'g'): Given {
  return { rememberMemories: graph, mode: 'all', memories }
}

const one = (text: string, rest: Given = {}): Given => {
  return { rememberMemories: 'g', memories: [{ text, ...rest }] }
}

/** Does something between the reading of a batch and the program that writes it. */
class InterruptedStore implements Store {
  /** Readings on a snapshot: a batch has one each time that it is begun. */
  readings = 0
  /** The next of them takes longer than a snapshot lasts. */
  isSlow = false
  /** What each batch waits for when it has been read. */
  held: Promise<void> | undefined
  private interruption: (() => Promise<unknown>) | undefined
  private times = 0
  /** Of batches that have been read, and have not begun to write. */
  private unwritten = 0

  constructor(private readonly inner: Store) {}

  /** The next `times` that a batch has been read. */
  interrupt(interruption: () => Promise<unknown>, times = 1): void {
    this.interruption = interruption
    this.times = times
    this.readings = 0
    this.unwritten = 0
  }

  get ownsData(): boolean {
    return this.inner.ownsData === true
  }

  read<T>(program: (tx: ReadTx) => Program<T>, options?: ReadOptions): Awaitable<T> {
    if (options?.snapshot === true && this.isSlow) {
      this.isSlow = false
      throw fail('SnapshotTooOld', 'the snapshot of this operation is too old')
    }
    const found = this.inner.read(program, options)
    return options?.snapshot === true ? this.noted(found) : found
  }

  async write<T>(program: (tx: Tx) => Program<T>): Promise<T> {
    if (this.unwritten > 0 && this.times > 0) {
      this.unwritten--
      this.times--
      await this.interruption?.()
    }
    return this.inner.write(program)
  }

  writeLarge<T>(program: (tx: Tx) => Program<T>, large: LargeChanges): Promise<T> {
    return this.inner.writeLarge(program, large)
  }

  hold(): Awaitable<HeldState> {
    return this.inner.hold()
  }

  stats(): StoreStats {
    return this.inner.stats()
  }

  close(): Promise<void> {
    return this.inner.close()
  }

  private async noted<T>(found: Awaitable<T>): Promise<T> {
    const value = await found
    this.readings++
    this.unwritten++
    await this.held
    return value
  }
}

interface Interrupted extends StoreCase {
  readonly room: CommandRoom
  readonly interrupted: InterruptedStore
}

function eachInterrupted(
  name: string,
  body: (t: Test, given: Interrupted) => Promise<void>,
): Promise<void> {
  return eachStore(t, name, async (t, given) => {
    const interrupted = new InterruptedStore(given.store)
    const services = { revocation, rules: { ...strictRules, claimsUnowned: true } }
    const room = new CommandRoom(interrupted, given.clock, { services })
    await body(t, { ...given, room, interrupted })
    await room.engine.close()
  })
}

const textsOf = async (room: CommandRoom): Promise<string[]> => {
  const memories = await room.all('memory.g.nodes', { type: 'memory' })
  return memories.map(({ text }) => text)
}

async function requireSound(t: Test, store: Store): Promise<void> {
  t.same(await checkGraphs(store), [])
  t.same(await checkStore(store), [])
}

eachInterrupted('memories beside it change its terms alone', async (t, given) => {
  const { room, store, interrupted } = given
  await room.run(one(`before ${words}`))
  interrupted.interrupt(() => room.run(one(`beside ${words}`)))
  t.match(await room.run(all(batchOf('batch'))), { inserted: batchSize })
  t.equal(interrupted.readings, 1, 'it was not begun again')
  t.equal((await textsOf(room)).length, batchSize + 2)
  const { memories } = await room.run({ recallMemories: 'g', q: 'kappa beside', limit: 1 })
  t.match(memories, [{ text: `beside ${words}` }])
  await requireSound(t, store)
})

eachInterrupted('what it rests on has changed: it is begun again', async (t, given) => {
  const { room, store, interrupted } = given
  const source = { ref: 'chat' }
  await room.run(one('the first', { source }))
  interrupted.interrupt(() => room.run(one('the second', { source })))
  t.match(await room.run(all(batchOf('batch', { source }))), { inserted: batchSize })
  const edges = await room.all('memory.g.edges', { type: 'next' })
  t.equal(edges.length, batchSize + 1)
  t.equal(new Set(edges.map(({ from }) => from)).size, edges.length, 'nothing has two after it')
  t.ok(edges.every(({ from, to }) => from < to))

  interrupted.interrupt(() => room.run(one(`other 7 ${words}`)))
  const { results, inserted } = await room.run(all(batchOf('other')))
  t.match({ results, inserted }, { results: { 7: { duplicate: true } }, inserted: batchSize - 1 })

  interrupted.interrupt(() =>
    room.run(one('x', { entities: [{ name: 'Zeta Eta', kind: 'star' }] })),
  )
  const named = await room.run(all(batchOf('named')))
  t.match(named.results[0].extracted, [{ name: 'Zeta Eta', kind: 'star', rule: 'known' }])
  await requireSound(t, store)
})

eachInterrupted('it is written to the graph that is there by then', async (t, given) => {
  const { room, store, interrupted } = given
  interrupted.interrupt(() => room.run(one('made meanwhile')))
  await room.run(all(batchOf('first')))
  t.equal((await textsOf(room)).length, batchSize + 1)
  interrupted.interrupt(() => room.run({ dropGraph: 'g' }))
  await room.run(all(batchOf('second')))
  t.equal((await textsOf(room)).length, batchSize)
  await requireSound(t, store)
})

eachInterrupted('rights are those of the moment at which it is written', async (t, given) => {
  const { room, store, clock, interrupted } = given
  await admit(store, clock.now())
  const owner = room.sessionOf(sessionOf(wallets.owner))
  const writer = room.sessionOf(sessionOf(wallets.writer))
  await room.run(one('mine'), 'test', owner)
  await room.run({ setGraph: 'g', roles: { [wallets.writer]: 2 } }, 'test', owner)
  t.match(await room.run(all(batchOf('by role')), 'test', writer), { inserted: batchSize })
  interrupted.interrupt(() => room.run({ setGraph: 'g', roles: {} }, 'test', owner))
  t.equal((await room.refusal(all(batchOf('later')), 'test', writer)).code, 13)
  t.equal((await textsOf(room)).length, batchSize + 1)
})

eachInterrupted('it ends though it takes longer than a snapshot lasts', async (t, given) => {
  const { room, store, interrupted } = given
  const source = { ref: 'chat' }
  await room.run(one('the first', { source }))
  interrupted.isSlow = true
  const batch = room.run(all(batchOf('batch', { source })))
  for (let i = 0; i < 3; i++) await room.run(one(`beside ${i}`, { source }))
  t.match(await batch, { inserted: batchSize })
  t.equal((await room.all('memory.g.edges', { type: 'next' })).length, batchSize + 3)
  await requireSound(t, store)
})

eachInterrupted('what changes every time has it written in one program', async (t, given) => {
  const { room, store, interrupted } = given
  const source = { ref: 'chat' }
  let n = 0
  interrupted.interrupt(() => room.run(one(`line ${n++}`, { source })), programRunsMax)
  t.match(await room.run(all(batchOf('batch', { source }))), { inserted: batchSize })
  t.equal(interrupted.readings, programRunsMax)
  t.equal((await textsOf(room)).length, programRunsMax + batchSize)
  await requireSound(t, store)
})

eachInterrupted('older postings change beside those that it changes', async (t, given) => {
  const { room, store, interrupted } = given
  const olds: string[] = []
  for (const name of ['first', 'second', 'third']) {
    const { results } = await room.run(all(batchOf(name)))
    for (const { memory } of results) olds.push(memory.id)
  }
  const [mine, other] = olds
  interrupted.interrupt(() => room.run({ updateMemory: 'g', id: other, status: 'superseded' }))
  const [taking, ...rest] = batchOf('batch')
  await room.run(all([{ ...taking, supersedes: mine }, ...rest]))
  t.equal(interrupted.readings, 1, 'it was not begun again')
  await requireSound(t, store)
  const superseded = await room.all('memory.g.nodes', { status: 'superseded' })
  t.same(superseded.map(({ _id }) => _id).sort(), [mine, other].sort())
})

eachInterrupted('few are prepared at a time: each holds what others change', async (t, given) => {
  const { room, store, interrupted } = given
  const graphs = Array.from({ length: memoryBatchesOptimisticMax + 3 }, (_, i) => `g${i}`)
  for (const graph of graphs) await room.run({ rememberMemories: graph, memories: [{ text: 'x' }] })
  let release: () => void = () => {}
  interrupted.held = new Promise((resolve) => {
    release = resolve
  })
  const batches = graphs.map((graph) => room.run(all(batchOf('batch'), graph)))
  while (interrupted.readings < memoryBatchesOptimisticMax) await setImmediate()
  for (let turn = 0; turn < 100; turn++) await setImmediate()
  t.equal(interrupted.readings, memoryBatchesOptimisticMax)
  release()
  for (const { inserted } of await Promise.all(batches)) t.equal(inserted, batchSize)
  await requireSound(t, store)
})

eachStore(
  t,
  'a graph that it makes counts',
  async (t, { store, clock }) => {
    await admit(store, clock.now())
    const none = { storageBytes: 0, collections: 0, connections: 0, subscriptions: 0, commandMs: 0 }
    const quotas = new Quotas({ ...none, graphs: 1 })
    const services = { revocation, rules: strictRules, quotas }
    const room = new CommandRoom(store, clock, { services })
    const owner = room.sessionOf(sessionOf(wallets.owner))
    await room.run(all(batchOf('first')), 'test', owner)
    const refused = await room.refusal(all(batchOf('second'), 'h'), 'test', owner)
    t.equal(refused.kind, 'QuotaExceeded')
    const { graphs } = await room.run({ listGraphs: 1 }, 'test', owner)
    t.match(graphs, [{ name: 'g' }])
    await room.engine.close()
  },
  { kinds: ['memory', 'lmdb'] },
)

eachStore(
  t,
  'a graph that it makes counts once, though it is begun again',
  async (t, { store, clock }) => {
    await admit(store, clock.now())
    const none = { storageBytes: 0, collections: 0, connections: 0, subscriptions: 0, commandMs: 0 }
    const quotas = new Quotas({ ...none, graphs: 1 })
    const services = { revocation, rules: strictRules, quotas }
    const interrupted = new InterruptedStore(store)
    const room = new CommandRoom(interrupted, clock, { services })
    const owner = room.sessionOf(sessionOf(wallets.owner))
    // The ids of collections are given one after the other.
    interrupted.interrupt(() => room.insert('others', { a: 1 }))
    t.match(await room.run(all(batchOf('first')), 'test', owner), { inserted: batchSize })
    t.equal(interrupted.readings, 2)
    await room.engine.close()
  },
  { kinds: ['memory', 'lmdb'] },
)

eachRoom(
  t,
  'batches and single memories at once: none is lost or there twice',
  async (t, room, { store, kind }) => {
    const source = (i: number) => ({ source: { ref: `chat-${i % 2}` } })
    // Two are the same.
    const batches = ['batch', 'batch', 'other', 'third'].map((name) =>
      room.run(all(batchOf(name, source(name.length)))),
    )
    const singles = async (of: number): Promise<Reply[]> => {
      const replies: Reply[] = []
      for (let i = 0; i < 6; i++) {
        const entities = [`Person ${i}`, 'Kappa Lambda']
        replies.push(await room.run(one(`single${of} ${i} beta`, { ...source(i), entities })))
      }
      return replies
    }
    const replies = [
      ...(await Promise.all(batches)),
      ...(await Promise.all([0, 1].map(singles))).flat(),
    ]
    const inserted = replies.reduce((sum, reply) => sum + Number(reply.inserted), 0)
    const texts = await textsOf(room)
    t.equal(inserted, texts.length)
    t.equal(texts.length, 3 * batchSize + 12)
    t.equal(new Set(texts).size, texts.length)
    const nexts = await room.all('memory.g.edges', { type: 'next' })
    t.equal(nexts.length, texts.length - 2, 'each source is one path')
    // A store that commits in another order than it was asked in may have a later one first.
    if (kind !== 'late') t.ok(nexts.every(({ from, to }) => from < to))
    await requireSound(t, store)
  },
)

/** Counts what write programs read, and what batches get before. */
class CountedStore implements Store {
  reads = 0
  gets = 0

  constructor(private readonly inner: Store) {}

  get ownsData(): boolean {
    return this.inner.ownsData === true
  }

  read<T>(program: (tx: ReadTx) => Program<T>, options?: ReadOptions): Awaitable<T> {
    if (options?.snapshot !== true) return this.inner.read(program, options)
    return this.inner.read((tx) => program(new CountedReadTx(tx, () => this.gets++)), options)
  }

  write<T>(program: (tx: Tx) => Program<T>): Promise<T> {
    return this.inner.write((tx) => program(new CountedTx(tx, () => this.reads++)))
  }

  writeLarge<T>(program: (tx: Tx) => Program<T>, large: LargeChanges): Promise<T> {
    return this.inner.writeLarge(program, large)
  }

  hold(): Awaitable<HeldState> {
    return this.inner.hold()
  }

  stats(): StoreStats {
    return this.inner.stats()
  }

  close(): Promise<void> {
    return this.inner.close()
  }
}

class CountedReadTx extends PassingReadTx {
  constructor(
    inner: ReadTx,
    private readonly noted: () => void,
  ) {
    super(inner)
  }

  override get(key: Uint8Array): Step<Uint8Array | undefined> {
    this.noted()
    return super.get(key)
  }
}

class CountedTx extends PassingTx {
  constructor(
    inner: Tx,
    private readonly noted: () => void,
  ) {
    super(inner)
  }

  override get(key: Uint8Array): Step<Uint8Array | undefined> {
    this.noted()
    return super.get(key)
  }

  override scanOwn(range: KeyRange, limit: number): Step<Entry[]> {
    this.noted()
    return super.scanOwn(range, limit)
  }
}

eachStore(
  t,
  'the program that writes a batch reads next to nothing',
  async (t, { store, clock }) => {
    const counted = new CountedStore(store)
    const room = new CommandRoom(counted, clock)
    for (const name of ['first', 'second']) {
      counted.reads = 0
      await room.run(all(batchOf(name)))
      t.ok(counted.reads < batchSize, `${counted.reads} reads`)
    }
    await room.engine.close()
  },
  { kinds: ['memory', 'lmdb'] },
)

eachStore(
  t,
  'what has more terms than one program puts is refused before all of them are read',
  async (t, { store, clock }) => {
    const counted = new CountedStore(store)
    const room = new CommandRoom(counted, clock)
    const olds: string[] = []
    for (let i = 0; i < batchSize; i++) {
      const text = Array.from({ length: 500 }, (_, j) => `w${i}x${j}`).join(' ')
      const { results } = await room.run(one(text))
      olds.push(results[0].memory.id)
    }
    counted.gets = 0
    const memories = batchOf('new').map((memory, i) => ({ ...memory, supersedes: olds[i] }))
    t.equal((await room.refusal(all(memories))).kind, 'GraphLimit')
    t.ok(counted.gets < 2 * programPutsMax, `${counted.gets} gets`)
    await room.engine.close()
  },
  { kinds: ['memory'] },
)
