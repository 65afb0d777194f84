// Sort specifications. Each document gets one key whose bytes compare as the documents sort, so
// sorting, top-k selection and spilling compare only keys. Arrays sort by their smallest element
// when ascending, by their largest when descending. Source: MongoDB manual, Comparison/Sort Order.

import type { Bytes } from '../base/bytes/bytes.js'
import { fail } from '../base/errors.js'
import { indexFieldsMax } from '../base/limits/documents.js'
import { work } from '../base/work/work-budget.js'
import type { Collation } from '../value/collation/collation.js'
import { compareValues } from '../value/compare.js'
import { Elements, elementsOf, findElement } from '../value/elements.js'
import { KeyWriter } from '../value/key.js'
import { numberOf } from '../value/numbers.js'
import { type FieldPath, keyValues, parsePath } from '../value/path.js'
import { shellText } from '../value/shell.js'
import {
  bsonType,
  type Document,
  documentValue,
  nullValue,
  undefinedValue,
  type Value,
} from '../value/value.js'
import { metaError, requirePath } from './projection-spec.js'

/** Work units to compare two values: 0.03 µs. */
const comparedUnits = 0.3

interface SortPart {
  readonly path: FieldPath
  readonly direction: 1 | -1
}

export interface Sort {
  /** Empty for `$natural`. */
  readonly parts: readonly SortPart[]
  /** `{$natural: ±1}`: the storage order of the collection. */
  readonly natural: 1 | -1 | undefined
  /** The collation of strings; undefined compares their bytes. */
  readonly collation: Collation | undefined
  /** Bytes that sort like the document. Throws BadValue if two parts enter different arrays. */
  key(document: Document): Bytes
  /** As `key`, in memory that the next key overwrites. */
  peekKey(document: Document): Bytes
}

/** Throws 15974, 15975 (bad directions), 2 (more than 32 parts) and the errors of $meta. */
export function compileSort(spec: Document, collation?: Collation): Sort {
  const parts: SortPart[] = []
  let natural: 1 | -1 | undefined
  let count = 0
  const elements = new Elements(spec)
  while (elements.next()) {
    const name = elements.name()
    count++
    // Further parts are only counted.
    if (count > indexFieldsMax) throw fail('BadValue', 'too many compound keys')
    if (name === '$natural') natural = naturalDirection(elements.value())
    else parts.push(partOf(name, elements.value()))
  }
  if (natural !== undefined && count > 1) {
    const text = `Cannot include '$natural' in compound sort: ${shellText(documentValue(spec))}`
    throw fail('BadValue', text)
  }
  return new CompiledSort(parts, natural, collation)
}

function naturalDirection(value: Value): 1 | -1 {
  const direction = value.isNumber ? numberOf(value) : 0
  if (direction === 1 || direction === -1) return direction
  throw fail('BadValue', '$natural sort cannot be set to a value other than -1 or 1.')
}

function partOf(name: string, value: Value): SortPart {
  requirePath(name)
  if (value.type === bsonType.object) {
    const meta = new Elements(value.bytes, value.start)
    if (meta.next() && meta.name() === '$meta') throw metaError(meta.value())
    const text = '$meta is the only expression supported by $sort right now'
    throw fail('Location17312', text)
  }
  if (!value.isNumber) {
    const text = `Illegal key in $sort specification: ${name}: ${shellText(value)}`
    throw fail('Location15974', text)
  }
  const direction = numberOf(value)
  if (direction !== 1 && direction !== -1) {
    const text = '$sort key ordering must be 1 (for ascending) or -1 (for descending)'
    throw fail('Location15975', text)
  }
  return { path: parsePath(name), direction }
}

/** Values of the parts, in order. */
type Tuple = readonly Value[]

class CompiledSort implements Sort {
  private readonly writer = new KeyWriter()

  constructor(
    readonly parts: readonly SortPart[],
    readonly natural: 1 | -1 | undefined,
    readonly collation: Collation | undefined,
  ) {}

  key(document: Document): Bytes {
    return this.written(document).finish()
  }

  peekKey(document: Document): Bytes {
    return this.written(document).view()
  }

  private written(document: Document): KeyWriter {
    const { writer, parts, collation } = this
    const [part] = parts
    writer.reset()
    if (parts.length === 1 && part !== undefined) {
      const { values } = keyValues(document, part.path)
      const value = values.length === 1 ? values[0] : undefined
      const own = value ?? extreme(values, part.direction, collation)
      return writer.value(own, part.direction === -1, collation)
    }
    const tuple = this.tuple(document)
    for (let i = 0; i < tuple.length; i++) {
      writer.value(tuple[i] as Value, parts[i]?.direction === -1, collation)
    }
    return writer
  }

  private tuple(document: Document): Tuple {
    const { parts } = this
    const found = parts.map((part) => keyValues(document, part.path))
    if (found.filter((keys) => keys.isArray).length > 1) {
      const paths = parts.map((part) => part.path)
      return this.least(tuplesOf(documentValue(document), paths))
    }
    return found.map((keys, i) => extreme(keys.values, parts[i]?.direction ?? 1, this.collation))
  }

  private least(tuples: readonly Tuple[]): Tuple {
    return tuples.reduce((best, tuple) => (this.compare(tuple, best) < 0 ? tuple : best))
  }

  private compare(a: Tuple, b: Tuple): number {
    work.spend(a.length)
    for (let i = 0; i < a.length; i++) {
      const order = compareValues(a[i] as Value, b[i] as Value, this.collation)
      if (order !== 0) return order * (this.parts[i]?.direction ?? 1)
    }
    return 0
  }
}

function extreme(
  values: readonly Value[],
  direction: 1 | -1,
  collation: Collation | undefined,
): Value {
  let best = values[0] ?? nullValue
  for (let i = 1; i < values.length; i++) {
    const value = values[i] as Value
    work.spend(comparedUnits)
    if (compareValues(value, best, collation) * direction < 0) best = value
  }
  return best
}

/** The first array on a path, or its single value if there is no array. */
type Reached = { value: Value } | { array: Value; rest: string }

/**
 * One tuple for each element of the array that the paths share; all values of a tuple come from one
 * element, as in a compound index. Throws BadValue if two paths enter different arrays.
 */
function tuplesOf(root: Value, paths: readonly FieldPath[]): Tuple[] {
  const reached = paths.map((path) => reach(root, path))
  const arrays = reached.flatMap((end) => ('array' in end ? [end.array] : []))
  const [array] = arrays
  if (array === undefined) return [reached.map((end) => ('value' in end ? end.value : nullValue))]
  if (arrays.some((other) => other.start !== array.start)) {
    throw fail('BadValue', 'cannot sort with keys that are parallel arrays')
  }
  const elements = elementsOf(array)
  const wholes = elements.length > 0 ? elements : [undefined]
  return wholes.flatMap((element) => tuplesOfElement(element, reached))
}

function tuplesOfElement(element: Value | undefined, reached: readonly Reached[]): Tuple[] {
  work.spend(reached.length * 3)
  const inner = reached.flatMap((end) => ('rest' in end && end.rest !== '' ? [end.rest] : []))
  const innerTuples =
    element?.type === bsonType.object
      ? tuplesOf(element, inner.map(parsePath))
      : [inner.map(() => nullValue)]
  return innerTuples.map((tuple) => {
    let next = 0
    return reached.map((end) => {
      if ('value' in end) return end.value
      if (end.rest === '') return element ?? undefinedValue
      return tuple[next++] ?? nullValue
    })
  })
}

function reach(root: Value, path: FieldPath): Reached {
  let holder = root
  for (let i = 0; i < path.names.length; i++) {
    if (holder.type !== bsonType.object) return { value: nullValue }
    const found = findElement(holder.bytes, holder.start, path.names[i] as Bytes)
    if (found === undefined) return { value: nullValue }
    if (found.type === bsonType.array)
      return { array: found, rest: path.parts.slice(i + 1).join('.') }
    holder = found
  }
  return { value: holder }
}
