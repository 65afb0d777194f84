// Parses one SQL statement to its tree and its placeholders. The grammar is PostgreSQL's;
// unsupported parts are refused by name. (docs/design/sql.md)

import type { WorkTurns } from '../../base/work/work-turns.js'
import type { Parsed, Statement } from './ast.js'
import { parseCreate, parseDrop, parseTruncate } from './definition.js'
import { answeredText } from './known-query.js'
import { parseSelect, parseWholeTable } from './select.js'
import {
  parseClose,
  parseDeallocate,
  parseDeclare,
  parseDiscard,
  parseFetch,
  parseListen,
  parseNotify,
  parseReset,
  parseUnlisten,
  settingName,
} from './session.js'
import { sqlState } from './sql-error.js'
import { isAlwaysEmpty } from './subquery.js'
import { parseTable } from './table.js'
import { TokenStream, turnIsOver } from './token-stream.js'
import {
  parseRelease,
  parseSavepoint,
  parseSetTransaction,
  parseTransaction,
} from './transaction.js'
import { parseDelete, parseInsert, parseUpdate } from './write.js'

/**
 * Throws BadValue with `sqlState`, `position`, `line`, `column`: 42601 for a syntax error, 0A000
 * for an unsupported feature, 54001 for an excessive size. `folds`: unquoted names are read in
 * lower case, as in PostgreSQL.
 */
export function parseStatement(text: string, folds = false): Parsed {
  return parseWhole(tokensOf(text, folds))
}

/** As parseStatement, in turns: it pauses when they are due. */
export async function parseInTurns(
  text: string,
  folds: boolean,
  turns: Pick<WorkTurns, 'isDue' | 'pause'>,
): Promise<Parsed> {
  const tokens = tokensOf(text, folds)
  tokens.pauseWhen(() => turns.isDue)
  for (;;) {
    try {
      return parseWhole(tokens)
    } catch (thrown) {
      if (thrown !== turnIsOver) throw thrown
    }
    await turns.pause()
    tokens.restart()
  }
}

function tokensOf(given: string, folds: boolean): TokenStream {
  const text = answeredText(given)
  return new TokenStream(text, (inner) => isAlwaysEmpty(parseSelect(inner)), folds)
}

function parseWhole(tokens: TokenStream): Parsed {
  while (tokens.acceptSymbol(';'));
  const statement = parseOne(tokens)
  if (tokens.hasSymbol(';')) {
    while (tokens.acceptSymbol(';'));
    if (!tokens.isAtEnd) throw tokens.refuse('cannot run several statements at once')
  }
  if (!tokens.isAtEnd) throw tokens.unexpected()
  tokens.requireNoRefusal()
  return { statement, parameters: tokens.parameters, canFold: tokens.canFold }
}

function parseOne(tokens: TokenStream): Statement {
  const { token } = tokens
  if (token.kind === 'end') throw tokens.refuse('the statement is empty')
  if (tokens.hasSymbol('(')) throw tokens.notSupported('subqueries')
  const parse = token.kind === 'word' ? statements.get(token.lower) : undefined
  if (parse !== undefined) return parse(tokens)
  if (token.kind === 'word' && known.has(token.lower)) {
    const message = `${token.lower.toUpperCase()} is not supported`
    throw tokens.refuse(message, token.start, sqlState.featureNotSupported)
  }
  throw tokens.unexpected()
}

const statements = new Map<string, (tokens: TokenStream) => Statement>([
  ['select', parseSelect],
  ['table', parseWholeTable],
  ['insert', parseInsert],
  ['update', parseUpdate],
  ['delete', parseDelete],
  ['create', parseCreate],
  ['drop', parseDrop],
  ['truncate', parseTruncate],
  ['explain', parseExplain],
  ['show', parseShow],
  ['describe', parseDescribe],
  ['desc', parseDescribe],
  ['set', parseSet],
  ['begin', parseTransaction],
  ['start', parseTransaction],
  ['commit', parseTransaction],
  ['end', parseTransaction],
  ['rollback', parseTransaction],
  ['abort', parseTransaction],
  ['savepoint', parseSavepoint],
  ['release', parseRelease],
  ['discard', parseDiscard],
  ['deallocate', parseDeallocate],
  ['reset', parseReset],
  ['listen', parseListen],
  ['notify', parseNotify],
  ['unlisten', parseUnlisten],
  ['declare', parseDeclare],
  ['fetch', parseFetch],
  ['close', parseClose],
])

/** First words of PostgreSQL's statements that Sigil does not support. */
const known = new Set(
  `alter analyze call checkpoint cluster comment copy do execute grant import load lock merge
  move prepare reassign refresh reindex revoke security vacuum values
  with`.split(/\s+/),
)

function parseExplain(tokens: TokenStream): Statement {
  tokens.expect('explain')
  const analyzes = tokens.accept('analyze')
  tokens.accept('verbose')
  if (tokens.hasSymbol('(')) throw tokens.notSupported('options of EXPLAIN')
  if (tokens.has('explain')) throw tokens.unexpected()
  return { kind: 'explain', statement: parseOne(tokens), analyzes }
}

/** `SHOW TABLES`, `SHOW INDEXES FROM t`, or a setting. */
function parseShow(tokens: TokenStream): Statement {
  tokens.expect('show')
  if (tokens.accept('tables')) return { kind: 'showTables' }
  if (tokens.accept('indexes') || tokens.accept('index')) {
    if (!tokens.accept('from')) tokens.expect('in')
    return { kind: 'showIndexes', table: parseTable(tokens) }
  }
  if (tokens.accept('transaction', 'isolation', 'level')) {
    return { kind: 'show', name: 'transaction_isolation' }
  }
  if (tokens.accept('time', 'zone')) return { kind: 'show', name: 'timezone' }
  return { kind: 'show', name: settingName(tokens) }
}

function parseDescribe(tokens: TokenStream): Statement {
  tokens.take()
  tokens.accept('table')
  return { kind: 'describe', table: parseTable(tokens) }
}

/** `SET name = value, …`, `SET TRANSACTION …`, `SET SESSION CHARACTERISTICS AS …`. */
function parseSet(tokens: TokenStream): Statement {
  tokens.expect('set')
  const isLocal = !tokens.accept('session') && tokens.accept('local')
  if (tokens.accept('time', 'zone')) {
    return { kind: 'set', name: 'timezone', values: rest(tokens), isLocal }
  }
  if (tokens.accept('characteristics', 'as', 'transaction')) {
    return parseSetTransaction(tokens, true)
  }
  if (tokens.accept('transaction')) return parseSetTransaction(tokens, false)
  const name = settingName(tokens)
  if (!tokens.acceptSymbol('=')) tokens.expect('to')
  const values = rest(tokens)
  if (values.length === 0) throw tokens.unexpected()
  return { kind: 'set', name, values, isLocal }
}

/** The rest of the statement, word by word. */
function rest(tokens: TokenStream): string[] {
  const words: string[] = []
  while (!tokens.isAtEnd && !tokens.hasSymbol(';')) {
    const token = tokens.take()
    if (token.kind === 'symbol' && token.text === ',') continue
    words.push('text' in token ? token.text : tokens.text.slice(token.start, token.end))
  }
  return words
}
