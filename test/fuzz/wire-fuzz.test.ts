// 10,000 fuzz cases on every change, 100,000 in the long suite. SIGIL_SEED brings a failure back.

import t from 'tap'
import { failOnListenerLeaks } from '../support/no-warnings.js'
import { runs } from '../support/runs.js'
import { seed } from '../support/seed.js'
import { fuzzWire } from './wire-fuzz.js'

failOnListenerLeaks(t)

const growthBytesMax = 30_000_000

for (const { name, signedIn, share } of [
  { name: 'unauthenticated', signedIn: false, share: 0.3 },
  { name: 'the operator', signedIn: true, share: 0.7 },
]) {
  t.test(`whatever ${name} send is answered or closed (seed ${seed})`, async (t) => {
    const cases = Math.round(runs(10_000) * share)
    const report = await fuzzWire({ seed, cases, signedIn })
    t.equal(report.answered + report.closed, cases)
    const growth = report.heapAfter - report.heapBefore
    t.ok(growth < growthBytesMax, `the heap grew by ${growth} bytes`)
    // A fuzzer that reaches nothing finds nothing.
    const reached = [...report.codes.keys()].sort((a, b) => a - b)
    t.ok(reached.length > (signedIn ? 20 : 5), `codes ${reached.join(' ')}`)
    t.comment(`${report.answered} answered, ${report.closed} closed, codes ${reached.join(' ')}`)
  })
}
