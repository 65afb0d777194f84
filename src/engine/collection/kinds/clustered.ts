// Clustered collections store documents in `_id` order, in the index itself. Every Sigil collection
// does; the option only affects how the index is listed. Source: MongoDB manual, Clustered
// Collections; collection-management of the unified tests.

import { fail } from '../../../base/errors.js'
import { Elements, field } from '../../../value/elements.js'
import { numberOf } from '../../../value/numbers.js'
import { boolOf, bsonType, type Document, stringOf, type Value } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { idIndexName, idIndexSpecOf } from '../../index/index-spec.js'
import type { Namespace } from '../../types.js'

const known: ReadonlySet<string> = new Set(['key', 'unique', 'name', 'v'])

/**
 * The stored form of the option `clusteredIndex` of create: `{v, key, name, unique}`. Throws
 * TypeMismatch, 40414, 40415, 5979700 and InvalidIndexSpecificationOption if it is invalid.
 */
export function clusteredOption(given: Value): Document {
  if (given.type !== bsonType.object) {
    throw fail('TypeMismatch', "BSON field 'create.clusteredIndex' must be an object")
  }
  const spec = given.payload()
  const elements = new Elements(spec)
  while (elements.next()) {
    if (known.has(elements.name())) continue
    const text = `BSON field 'create.clusteredIndex.${elements.name()}' is an unknown field.`
    throw fail('Location40415', text)
  }
  requireKey(required(spec, 'key'))
  const unique = required(spec, 'unique')
  if (unique.type !== bsonType.bool || !boolOf(unique)) {
    const text = 'The clusteredIndex option requires unique: true to be specified'
    throw fail('Location5979700', text)
  }
  const name = nameOf(spec)
  return writeDocument((out) => {
    out.int32('v', 2).openDocument('key').int32('_id', 1).close()
    out.string('name', name).bool('unique', true)
  })
}

function required(spec: Document, name: string): Value {
  const value = field(spec, name)
  if (value !== undefined) return value
  const where = `create.clusteredIndex.${name}`
  throw fail('Location40414', `BSON field '${where}' is missing but a required field`)
}

function requireKey(key: Value): void {
  if (key.type === bsonType.object) {
    const elements = new Elements(key.payload())
    const isId = elements.next() && elements.name() === '_id'
    const value = isId ? elements.value() : undefined
    if (value?.isNumber === true && numberOf(value) === 1 && !elements.next()) return
  }
  const text = 'The clusteredIndex option is only supported for key: {_id: 1}'
  throw fail('InvalidIndexSpecificationOption', text)
}

function nameOf(spec: Document): string {
  const name = field(spec, 'name')
  if (name === undefined) return idIndexName
  if (name.type === bsonType.string && name.end - name.start > emptyTextBytes) return stringOf(name)
  throw fail('TypeMismatch', "BSON field 'create.clusteredIndex.name' must be a text")
}

/** Length prefix and terminating 00. */
const emptyTextBytes = 5

/** The index on `_id` as listIndexes shows it. */
export function listedIdIndex(ns: Namespace): Document {
  const clustered = field(ns.options, 'clusteredIndex')
  if (clustered?.type !== bsonType.object) return idIndexSpecOf(ns.collation)
  return writeDocument((out) => {
    const elements = new Elements(clustered.payload())
    while (elements.next()) out.value(elements.name(), elements.value())
    if (ns.collation !== undefined) out.document('collation', ns.collation.spec)
    out.bool('clustered', true)
  })
}

/** The name that the client gave the index; undefined if the collection is not clustered. */
export function clusteredName(ns: Namespace): string | undefined {
  const option = field(ns.options, 'clusteredIndex')
  const name = option?.type === bsonType.object ? field(option.payload(), 'name') : undefined
  return name?.type === bsonType.string ? stringOf(name) : undefined
}

export function isClustered(options: Document): boolean {
  return field(options, 'clusteredIndex') !== undefined
}
