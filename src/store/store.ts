// The store interface: an ordered map of bytes to bytes with atomic programs. A program is a
// generator. On an embedded store its steps are already done; a remote store gets them in batches
// and reruns a write program on a conflict. So a program waits for nothing else and has no side
// effects before its commit. (docs/design/transactions.md, "Programs")

import type { Bytes } from '../base/bytes/bytes.js'
import type { Clock } from '../base/clock.js'
import type { Account } from '../base/work/accounts.js'
import type { Scheduler } from '../base/work/scheduler.js'
import type { Exchange } from './exchange.js'
import type { ClusterTime } from './layout.js'

/** Keys from `start` (included) to `end` (excluded), in byte order or, `reverse`, against it. */
export interface KeyRange {
  readonly start: Bytes
  readonly end: Bytes
  readonly reverse?: boolean
  /**
   * A scan may end with the entry whose value brings those read to so many bytes, below its limit:
   * `endsRange` tells whether others follow. By default it reads up to its limit.
   */
  readonly bytesMax?: number | undefined
}

export interface Entry {
  readonly key: Bytes
  readonly value: Bytes
}

/** A value and its version, which grows with every put of the key and is never reused. */
export interface Versioned {
  readonly value: Bytes
  readonly version: number
}

/** A request of a paused program to its store; plain data. */
export type Ask =
  | { readonly kind: 'get'; readonly key: Bytes }
  | {
      readonly kind: 'getMany' | 'ahead'
      readonly keys: readonly Bytes[]
      readonly bytesMax: number
    }
  | { readonly kind: 'getVersions'; readonly keys: readonly Bytes[] }
  | { readonly kind: 'scan'; readonly range: KeyRange; readonly limit: number }
  | { readonly kind: 'scanFetch'; readonly range: KeyRange; readonly limit: number }
  | { readonly kind: 'pause' }
  | { readonly kind: 'elsewhere'; readonly begin: Elsewhere['begin'] }
  | { readonly kind: 'numbers'; readonly counter: Bytes; readonly count: number }

/** Work that a read program delegates to another thread, such as one heavy document. */
export interface Elsewhere {
  /** The error thrown if the program must not wait. */
  readonly refusal: unknown
  /** Starts the work; `owner` determines its turn. */
  begin(owner: string): Begun
}

interface Begun {
  readonly done: Promise<void>
  /** Cancels the work: `done` rejects unless it has finished. */
  end(): void
}

export type Program<T> = Generator<Ask, T, unknown>

/** A step of a program, run by `yield* step`; already finished on an embedded store. */
export interface Step<T> {
  [Symbol.iterator](): Iterator<Ask, T, unknown>
}

/** What was read ahead: how many of the keys, and the bytes of their values. */
export interface ReadBefore {
  readonly keys: number
  readonly bytes: number
}

export interface ReadTx {
  /** The program owns the bytes and may keep and change them. */
  get(key: Bytes): Step<Bytes | undefined>
  /** Like get, with the version of the record; only for the versioned classes of `layout.ts`. */
  getVersioned(key: Bytes): Step<Versioned | undefined>
  /**
   * The values of the first keys, up to the one that brings them to `bytesMax`: by default, of all.
   */
  getMany(keys: readonly Bytes[], bytesMax?: number): Step<(Bytes | undefined)[]>
  /**
   * Reads keys in one trip for the gets of them that follow, up to the one that brings them to
   * `bytesMax`: by default, all. A pause forgets them. Undefined where a get needs no trip
   * (read-ahead.ts).
   */
  readonly readAhead?: ((keys: readonly Bytes[], bytesMax?: number) => Step<ReadBefore>) | undefined
  /** The versions of several keys, without their values; undefined for missing keys. */
  getVersions(keys: readonly Bytes[]): Step<(number | undefined)[]>
  /** At most `limit` entries (1 to scanEntriesMax) of the state at the program's start. */
  scan(range: KeyRange, limit: number): Step<Entry[]>
  /**
   * Like scan, over entries whose value is a record key: each is returned with that record. The
   * bytes of `bytesMax` are those of the records, and `endsFetch` tells whether others follow.
   */
  scanFetch(range: KeyRange, limit: number): Step<Fetched[]>
  /** Counters of `add`: documents and bytes; zeros if nothing was added. */
  count(key: Bytes): Step<Count>
  /** A serializable transaction: a count that its client sees has to come from a scan. */
  readonly notesReads?: boolean
  /**
   * Spends `units` of the work budget and pauses if the turn is over, for a program that computes
   * long without reading. A write program never pauses.
   */
  pause(units?: number): Step<void>
  /** Waits until the work is done; a write program throws its refusal. */
  elsewhere(work: Elsewhere): Step<void>
  /**
   * Ends when all write programs are over that may not have seen what is committed by now. Only in
   * a read program; undefined if each write program sees everything that was committed before it.
   */
  readonly olderWrites?: Elsewhere | undefined
  /** The memory of the command's reply; undefined if it does not count. */
  readonly reply?: ReplyMemory | undefined
  /** Replies may have to wait for memory, so little is read before they count. */
  readonly isMemoryShort?: boolean
}

/** Counts what a reply will hold before it is read. */
interface ReplyMemory {
  /** Counts so many bytes, or returns what the program waits for before; never if it may not. */
  expects(bytes: number, mayWait: boolean): Elsewhere | undefined
  /** Counts what the program holds while it waits, until the returned function is called. */
  waits(bytes: number): () => void
  /** The reply holds only so many bytes of what it expected. */
  holds(bytes: number): void
}

/** An index entry and the record it points to; the record is undefined if it was removed. */
export interface Fetched extends Entry {
  readonly record: Bytes | undefined
}

export interface Count {
  readonly documents: number
  readonly bytes: number
}

/** Reads bytes in place, from `start` to `end`; it must not keep them. */
export type Peek<T> = (bytes: Bytes, start: number, end: number) => T

/** An in-place put: the key belongs at `keyAt` of `bytes`, the value at `valueAt`. */
export interface InPlaceWrite {
  readonly bytes: Bytes
  readonly keyAt: number
  readonly valueAt: number
}

/**
 * In-place writes, one at a time: `begin`, write the key, `peekUnder`, write the value, then `keep`
 * or `drop`. A write without `keep` or `drop` has no effect. Only for records and members.
 */
export interface InPlace {
  /**
   * Uninitialized memory, valid until the next call except `peekUnder` and `seek`. Key and value
   * are well below a megabyte.
   */
  begin(keyBytes: number, valueBytes: number): InPlaceWrite
  /** Applies `peek` to the current value of the write's key; undefined if there is none. */
  peekUnder<T>(peek: Peek<T>): T | undefined
  /** Replaces peekUnder if the caller does not need the old value, which may be slow to read. */
  seek(): void
  /**
   * Makes the write a put of this program under the key that was looked up. `valueBytes` shortens
   * the value.
   */
  keep(valueBytes?: number): void
  /** Makes the write a removal of that key. */
  drop(): void
}

/** Takes the first of `count` numbers, in a program of its own. */
export type AllocateNumbers = (tx: Tx, count: number) => Program<number>

/**
 * Gives each number of a counter record once. A program that does not commit gives its numbers
 * back, so its next run gets the same ones unless another program has taken them.
 */
export interface Numbers {
  /** The first of `count` numbers. */
  take(counter: Bytes, count: number, allocate: AllocateNumbers): Step<number>
  /** One number, which is free again behind the program unless `use` follows. */
  foresee(counter: Bytes, allocate: AllocateNumbers): Step<number>
  /** Keeps a foreseen number. */
  use(counter: Bytes, number: number): void
}

export interface Tx extends ReadTx {
  /** Whether its sweep waits where it must not, and runs it again. */
  isRunAgain?: boolean
  /**
   * In a transaction over several programs, and on a store that gateways share. Otherwise a program
   * counts in the record itself.
   */
  readonly numbers?: Numbers | undefined
  /** Undefined if values are not in this process, and if all changes are recorded by key. */
  readonly inPlace?: InPlace | undefined
  /**
   * For a store that applies a program's changes after the program ends. `check` is called before
   * that; if it throws, nothing is changed. `told` is called once the changes are visible to
   * others. Undefined if the changes are applied when the program ends.
   */
  readonly whenApplied?: ((check: () => void, told: () => void) => void) | undefined
  /**
   * Like scan, merged with this program's own writes: for unique checks and key-value structures.
   */
  scanOwn(range: KeyRange, limit: number): Step<Entry[]>
  /**
   * Buffered until the program returns; throws at once on errors of the program (size, limits). The
   * store keeps the arrays until then, so the caller must not change them.
   */
  put(key: Bytes, value: Bytes): void
  remove(key: Bytes): void
  /** Adds to a counter without reading it; commutes with other programs' additions. */
  add(key: Bytes, documents: number, bytes: number): void
  /** What this program has added to a counter so far. */
  added(key: Bytes): Count
  /**
   * Adds a record to the change log. The store gives it its key at the commit (`changeKey`): later
   * than all records before it, in the order of the calls. The program does not see it.
   */
  append(value: Bytes): void
  /** Who commits this, if several gateways share the store: `Gateways.self` of that moment. */
  readonly gateway?: string | undefined
  /** Hands `event` to the store's observer after the commit. Undefined without an observer. */
  readonly announce?: ((event: object) => void) | undefined
}

export type Awaitable<T> = T | Promise<T>

/** A put; without a value, a removal. */
export interface KeyChange {
  readonly key: Bytes
  readonly value: Bytes | undefined
}

/** Prepared changes of one atomic write that exceed the limits of a program. */
export interface LargeChanges {
  /** Each key once, and no key that the program itself changes. */
  readonly changes: readonly KeyChange[]
  /** Records for the change log, in their order, behind those of the program itself. */
  readonly appended?: readonly Bytes[] | undefined
  /** Called for each change after the commit, before the next write program runs. */
  readonly told?: (change: KeyChange) => void
  /** As `told`, for each record of `appended`. */
  readonly toldAppended?: (record: Bytes) => void
}

export interface HoldOptions {
  /**
   * What the state shows fits into one order with all writes, of other gateways too. Its reads may
   * throw WriteConflict; it is of no more use then.
   */
  readonly serializable?: boolean
}

export interface ReadOptions {
  /**
   * Keeps one snapshot across pauses, within the limits of its age; otherwise a pause releases it.
   */
  readonly snapshot?: boolean
  /** As in HoldOptions, for a program with a snapshot that can run again: it does so. */
  readonly serializable?: boolean
  /**
   * The program can run again, as it changes nothing outside of it before its first pauses: a store
   * that is far away begins it with what it last knew.
   */
  readonly runsAgain?: boolean
  /** Called in every pause; a throw ends the program with that error. */
  readonly onPause?: (() => void) | undefined
  /** The account of the work, by default the server's own; programs of one account run in turn. */
  readonly account?: Account | undefined
}

export interface StoreStats {
  readonly type: 'InMemory' | 'LMDB' | 'PostgreSQL'
  /** Size of the stored data, bytes. */
  readonly sizeBytes: number
  /** Why writes are refused at the moment. */
  readonly refusing?: string
  /** Only for a store in this process. */
  readonly groups?: GroupStats
  /** Only for a store with a log. */
  readonly log?: LogStats
  /** Statistics of the running backup. */
  readonly backup?: BackupStats
}

/** Write groups since the start; a mean group is `programs / groups`. */
export interface GroupStats {
  readonly groups: number
  readonly programs: number
  /** Programs that wait for a group now. */
  readonly queued: number
}

interface LogStats {
  /**
   * Changes not yet in the tables: their memory in bytes, and the age of the oldest in
   * milliseconds.
   */
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
  /** Pairs in total, and pairs sent so far. */
  readonly pairs: number
  readonly donePairs: number
  readonly doneBytes: number
  readonly elapsedMs: number
}

export interface BackupOptions {
  /** Version of Sigil, for the file. */
  readonly sigil: string
  /** Without it, the default rate, with a rest behind each block as long as the block took. */
  readonly bytesPerSecond?: number | undefined
  /** Key prefixes to leave out of the file. */
  readonly without?: readonly Bytes[]
  /** Aborts the backup at any point. */
  readonly signal?: AbortSignal
}

/**
 * A running backup: the bytes of its file, made on demand. Iteration throws ChecksumMismatch if
 * stored data is damaged, and Interrupted after the backup was ended. A caller that neither
 * finishes nor leaves the iteration must call `end`.
 */
export interface Backup extends AsyncIterable<Bytes> {
  readonly pairs: number
  end(): Promise<void>
}

/** One committed state, kept for the programs of a transaction. */
export interface HeldState {
  /** As `Store.read`, on this state. */
  read<T>(program: (tx: ReadTx) => Program<T>, options?: ReadOptions): Awaitable<T>
  /** Memory that is kept from being freed, bytes. */
  readonly heldBytes: number
  /** False if something may have been committed since; absent if the store cannot tell. */
  readonly isNewest?: boolean
  /** Called once, when no program runs. */
  release(): void
}

/** The gateways that share a store. Each has an identity, which no other one ever has. */
export interface Gateways {
  /** This gateway; it gets a new identity if it was taken for gone. */
  readonly self: string
  /** Whether that gateway has ended, or has not renewed its row in time. If true, for good. */
  isGone(gateway: string): Promise<boolean>
  /** Names this gateway in what clients bring to another one; it is used again later. */
  readonly number: number
  /** Tells the others where this gateway serves HTTP. */
  announce(address: string): Promise<void>
  /** Where the gateway of that number serves HTTP; undefined if it has ended. */
  addressOf(number: number): Promise<string | undefined>
}

/** What runs the programs of a command: a store, or a transaction. */
export type ProgramRunner = Pick<Store, 'read' | 'write' | 'writeLarge'>

export interface Store {
  /**
   * Runs once, on one snapshot in each tick; pauses when its work budget is used up. Synchronous if
   * possible.
   */
  read<T>(program: (tx: ReadTx) => Program<T>, options?: ReadOptions): Awaitable<T>
  /**
   * Runs to its end without a pause, perhaps more than once; resolves when the result is durable as
   * configured. Rejects with the program's own error, or WriteConflict, OutOfDiskSpace,
   * ShutdownInProgress. Programs of one account run in order of arrival.
   */
  write<T>(program: (tx: Tx) => Program<T>, account?: Account): Promise<T>
  /**
   * Like write, with additional changes; if the program throws, all are undone. They are applied in
   * several turns. Until the last one, readers see none of them and no other write program runs.
   * Limits: largePutsMax and largeBytesMax.
   */
  writeLarge<T>(program: (tx: Tx) => Program<T>, large: LargeChanges, account?: Account): Promise<T>
  /** Holds the newest committed state. Throws SnapshotTooOld if too many are held. */
  hold(options?: HoldOptions): Awaitable<HeldState>
  /** All changes of the data pass through this object; otherwise other processes make some too. */
  readonly ownsData?: boolean
  /** The time that all its gateways have; undefined if that is this machine's. */
  readonly sharedClock?: Clock | undefined
  /** Undefined if this gateway is the only one. */
  readonly gateways?: Gateways | undefined
  /** Time of the newest change: later ones have it or a later time. Undefined if not in process. */
  changeTime?(): ClusterTime | undefined
  /** Messages to other gateways of the store; undefined if there can be none. */
  readonly exchange?: Exchange | undefined
  /** Schedules the waiting programs; undefined if the store keeps no such order. */
  readonly scheduler?: Scheduler | undefined
  stats(): StoreStats
  /**
   * Backs up one consistent state while the store is in use; one backup at a time. Rejects with
   * CommandNotSupported if the store has no files, or ConflictingOperationInProgress.
   */
  backup?(options: BackupOptions): Promise<Backup>
  /** Refuses new programs, finishes the running ones, and releases the folder. */
  close(): Promise<void>
}
