// Tells an object with operators, `{$gt: 5}`, from a value that a filter compares with. A DBRef is
// such a value, though its names begin with `$`, too.

import { Elements } from '../../value/elements.js'
import { bsonType, type Value } from '../../value/value.js'

/**
 * Whether an object has operators: its first name starts with `$` and is not a field of a DBRef.
 */
export function isOperatorObject(value: Value): boolean {
  if (value.type !== bsonType.object) return false
  const elements = new Elements(value.bytes, value.start)
  if (!elements.next() || value.bytes[elements.nameStart] !== 0x24) return false
  return !isReferenceName(elements.name())
}

/** The fields of a DBRef, which start with `$` but are not operators. */
export function isReferenceName(name: string): boolean {
  return name === '$ref' || name === '$id' || name === '$db'
}
