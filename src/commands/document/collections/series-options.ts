// What create and collMod are told of a time-series collection, and which of their other options
// say something that it does not have.

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

/** The same of collMod. */
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

/** The options with those of a time series. Throws InvalidOptions, BadValue, 51024. */
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

/** Throws InvalidOptions for what says something else of the collection than a time series does. */
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

/** What collMod is told of a time series. */
interface SeriesChangeArgs {
  readonly timeseries: Args<typeof seriesChange> | undefined
  /** Seconds, or `off`. */
  readonly expireAfterSeconds: Value | undefined
}

/**
 * Throws InvalidOptions where options are for time series alone, and for those in `refused` where
 * they are for none.
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

/** Other buckets, and another age at which measurements go. */
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
