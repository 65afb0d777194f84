// Columns of CREATE TABLE, stored as the collection's validator: a JSON schema with typed
// properties in column order. It applies to the writes of every protocol, and listCollections and
// dumps include it.

import { offsetAfter } from '../../../base/bytes/code-points.js'
import { fail, type GatewayError } from '../../../base/errors.js'
import type { ColumnDefinition, Expression, PathPart, TypeName } from '../../../protocol/sql/ast.js'
import { elementsOf, field, fieldIn, fieldsOf } from '../../../value/elements.js'
import { bsonType, type Document, stringOf, type Value } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { columnTypeOf } from '../catalog/catalog-types.js'
import { type Cast, castTo } from '../expression/cast.js'
import { placed } from '../expression/evaluation-error.js'
import { failingRow } from './failing-row.js'

/** Title of the schemas from CREATE TABLE. */
const schemaTitle = 'CREATE TABLE'

export interface DeclaredColumn {
  readonly name: string
  /** PostgreSQL's name: `varchar(10)`, `int4[]`. */
  readonly type: string
  readonly isRequired: boolean
  /** Casts a written value to the type. */
  readonly assign: Cast
}

const bsonTypes = new Map<string, readonly string[]>([
  ['int2', ['int']],
  ['int4', ['int']],
  ['int8', ['int', 'long']],
  ['float4', ['double', 'int', 'long']],
  ['float8', ['double', 'int', 'long']],
  ['numeric', ['decimal', 'double', 'int', 'long']],
  ['text', ['string']],
  ['varchar', ['string']],
  ['bpchar', ['string']],
  ['name', ['string']],
  ['bool', ['bool']],
  ['timestamptz', ['date']],
  ['timestamp', ['date']],
  ['date', ['date']],
])

/** `{$jsonSchema: …}`; undefined without columns. Throws 42704 for an unknown type. */
export function validatorOf(
  columns: readonly ColumnDefinition[],
  required: ReadonlySet<string>,
): Document | undefined {
  if (columns.length === 0) return undefined
  for (const { type } of columns) castTo(type)
  return writeDocument((out) => {
    out.openDocument('$jsonSchema').string('title', schemaTitle).string('bsonType', 'object')
    if (required.size > 0) {
      out.openArray('required')
      for (const name of required) out.string(String(out.size), name)
      out.close()
    }
    out.openDocument('properties')
    for (const { name, type } of columns) {
      out.openDocument(name)
      const types = type.isArray ? ['array'] : bsonTypes.get(type.name)
      if (types !== undefined) {
        out.openArray('bsonType')
        const all = required.has(name) ? types : [...types, 'null']
        for (const each of all) out.string(String(out.size), each)
        out.close()
      }
      out.string('description', textOfType(type)).close()
    }
    out.close().close()
  })
}

function textOfType({ name, modifiers, isArray }: TypeName): string {
  const given = modifiers.length === 0 ? '' : `(${modifiers.join(',')})`
  return `${name}${given}${isArray ? '[]' : ''}`
}

/** The columns of CREATE TABLE; undefined for another collection. */
export function declaredColumns(options: Document): readonly DeclaredColumn[] | undefined {
  const validator = field(options, 'validator')
  const schema = validator?.type === bsonType.object ? fieldIn(validator, '$jsonSchema') : undefined
  if (schema?.type !== bsonType.object) return undefined
  const title = fieldIn(schema, 'title')
  const properties = fieldIn(schema, 'properties')
  if (title?.type !== bsonType.string || stringOf(title) !== schemaTitle) return undefined
  if (properties?.type !== bsonType.object) return undefined
  const required = fieldIn(schema, 'required')
  const names = required?.type === bsonType.array ? elementsOf(required) : []
  const isRequired = new Set(names.map((name) => stringOf(name)))
  return [...fieldsOf(properties)].flatMap(([name, property]) => {
    const described =
      property.type === bsonType.object ? fieldIn(property, 'description') : undefined
    const type = described?.type === bsonType.string ? stringOf(described) : ''
    const assign = assignmentTo(type)
    return assign === undefined ? [] : [{ name, type, isRequired: isRequired.has(name), assign }]
  })
}

function assignmentTo(type: string): Cast | undefined {
  const found = /^([a-z]\w*)(?:\((\d{1,10})(?:,(\d{1,10}))?\))?(\[\])?$/.exec(type)
  if (found === null) return undefined
  const [, name = '', first, second, array] = found
  const modifiers = [first, second].filter((part) => part !== undefined).map(Number)
  const given: TypeName = { name, modifiers, isArray: array !== undefined }
  const isBounded = (name === 'varchar' || name === 'bpchar') && modifiers[0] !== undefined
  const cast = knownCast(isBounded ? { ...given, name: 'text', modifiers: [] } : given)
  if (cast === undefined || !isBounded || given.isArray) return cast
  return (value) => requireLength(cast(value), modifiers[0] ?? 0, type)
}

function knownCast(type: TypeName): Cast | undefined {
  try {
    return castTo(type)
  } catch {
    // A schema with this title from another program says nothing about columns.
    return undefined
  }
}

function requireLength(value: Value, length: number, type: string): Value {
  const text = stringOf(value)
  if (offsetAfter(text, length) >= text.length) return value
  const { words } = columnTypeOf(type)
  throw fail('BadValue', `value too long for type ${words}(${length})`, { sqlState: '22001' })
}

/** The column of a path. */
export function columnAt(
  path: readonly PathPart[],
  declared: readonly DeclaredColumn[] | undefined,
): DeclaredColumn | undefined {
  return path.length === 1 ? declared?.find(({ name }) => name === path[0]) : undefined
}

/** A value in the type of its column, if it is declared. Errors of a literal have its position. */
export function converted(
  column: DeclaredColumn | undefined,
  value: Value,
  from: Expression | undefined,
): Value {
  if (column === undefined) return value
  try {
    return column.assign(value)
  } catch (thrown) {
    const isLiteral = from?.kind === 'literal' && column.type.startsWith('json')
    throw isLiteral ? placed(thrown, from.at) : thrown
  }
}

/**
 * Throws DocumentValidationFailure (23502) if a required column has no value. `isBlind`: the caller
 * may not read the row.
 */
export function requireColumns(
  columns: readonly DeclaredColumn[] | undefined,
  document: Document,
  table: string,
  isBlind: boolean,
): void {
  for (const { name, isRequired } of columns ?? []) {
    if (!isRequired || name === '_id') continue
    const value = field(document, name)
    if (value === undefined || value.isNullish) {
      const detail = isBlind ? undefined : failingRow(columns ?? [], document)
      throw missingValue(name, table, detail)
    }
  }
}

/** The error for a column that must not be NULL. */
export function missingValue(column: string, table: string, detail?: string): GatewayError {
  const place = `column "${column}" of relation "${table}"`
  const text = `null value in ${place} violates not-null constraint`
  const row = detail === undefined ? {} : { detail }
  const extra = { sqlState: '23502', ...row, schema: 'public', table, column }
  return fail('DocumentValidationFailure', text, extra)
}
