// A client that waits on one gateway is woken by a commit of another one: by a hint, or by a second
// look where the hint was lost. Nothing is sent of keys for which no client waits.

import t, { type Test } from 'tap'
import type { Bytes } from '../../src/base/bytes/bytes.js'
import { systemClock } from '../../src/base/clock.js'
import { wantedKeysMs } from '../../src/base/limits/store.js'
import { silentLog } from '../../src/base/log.js'
import { ClockPace } from '../../src/engine/background/pace-job.js'
import { SecondLook } from '../../src/engine/background/second-look-job.js'
import { ObservedStore } from '../../src/engine/observed-store.js'
import { RemoteWakes } from '../../src/engine/remote-wakes.js'
import { topic } from '../../src/store/exchange.js'
import { idKey, keyClass } from '../../src/store/layout.js'
import { TestExchange } from '../support/exchanges.js'
import { openGateways } from '../support/gateways.js'

const key = idKey(keyClass.record, 1, Uint8Array.of(1))
const other = idKey(keyClass.record, 1, Uint8Array.of(2))

interface Gateway {
  readonly store: ObservedStore
  readonly exchange: TestExchange
  readonly wakes: RemoteWakes
  readonly look: SecondLook
}

function openPair(t: Test, elapsed = () => 0): readonly [Gateway, Gateway] {
  const exchanges = TestExchange.open(2)
  const made = openGateways(t).map((inner, index): Gateway => {
    const store = new ObservedStore(inner)
    const exchange = exchanges[index] as TestExchange
    const wakes = new RemoteWakes(exchange, { now: systemClock.now, elapsed })
    store.wakes = wakes
    const pace = new ClockPace(systemClock)
    return { store, exchange, wakes, look: new SecondLook({ store, wakes, log: silentLog, pace }) }
  })
  return made as unknown as readonly [Gateway, Gateway]
}

function put({ store }: Gateway, at: Bytes): Promise<void> {
  return store.write(function* (tx) {
    tx.put(at, Uint8Array.of(1))
  })
}

/** Messages are sent at the end of the running microtasks. */
const told = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

t.test('a hint wakes', async (t) => {
  const [one, two] = openPair(t)
  let woken = 0
  const stop = two.store.observeAnywhere(key, () => woken++)
  await told()
  woken = 0
  await put(one, other)
  await told()
  t.notOk(one.exchange.sent.includes(topic.changed), 'nothing waits for this key')
  await put(one, key)
  await told()
  t.equal(woken, 1)
  stop()
  await put(one, key)
  await told()
  t.equal(woken, 1)
})

t.test('a second look finds what was lost', async (t) => {
  const [one, two] = openPair(t)
  const woken: string[] = []
  two.store.observeAnywhere(key, () => woken.push('key'))
  two.store.observeAnywhere(other, () => woken.push('other'))
  await told()
  await two.look.round()
  woken.length = 0
  await two.look.round()
  t.same(woken, [], 'nothing has changed')
  one.exchange.isCut = true
  await put(one, key)
  await told()
  t.same(woken, [])
  await two.look.round()
  t.same(woken, ['key'])
  two.exchange.lose()
  t.same(woken, ['key', 'key', 'other'], 'after a lost connection all look')
})

t.test('what a gateway has asked is told to one that comes later', async (t) => {
  const [one, two] = openPair(t)
  let woken = 0
  two.exchange.isCut = true
  two.store.observeAnywhere(key, () => woken++)
  await told()
  two.exchange.isCut = false
  t.notOk(one.wakes.isAsked)
  one.exchange.join()
  t.ok(one.wakes.isAsked)
  await put(one, key)
  await told()
  t.equal(woken, 1)
})

t.test('a key is wanted for a while after its last client', async (t) => {
  let now = 0
  const [one, two] = openPair(t, () => now)
  const wait = () => two.store.observeAnywhere(key, () => undefined)
  wait()()
  await told()
  const { length } = two.exchange.sent
  wait()()
  await told()
  t.equal(two.exchange.sent.length, length, 'it is not asked again')
  t.ok(one.wakes.isAsked)
  now = wantedKeysMs
  await two.look.round()
  t.notOk(one.wakes.isAsked)
})
