// Options of a time-series collection in `create` and collMod: the fields of a measurement, and how
// MongoDB would form buckets. Sigil stores single measurements, so bucket options are checked,
// stored and listed, without effect. Source: the reference server's manual and its core tests.

import { fail, type GatewayError } from '../../../base/errors.js'
import { seriesSpanSecondsMax } from '../../../base/limits/documents.js'
import { field } from '../../../value/elements.js'
import { numberOf } from '../../../value/numbers.js'
import { bsonType, type Document, stringOf } from '../../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../../value/writer.js'

export const granularities = ['seconds', 'minutes', 'hours'] as const

type Granularity = (typeof granularities)[number]

/** How MongoDB would form buckets. */
export interface Bucketing {
  readonly granularity?: Granularity | undefined
  readonly bucketMaxSpanSeconds?: number | undefined
  readonly bucketRoundingSeconds?: number | undefined
}

export interface TimeSeries extends Bucketing {
  readonly timeField: string
  readonly metaField?: string | undefined
}

/** For each granularity: the span of a bucket and the rounding of its start, seconds. */
const defaults = {
  seconds: { span: 3_600, rounding: 60 },
  minutes: { span: 86_400, rounding: 3_600 },
  hours: { span: 2_592_000, rounding: 86_400 },
} as const

/** Decodes an options document; undefined if it is not a time-series collection. */
export function timeSeriesOf(options: Document): TimeSeries | undefined {
  const given = field(options, 'timeseries')
  if (given?.type !== bsonType.object) return undefined
  const spec = given.payload()
  const text = (name: string): string | undefined => {
    const value = field(spec, name)
    return value === undefined ? undefined : stringOf(value)
  }
  const seconds = (name: string): number | undefined => {
    const value = field(spec, name)
    return value === undefined ? undefined : numberOf(value)
  }
  return {
    timeField: text('timeField') ?? '',
    metaField: text('metaField'),
    granularity: granularities.find((one) => one === text('granularity')),
    bucketMaxSpanSeconds: seconds('bucketMaxSpanSeconds'),
    bucketRoundingSeconds: seconds('bucketRoundingSeconds'),
  }
}

/** The stored form of the option `timeseries` of create. Throws InvalidOptions, BadValue, 51024. */
export function seriesOption(given: TimeSeries, namespace: string): Document {
  const { timeField, metaField } = given
  requireName(namespace, 'timeField', timeField)
  if (metaField === '_id') throw invalid('\'metaField\' cannot be "_id"')
  if (metaField === timeField) throw invalid("'metaField' cannot be the same as 'timeField'")
  if (metaField !== undefined) requireName(namespace, 'metaField', metaField)
  return seriesDocument({ timeField, metaField, ...bucketingOf(given) })
}

function requireName(namespace: string, option: string, name: string): void {
  if (name === '' || name.startsWith('$') || name.includes('\0')) {
    throw fail('BadValue', `'${option}' must be the name of a field`)
  }
  if (!name.includes('.')) return
  throw invalid(`${namespace}: '${option}' must be a top-level field and not contain a '.'`)
}

export function seriesDocument(series: TimeSeries): Document {
  return writeDocument((out) => writeSeries(out, series))
}

function writeSeries(out: DocumentWriter, series: TimeSeries): void {
  const { timeField, metaField, granularity } = series
  const { bucketMaxSpanSeconds: span, bucketRoundingSeconds: rounding } = series
  out.string('timeField', timeField)
  if (metaField !== undefined) out.string('metaField', metaField)
  if (granularity !== undefined) out.string('granularity', granularity)
  if (span !== undefined) out.int32('bucketMaxSpanSeconds', span)
  if (rounding !== undefined) out.int32('bucketRoundingSeconds', rounding)
}

/** The bucket settings that follow from the options. Throws InvalidOptions, 51024. */
function bucketingOf(given: Bucketing): Bucketing {
  const { granularity, bucketMaxSpanSeconds: span, bucketRoundingSeconds: rounding } = given
  requireSeconds(given)
  if (granularity === undefined && (span ?? rounding) !== undefined) {
    if (span !== rounding) throw unequal()
    return { bucketMaxSpanSeconds: span, bucketRoundingSeconds: rounding }
  }
  const usual = granularity ?? 'seconds'
  if (span !== undefined && span !== defaults[usual].span) {
    throw invalid(
      "Timeseries 'bucketMaxSpanSeconds' is not configurable to a value other than the default " +
        `of ${defaults[usual].span} for the provided granularity`,
    )
  }
  if (rounding !== undefined) throw roundingBesideGranularity()
  return { granularity: usual, bucketMaxSpanSeconds: defaults[usual].span }
}

function requireSeconds(given: Bucketing): void {
  for (const name of ['bucketMaxSpanSeconds', 'bucketRoundingSeconds'] as const) {
    const value = given[name]
    if (value === undefined || (value >= 1 && value <= seriesSpanSecondsMax)) continue
    const bound = value < 1 ? '>= 1' : `<= ${seriesSpanSecondsMax}`
    const text = `BSON field '${name}' value must be ${bound}, actual value '${value}'`
    throw fail('Location51024', text)
  }
}

/**
 * The options with other bucket settings, which may only get longer. Throws InvalidOptions, 51024.
 */
export function rebucketed(series: TimeSeries, change: Bucketing): TimeSeries {
  const { granularity, bucketMaxSpanSeconds: span, bucketRoundingSeconds: rounding } = change
  if (granularity === undefined && span === undefined && rounding === undefined) return series
  requireSeconds(change)
  const wanted = granularity === undefined ? wantedSeconds(change) : wantedDefaults(change)
  if (granularity !== undefined && series.granularity !== undefined) {
    const [from, to] = [series.granularity, granularity].map((one) => granularities.indexOf(one))
    if (from !== undefined && to !== undefined && to < from) {
      throw invalid(
        'Invalid transition for timeseries.granularity. Can only transition from ' +
          "'seconds' to 'minutes' or 'minutes' to 'hours'.",
      )
    }
  }
  const before = spanOf(series)
  if (before.span > wanted.span) throw shorter('bucketMaxSpanSeconds')
  if (before.rounding > wanted.rounding) throw shorter('bucketRoundingSeconds')
  const { timeField, metaField } = series
  const isSame = before.span === wanted.span && before.rounding === wanted.rounding
  if (isSame) return series
  const seconds = { bucketMaxSpanSeconds: wanted.span }
  if (granularity !== undefined) return { timeField, metaField, granularity, ...seconds }
  return { timeField, metaField, ...seconds, bucketRoundingSeconds: wanted.rounding }
}

interface Seconds {
  readonly span: number
  readonly rounding: number
}

export function spanOf({
  granularity,
  bucketMaxSpanSeconds,
  bucketRoundingSeconds,
}: Bucketing): Seconds {
  const { span, rounding } = defaults[granularity ?? 'seconds']
  return { span: bucketMaxSpanSeconds ?? span, rounding: bucketRoundingSeconds ?? rounding }
}

/** Whether they have the same fields and make the same buckets. */
export function isSameSeries(a: TimeSeries, b: TimeSeries): boolean {
  const [one, other] = [spanOf(a), spanOf(b)]
  const isSame = one.span === other.span && one.rounding === other.rounding
  return isSame && a.timeField === b.timeField && a.metaField === b.metaField
}

function wantedSeconds({ bucketMaxSpanSeconds: span, bucketRoundingSeconds: rounding }: Bucketing) {
  if (span === undefined || rounding === undefined) {
    throw invalid(
      "Timeseries 'bucketMaxSpanSeconds' and 'bucketRoundingSeconds' need to be set alongside " +
        'each other',
    )
  }
  if (span !== rounding) throw unequal()
  return { span, rounding }
}

function wantedDefaults({ granularity, bucketMaxSpanSeconds, bucketRoundingSeconds }: Bucketing) {
  const usual = defaults[granularity ?? 'seconds']
  if (bucketMaxSpanSeconds !== undefined && bucketMaxSpanSeconds !== usual.span) {
    throw invalid(
      "Timeseries 'bucketMaxSpanSeconds' is not configurable to a value other than the default " +
        'for the provided granularity',
    )
  }
  if (bucketRoundingSeconds !== undefined) throw roundingBesideGranularity()
  return usual
}

function invalid(text: string): GatewayError {
  return fail('InvalidOptions', text)
}

function unequal(): GatewayError {
  return invalid("Timeseries 'bucketRoundingSeconds' needs to be equal to 'bucketMaxSpanSeconds'")
}

function roundingBesideGranularity(): GatewayError {
  return invalid(
    "Timeseries 'bucketRoundingSeconds' is not configurable alongside the granularity parameter",
  )
}

function shorter(name: string): GatewayError {
  return invalid(`Timeseries '${name}' needs to be equal or greater to transition`)
}
