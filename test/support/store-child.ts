// A process of its own over a store folder, for tests that kill it. It prints a line for each thing
// it has done: what a parent has read was acknowledged.
//
// Usage: store-child <folder> <hold | write | fill> [durability]

import { once } from 'node:events'
import { systemClock } from '../../src/base/clock.js'
import { GatewayError } from '../../src/base/errors.js'
import { silentLog } from '../../src/base/log.js'
import { keyClass } from '../../src/store/layout.js'
import { openLmdbStore } from '../../src/store/lmdb.js'
import type { Durability } from '../../src/store/log/log-sync.js'
import type { Store } from '../../src/store/store.js'
import { tell } from './told-lines.js'

/** Programs that each write two records and add to a counter, several at a time. */
const lanes = 8

export function childKey(half: number, number: number): Uint8Array {
  return Uint8Array.of(keyClass.record, half, number >>> 16, number >>> 8, number)
}

export const childCounter = Uint8Array.of(keyClass.count, 1)

async function write(store: Store): Promise<void> {
  let next = 0
  const lane = async () => {
    for (;;) {
      const number = next++
      const bytes = new Uint8Array(100 + (number % 900)).fill(number)
      await store.write(function* (tx) {
        tx.put(childKey(0, number), bytes)
        tx.put(childKey(1, number), bytes)
        tx.add(childCounter, 1, bytes.length)
      })
      tell(String(number))
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** Writes until the store refuses, reads on, and writes again once the parent says a line. */
async function fill(store: Store): Promise<void> {
  const bytes = new Uint8Array(50_000).fill(7)
  const put = (number: number) =>
    store.write(function* (tx) {
      tx.put(childKey(0, number), bytes)
    })
  const read = async (number: number) =>
    store.read(function* (tx) {
      return (yield* tx.get(childKey(0, number)))?.length
    })
  let number = 0
  try {
    for (;;) await put(number++)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    tell(`refused ${error.codeName}: ${error.message}`)
  }
  tell(`refusing ${store.stats().refusing}`)
  tell(`read ${await read(number - 2)} ${await read(number - 1)}`)
  await once(process.stdin, 'data')
  await put(number - 1)
  tell(`again ${await read(number - 1)} ${store.stats().refusing}`)
  await store.close()
  process.stdin.destroy()
}

// The test runner's own listener would end the process at a write beyond its limit: not if there is
// another.
process.on('SIGXFSZ', () => {})

const [folder, task, durability = 'interval'] = process.argv.slice(2)
if (folder !== undefined && task !== undefined) {
  const given = { durability: durability as Durability, clock: systemClock, log: silentLog }
  const store = openLmdbStore({ path: folder, ...given })
  tell('open')
  if (task === 'write') await write(store)
  else if (task === 'fill') await fill(store)
  else process.stdin.resume()
}
