// The loop that the expiry jobs share: when a round comes, what one that fails does, and its end.

import t from 'tap'
import { fail } from '../../../src/base/errors.js'
import { silentLog } from '../../../src/base/log.js'
import { BackgroundLoop } from '../../../src/engine/background/background-loop-job.js'
import type { Pace } from '../../../src/engine/background/pace-job.js'

/** A pace on which everything is over at once; what is asked of it is written down. */
class NotedPace implements Pace {
  readonly asked: string[] = []

  async rest(): Promise<void> {
    this.asked.push('rest')
  }

  sleep(ms: number) {
    this.asked.push(`sleep ${ms}`)
    return { over: Promise.resolve(), wake: () => {} }
  }
}

/** Rounds answer in turn; behind the last one the store is closing. */
async function runOf(rounds: readonly (boolean | Error)[], sleepsFirst: boolean) {
  const pace = new NotedPace()
  const warnings: unknown[] = []
  const { debug, info, error } = silentLog
  const left = [...rounds]
  let ended = (): void => {}
  const end = new Promise<void>((resolve) => {
    ended = resolve
  })
  const loop = new BackgroundLoop({
    ...{ pace, everyMs: 5, sleepsFirst, failure: 'it failed' },
    log: { debug, info, error, warn: (fields: unknown) => warnings.push(fields) },
    round: () => {
      pace.asked.push('round')
      const next = left.shift()
      if (next === undefined) {
        ended()
        throw fail('ShutdownInProgress', 'closing')
      }
      if (next instanceof Error) throw next
      return next
    },
  })
  loop.start()
  await end
  await loop.close()
  return { asked: pace.asked, warnings, loop }
}

t.test(
  'a round that leaves something to do is followed at once, others after a while',
  async (t) => {
    const { asked, loop } = await runOf([true, false], false)
    t.same(asked, ['round', 'rest', 'round', 'sleep 5', 'round'])
    t.ok(loop.isClosed)
    t.same((await runOf([], true)).asked, ['sleep 5', 'round'])
  },
)

t.test(
  'a round that fails is told of and tried again; the end of the store is no failure',
  async (t) => {
    const broken = new Error('broken')
    const { asked, warnings } = await runOf([broken, true], false)
    t.same(asked, ['round', 'sleep 5', 'round', 'rest', 'round'])
    t.same(warnings, [{ err: broken }])
  },
)

t.test('closing wakes a loop that sleeps', async (t) => {
  let wake = (): void => {}
  const over = new Promise<void>((resolve) => {
    wake = resolve
  })
  let rounds = 0
  const loop = new BackgroundLoop({
    ...{ log: silentLog, everyMs: 5, sleepsFirst: true, failure: 'it failed' },
    pace: { rest: async () => {}, sleep: () => ({ over, wake }) },
    round: () => {
      rounds++
      return false
    },
  })
  loop.start()
  await loop.close()
  t.equal(rounds, 0)
})
