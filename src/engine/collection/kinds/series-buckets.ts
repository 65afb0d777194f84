// `system.buckets.<name>`: dump and restore tools read and write the buckets of a time-series
// collection under this name. Sigil stores single measurements, so it packs buckets for a read and
// unpacks them for a write. (docs/rights.md, "Names")

import { fail, type GatewayError } from '../../../base/errors.js'
import { bucketMeasurementsMax } from '../../../base/limits/documents.js'
import { type BucketRules, packingStage } from '../../../query/stages/groups/series-buckets.js'
import type { TransformPlan } from '../../../query/stages/stage.js'
import { Elements, field, fieldIn, fieldsOf } from '../../../value/elements.js'
import { numberOf } from '../../../value/numbers.js'
import { bsonType, type Document, type Value } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { spanOf, type TimeSeries } from './time-series-options.js'

const prefix = 'system.buckets.'
/** Bucket version with plain columns; other versions compress them. */
const plainVersion = 1

/** The time-series collection of a bucket name; undefined for other names. */
export function seriesOfBuckets(name: string): string | undefined {
  const isOne = name.startsWith(prefix) && name.length > prefix.length
  return isOne ? name.slice(prefix.length) : undefined
}

/** The stage that shows a collection's measurements as buckets. */
export function bucketsStage(series: TimeSeries): TransformPlan {
  return packingStage(rulesOf(series))
}

function rulesOf(series: TimeSeries): BucketRules {
  const { span, rounding } = spanOf(series)
  const { timeField, metaField } = series
  return { timeField, metaField, spanSeconds: span, roundingSeconds: rounding }
}

/** The measurements of a bucket, in order. Throws BadValue if it is not a valid bucket. */
export function unpackBucket(series: TimeSeries, bucket: Document): Document[] {
  const control = objectIn(bucket, 'control')
  const data = objectIn(bucket, 'data')
  const version = fieldIn(control, 'version')
  if (version?.isNumber !== true) throw noBucket("it has no 'control.version'")
  if (numberOf(version) !== plainVersion) {
    const text = 'compressed buckets are not taken apart here: export the measurements instead'
    throw fail('CommandNotSupported', text)
  }
  const columns = [...fieldsOf(data)].map(([name, column]) => columnOf(name, column))
  const times = columns.find(({ name }) => name === series.timeField)
  if (times === undefined) throw noBucket(`it has no column '${series.timeField}'`)
  const { metaField } = series
  const meta = metaField === undefined ? undefined : field(bucket, 'meta')
  return [...times.values.keys()].map((i) =>
    writeDocument((writer) => {
      for (const { name, values } of columns) {
        const value = values.get(i)
        if (value !== undefined) writer.value(name, value)
        if (name !== series.timeField || metaField === undefined || meta === undefined) continue
        writer.value(metaField, meta)
      }
    }),
  )
}

interface Column {
  readonly name: string
  readonly values: ReadonlyMap<string, Value>
}

function columnOf(name: string, column: Value): Column {
  if (column.type !== bsonType.object) throw noBucket(`its column '${name}' is no object`)
  const values = new Map<string, Value>()
  const elements = new Elements(column.bytes, column.start)
  while (elements.next()) values.set(elements.name(), elements.value())
  if (values.size > bucketMeasurementsMax) {
    throw noBucket(`it has more than ${bucketMeasurementsMax} measurements`)
  }
  return { name, values }
}

function objectIn(bucket: Document, name: string): Value {
  const value = field(bucket, name)
  if (value?.type === bsonType.object) return value
  throw noBucket(`it has no object '${name}'`)
}

function noBucket(why: string): GatewayError {
  return fail('BadValue', `the document is no bucket of a time-series collection: ${why}`)
}
