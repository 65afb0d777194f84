// The history of metrics: steps of differences, one hour at most.

import t from 'tap'
import { fail } from '../../src/base/errors.js'
import { historyStepMs, historySteps } from '../../src/base/limits/http.js'
import { Metering } from '../../src/bus/metering.js'
import { MeteringHistory } from '../../src/bus/metering-history.js'

function room() {
  const time = { ms: 1_000_000 }
  const clock = { now: () => time.ms, elapsed: () => time.ms }
  const counters = new Metering(clock.elapsed())
  return { time, clock, counters, history: new MeteringHistory(counters, clock) }
}

t.test('a step has what happened in it', async (t) => {
  const { time, counters, history } = room()
  counters.ran('resp', 2, time.ms, false, 3)
  counters.refused('find', 'wire', fail('BadValue', 'no'))
  history.sample()
  time.ms += historyStepMs
  history.sample()
  counters.record({ name: 'find', metered: 'command' }, 'sql', 8, time.ms)
  time.ms += historyStepMs
  history.sample()
  const [first, second, third] = history.read()
  t.match(first, { requests: { resp: 3, wire: 1, http: 0 }, errors: { wire: 1, resp: 0 } })
  t.match(first, { meanMs: { resp: 2, wire: null } })
  t.match(second, { requests: { resp: 0, wire: 0 }, errors: { wire: 0 }, meanMs: { resp: null } })
  t.match(third, { requests: { sql: 1 }, meanMs: { sql: 8 } })
  t.strictSame(history.read(second?.at), [third])
})

t.test('it keeps one hour, oldest first', async (t) => {
  const { time, history } = room()
  for (let i = 0; i < historySteps + 7; i++) {
    time.ms += historyStepMs
    history.sample()
  }
  const steps = history.read()
  t.equal(steps.length, historySteps)
  t.equal(steps.at(-1)?.at, time.ms)
  t.equal(steps[0]?.at, time.ms - (historySteps - 1) * historyStepMs)
})
