// Operators that evaluate an expression per element, and those on several arrays or with an order
// of elements: $map, $filter, $zip, $sortArray. $reduce is in reduce.ts.

import { fail } from '../../base/errors.js'
import { work } from '../../base/work/work-budget.js'
import { valueUnits } from '../../base/work/work-figures.js'
import type { Collation } from '../../value/collation/collation.js'
import { compareValues } from '../../value/compare.js'
import { Elements, elementsOf } from '../../value/elements.js'
import { integerOf } from '../../value/numbers.js'
import { type FieldPath, parsePath, valueAt } from '../../value/path.js'
import { sortItems, sortValues } from '../../value/sort-values.js'
import {
  boolOf,
  bsonType,
  documentOf,
  nullValue,
  stringOf,
  undefinedValue,
  type Value,
} from '../../value/value.js'
import { DocumentWriter, writeArray } from '../../value/writer.js'
import {
  call,
  type Env,
  type Expression,
  int32Of,
  isNullish,
  isTruthy,
  location,
  missing,
  namedArguments,
  type OperatorRow,
  type Result,
  requireRoom,
  type Scope,
  typeName,
  usualRules,
  valueText,
} from './operator.js'
import { reduceOperators } from './reduce.js'
import { requireFieldPath, requireVariableName } from './variable.js'

/** The name that `as` declares; `this` by default. */
function declaredName(value: Value | undefined): string {
  if (value === undefined) return 'this'
  if (value.type !== bsonType.string) {
    throw fail('FailedToParse', `'as' must be a string, found: ${typeName(value)}`)
  }
  const name = stringOf(value)
  requireVariableName(name)
  return name
}

class MapElements implements Expression {
  constructor(
    private readonly input: Expression,
    private readonly slot: number,
    private readonly body: Expression,
  ) {}

  evaluate(env: Env): Result {
    const array = this.input.evaluate(env)
    if (isNullish(array)) return nullValue
    if (array.type !== bsonType.array) {
      throw location(16883, `input to $map must be an array not ${typeName(array)}`)
    }
    const writer = new DocumentWriter(true)
    const elements = new Elements(array.bytes, array.start)
    while (elements.next()) {
      env.slots[this.slot] = elements.value()
      env.step()
      writer.push(this.body.evaluate(env) ?? nullValue)
      requireRoom(writer.length)
    }
    return writer.finishValue()
  }
}

function compileMap(operand: Value, scope: Scope): Expression {
  const given = namedArguments(operand, {
    notObject: [16878, '$map only supports an object as its argument'],
    unknown: (name) => [16879, `Unrecognized parameter to $map: ${name}`],
    required: {
      input: [16880, "Missing 'input' parameter to $map"],
      in: [16882, "Missing 'in' parameter to $map"],
    },
    optional: ['as'],
  })
  const inner = scope.bind([declaredName(given.get('as'))])
  return new MapElements(
    scope.compile(given.get('input') as Value),
    inner.slots[0] as number,
    inner.scope.compile(given.get('in') as Value),
  )
}

class FilterElements implements Expression {
  constructor(
    private readonly input: Expression,
    private readonly slot: number,
    private readonly test: Expression,
    private readonly limit: Expression,
  ) {}

  evaluate(env: Env): Result {
    const array = this.input.evaluate(env)
    if (isNullish(array)) return nullValue
    if (array.type !== bsonType.array) {
      throw location(28651, `input to $filter must be an array not ${typeName(array)}`)
    }
    const most = this.most(env)
    const writer = new DocumentWriter(true)
    const elements = new Elements(array.bytes, array.start)
    while (writer.size < most && elements.next()) {
      const element = elements.value()
      env.step()
      env.slots[this.slot] = element
      if (isTruthy(this.test.evaluate(env))) writer.push(element)
    }
    return writer.finishValue()
  }

  private most(env: Env): number {
    const limit = this.limit.evaluate(env)
    if (isNullish(limit)) return Number.POSITIVE_INFINITY
    const most = int32Of(limit)
    if (most === undefined) {
      throw location(
        327391,
        `$filter: limit must be represented as a 32-bit integral value: ${valueText(limit)}`,
      )
    }
    if (most < 1) throw location(327392, `$filter: limit must be greater than 0: ${most}`)
    return most
  }
}

function compileFilter(operand: Value, scope: Scope): Expression {
  const given = namedArguments(operand, {
    notObject: [28646, '$filter only supports an object as its argument'],
    unknown: (name) => [28647, `Unrecognized parameter to $filter: ${name}`],
    required: {
      input: [28648, "Missing 'input' parameter to $filter"],
      cond: [28650, "Missing 'cond' parameter to $filter"],
    },
    optional: ['as', 'limit'],
  })
  const inner = scope.bind([declaredName(given.get('as'))])
  const limit = given.get('limit')
  return new FilterElements(
    scope.compile(given.get('input') as Value),
    inner.slots[0] as number,
    inner.scope.compile(given.get('cond') as Value),
    limit === undefined ? missing : scope.compile(limit),
  )
}

function compileZip(operand: Value, scope: Scope): Expression {
  const given = namedArguments(operand, {
    notObject: [34460, `$zip only supports an object as an argument, found ${typeName(operand)}`],
    unknown: (name) => [34464, `$zip found an unknown argument: ${name}`],
    required: {},
    optional: ['inputs', 'defaults', 'useLongestLength'],
  })
  const longest = given.get('useLongestLength')
  if (longest !== undefined && longest.type !== bsonType.bool) {
    throw location(34463, `useLongestLength must be a bool, found ${typeName(longest)}`)
  }
  const inputs = zipList('inputs', 34461, given.get('inputs'), scope)
  const defaults = zipList('defaults', 34462, given.get('defaults'), scope)
  if (inputs.length === 0) throw location(34465, '$zip requires at least one input array')
  const useLongest = longest !== undefined && boolOf(longest)
  if (defaults.length > 0 && !useLongest) {
    throw location(34466, 'cannot specify defaults unless useLongestLength is true')
  }
  if (defaults.length > 0 && defaults.length !== inputs.length) {
    throw location(34467, 'defaults and inputs must have the same length')
  }
  return call(
    (values) => zip(values.slice(0, inputs.length), values.slice(inputs.length), useLongest),
    [...inputs, ...defaults],
  )
}

function zipList(name: string, code: number, value: Value | undefined, scope: Scope): Expression[] {
  if (value === undefined) return []
  if (value.type !== bsonType.array) {
    throw location(code, `${name} must be an array of expressions, found ${typeName(value)}`)
  }
  return elementsOf(value).map((element) => scope.compile(element))
}

function zip(inputs: readonly Result[], defaults: readonly Result[], useLongest: boolean): Value {
  const columns: Value[][] = []
  for (const input of inputs) {
    if (isNullish(input)) return nullValue
    if (input.type !== bsonType.array) {
      throw location(34468, `$zip found a non-array expression in input: ${valueText(input)}`)
    }
    columns.push(elementsOf(input))
  }
  const lengths = columns.map((column) => column.length)
  const length = lengths.reduce((a, b) => (useLongest ? Math.max(a, b) : Math.min(a, b)))
  const writer = new DocumentWriter(true)
  for (let i = 0; i < length; i++) {
    work.spend(columns.length * valueUnits)
    writer.pushOpenArray()
    for (let c = 0; c < columns.length; c++) {
      writer.push(columns[c]?.[i] ?? defaults[c] ?? nullValue)
    }
    writer.close()
    requireRoom(writer.length)
  }
  return writer.finishValue()
}

/** Sorts the elements of an array: by the whole value, or by paths in objects. */
type ElementOrder = (elements: Value[]) => Value[]

/** The order of a `sortBy`: 1, -1 or `{path: ±1, …}`. */
function elementOrder(sortBy: Value, collation: Collation | undefined): ElementOrder {
  if (sortBy.isNumber) {
    const direction = directionOf(sortBy)
    return (elements) => sortValues(elements, collation, direction)
  }
  if (sortBy.type !== bsonType.object) throw badSortBy()
  const parts: { path: FieldPath; direction: number }[] = []
  const elements = new Elements(sortBy.bytes, sortBy.start)
  while (elements.next()) {
    const name = elements.name()
    requireFieldPath(name)
    parts.push({ path: parsePath(name), direction: directionOf(elements.value()) })
  }
  if (parts.length === 0) throw badSortBy()
  const compare = (a: Keyed, b: Keyed): number => {
    for (let i = 0; i < parts.length; i++) {
      const order = compareValues(a.keys[i] as Value, b.keys[i] as Value, collation)
      if (order !== 0) return (parts[i]?.direction ?? 1) * order
    }
    return 0
  }
  return (elements) => {
    work.spend(elements.length * parts.length * valueUnits)
    const keyed = elements.map((element) => ({
      element,
      keys: parts.map(({ path }) => sortKey(element, path)),
    }))
    return sortItems(keyed, compare).map(({ element }) => element)
  }
}

interface Keyed {
  readonly element: Value
  readonly keys: readonly Value[]
}

/** As a sort key, but arrays are compared as whole values, as in MongoDB. */
function sortKey(value: Value, path: FieldPath): Value {
  if (value.type !== bsonType.object) return undefinedValue
  return valueAt(documentOf(value), path) ?? undefinedValue
}

function directionOf(value: Value): 1 | -1 {
  const n = value.isNumber ? integerOf(value) : undefined
  if (n !== 1 && n !== -1) {
    throw fail('BadValue', '$sort key ordering must be 1 (for ascending) or -1 (for descending)')
  }
  return n
}

function badSortBy(): Error {
  return location(2942507, 'The $sort field must be defined as a document of type object, 1, or -1')
}

const sortArrayRules = usualRules('$sortArray', {
  notObject: 2942500,
  unknown: 2942501,
  required: { input: 2942502, sortBy: 2942503 },
})

function compileSortArray(operand: Value, scope: Scope): Expression {
  const given = namedArguments(operand, sortArrayRules(operand))
  const order = elementOrder(given.get('sortBy') as Value, scope.context.collation)
  return call(
    ([array]) => {
      if (isNullish(array)) return nullValue
      if (array.type !== bsonType.array) {
        throw location(
          2942504,
          `The input argument to $sortArray must be an array, but was of type: ${typeName(array)}`,
        )
      }
      return writeArray(order(elementsOf(array)))
    },
    [scope.compile(given.get('input') as Value)],
  )
}

export const iterationOperators: readonly OperatorRow[] = [
  { name: '$map', readsRoot: false, compile: compileMap },
  { name: '$filter', readsRoot: false, compile: compileFilter },
  ...reduceOperators,
  { name: '$zip', readsRoot: false, compile: compileZip },
  { name: '$sortArray', readsRoot: false, compile: compileSortArray },
]
