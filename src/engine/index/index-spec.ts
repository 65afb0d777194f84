// Parses index specifications of clients. Every field is checked, unsupported features are refused,
// not ignored, and listIndexes echoes the accepted form. Source: MongoDB manual, createIndexes; the
// reference server's index validation.

import { fail, GatewayError } from '../../base/errors.js'
import { indexFieldsMax, indexSpecBytesMax } from '../../base/limits/documents.js'
import { work } from '../../base/work/work-budget.js'
import { indexSpecUnits } from '../../base/work/work-figures.js'
import { type Collation, parseCollation, sameCollation } from '../../value/collation/collation.js'
import { equalValues } from '../../value/compare.js'
import { field, fieldsOf } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import { shellText } from '../../value/shell.js'
import {
  boolOf,
  bsonType,
  type Document,
  documentOf,
  documentValue,
  int32Value,
  stringOf,
  type Value,
} from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { fieldsOfKey } from '../collection/catalog/descriptors.js'
import type { IndexDescriptor, IndexField } from '../types.js'
import { checkHashedSpec, isHashed } from './hashed-fields.js'
import { compilePartial, expirySeconds } from './index-options.js'
import { checkWildcardKey, checkWildcardOptions } from './wildcard-spec.js'

export const idIndexName = '_id_'

export interface IndexSpec {
  readonly name: string
  readonly fields: readonly IndexField[]
  readonly unique: boolean
  /** The `_id` index, which every collection has. */
  readonly isId: boolean
  /** The form that listIndexes returns: `{v, key, name, …}`. */
  readonly document: Document
  /** How its strings compare; undefined means by bytes. */
  readonly collation: Collation | undefined
  /**
   * Whether the specification has a collation itself, `{locale: 'simple'}` included; otherwise the
   * collection's applies.
   */
  readonly hasCollation: boolean
}

/** The listIndexes document of `_id_`. */
export const idIndexSpec: Document = writeDocument((out) =>
  out.int32('v', 2).openDocument('key').int32('_id', 1).close().string('name', idIndexName),
)

/** The same for a collection with a collation. */
export function idIndexSpecOf(collation: Collation | undefined): Document {
  return collation === undefined ? idIndexSpec : withCollation(idIndexSpec, collation)
}

function withCollation(spec: Document, collation: Collation): Document {
  return writeDocument((out) => {
    for (const [name, value] of fieldsOf(documentValue(spec))) out.value(name, value)
    out.document('collation', collation.spec)
  })
}

type OptionCheck = (value: Value, spec: Document, name: string) => void

/** MongoDB index features that Sigil does not support: only absent or off is accepted. */
const unserved: OptionCheck = (_value, _spec, name) => {
  throw fail('CommandNotSupported', `the index option '${name}' is not supported`)
}

const unservedUnlessFalse: OptionCheck = (value, spec, name) => {
  if (truthOf(value, name)) unserved(value, spec, name)
}

const anyObject: OptionCheck = (value, _spec, name) => {
  if (value.type !== bsonType.object) throw wrongType(name, 'object', value)
}

const anyTruth: OptionCheck = (value, _spec, name) => {
  truthOf(value, name)
}

/**
 * Checks of options by name; other names are unknown (197). `key`, `name` and `v` are parsed
 * separately.
 */
const optionChecks: Readonly<Record<string, OptionCheck>> = {
  key: () => {},
  name: () => {},
  v: () => {},
  ns: () => {},
  background: () => {},
  dropDups: () => {},
  storageEngine: anyObject,
  unique: anyTruth,
  sparse: anyTruth,
  hidden: anyTruth,
  prepareUnique: anyTruth,
  clustered: unservedUnlessFalse,
  // Checked by checkExpiry.
  expireAfterSeconds: () => {},
  partialFilterExpression: anyObject,
  // Checked by checkWildcardOptions.
  wildcardProjection: () => {},
  columnstoreProjection: unserved,
  weights: unserved,
  default_language: unserved,
  language_override: unserved,
  textIndexVersion: unserved,
  '2dsphereIndexVersion': unserved,
  bits: unserved,
  min: unserved,
  max: unserved,
  bucketSize: unserved,
  coarsestIndexedLevel: unserved,
  finestIndexedLevel: unserved,
  collation: anyObject,
}

/** Supported index options, for the generated reference. */
export const indexOptionNames: readonly string[] = Object.entries(optionChecks)
  .filter(([, check]) => check !== unserved && check !== unservedUnlessFalse)
  .map(([name]) => name)

/** Options allowed for an `_id` index. */
const idOptions: ReadonlySet<string> = new Set(['key', 'name', 'v', 'ns', 'collation'])

/** Checks the `indexes` array of createIndexes; throws MongoDB's errors. */
export function parseIndexSpecs(specs: readonly Value[]): IndexSpec[] {
  if (specs.length === 0) throw fail('BadValue', 'Must specify at least one index to create')
  return specs.map((spec, position) => {
    if (spec.type !== bsonType.object) throw wrongType(`indexes.${position}`, 'object', spec)
    return parseIndexSpec(documentOf(spec))
  })
}

export function parseIndexSpec(spec: Document): IndexSpec {
  if (spec.length > indexSpecBytesMax) {
    throw fail('CannotCreateIndex', `index specification is larger than ${indexSpecBytesMax} bytes`)
  }
  work.spend(indexSpecUnits)
  const key = requiredField(spec, 'key')
  if (key.type !== bsonType.object) throw wrongType('key', 'object', key)
  const name = requiredField(spec, 'name')
  if (name.type !== bsonType.string) throw wrongType('name', 'string', name)
  checkKeyPattern(key)
  const isId = isIdPattern(key)
  for (const [option, value] of fieldsOf(documentValue(spec))) {
    checkOption(spec, option, value, isId)
  }
  const version = checkVersion(field(spec, 'v'))
  const given = field(spec, 'collation')
  const collation = given === undefined ? undefined : parseCollation(documentOf(given))
  const collating = { collation, hasCollation: given !== undefined }
  if (isId) {
    const rest = { fields: [], unique: true, isId, document: idIndexSpecOf(collation) }
    return { name: idIndexName, ...rest, ...collating }
  }
  checkName(stringOf(name), key)
  checkWildcardOptions(spec, key)
  checkHashedSpec(spec, key)
  checkPartial(spec)
  checkExpiry(spec, key)
  return {
    name: stringOf(name),
    fields: fieldsOfKey(documentOf(key)),
    unique: isTrue(spec, 'unique'),
    isId,
    document: echoOf(spec, version, key, name, collation),
    ...collating,
  }
}

/**
 * The specification with its collection's collation, unless it has its own. Throws BadValue if the
 * _id index has a different one.
 */
export function inheriting(spec: IndexSpec, inherited: Collation | undefined): IndexSpec {
  if (spec.isId && spec.hasCollation && !sameCollation(spec.collation, inherited)) {
    const text = 'The _id index must have the same collation as the collection.'
    const [own, other] = [spec.collation, inherited].map(collationText)
    throw fail('BadValue', `${text} Index collation: ${own}, collection collation: ${other}`)
  }
  if (spec.isId || spec.hasCollation || inherited === undefined) return spec
  return { ...spec, collation: inherited, document: withCollation(spec.document, inherited) }
}

function collationText(collation: Collation | undefined): string {
  if (collation === undefined) return '{ locale: "simple" }'
  return shellText(documentValue(collation.spec))
}

/**
 * The existing index that a specification denotes; undefined if it is new. Throws
 * IndexOptionsConflict (same key, other name or options), IndexKeySpecsConflict (same name).
 */
export function existingIndex(
  indexes: readonly IndexDescriptor[],
  spec: IndexSpec,
): IndexDescriptor | undefined {
  const named = indexes.find(({ name }) => name === spec.name)
  if (named !== undefined) {
    if (!isAlike(named.spec, spec.document)) {
      throw fail(
        'IndexKeySpecsConflict',
        [
          'An existing index has the same name as the requested index.',
          'When index names are not specified, they are auto generated and can cause conflicts.',
          `Please refer to our documentation. ${bothOf(spec, named)}`,
        ].join(' '),
      )
    }
    if (hasSameRest(named.spec, spec.document)) return named
    throw equivalent('with the same name but different options', spec, named)
  }
  const alike = indexes.find((index) => isAlike(index.spec, spec.document))
  if (alike === undefined) return undefined
  if (!hasSameRest(alike.spec, spec.document)) {
    throw equivalent('with a different name and options', spec, alike)
  }
  throw fail('IndexOptionsConflict', `Index already exists with a different name: ${alike.name}`)
}

/**
 * Options that distinguish two indexes of a collection besides their names (MongoDB: since 5.0).
 */
const identity = [
  'key',
  'unique',
  'sparse',
  'partialFilterExpression',
  'wildcardProjection',
  'collation',
]
/** Options whose difference between two requests for one index is an error. */
const otherOptions = ['expireAfterSeconds', 'storageEngine']

const isAlike = (a: Document, b: Document): boolean => hasSame(identity, a, b)
const hasSameRest = (a: Document, b: Document): boolean => hasSame(otherOptions, a, b)

function hasSame(options: readonly string[], a: Document, b: Document): boolean {
  return options.every((option) => {
    const left = field(a, option)
    const right = field(b, option)
    if (left === undefined || right === undefined) return left === right
    return equalValues(left, right)
  })
}

function equivalent(how: string, spec: IndexSpec, index: IndexDescriptor): GatewayError {
  const text = `An equivalent index already exists ${how}. ${bothOf(spec, index)}`
  return fail('IndexOptionsConflict', text)
}

function bothOf(spec: IndexSpec, index: IndexDescriptor): string {
  const requested = shellText(documentValue(spec.document))
  return `Requested index: ${requested}, existing index: ${shellText(documentValue(index.spec))}`
}

function checkOption(spec: Document, option: string, value: Value, isId: boolean): void {
  const check = Object.hasOwn(optionChecks, option) ? optionChecks[option] : undefined
  if (check !== undefined && (!isId || idOptions.has(option))) {
    check(value, spec, option)
    return
  }
  const what = isId ? 'an _id index' : 'an index'
  const shown = shellText(documentValue(spec))
  throw fail(
    'InvalidIndexSpecificationOption',
    `The field '${option}' is not valid for ${what} specification. Specification: ${shown}`,
  )
}

/** Throws CannotCreateIndex for an invalid key pattern. */
function checkKeyPattern(key: Value): void {
  checkWildcardKey(key)
  const seen = new Set<string>()
  for (const [path, direction] of fieldsOf(key)) {
    checkDirection(direction)
    checkKeyPath(path)
    if (seen.has(path)) throw cannot(`Index keys cannot contain a field twice: ${path}`)
    seen.add(path)
  }
  if (seen.size === 0) throw cannot('Index keys cannot be empty.')
  if (seen.size > indexFieldsMax) {
    throw cannot(`Index keys cannot have more than ${indexFieldsMax} fields`)
  }
}

/** MongoDB index kinds that Sigil refuses by name. */
const unservedKinds: ReadonlySet<string> = new Set([
  'text',
  '2d',
  '2dsphere',
  '2dsphere_bucket',
  'geoHaystack',
  'columnstore',
])

function checkDirection(direction: Value): void {
  if (direction.type === bsonType.string) {
    const kind = stringOf(direction)
    if (isHashed(direction)) return
    if (unservedKinds.has(kind)) throw cannot(`Index type '${kind}' is not supported`)
    throw cannot(`Unknown index plugin '${kind}'`)
  }
  if (!direction.isNumber) {
    throw cannot(
      [
        `Values in v:2 index key pattern cannot be of type ${typeName(direction)}.`,
        'Only numbers > 0, numbers < 0, and strings are allowed.',
      ].join(' '),
    )
  }
  const number = numberOf(direction)
  if (Number.isNaN(number)) throw cannot('Values in the index key pattern cannot be NaN.')
  if (number === 0) throw cannot('Values in the index key pattern cannot be 0.')
}

/** Parts of a database reference: the only `$` names allowed inside a document. */
const referenceNames: ReadonlySet<string> = new Set(['$id', '$ref', '$db'])

function checkKeyPath(path: string): void {
  const parts = path.split('.')
  if (parts.includes('')) throw cannot('Index keys cannot contain an empty field.')
  parts.forEach((part, position) => {
    if (part === '$**' && position === parts.length - 1) return
    if (!part.startsWith('$') || (position > 0 && referenceNames.has(part))) return
    throw cannot("Index key contains an illegal field name: field name starts with '$'.")
  })
}

function checkName(name: string, key: Value): void {
  if (name === '') throw cannot('index name cannot be empty')
  if (name === '*') throw fail('BadValue', "The index name '*' is not valid.")
  if (name.includes('\0')) throw cannot('index name cannot contain NUL bytes')
  if (name !== idIndexName) return
  throw fail(
    'BadValue',
    [
      `The index name '_id_' is reserved for the _id index,`,
      `which must have key pattern {_id: 1}, found ${shellText(key)}`,
    ].join(' '),
  )
}

/** Whether the key is `{_id: 1}`, in any numeric type. Throws BadValue for a descending one. */
function isIdPattern(key: Value): boolean {
  const [first, ...rest] = fieldsOf(key)
  if (first === undefined || rest.length > 0 || first[0] !== '_id') return false
  if (Math.abs(numberOf(first[1])) !== 1) return false
  if (numberOf(first[1]) === 1) return true
  throw fail(
    'BadValue',
    `The field 'key' for an _id index must be {_id: 1}, but got ${shellText(key)}`,
  )
}

function checkVersion(given: Value | undefined): Value {
  if (given === undefined) return int32Value(2)
  if (!given.isNumber) throw wrongType('v', 'number', given)
  const version = numberOf(given)
  if (version === 1 || version === 2) return int32Value(version)
  throw cannot(`Invalid index specification; cannot create an index with v=${version}`)
}

/** Throws the errors of a partialFilterExpression, prefixed with the specification. */
function checkPartial(spec: Document): void {
  const expression = field(spec, 'partialFilterExpression')
  if (expression === undefined) return
  const context = `Error in specification ${shellText(documentValue(spec))} :: caused by ::`
  if (isTrue(spec, 'sparse')) {
    throw cannot(`${context} cannot mix "partialFilterExpression" and "sparse" options`)
  }
  try {
    compilePartial(documentOf(expression))
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    throw fail(error.kind, `${context} ${error.message}`)
  }
}

function checkExpiry(spec: Document, key: Value): void {
  const seconds = field(spec, 'expireAfterSeconds')
  if (seconds === undefined) return
  expirySeconds(seconds, 'CannotCreateIndex')
  if ([...fieldsOf(key)].length === 1) return
  const shown = shellText(documentValue(spec))
  const reason = 'TTL indexes are single-field indexes, compound indexes do not support TTL'
  throw cannot(`${reason}. Index spec: ${shown}`)
}

function isTrue(spec: Document, option: string): boolean {
  const value = field(spec, option)
  return value !== undefined && truthOf(value, option)
}

function echoOf(
  spec: Document,
  version: Value,
  key: Value,
  name: Value,
  collation: Collation | undefined,
): Document {
  return writeDocument((out) => {
    out.value('v', version).value('key', key).value('name', name)
    for (const option of ['unique', 'sparse', 'hidden', 'prepareUnique']) {
      if (isTrue(spec, option)) out.bool(option, true)
    }
    const seconds = field(spec, 'expireAfterSeconds')
    if (seconds !== undefined) {
      out.int32('expireAfterSeconds', expirySeconds(seconds, 'CannotCreateIndex'))
    }
    for (const option of [
      'partialFilterExpression',
      'wildcardProjection',
      'background',
      'storageEngine',
    ]) {
      const value = field(spec, option)
      if (value !== undefined) out.value(option, value)
    }
    if (collation !== undefined) out.document('collation', collation.spec)
  })
}

function requiredField(spec: Document, name: string): Value {
  const value = field(spec, name)
  if (value !== undefined) return value
  throw fail(
    'FailedToParse',
    [
      `Error in specification ${shellText(documentValue(spec))} :: caused by ::`,
      `The '${name}' field is a required property of an index specification`,
    ].join(' '),
  )
}

function truthOf(value: Value, name: string): boolean {
  if (value.type === bsonType.bool) return boolOf(value)
  if (value.isNumber) return numberOf(value) !== 0
  throw fail(
    'TypeMismatch',
    `The field '${name}' has value ${name}: ${shellText(value)}, which is not convertible to bool`,
  )
}

const cannot = (text: string): GatewayError => fail('CannotCreateIndex', text)

function wrongType(name: string, expected: string, value: Value): GatewayError {
  const article = /^[aeiou]/.test(expected) ? 'an' : 'a'
  const given = typeName(value)
  return fail(
    'TypeMismatch',
    `The field '${name}' must be ${article} ${expected}, but got ${given}`,
  )
}

const typeNames: ReadonlyMap<number, string> = new Map(
  Object.entries(bsonType).map(([name, type]) => [type, name]),
)

function typeName(value: Value): string {
  return typeNames.get(value.type) ?? 'unknown'
}
