// The store interface: an ordered map of bytes to bytes with atomic programs. A program is a
// generator; on an embedded store its steps are already done, on a remote one they are asked in
// batches, and a write program is run again on a conflict. So it must wait for nothing else and
// leave no trace until it has committed. (docs/design/transactions.md, "Programs")

import type { Bytes } from '../base/bytes/bytes.js'
import type { Account } from '../base/work/accounts.js'
import type { Scheduler } from '../base/work/scheduler.js'

/** Keys from `start` (included) to `end` (excluded), in byte order or, `reverse`, against it. */
export interface KeyRange {
  readonly start: Bytes
  readonly end: Bytes
  readonly reverse?: boolean
}

export interface Entry {
  readonly key: Bytes
  readonly value: Bytes
}

/** A value and its version: growing with every put of the key, and never given out twice. */
export interface Versioned {
  readonly value: Bytes
  readonly version: number
}

/** What a paused program asks its store for; plain data. */
export type Ask =
  | { readonly kind: 'get'; readonly key: Bytes }
  | { readonly kind: 'getMany'; readonly keys: readonly Bytes[] }
  | { readonly kind: 'scan'; readonly range: KeyRange; readonly limit: number }
  | { readonly kind: 'scanFetch'; readonly range: KeyRange; readonly limit: number }
  | { readonly kind: 'pause' }
  | { readonly kind: 'elsewhere'; readonly begin: Elsewhere['begin'] }

/** Work that a read program has done away from its thread, such as one heavy document. */
export interface Elsewhere {
  /** Why it cannot be done here: thrown where a program must not wait. */
  readonly refusal: unknown
  /** `owner`: whose it is, for its turn. */
  begin(owner: string): Begun
}

interface Begun {
  readonly done: Promise<void>
  /** Ends it: `done` rejects, if it is not over. */
  end(): void
}

export type Program<T> = Generator<Ask, T, unknown>

/** The result of `yield* step`; finished already on an embedded store. */
export interface Step<T> {
  [Symbol.iterator](): Iterator<Ask, T, unknown>
}

export interface ReadTx {
  /** The bytes are the program's own: they may be kept, and changed. */
  get(key: Bytes): Step<Bytes | undefined>
  /** As get, with the version of the record; for the versioned classes of `layout.ts` only. */
  getVersioned(key: Bytes): Step<Versioned | undefined>
  getMany(keys: readonly Bytes[]): Step<(Bytes | undefined)[]>
  /** At most `limit` entries (1 to scanEntriesMax), the state at the program's start. */
  scan(range: KeyRange, limit: number): Step<Entry[]>
  /** As scan, over entries whose value is a whole record key: each answered with that record. */
  scanFetch(range: KeyRange, limit: number): Step<Fetched[]>
  /** Counters of `add`: documents and bytes; zeros where nothing was added. */
  count(key: Bytes): Step<Count>
  /**
   * Spends `units` of the work budget, and pauses where the turn is over: the place to pause for a
   * program that computes long without reading. A write program never pauses.
   */
  pause(units?: number): Step<void>
  /** Waits until the work is done; a write program throws its refusal. */
  elsewhere(work: Elsewhere): Step<void>
}

/** An index entry with the record it points at; undefined where the record is gone. */
export interface Fetched extends Entry {
  readonly record: Bytes | undefined
}

export interface Count {
  readonly documents: number
  readonly bytes: number
}

/** Reads bytes in place, from `start` to `end`; it must not keep them. */
export type Peek<T> = (bytes: Bytes, start: number, end: number) => T

/** Reading without a step and without a copy, where the store is in this process. */
export interface Peeker {
  /**
   * Of the value that `get` would answer; undefined where there is none. The key must not be
   * changed any more.
   */
  peek<T>(key: Bytes, peek: Peek<T>): T | undefined
}

/** A put in the making: the key's bytes belong at `keyAt` of `bytes`, the value's at `valueAt`. */
export interface InPlaceWrite {
  readonly bytes: Bytes
  readonly keyAt: number
  readonly valueAt: number
}

/**
 * Changes that are written where they will lie, one after the other: `begin`, then the key,
 * `peekUnder`, then the value, and `keep`, or `drop`. A write without these was never there.
 * Records and members only.
 */
export interface InPlace {
  /**
   * Memory with anything in it, good until the next call but `peekUnder` and `seek`. Key and value
   * are well below a megabyte.
   */
  begin(keyBytes: number, valueBytes: number): InPlaceWrite
  /** Of the value that lies under the write's key; undefined where there is none. */
  peekUnder<T>(peek: Peek<T>): T | undefined
  /** Stands for peekUnder where it is all the same what lies there: that may be far away. */
  seek(): void
  /**
   * Makes the write a put of this program, under the key that was looked up; with so many bytes of
   * its value, if those are fewer.
   */
  keep(valueBytes?: number): void
  /** Makes it a removal of that key. */
  drop(): void
}

export interface Tx extends ReadTx {
  /** Undefined where values are further away than a call. */
  readonly peeker?: Peeker | undefined
  /** Undefined there, and where all changes are noted by their keys. */
  readonly inPlace?: InPlace | undefined
  /**
   * Of a store that makes a program's changes later than the program ends: `told` is called right
   * before that, with nothing in between, and what it throws ends the program without a change.
   * Undefined where a program that ends changes what it does there and then.
   */
  readonly whenApplied?: ((told: () => void) => void) | undefined
  /** As scan, merged with this program's own writes: for unique probes and key-value structures. */
  scanOwn(range: KeyRange, limit: number): Step<Entry[]>
  /**
   * Buffered until the program returns; throws at once what is the program's fault (size, bounds).
   * The store keeps the arrays until then: they must not be changed.
   */
  put(key: Bytes, value: Bytes): void
  remove(key: Bytes): void
  /** Adds to a counter without reading it; commutes with other programs' additions. */
  add(key: Bytes, documents: number, bytes: number): void
  /** What this program has added to a counter so far. */
  added(key: Bytes): Count
}

export type Awaitable<T> = T | Promise<T>

/** A put; without a value, a removal. */
export interface KeyChange {
  readonly key: Bytes
  readonly value: Bytes | undefined
}

/** Changes of one atomic write that are too many for a program: they were prepared before. */
export interface LargeChanges {
  /** Each key once; none that the program itself changes. */
  readonly changes: readonly KeyChange[]
  /** Told of each of them behind the commit, before the next write program runs. */
  readonly told?: (change: KeyChange) => void
}

export interface ReadOptions {
  /** Keeps one snapshot across pauses, within the bounds of its age; else a pause lets it go. */
  readonly snapshot?: boolean
  /** Looked at in every pause; a throw ends the program with that error. */
  readonly onPause?: () => void
  /** Whose work it is: programs of one owner wait for each other; the server's own unless given. */
  readonly account?: Account | undefined
}

export interface StoreStats {
  readonly type: 'InMemory' | 'LMDB' | 'PostgreSQL'
  /** Bytes that the data takes where it is kept. */
  readonly sizeBytes: number
  /** Set while writes are refused: why. */
  readonly refusing?: string
  /** Of a store in this process. */
  readonly groups?: GroupStats
  /** Of a store that writes a log. */
  readonly log?: LogStats
  /** Of the backup under way. */
  readonly backup?: BackupStats
}

/** Write groups since the start; a mean group is `programs / groups`. */
export interface GroupStats {
  readonly groups: number
  readonly programs: number
  /** Programs that wait for a group at the moment. */
  readonly queued: number
}

interface LogStats {
  /** Changes not yet in the tables: their memory, and the age of the oldest, milliseconds. */
  readonly memtableBytes: number
  readonly memtableEntries: number
  readonly checkpointLagMs: number
  readonly checkpoints: number
  readonly lastCheckpointMs: number
  readonly syncs: number
  readonly lastSyncMs: number
  readonly maxSyncMs: number
  /** Bytes of the log's files. */
  readonly logBytes: number
  /** How often all pages of the tables were verified since the start. */
  readonly scrubs: number
}

export interface BackupStats {
  /** In all, and sent until now. */
  readonly pairs: number
  readonly donePairs: number
  readonly doneBytes: number
  readonly elapsedMs: number
}

export interface BackupOptions {
  /** Version of Sigil, for the file. */
  readonly sigil: string
  readonly bytesPerSecond: number
  /** Beginnings of keys that are not for the file. */
  readonly without?: readonly Bytes[]
  /** Ends the backup, whatever it is doing. */
  readonly signal?: AbortSignal
}

/**
 * A backup under way: the bytes of its file, made as they are taken. Iterating throws
 * ChecksumMismatch where stored data is damaged, and Interrupted once it was ended. A caller that
 * does not iterate to the end, or leave the iteration, has to call `end`.
 */
export interface Backup extends AsyncIterable<Bytes> {
  readonly pairs: number
  end(): Promise<void>
}

export interface Store {
  /**
   * Runs once, on one snapshot a tick; pauses when its work budget is used up. Sync when it can.
   */
  read<T>(program: (tx: ReadTx) => Program<T>, options?: ReadOptions): Awaitable<T>
  /**
   * Runs to its end without a pause, perhaps more than once; resolves when as durable as
   * configured. Rejects with the program's own error, or WriteConflict, OutOfDiskSpace,
   * ShutdownInProgress. Programs of one account run in the order in which they came.
   */
  write<T>(program: (tx: Tx) => Program<T>, account?: Account): Promise<T>
  /**
   * As write, with changes beside those of the program: what the program throws undoes all of it.
   * They are made in several turns; until the last one, readers see none of them and no other write
   * program runs. Up to largePutsMax and largeBytesMax.
   */
  writeLarge<T>(program: (tx: Tx) => Program<T>, large: LargeChanges, account?: Account): Promise<T>
  /** Whose turn it is among those that wait; undefined where the store keeps no such order. */
  readonly scheduler?: Scheduler | undefined
  stats(): StoreStats
  /**
   * One state of everything, taken while others read and write; one at a time. Rejects with
   * CommandNotSupported where the store has no files, ConflictingOperationInProgress.
   */
  backup?(options: BackupOptions): Promise<Backup>
  /** Refuses new programs, finishes those at work, and lets the folder go. */
  close(): Promise<void>
}
