// Opens the embedded store: a folder that belongs to one process at a time, with one LMDB
// environment in it.
//
// Durability: LMDB's copy-on-write tree survives a power cut only if every commit is flushed, or if
// a recovery point is kept; the cheaper ways damaged it in tests (facts: storage 8). So here every
// group is flushed before its programs are answered, whatever the level: `commit` is what all have.

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  statfsSync,
} from 'node:fs'
import { join } from 'node:path'
import { open, type RootDatabaseOptionsWithPath } from 'lmdb'
import type { Bytes } from '../base/bytes.js'
import type { Clock } from '../base/clock.js'
import { fail, GatewayError } from '../base/errors.js'
import { snapshotsMax } from '../base/limits.js'
import type { Log } from '../base/log.js'
import { copyOf } from '../base/slab.js'
import { EmbeddedStore } from './embedded.js'
import { claimFolder, dropFolder, lockEnvironment } from './folder-lock.js'
import { type Environment, LmdbTables, metaKey } from './lmdb-tables.js'
import type { Store } from './store.js'

export type Durability = 'commit' | 'interval' | 'none'

export interface LmdbOptions {
  /** The folder; made if missing. */
  readonly path: string
  /** The least that is asked for; see the head of this file. */
  readonly durability: Durability
  readonly clock: Clock
  readonly log: Log
}

/** Options of the library that its declarations leave out. */
interface OpenOptions extends RootDatabaseOptionsWithPath {
  readonly permissionsMode: number
  readonly safeRestore: boolean
}

/** Address space, not disk space; the library takes more where the data outgrows it. */
const mapBytes = 64 * 2 ** 30
/** Room for the lock file and the first pages. */
const newStoreBytes = 256 * 1_024
const formatKey = metaKey('format')
const format = 1

/**
 * Opens or makes the store in a folder. Throws OperationFailed, with one clear line, where the
 * folder cannot be used, is in use, or has a format that this version does not know.
 */
export function openLmdbStore(options: LmdbOptions): Store {
  const { path, clock, log, durability } = options
  const folder = makeFolder(path)
  claimFolder(folder)
  try {
    requireRoom(folder)
    const environment = openEnvironment(folder)
    try {
      lockEnvironment(environment, folder)
      requireFormat(environment, folder)
      syncFolder(folder)
      const tables = new LmdbTables(environment, folder, () => dropFolder(folder))
      log.debug({ folder, bytes: tables.sizeBytes(), durability }, 'store opened')
      return new EmbeddedStore(tables, clock)
    } catch (error) {
      void environment.close()
      throw error
    }
  } catch (error) {
    dropFolder(folder)
    throw error instanceof GatewayError ? error : cannotOpen(folder, error)
  }
}

function makeFolder(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return realpathSync(path)
  } catch (error) {
    throw cannotOpen(path, error)
  }
}

/**
 * The library maps its files as it makes them: without room for them the process would be killed.
 */
function requireRoom(folder: string): void {
  if (existsSync(join(folder, 'data.mdb')) && existsSync(join(folder, 'lock.mdb'))) return
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize >= newStoreBytes) return
  throw fail('OutOfDiskSpace', `no space left on the disk of ${folder} to make a store`)
}

/** A new file's name must survive a power cut as its content does. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function openEnvironment(folder: string): Environment {
  const options: OpenOptions = {
    path: folder,
    noSubdir: false,
    mapSize: mapBytes,
    maxDbs: 1,
    maxReaders: 2 * snapshotsMax,
    pageSize: 4_096,
    overlappingSync: true,
    safeRestore: true,
    permissionsMode: 0o600,
    keyEncoder: { writeKey, readKey },
    encoder: { encode: (value: Bytes) => value, decode: ownBytes },
  }
  return open(options)
}

function writeKey(key: Bytes, target: Bytes, start: number): number {
  target.set(key, start)
  return start + key.length
}

function readKey(source: Bytes, start: number, end: number): Bytes {
  const key = new Uint8Array(end - start)
  for (let i = start; i < end; i++) key[i - start] = source[i] as number
  return key
}

let shared: Bytes = new Uint8Array(0)

/** The library reads every value into one buffer of its own, whose `length` it sets by hand. */
function ownBytes(bytes: Bytes): Bytes {
  if (bytes.buffer !== shared.buffer || bytes.byteOffset !== shared.byteOffset) {
    shared = new Uint8Array(bytes.buffer, bytes.byteOffset)
  }
  return copyOf(shared, 0, bytes.length)
}

function requireFormat(environment: Environment, folder: string): void {
  const found = environment.get(formatKey)
  if (found === undefined) {
    for (const _ of environment.getKeys({ start: Uint8Array.of(0), limit: 1 })) {
      throw fail('OperationFailed', `the folder ${folder} holds another program's data`)
    }
    environment.transactionSync(() => environment.putSync(formatKey, Uint8Array.of(format)))
    return
  }
  if (found.length !== 1 || found[0] !== format) {
    const seen = found.length === 1 ? found[0] : 'unknown'
    throw fail(
      'OperationFailed',
      `the store in ${folder} has format ${seen}; this version reads format ${format}`,
    )
  }
}

function cannotOpen(folder: string, cause: unknown): GatewayError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new GatewayError(
    'OperationFailed',
    `cannot open the store in ${folder}: ${reason}`,
    {},
    cause,
  )
}
