// Records of index entries, up to the bytes of a range: none is read behind the one that reaches
// them, where a read needs no trip, and few where it does.

import { unbounded } from '../steps.js'
import type { Entry, Fetched, KeyRange, Program, ReadTx } from '../store.js'

/** Records that are read at once while their size is not known: 2 MB at most. */
const firstFetched = 8
/** As many times those before, at most: the next ones may be larger. */
const furtherFetched = 16

/** Entries with their records, each read by itself. */
export function fetchEach(
  entries: readonly Entry[],
  { bytesMax = Number.POSITIVE_INFINITY }: KeyRange,
  recordOf: (key: Entry['value']) => Fetched['record'],
): Fetched[] {
  const fetched: Fetched[] = []
  let bytes = 0
  for (const { key, value } of entries) {
    const record = recordOf(value)
    fetched.push({ key, value, record })
    if (record !== undefined) bytes += record.length
    if (bytes >= bytesMax) break
  }
  return fetched
}

/** As ReadTx.scanFetch, by other reads of a transaction. */
export function* fetchScanned(
  tx: Pick<ReadTx, 'scan' | 'getMany'>,
  range: KeyRange,
  limit: number,
): Program<Fetched[]> {
  const entries = yield* tx.scan(unbounded(range), limit)
  const { bytesMax = Number.POSITIVE_INFINITY } = range
  const fetched: Fetched[] = []
  let bytes = 0
  while (fetched.length < entries.length && bytes < bytesMax) {
    const most = fetchedAtOnce(fetched.length, bytes, bytesMax)
    const some = entries.slice(fetched.length, fetched.length + most)
    const records = yield* tx.getMany(some.map(({ value }) => value))
    for (const [i, { key, value }] of some.entries()) {
      const record = records[i]
      fetched.push({ key, value, record })
      if (record !== undefined) bytes += record.length
      if (bytes >= bytesMax) break
    }
  }
  return fetched
}

/** How many records to read next, as so many had so many bytes. */
export function fetchedAtOnce(read: number, bytes: number, bytesMax: number): number {
  if (bytesMax === Number.POSITIVE_INFINITY) return bytesMax
  if (read === 0) return firstFetched
  const likely = Math.ceil(((bytesMax - bytes) * read) / (bytes + 1))
  return Math.max(1, Math.min(likely, read * furtherFetched))
}
