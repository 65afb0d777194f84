// Parses statements about a session. Poolers send DISCARD ALL between clients, drivers DEALLOCATE
// their prepared statements, and psql fetches large results with a cursor.

import { integerOf } from '../../value/numbers.js'
import type { Statement } from './ast.js'
import { readNumber } from './number.js'
import { parseSelect, parseWholeTable } from './select.js'
import { sqlState } from './sql-error.js'
import { foldedName, type TokenStream } from './token-stream.js'

/** `DISCARD ALL`; a session has no plans, sequences or temporary tables to discard. */
export function parseDiscard(tokens: TokenStream): Statement {
  tokens.expect('discard')
  for (const what of ['all', 'plans', 'sequences', 'temp'] as const) {
    if (tokens.accept(what)) return { kind: 'discard', what }
  }
  tokens.expect('temporary')
  return { kind: 'discard', what: 'temp' }
}

/** `DEALLOCATE [PREPARE] name`, or `ALL`. */
export function parseDeallocate(tokens: TokenStream): Statement {
  tokens.expect('deallocate')
  if (!isLast(tokens)) tokens.accept('prepare')
  return { kind: 'deallocate', ...nameOrAll(tokens) }
}

/** `RESET name`, or `ALL`: returns settings to their values at the start of the session. */
export function parseReset(tokens: TokenStream): Statement {
  tokens.expect('reset')
  if (tokens.accept('time', 'zone')) return { kind: 'reset', name: 'timezone' }
  if (tokens.accept('session', 'authorization')) {
    return { kind: 'reset', name: 'session_authorization' }
  }
  if (tokens.accept('transaction', 'isolation', 'level')) {
    return { kind: 'reset', name: 'transaction_isolation' }
  }
  if (tokens.accept('all')) return { kind: 'reset' }
  return { kind: 'reset', name: settingName(tokens) }
}

export function parseListen(tokens: TokenStream): Statement {
  tokens.expect('listen')
  return { kind: 'listen', channel: channelOf(tokens) }
}

/** `UNLISTEN name`, or `UNLISTEN *`, which poolers send. */
export function parseUnlisten(tokens: TokenStream): Statement {
  tokens.expect('unlisten')
  if (tokens.acceptSymbol('*')) return { kind: 'unlisten' }
  return { kind: 'unlisten', channel: channelOf(tokens) }
}

/** `NOTIFY name`, or with a payload: `NOTIFY name, 'text'`. */
export function parseNotify(tokens: TokenStream): Statement {
  tokens.expect('notify')
  const channel = channelOf(tokens)
  if (!tokens.acceptSymbol(',')) return { kind: 'notify', channel, payload: '' }
  const { token } = tokens
  if (token.kind !== 'string') throw tokens.unexpected()
  tokens.take()
  return { kind: 'notify', channel, payload: token.text }
}

/** Channels are no columns of documents: without quotes their names are in lower case. */
function channelOf(tokens: TokenStream): string {
  const isQuoted = tokens.token.kind === 'name'
  const name = tokens.name()
  return isQuoted ? name : foldedName(name)
}

/** `DECLARE name CURSOR FOR SELECT …`: a forward cursor within its transaction. */
export function parseDeclare(tokens: TokenStream): Statement {
  tokens.expect('declare')
  const name = tokens.name()
  if (tokens.has('binary')) throw tokens.notSupported('binary cursors')
  if (!tokens.accept('insensitive')) tokens.accept('asensitive')
  if (tokens.has('scroll')) throw tokens.notSupported('cursors that scroll')
  tokens.accept('no', 'scroll')
  tokens.expect('cursor')
  if (tokens.has('with', 'hold')) throw tokens.notSupported('cursors WITH HOLD')
  tokens.accept('without', 'hold')
  tokens.expect('for')
  const start = tokens.at
  if (tokens.has('with')) throw tokens.notSupported('WITH clauses')
  if (tokens.has('values')) throw tokens.notSupported('VALUES lists')
  const statement = tokens.has('table') ? parseWholeTable(tokens) : parseSelect(tokens)
  const text = tokens.text.slice(start, tokens.at)
  return { kind: 'declare', name, statement, text }
}

/** `FETCH 100 FROM name`, `FETCH FORWARD ALL IN name` …: the next rows. */
export function parseFetch(tokens: TokenStream): Statement {
  tokens.expect('fetch')
  const rows = fetchedRows(tokens)
  if (!tokens.accept('from')) tokens.accept('in')
  return { kind: 'fetch', name: tokens.name(), rows }
}

/** Undefined: all rows. Throws 55000 for any other direction. */
function fetchedRows(tokens: TokenStream): number | undefined {
  const { at } = tokens
  const backward = ['prior', 'first', 'last', 'absolute', 'relative', 'backward']
  const isName = isLast(tokens)
  if (!isName && (backward.some((word) => tokens.has(word)) || tokens.hasSymbol('-'))) {
    throw onlyForward(tokens, at)
  }
  if (isName) return 1
  if (tokens.accept('next')) return 1
  if (tokens.accept('all')) return undefined
  const isForward = tokens.accept('forward')
  if (isForward && tokens.accept('all')) return undefined
  const isSigned = tokens.acceptSymbol('+')
  const { token } = tokens
  if (token.kind !== 'number') {
    if (isSigned) throw tokens.unexpected()
    return 1
  }
  tokens.take()
  const value = readNumber(token.digits, false)
  const rows = value === undefined ? undefined : integerOf(value)
  if (rows === undefined) throw tokens.outOfRange(token.digits, token.start)
  if (rows === 0) throw onlyForward(tokens, at)
  return rows
}

/** Whether one word of the statement is left. */
export function isLast(tokens: TokenStream): boolean {
  const next = tokens.ahead()
  return next.kind === 'end' || (next.kind === 'symbol' && next.text === ';')
}

function onlyForward(tokens: TokenStream, at: number): Error {
  return tokens.refuse('cursor can only scan forward', at, sqlState.notInState)
}

/** `CLOSE name`, or `ALL` cursors. */
export function parseClose(tokens: TokenStream): Statement {
  tokens.expect('close')
  return { kind: 'close', ...nameOrAll(tokens) }
}

function nameOrAll(tokens: TokenStream): { readonly name?: string } {
  return tokens.accept('all') ? {} : { name: tokens.name() }
}

export function settingName(tokens: TokenStream): string {
  let name = tokens.label().toLowerCase()
  while (tokens.acceptSymbol('.')) name += `.${tokens.label().toLowerCase()}`
  return name
}
