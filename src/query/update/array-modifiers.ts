// Update operators on arrays: $push, $addToSet, $pop, $pull, $pullAll, one row each. An array that
// only grows keeps the bytes of its old elements.

import type { Bytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { work } from '../../base/work/work-budget.js'
import { bytesPerUnit, valueUnits } from '../../base/work/work-figures.js'
import type { Collation } from '../../value/collation/collation.js'
import { equalValues, positionOf } from '../../value/compare.js'
import { countElements, elementsOf, fieldsOf } from '../../value/elements.js'
import { hashKey } from '../../value/key.js'
import { integerOf, numberOf } from '../../value/numbers.js'
import { parsePath } from '../../value/path.js'
import { shellText } from '../../value/shell.js'
import { sortItems, sortValues } from '../../value/sort-values.js'
import { bsonType, documentOf, type Value } from '../../value/value.js'
import { DocumentWriter, writeArray } from '../../value/writer.js'
import type { QueryContext } from '../context.js'
import { typeName } from '../expressions/operator.js'
import { documentTest, reachingTest } from '../filter/match.js'
import { isReferenceName } from '../filter/operator-object.js'
import { isFieldOperator, parseCondition, parseFilter } from '../filter/parse.js'
import { compileSort } from '../sort.js'
import type { Action, Modifier, Place } from './action.js'

/** Up to this many elements, $addToSet compares pairwise; more use a set of keys. */
const pairwiseMax = 16
/** `{}`, the sort value of an element without fields when $sort names fields. */
const emptyDocument = Uint8Array.of(5, 0, 0, 0, 0)

interface Push {
  readonly values: readonly Value[]
  readonly position: number
  readonly slice: number | undefined
  readonly sort: ((elements: Value[]) => Value[]) | undefined
}

const push: Modifier = {
  name: '$push',
  compile: (operand, _field, { collation }) => {
    const clauses = pushClauses(operand, collation)
    return {
      operator: '$push',
      creates: true,
      apply: (current, place) => {
        if (current !== undefined && current.type !== bsonType.array) {
          throw fail(
            'BadValue',
            `The field '${place.path}' must be an array but is of type ${typeName(current)} ` +
              `in document {${place.idText()}}`,
          )
        }
        return pushed(current, clauses)
      },
    }
  },
}

function pushed(current: Value | undefined, clauses: Push): Value {
  const { values, position, slice, sort } = clauses
  if (position === Number.POSITIVE_INFINITY && slice === undefined && sort === undefined) {
    return appended(current, values)
  }
  let elements = current === undefined ? [] : elementsOf(current)
  const length = elements.length
  const at = position < 0 ? Math.max(0, length + position) : Math.min(position, length)
  elements = [...elements.slice(0, at), ...values, ...elements.slice(at)]
  if (sort !== undefined) elements = sort(elements)
  if (slice !== undefined) {
    elements = slice < 0 ? elements.slice(slice) : elements.slice(0, slice)
  }
  return writeArray(elements)
}

/** The old elements as bytes, with new ones appended. */
function appended(current: Value | undefined, values: readonly Value[]): Value {
  if (current === undefined) return writeArray(values)
  if (values.length === 0) return current
  const count = countElements(current)
  const writer = new DocumentWriter(true)
  if (count > 0) writer.element(current.bytes, current.start + 4, current.end - 1)
  work.spend(values.length * valueUnits)
  for (const [i, value] of values.entries()) writer.value(String(count + i), value)
  return writer.finishValue()
}

function pushClauses(operand: Value, collation: Collation | undefined): Push {
  const clauses = clausesOf(operand)
  const each = clauses?.get('$each')
  if (clauses === undefined || each === undefined) {
    return {
      values: [operand],
      position: Number.POSITIVE_INFINITY,
      slice: undefined,
      sort: undefined,
    }
  }
  if (each.type !== bsonType.array) {
    const text = 'The argument to $each in $push must be an array but it was of type'
    throw fail('BadValue', `${text}: ${typeName(each)}`)
  }
  const slice = clauses.get('$slice')
  const position = clauses.get('$position')
  const sort = clauses.get('$sort')
  return {
    values: elementsOf(each),
    position:
      position === undefined
        ? Number.POSITIVE_INFINITY
        : wholeOperand(position, 'The value for $position must be an integer value, not of type'),
    slice:
      slice === undefined
        ? undefined
        : wholeOperand(slice, 'The value for $slice must be an integer value but was given type'),
    sort: sort === undefined ? undefined : sorterOf(sort, collation),
  }
}

const pushClauseNames = ['$each', '$slice', '$sort', '$position']

/** The clauses of `{$each: …}`; undefined for a plain value. */
function clausesOf(operand: Value): Map<string, Value> | undefined {
  if (operand.type !== bsonType.object) return undefined
  const fields = [...fieldsOf(operand)]
  const names = fields.map(([name]) => name)
  const [first] = names
  const startsWithClause = first?.startsWith('$') === true && !isReferenceName(first)
  if (!names.includes('$each') && !startsWithClause) return undefined
  const clauses = new Map<string, Value>()
  for (const [name, value] of fields) {
    if (!pushClauseNames.includes(name) || !names.includes('$each')) {
      throw fail('BadValue', `Unrecognized clause in $push: ${name}`)
    }
    if (clauses.has(name)) throw fail('BadValue', `Only one ${name} is supported.`)
    clauses.set(name, value)
  }
  return clauses
}

function wholeOperand(value: Value, refusal: string): number {
  const whole = value.isNumber ? integerOf(value) : undefined
  if (whole === undefined) throw fail('BadValue', `${refusal}: ${typeName(value)}`)
  return whole
}

function sorterOf(sort: Value, collation: Collation | undefined): (elements: Value[]) => Value[] {
  if (sort.isNumber) {
    const direction = sortDirection(sort)
    return (elements) => sortValues(elements, collation, direction)
  }
  if (sort.type !== bsonType.object) {
    throw fail(
      'BadValue',
      'The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort ' +
        'embedded fields',
    )
  }
  const fields = [...fieldsOf(sort)]
  if (fields.length === 0) {
    const text = 'The $sort pattern is empty when it should be a set of fields.'
    throw fail('BadValue', text)
  }
  for (const [name, direction] of fields) {
    sortDirection(direction)
    if (name === '') throw fail('BadValue', 'The $sort field cannot be empty')
    if (name.split('.').includes('')) {
      const text = 'The $sort field is a dotted field but has an empty part'
      throw fail('BadValue', `${text}: ${name}`)
    }
  }
  const order = compileSort(documentOf(sort), collation)
  return (elements) => {
    const keyed = elements.map((element) => {
      work.spend(valueUnits)
      const isObject = element.type === bsonType.object
      return { element, key: order.key(isObject ? documentOf(element) : emptyDocument) }
    })
    return sortItems(keyed, (a, b) => compareKeys(a.key, b.key)).map(({ element }) => element)
  }
}

function compareKeys(a: Bytes, b: Bytes): number {
  work.spend((a.length + b.length) / bytesPerUnit)
  return Buffer.compare(a, b)
}

function sortDirection(value: Value): 1 | -1 {
  const direction = value.isNumber ? numberOf(value) : 0
  if (direction !== 1 && direction !== -1) {
    throw fail('BadValue', 'The $sort element value must be either 1 or -1')
  }
  return direction
}

const addToSet: Modifier = {
  name: '$addToSet',
  compile: (operand, _field, { collation }) => {
    const values = addToSetValues(operand)
    return {
      operator: '$addToSet',
      creates: true,
      apply: (current, place) => {
        if (current === undefined) return writeArray(newValues([], values, collation))
        if (current.type !== bsonType.array) throw notASet(current, place)
        const [only] = values
        if (values.length === 1 && only !== undefined) {
          return positionOf(current, only, collation) >= 0 ? current : appended(current, values)
        }
        return appended(current, newValues(elementsOf(current), values, collation))
      },
    }
  },
}

function notASet(current: Value, place: Place) {
  const field = place.path.slice(place.path.lastIndexOf('.') + 1)
  const text = `Cannot apply $addToSet to non-array field. Field named '${field}'`
  return fail('BadValue', `${text} has non-array type ${typeName(current)}`)
}

function addToSetValues(operand: Value): readonly Value[] {
  const [first, ...more] = operand.type === bsonType.object ? [...fieldsOf(operand)] : []
  if (first?.[0] !== '$each') return [operand]
  const [, each] = first
  if (each.type !== bsonType.array) {
    const text = 'The argument to $each in $addToSet must be an array but it was of type'
    throw fail('TypeMismatch', `${text} ${typeName(each)}`)
  }
  if (more.length > 0) {
    const text = 'Found unexpected fields after $each in $addToSet'
    throw fail('BadValue', `${text}: ${shellText(operand)}`)
  }
  return elementsOf(each)
}

/** The values that are not in the array yet, without duplicates. */
function newValues(
  there: readonly Value[],
  values: readonly Value[],
  collation: Collation | undefined,
): Value[] {
  const added: Value[] = []
  // Values are also compared with those added before them, into an empty array too.
  if ((there.length + values.length) * values.length <= pairwiseMax * pairwiseMax) {
    for (const value of values) {
      const isEqual = (other: Value) => equalValues(other, value, collation)
      if (!there.some(isEqual) && !added.some(isEqual)) added.push(value)
    }
    return added
  }
  const known = new Set(there.map((value) => hashKey(value, collation)))
  for (const value of values) {
    const key = hashKey(value, collation)
    if (known.has(key)) continue
    known.add(key)
    added.push(value)
  }
  return added
}

const pop: Modifier = {
  name: '$pop',
  compile: (operand, field) => {
    if (!operand.isNumber) {
      throw fail('FailedToParse', `Expected a number in: ${field}: ${shellText(operand)}`)
    }
    const end = integerOf(operand)
    if (end !== 1 && end !== -1) {
      throw fail('FailedToParse', `$pop expects 1 or -1, found: ${shellText(operand)}`)
    }
    return {
      operator: '$pop',
      creates: false,
      apply: (current, place) => {
        if (current === undefined) return undefined
        if (current.type !== bsonType.array) {
          const text = `Path '${place.path}' contains an element of non-array type`
          throw fail('TypeMismatch', `${text} '${typeName(current)}'`)
        }
        const elements = elementsOf(current)
        if (elements.length === 0) return current
        return writeArray(end === 1 ? elements.slice(0, -1) : elements.slice(1))
      },
    }
  },
}

/** Removes the elements that pass the test. */
function culling(name: string, test: (element: Value) => boolean): Action {
  return {
    operator: name,
    creates: false,
    apply: (current) => {
      if (current === undefined) return undefined
      if (current.type !== bsonType.array) {
        throw fail('BadValue', `Cannot apply ${name} to a non-array value`)
      }
      const elements = elementsOf(current)
      work.spend(elements.length * valueUnits)
      const kept = elements.filter((element) => !test(element))
      return kept.length === elements.length ? current : writeArray(kept)
    },
  }
}

const pull: Modifier = {
  name: '$pull',
  compile: (operand, _field, context) => culling('$pull', pullTest(operand, context)),
}

/**
 * Operators and regexes test elements directly; an object is a filter over the fields of elements.
 */
function pullTest(operand: Value, context: QueryContext): (element: Value) => boolean {
  if (operand.type === bsonType.regex || isFieldOperator(operand)) {
    return reachingTest(parseCondition(parsePath(''), operand, context))
  }
  if (operand.type === bsonType.object) {
    const matches = documentTest(parseFilter(documentOf(operand), context, 'element'))
    return (element) => element.type === bsonType.object && matches(documentOf(element))
  }
  return (element) => equalValues(element, operand, context.collation)
}

const pullAll: Modifier = {
  name: '$pullAll',
  compile: (operand, _field, { collation }) => {
    if (operand.type !== bsonType.array) {
      const text = '$pullAll requires an array argument but was given a'
      throw fail('BadValue', `${text} ${typeName(operand)}`)
    }
    const keys = new Set(elementsOf(operand).map((value) => hashKey(value, collation)))
    // As in MongoDB, the error says $pull for both operators.
    return culling('$pull', (element) => keys.has(hashKey(element, collation)))
  },
}

export const arrayModifiers: readonly Modifier[] = [push, addToSet, pop, pull, pullAll]
