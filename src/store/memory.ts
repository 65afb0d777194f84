// The in-memory store: only a memtable. For tests, for `STORE=memory:`, and as the baseline for the
// cost of the other stores.

import type { Bytes } from '../base/bytes/bytes.js'
import { type Clock, systemClock } from '../base/clock.js'
import { EmbeddedStore } from './embedded.js'
import type { MemtableWrite } from './memtable/in-place-write.js'
import { Memtable } from './memtable/memtable.js'
import { mergeScan } from './merge.js'
import type { KeyRange, Peek, Store, Versioned } from './store.js'
import type {
  GroupView,
  LargeCommit,
  Scanned,
  Snapshot,
  Tables,
  TablesStats,
  View,
} from './tables/tables.js'

/** Reports type `InMemory`. All data is lost when the process ends. */
export function openMemoryStore(clock: Clock = systemClock): Store {
  return new EmbeddedStore(new MemoryTables(), clock)
}

class MemoryView implements View {
  readonly memtable: Memtable
  /** In a snapshot: changes at or above this position are invisible. */
  private readonly before: number | undefined

  constructor(memtable: Memtable, before?: number) {
    this.memtable = memtable
    this.before = before
  }

  get(key: Bytes, hash?: number): Bytes | undefined {
    const address = this.find(key, hash)
    return address === -1 ? undefined : this.memtable.valueAt(address)
  }

  getVersioned(key: Bytes): Versioned | undefined {
    const { memtable } = this
    const address = this.find(key)
    if (address === -1) return undefined
    return { value: memtable.valueAt(address), version: memtable.versionAt(address) }
  }

  versionOf(key: Bytes): number | undefined {
    const address = this.find(key)
    return address === -1 ? undefined : this.memtable.versionAt(address)
  }

  scan(range: KeyRange, limit: number): Scanned {
    return mergeScan([this.memtable.cursor(range, this.before)], range, limit)
  }

  private find(key: Bytes, hash?: number): number {
    const address = this.memtable.find(key, this.before, hash)
    return address !== -1 && this.memtable.isRemoved(address) ? -1 : address
  }
}

class MemorySnapshot extends MemoryView implements Snapshot {
  private readonly position: number

  constructor(memtable: Memtable) {
    const position = memtable.pin()
    super(memtable, position)
    this.position = position
  }

  /** A snapshot holds only superseded versions: the store is in memory in any case. */
  get heldBytes(): number {
    return 0
  }

  release(): void {
    this.memtable.unpin(this.position)
  }
}

export class MemoryTables extends MemoryView implements Tables, GroupView {
  readonly type = 'InMemory'
  readonly lastVersion = 0
  readonly onlyDeletes = undefined

  /** What readers see while a large group is open. */
  private shown: Snapshot | undefined

  constructor() {
    super(new Memtable({ hasFloor: false }))
  }

  get current(): View {
    return this.shown ?? this
  }

  snapshot(): Snapshot {
    return new MemorySnapshot(this.memtable)
  }

  room(): undefined {
    return undefined
  }

  /** Data does not outlive the process, so there is no sync to wait for. */
  commit(body: (view: GroupView) => void): Promise<void> | undefined {
    const { memtable } = this
    memtable.begin(0)
    try {
      body(this)
    } catch (error) {
      memtable.rollback()
      throw error
    }
    memtable.keep()
    return undefined
  }

  beginLarge(): LargeCommit {
    const { memtable } = this
    const shown = this.snapshot()
    memtable.begin(0)
    this.shown = shown
    const over = () => {
      this.shown = undefined
      shown.release()
    }
    return {
      view: this,
      write: () => false,
      end() {
        memtable.keep()
        over()
        return undefined
      },
      undo() {
        memtable.rollback()
        over()
      },
    }
  }

  put(key: Bytes, value: Bytes, version: number, hash?: number): void {
    this.memtable.put(key, value, version, hash)
  }

  remove(key: Bytes, hash?: number): void {
    this.memtable.remove(key, hash)
  }

  seek(write: MemtableWrite): void {
    this.memtable.seek(write)
  }

  peekUnder<T>(write: MemtableWrite, peek: Peek<T>): T | undefined {
    const { memtable } = this
    const address = memtable.seek(write)
    if (address === -1 || memtable.isRemoved(address)) return undefined
    return memtable.peekAt(address, peek)
  }

  stats(): TablesStats {
    return { sizeBytes: this.memtable.bytes }
  }

  async close(): Promise<void> {
    this.memtable.release()
  }
}
