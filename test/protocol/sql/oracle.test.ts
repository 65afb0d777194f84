// The parser's trees held against those of PostgreSQL's own grammar (libpg-query): generated and
// damaged expressions and statements must be read alike, and refused alike. What differs by
// decision is written down here, text by text.

import { loadModule } from 'libpg-query'
import t, { type Test } from 'tap'
import { GatewayError } from '../../../src/base/errors.js'
import { parseStatement } from '../../../src/protocol/sql/parse.js'
import { isReserved } from '../../../src/protocol/sql/reserved.js'
import { runs } from '../../support/runs.js'
import { seed } from '../../support/seed.js'
import { seededRandom } from '../../support/seeded-random.js'
import { statementTree, type Tree } from './canonical.js'
import { Sql } from './generate.js'
import { NotCompared, referenceStatement } from './reference-tree.js'

await loadModule()

t.comment(`SIGIL_SEED=${seed}`)

interface Tally {
  equal: number
  refused: number
  /** By a code that says: PostgreSQL may read this, Sigil does not. */
  notSupported: number
  /** Read by one of both, as decided below. */
  decided: number
}

/** Refused otherwise than as a syntax error: not supported, too complex, out of range. */
const bounded = new Set(['0A000', '54001', '22003', '22025'])
const refused = '"42601"'

/** PostgreSQL reserves these, for Sigil they are fields as any other. */
const fieldsOfOurs =
  /"(?:asc|asymmetric|both|column|default|desc|do|leading|only|symmetric|table|to|trailing|unique|user)"/

/** libpg-query, and not PostgreSQL, reads a parameter for the string of `date '…'`. */
const parameterAsString = /[\p{L}\w")](?:\s|\/\*.*?\*\/|--.*\n)*\$\d/u

/** PostgreSQL has these for names of results behind AS only. */
const labelsOfOurs =
  /,"(?:at|char|character|create|day|filter|grant|hour|minute|month|over|precision|second|year)"\]/

/** A range begins with it here, and PostgreSQL looks whether one follows: `SELECT a between FROM t`. */
const betweenAsLabel = /\],"between"\]/

/** MySQL's statements, which none of PostgreSQL's begins like. */
const statementOfOurs = /^\["(?:describe|showTables|showIndexes)"/

/** CREATE INDEX IF NOT EXISTS may leave out the name, and a path needs no parentheses. */
const indexOfOurs = /^\["index",(?:null,.*\],(?:true|false),true,|.*\[\["[^"]+",")/

/**
 * A function or all fields of a table where a table or a column of an index stands: refused here as
 * the name of neither, by PostgreSQL's analysis of the second.
 */
const asName = [/\bcurrent_(?:date|timestamp)\b/i, /\.(?:\s|\/\*.*?\*\/|--.*\n)*\*/]

/** Queries that are none here: of TABLE, which is a field, and of SELECT without results. */
const noQuery =
  /\((?:\s|\/\*.*?\*\/|--.*\n)*(?:table\b|select(?:\s|\/\*.*?\*\/|--.*\n)*(?:\)|(?:from|where)\b))/i

function ours(text: string): string {
  try {
    return JSON.stringify(statementTree(parseStatement(text).statement))
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return JSON.stringify(error.extra?.sqlState)
  }
}

function reference(text: string): string {
  try {
    const tree = referenceStatement(text)
    return tree === undefined ? refused : JSON.stringify(tree)
  } catch (error) {
    if (error instanceof NotCompared) return `not compared: ${error.message}`
    throw error
  }
}

function isDecided(text: string, found: string, expected: string): boolean {
  if (found !== refused) {
    if (expected.startsWith('not compared')) return false
    if (isSameButForFields(JSON.parse(found), JSON.parse(expected))) return true
    const isOurs = [fieldsOfOurs, labelsOfOurs, indexOfOurs, statementOfOurs].some((one) =>
      one.test(found),
    )
    if (expected !== refused) return false
    return isOurs || hasConflictPath(JSON.parse(found)) || isReadOtherwiseWritten(text, found)
  }
  if (expected.startsWith('["select",false,[],')) return true
  // Its analysis refuses DEFAULT within an expression.
  if (expected.includes('["default"]')) return true
  if (expected.startsWith('not compared') && asName.some((one) => one.test(text))) return true
  if (expected === 'not compared: SubLink' && noQuery.test(text)) return true
  return parameterAsString.test(text) || usesReserved(expected) || betweenAsLabel.test(expected)
}

/** ON CONFLICT of a path: of PostgreSQL's columns none is one. */
function hasConflictPath([kind, , , , conflict]: readonly Tree[]): boolean {
  if (kind !== 'insert' || !Array.isArray(conflict)) return false
  return (conflict[0] as readonly (readonly Tree[])[]).some((path) => path.length > 1)
}

/**
 * OFFSET takes before ROWS what it takes without, any expression and not only an operand; and `not`
 * behind a dot is a name, where PostgreSQL reads NOT LIKE and its kind as one word. Without the one
 * word, and with quotes around the other, PostgreSQL must read the very same.
 */
function isReadOtherwiseWritten(text: string, found: string): boolean {
  const written = [...text.matchAll(/\brows?\b/gi)].map((word) => {
    const at = word.index ?? 0
    return `${text.slice(0, at)} ${text.slice(at + word[0].length)}`
  })
  written.push(text.replace(/(\.(?:\s|\/\*.*?\*\/|--.*\n)*)not\b/gi, '$1"not"'))
  return written.some((one) => reference(one) === found)
}

/** Where a column called so stands for DEFAULT: PostgreSQL's analysis refuses it in an expression. */
function isSameButForFields(found: Tree, expected: Tree): boolean {
  if (!Array.isArray(found) || !Array.isArray(expected)) return found === expected
  if (expected[0] === 'default' && found[0] === 'column' && found[1] === 'default') {
    return expected.length === 1 && found.length === 2
  }
  return (
    found.length === expected.length &&
    found.every((one, i) => isSameButForFields(one, expected[i] ?? null))
  )
}

/** Words that are reserved here are names of PostgreSQL's: UPDATE of a table, TRUE behind a result. */
function usesReserved(tree: string): boolean {
  const names = [...tree.matchAll(/,"(\w+)"(\])?/g)]
  return names.some(([, name = '', isLast]) => {
    return isReserved(name) && (isLast !== undefined || !testsOfTrees.has(name))
  })
}

/** What a tree itself says behind a comma. */
const testsOfTrees = new Set(['null', 'true', 'false', 'any', 'all'])

/** What is wrong, or undefined. */
function difference(text: string, tally: Tally): string | undefined {
  const found = ours(text)
  if (bounded.has(JSON.parse(found))) tally.notSupported++
  else {
    const expected = reference(text)
    if (found === expected) {
      if (found === refused) tally.refused++
      else tally.equal++
    } else if (isDecided(text, found, expected)) tally.decided++
    else return `${text}\n  ours: ${found}\n  peer: ${expected}`
  }
  return undefined
}

/** The share of texts that both read alike; the others are refused by both, or as decided. */
function compare(t: Test, count: number, make: (sql: Sql) => string): number {
  const tally: Tally = { equal: 0, refused: 0, notSupported: 0, decided: 0 }
  const sql = new Sql(seededRandom(seed))
  const wrong: string[] = []
  for (let i = 0; i < count && wrong.length < 5; i++) {
    const found = difference(make(sql), tally)
    if (found !== undefined) wrong.push(found)
  }
  t.comment(`${JSON.stringify(tally)} of ${count}`)
  t.same(wrong, [], `SIGIL_SEED=${seed}`)
  t.ok(tally.decided + tally.notSupported < count / 10, 'few texts are left out')
  return tally.equal / count
}

t.test('expressions group as PostgreSQL groups them', async (t) => {
  const share = compare(t, runs(12_000), (sql) => `SELECT 1 WHERE ${sql.expressionText(4)}`)
  t.ok(share > 0.5, `${share} of them are read by both`)
})

t.test('damaged expressions are read and refused as PostgreSQL does', async (t) => {
  const make = (sql: Sql) => `SELECT 1 WHERE ${sql.damagedText(3)}`
  const share = compare(t, runs(4_000), make)
  t.ok(share > 0.02)
})

t.test('tokens by chance are read and refused as PostgreSQL does', async (t) => {
  const make = (sql: Sql) => `SELECT 1 WHERE ${sql.chanceText()}`
  const share = compare(t, runs(4_000), make)
  t.ok(share > 0.02)
})

t.test('statements are read as PostgreSQL reads them', async (t) => {
  const share = compare(t, runs(4_000), (sql) => sql.statementText())
  t.ok(share > 0.4)
})

t.test('what differs from PostgreSQL does so by decision', async (t) => {
  for (const [text, sigil, postgres] of [
    // Documents' names keep their case, and dots reach into them.
    ['SELECT firstName', '["column","firstName"]', '["column","firstname"]'],
    // Placeholders that PostgreSQL's own clients do not have.
    ['SELECT ? + ?', '["parameter",2]', refused],
    ['SELECT :name', '["parameter",1]', refused],
    // MySQL's.
    ['SELECT `a b` FROM `t`', '["column","a b"]', refused],
    ['SELECT a FROM t LIMIT 5, 10', '["number","1e1"],["number","5e0"]', refused],
    ['DELETE FROM t WHERE a = 1 LIMIT 1', '"delete"', refused],
    ['UPDATE t SET a = 1 LIMIT 1', '"update"', refused],
    ['CREATE INDEX i ON t (address.city)', '[["address","city"],false]', refused],
    ['CREATE INDEX IF NOT EXISTS ON t (a)', '"index",null', refused],
    ['DROP INDEX i ON t', '"dropIndex"', refused],
    ['INSERT INTO t VALUES (1) ON CONFLICT (a.b) DO NOTHING', '[["a","b"]]', refused],
    ['SHOW INDEXES FROM t', '"showIndexes"', refused],
    ['DESCRIBE t', '"describe"', refused],
    // Words that documents use as fields.
    ['SELECT user FROM t', '["column","user"]', '["call","user"'],
    ['SELECT desc, default FROM t', '["column","desc"]', refused],
    ['SELECT default FROM t', '["column","default"]', '["default"]'],
    ['SELECT a OFFSET 5 + 1 ROWS', '["binary","+"', refused],
    ['SELECT a.not LIKE b', '["like",false,false,["column","a","not"]', refused],
    // Words that begin parts of a statement are names behind AS only.
    ['SELECT a like', refused, '"like"'],
    ['SELECT a between FROM t', refused, '"between"'],
    ['SELECT FROM t', refused, '"select",false,[]'],
    // Refused by PostgreSQL's analysis, which libpg-query does not do.
    ['INSERT INTO t VALUES (1) ON CONFLICT DO UPDATE SET a = 1', refused, '"insert"'],
    // Not supported, and said so.
    ['SELECT (SELECT 1)', '"0A000"', 'not compared'],
    ['SELECT (a, b) = (1, 2)', '"0A000"', 'not compared'],
    ['SELECT a[1:2]', '"0A000"', 'not compared'],
    ['SELECT ~ a', '"0A000"', '"unary","~"'],
    ['SELECT a <=> b', '"0A000"', '"binary","<=>"'],
    ['SELECT a COLLATE "C"', '"0A000"', 'not compared'],
    ["SELECT interval '1' day", '"0A000"', '"cast"'],
    ['SELECT sum(a) OVER ()', '"0A000"', 'not compared'],
    ['SELECT 1e400', '"22003"', '["number","1e400"]'],
  ] as const) {
    t.ok(ours(text).includes(sigil), `${text}: ${ours(text)}`)
    t.ok(reference(text).includes(postgres), `PostgreSQL, ${text}: ${reference(text)}`)
  }
})
