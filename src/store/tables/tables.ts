// The parts of an embedded store: views for reading, and a commit of a group of programs.
// `embedded.ts` runs the programs themselves (budgets, groups, buffers), with any engine.

import type { Bytes } from '../../base/bytes/bytes.js'
import type { MemtableWrite } from '../memtable/in-place-write.js'
import type { Memtable } from '../memtable/memtable.js'
import type {
  Backup,
  BackupOptions,
  Entry,
  KeyRange,
  Peek,
  StoreStats,
  Versioned,
} from '../store.js'

/** A consistent state. The caller owns everything it returns. */
export interface View {
  /** Pass the key's hash (memtable-hash.ts) if it is already known, here and below. */
  get(key: Bytes, hash?: number): Bytes | undefined
  /** Only for the versioned classes. */
  getVersioned(key: Bytes): Versioned | undefined
  /** Like getVersioned, without a copy of the value. */
  versionOf(key: Bytes): number | undefined
  /** At most `limit` entries, in the order of the range. */
  scan(range: KeyRange, limit: number): Scanned
}

export interface Scanned {
  readonly entries: Entry[]
  /** The rest of the range, if the bound of one step ended the scan before its limit. */
  readonly rest?: KeyRange
}

/** A view kept across ticks. */
export interface Snapshot extends View {
  /** Memory held until the release, bytes. */
  readonly heldBytes: number
  release(): void
}

/** The state inside a group: reads see earlier changes of the group. */
export interface GroupView extends View {
  /** The version is stored for the versioned classes. Key and value are copied. */
  put(key: Bytes, value: Bytes, version: number, hash?: number): void
  remove(key: Bytes, hash?: number): void
  /** Holds the in-place writes and savepoints of this group. */
  readonly memtable: Memtable
  /** Reads the value under the key of a write of that memtable; the write can be kept then. */
  peekUnder<T>(write: MemtableWrite, peek: Peek<T>): T | undefined
  /** Like peekUnder, without reading the value. */
  seek(write: MemtableWrite): void
}

/** A group that spans several turns. */
export interface LargeCommit {
  readonly view: GroupView
  /**
   * Writes some of the changes to the log; they take effect only at `end`. Returns whether more are
   * left.
   */
  write(): boolean
  /** Makes the changes visible; returns the same as commit. If it throws, nothing was changed. */
  end(): Promise<void> | undefined
  /** Undoes all changes. */
  undo(): void
}

export interface Tables {
  readonly type: 'InMemory' | 'LMDB'
  /** The committed state; constant within one synchronous stretch of work. */
  readonly current: View
  /** The highest version ever assigned. */
  readonly lastVersion: number
  /** Why only deletes are accepted now: the disk is nearly full. */
  readonly onlyDeletes: string | undefined
  snapshot(): Snapshot
  /** Undefined if a group may begin; else a promise of when to retry. */
  room(): Promise<void> | undefined
  /**
   * Applies one group completely, or nothing if `body` or the append throws; OutOfDiskSpace if
   * there is no space. Changes are visible at once. The promise, if any, resolves when they are
   * durable as configured, and rejects if they never will be.
   */
  commit(body: (view: GroupView) => void): Promise<void> | undefined
  /**
   * Begins a group of several turns. Until its end, `current` and new snapshots show the state
   * before it, and no other group may begin. Throws like commit.
   */
  beginLarge(): LargeCommit
  stats(): TablesStats
  /** Only if the tables have files. */
  backup?(options: BackupOptions): Promise<Backup>
  close(): Promise<void>
}

/** Statistics of the tables. */
export type TablesStats = Pick<StoreStats, 'sizeBytes' | 'refusing' | 'log' | 'backup'>
