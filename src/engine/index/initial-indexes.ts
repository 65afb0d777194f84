// The initial indexes of a collection, without ids. There are none if `_id` is the record key,
// which is the default.

import { field } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import type { Document } from '../../value/value.js'
import { cappedOf } from '../collection/kinds/capped-options.js'
import { idIndexOf } from '../collection/kinds/capped-order.js'
import { seriesIndexes } from '../collection/kinds/time-series.js'
import { timeSeriesOf } from '../collection/kinds/time-series-options.js'
import type { IndexDescriptor, IndexId } from '../types.js'
import { collationOf } from './index-options.js'
import { idIndexSpecOf } from './index-spec.js'

/** An index, once it has an id. */
type InitialIndex = (id: IndexId) => IndexDescriptor

export function initialIndexes(options: Document): InitialIndex[] {
  const collation = collationOf(options)
  if (cappedOf(options) !== undefined) {
    return [(id) => idIndexOf(id, idIndexSpecOf(collation))]
  }
  const series = timeSeriesOf(options)
  if (series === undefined) return []
  const seconds = field(options, 'expireAfterSeconds')
  const age = seconds === undefined ? undefined : numberOf(seconds)
  return seriesIndexes(series, age, collation).map((index) => (id) => ({ ...index, id }))
}
