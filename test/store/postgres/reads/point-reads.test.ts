// Reads of one key: while the process is busy, those of one moment are one statement; else each goes
// at once. What a statement returns is described once a connection.

import t from 'tap'
import type { Bytes } from '../../../../src/base/bytes/bytes.js'
import { LoopLoad } from '../../../../src/base/work/loop-load.js'
import { idKey, keyClass } from '../../../../src/store/layout.js'
import { Link } from '../../../../src/store/postgres/link.js'
import { PreparedQuery } from '../../../../src/store/postgres/prepared-query.js'
import type { Program, ReadTx, Store } from '../../../../src/store/store.js'
import { postgresMissing } from '../../../support/postgres-reference.js'
import { openShared, sharedAddress } from '../../../support/shared-stores.js'

const skip = { skip: postgresMissing }
const keyOf = (n: number) => idKey(keyClass.record, n)

let sent = 0
let described = 0
let isBusy = false
const { run } = Link.prototype
const { handleRowDescription } = PreparedQuery.prototype
const busy = Object.getOwnPropertyDescriptor(LoopLoad.prototype, 'isBusy') as PropertyDescriptor
Link.prototype.run = function (statement, values) {
  if (statement.name === 'points') sent++
  return run.call(this, statement, values)
}
PreparedQuery.prototype.handleRowDescription = function (message) {
  described++
  handleRowDescription.call(this, message)
}
Object.defineProperty(LoopLoad.prototype, 'isBusy', { get: () => isBusy, configurable: true })
t.teardown(() => {
  Link.prototype.run = run
  PreparedQuery.prototype.handleRowDescription = handleRowDescription
  Object.defineProperty(LoopLoad.prototype, 'isBusy', busy)
})

/** A read that may begin again, as those of commands: its first question is no transaction's. */
const read = (store: Store, n: number) => {
  return store.read((tx) => oneOf(tx, n), { runsAgain: true })
}

function* oneOf(tx: ReadTx, n: number): Program<Bytes | undefined> {
  return yield* tx.get(keyOf(n))
}

interface Timer {
  readonly act: () => void
  readonly ms: number
}

const asked: unknown[] = []

/** Twenty turns of the loop behind a read, in which no timer fires: those set, and what was sent. */
async function turns(act: () => unknown): Promise<[Timer[], number]> {
  const { setTimeout } = globalThis
  const timers: Timer[] = []
  globalThis.setTimeout = ((act: () => void, ms: number) => timers.push({ act, ms })) as never
  try {
    asked.push(act())
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  } finally {
    globalThis.setTimeout = setTimeout
  }
  return [timers, sent]
}

async function fill(store: Store): Promise<void> {
  await store.write(function* (tx) {
    for (let n = 0; n < 10; n++) tx.put(keyOf(n), Uint8Array.of(n))
  })
}

t.test('a busy process gathers reads of successive turns', skip, async (t) => {
  const store = await openShared(t, await sharedAddress(t))
  await fill(store)
  await Promise.all([read(store, 0), read(store, 1)])
  isBusy = false
  const idle = sent
  t.same(await turns(() => read(store, 2)), [[], idle + 1], 'an idle one waits for nothing')

  isBusy = true
  const before = sent
  const [[timer]] = await turns(() => read(store, 2))
  t.equal(sent, before)
  t.equal(timer?.ms, 1)
  t.same(await turns(() => read(store, 3)), [[], before], 'it goes with the first')
  timer?.act()
  t.same(
    await Promise.all(asked),
    [2, 2, 3].map((n) => Uint8Array.of(n)),
  )
  t.equal(sent, before + 1)
  isBusy = false
})

t.test('a statement is described once', skip, async (t) => {
  const store = await openShared(t, await sharedAddress(t))
  await fill(store)
  await read(store, 0)
  const before = described
  for (let n = 0; n < 10; n++) t.same(await read(store, n), Uint8Array.of(n))
  t.equal(described, before)
})
