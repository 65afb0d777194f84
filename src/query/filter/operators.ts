// The operators under a field of a filter, `{a: {$gt: 5}}`, one row each. A row checks its operand
// with MongoDB's codes and texts, and creates a node. Only this table knows the names.

import { utf8 } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { work } from '../../base/work/work-budget.js'
import { conditionUnits } from '../../base/work/work-figures.js'
import type { Collation } from '../../value/collation/collation.js'
import { Elements, elementsOf, findElement } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import type { FieldPath } from '../../value/path.js'
import { boolOf, bsonType, stringOf, trueValue, type Value } from '../../value/value.js'
import { writeArray } from '../../value/writer.js'
import { compileRegex, compileRegexValue, type Regex, regexMatches } from '../regex.js'
import { bitsOperators } from './bits.js'
import { comparisonTest, listTest, membershipTest } from './comparison.js'
import type { FieldOperator, FieldPlace } from './field-operator.js'
import { fieldTypes } from './field-types.js'
import { modTest, sizeOperand } from './integers.js'
import { type ListFault, type LongList, listAhead } from './long-lists.js'
import { elementTest } from './match.js'
import type { ComparisonName, FilterNode, ValueTest } from './node.js'
import { isOperatorObject } from './operator-object.js'

function comparison(op: ComparisonName): FieldOperator {
  return {
    name: `$${op}`,
    compile: (operand, { path, collation }) => comparisonNode(op, operand, path, collation),
  }
}

export function comparisonNode(
  op: ComparisonName,
  value: Value,
  path: FieldPath,
  collation?: Collation,
): FilterNode {
  if (value.type === bsonType.undefined) throw fail('BadValue', 'cannot compare to undefined')
  if (value.type === bsonType.regex && op !== 'eq') {
    throw fail('BadValue', `Can't have RegEx as arg to predicate over field '${path.text}'.`)
  }
  const test = comparisonTest(op, value, collation)
  return { op, path, value, reach: 'each', test, collation }
}

export function regexNode(regex: Regex, path: FieldPath): FilterNode {
  return {
    op: 'regex',
    path,
    value: regex.value,
    reach: 'each',
    test: (value) => value !== undefined && regexMatches(regex, value),
    prefix: regex.prefix,
    isPrefixOnly: regex.isPrefixOnly,
  }
}

type InPlace = Pick<FieldPlace, 'path' | 'collation'>

function inNode(name: string, operand: Value, place: InPlace): FilterNode {
  const { path, collation } = place
  if (operand.type !== bsonType.array) throw fail('BadValue', `${name} needs an array`)
  const list = servingList(name, operand, collation)
  if (list !== undefined) {
    const test = listTest(list)
    const [values, regexes]: [Value[], Value[]] = [[], []]
    return { op: 'in', path, value: operand, reach: 'each', test, values, regexes, list, collation }
  }
  const values: Value[] = []
  const regexes: Value[] = []
  for (const value of elementsOf(operand)) {
    if (isOperatorObject(value)) throw fail('BadValue', `cannot nest $ under ${name}`)
    if (value.type === bsonType.undefined) throw fail('BadValue', 'cannot compare to undefined')
    if (value.type === bsonType.regex) regexes.push(value)
    else values.push(value)
  }
  const test = membershipTest(values, regexes.map(compileRegexValue), collation)
  return { op: 'in', path, value: operand, reach: 'each', test, values, regexes, collation }
}

/** The list that was read ahead, if its keys decide. Throws what its values would. */
function servingList(
  name: string,
  operand: Value,
  collation: Collation | undefined,
): LongList | undefined {
  const list = listAhead(operand)
  if (list === undefined) return undefined
  if (typeof list === 'string') throw faultOf(name, list)
  // Its keys are those of the bytes of texts.
  return collation !== undefined && list.isCollatable ? undefined : list
}

function faultOf(name: string, fault: ListFault): Error {
  if (fault === 'undefined') return fail('BadValue', 'cannot compare to undefined')
  return fail(
    'BadValue',
    name === '$all' ? 'no $ expressions in $all' : `cannot nest $ under ${name}`,
  )
}

function isTruthy(value: Value): boolean {
  if (value.isNumber) return numberOf(value) !== 0
  if (value.type === bsonType.bool) return boolOf(value)
  return !value.isNullish
}

function sibling(place: FieldPlace, name: string): Value | undefined {
  return findElement(place.siblings.bytes, place.siblings.start, utf8(name))
}

function compileRegexOperator(operand: Value, place: FieldPlace): FilterNode {
  const options = sibling(place, '$options')
  if (options !== undefined && options.type !== bsonType.string) {
    throw fail('BadValue', '$options has to be a string')
  }
  if (operand.type === bsonType.regex) {
    const own = compileRegexValue(operand)
    if (options === undefined) return regexNode(own, place.path)
    if (own.options !== '') {
      throw fail('Location51075', 'options set in both $regex and $options')
    }
    return regexNode(compileRegex(own.pattern, stringOf(options), operand), place.path)
  }
  if (operand.type !== bsonType.string) throw fail('BadValue', '$regex has to be a string')
  const pattern = stringOf(operand)
  if (pattern.includes('\0')) {
    throw fail('BadValue', 'Regular expression cannot contain an embedded null byte')
  }
  const flags = options === undefined ? '' : stringOf(options)
  return regexNode(compileRegex(pattern, flags, operand), place.path)
}

function compileNot(operand: Value, place: FieldPlace): FilterNode {
  if (operand.type === bsonType.regex) {
    return { op: 'not', child: regexNode(compileRegexValue(operand), place.path) }
  }
  if (operand.type !== bsonType.object) {
    throw fail('BadValue', '$not needs a regex or a document')
  }
  if (!new Elements(operand.bytes, operand.start).next()) {
    throw fail('BadValue', '$not cannot be empty')
  }
  return { op: 'not', child: place.operators(operand) }
}

/** Names that start with `$` but make the operand of $elemMatch a nested filter. */
const logicalNames = ['$and', '$or', '$nor', '$where']

function compileElemMatch(operand: Value, place: FieldPlace): FilterNode {
  if (operand.type !== bsonType.object) throw fail('BadValue', '$elemMatch needs an Object')
  const first = new Elements(operand.bytes, operand.start)
  const isValueForm =
    isOperatorObject(operand) && first.next() && !logicalNames.includes(first.name())
  const child = isValueForm ? place.operators(operand) : place.nested(operand)
  const form = isValueForm ? 'value' : 'object'
  const test = elementTest(form, child)
  return { op: 'elemMatch', path: place.path, value: operand, reach: 'elements', test, form, child }
}

function isElemMatch(value: Value): boolean {
  if (!isOperatorObject(value)) return false
  const elements = new Elements(value.bytes, value.start)
  return elements.next() && elements.name() === '$elemMatch'
}

function allNode(operand: Value, list: LongList, { path, collation }: InPlace): FilterNode {
  const isMember = listTest(list)
  const test: ValueTest = (value) => list.members.length === 1 && isMember(value)
  return { op: 'all', path, value: operand, reach: 'each', test, list, collation }
}

function compileAll(operand: Value, place: FieldPlace): FilterNode {
  if (operand.type !== bsonType.array) throw fail('BadValue', '$all needs an array')
  const first = new Elements(operand.bytes, operand.start)
  if (!first.next()) return inNode('$all', writeArray([]), place)
  const hasElemMatch = isElemMatch(first.value())
  const list = hasElemMatch ? undefined : servingList('$all', operand, place.collation)
  // A missing field has no key, so null is compared apart.
  if (list?.hasNull === false) return allNode(operand, list, place)
  const children = elementsOf(operand).map((value) => {
    // Each is a condition, as in a filter of so many names.
    work.spend(conditionUnits)
    if (hasElemMatch) {
      if (!isElemMatch(value)) throw fail('BadValue', '$all/$elemMatch has to be consistent')
      return place.operators(value)
    }
    if (isOperatorObject(value)) throw fail('BadValue', 'no $ expressions in $all')
    if (value.type === bsonType.regex) return regexNode(compileRegexValue(value), place.path)
    return comparisonNode('eq', value, place.path, place.collation)
  })
  return children.length === 1 ? (children[0] as FilterNode) : { op: 'and', children }
}

export const fieldOperators: readonly FieldOperator[] = [
  comparison('eq'),
  comparison('lt'),
  comparison('lte'),
  comparison('gt'),
  comparison('gte'),
  {
    name: '$ne',
    compile: (operand, { path, collation }) => {
      if (operand.type === bsonType.regex) {
        throw fail('BadValue', "Can't have regex as arg to $ne.")
      }
      return { op: 'not', child: comparisonNode('eq', operand, path, collation) }
    },
  },
  { name: '$in', compile: (operand, place) => inNode('$in', operand, place) },
  {
    name: '$nin',
    compile: (operand, place) => ({ op: 'not', child: inNode('$nin', operand, place) }),
  },
  {
    name: '$exists',
    compile: (operand, { path }) => ({
      op: 'exists',
      path,
      value: trueValue,
      reach: 'whole',
      test: (value) => value !== undefined,
      exists: isTruthy(operand),
    }),
  },
  {
    name: '$type',
    compile: (operand, { path }) => {
      const types = fieldTypes(operand)
      const test = (value: Value | undefined) => value !== undefined && types.has(value.type)
      return { op: 'type', path, value: operand, reach: 'each', test }
    },
  },
  { name: '$regex', compile: compileRegexOperator },
  {
    name: '$options',
    compile: (_operand, place) => {
      if (sibling(place, '$regex') === undefined) {
        throw fail('BadValue', '$options needs a $regex')
      }
      return undefined
    },
  },
  { name: '$not', compile: compileNot },
  { name: '$elemMatch', compile: compileElemMatch },
  { name: '$all', compile: compileAll },
  {
    name: '$size',
    compile: (operand, { path }) => {
      const size = sizeOperand(operand)
      const test = (value: Value | undefined) =>
        value?.type === bsonType.array && countOf(value) === size
      return { op: 'size', path, value: operand, reach: 'whole', test }
    },
  },
  {
    name: '$mod',
    compile: (operand, { path }) => {
      return { op: 'mod', path, value: operand, reach: 'each', test: modTest(operand) }
    },
  },
  ...bitsOperators,
  ...['$near', '$nearSphere', '$geoNear'].map((name) => ({
    name,
    compile: () => {
      const text = 'unable to find index for $geoNear query'
      throw fail('NoQueryExecutionPlans', `error processing query: planner returned error: ${text}`)
    },
  })),
  ...['$within', '$geoWithin', '$geoIntersects'].map((name) => ({
    name,
    compile: () => {
      throw fail('NotImplemented', `${name} is not supported`)
    },
  })),
]

function countOf(array: Value): number {
  const elements = new Elements(array.bytes, array.start)
  let count = 0
  while (elements.next()) count++
  return count
}
