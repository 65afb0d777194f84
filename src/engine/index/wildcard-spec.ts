// Checks specifications of wildcard indexes, their key patterns and options, with MongoDB's codes
// and texts. wildcard-paths.ts reads the accepted ones. Source: MongoDB manual, Wildcard Indexes;
// the reference server's wildcard validation.

import { fail, GatewayError } from '../../base/errors.js'
import { parseProjection } from '../../query/projection-spec.js'
import { field, fieldsOf } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import {
  boolOf,
  bsonType,
  type Document,
  documentOf,
  stringOf,
  type Value,
} from '../../value/value.js'
import { flagsOf, isAbove, isWildcardName } from './wildcard-paths.js'

/** Throws 67 and 7246201 to 7246204 for an invalid wildcard key pattern. */
export function checkWildcardKey(key: Value): void {
  const fields = [...fieldsOf(key)]
  const isPlugin = fields.some(
    ([, value]) => value.type === bsonType.string && stringOf(value) === 'wildcard',
  )
  const wildcards = fields.filter(([name, value]) => isWildcardName(name) && value.isNumber)
  if (wildcards.length === 0 && !isPlugin) return
  const [first, other] = fields.filter(([name]) => isWildcardName(name))
  if (other !== undefined) {
    throw fail('Location7246201', 'Index Key can contain only one wildcard index field')
  }
  if (first === undefined) {
    const text = 'No wildcard index field is specified for the wildcard index'
    throw fail('Location7246202', text)
  }
  if (isPlugin) {
    throw fail(
      'CannotCreateIndex',
      "The key pattern value for an 'wildcard' index must be a non-zero number, not a string.",
    )
  }
  if (first[0] === '$**') return
  const root = first[0].slice(0, -'.$**'.length)
  for (const [name] of fields) if (name !== first[0] && isAbove(root, name)) throw overlap(name)
}

function overlap(name: string): GatewayError {
  return fail(
    'Location7246204',
    [
      'A wildcard index field should not overlap with and index key fields if wildcard projection',
      `is empty, however '${name}' is overlapping with the wildcard index field.`,
    ].join(' '),
  )
}

/** Throws 2, 9, 14, 67 and the numbered codes for an invalid wildcardProjection. */
export function checkWildcardOptions(spec: Document, key: Value): void {
  const names = [...fieldsOf(key)].map(([name]) => name)
  const projection = field(spec, 'wildcardProjection')
  if (!names.some(isWildcardName)) {
    if (projection === undefined) return
    const text = "The field 'wildcardProjection' is only allowed in 'wildcard' indexes"
    throw fail('BadValue', text)
  }
  if (projection !== undefined) checkProjection(projection, names)
  else if (names.length > 1 && names.includes('$**')) {
    throw fail(
      'CannotCreateIndex',
      "Compound wildcard indexes on all fields must also specify 'wildcardProjection' option",
    )
  }
  for (const option of ['sparse', 'unique']) {
    const value = field(spec, option)
    if (value === undefined || !isTrue(value)) continue
    const text = `Index type 'wildcard' does not support the ${option} option`
    throw fail('CannotCreateIndex', text)
  }
  if (field(spec, 'expireAfterSeconds') !== undefined) {
    throw fail('CannotCreateIndex', "Index type 'wildcard' cannot be a TTL index")
  }
}

function checkProjection(projection: Value, names: readonly string[]): void {
  const option = "The field 'wildcardProjection'"
  if (projection.type !== bsonType.object) {
    throw fail('TypeMismatch', `${option} must be a non-empty object`)
  }
  if (!names.includes('$**')) {
    throw fail(
      'FailedToParse',
      `${option} is only allowed when 'key' is {"$**": ±1} or {"$**": "columnstore"}`,
    )
  }
  if ([...fieldsOf(projection)].length === 0) {
    throw fail('FailedToParse', "The 'wildcardProjection' field can't be an empty object")
  }
  if (names.length > 1) checkBesideFields(projection, names)
  try {
    parseProjection(documentOf(projection), { compile: refuseComputed, knows: () => true })
    requireFlags(projection)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const context = 'Failed to parse projection: wildcardProjection'
    throw fail(error.kind, `${context} :: caused by :: ${error.message}`)
  }
}

function refuseComputed(): never {
  throw fail(
    'Location51271',
    'Bad projection specification, cannot use computed fields when parsing a spec in ' +
      'kBanComputedFields mode',
  )
}

function requireFlags(projection: Value): void {
  for (const [, value] of fieldsOf(projection)) {
    if (value.type === bsonType.object) requireFlags(value)
    else if (!value.isNumber && value.type !== bsonType.bool) refuseComputed()
  }
}

/** Checks that the projection of a compound index excludes the fields beside `$**`. */
function checkBesideFields(projection: Value, names: readonly string[]): void {
  for (const [name, value] of fieldsOf(projection)) {
    if (value.isNumber || value.type === bsonType.bool) continue
    throw fail(
      'Location7246207',
      `Fields in wildcardProjection must be numbers, however '${name}' is not.`,
    )
  }
  const flags = flagsOf(projection, '')
  const kept = flags.filter(({ isKept }) => isKept).map(({ path }) => path)
  const left = flags.filter(({ isKept }) => !isKept).map(({ path }) => path)
  for (const list of [kept, left]) requireApart(list)
  const regular = names.filter((name) => !isWildcardName(name))
  for (const name of regular) {
    const holder = kept.find((path) => isAbove(path, name))
    if (holder === undefined) continue
    throw fail(
      'Location7246208',
      [
        'Index Key and Wildcard Projection cannot contain overlapping fields, however',
        `'${name}' index field is ovverlapping with '${holder}' wildcardProjection path.`,
      ].join(' '),
    )
  }
  const shown = left.length === 0 ? undefined : regular.find((name) => !isLeftOut(left, name))
  if (shown !== undefined) {
    throw fail(
      'Location7246210',
      [
        'wildcardProjection paths must exclude all regular index fields,',
        `however '${shown}'is not excluded.`,
      ].join(' '),
    )
  }
}

const isLeftOut = (left: readonly string[], name: string): boolean =>
  left.some((path) => isAbove(path, name))

function requireApart(paths: readonly string[]): void {
  for (const [i, path] of paths.entries()) {
    const other = paths.find((one, j) => j !== i && isAbove(path, one))
    if (other === undefined) continue
    throw fail(
      'Location7246200',
      `Fields in Wildcard Projection cannot overlap, however '${path}' is overlapped with ` +
        `'${other}'`,
    )
  }
}

function isTrue(value: Value): boolean {
  return value.type === bsonType.bool ? boolOf(value) : value.isNumber && numberOf(value) !== 0
}
