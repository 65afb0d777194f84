// Returns memory at rest. V8 collects the garbage of a burst only when it needs the room, which on
// a quiet server may be never. So a quiet process collects once.

import { getHeapStatistics } from 'node:v8'
import { restMs } from '../limits/engine.js'
import { MiB } from '../units.js'
import type { MemoryAccount } from './memory-account.js'

/** Share of busy time that counts as rest, and the garbage that is worth a collection. */
const restBusyShare = 0.05
export const restGarbageBytes = 16 * MiB

/**
 * With this much garbage, mostly buffers of large replies, a slightly busy process collects too.
 */
export const muchGarbageBytes = 64 * MiB
export const muchGarbageBusyShare = 0.5

interface HeapProbe {
  /** Bytes of the heap and its buffers, including uncollected garbage. */
  heapBytes(): number
  /** Share of time since the last call that the event loop was busy, 0 to 1. */
  busyShare(): number
  /** Peak of bytes held for clients since the last collection, minus the bytes held now. */
  freedBytes(): number
  /** Returns the buffers that are kept for the next load. */
  giveBack(): void
  /** A full collection: tens of milliseconds. */
  collect(): void
}

/** Buffers that are no garbage, whether they are in use or kept for the next load. */
interface KeptBuffers {
  readonly bytes: () => number
  readonly giveBack: () => void
}

/** The process' own; undefined without `--expose-gc`, which `npm start` sets. */
export function processHeap({ budget }: MemoryAccount, kept: KeptBuffers): HeapProbe | undefined {
  const { gc } = globalThis
  if (gc === undefined) return undefined
  let last = performance.eventLoopUtilization()
  return {
    heapBytes: () => {
      const { used_heap_size, external_memory } = getHeapStatistics()
      return used_heap_size + external_memory - kept.bytes()
    },
    busyShare: () => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      last = now
      return utilization
    },
    freedBytes: () => budget.fallenBytes,
    giveBack: kept.giveBack,
    collect: () => {
      gc()
      // The first collection only finalizes requests; this one frees them and their texts.
      setImmediate(() => void gc())
      budget.forgetPeak()
    },
  }
}

/** Checks every `restMs` until stopped; it does not keep the process alive. */
export class HeapRest {
  private keptBytes: number
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly probe: HeapProbe) {
    this.keptBytes = probe.heapBytes()
  }

  start(): void {
    this.timer = setInterval(() => this.look(), restMs).unref()
  }

  stop(): void {
    clearInterval(this.timer)
  }

  /** Collects if the interval was quiet and garbage may have gathered. */
  look(): void {
    const { probe } = this
    const busy = probe.busyShare()
    if (busy > muchGarbageBusyShare) return
    if (busy <= restBusyShare) probe.giveBack()
    const heap = probe.heapBytes()
    // A collection in the meantime lowers the measure of live bytes.
    this.keptBytes = Math.min(this.keptBytes, heap)
    const garbage = Math.max(heap - this.keptBytes, probe.freedBytes())
    if (garbage < (busy > restBusyShare ? muchGarbageBytes : restGarbageBytes)) return
    probe.collect()
    this.keptBytes = probe.heapBytes()
  }
}
