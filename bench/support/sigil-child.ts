// A whole Sigil in a process of its own, with a probe of its event loop: `ticks` over IPC answers
// the longest turn since the last question without the store's own commits (their sync waits for
// the disk), the longest commit, and the longest garbage collection.

import { PerformanceObserver } from 'node:perf_hooks'
import { systemClock, systemRandom } from '../../src/base/clock.js'
import { openLog } from '../../src/base/log.js'
import { readSettings } from '../../src/base/settings.js'
import { openGateway } from '../../src/gateway.js'
import { LmdbTables } from '../../src/store/lmdb-tables.js'
import type { TickReport } from './processes.js'

const settings = readSettings(process.env)
const gateway = await openGateway({
  settings,
  clock: systemClock,
  random: systemRandom,
  log: openLog(settings.LOG_LEVEL),
  version: 'bench',
})

let maxMs = 0
let gcMaxMs = 0
let commitMaxMs = 0
let commitMs = 0
let last = performance.now()
const probe = () => {
  const now = performance.now()
  maxMs = Math.max(maxMs, now - last - commitMs)
  commitMs = 0
  last = now
  setImmediate(probe)
}

const { commit } = LmdbTables.prototype
LmdbTables.prototype.commit = function timed(body) {
  const started = performance.now()
  let bodyMs = 0
  try {
    commit.call(this, (view) => {
      const entered = performance.now()
      body(view)
      bodyMs = performance.now() - entered
    })
  } finally {
    const ms = performance.now() - started - bodyMs
    commitMs += ms
    commitMaxMs = Math.max(commitMaxMs, ms)
  }
}
if (process.env.TICK_PROBE === '1') probe()
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) gcMaxMs = Math.max(gcMaxMs, entry.duration)
}).observe({ entryTypes: ['gc'] })

process.on('message', () => {
  const report: TickReport = { maxMs, gcMaxMs, commitMaxMs }
  maxMs = 0
  commitMaxMs = 0
  gcMaxMs = 0
  process.send?.(report)
})
process.on('SIGTERM', () => {
  gateway.close().then(() => process.exit(0))
})
process.send?.(gateway.ports)
