// The combinators that describe command parameters. Texts and codes of their errors are those of
// MongoDB, because its tools show them.

import { isUtf8 } from 'node:buffer'
import { fail, type GatewayError } from '../../base/errors.js'
import { work } from '../../base/work/work-budget.js'
import { operationUnits } from '../../base/work/work-figures.js'
import { Elements, elementsOf } from '../../value/elements.js'
import { integerOf, numberOf } from '../../value/numbers.js'
import {
  bigintOf,
  boolOf,
  bsonType,
  type Document,
  documentOf,
  stringOf,
  type Value,
} from '../../value/value.js'
import { declareList, operationsOf } from './operations-ahead.js'
import { type Args, type Field, type Fields, Schema } from './schema.js'

const typeNames: Readonly<Record<number, string>> = {
  [bsonType.double]: 'double',
  [bsonType.string]: 'string',
  [bsonType.object]: 'object',
  [bsonType.array]: 'array',
  [bsonType.binary]: 'binData',
  [bsonType.undefined]: 'undefined',
  [bsonType.objectId]: 'objectId',
  [bsonType.bool]: 'bool',
  [bsonType.date]: 'date',
  [bsonType.null]: 'null',
  [bsonType.regex]: 'regex',
  [bsonType.dbPointer]: 'dbPointer',
  [bsonType.code]: 'javascript',
  [bsonType.symbol]: 'symbol',
  [bsonType.codeWithScope]: 'javascriptWithScope',
  [bsonType.int32]: 'int',
  [bsonType.timestamp]: 'timestamp',
  [bsonType.int64]: 'long',
  [bsonType.decimal128]: 'decimal',
  [bsonType.minKey]: 'minKey',
  [bsonType.maxKey]: 'maxKey',
}

/** The alias of a BSON type, as error texts spell it. */
export function typeName(type: number): string {
  return typeNames[type] ?? 'unknown'
}

/** `expected` in the reference server's wording: `type 'object'`, or `types '[long, int']`. */
export function wrongType(where: string, value: Value, expected: string): GatewayError {
  const given = typeName(value.type)
  return fail(
    'TypeMismatch',
    `BSON field '${where}' is the wrong type '${given}', expected ${expected}`,
  )
}

function required<T>(bind: Field<T>['bind']): Field<T> {
  return { bind, isRequired: true, absent: undefined, takesNull: false }
}

/** The same parameter, undefined when absent. */
export function optional<T>(field: Field<T>): Field<T | undefined> {
  return { ...field, isRequired: false, absent: undefined }
}

export function withDefault<T>(field: Field<T>, absent: T): Field<T> {
  return { ...field, isRequired: false, absent }
}

/** Any value at all, null included. */
export const anyValue: Field<Value> = { ...required(() => (value) => value), takesNull: true }

/** Any value, unread: for fields that have no effect on a standalone server. */
export const ignored: Field<Value | undefined> = optional(anyValue)

export const string: Field<string> = required((where) => (value) => {
  if (value.type !== bsonType.string) throw wrongType(where, value, "type 'string'")
  return stringOf(value)
})

/** A flag; a number counts as true unless it is zero. */
export const bool: Field<boolean> = required((where) => (value) => {
  if (value.type === bsonType.bool) return boolOf(value)
  if (value.isNumber) return numberOf(value) !== 0
  throw wrongType(where, value, "types '[bool, long, int, decimal, double']")
})

/** A boolean; numbers are refused. */
export const strictBool: Field<boolean> = required((where) => (value) => {
  if (value.type !== bsonType.bool) throw wrongType(where, value, "type 'bool'")
  return boolOf(value)
})

/** As strictBool, with the error of the fields that MongoDB parses by hand. */
export const flag: Field<boolean> = required((where) => {
  const name = where.slice(where.lastIndexOf('.') + 1)
  return (value) => {
    if (value.type === bsonType.bool) return boolOf(value)
    const text = `Field '${name}' should be a boolean value, but found: ${typeName(value.type)}`
    throw fail('TypeMismatch', text)
  }
})

/** Any numeric type, as a double. */
export const number: Field<number> = required((where) => (value) => {
  if (!value.isNumber) throw wrongType(where, value, "types '[long, int, decimal, double']")
  return numberOf(value)
})

/** As number, but an int64 above 2^53 is a bigint: for errors that quote it. */
export const exactNumber: Field<number | bigint> = required((where) => {
  const read = number.bind(where)
  return (value) => {
    const n = read(value)
    return value.type === bsonType.int64 && !Number.isSafeInteger(n) ? bigintOf(value) : n
  }
})

/** A whole number of any numeric type: fractions are truncated and NaN is 0, as in MongoDB. */
export const wholeNumber: Field<number> = required((where) => {
  const read = number.bind(where)
  return (value) => {
    const whole = Math.trunc(read(value))
    return Number.isNaN(whole) ? 0 : whole
  }
})

/** As wholeNumber, cut to the range of an int32: MongoDB's safeInt. */
export const safeInt: Field<number> = required((where) => {
  const read = wholeNumber.bind(where)
  return (value) => Math.min(Math.max(read(value), -(2 ** 31)), 2 ** 31 - 1)
})

/** As wholeNumber, zero or more. */
export const countNumber: Field<number> = required((where) => {
  const read = wholeNumber.bind(where)
  const name = where.slice(where.lastIndexOf('.') + 1)
  return (value) => {
    const whole = read(value)
    if (whole >= 0) return whole
    const actual = value.type === bsonType.int64 ? bigintOf(value) : whole
    throw fail('Location51024', `BSON field '${name}' value must be >= 0, actual value '${actual}'`)
  }
})

/** An int64, exactly: cursor ids. Above 2^53 it is a bigint, which no cursor of Sigil has. */
export const longNumber: Field<number | bigint> = required((where) => (value) => {
  if (value.type !== bsonType.int64) throw wrongType(where, value, "type 'long'")
  return integerOf(value) ?? bigintOf(value)
})

/** An embedded document, as a view over the command. */
export const object: Field<Document> = required((where) => (value) => {
  if (value.type !== bsonType.object) throw wrongType(where, value, "type 'object'")
  return documentOf(value)
})

/** An array as one value. */
export const array: Field<Value> = required((where) => (value) => {
  if (value.type !== bsonType.array) throw wrongType(where, value, "type 'array'")
  return value
})

/** An array in which every element passes `element`. */
export function arrayOf<T>(element: Field<T>): Field<readonly T[]> {
  return required((where) => {
    const whole = array.bind(where)
    return (value) =>
      elementsOf(whole(value)).map((item, index) => element.bind(`${where}.${index}`)(item))
  })
}

/** Reads an array of objects, one after the other. */
function documentsIn(where: string): (list: Value) => Iterable<Document> {
  const whole = array.bind(where)
  return function* (value) {
    const elements = new Elements(whole(value).bytes, value.start)
    while (elements.next()) {
      const item = elements.value()
      if (item.type !== bsonType.object) {
        throw wrongType(`${where}.${elements.name()}`, item, "type 'object'")
      }
      yield documentOf(item)
    }
  }
}

/** Documents: an array of objects, or a document sequence of the same name. */
export const documents: Field<readonly Document[]> = {
  ...required((where) => {
    const read = documentsIn(where)
    return (value) => [...read(value)]
  }),
  bindSequence: () => (sequence) => sequence,
}

/** An index: its name or its key pattern. */
export const hint: Field<Value> = required((where) => (value) => {
  if (value.type === bsonType.string || value.type === bsonType.object) return value
  throw wrongType(where, value, "types '[string, object']")
})

/** One of the given texts. */
export function oneOf<const T extends readonly string[]>(texts: T): Field<T[number]> {
  return required((where) => {
    const read = string.bind(where)
    return (value) => {
      const given = read(value)
      const known = texts.find((text) => text === given)
      if (known !== undefined) return known
      const text = `Enumeration value '${given}' for field '${where}' is not a valid value.`
      throw fail('BadValue', text)
    }
  })
}

/** An embedded document with a schema of its own. */
export function structure<F extends Fields>(fields: F): Field<Args<F>> {
  return required((where) => {
    const read = object.bind(where)
    const schema = new Schema(where, fields)
    return (value) => schema.parse(read(value))
  })
}

/** Documents with a schema of their own: an array of objects, or a document sequence. */
export function structures<F extends Fields>(fields: F): Field<readonly Args<F>[]> {
  const bound = (where: string) => {
    const schema = new Schema(where, fields)
    const parse = (document: Document): Args<F> => schema.parse(document)
    declareList(where, { read: documentsIn(where), parse })
    return (source: object, read: () => readonly Document[]): readonly Args<F>[] => {
      const ahead = operationsOf(source)
      // The declared list has parsed them, with the same schema.
      if (ahead !== undefined) return ahead as readonly Args<F>[]
      const all = read()
      work.note(all.length * operationUnits)
      return all.map(parse)
    }
  }
  return {
    ...required((where) => {
      const read = documents.bind(where)
      const parsed = bound(where)
      return (value) => parsed(value.bytes, () => read(value))
    }),
    bindSequence: (where) => {
      const parsed = bound(where)
      return (sequence) => parsed(sequence, () => sequence)
    },
  }
}

// The value beside a command's own name.

/** Reads a name exactly: names that differ in malformed bytes must stay different. */
function nameOf(value: Value): string {
  const text = stringOf(value)
  if (text.includes('\ufffd') && !isUtf8(value.bytes.subarray(value.start + 4, value.end - 1))) {
    throw fail('InvalidNamespace', 'collection names are UTF-8')
  }
  return text
}

/** The collection of the command: a non-empty string. */
export const collection: Field<string> = required(() => (value) => {
  if (value.type === bsonType.string) return nameOf(value)
  throw fail('InvalidNamespace', `collection name has invalid type ${typeName(value.type)}`)
})

/** A collection, or undefined for the number 1, which means the database. */
export const collectionOrDatabase: Field<string | undefined> = required((where) => (value) => {
  if (value.type === bsonType.string) return nameOf(value)
  if (value.isNumber && numberOf(value) === 1) return undefined
  throw fail(
    'FailedToParse',
    `Invalid command format: the '${where}' field must specify a collection name or 1`,
  )
})
