// Tables of a test's own, as a checkpointer would leave them, and backups of them without a store.

import { mkdirSync } from 'node:fs'
import type { Test } from 'tap'
import { type Bytes, concatBytes } from '../../src/base/bytes/bytes.js'
import { systemClock } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { Backups } from '../../src/store/backup/backup.js'
import { folderBackups } from '../../src/store/backup/folder-backups.js'
import { idKey, isVersioned, keyClass } from '../../src/store/layout.js'
import type { Backup, BackupOptions } from '../../src/store/store.js'
import {
  commitSync,
  type Environment,
  openEnvironment,
  writeApplied,
} from '../../src/store/tables/lmdb-environment.js'
import { prepareFormat } from '../../src/store/tables/lmdb-format.js'
import { frameBytes, writeFrame } from '../../src/store/tables/record-frame.js'
import { seededRandom } from './seeded-random.js'

export interface Pair {
  readonly key: Bytes
  readonly value: Bytes
}

export const applied = { group: 17, version: 1_000_000 }
export const backupOptions: BackupOptions = { sigil: '1.2.3', bytesPerSecond: 1e12 }

/** As it lies in the tables. */
export function stored(key: Bytes, value: Bytes, version = 1): Pair {
  if (!isVersioned(key)) return { key, value }
  const framed = new Uint8Array(frameBytes + value.length)
  writeFrame(framed, value, version)
  return { key, value: framed }
}

/** Pairs of several classes in key order; the same for the same seed. */
export function somePairs(count: number, valueBytesMax: number, seed = 1): Pair[] {
  const next = seededRandom(seed)
  const pairs: Pair[] = []
  const kinds = [keyClass.catalog, keyClass.record, keyClass.entry, keyClass.garbage]
  for (const kind of kinds) {
    for (let number = 0; number < count / kinds.length; number++) {
      const value = new Uint8Array(Math.floor(next() * valueBytesMax))
      for (let i = 0; i < value.length; i++) value[i] = Math.floor(next() * 256)
      const tail = Uint8Array.of(number >>> 16, number >>> 8, number)
      pairs.push(stored(idKey(kind, 5, tail), value, number))
    }
  }
  return pairs
}

/** Tables with these pairs; they end with the test. */
export function makeTables(t: Test, folder: string, pairs: readonly Pair[]): Environment {
  mkdirSync(folder, { recursive: true })
  const environment = openEnvironment(folder)
  t.teardown(() => environment.close())
  prepareFormat(environment, folder)
  putPairs(environment, folder, pairs)
  return environment
}

export function putPairs(environment: Environment, folder: string, pairs: readonly Pair[]): void {
  commitSync(environment, folder, () => {
    for (const { key, value } of pairs) environment.putSync(key, value)
    writeApplied(environment, applied)
  })
}

/** All that backups may see of tables that no store is over. */
export function backupsOf(t: Test, folder: string) {
  const backups = new Backups({ worker: folderBackups(folder), clock: systemClock, log: silentLog })
  t.teardown(() => backups.close())
  let resting = 0
  const source = {
    atRest: async (body: () => Promise<void>) => {
      resting++
      await body()
      resting--
    },
  }
  return {
    backups,
    resting: () => resting,
    start: (options: Partial<BackupOptions> = {}): Promise<Backup> =>
      backups.start(source, { ...backupOptions, ...options }),
  }
}

/** The whole file. */
export async function fileOf(backup: AsyncIterable<Bytes>): Promise<Bytes> {
  const sections: Bytes[] = []
  for await (const section of backup) sections.push(section)
  return concatBytes(...sections)
}

export async function* piecesOf(file: Bytes, pieceBytes = 100_000): AsyncGenerator<Bytes> {
  for (let at = 0; at < file.length; at += pieceBytes) yield file.subarray(at, at + pieceBytes)
}
