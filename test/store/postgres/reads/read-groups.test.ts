// Read programs that begin together share one transaction: few statements, one state, and each
// program owns what it gets. A program that begins behind a commit sees it.

import t, { type Test } from 'tap'
import type { Bytes } from '../../../../src/base/bytes/bytes.js'
import { turnUnits } from '../../../../src/base/work/work-figures.js'
import { idKey, keyClass } from '../../../../src/store/layout.js'
import { Link } from '../../../../src/store/postgres/link.js'
import type {
  Awaitable,
  Elsewhere,
  Entry,
  KeyRange,
  Program,
  ReadOptions,
  ReadTx,
  Store,
} from '../../../../src/store/store.js'
import { postgresMissing } from '../../../support/postgres-reference.js'
import { runs } from '../../../support/runs.js'
import { seed } from '../../../support/seed.js'
import { seededRandom } from '../../../support/seeded-random.js'
import { openShared, sharedAddress } from '../../../support/shared-stores.js'

const skip = { skip: postgresMissing }
const count = 200
const keyOf = (n: number, of: number = keyClass.record): Bytes => idKey(of, n)
const bytesOf = (n: number, round = 0): Bytes => Uint8Array.of(n, round)

const sent = new Map<string, number>()
const { run } = Link.prototype
Link.prototype.run = function (statement, values) {
  sent.set(statement.name, (sent.get(statement.name) ?? 0) + 1)
  return run.call(this, statement, values)
}
t.teardown(() => {
  Link.prototype.run = run
})

function fill(store: Store, round: number, of?: number): Promise<void> {
  return store.write(function* (tx) {
    for (let n = 0; n < count; n++) tx.put(keyOf(n, of), bytesOf(n, round))
  })
}

/** Two rounds: the value of a key tells which one is read next. */
function* follow(tx: ReadTx, n: number): Program<(Bytes | undefined)[]> {
  const first = yield* tx.get(keyOf(n))
  const second = yield* tx.get(keyOf(first?.[0] === n ? count - 1 - n : 0))
  return [first, second]
}

/** Reads of key-value commands. */
const inOrder: ReadOptions = { snapshot: true, serializable: true }

for (const [options, begin] of [
  [{}, 'begin_r'],
  [inOrder, 'begin_s'],
] as const) {
  t.test(`programs that begin together share what ${begin} begins`, skip, async (t) => {
    await sharing(t, options, begin)
  })
}

async function sharing(t: Test, options: ReadOptions, begin: string): Promise<void> {
  const store = await openShared(t, await sharedAddress(t))
  await fill(store, 1)
  // The first read opens a connection.
  await store.read((tx) => follow(tx, 0), options)
  sent.clear()
  const all = Array.from({ length: 40 }, (_, n) => store.read((tx) => follow(tx, n % 4), options))
  for (const [at, found] of (await Promise.all(all)).entries()) {
    const n = at % 4
    t.same(found, [bytesOf(n, 1), bytesOf(count - 1 - n, 1)])
    // Another program has the same value: this one may change its own.
    for (const value of found) value?.fill(0)
  }
  const groups = sent.get(begin) ?? 0
  // Those of commands of keys can run again: their first question is outside of the transaction.
  const isStarted = begin === 'begin_s'
  // They are resumed in turns, and some join the next group.
  t.ok(isStarted ? groups > 0 && groups < 20 : groups === 1, `${groups} transactions`)
  t.equal(sent.get('points'), 1 + groups, 'a statement a round')
  t.equal(sent.get('versions'), isStarted ? groups : undefined)
  t.equal(sent.get('commit'), groups)
}

t.test('a program that pauses keeps its state and stops no other', skip, async (t) => {
  const store = await openShared(t, await sharedAddress(t))
  await fill(store, 1)
  await store.read((tx) => follow(tx, 0), inOrder)
  sent.clear()
  const others = Array.from({ length: 8 }, (_, n) => () => {
    return store.read((tx) => follow(tx, n), inOrder)
  })
  const read: Awaitable<(Bytes | undefined)[]>[] = []
  const elsewhere: Elsewhere = {
    refusal: undefined,
    begin: () => ({
      // The others of its group read to their end, and a commit follows, while it waits.
      done: Promise.all(read).then(() => fill(store, 2)),
      end: () => undefined,
    }),
  }
  const paused = store.read(function* (tx) {
    // With a second question it is in the group.
    const before = [yield* tx.get(keyOf(3)), yield* tx.get(keyOf(4))]
    yield* tx.elsewhere(elsewhere)
    return [...before, yield* tx.get(keyOf(5))]
  }, inOrder)
  read.push(...others.map((act) => act()))
  t.same(await paused, [bytesOf(3, 1), bytesOf(4, 1), bytesOf(5, 1)])
  t.ok((sent.get('begin_s') ?? 0) < 9, 'they were in groups')
  for (const [n, found] of (await Promise.all(read)).entries()) {
    t.same(found, [bytesOf(n, 1), bytesOf(count - 1 - n, 1)])
  }
  const ended = store.read(function* (tx) {
    yield* tx.get(keyOf(3))
    yield* tx.get(keyOf(4))
    yield* tx.elsewhere({
      ...elsewhere,
      begin: () => ({ done: Promise.resolve(), end: () => undefined }),
    })
  }, inOrder)
  const behind = store.read((tx) => follow(tx, 5), inOrder)
  await ended
  t.same(await behind, [bytesOf(5, 2), bytesOf(count - 6, 2)], 'one that ends behind its pause')
})

t.test('more programs than a group takes', skip, async (t) => {
  const store = await openShared(t, await sharedAddress(t))
  await fill(store, 1)
  const all = Array.from({ length: 300 }, (_, n) => store.read((tx) => follow(tx, n % count)))
  const expected = all.map((_, at) => {
    const n = at % count
    return [bytesOf(n, 1), bytesOf(count - 1 - n, 1)]
  })
  t.same(await Promise.all(all), expected)
})

type Asked = (tx: ReadTx) => Program<unknown>

/** A question of any kind, with what answers it in a state of `round`. */
function question(random: () => number, of: number): readonly [Asked, (round: number) => unknown] {
  const from = Math.floor(random() * count)
  const numbers = Array.from({ length: Math.floor(random() * 40) }, (_, i) => from + i).filter(
    (n) => n < count,
  )
  const many = numbers.map((n) => keyOf(n, of))
  const whole: KeyRange = { start: keyOf(0, of), end: keyOf(count, of) }
  const limit = 1 + Math.floor(random() * count)
  const shown = (entries: readonly Entry[]) => entries.map(({ value }) => [...value])
  const kinds: readonly (readonly [Asked, (round: number) => unknown])[] = [
    [(tx) => get(tx, from, of), (round) => [from, round]],
    [
      function* (tx) {
        return (yield* tx.getMany(many)).map((one) => one && [...one])
      },
      (round) => numbers.map((n) => [n, round]),
    ],
    [
      function* (tx) {
        yield* tx.readAhead?.(many) ?? []
        const found: unknown[] = []
        for (const n of numbers) found.push(yield* get(tx, n, of))
        return found
      },
      (round) => numbers.map((n) => [n, round]),
    ],
    [
      function* (tx) {
        return shown(yield* tx.scan(whole, limit))
      },
      (round) => Array.from({ length: limit }, (_, n) => [n, round]),
    ],
  ]
  return kinds[Math.floor(random() * kinds.length)] as (typeof kinds)[number]
}

function* get(tx: ReadTx, n: number, of: number): Program<number[] | undefined> {
  const found = yield* tx.get(keyOf(n, of))
  return found && [...found]
}

/** Programs that can run again begin with guesses of what is in the catalog. */
for (const [name, options, of] of [
  ['of documents', {}, keyClass.record],
  ['of documents, run again', { runsAgain: true }, keyClass.record],
  ['of the catalog, run again', { runsAgain: true }, keyClass.catalog],
  ['of keys', inOrder, keyClass.record],
  ['of the catalog, in order of writes', inOrder, keyClass.catalog],
] as const) {
  t.test(`one state each, and never one from before its begin: ${name}`, skip, async (t) => {
    await oneState(t, options, of)
  })
}

async function oneState(t: Test, options: ReadOptions, of: number): Promise<void> {
  const isKept = options.snapshot === true
  const store = await openShared(t, await sharedAddress(t))
  const random = seededRandom(seed)
  let written = 0
  await fill(store, 0, of)
  const reader = async (): Promise<void> => {
    for (let i = 0; i < runs(10); i++) {
      const atLeast = written
      const asked = Array.from({ length: 1 + Math.floor(random() * 4) }, () => question(random, of))
      const pausedAt = random() < 0.2 ? Math.floor(random() * asked.length) : asked.length
      const found = await store.read(function* (tx) {
        const answers: unknown[] = []
        const rounds: unknown[] = []
        for (const [at, [ask]] of asked.entries()) {
          if (at === pausedAt) yield* tx.pause(turnUnits)
          rounds.push((yield* get(tx, 0, of))?.[1])
          answers.push(yield* ask(tx))
        }
        return { answers, rounds }
      }, options)
      const rounds = found.rounds as number[]
      const [first = 0] = rounds
      t.ok(first >= atLeast, `SIGIL_SEED=${seed}: it sees what was committed before`)
      const before = isKept ? rounds : rounds.slice(0, pausedAt)
      t.same(new Set(before).size, Math.min(1, before.length), 'one state until it pauses')
      for (const [at, [, answerOf]] of asked.entries()) {
        t.same(found.answers[at], answerOf(rounds[at] as number), `SIGIL_SEED=${seed}`)
      }
    }
  }
  let isOver = false
  const writer = (async () => {
    for (let round = 1; !isOver; round++) {
      await fill(store, round % 256, of)
      written = round % 256
      if (round === 255) break
    }
  })()
  await Promise.all(Array.from({ length: 12 }, reader))
  isOver = true
  await writer
}
