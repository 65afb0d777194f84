// The store that forgets: the same programs, groups and snapshots over an ordered map in memory.
// For tests, for `STORE=memory:`, and as the measure of what the other stores add.

import { type Bytes, mapKey } from '../base/bytes.js'
import { type Clock, systemClock } from '../base/clock.js'
import { copyOf } from '../base/slab.js'
import { EmbeddedStore } from './embedded.js'
import { OrderedMap, type OrderedView } from './ordered-map.js'
import type { Entry, KeyRange, Store, Versioned } from './store.js'
import type { GroupView, Snapshot, Tables, View } from './tables.js'

/** `type` InMemory; nothing outlives the process. */
export function openMemoryStore(clock: Clock = systemClock): Store {
  return new EmbeddedStore(new MemoryTables(), clock)
}

class MemoryView implements View {
  private readonly entries: OrderedView<Versioned>

  constructor(entries: OrderedView<Versioned>) {
    this.entries = entries
  }

  get(key: Bytes): Bytes | undefined {
    const value = this.find(key)?.value
    return value && copyOf(value, 0, value.length)
  }

  getVersioned(key: Bytes): Versioned | undefined {
    const found = this.find(key)
    return found && { value: copyOf(found.value, 0, found.value.length), version: found.version }
  }

  scan(range: KeyRange, limit: number): Entry[] {
    const found: Entry[] = []
    this.entries.scan(range, (key, { value }) => {
      found.push({ key: key.slice(), value: value.slice() })
      return found.length < limit
    })
    return found
  }

  protected find(key: Bytes): Versioned | undefined {
    return this.entries.get(key)
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
  private readonly ordered: OrderedMap<Versioned>
  /** The same entries for point reads: one look instead of a cache miss a level. */
  private readonly points = new Map<string, Versioned>()
  private bytes = 0

  constructor() {
    const ordered = new OrderedMap<Versioned>()
    super(ordered)
    this.ordered = ordered
  }

  snapshot(): Snapshot {
    return new MemorySnapshot(this.ordered.snapshot())
  }

  /** Applying cannot fail here, so there is nothing to undo. */
  commit(body: (view: GroupView) => void): void {
    body(this)
  }

  put(key: Bytes, value: Bytes, version: number): void {
    const kept = { value: value.slice(), version }
    const before = this.ordered.set(key.slice(), kept)
    this.points.set(mapKey(key), kept)
    this.bytes += value.length - (before === undefined ? -key.length : before.value.length)
  }

  remove(key: Bytes): void {
    if (!this.points.delete(mapKey(key))) return
    const before = this.ordered.delete(key)
    this.bytes -= key.length + (before?.value.length ?? 0)
  }

  sizeBytes(): number {
    return this.bytes
  }

  async close(): Promise<void> {}

  protected override find(key: Bytes): Versioned | undefined {
    return this.points.get(mapKey(key))
  }
}
