// Time-series collections: measurements under sequence numbers (capped-order.ts), with an unlisted
// index on their time for ranges, order and expiry; `_id` is an ordinary field. Sigil refuses what
// MongoDB refuses. Source: its manual and its core tests.

import { fail, type GatewayError } from '../../../base/errors.js'
import type { Collation } from '../../../value/collation/collation.js'
import { Elements, elementsOf, field, fieldsOf } from '../../../value/elements.js'
import { shellText } from '../../../value/shell.js'
import {
  bsonType,
  type Document,
  documentValue,
  stringOf,
  type Value,
} from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { optionsOf } from '../../index/index-options.js'
import type { IndexSpec } from '../../index/index-spec.js'
import type { IndexDescriptor, IndexId, Namespace } from '../../types.js'
import { fieldsOfKey } from '../catalog/descriptors.js'
import { timeIndexName } from './capped-order.js'
import type { TimeSeries } from './time-series-options.js'

/** Throws BadValue if the document has no time. */
export function requireMeasurement({ timeField }: TimeSeries, document: Document): void {
  if (field(document, timeField)?.type === bsonType.date) return
  const text = `'${timeField}' must be present and contain a valid BSON UTC datetime value`
  throw fail('BadValue', text)
}

/** The initial indexes of a time-series collection, without ids. */
export function seriesIndexes(
  { timeField, metaField }: TimeSeries,
  seconds: number | undefined,
  collation: Collation | undefined,
): Omit<IndexDescriptor, 'id'>[] {
  const own = [descriptorOf(timeIndexSpec(timeField, seconds))]
  if (metaField === undefined) return own
  const listed = writeDocument((out) => {
    out.int32('v', 2).openDocument('key').int32(metaField, 1).int32(timeField, 1).close()
    out.string('name', `${metaField}_1_${timeField}_1`)
    if (collation !== undefined) out.document('collation', collation.spec)
  })
  return [...own, descriptorOf(listed)]
}

function timeIndexSpec(timeField: string, seconds: number | undefined): Document {
  return writeDocument((out) => {
    out.int32('v', 2).openDocument('key').int32(timeField, 1).close().string('name', timeIndexName)
    if (seconds !== undefined) out.int32('expireAfterSeconds', seconds)
  })
}

function descriptorOf(spec: Document): Omit<IndexDescriptor, 'id'> {
  const fields = fieldsOfKey(field(spec, 'key')?.payload() ?? writeDocument(() => {}))
  const name = field(spec, 'name')
  return {
    name: name === undefined ? '' : stringOf(name),
    fields,
    unique: false,
    state: 'ready',
    multikey: fields.map(() => false),
    inexact: false,
    spec,
    ...optionsOf(spec),
  }
}

/** The indexes with another expiry age; undefined means never. */
export function expiringAfter(ns: Namespace, seconds: number | undefined): IndexDescriptor[] {
  return ns.indexes.map((index) => {
    if (index.name !== timeIndexName || ns.timeSeries === undefined) return index
    const { id, multikey, inexact, state } = index
    const changed = descriptorOf(timeIndexSpec(ns.timeSeries.timeField, seconds))
    return { ...changed, id: id as IndexId, multikey, inexact, state }
  })
}

/** Throws InvalidOptions and CannotCreateIndex for an index that time series do not support. */
export function requireSeriesIndex(series: TimeSeries, spec: IndexSpec): void {
  const { timeField } = series
  const has = (name: string): boolean => field(spec.document, name) !== undefined
  if (spec.isId || spec.name === timeIndexName) {
    throw cannot(spec, 'An index on _id is not supported on time-series collections')
  }
  if (spec.unique || has('prepareUnique')) {
    throw invalid('Unique indexes are not supported on time-series collections')
  }
  for (const { path, hashed } of spec.fields) {
    const isMeta = isOfMeta(series, path)
    if (hashed === true && !isMeta) {
      throw cannot(spec, 'Hashed indexes are only supported on the metaField')
    }
    if (isWildcard(path) && !isMeta) {
      throw cannot(spec, 'Wildcard indexes are only supported on the metaField')
    }
    if (has('sparse') && path !== timeField && !isMeta) {
      throw invalid('Sparse indexes are not supported on time-series measurements')
    }
  }
  if (has('expireAfterSeconds')) requireExpiry(series, spec)
}

function requireExpiry(series: TimeSeries, { document, fields }: IndexSpec): void {
  const filter = field(document, 'partialFilterExpression')
  const isOfMetaOnly = filter?.type === bsonType.object && asksMetaOnly(series, filter)
  if (!isOfMetaOnly) {
    throw invalid(
      'TTL indexes on time-series collections require a partialFilterExpression on the metaField',
    )
  }
  if (fields[0]?.path === series.timeField) return
  throw invalid('TTL indexes on time-series collections are on the timeField')
}

function asksMetaOnly(series: TimeSeries, filter: Value): boolean {
  return [...fieldsOf(filter)].every(([name, value]) => {
    if (!name.startsWith('$')) return isOfMeta(series, name)
    return (
      value.type === bsonType.array &&
      elementsOf(value).every((one) => one.type === bsonType.object && asksMetaOnly(series, one))
    )
  })
}

function isWildcard(path: string): boolean {
  return path === '$**' || path.endsWith('.$**')
}

function isOfMeta({ metaField }: TimeSeries, path: string): boolean {
  return metaField !== undefined && (path === metaField || path.startsWith(`${metaField}.`))
}

/** One operation of an update command. */
interface SeriesUpdate {
  readonly q: Document
  readonly u: Value
  readonly multi: boolean
  readonly upsert: boolean
}

/**
 * Throws InvalidOptions unless it is a multi-update without upsert that uses only the metaField.
 */
export function requireMetaUpdate(series: TimeSeries, { q, u, multi, upsert }: SeriesUpdate): void {
  const { metaField } = series
  const what = 'Cannot perform an update on a time-series collection'
  if (metaField === undefined) throw invalid(`${what} that does not have a metaField`)
  if (!multi) throw invalid('Cannot perform a non-multi update on a time-series collection')
  if (upsert) throw invalid('Cannot perform an upsert on a time-series collection')
  for (const [name, value] of fieldsOf(documentValue(q))) requireMetaQuery(series, name, value)
  if (u.type === bsonType.array) throw invalid(`${what} using a pipeline update`)
  for (const [operator, changes] of fieldsOf(u)) {
    if (!operator.startsWith('$')) throw invalid(`${what} using a replacement document`)
    if (changes.type !== bsonType.object) continue
    for (const [path, value] of fieldsOf(changes)) {
      const to = operator === '$rename' && value.type === bsonType.string ? stringOf(value) : path
      if (isOfMeta(series, path) && isOfMeta(series, to)) continue
      throw invalid(`${what} which updates a field that is not the metaField '${metaField}'`)
    }
  }
}

/**
 * Checks names at the same places as MongoDB: the top level of the query, and that of objects in
 * arrays.
 */
function requireMetaQuery(
  series: TimeSeries,
  name: string,
  value: Value,
  isTop = true,
  isInArray = false,
): void {
  if (name === '$expr' || name === '$where') {
    throw invalid(
      `Cannot use ${name} when performing an update or delete on a time-series collection`,
    )
  }
  if (name === '$jsonSchema') {
    requireMetaSchema(series, value)
    return
  }
  if (isTop && !name.startsWith('$') && !isOfMeta(series, name)) throw otherThanMeta(series)
  const isArray = value.type === bsonType.array
  if (!isArray && value.type !== bsonType.object) return
  const isInnerTop = isInArray && !isArray
  const elements = new Elements(value.bytes, value.start)
  while (elements.next()) {
    requireMetaQuery(series, elements.name(), elements.value(), isInnerTop, isArray)
  }
}

function requireMetaSchema(series: TimeSeries, schema: Value): void {
  if (schema.type !== bsonType.object) return
  const given = new Map(fieldsOf(schema))
  const required = given.get('required')
  const names = required?.type === bsonType.array ? elementsOf(required) : []
  for (const name of names) {
    if (name.type !== bsonType.string || stringOf(name) !== series.metaField) {
      throw otherThanMeta(series)
    }
  }
  const properties = given.get('properties')
  for (const [name] of properties?.type === bsonType.object ? fieldsOf(properties) : []) {
    if (name !== series.metaField) throw otherThanMeta(series)
  }
}

function otherThanMeta({ metaField }: TimeSeries): GatewayError {
  return invalid(
    'Cannot perform an update or delete on a time-series collection when querying on a field ' +
      `that is not the metaField '${metaField}'`,
  )
}

/** The error of a command that time series do not support. */
export function notOfSeries({ db, name }: Pick<Namespace, 'db' | 'name'>): GatewayError {
  return fail('CommandNotSupportedOnView', `Namespace ${db}.${name} is a timeseries collection`)
}

function invalid(text: string): GatewayError {
  return fail('InvalidOptions', text)
}

function cannot(spec: IndexSpec, text: string): GatewayError {
  const key = field(spec.document, 'key')
  const shown = key === undefined ? spec.name : shellText(key)
  return fail(
    'CannotCreateIndex',
    `Invalid index spec for time-series collection: ${shown}. ${text}`,
  )
}
