// The store that forgets: the same programs, groups and snapshots over an ordered map in memory.
// For tests, for `STORE=memory:`, and as the measure of what the other stores add.

import type { Bytes } from '../base/bytes.js'
import { type Clock, systemClock } from '../base/clock.js'
import { EmbeddedStore } from './embedded.js'
import { OrderedMap, type OrderedView } from './ordered-map.js'
import type { Entry, KeyRange, Store, Versioned } from './store.js'
import type { GroupView, Snapshot, Tables, View } from './tables.js'

/** `type` InMemory; nothing outlives the process. */
export function openMemoryStore(clock: Clock = systemClock): Store {
  return new EmbeddedStore(new MemoryTables(), clock)
}

class MemoryView implements View {
  protected readonly entries: OrderedView<Versioned>

  constructor(entries: OrderedView<Versioned>) {
    this.entries = entries
  }

  get(key: Bytes): Bytes | undefined {
    return this.entries.get(key)?.value.slice()
  }

  getVersioned(key: Bytes): Versioned | undefined {
    const found = this.entries.get(key)
    return found === undefined ? undefined : { value: found.value.slice(), version: found.version }
  }

  scan(range: KeyRange, limit: number): Entry[] {
    const found: Entry[] = []
    this.entries.scan(range, (key, { value }) => {
      found.push({ key: key.slice(), value: value.slice() })
      return found.length < limit
    })
    return found
  }
}

class MemorySnapshot extends MemoryView implements Snapshot {
  /** The collector frees what nobody refers to. */
  release(): void {}
}

export class MemoryTables extends MemoryView implements Tables, GroupView {
  readonly type = 'InMemory'
  readonly current: View = this
  readonly lastVersion = 0
  private readonly map: OrderedMap<Versioned>
  private bytes = 0

  constructor() {
    const map = new OrderedMap<Versioned>()
    super(map)
    this.map = map
  }

  snapshot(): Snapshot {
    return new MemorySnapshot(this.map.snapshot())
  }

  /** Applying cannot fail here, so there is nothing to undo. */
  commit(body: (view: GroupView) => void): void {
    body(this)
  }

  put(key: Bytes, value: Bytes, version: number): void {
    const before = this.map.set(key.slice(), { value: value.slice(), version })
    this.bytes += value.length - (before === undefined ? -key.length : before.value.length)
  }

  remove(key: Bytes): void {
    const before = this.map.delete(key)
    if (before !== undefined) this.bytes -= key.length + before.value.length
  }

  sizeBytes(): number {
    return this.bytes
  }

  async close(): Promise<void> {}
}
