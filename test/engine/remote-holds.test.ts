// A long command on one gateway ends beside a client that writes to what it reads on another one:
// what it has read is held there too, until it ends, its gateway leaves, or its time is over.

import t, { type Test } from 'tap'
import type { Bytes } from '../../src/base/bytes/bytes.js'
import { heldReadsMsMax } from '../../src/base/limits/store.js'
import { turnUnits } from '../../src/base/work/work-figures.js'
import { ObservedStore } from '../../src/engine/observed-store.js'
import { preparedWrite } from '../../src/engine/prepared-write.js'
import { RemoteHolds } from '../../src/engine/remote-holds.js'
import { idKey, keyClass } from '../../src/store/layout.js'
import type { Program, Tx } from '../../src/store/store.js'
import { runSweep } from '../../src/store/sweep.js'
import { HeldReads } from '../../src/store/transactions/held-reads.js'
import { ManualClock } from '../support/engine-room.js'
import { TestExchange } from '../support/exchanges.js'
import { openGateways } from '../support/gateways.js'

const key = idKey(keyClass.record, 1, Uint8Array.of(1))
const other = idKey(keyClass.record, 1, Uint8Array.of(2))
const result = idKey(keyClass.record, 1, Uint8Array.of(3))

interface Gateway {
  readonly store: ObservedStore
  readonly exchange: TestExchange
  readonly held: HeldReads
  readonly holds: RemoteHolds
}

function openPair(t: Test, clock = new ManualClock()): readonly [Gateway, Gateway] {
  const exchanges = TestExchange.open(2)
  const made = openGateways(t).map((inner, index): Gateway => {
    const store = new ObservedStore(inner)
    const exchange = exchanges[index] as TestExchange
    const held = new HeldReads(clock)
    const holds = new RemoteHolds(exchange, held)
    store.heldReads = held
    store.remoteHolds = holds
    return { store, exchange, held, holds }
  })
  return made as unknown as readonly [Gateway, Gateway]
}

function* increment(tx: Tx): Program<void> {
  tx.put(key, Uint8Array.of(((yield* tx.get(key))?.[0] ?? 0) + 1))
}

/** Program turns that a run waits for the writer beside it. */
const turnsMax = 200

/** Copies the key, while the other gateway increments it in each run; returns the runs. */
async function copyBeside(one: Gateway, two: Gateway): Promise<number> {
  let runs = 0
  const writes: Promise<unknown>[] = []
  const sweep = preparedWrite(
    one.store,
    function* (tx) {
      runs++
      const value = (yield* tx.get(key))?.[0] ?? 0
      yield* tx.pause(turnUnits)
      let isOver = false
      const write = two.store.write(increment).then(() => {
        isOver = true
      })
      writes.push(write)
      for (let turn = 0; turn < turnsMax && !isOver; turn++) yield* tx.pause(turnUnits)
      tx.put(result, Uint8Array.of(value))
    },
    { mayHold: () => true },
  )
  try {
    await runSweep(one.store, sweep)
  } finally {
    await Promise.all(writes)
  }
  return runs
}

t.test('a command ends beside a writer of another gateway, who goes on behind it', async (t) => {
  const [one, two] = openPair(t)
  const runs = await copyBeside(one, two)
  const [seen, now] = await one.store.read(function* (tx) {
    return [(yield* tx.get(result))?.[0], (yield* tx.get(key))?.[0]]
  })
  t.ok(runs <= 4, `${runs} runs`)
  t.ok((now as number) > (seen as number), `it has seen ${seen}, and ${now} were made`)
  t.equal(two.held.isOn, false)
})

t.test('without the messages it begins again and again, and fails', async (t) => {
  const [one, two] = openPair(t)
  one.exchange.isCut = true
  await t.rejects(copyBeside(one, two), /kept changing/)
})

t.test('what is held', async (t) => {
  const clock = new ManualClock()
  const [one, two] = openPair(t, clock)
  const blocks = (at: Bytes) => two.held.blocking({}, [at]) !== undefined
  const first = one.holds.begin(500)
  t.equal(blocks(key), false)
  first.add([key])
  t.same([blocks(key), blocks(other)], [true, false])
  const second = one.holds.begin(500)
  second.add([key])
  first.add([other])
  t.same([blocks(key), blocks(other)], [true, true])
  first.end()
  t.same([blocks(key), blocks(other)], [true, false], 'another command holds it')
  one.exchange.leave()
  t.equal(two.held.isOn, false, 'a gateway that leaves holds nothing')
})

t.test('a time that another gateway tells is bounded here', async (t) => {
  const clock = new ManualClock()
  const [one, two] = openPair(t, clock)
  one.holds.begin(10 * heldReadsMsMax).add([key])
  clock.ms += heldReadsMsMax - 1
  two.held.expire()
  t.equal(two.held.isOn, true)
  clock.ms += 1
  two.held.expire()
  t.equal(two.held.isOn, false)
})
