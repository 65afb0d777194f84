// Who may use a cursor, how long it lives, and how much one batch takes.

import t from 'tap'
import type { Clock, Random } from '../../../src/base/clock.js'
import { cursorIdleMs, cursorsPerOwnerMax } from '../../../src/base/limits/documents.js'
import { silentLog } from '../../../src/base/log.js'
import { cursorExpiry } from '../../../src/engine/background/cursor-expiry-job.js'
import {
  type CursorMeta,
  Cursors,
  fillBatch,
  requireAlive,
} from '../../../src/engine/sources/cursors.js'
import type { Source } from '../../../src/engine/sources/holding-source.js'
import { documentsSource } from '../../../src/engine/sources/source.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import { PassingReadTx } from '../../../src/store/passing-tx.js'
import type { ReadTx } from '../../../src/store/store.js'
import { documentFrom } from '../../../src/value/literal.js'
import { ManualClock } from '../../support/engine-room.js'
import { seededRandom } from '../../support/seeded-random.js'

const next = seededRandom(7)
const random: Random = {
  bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(next() * 256)),
}
const mine: CursorMeta = { db: 'main', collection: 'things', owner: 'alice', lsid: 's1' }
const some = (count = 3): Source =>
  documentsSource(Array.from({ length: count }, (_, i) => documentFrom({ _id: i })))

function opened(): { clock: ManualClock; cursors: Cursors } {
  const clock = new ManualClock()
  return { clock, cursors: new Cursors(clock, random) }
}

await t.test('ids are random whole numbers below 2^53', async (t) => {
  const { cursors } = opened()
  const ids = Array.from({ length: 500 }, () => cursors.open(some(), mine))
  t.equal(new Set(ids).size, 500)
  t.ok(ids.every((id) => Number.isSafeInteger(id) && id > 0))
  t.ok(ids.some((id) => id > 2 ** 48))
})

await t.test('a cursor answers its owner, on its collection, in its session', async (t) => {
  const { cursors } = opened()
  const id = cursors.open(some(), mine)
  const code = (caller: Partial<CursorMeta>, of = id): number | undefined => {
    try {
      cursors.release(cursors.take(of, { ...mine, ...caller }))
      return undefined
    } catch (error) {
      return (error as { code: number }).code
    }
  }
  t.equal(code({}), undefined)
  t.equal(code({ owner: 'bob' }), 43, 'as if it did not exist')
  t.equal(code({}, id + 1), 43)
  t.equal(code({ collection: 'other' }), 13)
  t.equal(code({ db: 'other' }), 13)
  t.equal(code({ lsid: 's2' }), 50738)
  t.equal(code({ lsid: undefined }), 50737)
  const free = cursors.open(some(), { ...mine, lsid: undefined })
  t.equal(code({}, free), 50736)
  t.equal(code({ lsid: undefined }, free), undefined)
})

await t.test('one command at a time uses a cursor', async (t) => {
  const { cursors } = opened()
  const id = cursors.open(some(), mine)
  const cursor = cursors.take(id, mine)
  t.throws(() => cursors.take(id, mine), { code: 12051 })
  cursors.release(cursor)
  cursors.discard(cursors.take(id, mine))
  t.throws(() => cursors.take(id, mine), { code: 43 })
})

await t.test('a drained cursor is closed when it is released', async (t) => {
  const { cursors } = opened()
  const id = cursors.open(documentsSource([]), mine)
  cursors.release(cursors.take(id, mine))
  t.equal(cursors.size, 0)
})

await t.test('a cursor killed at work tells its command, an idle one is gone', async (t) => {
  const { cursors } = opened()
  const id = cursors.open(some(), mine)
  const cursor = cursors.take(id, mine)
  t.equal(cursors.kill(id, { ...mine, owner: 'bob' }), false)
  t.equal(cursors.kill(id, { ...mine, collection: 'other' }), false)
  requireAlive(cursor)
  t.equal(cursors.kill(id, mine), true)
  t.throws(() => requireAlive(cursor), { code: 237 })
  t.throws(() => cursors.release(cursor), { code: 237 })
  t.equal(cursors.kill(id, mine), false)
  const idle = some()
  const other = cursors.open(idle, mine)
  t.equal(cursors.kill(other, mine), true)
  t.ok(idle.drained, 'what it held is let go')
  t.throws(() => cursors.take(other, mine), { code: 43 })
})

await t.test(
  'idle cursors end after ten minutes, busy ones and those without time-out do not',
  async (t) => {
    const { clock, cursors } = opened()
    const idle = cursors.open(some(), mine)
    const forever = cursors.open(some(), { ...mine, noCursorTimeout: true })
    const busy = cursors.open(some(), mine)
    const used = cursors.open(some(), mine)
    cursors.take(busy, mine)
    clock.ms += cursorIdleMs - 1
    t.equal(cursors.expire(clock.elapsed()), 0)
    cursors.release(cursors.take(used, mine))
    clock.ms += 1
    t.equal(cursors.expire(clock.elapsed()), 1)
    t.throws(() => cursors.take(idle, mine), { code: 43 })
    t.same(
      cursors.list().map(({ id }) => id),
      [forever, busy, used],
    )
    t.equal(
      cursors.killWhere(({ meta }) => meta.lsid === 's1'),
      3,
    )
  },
)

await t.test('a step of the wall clock closes no cursor', async (t) => {
  const clock = { wallMs: 1_700_000_000_000, now: () => clock.wallMs, elapsed: () => 5 }
  const cursors = new Cursors(clock, random)
  const id = cursors.open(some(), mine)
  const soon = () => new Promise<void>((resolve) => setImmediate(resolve))
  const pace = { rest: soon, sleep: () => ({ over: soon(), wake: () => undefined }) }
  const expiry = cursorExpiry({ cursors, clock, log: silentLog, pace })
  expiry.start()
  for (const stepMs of [2 * 3_600_000, -4 * 3_600_000]) {
    clock.wallMs += stepMs
    for (let round = 0; round < 5; round++) await soon()
    t.equal(cursors.find(id, mine.owner)?.id, id)
  }
  await expiry.close()
})

await t.test('an identity holds so many cursors and no more', async (t) => {
  const { cursors } = opened()
  const first = cursors.open(some(), mine)
  for (let i = 1; i < cursorsPerOwnerMax; i++) cursors.open(some(), mine)
  const refused = some()
  t.throws(() => cursors.open(refused, mine), { code: 146 })
  t.ok(refused.drained)
  cursors.open(some(), { ...mine, owner: 'bob' })
  cursors.kill(first, mine)
  cursors.open(some(), mine)
  cursors.unbounded = mine.owner
  const free = cursors.open(some(), mine)
  t.equal(cursors.find(free, mine.owner)?.id, free, 'but for the one without a bound')
})

const clockOf = (): Clock => new ManualClock()

await t.test(
  'a batch stops at its number of documents or bytes; one document always fits',
  async (t) => {
    const store = openMemoryStore(clockOf())
    const text = (length: number) => documentFrom({ t: 'x'.repeat(length) })
    const source = documentsSource([text(100), text(100), text(100), text(5_000), text(10)])
    const batch = (documentsMax: number, bytesMax: number) =>
      store.read((tx) => fillBatch(tx, source, { documentsMax, bytesMax }))
    t.match(await batch(0, 1_000), { documents: { length: 0 }, drained: false })
    t.match(await batch(1, 1_000), { documents: { length: 1 }, drained: false })
    const two = await batch(100, 300)
    t.equal(two.documents.length, 2)
    t.equal(two.drained, false)
    const large = await batch(100, 300)
    t.same(
      large.documents.map(({ length }) => length > 5_000),
      [true],
    )
    const last = await batch(100, 300)
    t.equal(last.documents.length, 1)
    t.equal(last.drained, true)
    t.match(await batch(5, 300), { documents: { length: 0 }, drained: true })
  },
)

/** Tells in `seen` what is pulled, and what a reply expects. */
class Seeing extends PassingReadTx {
  constructor(
    inner: ReadTx,
    private readonly seen: string[],
    private readonly isShort: boolean,
    private readonly wait?: Promise<void>,
  ) {
    super(inner)
  }

  override get isMemoryShort(): boolean {
    return this.isShort
  }

  override get reply() {
    return {
      expects: (bytes: number) => {
        this.seen.push(`expects ${Math.round(bytes / 1_000)} kB`)
        const done = this.wait
        if (done === undefined) return undefined
        return { refusal: new Error('no room'), begin: () => ({ done, end: () => {} }) }
      },
      waits: (bytes: number) => {
        this.seen.push(`waits with ${Math.round(bytes / 1_000)} kB`)
        return () => this.seen.push('has waited')
      },
      holds: (bytes: number) => this.seen.push(`holds ${Math.round(bytes / 1_000)} kB`),
    }
  }
}

await t.test(
  'a batch counts behind its first pull, which is small with memory short',
  async (t) => {
    const store = openMemoryStore(clockOf())
    const document = documentFrom({ t: 'x'.repeat(20_000) })
    const seenOf = async (isShort: boolean, count: number): Promise<string[]> => {
      const seen: string[] = []
      const source = documentsSource(Array.from({ length: count }, () => document))
      const { pull } = source
      source.pull = (tx, want) => {
        seen.push(`pull ${want}`)
        return pull.call(source, tx, want)
      }
      const limits = { documentsMax: 100, bytesMax: 16_000_000 }
      await store.read((tx) => fillBatch(new Seeing(tx, seen, isShort), source, limits))
      return seen
    }
    t.same(await seenOf(true, 50), [
      ...['pull 8', 'expects 2002 kB', 'pull 92', 'expects 1001 kB', 'holds 1001 kB'],
    ])
    t.same(await seenOf(false, 50), ['pull 100', 'expects 1001 kB', 'holds 1001 kB'])
    t.same(await seenOf(true, 1), ['pull 8'], 'a small reply does not count')
  },
)

await t.test(
  'what a batch has read counts while it waits, until it has room or fails',
  async (t) => {
    const store = openMemoryStore(clockOf())
    const document = documentFrom({ t: 'x'.repeat(200_000) })
    const seenOf = async (wait: Promise<void>): Promise<string[]> => {
      const seen: string[] = []
      const source = documentsSource([document])
      const limits = { documentsMax: 1, bytesMax: 16_000_000 }
      try {
        await store.read((tx) => fillBatch(new Seeing(tx, seen, true, wait), source, limits))
      } catch (error) {
        seen.push(String(error))
      }
      return seen
    }
    const waited = ['expects 200 kB', 'waits with 200 kB', 'has waited']
    t.same(await seenOf(Promise.resolve()), [...waited, 'holds 200 kB'])
    t.same(await seenOf(Promise.reject(new Error('killed'))), [...waited, 'Error: killed'])
  },
)
