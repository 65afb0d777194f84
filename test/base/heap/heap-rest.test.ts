// The collection at rest: once after a burst, never under load, never for little.

import t from 'tap'
import {
  HeapRest,
  muchGarbageBusyShare,
  muchGarbageBytes,
  processHeap,
  restGarbageBytes,
} from '../../../src/base/heap/heap-rest.js'
import { MemoryAccount } from '../../../src/base/heap/memory-account.js'

interface Told {
  bytes: number
  busy: number
  collections: number
  returns: number
  freed: number
}

/** A heap that does as told, and keeps `kept` bytes through a collection. */
function toldHeap(kept: number): { told: Told; rest: HeapRest } {
  const told: Told = { bytes: kept, busy: 0, collections: 0, returns: 0, freed: 0 }
  const rest = new HeapRest({
    heapBytes: () => told.bytes,
    busyShare: () => told.busy,
    freedBytes: () => told.freed,
    giveBack: () => {
      told.returns++
    },
    collect: () => {
      told.collections++
      told.freed = 0
      told.bytes = kept
    },
  })
  return { told, rest }
}

t.test('a quiet process collects what a burst has left, once', async (t) => {
  const { told, rest } = toldHeap(1_000)
  rest.look()
  t.equal(told.collections, 0, 'nothing gathered yet')
  told.bytes += restGarbageBytes
  rest.look()
  rest.look()
  t.equal(told.collections, 1)
})

t.test('a busy process is left alone', async (t) => {
  const { told, rest } = toldHeap(1_000)
  told.bytes += restGarbageBytes
  told.busy = 0.5
  rest.look()
  t.equal(told.collections, 0)
})

t.test('of much garbage also a process that works a little', async (t) => {
  const { told, rest } = toldHeap(1_000)
  told.bytes += muchGarbageBytes
  told.busy = muchGarbageBusyShare + 0.01
  rest.look()
  t.equal(told.collections, 0, 'not a busy one')
  told.busy = muchGarbageBusyShare
  rest.look()
  t.equal(told.collections, 1)
})

t.test('what clients have given up counts, also where the heap has fallen since', async (t) => {
  const { told, rest } = toldHeap(10 * restGarbageBytes)
  told.bytes = 5 * restGarbageBytes
  told.freed = restGarbageBytes
  rest.look()
  t.equal(told.collections, 1)
  rest.look()
  t.equal(told.collections, 1, 'once')
  told.bytes = 11 * restGarbageBytes
  rest.look()
  t.equal(told.collections, 2)
})

t.test('a quiet process returns the buffers that wait for the next load', async (t) => {
  const { told, rest } = toldHeap(1_000)
  told.busy = 0.5
  rest.look()
  t.equal(told.returns, 0, 'a busy one keeps them')
  told.busy = 0
  rest.look()
  t.same([told.returns, told.collections], [1, 0])
})

t.test('what a collection keeps is no reason for another', async (t) => {
  const { told, rest } = toldHeap(10 * restGarbageBytes)
  told.bytes = 11 * restGarbageBytes
  rest.look()
  told.bytes += restGarbageBytes - 1
  rest.look()
  t.equal(told.collections, 1)
})

t.test('a process that was not asked to expose its collector has none', async (t) => {
  const kept = { bytes: () => 0, giveBack: () => {} }
  const heap = processHeap(new MemoryAccount(1_000_000), kept)
  t.equal(heap === undefined, globalThis.gc === undefined)
})
