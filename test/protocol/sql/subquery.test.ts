// Queries inside expressions: answered where their answer is known without running them, refused
// everywhere else, whatever stands around them.

import t from 'tap'
import { parseStatement } from '../../../src/protocol/sql/parse.js'

function refusalOf(text: string): unknown {
  try {
    parseStatement(text)
    return undefined
  } catch (error) {
    return (error as { extra?: { sqlState?: unknown } }).extra?.sqlState
  }
}

function resultOf(text: string): unknown {
  const { statement } = parseStatement(text)
  if (statement.kind !== 'select') return undefined
  const expression = statement.results[0]?.expression
  if (expression?.kind === 'literal') return expression.value.type === 8 ? 'truth' : 'NULL'
  return expression?.kind
}

t.test('over tables that are always empty they are what no row gives', (t) => {
  t.equal(resultOf('SELECT (SELECT d.adbin FROM pg_catalog.pg_attrdef d WHERE d.n = a)'), 'NULL')
  t.equal(resultOf('SELECT EXISTS (SELECT 1 FROM pg_policy)'), 'truth')
  t.equal(resultOf('SELECT a IN (SELECT b FROM pg_collation, pg_type) FROM t'), 'truth')
  t.equal(resultOf('SELECT ARRAY(SELECT polname FROM pg_policy)'), 'array')
  t.equal(refusalOf('SELECT 1 FROM t UNION SELECT pubname FROM pg_publication'), undefined)
  t.end()
})

t.test('in a query without rows nothing is computed, so nothing is refused', (t) => {
  t.equal(refusalOf('SELECT (SELECT a FROM t) FROM pg_policy'), undefined)
  t.equal(refusalOf('SELECT (SELECT f(a) FROM g(1) a) FROM pg_policy'), undefined)
  t.equal(
    refusalOf('SELECT ARRAY(SELECT a FROM t) FROM pg_policy p LEFT JOIN t ON true'),
    undefined,
  )
  t.end()
})

t.test('all others are refused', (t) => {
  for (const text of [
    'SELECT (SELECT 1)',
    'SELECT (SELECT count(*) FROM pg_policy)',
    'SELECT (SELECT a FROM t LEFT JOIN pg_policy ON true)',
    'SELECT max((SELECT a FROM t)) FROM pg_policy',
    'SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u)',
    'SELECT a FROM t WHERE a = ANY (SELECT b FROM u)',
    'SELECT a FROM pg_policy UNION SELECT b FROM t',
    'SELECT a FROM t INTERSECT SELECT b FROM pg_policy',
    'SELECT a FROM t WHERE a IN (SELECT b FROM u)',
    'SELECT (VALUES (1))',
  ]) {
    t.equal(refusalOf(text), '0A000', text)
  }
  t.equal(refusalOf('SELECT (SELECT 1'), '42601')
  t.equal(refusalOf('SELECT (SELECT FROM)'), '42601')
  const deep = `SELECT ${'(SELECT '.repeat(5_000)}1${')'.repeat(5_000)}`
  t.equal(refusalOf(deep), '54001')
  t.end()
})

t.test('what psql asks of options, constraints and columns of an index is known', (t) => {
  const toast = "select 'toast.' || x from pg_catalog.unnest(tc.reloptions) x"
  t.equal(refusalOf(`SELECT array(${toast})`), undefined)
  t.equal(refusalOf(`SELECT array(${toast} LIMIT 1)`), '0A000')
  const exists = `EXISTS (SELECT 1 FROM pg_catalog.pg_constraint WHERE conrelid = i.indrelid
    AND conindid = i.indexrelid AND contype IN ('p','u','x') AND condeferrable)`
  t.match(parseStatement(`SELECT a AND ${exists} FROM t`).statement, {
    results: [{ expression: { kind: 'and', operands: [{}, { kind: 'literal' }] } }],
  })
  const keys = "SELECT i.indnkeyatts FROM pg_catalog.pg_index i WHERE i.indexrelid = '1'"
  t.match(parseStatement(`SELECT a <= (${keys}) FROM t`).statement, {
    results: [{ expression: { right: { kind: 'call', name: 'pg_index_key_count' } } }],
  })
  t.equal(refusalOf(`SELECT a <= (${keys} OR true) FROM t`), '0A000')
  t.end()
})

t.test('operators may be named with their schema, and the default collation', (t) => {
  const { statement } = parseStatement(
    "SELECT a OPERATOR(pg_catalog.~) '^(x)$' COLLATE pg_catalog.default FROM t",
  )
  t.match(statement, {
    results: [{ expression: { kind: 'binary', operator: '~', right: { kind: 'literal' } } }],
  })
  t.equal(refusalOf('SELECT a COLLATE "C" FROM t'), '0A000')
  t.equal(refusalOf('SELECT a OPERATOR(mine.+) b FROM t'), '0A000')
  t.equal(refusalOf('SELECT a operator FROM t'), undefined, 'it is no reserved word')
  t.end()
})

t.test('thousands of them are refused or read in a time that grows with the text', (t) => {
  const count = 9_000
  for (const [one, state] of [
    ['(SELECT 1)', '0A000'],
    ['EXISTS (SELECT (1, 2))', '0A000'],
    ['(SELECT 1 FROM pg_rules)', undefined],
    ['a COLLATE "default"', undefined],
  ] as const) {
    const before = process.cpuUsage()
    t.equal(refusalOf(`SELECT ${Array.from({ length: count }, () => one).join(', ')}`), state, one)
    const { user } = process.cpuUsage(before)
    // Read for each of them, the whole text took 7 to 13 seconds.
    t.ok(user < 2_000_000, `${one}: ${user} µs`)
  }
  t.end()
})
