// The operators of document access: `->`, `->>`, `#>`, `#>>`, subscripts and containment. A missing
// element, or a value that is no document, gives NULL. (PostgreSQL, "JSON Functions")

import { utf8 } from '../../../base/bytes/bytes.js'
import { work } from '../../../base/work/work-budget.js'
import { compareUnits } from '../../../base/work/work-figures.js'
import { equalValues } from '../../../value/compare.js'
import { Elements, elementsOf, fieldsOf, findElement } from '../../../value/elements.js'
import { equalityKey } from '../../../value/key.js'
import { integerOf } from '../../../value/numbers.js'
import { bsonType, stringOf, type Value } from '../../../value/value.js'
import { elementsSpent, spendOnElements } from './texts/text-cost.js'
import { orNull, type SqlValue } from './truth.js'

/**
 * `container -> key`: a name in an object, or an index in an array; a negative one from the end.
 */
export function member(container: Value, key: Value): SqlValue {
  if (key.type === bsonType.string) {
    if (container.type !== bsonType.object) return undefined
    spendOnElements(container)
    return orNull(findElement(container.bytes, container.start, utf8(stringOf(key))))
  }
  const place = key.isNumber ? integerOf(key) : undefined
  return place === undefined ? undefined : elementAt(container, place)
}

function elementAt(array: Value, place: number): SqlValue {
  if (array.type !== bsonType.array) return undefined
  spendOnElements(array)
  if (place < 0) return orNull(elementsOf(array).at(place))
  const elements = new Elements(array.bytes, array.start)
  for (let i = 0; elements.next(); i++) if (i === place) return orNull(elements.value())
  return undefined
}

/** `container #> path`: each text is a name, or an index in an array. */
export function memberAt(container: Value, path: readonly Value[]): SqlValue {
  let found: SqlValue = container
  for (const part of path) {
    if (found === undefined || part.isNullish) return undefined
    const isPlace = found.type === bsonType.array && part.type === bsonType.string
    if (!isPlace) found = member(found, part)
    else {
      const text = stringOf(part)
      found = /^-?\d{1,9}$/.test(text) ? elementAt(found, Number(text)) : undefined
    }
  }
  return found
}

/** `whole @> part`: whether every field and element of the part exists in the whole. */
export function contains(whole: Value, part: Value): boolean {
  if (whole.type === bsonType.array) {
    // At the top level an array contains a scalar as if it were an array of it; nested ones do not.
    const parts = part.type === bsonType.array ? elementsSpent(part) : [part]
    if (part.type === bsonType.object) return false
    const own = elementsSpent(whole)
    const known =
      parts.length > pairwiseMax ? new Set(own.map((one) => equalityKey(one))) : undefined
    return parts.every((one) => {
      if (known !== undefined && !isContainer(one)) return known.has(equalityKey(one))
      work.spend(own.length * compareUnits)
      return own.some((element) => holds(element, one))
    })
  }
  return holds(whole, part)
}

/** Above this number of elements, the search uses a set. */
const pairwiseMax = 8

function isContainer({ type }: Value): boolean {
  return type === bsonType.object || type === bsonType.array
}

function holds(whole: Value, part: Value): boolean {
  if (part.type === bsonType.object) {
    if (whole.type !== bsonType.object) return false
    spendOnElements(part)
    for (const [name, value] of fieldsOf(part)) {
      spendOnElements(whole)
      const own = findElement(whole.bytes, whole.start, utf8(name))
      if (own === undefined || !holds(own, value)) return false
    }
    return true
  }
  if (part.type === bsonType.array) return whole.type === bsonType.array && contains(whole, part)
  return equalValues(whole, part)
}
