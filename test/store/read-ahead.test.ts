// Reading ahead for a loop over many keys: where a get is a round trip, and nowhere else.

import t from 'tap'
import type { Bytes } from '../../src/base/bytes/bytes.js'
import { systemClock } from '../../src/base/clock.js'
import { openMemoryStore } from '../../src/store/memory.js'
import { AskingReadTx } from '../../src/store/programs/asking.js'
import { getEachVersioned } from '../../src/store/programs/fetching.js'
import { ReadAhead, readAheadIn } from '../../src/store/read-ahead.js'
import type { Ask, Program, ReadTx } from '../../src/store/store.js'

const key = (n: number): Bytes => Uint8Array.of(0x05, n >> 8, n & 255)

/** Runs a program whose keys all have a value of `bytes` bytes; what it has asked. */
function asksOf(
  bytes: number,
  program: (tx: ReadTx) => Program<unknown>,
  tx = new AskingReadTx(),
): Ask[] {
  const asked: Ask[] = []
  const running = program(tx)
  const stored = () => ({ value: new Uint8Array(bytes), version: 1 })
  for (let next = running.next(); next.done !== true; ) {
    const ask = next.value
    asked.push(ask)
    const told = ask.kind === 'ahead' ? getEachVersioned(ask.keys, ask.bytesMax, stored) : stored()
    next = running.next(told)
  }
  return asked
}

function* getAll(tx: ReadTx, count: number): Program<void> {
  const ahead = ReadAhead.of(tx, { count, keysOf: (index, keys) => keys.push(key(index)) })
  for (let i = 0; i < count; i++) {
    if (ahead !== undefined) yield* ahead.before(i)
    yield* tx.get(key(i))
  }
}

const sizes = (asks: readonly Ask[]) =>
  asks.map((ask) => (ask.kind === 'ahead' ? ask.keys.length : ask.kind))

t.test('a loop over many keys asks for batches, of 4 MiB each', async (t) => {
  t.same(sizes(asksOf(10, (tx) => getAll(tx, 1_500))), [128, 512, 512, 348])
  t.same(sizes(asksOf(100_000, (tx) => getAll(tx, 300))), [128, 128, 128, 128, 128, 90, 48, 6])
  t.same(sizes(asksOf(10, (tx) => getAll(tx, 1))), ['get'])
})

t.test('a program owns what it gets, and a pause forgets what was read ahead', async (t) => {
  const asks = asksOf(1, function* (tx) {
    const ahead = ReadAhead.of(tx, { count: 2, keysOf: (index, keys) => keys.push(key(index)) })
    if (ahead !== undefined) yield* ahead.before(0)
    const first = yield* tx.get(key(0))
    first?.fill(7)
    t.same(yield* tx.get(key(0)), Uint8Array.of(0))
    t.equal((yield* tx.getVersioned(key(1)))?.version, 1)
    yield* tx.pause()
    yield* tx.get(key(1))
  })
  t.same(sizes(asks), [2, 'pause', 'get'])
})

t.test(
  'a program of one state keeps over a pause what it has read ahead, up to a bound',
  async (t) => {
    const held = function* (tx: ReadTx): Program<void> {
      yield* readAheadIn(tx, [key(0)])
      yield* tx.pause()
      yield* tx.get(key(0))
      for (let from = 1; from < 12_000; from += 1_000) {
        const keys = Array.from({ length: 1_000 }, (_, i) => key(from + i))
        yield* readAheadIn(tx, keys)
        for (const each of keys) yield* tx.get(each)
      }
      yield* tx.get(key(0))
    }
    const many = Array.from({ length: 12 }, () => 1_000)
    t.same(sizes(asksOf(1, held, new AskingReadTx(true))), [1, 'pause', ...many, 'get'])
  },
)

t.test('an embedded store reads nothing ahead', async (t) => {
  const store = openMemoryStore(systemClock)
  await store.write(function* (tx) {
    t.equal(ReadAhead.of(tx, { count: 9, keysOf: () => t.fail('asks for keys') }), undefined)
  })
  await store.read(function* (tx) {
    t.equal(ReadAhead.of(tx, { count: 9, keysOf: () => t.fail('asks for keys') }), undefined)
  })
  await store.close()
})
