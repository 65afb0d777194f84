// Inserts into `system.buckets.<name>`, as mongorestore sends them. Each bucket is unpacked, and
// its measurements go into the time-series collection by one program, or several if one is too
// small.

import { fail } from '../../../base/errors.js'
import { writeBatchMax } from '../../../base/limits/documents.js'
import type { Call } from '../../../bus/document/call.js'
import { reply } from '../../../bus/document/reply.js'
import { findNamespace } from '../../../engine/collection/catalog/catalog.js'
import { withId } from '../../../engine/collection/collections.js'
import { unpackBucket } from '../../../engine/collection/kinds/series-buckets.js'
import type { TimeSeries } from '../../../engine/collection/kinds/time-series-options.js'
import { hasMatch } from '../../../engine/modify/upsert.js'
import type { Namespace } from '../../../engine/types.js'
import { compileFilter } from '../../../query/filter.js'
import { readPhase, type Sweep } from '../../../store/sweep.js'
import { field } from '../../../value/elements.js'
import { shellText } from '../../../value/shell.js'
import { bsonType, type Document } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { insertGroup } from './insert-group.js'
import { failuresValue, requireOwn, type WriteFailure, writeFailures } from './write-errors.js'

interface BucketArgs {
  readonly documents: readonly Document[]
  readonly ordered: boolean
}

/** The whole command; `name` is the time-series collection. `n` counts buckets. */
export function* insertBuckets(call: Call<BucketArgs, string>, name: string): Sweep<Document> {
  const ns = yield* readPhase((tx) => findNamespace(tx, call.db, name))
  const series = ns?.timeSeries
  if (ns === undefined || series === undefined) {
    throw fail('InvalidNamespace', `Invalid system namespace: ${call.db}.${call.target}`)
  }
  const { documents, ordered } = call.args
  const failures: WriteFailure[] = []
  let inserted = 0
  for (const [index, bucket] of documents.entries()) {
    try {
      yield* insertBucket(call, ns, series, { bucket, index })
      inserted++
    } catch (thrown) {
      failures.push({ index, error: requireOwn(thrown) })
      if (ordered) break
    }
  }
  const writeErrors = yield* failuresValue(failures)
  return reply((writer) => {
    writer.int32('n', inserted)
    writeFailures(writer, writeErrors)
  })
}

interface Given {
  readonly bucket: Document
  readonly index: number
}

function* insertBucket(
  call: Call<BucketArgs, string>,
  ns: Namespace,
  series: TimeSeries,
  { bucket, index }: Given,
): Sweep<void> {
  const group = unpackBucket(series, bucket).map((measurement, i) => {
    return { index, document: withId(measurement, () => call.objectId(index + i * writeBatchMax)) }
  })
  const [first] = group
  if (first === undefined) return
  yield* refuseStored(call, ns, series, bucket, first.document)
  const target = { db: ns.db, target: ns.name, creation: () => call.creation() }
  const { failures } = yield* insertGroup(target, group, true)
  const [failure] = failures
  if (failure !== undefined) throw failure.error
}

/** A bucket restored before is recognized by its first measurement; MongoDB compares the `_id`. */
function* refuseStored(
  call: Call<BucketArgs, string>,
  ns: Namespace,
  { timeField }: TimeSeries,
  bucket: Document,
  first: Document,
): Sweep<void> {
  const [time, id, bucketId] = [field(first, timeField), field(first, '_id'), field(bucket, '_id')]
  if (time?.type !== bsonType.date || id === undefined || bucketId === undefined) return
  const query = writeDocument((out) => out.value(timeField, time).value('_id', id))
  const filter = compileFilter(query, call.context)
  if (!(yield* readPhase((tx) => hasMatch(tx, ns, { filter, hint: undefined })))) return
  const shown = `{ _id: ${shellText(bucketId)} }`
  const text = `E11000 duplicate key error collection: ${ns.db}.${call.target} dup key: ${shown}`
  const keyPattern = writeDocument((out) => out.int32('_id', 1))
  const keyValue = writeDocument((out) => out.value('_id', bucketId))
  throw fail('DuplicateKey', text, { keyPattern, keyValue })
}
