// LMDB with nothing of ours around it: what the store's reads
// and durable writes are held against.

import { open, type RootDatabase } from 'lmdb'
import type { Bytes } from '../../src/base/bytes/bytes.js'

export type BareLmdb = RootDatabase<Buffer, Bytes>

/** ABORTABLE and SYNCHRONOUS_COMMIT, as the store's own commits. */
export const synchronousCommit = 1 | 2

export function openBareLmdb(path: string): BareLmdb {
  return open({
    path,
    noSubdir: false,
    mapSize: 64 * 2 ** 30,
    maxDbs: 1,
    overlappingSync: false,
    keyEncoding: 'binary',
    encoding: 'binary',
  })
}

export function fillBareLmdb(
  database: BareLmdb,
  count: number,
  key: (n: number) => Bytes,
  value: (n: number) => Bytes,
): void {
  const step = 50_000
  for (let from = 0; from < count; from += step) {
    database.transactionSync(() => {
      for (let n = from; n < Math.min(count, from + step); n++) {
        database.putSync(key(n), value(n) as Buffer)
      }
    }, synchronousCommit)
  }
}
