// $jsonSchema: compiles a schema of draft 4, with MongoDB's bsonType, to one test of a value.
// Keywords are rows of two tables. What MongoDB refuses is refused with its texts.

import { fail } from '../../base/errors.js'
import { expressionDepthMax } from '../../base/limits/documents.js'
import { fieldsOf } from '../../value/elements.js'
import { bsonType, type Value } from '../../value/value.js'
import { containerKeywords } from './container-keywords.js'
import { badSchema, type Keyword, type SchemaPlace, type SchemaTest, wrongType } from './keyword.js'
import { valueKeywords } from './value-keywords.js'

const keywords: ReadonlyMap<string, Keyword> = new Map(
  [...valueKeywords, ...containerKeywords].map((keyword) => [keyword.name, keyword]),
)

/** Keywords of the draft that MongoDB does not support. */
const unsupported = new Set(['$ref', '$schema', 'default', 'definitions', 'format', 'id'])

/** The test of a document. Throws 14 (not an object) and 9 (invalid in a schema). */
export function compileSchema(spec: Value): SchemaTest {
  if (spec.type !== bsonType.object) {
    throw fail('TypeMismatch', '$jsonSchema must be an object')
  }
  return compileAt(spec, 0)
}

/** The test of a schema, nested `depth` levels deep. */
export function compileAt(spec: Value, depth: number): SchemaTest {
  if (depth > expressionDepthMax) throw fail('BadValue', 'exceeded maximum query tree depth')
  const given = new Map(fieldsOf(spec))
  const tests: SchemaTest[] = []
  for (const [name, operand] of given) {
    const test = keywordOf(name).compile(operand, placeIn(given, depth))
    if (test !== undefined) tests.push(test)
  }
  return (value) => tests.every((test) => test(value))
}

/** The test of one keyword; undefined if it does not restrict values. */
export function compileKeyword(name: string, spec: Value): SchemaTest | undefined {
  const given = new Map(fieldsOf(spec))
  const operand = given.get(name)
  return operand === undefined ? undefined : keywordOf(name).compile(operand, placeIn(given, 0))
}

function placeIn(given: ReadonlyMap<string, Value>, depth: number): SchemaPlace {
  return {
    sibling: (other) => given.get(other),
    schema: (inner, within) => {
      if (inner.type !== bsonType.object) throw wrongType(within, 'an object', inner)
      return compileAt(inner, depth + 1)
    },
  }
}

function keywordOf(name: string): Keyword {
  const keyword = keywords.get(name)
  if (keyword !== undefined) return keyword
  if (unsupported.has(name)) {
    throw badSchema(`$jsonSchema keyword '${name}' is not currently supported`)
  }
  throw badSchema(`Unknown $jsonSchema keyword: ${name}`)
}
