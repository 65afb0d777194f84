// Virtual tables: information_schema and pg_catalog as documents. They show what the caller may
// read, and use the same SELECT as collections.

import type { Guarded } from '../../../engine/types.js'
import type { TableName } from '../../../protocol/sql/ast.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { Elements, elementsOf, fieldsOf } from '../../../value/elements.js'
import { documentFrom } from '../../../value/literal.js'
import { integerOf } from '../../../value/numbers.js'
import { bsonType, type Document, stringOf, type Value } from '../../../value/value.js'
import { evaluationError, evaluationState } from '../expression/evaluation-error.js'
import type { Relations } from './catalog-relations.js'
import { catalogRows, type Wanted } from './catalog-rows.js'
import { virtualName, virtualTable } from './catalog-tables.js'
import type { KnownTable } from './known-table.js'

/** Whether the name belongs to a virtual table. */
export function isVirtual(reference: TableName): boolean {
  return reference.schema !== undefined || virtualName(reference) !== undefined
}

/** Work units of a field of a virtual row: 0.5 µs. */
const rowFieldUnits = 5

const knownTables = new Map<string, KnownTable>()

/** The columns of a virtual table. Throws 42P01 for a table that no schema has. */
export function knownVirtual(reference: TableName): KnownTable {
  const name = nameOf(reference)
  const known = knownTables.get(name)
  if (known !== undefined) return known
  const made = { columns: virtualTable(name), required: new Set<string>(), isDeclared: false }
  knownTables.set(name, made)
  return made
}

function nameOf(reference: TableName): string {
  const name = virtualName(reference)
  if (name !== undefined) return name
  const message = `relation "${reference.schema}.${reference.name}" does not exist`
  throw evaluationError(evaluationState.undefinedTable, message, reference.at)
}

/** The rows as documents with every column; `filter` restricts the sampled collections. */
export function* virtualDocuments(
  tx: ReadTx & Guarded,
  reference: TableName,
  relations: Relations,
  filter: Document,
): Program<Document[]> {
  const name = nameOf(reference)
  const columns = [...virtualTable(name).keys()]
  const rows = yield* catalogRows(tx, name, relations, wantedBy(filter))
  const documents: Document[] = []
  for (const row of rows) {
    const fields = columns.map((column) => [column, row[column] ?? null] as const)
    documents.push(documentFrom(Object.fromEntries(fields)))
    yield* tx.pause(columns.length * rowFieldUnits)
  }
  return documents
}

/** The table that the filter names at its top level. */
function wantedBy(filter: Document): Wanted {
  let name: string | undefined
  let oid: number | undefined
  const look = (document: Document, start: number): void => {
    const elements = new Elements(document, start)
    while (elements.next()) {
      const value = elements.value()
      if (elements.name() === '$and' && value.type === bsonType.array) {
        for (const part of elementsOf(value)) look(part.bytes, part.start)
      }
      const equal = equalIn(value)
      if (elements.name() === 'table_name' && equal?.type === bsonType.string) {
        name = stringOf(equal)
      }
      if (ofRelation.has(elements.name()) && equal?.isNumber === true) oid = integerOf(equal)
    }
  }
  look(filter, 0)
  return { name, oid }
}

/** Columns with the OID of a relation or of an index. */
const ofRelation = new Set(['attrelid', 'indrelid', 'indexrelid', 'conrelid', 'conindid'])

function equalIn(value: Value): Value | undefined {
  if (value.type !== bsonType.object) return undefined
  for (const [name, operand] of fieldsOf(value)) if (name === '$eq') return operand
  return undefined
}
