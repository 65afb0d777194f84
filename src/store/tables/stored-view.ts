// Reads the tables: one committed state in each tick, or a pinned one. Every read that the
// memtables cannot answer comes here, so only the caller's copy is made.

import type { Bytes } from '../../base/bytes/bytes.js'
import { assert, fail } from '../../base/errors.js'
import { copyOf } from '../../base/heap/slab.js'
import { isVersioned, keyClass } from '../layout.js'
import type { DamagedPages } from '../pages/page-damage.js'
import type { Entry, KeyRange, Peek, Versioned } from '../store.js'
import {
  type Environment,
  hasPanicked,
  plainBytes,
  type ReadTransaction,
} from './lmdb-environment.js'
import { frameBytes, frameVersion, openFrame, requireFrame } from './record-frame.js'
import { reusableBytes } from './tables-room.js'

interface FoundEntry {
  key: Bytes
  value: Bytes
}

type FoundEntries = Iterator<FoundEntry, unknown>

/** Members that the library's type declarations lack. */
interface FastReads {
  readonly lastSize: number
  getBinaryFast(key: Bytes, options?: { readonly transaction: ReadTransaction }): Bytes | undefined
}

const anyKey = Uint8Array.of(keyClass.meta)
const noEntries: FoundEntries = { next: () => ({ done: true, value: undefined }) }

/**
 * A state of the tables. The caller owns the returned values and keys. Every frame is verified: a
 * damaged one throws an InternalError that names its class and key.
 */
class TablesView {
  protected environment: Environment
  protected damaged: DamagedPages | undefined
  private readonly options: { readonly transaction: ReadTransaction } | undefined

  constructor(environment: Environment, transaction?: ReadTransaction) {
    this.environment = environment
    this.options = transaction === undefined ? undefined : { transaction }
  }

  get(key: Bytes): Bytes | undefined {
    const found = this.find(key)
    if (found === undefined) return undefined
    const length = fast(this.environment).lastSize
    const bytes = plainBytes(found)
    if (!isVersioned(key)) return copyOf(bytes, 0, length)
    requireFrame(key, bytes, length)
    return copyOf(bytes, frameBytes, length)
  }

  /** Like get, but reads the value in place. */
  peek<T>(key: Bytes, peek: Peek<T>): T | undefined {
    const found = this.find(key)
    if (found === undefined) return undefined
    const length = fast(this.environment).lastSize
    const bytes = plainBytes(found)
    if (!isVersioned(key)) return peek(bytes, 0, length)
    requireFrame(key, bytes, length)
    return peek(bytes, frameBytes, length)
  }

  /** Only for the versioned classes. */
  getVersioned(key: Bytes): Versioned | undefined {
    const found = this.find(key)
    if (found === undefined) return undefined
    const length = fast(this.environment).lastSize
    const bytes = plainBytes(found)
    requireFrame(key, bytes, length)
    return { value: copyOf(bytes, frameBytes, length), version: frameVersion(bytes) }
  }

  /** Only for the versioned classes; verified like a read, but not copied. */
  versionOf(key: Bytes): number | undefined {
    const found = this.find(key)
    if (found === undefined) return undefined
    const length = fast(this.environment).lastSize
    const bytes = plainBytes(found)
    requireFrame(key, bytes, length)
    return frameVersion(bytes)
  }

  /** Returns at most `limit` entries, in one step. */
  scan(range: KeyRange, limit: number): Entry[] {
    const { bytesMax = Number.POSITIVE_INFINITY } = range
    const entries: Entry[] = []
    const found = this.range(range, limit)
    let bytes = 0
    for (let next = found.next(); next.done !== true; next = found.next()) {
      const entry = next.value as FoundEntry
      entry.value = opened(entry)
      entries.push(entry)
      bytes += entry.value.length
      if (bytes < bytesMax) continue
      found.return?.()
      break
    }
    return entries
  }

  /** A cursor over a range; the caller must close it in the same synchronous stretch. */
  cursor(range: KeyRange): StoredCursor {
    return new StoredCursor(this.range(range))
  }

  /** Iterates lazily. To stop early, call `return`, as `for of` does. */
  *entries(range: KeyRange): Generator<Entry, void> {
    const cursor = this.cursor(range)
    try {
      for (let { key } = cursor; key !== undefined; key = cursor.key) {
        yield { key, value: cursor.value() }
        cursor.advance()
      }
    } finally {
      cursor.close()
    }
  }

  /** Makes reads of these pages fail, so that the library never touches them. */
  refuse(damaged: DamagedPages): void {
    this.damaged = damaged
  }

  /** Returns the value in the library's memory. */
  protected find(key: Bytes): Bytes | undefined {
    this.damaged?.requireKey(key)
    return fast(this.environment).getBinaryFast(key, this.options)
  }

  private range({ start, end, reverse }: KeyRange, limit?: number): FoundEntries {
    if (Buffer.compare(start, end) >= 0) return noEntries
    this.damaged?.requireRange({ start, end })
    const isBackward = reverse === true
    const found = this.environment.getRange({
      start: isBackward ? end : start,
      end: isBackward ? start : end,
      reverse: isBackward,
      exclusiveStart: isBackward,
      inclusiveEnd: isBackward,
      limit: limit ?? Number.POSITIVE_INFINITY,
      ...this.options,
    })
    return found[Symbol.iterator]() as FoundEntries
  }
}

/** Reopens the environment after a failure; see checkpointer.ts. */
type Reopen = (failed: Environment) => Environment

/** The newest committed state, constant within one synchronous stretch of work. */
export class StoredView extends TablesView {
  private readonly pins = new Set<PinnedView>()
  private readonly reopen: Reopen | undefined

  /** Without `reopen`, every read of a failed environment throws. */
  constructor(environment: Environment, reopen?: Reopen) {
    super(environment)
    this.reopen = reopen
  }

  override scan(range: KeyRange, limit: number): Entry[] {
    this.requireReadable()
    return super.scan(range, limit)
  }

  override cursor(range: KeyRange): StoredCursor {
    this.requireReadable()
    return super.cursor(range)
  }

  /** Bytes of the tables' file that hold nothing, for later commits. */
  reusableBytes(folder: string): number {
    return reusableBytes(this.environment, folder)
  }

  /** Pins this state until the returned view is released. */
  pin(): PinnedView {
    this.requireReadable()
    const pinned = new PinnedView(this.environment, () => this.pins.delete(pinned))
    if (this.damaged !== undefined) pinned.refuse(this.damaged)
    this.pins.add(pinned)
    return pinned
  }

  override refuse(damaged: DamagedPages): void {
    super.refuse(damaged)
    for (const pinned of this.pins) pinned.refuse(damaged)
  }

  /** Makes the next read see the newest commit. Not within a stretch that relies on one state. */
  renew(): void {
    this.environment.resetReadTxn()
  }

  close(): Promise<void> {
    return this.environment.close()
  }

  protected override find(key: Bytes): Bytes | undefined {
    try {
      return super.find(key)
    } catch (error) {
      this.recover(error)
      return super.find(key)
    }
  }

  /** A scan of a failed environment would return nothing; a get throws. */
  private requireReadable(): void {
    this.find(anyKey)
  }

  /**
   * A failed write of the first pages ends an environment in every thread, for readers too. Reads
   * continue in a new environment; pinned states of the old one are lost.
   */
  private recover(error: unknown): void {
    if (this.reopen === undefined || !hasPanicked(error)) throw error
    for (const pinned of this.pins) pinned.lose()
    this.pins.clear()
    this.environment = this.reopen(this.environment)
  }
}

/** A state kept across ticks. Until its release, LMDB cannot reuse pages freed since. */
export class PinnedView extends TablesView {
  private pinned: ReadTransaction | undefined
  private readonly released: () => void

  constructor(environment: Environment, released: () => void) {
    const transaction = environment.useReadTransaction()
    super(environment, transaction)
    this.pinned = transaction
    this.released = released
  }

  override scan(range: KeyRange, limit: number): Entry[] {
    this.requirePinned()
    return super.scan(range, limit)
  }

  override cursor(range: KeyRange): StoredCursor {
    this.requirePinned()
    return super.cursor(range)
  }

  release(): void {
    if (this.pinned === undefined) return
    // Read first: the environment must always have a reader (folder-lock.ts).
    if (this.damaged === undefined) this.environment.doesExist(anyKey)
    this.lose()
    this.released()
  }

  /** Releases the state; later reads of it fail. */
  lose(): void {
    this.pinned?.done()
    this.pinned = undefined
  }

  protected override find(key: Bytes): Bytes | undefined {
    this.requirePinned()
    return super.find(key)
  }

  private requirePinned(): void {
    if (this.pinned === undefined) throw fail('SnapshotTooOld', 'the snapshot was lost')
  }
}

/** A cursor over a range of the tables. */
class StoredCursor {
  private readonly found: FoundEntries
  private entry: FoundEntry | undefined

  constructor(found: FoundEntries) {
    this.found = found
    this.advance()
  }

  /** Undefined at the end. */
  get key(): Bytes | undefined {
    return this.entry?.key
  }

  /** The value of the current entry. */
  value(): Bytes {
    assert(this.entry !== undefined, 'a cursor at its end has no value')
    return opened(this.entry)
  }

  advance(): void {
    const next = this.found.next()
    this.entry = next.done === true ? undefined : (next.value as FoundEntry)
  }

  close(): void {
    this.entry = undefined
    this.found.return?.()
  }
}

function opened({ key, value }: FoundEntry): Bytes {
  return isVersioned(key) ? openFrame(key, value) : value
}

function fast(environment: Environment): FastReads {
  return environment as unknown as FastReads
}
