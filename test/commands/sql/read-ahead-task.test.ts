// Long statements are read before anything asks the cache for them, whoever sends them: by then it
// has their trees, or their error.

import t from 'tap'
import {
  commandReadAhead,
  parsedAhead,
  sqlLongChars,
} from '../../../src/commands/sql/read-ahead-task.js'
import { isKnownStatement, parsedStatement } from '../../../src/commands/sql/statement-cache.js'
import { documentFrom } from '../../../src/value/literal.js'

const long = (end: string): string =>
  `SELECT ${Array.from({ length: sqlLongChars / 4 }, (_, i) => `a + ${i}`).join(', ')}${end}`

t.test('the text of a command of SQL', async (t) => {
  for (const command of ['sqlSelect', 'sqlExplain', 'sqlChange', 'sqlShow', 'sqlDefine']) {
    const text = long(` FROM ${command}`)
    await commandReadAhead(documentFrom({ [command]: text, params: [1] }))
    t.ok(isKnownStatement(text), command)
  }
  const texts = [long(' FROM find'), 'SELECT 1']
  t.equal(commandReadAhead(documentFrom({ find: texts[0] })), undefined, 'of another command')
  t.equal(commandReadAhead(documentFrom({ sqlSelect: texts[1] })), undefined, 'a short one')
  t.equal(commandReadAhead(documentFrom({ sqlSelect: { a: texts[0] } })), undefined, 'no text')
  t.same(texts.map(isKnownStatement), [false, false])
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
  await commandReadAhead(documentFrom({ sqlSelect: text }))
  const kept = errorOf(() => parsedStatement(text))
  t.equal(kept.message, before.message)
  t.equal(
    errorOf(() => parsedStatement(text)),
    kept,
    'the statement is not read again',
  )
  await t.rejects(parsedAhead(text) ?? Promise.resolve(), { message: before.message })
})
