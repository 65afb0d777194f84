// Keywords of $jsonSchema about one value: its type, number, text, and combinations of schemas.
// Each ignores values of other types.

import { compareValues } from '../../value/compare.js'
import { hashKey } from '../../value/key.js'
import { modNumbers, numberOf } from '../../value/numbers.js'
import { bsonType, stringOf, stringValue, type Value } from '../../value/value.js'
import { fieldTypes } from '../filter/field-types.js'
import { compileRegex } from '../regex.js'
import {
  badSchema,
  boolOperand,
  countOperand,
  type Keyword,
  listOperand,
  numberOperand,
  type SchemaPlace,
  stringOperand,
  wrongType,
} from './keyword.js'

/** JSON's type names, and their names in $type. */
const jsonTypes: ReadonlyMap<string, string> = new Map([
  ['object', 'object'],
  ['array', 'array'],
  ['number', 'number'],
  ['boolean', 'bool'],
  ['string', 'string'],
  ['null', 'null'],
])

/** The names in `type` and `bsonType`: one, or an array of distinct ones. */
function namesOf(name: string, operand: Value): string[] {
  const given = operand.type === bsonType.array ? listOperand(name, operand) : [operand]
  const names = given.map((element) => {
    if (element.type !== bsonType.string) {
      throw wrongType(name, 'either a string or an array of strings', element)
    }
    return stringOf(element)
  })
  if (new Set(names).size === names.length) return names
  throw badSchema(`$jsonSchema keyword '${name}' has duplicate value`)
}

const typeKeyword: Keyword = {
  name: 'type',
  compile: (operand, place) => {
    if (place.sibling('bsonType') !== undefined) {
      throw badSchema("Cannot specify both $jsonSchema keywords 'type' and 'bsonType'")
    }
    const sets = namesOf('type', operand).map((name) => {
      const alias = jsonTypes.get(name)
      if (alias !== undefined) return typesOf(alias)
      if (name === 'integer') {
        throw badSchema("$jsonSchema type 'integer' is not currently supported.")
      }
      throw badSchema(`Unknown type name alias: ${name}`)
    })
    return (value) => sets.some((types) => types.has(value.type))
  },
}

const bsonTypeKeyword: Keyword = {
  name: 'bsonType',
  compile: (operand) => {
    const sets = namesOf('bsonType', operand).map(typesOf)
    return (value) => sets.some((types) => types.has(value.type))
  },
}

function typesOf(name: string): ReadonlySet<number> {
  return fieldTypes(stringValue(name))
}

const enumKeyword: Keyword = {
  name: 'enum',
  compile: (operand) => {
    const values = listOperand('enum', operand)
    const keys = new Set(values.map((value) => hashKey(value)))
    if (keys.size < values.length) {
      throw badSchema("$jsonSchema keyword 'enum' array cannot contain duplicate values.")
    }
    return (value) => keys.has(hashKey(value))
  },
}

/** A bound of numbers; the keyword `exclusive` is a boolean beside it, as in draft 4. */
function bound(name: string, exclusive: string, sign: 1 | -1): Keyword {
  return {
    name,
    compile: (operand, place) => {
      const limit = numberOperand(name, operand)
      const also = place.sibling(exclusive)
      const isStrict = also !== undefined && boolOperand(exclusive, also)
      return (value) => {
        if (!value.isNumber) return true
        const order = sign * compareValues(value, limit)
        return isStrict ? order > 0 : order >= 0
      }
    },
  }
}

/** The boolean beside a bound; only checked here, because the bound reads it. */
function strictness(name: string, of: string): Keyword {
  return {
    name,
    compile: (operand, place) => {
      boolOperand(name, operand)
      if (place.sibling(of) !== undefined) return undefined
      throw badSchema(`$jsonSchema keyword '${of}' must be a present if ${name} is present`)
    },
  }
}

const multipleOf: Keyword = {
  name: 'multipleOf',
  compile: (operand) => {
    const divisor = numberOperand('multipleOf', operand)
    if (!(numberOf(divisor) > 0)) {
      throw badSchema("$jsonSchema keyword 'multipleOf' must have a positive value")
    }
    return (value) => !value.isNumber || numberOf(modNumbers(value, divisor)) === 0
  },
}

/** Bounds of a text's length, in code points. */
function length(name: string, sign: 1 | -1): Keyword {
  return {
    name,
    compile: (operand) => {
      const count = countOperand(name, operand)
      return (value) => {
        return value.type !== bsonType.string || sign * (codePoints(value) - count) >= 0
      }
    },
  }
}

/** Number of code points in UTF-8: bytes that are not continuation bytes. */
function codePoints({ bytes, start, end }: Value): number {
  let count = 0
  for (let at = start + 4; at < end - 1; at++) if (((bytes[at] ?? 0) & 0xc0) !== 0x80) count++
  return count
}

const pattern: Keyword = {
  name: 'pattern',
  compile: (operand) => {
    const regex = compileRegex(stringOperand('pattern', operand), '', operand)
    return (value) => value.type !== bsonType.string || regex.testValue(value)
  },
}

/** Text for readers, without effect. */
function annotation(name: string): Keyword {
  return {
    name,
    compile: (operand) => {
      stringOperand(name, operand)
      return undefined
    },
  }
}

/** All, any or exactly one of several schemas. */
function combination(name: string, holds: (passed: number, of: number) => boolean): Keyword {
  return {
    name,
    compile: (operand, place) => {
      const tests = listOperand(name, operand).map((spec) => place.schema(spec, name))
      return (value) => {
        let passed = 0
        for (const test of tests) if (test(value)) passed++
        return holds(passed, tests.length)
      }
    },
  }
}

const not: Keyword = {
  name: 'not',
  compile: (operand, place: SchemaPlace) => {
    const test = place.schema(operand, 'not')
    return (value) => !test(value)
  },
}

export const valueKeywords: readonly Keyword[] = [
  typeKeyword,
  bsonTypeKeyword,
  enumKeyword,
  bound('minimum', 'exclusiveMinimum', 1),
  bound('maximum', 'exclusiveMaximum', -1),
  strictness('exclusiveMinimum', 'minimum'),
  strictness('exclusiveMaximum', 'maximum'),
  multipleOf,
  length('minLength', 1),
  length('maxLength', -1),
  pattern,
  combination('allOf', (passed, of) => passed === of),
  combination('anyOf', (passed) => passed > 0),
  combination('oneOf', (passed) => passed === 1),
  not,
  annotation('title'),
  annotation('description'),
]
