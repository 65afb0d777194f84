// Processor time of the main thread between two rounds of its event loop, garbage collection left
// out: what one turn costs those that wait for the next. The scheduler's own figure of the thread
// is read, so neither other processes nor the machine's speed at waiting count. Source: Linux
// Documentation/scheduler/sched-stats.rst, /proc/<pid>/schedstat.

import { closeSync, openSync, readSync } from 'node:fs'
import { type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'

/** A round that is looked at: shorter ones never are the longest of a hostile command. */
const notedMs = 5

interface Round {
  readonly from: number
  readonly to: number
  readonly cpuMs: number
}

export class TurnMeter {
  private readonly file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  private readonly buffer = Buffer.alloc(64)
  private readonly rounds: Round[] = []
  private readonly collections: PerformanceEntry[] = []
  private readonly observer: PerformanceObserver
  private lastCpuMs = 0
  private lastAt = 0
  private isOpen = true

  constructor() {
    this.observer = new PerformanceObserver((list) => {
      this.collections.push(...list.getEntries())
    })
    this.observer.observe({ entryTypes: ['gc'] })
    this.lastCpuMs = this.cpuMs()
    this.lastAt = performance.now()
    setImmediate(this.round)
  }

  /** Forgets the rounds so far, and what the present one has cost: it was not of the next case. */
  reset(): void {
    this.rounds.length = 0
    this.collections.length = 0
    this.lastCpuMs = this.cpuMs()
    this.lastAt = performance.now()
  }

  /** The longest round since `reset`, milliseconds. */
  async longest(): Promise<number> {
    // The observer is told of collections a little later.
    await delay(1)
    let longest = 0
    // From the longest on: collections of few are looked for, and this is no long turn itself.
    for (const { from, to, cpuMs } of this.rounds.toSorted((a, b) => b.cpuMs - a.cpuMs)) {
      if (cpuMs <= longest) break
      // Collections are told by the wall clock: on a loaded machine a part of them was waiting.
      const share = Math.min(1, cpuMs / Math.max(to - from, 0.001))
      longest = Math.max(longest, cpuMs - this.collectedBetween(from, to) * share)
    }
    return longest
  }

  close(): void {
    this.isOpen = false
    this.observer.disconnect()
    closeSync(this.file)
  }

  private collectedBetween(from: number, to: number): number {
    let ms = 0
    for (const { startTime, duration } of this.collections) {
      ms += Math.max(0, Math.min(to, startTime + duration) - Math.max(from, startTime))
    }
    return ms
  }

  private readonly round = (): void => {
    if (!this.isOpen) return
    const cpuMs = this.cpuMs()
    const now = performance.now()
    const spent = cpuMs - this.lastCpuMs
    if (spent >= notedMs) this.rounds.push({ from: this.lastAt, to: now, cpuMs: spent })
    this.lastCpuMs = cpuMs
    this.lastAt = now
    setImmediate(this.round)
  }

  /** Of this thread since it began, milliseconds. */
  private cpuMs(): number {
    const length = readSync(this.file, this.buffer, 0, this.buffer.length, 0)
    return Number(this.buffer.toString('latin1', 0, length).split(' ')[0]) / 1e6
  }
}
