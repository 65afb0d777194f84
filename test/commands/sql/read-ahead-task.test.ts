// Long statements are read before anything asks the cache for them, whoever sends them: by then it
// has their trees, or their error.

import t from 'tap'
import { turnUnits } from '../../../src/base/work/work-figures.js'
import {
  parsedAhead,
  parsedForCommand,
  phaseOf,
  sqlLongChars,
} from '../../../src/commands/sql/read-ahead-task.js'
import { isKnownStatement, parsedStatement } from '../../../src/commands/sql/statement-cache.js'
import { nothing } from '../../../src/store/steps.js'
import type { ReadTx } from '../../../src/store/store.js'

const long = (end: string): string =>
  `SELECT ${Array.from({ length: sqlLongChars / 4 }, (_, i) => `a + ${i}`).join(', ')}${end}`

t.test('a long statement is known before its command', async (t) => {
  const text = long(' FROM t')
  await parsedForCommand(text)
  t.ok(isKnownStatement(text))
  t.equal(parsedForCommand(text), undefined, 'it is read once')
  t.equal(parsedForCommand('SELECT 1'), undefined, 'a short one is left to its command')
})

t.test('its error is that of the command', async (t) => {
  const text = long(' FROM FROM')
  const errorOf = (run: () => unknown): Error => {
    try {
      run()
    } catch (thrown) {
      return thrown as Error
    }
    throw new Error('no error')
  }
  const before = errorOf(() => parsedStatement(text))
  await parsedForCommand(text)
  const kept = errorOf(() => parsedStatement(text))
  t.equal(kept.message, before.message)
  t.equal(
    errorOf(() => parsedStatement(text)),
    kept,
    'the statement is not read again',
  )
  await t.rejects(parsedAhead(text) ?? Promise.resolve(), { message: before.message })
})

t.test('a phase counts by the text, and at most a turn', async (t) => {
  const units: number[] = []
  const tx = {
    pause: (each: number) => {
      units.push(each)
      return nothing
    },
  } as unknown as ReadTx
  for (const length of [10, 40_000, 250_000]) phaseOf(tx, 'x'.repeat(length)).next()
  t.same(units, [10_000, turnUnits])
})
