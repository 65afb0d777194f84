// What an embedded store is made of: views to read, and a place to apply a group of programs. The
// programs themselves (budgets, groups, buffers) are run by `embedded.ts` and know no engine.

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

/** A consistent state. Everything answered is the caller's own. */
export interface View {
  /** Who has the key's hash (memtable-hash.ts) gives it, here and below. */
  get(key: Bytes, hash?: number): Bytes | undefined
  /** As get, of the value where it lies. */
  peek<T>(key: Bytes, peek: Peek<T>, hash: number): T | undefined
  /** For the versioned classes only. */
  getVersioned(key: Bytes): Versioned | undefined
  /** At most `limit` entries, in the order of the range. */
  scan(range: KeyRange, limit: number): Scanned
}

export interface Scanned {
  readonly entries: Entry[]
  /** Set where the bound of one step ended the scan before its limit and its range: go on here. */
  readonly rest?: KeyRange
}

/** A view kept across ticks. */
export interface Snapshot extends View {
  /** Memory that may be free only when it is released. */
  readonly heldBytes: number
  release(): void
}

/** The state inside a group: reads see what was applied before. */
export interface GroupView extends View {
  /**
   * The version is kept for the versioned classes. Key and value are copied where they are kept.
   */
  put(key: Bytes, value: Bytes, version: number, hash?: number): void
  remove(key: Bytes, hash?: number): void
  /** Where puts of this group are drafted, and what was done is taken back to a savepoint. */
  readonly memtable: Memtable
  /** Of what lies under the key of a write of that memtable, which can be kept then. */
  peekUnder<T>(write: MemtableWrite, peek: Peek<T>): T | undefined
  /** As peekUnder, without the look. */
  seek(write: MemtableWrite): void
}

/** A group of several turns. */
export interface LargeCommit {
  readonly view: GroupView
  /**
   * Writes some of what was changed to where it lasts; nothing of it holds before `end`. Answers
   * whether more is left.
   */
  write(): boolean
  /** What was changed is seen; as the answer of commit. Throws where nothing of it is there. */
  end(): Promise<void> | undefined
  /** As if it had never begun. */
  undo(): void
}

export interface Tables {
  readonly type: 'InMemory' | 'LMDB'
  /** The committed state; constant within one synchronous stretch of work. */
  readonly current: View
  /** No version above this was ever given out. */
  readonly lastVersion: number
  /** Why only deletes are taken at the moment: the disk is nearly full. */
  readonly onlyDeletes: string | undefined
  snapshot(): Snapshot
  /** Undefined while a group may begin; else a promise of the moment when it is worth trying. */
  room(): Promise<void> | undefined
  /**
   * Applies one group as a whole, or nothing of it when `body` or the append throws: OutOfDiskSpace
   * where there is no room. What it changed is seen at once; the promise, where there is one, tells
   * when it is as durable as configured, and rejects when it never will be.
   */
  commit(body: (view: GroupView) => void): Promise<void> | undefined
  /**
   * Begins a group of several turns: until its end, `current` and new snapshots are as before it,
   * and no other group may begin. Throws where a commit would.
   */
  beginLarge(): LargeCommit
  stats(): TablesStats
  /** Where the tables have files. */
  backup?(options: BackupOptions): Promise<Backup>
  close(): Promise<void>
}

/** What the tables know of themselves. */
export type TablesStats = Pick<StoreStats, 'sizeBytes' | 'refusing' | 'log' | 'backup'>
