// What an embedded store is made of: views to read, and a place to apply a group of programs. The
// programs themselves (budgets, groups, buffers) are run by `embedded.ts` and know no engine.

import type { Bytes } from '../base/bytes.js'
import type { Entry, KeyRange, Versioned } from './store.js'

/** A consistent state. Everything answered is the caller's own. */
export interface View {
  get(key: Bytes): Bytes | undefined
  /** For the versioned classes only. */
  getVersioned(key: Bytes): Versioned | undefined
  scan(range: KeyRange, limit: number): Entry[]
}

/** A view kept across ticks. */
export interface Snapshot extends View {
  release(): void
}

/** The state inside a group: reads see what was applied before. */
export interface GroupView extends View {
  /**
   * The version is kept for the versioned classes. Key and value are copied where they are kept.
   */
  put(key: Bytes, value: Bytes, version: number): void
  remove(key: Bytes): void
}

export interface Tables {
  readonly type: 'InMemory' | 'LMDB'
  /** The committed state; constant within one synchronous stretch of work. */
  readonly current: View
  /** No version above this was ever given out. */
  readonly lastVersion: number
  snapshot(): Snapshot
  /**
   * Applies one group as a whole, and makes it durable; or nothing of it, when `body` or the commit
   * throws: OutOfDiskSpace where there is no room.
   */
  commit(body: (view: GroupView) => void): void
  sizeBytes(): number
  close(): Promise<void>
}
