// Bad input: valid commands, broken at random. Each gets an error of the reference server's table
// or an answer; none an internal error, none an endless one, and none spoils what is stored or what
// comes after.

import t from 'tap'
import { runs } from '../support/runs.js'
import { seed } from '../support/seed.js'
import { fuzzCommands } from './mutated/run.js'

t.test('no mutated command is answered wrongly or never', { timeout: 1_800_000 }, async (t) => {
  t.comment(`SIGIL_SEED=${seed}`)
  const report = await fuzzCommands(seed, runs(5_000))
  const codes = [...report.codes].sort(([, a], [, b]) => b - a)
  t.comment(`codes: ${codes.map(([code, count]) => `${code}: ${count}`).join(', ')}`)
  t.same(report.failures, [])
  t.ok((report.codes.get(0) ?? 0) > report.cases / 10, 'many are still commands that work')
  t.ok(codes.length > 40, 'and the others are refused for many reasons')
})
