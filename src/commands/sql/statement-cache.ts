// Trees of recently parsed statements. One statement is needed for its translation, its resources
// and its run, and clients repeat the same texts.

import { LRUCache } from 'lru-cache'
import { MiB } from '../../base/units.js'
import type { Parsed, Statement } from '../../protocol/sql/ast.js'
import { parseStatement } from '../../protocol/sql/parse.js'
import { withPosition } from './expression/evaluation-error.js'
import { withoutSchemas } from './qualified-names.js'
import { withSetAsTable } from './set-in-list.js'

/** Cached parsed statements, and the estimated bytes of their trees. */
const sqlStatementsMax = 2_000
const sqlStatementsBytesMax = 32 * MiB

interface Known extends Parsed {
  /** The same with folded names; created when a declared table is first used. */
  folded: Statement | undefined
}

const statements = new LRUCache<string, Known>({
  max: sqlStatementsMax,
  maxSize: sqlStatementsBytesMax,
  // Estimated memory of a tree beside its text, with everything cached for it. The words of a
  // statement are bounded, so the longest texts have no larger trees: one always finds room.
  sizeCalculation: ({ canFold }, text) =>
    Math.min(text.length * (canFold ? 64 : 32), sqlStatementsBytesMax / 2) + 2_000,
})

/** Errors of statements that were read before their commands, which follow at once. */
const errors = new LRUCache<string, { readonly thrown: unknown }>({ max: 16 })

/** As parseStatement; the tree is shared and must not be changed. */
export function parsedStatement(text: string): Parsed {
  const known = statements.get(text)
  if (known !== undefined) return known
  const failed = errors.get(text)
  if (failed !== undefined) throw failed.thrown
  return kept(text, parseStatement(text))
}

function kept(text: string, { statement, parameters, canFold }: Parsed): Known {
  const parsed = { statement: qualified(statement, text), parameters, canFold, folded: undefined }
  statements.set(text, parsed)
  if (canFold) noteFolding(parsed.statement)
  return parsed
}

/** Whether a text is known. */
export function isKnownStatement(text: string): boolean {
  return statements.has(text)
}

/** Keeps what was parsed elsewhere. */
export function keepStatement(text: string, parsed: Parsed): void {
  kept(text, parsed)
}

/** Keeps the error of a text that was read elsewhere. */
export function keepError(text: string, thrown: unknown): void {
  errors.set(text, { thrown })
}

/** The same for a statement with folded names, of a known text. */
export function keepFolded(text: string, statement: Statement): void {
  const known = statements.peek(text)
  if (known !== undefined) known.folded = qualified(statement, text)
}

const folding = new WeakSet<Statement>()

function noteFolding(statement: Statement): void {
  folding.add(statement)
  if (statement.kind === 'explain' || statement.kind === 'declare') noteFolding(statement.statement)
}

/** Whether folding changes the names of a tree of parsedStatement, or of its inner statement. */
export function canFold(statement: Statement): boolean {
  return folding.has(statement)
}

/** The statement as PostgreSQL reads it: unquoted names in lower case. */
export function foldedStatement(text: string): Statement {
  const parsed = parsedStatement(text)
  if (!parsed.canFold) return parsed.statement
  const known = statements.peek(text)
  if (known?.folded !== undefined) return known.folded
  const folded = qualified(parseStatement(text, true).statement, text)
  if (known !== undefined) known.folded = folded
  return folded
}

function qualified(statement: Statement, text: string): Statement {
  try {
    return withSetAsTable(withoutSchemas(statement))
  } catch (thrown) {
    throw withPosition(thrown, text)
  }
}
