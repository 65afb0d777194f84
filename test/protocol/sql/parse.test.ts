// The statements that another parser, named for this project, reads wrongly, and what is refused
// before it could cost anything. Trees are compared with PostgreSQL's own elsewhere.

import t from 'tap'
import { sqlChainMax, sqlDepthMax } from '../../../src/base/limits/sql.js'
import type { Expression, SelectStatement } from '../../../src/protocol/sql/ast.js'
import { parseStatement } from '../../../src/protocol/sql/parse.js'
import { toJs } from '../../support/literal.js'

/** An expression with all its parentheses. */
function grouped(text: string): string {
  const { statement } = parseStatement(`SELECT ${text}`)
  return show((statement as SelectStatement).results[0]?.expression as Expression)
}

function show(e: Expression): string {
  switch (e.kind) {
    case 'literal':
      return typeof toJs(e.value) === 'string' ? `'${toJs(e.value)}'` : String(toJs(e.value))
    case 'column':
      return e.path.join('.')
    case 'not':
      return `(NOT ${show(e.operand)})`
    case 'and':
    case 'or':
      return `(${e.operands.map(show).join(` ${e.kind.toUpperCase()} `)})`
    case 'unary':
      return `(${e.operator}${show(e.operand)})`
    case 'binary':
      return `(${show(e.left)} ${e.operator} ${show(e.right)})`
    case 'is':
      return `(${show(e.operand)} IS ${e.isNegated ? 'NOT ' : ''}${e.test.toUpperCase()})`
    case 'between': {
      const not = e.isNegated ? 'NOT ' : ''
      return `(${show(e.operand)} ${not}BETWEEN ${show(e.low)} AND ${show(e.high)})`
    }
    case 'distinct':
      return `(${show(e.left)} IS ${e.isNegated ? 'NOT ' : ''}DISTINCT FROM ${show(e.right)})`
    case 'in':
      return `(${show(e.operand)} ${e.isNegated ? 'NOT ' : ''}IN ${e.list.map(show).join(', ')})`
    case 'like': {
      const end = e.escape === undefined ? '' : ` ESCAPE ${show(e.escape)}`
      return `(${show(e.operand)} LIKE ${show(e.pattern)}${end})`
    }
    case 'cast':
      return `${show(e.operand)}::${e.type.name}`
    default:
      return e.kind
  }
}

t.test('operators group as in PostgreSQL', async (t) => {
  for (const [text, expected] of [
    ['a=1 OR b=2 AND c=3', '((a = 1) OR ((b = 2) AND (c = 3)))'],
    ['a=1 OR b IN (1,2) AND c=3', '((a = 1) OR ((b IN 1, 2) AND (c = 3)))'],
    ['a-1-1=0', '(((a - 1) - 1) = 0)'],
    ['a-(1-1)=0', '((a - (1 - 1)) = 0)'],
    ['NOT a IS NULL', '(NOT (a IS NULL))'],
    ['NOT a BETWEEN 1 AND 2 AND b', '((NOT (a BETWEEN 1 AND 2)) AND b)'],
    ['-a::int', '(-a::int4)'],
    ['-a^2', '((-a) ^ 2)'],
    ['a BETWEEN 1 = 1 AND 2 + 3', '(a BETWEEN (1 = 1) AND (2 + 3))'],
    ["a || b ->> 'c' = d", "(((a || b) ->> 'c') = d)"],
    ['a IS DISTINCT FROM b + 1', '(a IS DISTINCT FROM (b + 1))'],
    ['a = b IS NULL', '((a = b) IS NULL)'],
    ["x LIKE 'x!%' ESCAPE '!' AND y", "((x LIKE 'x!%' ESCAPE '!') AND y)"],
    ['1 - - 1', '(1 - -1)'],
  ] as const) {
    t.equal(grouped(text), expected, text)
  }
})

t.test('texts and numbers are what was written', async (t) => {
  t.equal(grouped("'\\'' OR 1=1 -- '"), "'\\' OR 1=1 -- '", 'a backslash is a character')
  t.equal(grouped("'it''s'"), "'it's'")
  t.equal(grouped("'a\\'"), "'a\\'")
  t.equal(grouped("'a'\n  'b'"), "'ab'")
  t.equal(grouped("E'\\n\\x41\\u00e9\\\\'"), "'\nAé\\'")
  t.equal(grouped("$x$it's$x$"), "'it's'")
  t.equal(grouped('123456789.123456789123456789'), '123456789.123456789123456789')
  t.equal(grouped('-9007199254740993'), '-9007199254740993')
  t.equal(grouped('-9223372036854775808'), '-9223372036854775808')
  t.equal(grouped('"a""b"'), 'a"b')
  t.equal(grouped('firstName'), 'firstName', 'names keep their case')
  t.equal(grouped('t.order[0].user'), 't.order.0.user')
})

t.test('what is wrong is told with its place', async (t) => {
  for (const [text, sqlState, position, message] of [
    ['SELECT * frm t', '42601', 10, 'syntax error at or near "frm"'],
    ['SELECT a + *', '42601', 12, 'syntax error at or near "*"'],
    ['SELECT a = 1 = 2', '42601', 14, 'syntax error at or near "="'],
    ['SELECT é, FROM t', '42601', 11, 'syntax error at or near "FROM"'],
    ['SELECT a; SELECT b', '42601', 11, 'cannot run several statements at once'],
    ['SELECT (SELECT 1)', '0A000', 9, 'subqueries are not supported'],
    ['SELECT a FROM t UNION SELECT b', '0A000', 17, /UNION/],
    ['SELECT 1e400', '22003', 8, 'number 1e400 is out of range'],
    ['SELECT $1, ?', '42601', 12, 'placeholders of two kinds in one statement'],
    ['DELETE FROM t WHERE a=2\0 AND b=3', '42601', 24, /0x00/],
    ['SELECT 12abc', '42601', 8, /trailing junk after numeric literal/],
    ["SELECT 'abc", '42601', 8, /unterminated quoted string/],
    ['SELECT /* a', '42601', 8, /unterminated \/\* comment/],
    ['', '42601', 1, 'the statement is empty'],
    ['GRANT ALL ON t TO u', '0A000', 1, 'GRANT is not supported'],
  ] as const) {
    t.throws(() => parseStatement(text), { message, extra: { sqlState, position } }, text)
  }
})

t.test('what is nested or chained too far is refused', async (t) => {
  const tooComplex = { message: /too complex/, extra: { sqlState: '54001' } }
  for (const [one, of] of [
    ['(', 10_000],
    ['NOT ', 10_000],
    ['- ', 10_000],
    ['CASE WHEN ', 10_000],
    ['f(', 10_000],
    ['ARRAY[', 10_000],
  ] as const) {
    t.throws(() => parseStatement(`SELECT ${one.repeat(of)}a`), tooComplex, one)
  }
  for (const one of [' + 1', ' OR a', ' AND a', '::text', ' || a', '[a]', ' IS NULL']) {
    t.throws(() => parseStatement(`SELECT a${one.repeat(12_000)}`), tooComplex, one)
    t.ok(parseStatement(`SELECT a${one.repeat(sqlChainMax - 1)}`), one)
  }
  const worst = 'a OR b AND NOT c IS DISTINCT FROM d < e LIKE f || g + h * i ^ ('
  const deep = worst.repeat(sqlDepthMax / 2 - 1)
  t.ok(parseStatement(`SELECT ${deep}1${')'.repeat(sqlDepthMax / 2 - 1)}`))
})

t.test('placeholders are counted, and named ones named once', async (t) => {
  t.same(parseStatement('SELECT $2 + $1').parameters, { style: 'numbered', count: 2, names: [] })
  t.same(parseStatement('SELECT ? + ?').parameters, { style: 'positional', count: 2, names: [] })
  t.same(parseStatement('SELECT :a + :b * :a').parameters, {
    ...{ style: 'named', count: 2, names: ['a', 'b'] },
  })
})
