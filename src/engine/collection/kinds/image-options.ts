// The option `changeStreamPreAndPostImages` of a collection: the change log keeps its documents as
// they were before and after each change. (docs/design/changes.md)

import { fail } from '../../../base/errors.js'
import { Elements, field } from '../../../value/elements.js'
import { boolOf, bsonType, type Document, documentOf } from '../../../value/value.js'

export const imagesOption = 'changeStreamPreAndPostImages'

/** `enabled` of `{enabled: bool}`. Throws 40414, 40415, TypeMismatch. */
export function enabledImages(given: Document): boolean {
  let enabled: boolean | undefined
  const elements = new Elements(given)
  while (elements.next()) {
    const where = `${imagesOption}.${elements.name()}`
    if (elements.name() !== 'enabled') {
      throw fail('Location40415', `BSON field '${where}' is an unknown field.`)
    }
    const value = elements.value()
    if (value.type !== bsonType.bool) {
      throw fail('TypeMismatch', `BSON field '${where}' is the wrong type, expected type 'bool'`)
    }
    enabled = boolOf(value)
  }
  if (enabled !== undefined) return enabled
  const text = `BSON field '${imagesOption}.enabled' is missing but a required field`
  throw fail('Location40414', text)
}

/** Empty for a collection without the option. */
export function imagesOf(options: Document): {
  readonly hasImages?: true
  readonly recorded?: true
} {
  const given = field(options, imagesOption)
  if (given === undefined || !enabledImages(documentOf(given))) return {}
  return { hasImages: true, recorded: true }
}
