// Keywords of $jsonSchema about the content of an object or an array. Each ignores values of other
// types.

import { work } from '../../base/work/work-budget.js'
import { valueUnits } from '../../base/work/work-figures.js'
import { countElements, elementsOf, fieldIn, fieldsOf } from '../../value/elements.js'
import { hashKey } from '../../value/key.js'
import { bsonType, type Value } from '../../value/value.js'
import { compileRegex } from '../regex.js'
import {
  boolOperand,
  countOperand,
  type Keyword,
  namesOperand,
  objectOperand,
  type SchemaPlace,
  type SchemaTest,
  wrongType,
} from './keyword.js'

const required: Keyword = {
  name: 'required',
  compile: (operand) => {
    const names = namesOperand('required', operand)
    return (value) => !isObject(value) || names.every((name) => fieldIn(value, name) !== undefined)
  },
}

const properties: Keyword = {
  name: 'properties',
  compile: (operand, place) => {
    const tests = schemasOf('properties', operand, place)
    return (value) => {
      if (!isObject(value)) return true
      for (const [name, test] of tests) {
        const found = fieldIn(value, name)
        if (found !== undefined && !test(found)) return false
      }
      return true
    }
  },
}

const patternProperties: Keyword = {
  name: 'patternProperties',
  compile: (operand, place) => {
    const patterns = schemasOf('patternProperties', operand, place).map(
      ([pattern, test]) => [compileRegex(pattern, '', operand), test] as const,
    )
    return (value) => {
      if (!isObject(value)) return true
      for (const [name, found] of fieldsOf(value)) {
        work.spend(valueUnits)
        for (const [regex, test] of patterns) {
          if (regex.test(name) && !test(found)) return false
        }
      }
      return true
    }
  },
}

const additionalProperties: Keyword = {
  name: 'additionalProperties',
  compile: (operand, place) => {
    const test = additional('additionalProperties', operand, place)
    const known = new Set(namesIn(place.sibling('properties')))
    const patterns = namesIn(place.sibling('patternProperties')).map((pattern) =>
      compileRegex(pattern, '', operand),
    )
    return (value) => {
      if (!isObject(value)) return true
      for (const [name, found] of fieldsOf(value)) {
        if (known.has(name) || patterns.some((regex) => regex.test(name))) continue
        if (!test(found)) return false
      }
      return true
    }
  },
}

/** A field requires other fields, or a schema for its object. */
const dependencies: Keyword = {
  name: 'dependencies',
  compile: (operand, place) => {
    const rules = [...fieldsOf(objectOperand('dependencies', operand))].map(([name, rule]) => {
      if (rule.type === bsonType.object) return [name, place.schema(rule, 'dependencies')] as const
      const names = namesOperand('dependencies', rule)
      const test: SchemaTest = (value) =>
        names.every((other) => fieldIn(value, other) !== undefined)
      return [name, test] as const
    })
    return (value) => {
      if (!isObject(value)) return true
      return rules.every(([name, test]) => fieldIn(value, name) === undefined || test(value))
    }
  },
}

const items: Keyword = {
  name: 'items',
  compile: (operand, place) => {
    if (operand.type === bsonType.object) {
      const test = place.schema(operand, 'items')
      return (value) => !isArray(value) || elementsOf(value).every(test)
    }
    if (operand.type !== bsonType.array) throw wrongType('items', 'an array or an object', operand)
    const tests = elementsOf(operand).map((spec) => place.schema(spec, 'items'))
    return (value) => {
      if (!isArray(value)) return true
      return elementsOf(value).every((element, i) => tests[i]?.(element) ?? true)
    }
  },
}

const additionalItems: Keyword = {
  name: 'additionalItems',
  compile: (operand, place) => {
    const test = additional('additionalItems', operand, place)
    const first = place.sibling('items')
    // If `items` is one schema, there are no additional items.
    if (first?.type !== bsonType.array) return undefined
    const known = elementsOf(first).length
    return (value) => !isArray(value) || elementsOf(value).slice(known).every(test)
  },
}

const uniqueItems: Keyword = {
  name: 'uniqueItems',
  compile: (operand) => {
    if (!boolOperand('uniqueItems', operand)) return undefined
    return (value) => {
      if (!isArray(value)) return true
      const elements = elementsOf(value)
      return new Set(elements.map((element) => hashKey(element))).size === elements.length
    }
  },
}

/** Bounds of the number of fields or items. */
function size(name: string, holds: (value: Value) => boolean, sign: 1 | -1): Keyword {
  return {
    name,
    compile: (operand) => {
      const count = countOperand(name, operand)
      return (value) => !holds(value) || sign * (elementCount(value) - count) >= 0
    },
  }
}

function elementCount(value: Value): number {
  return countElements(value)
}

function schemasOf(name: string, operand: Value, place: SchemaPlace): [string, SchemaTest][] {
  return [...fieldsOf(objectOperand(name, operand))].map(([field, spec]) => [
    field,
    place.schema(spec, name),
  ])
}

/** Fields or items that no other keyword names: allowed, forbidden, or with a schema. */
function additional(name: string, operand: Value, place: SchemaPlace): SchemaTest {
  if (operand.type === bsonType.object) return place.schema(operand, name)
  if (operand.type !== bsonType.bool) throw wrongType(name, 'an object or a boolean', operand)
  const isAllowed = boolOperand(name, operand)
  return () => isAllowed
}

function namesIn(operand: Value | undefined): string[] {
  return operand?.type === bsonType.object ? [...fieldsOf(operand)].map(([name]) => name) : []
}

function isObject(value: Value): boolean {
  return value.type === bsonType.object
}

function isArray(value: Value): boolean {
  return value.type === bsonType.array
}

export const containerKeywords: readonly Keyword[] = [
  required,
  properties,
  patternProperties,
  additionalProperties,
  dependencies,
  items,
  additionalItems,
  uniqueItems,
  size('minProperties', isObject, 1),
  size('maxProperties', isObject, -1),
  size('minItems', isArray, 1),
  size('maxItems', isArray, -1),
]
