// Array operators: parts, joining, searching. Operators that bind a variable per element are in
// iteration.ts, those that treat arrays as sets in set.ts.

import { fail } from '../../base/errors.js'
import { blockingBytesMax } from '../../base/limits/documents.js'
import { work } from '../../base/work/work-budget.js'
import { elementUnits, freshBytesPerUnit, valueUnits } from '../../base/work/work-figures.js'
import { positionOf } from '../../value/compare.js'
import { countElements, Elements, elementsOf } from '../../value/elements.js'
import {
  boolValue,
  bsonType,
  falseValue,
  int32Value,
  nullValue,
  type Value,
} from '../../value/value.js'
import { DocumentWriter, writeArray } from '../../value/writer.js'
import {
  binary,
  type Env,
  int32Of,
  isNullish,
  location,
  type OperatorRow,
  type Result,
  ranged,
  requireRoom,
  typeName,
  unary,
  valueText,
  variadic,
} from './operator.js'
import { indexArgument } from './string.js'

/** Up to this size, a joined array does not cost its pages, which were used before. */
const cheapBytesMax = 64 * 1024

/** The element at a position; a negative one counts from the end. Undefined outside. */
function elementAt(array: Value, index: number): Result {
  if (index === -1) return lastOf(array)
  const position = index < 0 ? countElements(array) + index : index
  if (position < 0) return undefined
  const elements = new Elements(array.bytes, array.start)
  for (let i = 0; elements.next(); i++) {
    work.spend(elementUnits)
    if (i === position) return elements.value()
  }
  return undefined
}

function lastOf(array: Value): Result {
  const elements = new Elements(array.bytes, array.start)
  let isEmpty = true
  while (elements.next()) {
    work.spend(elementUnits)
    isEmpty = false
  }
  return isEmpty ? undefined : elements.value()
}

function arrayElemAt(array: Result, index: Result): Result {
  if (isNullish(array) || isNullish(index)) return nullValue
  if (array.type !== bsonType.array) {
    throw location(
      28689,
      `$arrayElemAt's first argument must be an array, but is ${typeName(array)}`,
    )
  }
  if (!index.isNumber) {
    throw location(
      28690,
      `$arrayElemAt's second argument must be a numeric value, but is ${typeName(index)}`,
    )
  }
  const position = int32Of(index)
  if (position === undefined) {
    throw location(
      28691,
      "$arrayElemAt's second argument must be representable as a 32-bit integer: " +
        valueText(index),
    )
  }
  return elementAt(array, position)
}

/** $first and $last of an array. */
function end(name: string, index: number): OperatorRow {
  return unary(name, (array) => {
    if (isNullish(array)) return nullValue
    if (array.type !== bsonType.array) {
      throw location(28689, `${name}'s argument must be an array, but is ${typeName(array)}`)
    }
    return elementAt(array, index)
  })
}

function size(array: Result): Value {
  if (array?.type !== bsonType.array) {
    throw location(
      17124,
      `The argument to $size must be an array, but was of type: ${typeName(array)}`,
    )
  }
  return int32Value(countElements(array))
}

function slice(values: readonly Result[]): Value {
  const [array, second, third] = values
  if (isNullish(array) || isNullish(second)) return nullValue
  if (array.type !== bsonType.array) {
    throw location(
      28724,
      `First argument to $slice must be an array, but is of type: ${typeName(array)}`,
    )
  }
  const from = sliceArgument('Second', second, [28725, 28726])
  if (values.length === 2) {
    return from < 0 ? cut(array, Math.max(0, countElements(array) + from)) : cut(array, 0, from)
  }
  if (isNullish(third)) return nullValue
  const count = sliceArgument('Third', third, [28727, 28728])
  if (count <= 0) throw location(28729, `Third argument to $slice must be positive: ${count}`)
  const start = from < 0 ? Math.max(0, countElements(array) + from) : from
  return cut(array, start, start + count)
}

/** The elements from `start` to `end`. */
export function cut(array: Value, start: number, end = Number.POSITIVE_INFINITY): Value {
  const writer = new DocumentWriter(true)
  const elements = new Elements(array.bytes, array.start)
  for (let i = 0; i < end && elements.next(); i++) {
    work.spend(elementUnits)
    if (i >= start) writer.push(elements.value())
  }
  return writer.finishValue()
}

function sliceArgument(which: string, value: Value, codes: readonly [number, number]): number {
  if (!value.isNumber) {
    throw location(
      codes[0],
      `${which} argument to $slice must be numeric, but is of type: ${typeName(value)}`,
    )
  }
  const whole = int32Of(value)
  if (whole !== undefined) return whole
  throw location(
    codes[1],
    `${which} argument to $slice can't be represented as a 32-bit integer: ${valueText(value)}`,
  )
}

function contains(value: Result, array: Result, { collation }: Env): Value {
  if (array?.type !== bsonType.array) {
    throw location(40081, `$in requires an array as a second argument, found: ${typeName(array)}`)
  }
  if (value === undefined) return falseValue
  return boolValue(positionOf(array, value, collation) >= 0)
}

function concatArrays(arrays: readonly Result[]): Value {
  const writer = new DocumentWriter(true)
  for (const array of arrays) {
    if (isNullish(array)) return nullValue
    if (array.type !== bsonType.array) {
      throw location(28664, `$concatArrays only supports arrays, not ${typeName(array)}`)
    }
    const elements = new Elements(array.bytes, array.start)
    while (elements.next()) writer.push(elements.value())
    requireRoom(writer.length)
  }
  // Below a $reduce, each result is new memory: the writer counts only the pages of larger ones.
  if (writer.length > cheapBytesMax) work.spend(writer.length / freshBytesPerUnit)
  return writer.finishValue()
}

/** `[start, end, step?]`. */
function range(values: readonly Result[]): Value {
  const start = rangeArgument(values[0], 'starting value', [34443, 34444])
  const end = rangeArgument(values[1], 'ending value', [34445, 34446])
  const step = values.length < 3 ? 1 : rangeArgument(values[2], 'step value', [34447, 34448])
  if (step === 0) throw location(34449, '$range requires a non-zero step value')
  const count = Math.max(0, Math.ceil((end - start) / step))
  // An element is a type, a name of digits, NUL and four bytes: at most 16 bytes.
  if (count * 16 > blockingBytesMax) {
    throw fail(
      'ExceededMemoryLimit',
      `$range would use too much memory (${count * 16} bytes) and cannot spill to disk. ` +
        `Memory limit: ${blockingBytesMax} bytes`,
    )
  }
  const writer = new DocumentWriter(true)
  work.spend(count * valueUnits)
  for (let i = 0; i < count; i++) writer.int32(String(i), start + i * step)
  return writer.finishValue()
}

function rangeArgument(value: Result, what: string, codes: readonly [number, number]): number {
  if (value?.isNumber !== true) {
    throw location(
      codes[0],
      `$range requires a numeric ${what}, found value of type:${typeName(value)}`,
    )
  }
  const whole = int32Of(value)
  if (whole !== undefined) return whole
  throw location(
    codes[1],
    `$range requires a ${what} that can be represented with a 32-bit integer, ` +
      `found value: ${valueText(value)}`,
  )
}

function reverse(array: Result): Value {
  if (isNullish(array)) return nullValue
  if (array.type !== bsonType.array) {
    throw location(
      34435,
      `The argument to $reverseArray must be an array, but was of type: ${typeName(array)}`,
    )
  }
  return writeArray(elementsOf(array).reverse())
}

/** `[array, value, start?, end?]`, -1 when not found. */
function indexOfArray(values: readonly Result[], { collation }: Env): Value {
  const [array, value, from, to] = values
  if (isNullish(array)) return nullValue
  if (array.type !== bsonType.array) {
    throw location(
      40090,
      `$indexOfArray requires an array as a first argument, found: ${typeName(array)}`,
    )
  }
  const start = values.length > 2 ? indexArgument('$indexOfArray', 'starting', from) : 0
  const stop =
    values.length > 3 ? indexArgument('$indexOfArray', 'ending', to) : Number.POSITIVE_INFINITY
  if (value === undefined) return int32Value(-1)
  return int32Value(positionOf(array, value, collation, start, stop))
}

export const arrayOperators: readonly OperatorRow[] = [
  binary('$arrayElemAt', arrayElemAt),
  end('$first', 0),
  end('$last', -1),
  unary('$size', size),
  ranged('$slice', 2, 3, slice),
  binary('$in', contains),
  variadic('$concatArrays', concatArrays),
  unary('$isArray', (value) => boolValue(value?.type === bsonType.array)),
  ranged('$range', 2, 3, range),
  unary('$reverseArray', reverse),
  ranged('$indexOfArray', 2, 4, indexOfArray),
]
