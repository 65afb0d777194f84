// The privileges of a change: `write`, and `read` if its filter, computation or reply reveals
// stored documents. Without `read` a client can insert, and change or remove documents by `_id` or
// all of them, but it does not learn their content.

import { utf8 } from '../../../base/bytes/bytes.js'
import type { Privilege } from '../../../engine/types.js'
import { Elements, elementsOf } from '../../../value/elements.js'
import { bsonType, type Document, type Value } from '../../../value/value.js'
import { writePrivileges } from '../arguments.js'

/** What the check reads of one operation of an update or delete. */
interface ChangeParts {
  readonly q: Document
  /** Of an update. */
  readonly u?: Value | undefined
  readonly arrayFilters?: unknown
  readonly hint?: unknown
}

const idName = utf8('_id')

/** The privileges of all operations of a command together. */
export function changePrivileges(
  operations: readonly ChangeParts[],
  args: { readonly bypassDocumentValidation?: boolean } = {},
): readonly Privilege[] {
  const { bypassDocumentValidation = false } = args
  const privileges = writePrivileges({ bypassDocumentValidation })
  for (let i = 0; i < operations.length; i++) {
    if (readsStored(operations[i] as ChangeParts)) return [...privileges, 'read']
  }
  return privileges
}

function readsStored({ q, u, arrayFilters, hint }: ChangeParts): boolean {
  return (
    u?.type === bsonType.array || arrayFilters !== undefined || hint !== undefined || !namesIds(q)
  )
}

/** `{}`, `{_id: value}`, `{_id: {$eq: value}}` or `{_id: {$in: [values]}}`. */
function namesIds(filter: Document): boolean {
  const elements = new Elements(filter)
  if (!elements.next()) return true
  if (!elements.nameIs(idName)) return false
  const id = elements.value()
  return !elements.next() && isIds(id)
}

function isIds(id: Value): boolean {
  if (id.type === bsonType.regex) return false
  if (id.type !== bsonType.object) return true
  const inner = new Elements(id.bytes, id.start)
  if (!inner.next()) return true
  const name = inner.name()
  if (!name.startsWith('$')) return true
  const value = inner.value()
  if (inner.next()) return false
  if (name === '$eq') return value.type !== bsonType.regex
  if (name !== '$in' || value.type !== bsonType.array) return false
  return elementsOf(value).every(({ type }) => type !== bsonType.regex)
}
