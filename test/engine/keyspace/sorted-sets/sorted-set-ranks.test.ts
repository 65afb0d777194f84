// Ranks beside a sorted array: small blocks, so that few places make many levels, split and run
// empty all the time.

import t, { type Test } from 'tap'
import { compareBytes, utf8 } from '../../../../src/base/bytes/bytes.js'
import { emptySlice, Slice } from '../../../../src/base/bytes/slice.js'
import { membersRange } from '../../../../src/engine/background/garbage.js'
import { Members } from '../../../../src/engine/keyspace/containers/members.js'
import {
  BlockHints,
  ProgramHints,
} from '../../../../src/engine/keyspace/sorted-sets/block-hints.js'
import { blocksOf, placesPart } from '../../../../src/engine/keyspace/sorted-sets/rank-blocks.js'
import { Ranks } from '../../../../src/engine/keyspace/sorted-sets/sorted-set-ranks.js'
import { usualBounds, Work } from '../../../../src/engine/keyspace/work.js'
import type { MembersId, NamespaceId } from '../../../../src/engine/types.js'
import type { KeyRange, Program, ReadTx, Store, Tx } from '../../../../src/store/store.js'
import { runs } from '../../../support/runs.js'
import { seed } from '../../../support/seed.js'
import { seededRandom } from '../../../support/seeded-random.js'
import { eachStore } from '../../../support/stores.js'

const id = 9 as MembersId
const blockMax = 4

/** A byte of flags and the count. */
const oldBlockBytes = 9

const sharedHints = new BlockHints(40)

/** Places in a store, and the same ones in an array. */
class Counted {
  readonly places: string[] = []
  levels = 0

  constructor(
    private readonly store: Store,
    /** Seldom right where another store has filled them. */
    private readonly hints = sharedHints,
  ) {}

  async add(place: string): Promise<void> {
    if (this.places.includes(place)) return
    this.places.push(place)
    this.places.sort((a, b) => compareBytes(utf8(a), utf8(b)))
    await this.change(function* (ranks, members, count) {
      members.put(placesPart, Slice.ofText(place), emptySlice)
      yield* ranks.added(utf8(place), count)
    })
  }

  async remove(place: string): Promise<void> {
    this.places.splice(this.places.indexOf(place), 1)
    await this.change(function* (ranks, members) {
      const member = Slice.ofText(place)
      members.remove(placesPart, { member, payload: emptySlice, chunks: undefined })
      yield* ranks.removed(utf8(place))
    })
  }

  /** As remove, of `count` places from an index on, or of each `step`th of as many. */
  async removeMany(from: number, count: number, step = 1): Promise<void> {
    const taken = this.places.filter((_, i) => {
      return i >= from && i < from + count * step && (i - from) % step === 0
    })
    if (taken.length === 0) return
    for (const place of taken) this.places.splice(this.places.indexOf(place), 1)
    await this.change(function* (ranks, members) {
      yield* ranks.removedRun(taken.map(utf8))
      for (const place of taken) {
        const member = Slice.ofText(place)
        members.remove(placesPart, { member, payload: emptySlice, chunks: undefined })
      }
    })
  }

  /** Adds and removes places in turns, in one program that reads their blocks ahead. */
  async changeMany(added: readonly string[], removed: readonly string[]): Promise<void> {
    const { places } = this
    const all = [...added, ...removed].map(utf8)
    const fresh = added.filter((place) => !places.includes(place))
    const before = places.length
    places.push(...fresh)
    for (const place of removed) places.splice(places.indexOf(place), 1)
    places.sort((a, b) => compareBytes(utf8(a), utf8(b)))
    await this.change(function* (ranks, members) {
      yield* ranks.readAhead(all, all.length)
      let count = before
      for (let i = 0; i < Math.max(fresh.length, removed.length); i++) {
        const [come, gone] = [fresh[i], removed[i]]
        if (come !== undefined) {
          members.put(placesPart, Slice.ofText(come), emptySlice)
          yield* ranks.added(utf8(come), ++count)
        }
        if (gone === undefined) continue
        const member = Slice.ofText(gone)
        members.remove(placesPart, { member, payload: emptySlice, chunks: undefined })
        count--
        yield* ranks.removed(utf8(gone))
      }
    })
  }

  async build(places: readonly string[]): Promise<void> {
    this.places.push(...places)
    await this.change(function* (ranks, members) {
      for (const place of places) members.put(placesPart, Slice.ofText(place), emptySlice)
      ranks.build(blocksOf(places.map(utf8), blockMax))
    })
  }

  /** Ranks and searches of all places, and of `others` that are none. */
  async check(t: Test, others: readonly string[] = []): Promise<void> {
    const { places, levels } = this
    const wrong = await this.store.read(function* (tx) {
      const { ranks, members } = partsOf(tx, levels)
      const found: string[] = []
      for (const place of [...places, ...others]) {
        const wanted = places.filter((each) => compareBytes(utf8(each), utf8(place)) < 0).length
        const rank = yield* ranks.before(utf8(place))
        if (rank !== wanted) found.push(`rank of ${place}: ${rank}, not ${wanted}`)
      }
      for (const [rank, place] of places.entries()) {
        const { start, skip } = yield* ranks.find(rank)
        const range = { ...members.range(placesPart), start: members.raw(placesPart, start) }
        const { members: page } = yield* members.page(range, skip + 1)
        const at = page[skip]?.member.text()
        if (at !== place) found.push(`at ${rank}: ${at}, not ${place}`)
      }
      return found
    })
    t.same(wrong, [])
  }

  /** Takes from all blocks what earlier builds did not write: where the next one begins. */
  async age(): Promise<void> {
    const { store, levels } = this
    await store.write(function* (tx) {
      const { members } = partsOf(tx, levels)
      for (let level = 1; level <= levels; level++) {
        const start = members.raw(placesPart + level, new Uint8Array(0))
        const end = members.raw(placesPart + level + 1, new Uint8Array(0))
        for (const { key, value } of yield* tx.scan({ start, end }, 1_000)) {
          tx.put(key, value.slice(0, oldBlockBytes))
        }
      }
    })
  }

  /** Records of all blocks. */
  blocks(): Promise<number> {
    const { places, store } = this
    const read = store.read(function* (tx) {
      return (yield* tx.scan(membersRange(id), 1_000)).length - places.length
    })
    return Promise.resolve(read)
  }

  private async change(
    program: (ranks: Ranks, members: Members, count: number) => Program<void>,
  ): Promise<void> {
    const { levels, places } = this
    const hints = new ProgramHints(this.hints)
    this.levels = await this.store.write(function* (tx) {
      hints.begin()
      const { ranks, members } = partsOf(tx, levels, hints)
      yield* program(ranks, members, places.length)
      return ranks.levels
    })
    hints.tell()
  }
}

function partsOf(
  tx: ReadTx,
  levels: number,
  hints?: ProgramHints,
): { ranks: Ranks; members: Members } {
  const work = new Work(usualBounds, false)
  work.hints = hints
  const members = new Members(tx, 3 as NamespaceId, id, work)
  const ks = {
    work,
    *entries(range: KeyRange, limit: number) {
      return 'scanOwn' in tx
        ? yield* (tx as Tx).scanOwn(range, limit)
        : yield* tx.scan(range, limit)
    },
  }
  return { ranks: new Ranks(ks, members, levels, blockMax), members }
}

t.test('ranks are those of a sorted array, whatever comes and goes', (t) =>
  eachStore(t, `random places, seed ${seed}`, async (t, { store, kind }) => {
    const random = seededRandom(seed)
    const counted = new Counted(store)
    const word = () =>
      Array.from({ length: Math.floor(random() * 5) }, () => 'abc'[Math.floor(random() * 3)]).join(
        '',
      )
    const steps = runs(kind === 'memory' ? 600 : 120)
    for (let step = 0; step < steps; step++) {
      // It grows, then it shrinks.
      const grows = random() < (Math.floor(step / (steps / 4)) % 2 === 0 ? 0.8 : 0.25)
      const { places } = counted
      if (grows) await counted.add(word())
      else if (places.length > 0) {
        await counted.remove(places[Math.floor(random() * places.length)] as string)
      }
      if (step % 20 === 0) await counted.check(t, [word(), word()])
    }
    await counted.check(t, ['', 'zz'])
    if (kind === 'memory') t.ok(counted.levels >= 2, `${counted.levels} levels`)
    for (const place of [...counted.places]) await counted.remove(place)
    await counted.check(t, ['a'])
    t.ok((await counted.blocks()) <= 2 * counted.levels, 'little stays behind')
  }),
)

t.test('places that go many at once leave the counts of those that stay', (t) =>
  eachStore(t, `runs of places, seed ${seed}`, async (t, { store, kind }) => {
    const random = seededRandom(seed)
    const below = (n: number) => Math.floor(random() * n)
    const counted = new Counted(store)
    const name = () => String(below(400)).padStart(3, '0')
    for (let step = 0; step < runs(kind === 'memory' ? 60 : 12); step++) {
      while (counted.places.length < 70) await counted.add(name())
      if (step % 10 === 9) await counted.age()
      await counted.removeMany(below(counted.places.length), 1 + below(40), 1 + below(3))
      await counted.check(t, [name(), name()])
    }
    if (kind === 'memory') t.ok(counted.levels >= 2, `${counted.levels} levels`)
    await counted.removeMany(0, counted.places.length)
    await counted.check(t, ['a'])
    t.ok((await counted.blocks()) <= 2 * counted.levels, 'little stays behind')
  }),
)

t.test('places that change many at once, with their blocks read ahead', (t) =>
  eachStore(t, `read ahead, seed ${seed}`, async (t, { store, kind }) => {
    const random = seededRandom(seed)
    const counted = new Counted(store)
    const name = () => String(Math.floor(random() * 500)).padStart(3, '0')
    for (let step = 0; step < runs(kind === 'memory' ? 40 : 10); step++) {
      const added = new Set(Array.from({ length: 60 }, name))
      const removed = counted.places.filter((place) => !added.has(place) && random() < 0.5)
      await counted.changeMany([...added], removed)
      await counted.check(t, [name()])
    }
    if (kind === 'memory') t.ok(counted.levels >= 2, `${counted.levels} levels`)
    await counted.changeMany([], [...counted.places])
    await counted.check(t, ['a'])
    t.ok((await counted.blocks()) <= 2 * counted.levels, 'little stays behind')
  }),
)

t.test('blocks of earlier builds are read as they were meant', (t) =>
  eachStore(t, `aged blocks, seed ${seed}`, async (t, { store, kind }) => {
    const random = seededRandom(seed)
    const counted = new Counted(store)
    const place = () => String(Math.floor(random() * 500)).padStart(4, '0')
    const steps = runs(kind === 'memory' ? 400 : 80)
    for (let step = 0; step < steps; step++) {
      const { places } = counted
      if (step % 15 === 14) await counted.age()
      if (places.length < 60 || random() < 0.5) await counted.add(place())
      else await counted.remove(places[Math.floor(random() * places.length)] as string)
      if (step % 20 === 0) await counted.check(t, [place()])
    }
    await counted.check(t, ['', '9999'])
  }),
)

t.test('a queue leaves no blocks behind it', (t) =>
  eachStore(
    t,
    'queue',
    async (t, { store }) => {
      const counted = new Counted(store)
      const name = (n: number) => String(n).padStart(6, '0')
      for (let n = 0; n < 600; n++) {
        await counted.add(name(n))
        if (n >= 40) await counted.remove(name(n - 40))
        if (n % 100 === 99) await counted.check(t)
      }
      const blocks = await counted.blocks()
      t.ok(blocks <= 40, `${blocks} blocks of 40 places`)
    },
    { kinds: ['memory'] },
  ),
)

t.test('places that come all at once are counted as the others are', (t) =>
  eachStore(t, 'build', async (t, { store }) => {
    const counted = new Counted(store)
    const names = Array.from({ length: 12 }, (_, n) => `n${n.toString(36)}`)
    await counted.build(names)
    t.equal(counted.levels, 1)
    await counted.check(t, ['a', 'z'])
    for (const n of ['n5x', 'n5y', 'n5z', 'a', 'z']) await counted.add(n)
    await counted.check(t)
  }),
)

t.test('few places have no blocks', (t) =>
  eachStore(
    t,
    'few',
    async (t, { store }) => {
      const counted = new Counted(store)
      for (const place of ['b', 'a', 'd', 'c']) await counted.add(place)
      t.equal(await counted.blocks(), 0)
      await counted.add('e')
      t.equal(await counted.blocks(), 2)
      await counted.check(t)
    },
    { kinds: ['memory'] },
  ),
)
