// The time-series options of create and collMod, and the checks against options that a time-series
// collection does not support.

import { fail } from '../../../base/errors.js'
import { oneOf, optional, string, wholeNumber, wrongType } from '../../../bus/document/params.js'
import type { Args } from '../../../bus/document/schema.js'
import { changeSeries } from '../../../engine/collection/kinds/series-changes.js'
import {
  granularities,
  seriesOption,
} from '../../../engine/collection/kinds/time-series-options.js'
import { expirySeconds } from '../../../engine/index/index-options.js'
import type { Namespace } from '../../../engine/types.js'
import type { Tx } from '../../../store/store.js'
import { Elements, fieldsOf } from '../../../value/elements.js'
import {
  bsonType,
  type Document,
  documentValue,
  numberValue,
  stringOf,
  type Value,
} from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'

const bucketFields = {
  granularity: optional(oneOf(granularities)),
  bucketMaxSpanSeconds: optional(wholeNumber),
  bucketRoundingSeconds: optional(wholeNumber),
} as const

/** The option `timeseries` of create. */
export const seriesFields = { timeField: string, metaField: optional(string), ...bucketFields }

/** The option `timeseries` of collMod. */
export const seriesChange = { ...bucketFields }

interface CreateCall {
  readonly db: string
  readonly target: string
  readonly args: {
    readonly capped: boolean
    readonly timeseries: Args<typeof seriesFields> | undefined
    readonly expireAfterSeconds: number | undefined
  }
  readonly request: { readonly body: Document }
}

/** Adds the time-series options. Throws InvalidOptions, BadValue, 51024. */
export function seriesOptions(options: Document, call: CreateCall): Document {
  const { timeseries, expireAfterSeconds: seconds } = call.args
  if (timeseries === undefined) return options
  const series = seriesOption(timeseries, `${call.db}.${call.target}`)
  return writeDocument((out) => {
    for (const [name, value] of fieldsOf(documentValue(options))) out.value(name, value)
    out.document('timeseries', series)
    if (seconds === undefined) return
    out.int64('expireAfterSeconds', expirySeconds(numberValue(seconds), 'InvalidOptions'))
  })
}

/** Throws InvalidOptions for options that contradict a time series. */
export function requireAlone({ db, target, args, request }: CreateCall): void {
  const elements = new Elements(request.body)
  while (elements.next()) {
    const name = elements.name()
    if (!notBeside.has(name) || (name === 'capped' && !args.capped)) continue
    throw fail('InvalidOptions', `${db}.${target}: 'timeseries' is not allowed with '${name}'`)
  }
}

const notBeside: ReadonlySet<string> = new Set([
  ...['capped', 'size', 'max', 'validator', 'validationLevel', 'validationAction', 'viewOn'],
  ...['pipeline', 'clusteredIndex', 'changeStreamPreAndPostImages', 'idIndex', 'autoIndexId'],
  ...['temp', 'flags', 'encryptedFields'],
])

/** The time-series arguments of collMod. */
interface SeriesChangeArgs {
  readonly timeseries: Args<typeof seriesChange> | undefined
  /** Seconds, or `off`. */
  readonly expireAfterSeconds: Value | undefined
}

/**
 * Throws InvalidOptions for time-series options on another collection, and for options in `refused`
 * on a time series.
 */
export function requireSeriesChange(
  ns: Namespace,
  { timeseries, expireAfterSeconds }: SeriesChangeArgs,
  refused: readonly string[],
): void {
  const what = 'supported on a time-series collection'
  const [wrong] = refused
  if (ns.timeSeries !== undefined) {
    if (wrong !== undefined) throw fail('InvalidOptions', `option not ${what}: ${wrong}`)
    return
  }
  if (timeseries !== undefined) throw fail('InvalidOptions', `option only ${what}: timeseries`)
  if (expireAfterSeconds === undefined) return
  const text = "'expireAfterSeconds' option is only supported on collections clustered by _id"
  throw fail('InvalidOptions', text)
}

/** Changes the buckets, and the age at which measurements expire. */
export function changeSeriesBy(
  tx: Tx,
  ns: Namespace,
  { timeseries, expireAfterSeconds: given }: SeriesChangeArgs,
): void {
  if (given !== undefined && !given.isNumber && given.type !== bsonType.string) {
    throw wrongType('collMod.expireAfterSeconds', given, "types '[string, long']")
  }
  const isOff = given?.type === bsonType.string && stringOf(given) === 'off'
  const seconds = given === undefined || isOff ? undefined : expirySeconds(given, 'InvalidOptions')
  changeSeries(tx, ns, timeseries ?? {}, given === undefined ? 'kept' : seconds)
}
