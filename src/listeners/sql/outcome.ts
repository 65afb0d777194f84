// The outcome of one statement: its reply with rows, and the tag that ends it. Statements about the
// session have the same form as those that ran as commands.

import type { Statement } from '../../bus/document/transactions/statement.js'
import { emptyDocument } from '../../commands/document/arguments.js'
import type { SqlKind } from '../../commands/sql/translate.js'
import { field } from '../../value/elements.js'
import { integerOf } from '../../value/numbers.js'
import { type Document, stringValue } from '../../value/value.js'
import { DocumentWriter, writeDocument } from '../../value/writer.js'

/** The outcome of a statement. */
export interface Outcome {
  readonly kind: SqlKind
  /** It returns rows: `reply` has a cursor and columns. */
  readonly returns: boolean
  readonly reply: Document
  /** The tag after the last row, which the number of rows follows. */
  readonly tag: string
  readonly counts: boolean
  /** Rows of a cursor to be written: FETCH. */
  readonly fetched?: Fetched
  /** The transaction that its cursor reads in. */
  readonly statement?: Statement | undefined
}

export interface Fetched {
  /** Name of the cursor. */
  readonly name: string
  /** Undefined: all remaining ones. */
  readonly rows: number | undefined
}

const plainTags: Partial<Record<SqlKind, string>> = {
  truncate: 'TRUNCATE TABLE',
  createIndex: 'CREATE INDEX',
  dropIndex: 'DROP INDEX',
  createTable: 'CREATE TABLE',
  dropTable: 'DROP TABLE',
  explain: 'EXPLAIN',
  show: 'SHOW',
}

export function done(kind: SqlKind, tag: string): Outcome {
  return { kind, returns: false, reply: emptyDocument, tag, counts: false }
}

/** One row of one text. */
export function shown(name: string, value: string): Outcome {
  const row = new DocumentWriter().value(name, stringValue(value)).finish()
  const reply = writeDocument((writer) => {
    writer.openDocument('cursor').openArray('firstBatch').pushDocument(row).close().close()
    writer.openArray('columns').pushOpenDocument()
    writer.string('name', name).string('type', 'text').close().close()
  })
  return { kind: 'show', returns: true, reply, tag: 'SHOW', counts: false }
}

export function tagOf(kind: SqlKind, reply: Document): string {
  switch (kind) {
    case 'select':
      return 'SELECT'
    case 'insert':
      return `INSERT 0 ${figure(reply, 'insertedCount') + figure(reply, 'matchedCount')}`
    case 'update':
      return `UPDATE ${figure(reply, 'matchedCount')}`
    case 'delete':
      return `DELETE ${figure(reply, 'deletedCount')}`
    default:
      return plainTags[kind] ?? kind.toUpperCase()
  }
}

function figure(reply: Document, name: string): number {
  const value = field(reply, name)
  return value === undefined ? 0 : (integerOf(value) ?? 0)
}
