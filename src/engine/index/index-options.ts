// Options of an index that affect its entries and plans. They are read from the stored
// specification, and checked as MongoDB checks them. Source: MongoDB manual, createIndexes.

import { LRUCache } from 'lru-cache'
import { mapKey } from '../../base/bytes/bytes.js'
import { fail, type GatewayError } from '../../base/errors.js'
import { expireAfterSecondsMax } from '../../base/limits/documents.js'
import type { QueryContext } from '../../query/context.js'
import {
  compileFilter,
  type Filter,
  type FilterNode,
  filterToDocument,
} from '../../query/filter.js'
import { type Collation, parseCollation } from '../../value/collation/collation.js'
import { field } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import { shellText } from '../../value/shell.js'
import type { Value } from '../../value/value.js'
import { boolOf, bsonType, type Document, documentOf, documentValue } from '../../value/value.js'
import type { IndexDescriptor } from '../types.js'
import { wildcardOf } from './wildcard-paths.js'

/** Number of cached compiled filters of partial indexes. */
const partialFiltersMax = 1_000

type IndexOptions = Pick<
  IndexDescriptor,
  'sparse' | 'hidden' | 'partial' | 'collation' | 'expireAfterSeconds' | 'wildcard'
>

/** The options of a stored, valid specification. */
export function optionsOf(spec: Document): IndexOptions {
  const partial = field(spec, 'partialFilterExpression')
  const seconds = field(spec, 'expireAfterSeconds')
  const collation = collationOf(spec)
  const wildcard = wildcardOf(spec)
  return {
    ...(isSet(spec, 'sparse') ? { sparse: true } : {}),
    ...(isSet(spec, 'hidden') ? { hidden: true } : {}),
    ...(isSet(spec, 'prepareUnique') ? { prepared: true } : {}),
    ...(partial === undefined ? {} : { partial: compilePartial(documentOf(partial), collation) }),
    ...(seconds === undefined ? {} : { expireAfterSeconds: numberOf(seconds) }),
    ...(collation === undefined ? {} : { collation }),
    ...(wildcard === undefined ? {} : { wildcard }),
  }
}

/** The collation of stored options or of a stored specification. */
export function collationOf(options: Document): Collation | undefined {
  const collation = field(options, 'collation')
  return collation === undefined ? undefined : parseCollation(documentOf(collation))
}

function isSet(spec: Document, name: string): boolean {
  const value = field(spec, name)
  return value?.type === bsonType.bool && boolOf(value)
}

/** A partial filter depends on no call: no variables, no time. */
const timeless: QueryContext = {
  now: 0,
  variables: new Map(),
  objectId: () => new Uint8Array(12),
}

/**
 * Keyed by the bytes of the expression, so a descriptor that is decoded again shares its filter.
 */
const compiled = new LRUCache<string, Filter>({ max: partialFiltersMax })

/**
 * The filter of a partialFilterExpression. Throws CannotCreateIndex for forbidden operators,
 * QueryFeatureNotAllowed for $expr, and the errors of filters.
 */
export function compilePartial(expression: Document, collation?: Collation): Filter {
  const key = `${collation?.id ?? ''}\0${mapKey(expression)}`
  const known = compiled.get(key)
  if (known !== undefined) return known
  const filter = compileFilter(expression.slice(), { ...timeless, collation })
  requirePartial(filter.tree)
  compiled.set(key, filter)
  return filter
}

function requirePartial(node: FilterNode): void {
  switch (node.op) {
    case 'and':
    case 'or':
      for (const child of node.children) requirePartial(child)
      return
    case 'always':
    case 'never':
    case 'eq':
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
    case 'in':
    case 'type':
      return
    case 'exists':
      if (node.exists) return
      break
    case 'expr':
      throw fail('QueryFeatureNotAllowed', '$expr is not allowed in this context')
    default:
  }
  const shown = shellText(documentValue(filterToDocument(node)))
  throw fail('CannotCreateIndex', `Expression not supported in partial index: ${shown}`)
}

/** The seconds of a TTL index. Throws `code` (CannotCreateIndex, or InvalidOptions of collMod). */
export function expirySeconds(value: Value, code: 'CannotCreateIndex' | 'InvalidOptions'): number {
  const refuse = (text: string): GatewayError =>
    fail(code, `TTL index 'expireAfterSeconds' option ${text}`)
  if (!value.isNumber) throw refuse('must be numeric')
  const seconds = Math.trunc(numberOf(value))
  if (seconds < 0) throw refuse('cannot be less than 0')
  if (seconds <= expireAfterSecondsMax) return seconds
  throw refuse(
    'must be within an acceptable range, ' +
      `try a different number than ${shellText(value)}; the largest is ${expireAfterSecondsMax}`,
  )
}
