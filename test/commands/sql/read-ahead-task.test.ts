// Long statements are read before anything asks the cache for them, whoever sends them: by then it
// has their trees, or their error.

import t from 'tap'
import {
  parsedAhead,
  parsedForCommand,
  sqlLongChars,
} from '../../../src/commands/sql/read-ahead-task.js'
import { isKnownStatement, parsedStatement } from '../../../src/commands/sql/statement-cache.js'

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
