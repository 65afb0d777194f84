// collMod of a time-series collection: longer buckets, which are listed but have no effect, and the
// expiry age of measurements, which the index on their time holds.

import type { Tx } from '../../../store/store.js'
import { fieldsOf } from '../../../value/elements.js'
import { documentValue } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import type { Namespace } from '../../types.js'
import { saveNamespace } from '../catalog/catalog.js'
import { expiringAfter } from './time-series.js'
import { type Bucketing, rebucketed, seriesDocument } from './time-series-options.js'

/** `seconds` undefined means that measurements never expire. Throws InvalidOptions, 51024. */
export function changeSeries(
  tx: Tx,
  ns: Namespace,
  change: Bucketing,
  seconds: number | undefined | 'kept',
): void {
  if (ns.timeSeries === undefined) return
  const series = seriesDocument(rebucketed(ns.timeSeries, change))
  const options = writeDocument((out) => {
    for (const [name, value] of fieldsOf(documentValue(ns.options))) {
      if (name === 'timeseries') out.document(name, series)
      else if (name !== 'expireAfterSeconds' || seconds === 'kept') out.value(name, value)
    }
    if (typeof seconds === 'number') out.int64('expireAfterSeconds', seconds)
  })
  const indexes = seconds === 'kept' ? ns.indexes : expiringAfter(ns, seconds)
  saveNamespace(tx, { ...ns, options, indexes })
}
