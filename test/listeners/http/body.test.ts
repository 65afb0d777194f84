// Bodies that never end: told by one timer for all of them, after the time that a request may take
// and not before.

import { mock } from 'node:test'
import t from 'tap'
import { requestMsMax, slowBodyCheckMs } from '../../../src/base/limits.js'
import { SlowBodies } from '../../../src/listeners/http/body.js'

/** In steps, so that a timer which is set anew runs in its time. */
function pass(ms: number): void {
  for (let passed = 0; passed < ms; passed += slowBodyCheckMs) mock.timers.tick(slowBodyCheckMs)
}

t.test('a body that takes longer than a request may is told once, others never', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const bodies = new SlowBodies()
  const told: string[] = []
  const quick = () => told.push('quick')
  bodies.begin(() => told.push('first'))
  bodies.begin(quick)
  pass(slowBodyCheckMs)
  bodies.begin(() => told.push('second'))
  bodies.end(quick)
  pass(requestMsMax - slowBodyCheckMs)
  t.same(told, [], 'not before its time')
  pass(slowBodyCheckMs)
  t.same(told, ['first'])
  pass(2 * slowBodyCheckMs)
  t.same(told, ['first', 'second'])
  pass(2 * requestMsMax)
  bodies.begin(() => told.push('third'))
  pass(requestMsMax + 2 * slowBodyCheckMs)
  t.same(told, ['first', 'second', 'third'], 'it begins to look again')
})
