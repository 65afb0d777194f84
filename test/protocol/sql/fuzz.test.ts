// Hostile texts: bytes by chance, statements cut off and damaged, nesting and chains without end.
// Each is answered with an error that has an SQLSTATE and a place, after no more work than its
// bounds allow.

import t from 'tap'
import { GatewayError } from '../../../src/base/errors.js'
import { sqlBytesMax, sqlChainMax, sqlDepthMax } from '../../../src/base/limits/sql.js'
import { Lexer } from '../../../src/protocol/sql/lexer.js'
import { parseStatement } from '../../../src/protocol/sql/parse.js'
import { runs } from '../../support/runs.js'
import { seed } from '../../support/seed.js'
import { seededRandom } from '../../support/seeded-random.js'
import { Sql } from './generate.js'

t.comment(`SIGIL_SEED=${seed}`)

/** Undefined where the text is read. */
function refusal(text: string): GatewayError | undefined {
  try {
    parseStatement(text)
    return undefined
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw new Error(`${JSON.stringify(text)}: ${String(error)}`, { cause: error })
  }
}

function requireRefusal(t: { fail(message: string): unknown }, text: string): boolean {
  const error = refusal(text)
  if (error === undefined) return false
  const { sqlState, position } = error.extra ?? {}
  const points = [...text].length
  const isPlaced = typeof position === 'number' && position >= 1 && position <= points + 1
  if (typeof sqlState !== 'string' || !/^[0-9A-Z]{5}$/.test(sqlState) || !isPlaced) {
    t.fail(`${JSON.stringify(text)}: ${sqlState} at ${position}`)
  }
  return true
}

/** How many tokens the lexer was asked for. */
function tokensRead(text: string): number {
  const { next } = Lexer.prototype
  let count = 0
  Lexer.prototype.next = function (this: Lexer) {
    count++
    return next.call(this)
  }
  try {
    refusal(text)
  } finally {
    Lexer.prototype.next = next
  }
  return count
}

t.test('texts by chance are read, or refused with a place', async (t) => {
  const random = seededRandom(seed)
  const below = (max: number) => Math.floor(random() * max)
  let refused = 0
  for (let i = 0; i < runs(4_000); i++) {
    const length = below(80)
    const ranges = [0x20, 0x80, 0x250, 0xffff, 0x11_0000]
    const range = ranges[below(ranges.length)] ?? 0x80
    let text = random() < 0.5 ? 'SELECT ' : ''
    for (let at = 0; at < length; at++) text += String.fromCodePoint(below(range))
    if (requireRefusal(t, text)) refused++
  }
  t.ok(refused > 0)
})

t.test('statements cut off and changed anywhere are read, or refused with a place', async (t) => {
  const random = seededRandom(seed)
  const below = (max: number) => Math.floor(random() * max)
  const sql = new Sql(random)
  const marks = '\'"`$:?;()[]\\/*-,.\0\n\u00e9\ud83d\ude00eE0_'
  let refused = 0
  for (let i = 0; i < runs(4_000); i++) {
    let text = sql.statementText()
    for (let changes = below(4); changes > 0; changes--) {
      const at = below(text.length)
      const mark = marks[below(marks.length)] ?? ''
      text = text.slice(0, at) + mark + text.slice(at + below(3))
    }
    if (random() < 0.3) text = text.slice(0, below(text.length))
    if (requireRefusal(t, text)) refused++
  }
  t.ok(refused > 0)
})

t.test('every beginning of a statement is read, or refused with a place', async (t) => {
  const text = `INSERT INTO public."t" (a, b.c, "d""e"[0]) VALUES ($1, E'\\n\\u00e9', $x$ é $x$),
    (-1.5e3, array[[1], [2]], current_timestamp(3)) -- rows
    ON CONFLICT (a) DO UPDATE SET a = excluded.a /* and */ WHERE t.a::varchar(3) NOT LIKE 'x!%'
    ESCAPE '!' AND b BETWEEN SYMMETRIC 1 AND 2 RETURNING count(DISTINCT a ORDER BY b DESC)
    FILTER (WHERE c IS NOT DISTINCT FROM d) AS total, trim(BOTH 'x' FROM e), extract(year FROM f)`
  t.notOk(requireRefusal(t, text), 'the whole of it is read')
  for (let end = 0; end < text.length; end++) requireRefusal(t, text.slice(0, end))
})

t.test('what is nested too deep is refused after its first hundred levels', async (t) => {
  for (const one of ['(', 'NOT ', '- ', 'f(', 'ARRAY[', 'a[', 'CASE WHEN ', 'CAST(']) {
    const text = `SELECT ${one.repeat(10_000)}`
    t.equal(refusal(text)?.extra?.sqlState, '54001', one)
    const read = tokensRead(text)
    t.ok(read < sqlDepthMax * 4 + 20, `${one}: ${read} tokens read of ${10_000}`)
  }
})

t.test('what is chained too long is refused after its first thousand links', async (t) => {
  for (const one of [
    '+1',
    ' OR a',
    ' AND a',
    '::text',
    '||a',
    '[a]',
    '.a',
    '[0]',
    ' IS NULL',
    '(a)',
  ]) {
    const text = `SELECT a${one.repeat(12_000)}`
    t.ok(['54001', '42601'].includes(String(refusal(text)?.extra?.sqlState)), one)
    const read = tokensRead(text)
    t.ok(read < sqlChainMax * 4 + 20, `${one}: ${read} tokens read of ${12_000}`)
  }
})

t.test('a long chain of plain terms is refused before it is read', async (t) => {
  for (const [term, operator] of [
    ['1', '+'],
    ['a.b', ' - '],
    ["'x+'", '*'],
    ['$1', ' OR '],
    ['a = 1', '\nand '],
    ["a >= 'or'", ' or '],
  ] as const) {
    const chain = (count: number) => `SELECT ${Array(count).fill(term).join(operator)}`
    t.notOk(requireRefusal(t, chain(sqlChainMax - 2)), operator)
    const long = chain(12_000)
    t.equal(refusal(long)?.extra?.sqlState, '54001', operator)
    t.ok(tokensRead(long) < 300, `${operator}: ${tokensRead(long)} tokens read`)
  }
})

t.test('what only looks like a chain is read as what it is', async (t) => {
  const few = Array(40).fill('1').join('+')
  const many = Array(2_000).fill('1').join('+')
  for (const inside of [`$a$${many}$a$`, `'${many}'`, `E'\\'+${many}'`, `/*${many}*/1`]) {
    t.notOk(requireRefusal(t, `SELECT ${few} + ${inside}`), inside.slice(0, 10))
    t.notOk(requireRefusal(t, `SELECT ${few} + ${inside} + ${few}`), inside.slice(0, 10))
  }
  t.notOk(requireRefusal(t, `SELECT ${few} -- ${many}`))
  const listed = Array(2_000).fill('1 + 1').join(', ')
  t.notOk(requireRefusal(t, `SELECT a FROM t WHERE ${few} = 1 OR a IN (${listed})`))
})

t.test(
  'a long chain that is not too long is taken, whatever its terms and its end look like',
  async (t) => {
    const chain = (links: number, term: string, operator: string) =>
      `SELECT ${Array(links + 1)
        .fill(term)
        .join(operator)}`
    const half = sqlChainMax / 2 + 100
    for (const exponent of ['1e-5', '1.5E+5', '2.e-07', '1e5']) {
      for (const operator of ['+', ' - ']) {
        t.notOk(requireRefusal(t, chain(half, exponent, operator)), `${exponent} ${operator}`)
      }
    }
    for (const [term, operator, ends] of [
      ['1', '+', ['--+1', ' -- and so on', ';', ' AS b', '-'.repeat(20)]],
      ['1', '*', ['/* 2 */', ' /**/ AS b']],
      ['a', ' AND ', [' -- and b', '/* and b */', ' OR b', ' ORDER BY 1']],
    ] as const) {
      for (const end of ends) {
        t.notOk(
          requireRefusal(t, `${chain(sqlChainMax, term, operator)}${end}`),
          `${operator} ${end}`,
        )
        const over = `${chain(sqlChainMax + 1, term, operator)}${end}`
        t.equal(refusal(over)?.extra?.sqlState, '54001', `${operator} ${end}`)
      }
    }
  },
)

t.test('texts of the greatest length cost as much as they are long', async (t) => {
  const length = sqlBytesMax - 20
  for (const one of [
    "'",
    '"',
    '$a$',
    '/*',
    '--\n',
    '\n',
    '1',
    '_',
    'é',
    "''\n",
    '+',
    'a,',
    '(1),',
  ]) {
    const text = `SELECT ${one.repeat(length / one.length / (one === 'é' ? 2 : 1))}`
    const error = refusal(text)
    t.ok(error === undefined || error.extra?.sqlState !== undefined, JSON.stringify(one))
    t.ok(tokensRead(text) <= 100_002)
  }
})
