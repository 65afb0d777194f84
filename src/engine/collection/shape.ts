// Checks a document before it is stored: an `_id` of a permitted type, and a size within limits.
// Updates apply the same checks to their results.

import { fail } from '../../base/errors.js'
import { documentBytesMax } from '../../base/limits/documents.js'
import { Elements } from '../../value/elements.js'
import { bsonType, type Document, type Value } from '../../value/value.js'

const typesRefusedAsId: Readonly<Record<number, string>> = {
  [bsonType.array]: 'array',
  [bsonType.undefined]: 'undefined',
  [bsonType.regex]: 'regex',
}

const dollar = 0x24

/** Throws BSONObjectTooLarge above documentBytesMax. */
export function checkSize(document: Document): void {
  if (document.length <= documentBytesMax) return
  const sizes = `size in bytes: ${document.length}, max size: ${documentBytesMax}`
  throw fail('BSONObjectTooLarge', `object to insert too large. ${sizes}`)
}

/** Throws InvalidIdField or DollarPrefixedFieldName for a value that cannot be an `_id`. */
export function checkId(id: Value): void {
  const refused = typesRefusedAsId[id.type]
  if (refused !== undefined) {
    throw fail('InvalidIdField', `The '_id' value cannot be of type ${refused}`)
  }
  if (id.type === bsonType.object) checkIdFields(id)
}

function checkIdFields(object: Value): void {
  const elements = new Elements(object.bytes, object.start)
  while (elements.next()) {
    if (object.bytes[elements.nameStart] === dollar) {
      const name = elements.name()
      throw fail(
        'DollarPrefixedFieldName',
        `_id fields may not contain '$'-prefixed fields: ${name} is not valid for storage.`,
      )
    }
    if (elements.type === bsonType.object || elements.type === bsonType.array) {
      checkIdFields(elements.value())
    }
  }
}
