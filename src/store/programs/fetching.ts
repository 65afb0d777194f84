// Records of keys, and of index entries, up to so many bytes: none is read behind the one that
// reaches them, where a read needs no trip, and few where it does.

import type { Bytes } from '../../base/bytes/bytes.js'
import { unbounded } from '../steps.js'
import type { Entry, Fetched, KeyRange, Program, ReadTx } from '../store.js'

type Record = Fetched['record']

/** Records that are read at once while their size is not known: 2 MB at most. */
const firstFetched = 8
/** As many times those before, at most: the next ones may be larger. */
const furtherFetched = 16

/** As ReadTx.getMany, by a function that reads one record. */
export function getEach(
  keys: readonly Bytes[],
  bytesMax: number,
  recordOf: (key: Bytes) => Record,
): Record[] {
  const records: Record[] = []
  let bytes = 0
  for (const key of keys) {
    const record = recordOf(key)
    records.push(record)
    if (record !== undefined) bytes += record.length
    if (bytes >= bytesMax) break
  }
  return records
}

/** As getEach, with versions. */
export function getEachVersioned<P extends { readonly value?: Record }>(
  keys: readonly Bytes[],
  bytesMax: number,
  pointOf: (key: Bytes) => P | undefined,
): (P | undefined)[] {
  const points: (P | undefined)[] = []
  let bytes = 0
  for (const key of keys) {
    const point = pointOf(key)
    points.push(point)
    bytes += point?.value?.length ?? 0
    if (bytes >= bytesMax) break
  }
  return points
}

/** As ReadTx.getMany, by reads of all records of some keys. */
export function* getInSteps(
  keys: readonly Bytes[],
  bytesMax: number,
  getAll: (keys: readonly Bytes[]) => Program<Record[]>,
): Program<Record[]> {
  const records: Record[] = []
  let bytes = 0
  while (records.length < keys.length && bytes < bytesMax) {
    const most = fetchedAtOnce(records.length, bytes, bytesMax)
    for (const record of yield* getAll(keys.slice(records.length, records.length + most))) {
      records.push(record)
      if (record !== undefined) bytes += record.length
      if (bytes >= bytesMax) break
    }
  }
  return records
}

/** Entries with their records, each read by itself. */
export function fetchEach(
  entries: readonly Entry[],
  { bytesMax = Number.POSITIVE_INFINITY }: KeyRange,
  recordOf: (key: Bytes) => Record,
): Fetched[] {
  return withRecords(entries, getEach(recordKeysOf(entries), bytesMax, recordOf))
}

/** As ReadTx.scanFetch, by other reads of a transaction. */
export function* fetchScanned(
  tx: Pick<ReadTx, 'scan' | 'getMany'>,
  range: KeyRange,
  limit: number,
): Program<Fetched[]> {
  const entries = yield* tx.scan(unbounded(range), limit)
  return withRecords(entries, yield* tx.getMany(recordKeysOf(entries), range.bytesMax))
}

function recordKeysOf(entries: readonly Entry[]): Bytes[] {
  return entries.map(({ value }) => value)
}

function withRecords(entries: readonly Entry[], records: readonly Record[]): Fetched[] {
  return records.map((record, i) => {
    const { key, value } = entries[i] as Entry
    return { key, value, record }
  })
}

/** How many records to read next, as so many had so many bytes. */
export function fetchedAtOnce(read: number, bytes: number, bytesMax: number): number {
  if (bytesMax === Number.POSITIVE_INFINITY) return bytesMax
  if (read === 0) return firstFetched
  const likely = Math.ceil(((bytesMax - bytes) * read) / (bytes + 1))
  return Math.max(1, Math.min(likely, read * furtherFetched))
}
