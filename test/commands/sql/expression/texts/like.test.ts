// LIKE against a matcher that tries everything, and what escapes and letters mean.

import fc from 'fast-check'
import t from 'tap'
import {
  literalStart,
  matchesLike,
  parseLike,
} from '../../../../../src/commands/sql/expression/texts/like.js'
import { runs } from '../../../../support/runs.js'
import { answer, truthOf } from '../evaluate.js'

function like(text: string, pattern: string, mark = '\\', ignoresCase = false): boolean {
  return matchesLike(parseLike(pattern, mark, ignoresCase), text)
}

/** By its definition: a run of any length, one of anything, or this one. */
function tried(text: readonly string[], pattern: readonly string[]): boolean {
  const [first, ...rest] = pattern
  if (first === undefined) return text.length === 0
  if (first === '%') return tried(text, rest) || (text.length > 0 && tried(text.slice(1), pattern))
  return text.length > 0 && (first === '_' || first === text[0]) && tried(text.slice(1), rest)
}

const letters = fc.constantFrom('a', 'b', '\u{1f600}')
const wildcards = fc.constantFrom('a', 'b', '\u{1f600}', '%', '_', '%')

t.test('a pattern matches what its definition says', async (t) => {
  fc.assert(
    fc.property(
      fc.array(letters, { maxLength: 9 }),
      fc.array(wildcards, { maxLength: 7 }),
      (text, pattern) => like(text.join(''), pattern.join('')) === tried(text, pattern),
    ),
    { numRuns: runs(2_000) },
  )
  t.pass('as tried')
})

t.test('what a text begins with is what every match begins with', async (t) => {
  fc.assert(
    fc.property(
      fc.array(letters, { maxLength: 9 }),
      fc.array(wildcards, { maxLength: 5 }),
      (given, pattern) => {
        const text = given.join('')
        const start = literalStart(parseLike(pattern.join(''), '\\', false))
        if (!like(text, pattern.join(''))) return true
        return start.isWhole ? text === start.text : text.startsWith(start.text)
      },
    ),
    { numRuns: runs(2_000) },
  )
  t.pass('as matched')
})

t.test('an escape takes the meaning of the next character', async (t) => {
  t.ok(like('10%', '10\\%'))
  t.notOk(like('100', '10\\%'))
  t.ok(like('a_b', 'a!_b', '!'))
  t.ok(like('a!b', 'a!!b', '!'))
  t.ok(like('a\\x', 'a\\_', ''), 'without an escape a backslash is a letter')
  t.equal(answer("'a' LIKE 'a\\'"), 'error 22025')
  t.equal(answer("'a' LIKE 'a' ESCAPE 'xy'"), 'error 22025')
})

t.test('ILIKE folds letters, each by itself', async (t) => {
  t.ok(like('Straße', 'sTRASS_', '\\', true) === false)
  t.ok(like('ÄPFEL', 'äp%', '\\', true))
  t.ok(like('İ', '_', '\\', true))
  t.notOk(like('Apple', 'app%'))
})

t.test('LIKE is unknown for NULL and for what is no text', async (t) => {
  t.equal(truthOf("a LIKE '1%'", { a: 10 }), undefined)
  t.equal(truthOf("a NOT LIKE '1%'", { a: 10 }), undefined)
  t.equal(truthOf('a LIKE NULL', { a: 'x' }), undefined)
  t.equal(truthOf("a LIKE 'x' ESCAPE NULL", { a: 'x' }), undefined)
  t.equal(truthOf("a NOT LIKE 'x%'", { a: 'yx' }), true)
})

t.test('a pattern of many runs is matched in steps of text times pattern', async (t) => {
  const text = `${'a'.repeat(20_000)}b`
  t.notOk(like(text, '%a%a%a%a%a%a%a%a%c'))
  t.ok(like(text, '%a%a%a%a%a%a%a%a%b'))
  t.equal(answer(`'a' LIKE '${'a'.repeat(1_001)}'`), 'error 54000')
  const a = 'a'.repeat(100_000)
  t.equal(answer(`a LIKE '%${'a'.repeat(900)}b'`, { a }), 'error 54000', 'and not for ever')
})
