// An HTTP request for the routes: its checked body fields, the format of replies, and a function
// that runs a MongoDB command on the bus.

import { type Bytes, utf8 } from '../../../base/bytes/bytes.js'
import { fail } from '../../../base/errors.js'
import type { Request } from '../../../bus/document/request.js'
import type { Awaitable } from '../../../store/store.js'
import { Elements } from '../../../value/elements.js'
import { type JsonMode, valueToJson } from '../../../value/json/json.js'
import { integerOf } from '../../../value/numbers.js'
import { bsonType, type Document, type Value } from '../../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../../value/writer.js'

export interface HttpCall {
  /** From the path; empty if the route has none. */
  readonly collection: string
  readonly database: string
  /** A path parameter by its name in the route's template; empty if there is none. */
  readonly param: (name: string) => string
  /** A parameter of the URL's query. */
  readonly query: (name: string) => string | undefined
  readonly fields: BodyFields
  readonly mode: JsonMode
  /** Strings in `_id` position also match ObjectIds: bodies in plain JSON. */
  readonly widensIds: boolean
  /** A header names the transaction of its commands. */
  readonly isInTransaction: boolean
  readonly makeId: () => Uint8Array
  /** Signs the cursors of lists. */
  readonly pageKey: Bytes
  /** Runs a MongoDB command as the caller; throws GatewayError. */
  readonly run: (command: Document) => Awaitable<Document>
  /** As run, for an encoded command. */
  readonly ask: (request: Request) => Awaitable<Document>
}

/** Null is invalid, except for a `nullable` field, where it means that no value is wanted. */
export type FieldKind =
  | 'object'
  | 'array'
  | 'update'
  | 'string'
  | 'bool'
  | 'whole'
  | 'any'
  | 'nullable'

/** The fields of a route's body; a trailing `!` on the kind makes the field required. */
export type BodySchema = Readonly<Record<string, FieldKind | `${FieldKind}!`>>

export type BodyFields = ReadonlyMap<string, Value>

interface BodyField {
  readonly name: string
  readonly nameBytes: Bytes
  readonly kind: FieldKind
  readonly isRequired: boolean
}

/** A route's schema, prepared once: names are compared as bytes. */
export class BodyCheck {
  private readonly known: readonly BodyField[]
  private readonly required: readonly string[]

  constructor(schema: BodySchema) {
    this.known = Object.entries(schema).map(([name, kind]) => ({
      name,
      nameBytes: utf8(name),
      kind: kind.replace('!', '') as FieldKind,
      isRequired: kind.endsWith('!'),
    }))
    this.required = this.known.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  }

  /** The fields of a body, each of its kind. Throws BadValue with the field's name. */
  fields(body: Document): BodyFields {
    const fields = new Map<string, Value>()
    const elements = new Elements(body)
    while (elements.next()) {
      const { name, kind, isRequired } = this.fieldAt(elements)
      const value = elements.value()
      if (value.type === bsonType.null && !isRequired && kind !== 'nullable') continue
      requireKind(name, kind, value)
      fields.set(name, value)
    }
    for (const name of this.required) {
      if (!fields.has(name)) {
        throw fail('BadValue', `field '${name}' is required in the request body`)
      }
    }
    return fields
  }

  private fieldAt(elements: Elements): BodyField {
    const { known } = this
    for (let i = 0; i < known.length; i++) {
      const row = known[i] as BodyField
      if (elements.nameIs(row.nameBytes)) return row
    }
    throw fail('BadValue', `unknown field '${elements.name()}' in the request body`)
  }
}

function requireKind(name: string, kind: FieldKind, value: Value): void {
  const { type } = value
  const good =
    kind === 'any' ||
    kind === 'nullable' ||
    (kind === 'object' && type === bsonType.object) ||
    (kind === 'array' && type === bsonType.array) ||
    (kind === 'update' && (type === bsonType.object || type === bsonType.array)) ||
    (kind === 'string' && type === bsonType.string) ||
    (kind === 'bool' && type === bsonType.bool) ||
    (kind === 'whole' && value.isNumber && (integerOf(value) ?? -1) >= 0)
  if (good) return
  const names = { whole: 'whole number of at least 0', update: 'object or array', bool: 'boolean' }
  const wanted = (names as Record<string, string>)[kind] ?? kind
  throw fail('BadValue', `field '${name}' must be of type ${wanted}`)
}

/** A whole number of the body, or undefined. */
export function wholeField(fields: BodyFields, name: string): number | undefined {
  const value = fields.get(name)
  return value === undefined ? undefined : integerOf(value)
}

/** `{<name>: <collection>, …}`. */
export function command(
  call: HttpCall,
  name: string,
  fill: (writer: DocumentWriter) => void,
): Document {
  return writeDocument((writer) => {
    writer.string(name, call.collection)
    fill(writer)
  })
}

/** Copies body fields into a command under the same names. */
export function copyFields(
  writer: DocumentWriter,
  fields: BodyFields,
  names: readonly string[],
): void {
  for (const name of names) {
    const value = fields.get(name)
    if (value !== undefined) writer.value(name, value)
  }
}

export function jsonOf(call: HttpCall, value: Value | undefined): string {
  return value === undefined ? 'null' : valueToJson(value, call.mode)
}
