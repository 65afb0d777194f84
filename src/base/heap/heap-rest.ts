// Gives memory back at rest. What a burst leaves in the heap the engine collects when it needs the
// room, and on a server that has gone quiet that may be never; so a quiet process collects once.

import { getHeapStatistics } from 'node:v8'
import { restBusyShare, restGarbageBytes, restMs } from '../limits.js'
import { MiB } from '../units.js'
import type { MemoryAccount } from './memory-account.js'

/** Of much garbage, buffers of large replies above all, also a process that works a little. */
export const muchGarbageBytes = 64 * MiB
export const muchGarbageBusyShare = 0.5

interface HeapProbe {
  /** Bytes in use by the heap and its buffers, garbage that was not collected included. */
  heapBytes(): number
  /** Share of the time since the last question that the event loop was at work, 0 to 1. */
  busyShare(): number
  /** Bytes that clients held at most since the last collection, less what they hold now. */
  freedBytes(): number
  /** A whole collection: tens of milliseconds. */
  collect(): void
}

/** The process's own; undefined unless it was started with `--expose-gc`, as `npm start` does. */
export function processHeap({ budget }: MemoryAccount): HeapProbe | undefined {
  const { gc } = globalThis
  if (gc === undefined) return undefined
  let last = performance.eventLoopUtilization()
  return {
    heapBytes: () => {
      const { used_heap_size, external_memory } = getHeapStatistics()
      return used_heap_size + external_memory
    },
    busyShare: () => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      last = now
      return utilization
    },
    freedBytes: () => budget.fallenBytes,
    collect: () => {
      gc()
      // What the first one has only finalized, requests and the texts that they hold, goes now.
      setImmediate(() => void gc())
      budget.forgetPeak()
    },
  }
}

/** Looks every `restMs`, as long as it is not stopped; holds no process open. */
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

  /** Collects where the time since the last look was quiet and garbage may have gathered. */
  look(): void {
    const { probe } = this
    const busy = probe.busyShare()
    if (busy > muchGarbageBusyShare) return
    const heap = probe.heapBytes()
    // What was collected meanwhile is no measure of what is kept.
    this.keptBytes = Math.min(this.keptBytes, heap)
    const garbage = Math.max(heap - this.keptBytes, probe.freedBytes())
    if (garbage < (busy > restBusyShare ? muchGarbageBytes : restGarbageBytes)) return
    probe.collect()
    this.keptBytes = probe.heapBytes()
  }
}
