// Parses statements about transactions: their begin and end, savepoints, and the modes of SET
// TRANSACTION. (PostgreSQL 17, "BEGIN", "SET TRANSACTION")

import type { Statement, TransactionModes } from './ast.js'
import { isLast } from './session.js'
import type { TokenStream } from './token-stream.js'

/** BEGIN, START TRANSACTION, COMMIT, END, ROLLBACK and ABORT. */
export function parseTransaction(tokens: TokenStream): Statement {
  const token = tokens.take()
  const word = token.kind === 'word' ? token.lower : ''
  if (word === 'start') tokens.expect('transaction')
  else if (!tokens.accept('transaction')) tokens.accept('work')
  if (word === 'rollback' && tokens.accept('to')) {
    if (!isLast(tokens)) tokens.accept('savepoint')
    return { kind: 'rollbackTo', name: tokens.name() }
  }
  if (tokens.has('prepared')) throw tokens.notSupported('two-phase commits')
  if (word === 'begin' || word === 'start') {
    return { kind: 'begin', modes: parseModes(tokens), isStart: word === 'start' }
  }
  const chains = !tokens.accept('and', 'no', 'chain') && tokens.accept('and', 'chain')
  return { kind: word === 'rollback' || word === 'abort' ? 'rollback' : 'commit', chains }
}

export function parseSavepoint(tokens: TokenStream): Statement {
  tokens.expect('savepoint')
  return { kind: 'savepoint', name: tokens.name() }
}

/** `RELEASE [SAVEPOINT] name`. */
export function parseRelease(tokens: TokenStream): Statement {
  tokens.expect('release')
  if (!isLast(tokens)) tokens.accept('savepoint')
  return { kind: 'release', name: tokens.name() }
}

/** After `SET TRANSACTION`, or after `SET SESSION CHARACTERISTICS AS TRANSACTION`. */
export function parseSetTransaction(tokens: TokenStream, isSession: boolean): Statement {
  if (!isSession && tokens.has('snapshot')) throw tokens.notSupported('SET TRANSACTION SNAPSHOT')
  const { at } = tokens
  const modes = parseModes(tokens)
  if (tokens.at === at) throw tokens.unexpected()
  return { kind: 'setTransaction', modes, isSession }
}

const words: readonly (readonly [words: string, modes: TransactionModes])[] = [
  ['isolation level serializable', { isolation: 'serializable' }],
  ['isolation level repeatable read', { isolation: 'repeatable read' }],
  ['isolation level read committed', { isolation: 'read committed' }],
  ['isolation level read uncommitted', { isolation: 'read uncommitted' }],
  ['read only', { isReadOnly: true }],
  ['read write', { isReadOnly: false }],
  ['deferrable', { isDeferrable: true }],
  ['not deferrable', { isDeferrable: false }],
]

/** With or without commas; the last of two counts, as in PostgreSQL. */
function parseModes(tokens: TokenStream): TransactionModes {
  let modes: TransactionModes = {}
  for (let at = -1; tokens.at !== at; ) {
    at = tokens.at
    const found = words.find(([text]) => tokens.accept(...text.split(' ')))
    if (found === undefined) return modes
    modes = { ...modes, ...found[1] }
    if (tokens.acceptSymbol(',') && isAtEnd(tokens)) throw tokens.unexpected()
  }
  return modes
}

function isAtEnd(tokens: TokenStream): boolean {
  return tokens.isAtEnd || tokens.hasSymbol(';')
}
