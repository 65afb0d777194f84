// The smallest and largest values of a bucket's measurements, for `control.min` and `control.max`:
// objects by field, arrays by position.

import { work } from '../../../base/work/work-budget.js'
import { valueUnits } from '../../../base/work/work-figures.js'
import { compareValues, typeClass } from '../../../value/compare.js'
import { elementsOf, fieldsOf } from '../../../value/elements.js'
import { bsonType, type Value } from '../../../value/value.js'
import type { DocumentWriter } from '../../../value/writer.js'

/** The values seen in one place, all of one kind. */
export type Extremes =
  | { readonly kind: 'value'; min: Value; max: Value }
  | { readonly kind: 'object'; readonly fields: Map<string, Extremes> }
  | { readonly kind: 'array'; readonly items: Extremes[] }

/** Whether a value has the kind of the seen ones, because a bucket does not mix kinds. */
export function fits(seen: Extremes | undefined, value: Value): boolean {
  if (seen === undefined) return true
  switch (seen.kind) {
    case 'value':
      return typeClass(seen.min.type) === typeClass(value.type)
    case 'object': {
      if (value.type !== bsonType.object) return false
      for (const [name, inner] of fieldsOf(value)) {
        if (!fits(seen.fields.get(name), inner)) return false
      }
      return true
    }
    case 'array':
      if (value.type !== bsonType.array) return false
      return elementsOf(value).every((inner, i) => fits(seen.items[i], inner))
  }
}

/** The extremes after one more value of the same kind. */
export function widened(seen: Extremes | undefined, value: Value): Extremes {
  work.spend(valueUnits)
  if (value.type === bsonType.object) {
    const node = seen?.kind === 'object' ? seen : { kind: 'object' as const, fields: new Map() }
    for (const [name, inner] of fieldsOf(value)) {
      node.fields.set(name, widened(node.fields.get(name), inner))
    }
    return node
  }
  if (value.type === bsonType.array) {
    const node = seen?.kind === 'array' ? seen : { kind: 'array' as const, items: [] }
    for (const [i, inner] of elementsOf(value).entries()) {
      node.items[i] = widened(node.items[i], inner)
    }
    return node
  }
  if (seen?.kind !== 'value') return { kind: 'value', min: value, max: value }
  if (compareValues(value, seen.min) < 0) seen.min = value
  if (compareValues(value, seen.max) > 0) seen.max = value
  return seen
}

export type Side = 'min' | 'max'

export function writeExtreme(
  writer: DocumentWriter,
  name: string,
  seen: Extremes,
  side: Side,
): void {
  switch (seen.kind) {
    case 'value':
      writer.value(name, seen[side])
      return
    case 'object':
      writer.openDocument(name)
      for (const [inner, one] of seen.fields) writeExtreme(writer, inner, one, side)
      writer.close()
      return
    case 'array':
      writer.openArray(name)
      for (const [i, one] of seen.items.entries()) writeExtreme(writer, String(i), one, side)
      writer.close()
  }
}
