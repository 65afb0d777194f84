// The collection at rest: once after a burst, never under load, never for little.

import t from 'tap'
import { HeapRest, processHeap } from '../../src/base/heap-rest.js'
import { restGarbageBytes } from '../../src/base/limits.js'

interface Told {
  bytes: number
  busy: number
  collections: number
}

/** A heap that does as told, and keeps `kept` bytes through a collection. */
function toldHeap(kept: number): { told: Told; rest: HeapRest } {
  const told: Told = { bytes: kept, busy: 0, collections: 0 }
  const rest = new HeapRest({
    heapBytes: () => told.bytes,
    busyShare: () => told.busy,
    collect: () => {
      told.collections++
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

t.test('what a collection keeps is no reason for another', async (t) => {
  const { told, rest } = toldHeap(10 * restGarbageBytes)
  told.bytes = 11 * restGarbageBytes
  rest.look()
  told.bytes += restGarbageBytes - 1
  rest.look()
  t.equal(told.collections, 1)
})

t.test('a process that was not asked to expose its collector has none', async (t) => {
  t.equal(processHeap() === undefined, globalThis.gc === undefined)
})
