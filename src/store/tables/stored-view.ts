// Reading the tables: one committed state a tick, or a pinned one. This is below every read that
// the memtables cannot answer, so it makes no copy more than the caller's own.

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

interface FoundEntry {
  key: Bytes
  value: Bytes
}

type FoundEntries = Iterator<FoundEntry, unknown>

/** What the library's declarations leave out. */
interface FastReads {
  readonly lastSize: number
  getBinaryFast(key: Bytes, options?: { readonly transaction: ReadTransaction }): Bytes | undefined
}

const anyKey = Uint8Array.of(keyClass.meta)
const noEntries: FoundEntries = { next: () => ({ done: true, value: undefined }) }

/**
 * A state of the tables. Values and keys that it answers are the caller's own. Every frame is
 * verified: a damaged one is an InternalError that names its class and key.
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

  /** As get, of the value where it lies. */
  peek<T>(key: Bytes, peek: Peek<T>): T | undefined {
    const found = this.find(key)
    if (found === undefined) return undefined
    const length = fast(this.environment).lastSize
    const bytes = plainBytes(found)
    if (!isVersioned(key)) return peek(bytes, 0, length)
    requireFrame(key, bytes, length)
    return peek(bytes, frameBytes, length)
  }

  /** For the versioned classes only. */
  getVersioned(key: Bytes): Versioned | undefined {
    const found = this.find(key)
    if (found === undefined) return undefined
    const length = fast(this.environment).lastSize
    const bytes = plainBytes(found)
    requireFrame(key, bytes, length)
    return { value: copyOf(bytes, frameBytes, length), version: frameVersion(bytes) }
  }

  /** At most `limit` entries, at once. */
  scan(range: KeyRange, limit: number): Entry[] {
    const entries: Entry[] = []
    const found = this.range(range, limit)
    for (let next = found.next(); next.done !== true; next = found.next()) {
      const entry = next.value as FoundEntry
      entry.value = opened(entry)
      entries.push(entry)
    }
    return entries
  }

  /** A place in a range; to be closed, in the same synchronous stretch. */
  cursor(range: KeyRange): StoredCursor {
    return new StoredCursor(this.range(range))
  }

  /** Lazily. Who leaves before the end must do it by `return`, as `for of` does. */
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

  /** What may lie on these pages is an error from now on: the library must not get to them. */
  refuse(damaged: DamagedPages): void {
    this.damaged = damaged
  }

  /** In memory of the library's own. */
  protected find(key: Bytes): Bytes | undefined {
    this.damaged?.requireKey(key)
    return fast(this.environment).getBinaryFast(key, this.options)
  }

  private range({ start, end, reverse }: KeyRange, limit?: number): FoundEntries {
    if (Buffer.compare(start, end) >= 0) return noEntries
    this.damaged?.requireRange({ start, end })
    const bounds =
      reverse === true
        ? { start: end, end: start, reverse, exclusiveStart: true, inclusiveEnd: true }
        : { start, end }
    const found = this.environment.getRange({
      ...bounds,
      ...this.options,
      ...(limit === undefined ? {} : { limit }),
    })
    return found[Symbol.iterator]() as FoundEntries
  }
}

/** Opens the environment anew after it has failed; see checkpointer.ts. */
type Reopen = (failed: Environment) => Environment

/** The newest committed state, constant within one synchronous stretch of work. */
export class StoredView extends TablesView {
  private readonly pins = new Set<PinnedView>()
  private readonly reopen: Reopen | undefined

  /** Without `reopen` a failed environment is an error of every read. */
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

  /** This state, for as long as the answer is not released. */
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

  /** The next read sees the newest commit. Not within a stretch that counts on one state. */
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

  /** A scan of a failed environment would end at once, as if nothing was there; a get throws. */
  private requireReadable(): void {
    this.find(anyKey)
  }

  /**
   * A failed write of its first pages ends an environment in every thread, for readers too. They go
   * on in a new one; what was pinned in the old one is lost.
   */
  private recover(error: unknown): void {
    if (this.reopen === undefined || !hasPanicked(error)) throw error
    for (const pinned of this.pins) pinned.lose()
    this.pins.clear()
    this.environment = this.reopen(this.environment)
  }
}

/** A state kept across ticks; while it is, LMDB cannot use again what was freed since. */
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
    // A read first: the environment must never be without a reader, see folder-lock.ts.
    if (this.damaged === undefined) this.environment.doesExist(anyKey)
    this.lose()
    this.released()
  }

  /** Lets the state go; its readers are told that it is gone. */
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

/** Going through a range of the tables. */
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

  /** Of the entry that it stands on. */
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
