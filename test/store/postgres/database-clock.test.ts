// Time of a gateway: that of the database, as exact as the answers are quick, and never going back.

import fc from 'fast-check'
import t from 'tap'
import { DatabaseClock } from '../../../src/store/postgres/database-clock.js'
import { postgresMissing } from '../../support/postgres-reference.js'
import { runs } from '../../support/runs.js'
import { openShared, openSharedTables } from '../../support/shared-stores.js'

/** What happens next, in milliseconds: time passes, and perhaps the database is asked. */
const steps = fc.array(
  fc.record({
    passes: fc.integer({ min: 0, max: 5_000 }),
    /** How the database's clock is set, mostly not at all. */
    isSetBy: fc.oneof(
      { weight: 5, arbitrary: fc.constant(0) },
      fc.integer({ min: -1e7, max: 1e7 }),
    ),
    /** How the machine's own clock is set. */
    own: fc.integer({ min: -1e7, max: 1e7 }),
    asks: fc.option(
      fc.record({
        there: fc.integer({ min: 0, max: 900 }),
        back: fc.integer({ min: 0, max: 900 }),
      }),
    ),
  }),
  { maxLength: 40 },
)

t.test('time never goes back, and is off by no more than an answer takes', async (t) => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 0, max: 2e12 }), (all, began) => {
      let elapsed = 0
      let ownAhead = 0
      let database = began
      const base = { now: () => began + elapsed + ownAhead, elapsed: () => elapsed }
      const clock = new DatabaseClock(base)
      const pass = (ms: number) => {
        elapsed += ms
        database += ms
      }
      let last = clock.now()
      const read = () => {
        const now = clock.now()
        if (now < last) throw new Error(`${now} after ${last}`)
        last = now
      }
      for (const { passes, isSetBy, own, asks } of all) {
        ownAhead = own
        database += isSetBy
        pass(passes)
        read()
        if (asks === null) continue
        const sent = elapsed
        pass(asks.there)
        const answer = database
        pass(asks.back)
        clock.measured(sent, elapsed, answer)
        const before = last
        read()
        const off = Math.abs(last - database)
        const isStill = last === before && last >= database
        if (off > asks.there + asks.back + 1 && !isStill) throw new Error(`off by ${off}`)
      }
    }),
    { numRuns: runs(300) },
  )
  t.pass('for all orders of settings, answers and readings')
})

t.test('two gateways have the time of their database', { skip: postgresMissing }, async (t) => {
  const { address, query } = await openSharedTables(t)
  const stores = [await openShared(t, address), await openShared(t, address)]
  const ask = async () => {
    const [row] = await query('SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::text')
    return Number(row?.[0])
  }
  for (const { sharedClock: clock } of stores) {
    const before = await ask()
    const now = clock?.now() ?? 0
    const after = await ask()
    // A start's only answer may have been slow: then it says less, and the machine's own time counts.
    t.ok(now >= before - 1_000 && now <= after + 1_000, `${before} ${now} ${after}`)
  }
})
