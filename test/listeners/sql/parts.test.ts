// Parts of the SQL listener on their own: the types that placeholders get, and the settings of a
// session.

import t from 'tap'
import { utf8 } from '../../../src/base/bytes/bytes.js'
import { parameterHints } from '../../../src/listeners/sql/parameter-hints.js'
import { boundValues } from '../../../src/listeners/sql/prepared-statement.js'
import { SessionSettings } from '../../../src/listeners/sql/session-settings.js'
import { parseStatement } from '../../../src/protocol/sql/parse.js'
import { splitStatements } from '../../../src/protocol/sql/split.js'
import { elementsOf } from '../../../src/value/elements.js'
import { numberOf } from '../../../src/value/numbers.js'
import type { Value } from '../../../src/value/value.js'
import { turnsDuring } from '../../support/turns.js'

/** SQLSTATE of what is thrown. */
function stateOf(act: () => unknown): unknown {
  try {
    act()
    return undefined
  } catch (error) {
    return (error as { extra?: { sqlState?: unknown } }).extra?.sqlState
  }
}

/** What each placeholder is said to be: a type, a column, a list of such, or nothing. */
function hintsOf(text: string): (string | undefined)[] {
  const { parameters } = parseStatement(text)
  return parameterHints(text, parameters.count).map((hint) => {
    if (hint?.kind !== 'column') return hint?.type
    const places = hint.places.map(({ table, column }) => `${table}.${column}`)
    return `${places.join('|')}${hint.as === 'array' ? '[]' : ''}`
  })
}

t.test('a placeholder is what its statement makes of it', (t) => {
  t.same(hintsOf('SELECT * FROM t WHERE a = $1 AND $2 < b'), ['t.a', 't.b'])
  t.same(hintsOf('SELECT * FROM t x JOIN u ON x.a = u.b WHERE u.c = $1'), ['u.c'])
  t.same(hintsOf('SELECT * FROM t JOIN u ON t.a = u.b WHERE c = $1'), ['t.c|u.c'])
  t.same(hintsOf('SELECT $1::int, CAST($2 AS timestamptz), $3::text[]'), [
    'int4',
    'timestamptz',
    'textArray',
  ])
  t.same(hintsOf('SELECT $1 + 1, 2.5 * $2, $3'), ['int4', 'float8', undefined])
  t.same(hintsOf("SELECT a FROM t WHERE a IN ($1, 2) OR b BETWEEN $2 AND 'x'"), ['t.a', 't.b'])
  t.same(hintsOf('SELECT a FROM t WHERE a = ANY ($1) AND b LIKE $2'), ['t.a[]', 'text'])
  t.same(hintsOf('SELECT a FROM t WHERE NOT $1 LIMIT $2 OFFSET $3'), ['bool', 'int8', 'int8'])
  t.same(hintsOf('INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4 || $5)'), [
    ...['t.a', 't.b', 't.a', 'text', 'text'],
  ])
  t.same(hintsOf('UPDATE t SET a = a + $1, b = $2 WHERE c = $3'), ['t.a', 't.b', 't.c'])
  t.same(hintsOf('DELETE FROM t WHERE lower(a) = $1 AND b.c = $2'), ['text', undefined])
  t.same(hintsOf("SELECT CASE WHEN a = $1 THEN $2 ELSE 'x' END FROM t"), ['t.a', 'text'])
  t.same(hintsOf('SELECT coalesce(a, $1), upper($2), date_trunc($3, $4) FROM t'), [
    ...['t.a', 'text', 'text', 'timestamptz'],
  ])
  t.same(hintsOf('INSERT INTO t (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET b = $2'), [
    't.a',
    't.b',
  ])
  t.end()
})

t.test('statements are cut at their semicolons alone', (t) => {
  const cut = (text: string) => splitStatements(text).map(({ text: each, start }) => [start, each])
  t.same(cut("SELECT ';'; ; /* ; */ SELECT 2 -- ;\n"), [
    [0, "SELECT ';'"],
    [22, 'SELECT 2 -- ;\n'],
  ])
  t.same(cut(' -- nothing'), [])
  t.equal(
    stateOf(() => cut("SELECT 'a")),
    '42601',
  )
  t.end()
})

t.test('a session keeps what it is told, within bounds', (t) => {
  const settings = new SessionSettings('me', '1.2.3')
  t.equal(settings.show('server_version'), '15.0 (Sigil 1.2.3)')
  t.equal(settings.show('session_authorization'), 'me')
  settings.set('statement_timeout', ['2s'])
  t.equal(settings.statementTimeoutMs, 2_000)
  settings.set('statement_timeout', ['DEFAULT'])
  t.equal(settings.statementTimeoutMs, 0)
  t.equal(
    stateOf(() => settings.set('statement_timeout', ['soon'])),
    '22023',
  )
  t.same(settings.set('timezone', ['Europe/Berlin']), ['TimeZone', 'UTC'], 'what is really done')
  t.equal(
    stateOf(() => settings.set('server_version', ['16'])),
    '55P02',
  )
  t.throws(() => settings.set('standard_conforming_strings', ['off']))
  t.equal(
    stateOf(() => settings.show('nosuch')),
    '42704',
  )
  settings.begin('nosuch', 'a client must not fail for it')
  t.throws(() => {
    for (let i = 0; i < 1_000; i++) settings.set(`own.s${i}`, ['x'])
  })
  t.end()
})

t.test('an array of thousands of elements is read in several turns', async (t) => {
  const numbers = Array.from({ length: 10_000 }, (_, i) => i)
  const statement = {
    ...({ kind: 'select', returns: true, text: '', count: 1, described: undefined } as const),
    parameters: [{ type: 'int4Array', isGuessed: true }] as const,
  }
  const bound = (text: string) =>
    boundValues(
      {
        ...{ kind: 'bind', portal: '', statement: '', parameterFormats: [], resultFormats: [] },
        parameters: [utf8(text)],
      },
      statement,
    )
  t.notOk(bound('{1,2}') instanceof Promise)
  let array: Value | undefined
  const turns = await turnsDuring(async () => {
    array = (await bound(`{${numbers}}`))[0]
  })
  t.same(elementsOf(array as Value).map(numberOf), numbers)
  t.ok(turns >= 1, `${turns} turns`)
})
