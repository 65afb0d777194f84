// The LMDB environment of the embedded store: its options, its two metadata records, and the
// meaning of its errors. Several threads may open a folder. The library shares one environment
// between them, so the options must be the same everywhere.

import { open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb'
import { type Bytes, bufferOf, utf8 } from '../../base/bytes/bytes.js'
import { fail, GatewayError } from '../../base/errors.js'
import { copyOf } from '../../base/heap/slab.js'
import { snapshotsMax, transactionsMax } from '../../base/limits/store.js'
import { keyClass } from '../layout.js'
import { pageBytes } from '../pages/page-format.js'

export type Environment = RootDatabase<Bytes, Bytes>
export type ReadTransaction = ReturnType<Environment['useReadTransaction']>

/** The progress of the tables: the last log group applied, and the highest version. */
export interface Applied {
  readonly group: number
  readonly version: number
}

/** Options that the library's type declarations lack. */
interface OpenOptions extends RootDatabaseOptionsWithPath {
  readonly permissionsMode: number
}

/**
 * ABORTABLE: without it a failed transaction stays visible in part. SYNCHRONOUS_COMMIT: flushed
 * before it is visible; the only mode that survived every power cut. (docs/design/storage.md, "Log,
 * memtable, tables")
 */
const commitFlags = 1 | 2
/** Address space, not disk space; the library extends it if the data outgrows it. */
const mapBytes = 64 * 2 ** 30
const noSpace: readonly unknown[] = [28 /* ENOSPC */, 122 /* EDQUOT */, 27 /* EFBIG */]
/** EIO: LMDB's error for a short write, which full disks and quotas cause. */
const inputOutput = 5
const appliedKey = metaKey('applied')
const appliedBytes = 16

/** Key of a metadata record. */
export function metaKey(name: string): Bytes {
  return Uint8Array.of(keyClass.meta, ...utf8(name))
}

/** Values it returns are raw and the caller's own; StoredView opens their frames. */
export function openEnvironment(
  folder: string,
  { readOnly = false }: { readonly readOnly?: boolean } = {},
): Environment {
  const options: OpenOptions = {
    path: folder,
    noSubdir: false,
    mapSize: mapBytes,
    maxDbs: 1,
    maxReaders: 2 * (snapshotsMax + transactionsMax),
    pageSize: pageBytes,
    overlappingSync: false,
    readOnly,
    permissionsMode: 0o600,
    keyEncoder: { writeKey, readKey },
    encoder: { encode: (value: Bytes) => value, decode: (bytes: Bytes) => ownBytes(bytes) },
  }
  return open(options)
}

/**
 * Runs `body` in a write transaction that is durable on return, or leaves no change. Throws
 * OutOfDiskSpace if there is no space; a retry may then succeed.
 */
export function commitSync(environment: Environment, folder: string, body: () => void): void {
  try {
    environment.transactionSync(body, commitFlags)
  } catch (error) {
    throw explained(error, folder)
  }
}

/** Zeros if nothing was applied yet. */
export function readApplied(environment: Environment): Applied {
  const found = environment.get(appliedKey)
  return found === undefined ? { group: 0, version: 0 } : decodeApplied(found)
}

/** Throws InternalError if the bytes are not a valid record. */
export function decodeApplied(found: Bytes): Applied {
  if (found.length !== appliedBytes) {
    throw fail('InternalError', 'the stored number of the last applied group is damaged')
  }
  const record = bufferOf(found)
  return {
    group: Number(record.readBigUInt64LE(0)),
    version: Number(record.readBigUInt64LE(8)),
  }
}

/** Must run within a write transaction. */
export function writeApplied(environment: Environment, { group, version }: Applied): void {
  const record = Buffer.alloc(appliedBytes)
  record.writeBigUInt64LE(BigInt(group), 0)
  record.writeBigUInt64LE(BigInt(version), 8)
  environment.putSync(appliedKey, record)
}

/** Whether the environment is unusable in this process, for reads too, until it is reopened. */
export function hasPanicked(error: unknown): boolean {
  return error instanceof Error && error.message.includes('MDB_PANIC')
}

function writeKey(key: Bytes, target: Bytes, start: number): number {
  const { length } = key
  // For short keys a loop is faster than a native call.
  if (length > 64) target.set(key, start)
  else for (let i = 0; i < length; i++) target[start + i] = key[i] as number
  return start + length
}

function readKey(source: Bytes, start: number, end: number): Bytes {
  const key = new Uint8Array(end - start)
  for (let i = start; i < end; i++) key[i - start] = source[i] as number
  return key
}

let libraryBytes: Bytes = new Uint8Array(0)
let shared = libraryBytes

/**
 * The library reads every value into one shared buffer and sets its `length` by hand. This is a
 * plain array over the same memory.
 */
export function plainBytes(bytes: Bytes): Bytes {
  if (bytes !== libraryBytes) {
    libraryBytes = bytes
    shared = new Uint8Array(bytes.buffer, bytes.byteOffset)
  }
  return shared
}

function ownBytes(bytes: Bytes): Bytes {
  return copyOf(plainBytes(bytes), 0, bytes.length)
}

/** Translates the error of a failed commit. */
function explained(error: unknown, folder: string): unknown {
  if (error instanceof GatewayError) return error
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (noSpace.includes(code)) {
    return fail('OutOfDiskSpace', `no space left on the disk of ${folder}`)
  }
  if (code === inputOutput) {
    return fail('OutOfDiskSpace', `the disk of ${folder} is full or failing`)
  }
  return error
}
