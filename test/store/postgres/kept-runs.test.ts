// The programs of a group run side by side, and their runs count unless an earlier program has
// changed what they have read: then they do what they would have done one after the other. Keys
// that a group has seen to be missing are inserted, and another gateway may have been faster.

import fc from 'fast-check'
import t, { type Test } from 'tap'
import { type Bytes, mapKey } from '../../../src/base/bytes/bytes.js'
import { keyClass } from '../../../src/store/layout.js'
import { Link } from '../../../src/store/postgres/link.js'
import type { KeyRange, Program, Store, Tx } from '../../../src/store/store.js'
import { postgresMissing } from '../../support/postgres-reference.js'
import { runs } from '../../support/runs.js'
import { openShared, sharedAddress } from '../../support/shared-stores.js'
import { openStore } from '../../support/stores.js'

const skip = { skip: postgresMissing }

const keysOf = (first: number) => [1, 2, 3, 4].map((last) => Uint8Array.of(first, 0, last))
const records = keysOf(keyClass.record)
const entries = keysOf(keyClass.entry)
const counters = keysOf(keyClass.count)
const all: readonly KeyRange[] = [keyClass.record, keyClass.entry, keyClass.count].map((first) => {
  return { start: Uint8Array.of(first, 0), end: Uint8Array.of(first, 1) }
})

type Action = (tx: Tx) => Program<unknown>

const record = fc.constantFrom(...records)
const entry = fc.constantFrom(...entries)
const counter = fc.constantFrom(...counters)
const some = fc.array(record, { minLength: 1, maxLength: 3 })
const range = fc
  .tuple(fc.constantFrom(...all), fc.boolean(), fc.nat(4))
  .map(([whole, reverse, from]) => {
    return { start: Uint8Array.of(...whole.start, from), end: whole.end, reverse }
  })
const limit = fc.integer({ min: 1, max: 5 })

const show = (bytes: Bytes | undefined) => (bytes === undefined ? '-' : mapKey(bytes))

const reads: readonly fc.Arbitrary<Action>[] = [
  record.map(
    (key) =>
      function* (tx) {
        return show(yield* tx.get(key))
      },
  ),
  record.map(
    (key) =>
      function* (tx) {
        return show((yield* tx.getVersioned(key))?.value)
      },
  ),
  some.map(
    (keys) =>
      function* (tx) {
        return (yield* tx.getMany(keys)).map(show)
      },
  ),
  some.map(
    (keys) =>
      function* (tx) {
        return (yield* tx.getVersions(keys)).map((version) => version !== undefined)
      },
  ),
  some.map(
    (keys) =>
      function* (tx) {
        if (tx.readAhead !== undefined) yield* tx.readAhead(keys)
        return show(yield* tx.get(keys[0] as Bytes))
      },
  ),
  counter.map(
    (key) =>
      function* (tx) {
        return yield* tx.count(key)
      },
  ),
  fc.tuple(range, limit).map(
    ([range, limit]) =>
      function* (tx) {
        return (yield* tx.scan(range, limit)).map(({ key, value }) => [show(key), show(value)])
      },
  ),
  fc.tuple(range, limit).map(
    ([range, limit]) =>
      function* (tx) {
        return (yield* tx.scanOwn(range, limit)).map(({ key, value }) => [show(key), show(value)])
      },
  ),
  limit.map(
    (limit) =>
      function* (tx) {
        const found = yield* tx.scanFetch(all[1] as KeyRange, limit)
        return found.map(({ key, value, record }) => [show(key), show(value), show(record)])
      },
  ),
]

const writes: readonly fc.Arbitrary<Action>[] = [
  fc.tuple(record, fc.nat(255)).map(
    ([key, value]) =>
      function* (tx) {
        tx.put(key, Uint8Array.of(value))
      },
  ),
  fc.tuple(entry, record).map(
    ([key, value]) =>
      function* (tx) {
        tx.put(key, value)
      },
  ),
  fc.oneof(record, entry).map(
    (key) =>
      function* (tx) {
        tx.remove(key)
      },
  ),
  fc.tuple(counter, fc.nat(9)).map(
    ([key, documents]) =>
      function* (tx) {
        tx.add(key, documents, 1)
      },
  ),
]

const script = fc.record({
  actions: fc.array(fc.oneof(...reads, ...writes), { minLength: 1, maxLength: 6 }),
  fails: fc.nat(5).map((n) => n === 0),
})

type Script = typeof script extends fc.Arbitrary<infer S> ? S : never

/** What it has read; its last write depends on that. */
function play({ actions, fails }: Script): (tx: Tx) => Program<unknown[]> {
  return function* (tx) {
    const seen: unknown[] = []
    for (const act of actions) seen.push(yield* act(tx))
    if (fails) throw new RangeError(JSON.stringify(seen))
    const sum = JSON.stringify(seen).length % 250
    if (seen.some((read) => read !== undefined)) tx.put(records[0] as Bytes, Uint8Array.of(sum))
    return seen
  }
}

const told = (outcome: PromiseSettledResult<unknown>) =>
  outcome.status === 'fulfilled' ? outcome.value : String(outcome.reason)

async function contents(store: Store): Promise<unknown> {
  return store.read(function* (tx) {
    const found: unknown[] = []
    for (const range of all) found.push(yield* tx.scan(range, 100))
    return found.flat()
  })
}

t.test('programs of one group do what they do one after the other', skip, async (t) => {
  const store = await openShared(t, await sharedAddress(t))
  const model = await openStore(t, 'memory')
  const group = fc.array(script, { minLength: 2, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(group, async (scripts) => {
      const together = Promise.allSettled(scripts.map((one) => store.write(play(one))))
      const before = store.stats().groups?.groups ?? 0
      const outcomes = (await together).map(told)
      t.equal((store.stats().groups?.groups ?? 0) - before, 1, 'they are one group')
      for (const [at, one] of scripts.entries()) {
        const [alone] = await Promise.allSettled([model.write(play(one))])
        t.same(outcomes[at], told(alone))
      }
      t.same(await contents(store), await contents(model))
    }),
    { numRuns: runs(60) },
  )
})

t.test('a program runs again behind what concerns it alone', skip, async (t) => {
  const store = await openShared(t, await sharedAddress(t))
  const [one, other, third] = records as [Bytes, Bytes, Bytes]
  const [sum] = counters as [Bytes]
  const plus = (key: Bytes): Action =>
    function* (tx) {
      tx.put(key, Uint8Array.of(((yield* tx.get(key))?.[0] ?? 0) + 1))
    }
  const adds: Action = function* (tx) {
    tx.add(sum, 1, 1)
  }
  const puts: Action = function* (tx) {
    tx.put(third, Uint8Array.of(9))
  }
  const scans: Action = function* (tx) {
    yield* tx.scan({ start: other, end: third }, 5)
  }
  const counts: Action = function* (tx) {
    yield* tx.count(sum)
  }
  const versions: Action = function* (tx) {
    tx.put(one, Uint8Array.of(7))
    yield* tx.getVersioned(one)
  }
  for (const [name, actions, most] of [
    ['one alone', [plus(one)], [1]],
    ['other keys', [plus(one), plus(other)], [1, 1]],
    ['the same key', [plus(one), plus(one), plus(other)], [1, 2, 1]],
    ['a scan beside it', [puts, scans], [1, 1]],
    ['a scan of it', [plus(other), scans], [1, 2]],
    ['writes without a read', [puts, puts, adds, adds], [1, 1, 1, 1]],
    ['a count', [counts, adds, counts], [1, 1, 2]],
    ['a version of its own', [versions], [2]],
  ] as const) {
    const ran = actions.map(() => 0)
    const programs = actions.map((act, at) => (tx: Tx) => {
      ran[at] = (ran[at] as number) + 1
      return act(tx)
    })
    await Promise.all(programs.map((program) => store.write(program)))
    t.same(ran, most, name)
  }
})

/** Adds one to each, and tells what they were. */
function* addToEach(tx: Tx): Program<number[]> {
  const found = yield* tx.getMany(many)
  const before = found.map((value) => value?.[0] ?? 0)
  for (const [at, key] of many.entries()) tx.put(key, Uint8Array.of((before[at] as number) + 1))
  return before
}

const many = Array.from({ length: 20 }, (_, i) => Uint8Array.of(keyClass.record, 1, i))

t.test('keys that were missing are inserted', skip, async (t) => {
  const address = await sharedAddress(t)
  const store = await openShared(t, address)
  const other = await openShared(t, address)
  const sent = sentBy(t, async () => {
    await other.write(addToEach)
  })
  t.same(new Set(await store.write(addToEach)), new Set([1]), 'the other gateway was faster')
  t.same(puts(sent), ['insert', 'insert', 'put'], 'it runs again, and replaces')
  sent.length = 0
  t.same(new Set(await other.write(addToEach)), new Set([2]))
  t.same(puts(sent), ['put'], 'what is there is replaced at once')
  t.equal(store.stats().groups?.groups, 1)
})

/** Adds records, each with an entry that leads to it. */
function* addLed(tx: Tx): Program<void> {
  yield* tx.getMany(many)
  for (const [at, key] of many.entries()) {
    tx.put(key, Uint8Array.of(1))
    tx.put(entryOf(at), key)
  }
}

const entryOf = (at: number) => Uint8Array.of(keyClass.entry, 1, at)

t.test('so are the entries of missing records, unless one is left over', skip, async (t) => {
  const store = await openShared(t, await sharedAddress(t))
  await store.write(function* (tx) {
    tx.put(entryOf(3), Uint8Array.of(0))
  })
  const sent = sentBy(t, () => Promise.resolve())
  await store.write(addLed)
  t.same(puts(sent), ['insert', 'put'], 'it runs again, and replaces')
  const leads = await store.read(function* (tx) {
    return yield* tx.getMany(many.map((_, at) => entryOf(at)))
  })
  t.same(leads.map(show), many.map(show))
  await store.write(function* (tx) {
    for (const [at, key] of many.entries()) {
      tx.remove(key)
      tx.remove(entryOf(at))
    }
  })
  sent.length = 0
  await store.write(addLed)
  t.same(puts(sent), ['insert'], 'at once')
})

const puts = (sent: readonly string[]) => sent.filter((name) => name === 'insert' || name === 'put')

/** Names of the statements from now on. `meanwhile` runs behind the first read of points. */
function sentBy(t: Test, meanwhile: () => Promise<void>): string[] {
  const names: string[] = []
  const { run } = Link.prototype
  let hasRun = false
  t.intercept(Link.prototype, 'run', {
    value(this: Link, ...args: Parameters<typeof run>) {
      names.push(args[0].name)
      const rows = run.apply(this, args)
      if (args[0].name !== 'points' || hasRun) return rows
      hasRun = true
      return rows.then(async (found) => {
        await meanwhile()
        return found
      })
    },
  })
  return names
}
