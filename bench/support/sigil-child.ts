// A whole Sigil in a process of its own, with a probe of its event loop: `ticks` over IPC answers
// the longest turn since the last question, less garbage collection, and beside it the longest
// collection; `others` what other owners had while commands of a watched owner were there.

import { PerformanceObserver } from 'node:perf_hooks'
import { systemClock, systemRandom } from '../../src/base/clock.js'
import { openLog } from '../../src/base/log.js'
import { readSettings } from '../../src/base/settings.js'
import { loadGateway } from '../../src/gateway/load-gateway.js'
import type { TickReport } from './processes.js'

const settings = readSettings(process.env)
const gateway = await loadGateway().openGateway({
  settings,
  clock: systemClock,
  random: systemRandom,
  log: openLog(settings.LOG_LEVEL),
  version: 'bench',
})

interface Turn {
  readonly start: number
  readonly end: number
}

/** Turns shorter than this are never the longest. */
const longTurnMs = 3
let turns: Turn[] = []
let collections: { readonly start: number; readonly ms: number }[] = []
let last = performance.now()
const probe = () => {
  const now = performance.now()
  if (now - last > longTurnMs) turns.push({ start: last, end: now })
  last = now
  setImmediate(probe)
}

/** Milliseconds of a turn that were Sigil's own work. */
function workOf({ start, end }: Turn): number {
  let work = end - start
  for (const { start: from, ms } of collections) if (from >= start && from < end) work -= ms
  return work
}

function report(): TickReport {
  const found = {
    maxMs: Math.max(0, ...turns.map(workOf)),
    gcMaxMs: Math.max(0, ...collections.map(({ ms }) => ms)),
  }
  turns = []
  collections = []
  return found
}

if (process.env.TICK_PROBE === '1') probe()
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) {
    collections.push({ start: startTime, ms: duration })
  }
}).observe({ entryTypes: ['gc'] })

/** Milliseconds that other owners had while commands of the watched one were there. */
const othersMs: number[] = []

function watch(owner: string): void {
  const account = gateway.scheduler?.of(owner)
  if (account === undefined) return
  account.onServed = (ms) => {
    othersMs.push(ms)
  }
}

process.on('message', (message: 'ticks' | 'others' | { readonly watch: string }) => {
  if (message === 'others') process.send?.(othersMs.splice(0))
  else if (message !== 'ticks') watch(message.watch)
  // Collections are told a little after they happened: the answer waits for the last of them.
  else setTimeout(() => process.send?.(report()), 50)
})
process.on('SIGTERM', () => {
  gateway.close().then(() => process.exit(0))
})
process.send?.(gateway.ports)
