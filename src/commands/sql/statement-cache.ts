// Trees of the statements that were parsed last: a statement is looked at when it is translated,
// when its collections are named and when it runs, and clients send the same texts again.

import { LRUCache } from 'lru-cache'
import { sqlStatementsBytesMax, sqlStatementsMax } from '../../base/limits.js'
import type { Parsed } from '../../protocol/sql/ast.js'
import { parseStatement } from '../../protocol/sql/parse.js'
import { withoutSchemas } from './qualified-names.js'

const statements = new LRUCache<string, Parsed>({
  max: sqlStatementsMax,
  maxSize: sqlStatementsBytesMax,
  // What a tree takes beside its text, with what is kept for as long as the tree is.
  sizeCalculation: (_parsed, text) => text.length * 32 + 2_000,
})

/** As parseStatement; the tree is shared and not to be changed. */
export function parsedStatement(text: string): Parsed {
  const known = statements.get(text)
  if (known !== undefined) return known
  const { statement, parameters } = parseStatement(text)
  const parsed = { statement: withoutSchemas(statement), parameters }
  statements.set(text, parsed)
  return parsed
}
