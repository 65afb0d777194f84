// Gives memory back at rest. What a burst leaves in the heap the engine collects when it needs the
// room, and on a server that has gone quiet that may be never; so a quiet process collects once.

import { getHeapStatistics } from 'node:v8'
import { restBusyShare, restGarbageBytes, restMs } from './limits.js'

export interface HeapProbe {
  /** Bytes in use in the heap, garbage that nobody has collected included. */
  heapBytes(): number
  /** Share of the time since the last question that the event loop was at work, 0 to 1. */
  busyShare(): number
  /** A whole collection: tens of milliseconds. */
  collect(): void
}

/** The process's own; undefined unless it was started with `--expose-gc`, as `npm start` does. */
export function processHeap(): HeapProbe | undefined {
  const { gc } = globalThis
  if (gc === undefined) return undefined
  let last = performance.eventLoopUtilization()
  return {
    heapBytes: () => getHeapStatistics().used_heap_size,
    busyShare: () => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      last = now
      return utilization
    },
    collect: () => void gc(),
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
    if (probe.busyShare() > restBusyShare) return
    if (probe.heapBytes() - this.keptBytes < restGarbageBytes) return
    probe.collect()
    this.keptBytes = probe.heapBytes()
  }
}
