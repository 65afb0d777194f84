// Stores for measurements below the gateway: opened as the gateway does, filled with records, and
// waited for until everything lies in the tables.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Bytes } from '../../src/base/bytes/bytes.js'
import { systemClock } from '../../src/base/clock.js'
import { openLog } from '../../src/base/log.js'
import { keyClass } from '../../src/store/layout.js'
import { openLmdbStore } from '../../src/store/lmdb.js'
import type { Durability } from '../../src/store/log/log-sync.js'
import type { Store } from '../../src/store/store.js'

/** Class and namespace before each key. */
const prefixBytes = 5
const valueBytes = 64
const putsPerProgram = 500
const programsAtOnce = 32

export function openBenchStore(path: string, durability: Durability = 'interval'): Store {
  return openLmdbStore({ path, durability, clock: systemClock, log: openLog('warn') })
}

/** A record key of namespace 1 behind which `bytes` from `start` to `end` stand. */
export function keyOf(bytes: Bytes, start = 0, end = bytes.length): Bytes {
  const key = new Uint8Array(prefixBytes + end - start)
  key[0] = keyClass.record
  key[prefixBytes - 1] = 1
  // Short keys: a loop beats the call into native code.
  for (let i = start; i < end; i++) key[prefixBytes + i - start] = bytes[i] as number
  return key
}

/** A record key of 16 bytes, spread so that its order is not that of the numbers. */
export function spreadKey(n: number): Bytes {
  const tail = Buffer.alloc(11)
  tail.writeUInt32BE(Math.imul(n, 2_654_435_761) >>> 0)
  tail.writeUInt32BE(n, 4)
  return keyOf(tail)
}

export function benchValue(n: number, length = valueBytes): Bytes {
  return new Uint8Array(length).fill(n)
}

export async function fillStore(
  store: Store,
  count: number,
  key: (n: number) => Bytes,
  length = valueBytes,
): Promise<void> {
  let next = 0
  const fill = async () => {
    while (next < count) {
      const from = next
      next = Math.min(count, from + putsPerProgram)
      const end = next
      await store.write(function* (tx) {
        for (let n = from; n < end; n++) tx.put(key(n), benchValue(n, length))
      })
    }
  }
  await Promise.all(Array.from({ length: programsAtOnce }, fill))
}

/** Resolves when the memtables are empty. */
export async function settled(store: Store): Promise<void> {
  while ((store.stats().log?.memtableEntries ?? 0) > 0) await sleep(50)
}
