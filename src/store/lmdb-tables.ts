// Tables in one LMDB environment with one database. Its readers see a snapshot a tick; its groups
// are synchronous transactions, flushed to the disk before they are answered.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { RootDatabase } from 'lmdb'
import { type Bytes, utf8 } from '../base/bytes.js'
import { fail } from '../base/errors.js'
import { isVersioned, keyClass } from './layout.js'
import { frameBytes, openFrame, openVersioned, writeFrame } from './record-frame.js'
import type { Entry, KeyRange, Versioned } from './store.js'
import type { GroupView, Snapshot, Tables, View } from './tables.js'

export type Environment = RootDatabase<Bytes, Bytes>
type ReadTransaction = ReturnType<Environment['useReadTransaction']>

/** ABORTABLE: without it a failed group stays visible in part. SYNCHRONOUS_COMMIT: flushed. */
const commitFlags = 1 | 2
const noSpace: readonly unknown[] = [28 /* ENOSPC */, 122 /* EDQUOT */, 27 /* EFBIG */]
/** EIO: what LMDB makes of a write that was cut short, as full disks and quotas may do. */
const inputOutput = 5
/** Versions are reserved in blocks, so that not every group writes a record for them. */
const versionBlock = 2 ** 20
const versionsKey = metaKey('versions')
/** Larger frames are not worth keeping a buffer for. */
const scratchBytesMax = 1_048_576

/** Key of a metadata record. */
export function metaKey(name: string): Bytes {
  return Uint8Array.of(keyClass.meta, ...utf8(name))
}

class LmdbView implements View {
  protected readonly environment: Environment
  private readonly transaction: ReadTransaction | undefined

  constructor(environment: Environment, transaction?: ReadTransaction) {
    this.environment = environment
    this.transaction = transaction
  }

  get(key: Bytes): Bytes | undefined {
    const found = this.stored(key)
    return found === undefined || !isVersioned(key) ? found : openFrame(key, found)
  }

  getVersioned(key: Bytes): Versioned | undefined {
    const found = this.stored(key)
    return found === undefined ? undefined : openVersioned(key, found)
  }

  /** Goes through the whole answer at once, so no cursor outlives the call. */
  scan({ start, end, reverse }: KeyRange, limit: number): Entry[] {
    const entries: Entry[] = []
    if (Buffer.compare(start, end) >= 0) return entries
    const bounds =
      reverse === true
        ? { start: end, end: start, reverse, exclusiveStart: true, inclusiveEnd: true, limit }
        : { start, end, limit }
    const { transaction } = this
    const range = transaction === undefined ? bounds : { ...bounds, transaction }
    for (const { key, value } of this.environment.getRange(range)) {
      entries.push({ key, value: isVersioned(key) ? openFrame(key, value) : value })
    }
    return entries
  }

  private stored(key: Bytes): Bytes | undefined {
    const { transaction } = this
    return transaction === undefined
      ? this.environment.get(key)
      : this.environment.get(key, { transaction })
  }
}

class LmdbSnapshot extends LmdbView implements Snapshot {
  private readonly pinned: ReadTransaction

  constructor(environment: Environment) {
    const pinned = environment.useReadTransaction()
    super(environment, pinned)
    this.pinned = pinned
  }

  release(): void {
    // A read first: the environment must never be without a reader, see folder-lock.ts.
    this.environment.doesExist(versionsKey)
    this.pinned.done()
  }
}

export class LmdbTables extends LmdbView implements Tables, GroupView {
  readonly type = 'LMDB'
  readonly current: View = this
  readonly lastVersion: number
  private readonly folder: string
  private readonly closed: () => void
  private reservedVersion: number
  private usedVersion: number
  private scratch = Buffer.alloc(4_096)

  /** `closed` is called once the environment is. */
  constructor(environment: Environment, folder: string, closed: () => void) {
    super(environment)
    this.folder = folder
    this.closed = closed
    const reserved = this.get(versionsKey)
    this.reservedVersion =
      reserved === undefined ? 0 : Number(Buffer.from(reserved).readBigUInt64LE())
    this.usedVersion = this.reservedVersion
    this.lastVersion = this.reservedVersion
  }

  snapshot(): Snapshot {
    return new LmdbSnapshot(this.environment)
  }

  commit(body: (view: GroupView) => void): void {
    const reservedBefore = this.reservedVersion
    try {
      this.environment.transactionSync(() => {
        body(this)
        this.reserveVersions()
      }, commitFlags)
    } catch (error) {
      this.reservedVersion = reservedBefore
      throw this.explained(error)
    }
  }

  put(key: Bytes, value: Bytes, version: number): void {
    if (!isVersioned(key)) {
      this.environment.putSync(key, value)
      return
    }
    if (version > this.usedVersion) this.usedVersion = version
    const length = frameBytes + value.length
    const frame = this.room(length)
    writeFrame(frame, value, version)
    this.environment.putSync(key, frame.subarray(0, length))
  }

  remove(key: Bytes): void {
    this.environment.removeSync(key)
  }

  sizeBytes(): number {
    return statSync(join(this.folder, 'data.mdb')).size
  }

  async close(): Promise<void> {
    await this.environment.close()
    this.closed()
  }

  /** LMDB copies what it is given before it returns, so one buffer does for every frame. */
  private room(length: number): Buffer {
    if (length > scratchBytesMax) return Buffer.alloc(length)
    if (length > this.scratch.length) this.scratch = Buffer.alloc(2 ** Math.ceil(Math.log2(length)))
    return this.scratch
  }

  private reserveVersions(): void {
    if (this.usedVersion <= this.reservedVersion) return
    this.reservedVersion = this.usedVersion + versionBlock
    const record = Buffer.alloc(8)
    record.writeBigUInt64LE(BigInt(this.reservedVersion))
    this.put(versionsKey, record, 0)
  }

  private explained(error: unknown): unknown {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (noSpace.includes(code)) {
      return fail('OutOfDiskSpace', `no space left on the disk of ${this.folder}`)
    }
    if (code === inputOutput) {
      return fail('OutOfDiskSpace', `the disk of ${this.folder} is full or failing`)
    }
    return error
  }
}
