// The load of the event loop: of the time since it was last looked at, and looked at seldom.

import type { EventLoopUtilization } from 'node:perf_hooks'
import t from 'tap'
import { LoopLoad } from '../../../src/base/work/loop-load.js'
import { ManualClock } from '../../support/engine-room.js'

t.test('a loop is busy by what it did lately, not by what it ever did', async (t) => {
  const clock = new ManualClock()
  const total = { idle: 0, active: 0 }
  let looks = 0
  const utilization = (now?: EventLoopUtilization, last?: EventLoopUtilization) => {
    looks++
    const idle = (now ?? total).idle - (last?.idle ?? 0)
    const active = (now ?? total).active - (last?.active ?? 0)
    return { idle, active, utilization: active / (idle + active) }
  }
  const load = new LoopLoad(clock, utilization)
  const passes = (idle: number, active: number) => {
    clock.ms += idle + active
    total.idle += idle
    total.active += active
    return load.isBusy
  }
  t.notOk(passes(900, 100))
  t.notOk(passes(110, 90), 'nearly half of the time')
  t.ok(passes(100, 100), 'half of it')
  t.ok(passes(0, 500))
  looks = 0
  t.ok(passes(90, 0), 'not looked at anew so soon')
  t.equal(looks, 0)
  t.notOk(passes(110, 0), 'idle, however busy before')
})

t.test('of this process', async (t) => {
  const clock = new ManualClock()
  const load = new LoopLoad(clock)
  // No timer, so the loop never waits.
  for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve))
  clock.ms += 1_000
  t.ok(load.isBusy)
})
