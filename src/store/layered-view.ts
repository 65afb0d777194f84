// Reads through layers: memtables newest first, then the tables. The live view and snapshots differ
// only in their layers.

import type { Bytes } from '../base/bytes/bytes.js'
import type { Generation } from './generation.js'
import type { Memtable } from './memtable/memtable.js'
import { hashBytes } from './memtable/memtable-hash.js'
import { mergeScan, type Source } from './merge.js'
import type { KeyRange, Versioned } from './store.js'
import type { PinnedView, StoredView } from './tables/stored-view.js'
import type { Scanned, Snapshot, View } from './tables/tables.js'

interface Layer {
  readonly memtable: Memtable
  /** In a snapshot: changes at or above this position are invisible. */
  readonly before?: number
}

export class LayeredView implements View {
  /** Newest first. */
  protected layers: readonly Layer[]
  protected readonly stored: StoredView | PinnedView

  constructor(layers: readonly Layer[], stored: StoredView | PinnedView) {
    this.layers = layers
    this.stored = stored
  }

  get(key: Bytes, hash = hashBytes(key, 0, key.length)): Bytes | undefined {
    const { layers } = this
    for (let i = 0; i < layers.length; i++) {
      const { memtable, before } = layers[i] as Layer
      const address = memtable.find(key, before, hash)
      if (address === -1) continue
      return memtable.isRemoved(address) ? undefined : memtable.valueAt(address)
    }
    return this.below(key, hash)
  }

  getVersioned(key: Bytes): Versioned | undefined {
    const hash = hashBytes(key, 0, key.length)
    for (const { memtable, before } of this.layers) {
      const address = memtable.find(key, before, hash)
      if (address === -1) continue
      if (memtable.isRemoved(address)) return undefined
      return { value: memtable.valueAt(address), version: memtable.versionAt(address) }
    }
    return this.stored.getVersioned(key)
  }

  versionOf(key: Bytes): number | undefined {
    const hash = hashBytes(key, 0, key.length)
    for (const { memtable, before } of this.layers) {
      const address = memtable.find(key, before, hash)
      if (address === -1) continue
      return memtable.isRemoved(address) ? undefined : memtable.versionAt(address)
    }
    return this.stored.versionOf(key)
  }

  scan(range: KeyRange, limit: number): Scanned {
    const sources: Source[] = []
    for (const { memtable, before } of this.layers) {
      if (!memtable.mayHold(range)) continue
      const source = memtable.cursor(range, before)
      if (source.key !== undefined) sources.push(source)
    }
    if (sources.length === 0) return { entries: this.stored.scan(range, limit) }
    const tables = this.stored.cursor(range)
    try {
      return mergeScan([...sources, tables], range, limit)
    } finally {
      tables.close()
    }
  }

  /** Reads a key that no memtable has. */
  protected below(key: Bytes, _hash: number): Bytes | undefined {
    return this.stored.get(key)
  }
}

export class LayeredSnapshot extends LayeredView implements Snapshot {
  private readonly generations: readonly Generation[]
  private readonly pinned: PinnedView
  private readonly position: number

  /** `generations` are newest first; the first one still takes writes. */
  constructor(generations: readonly Generation[], pinned: PinnedView) {
    const position = generations[0]?.memtable.pin() ?? 0
    super(
      generations.map(({ memtable }, place) =>
        place === 0 ? { memtable, before: position } : { memtable },
      ),
      pinned,
    )
    this.generations = generations
    this.pinned = pinned
    this.position = position
    for (const generation of generations) generation.hold()
  }

  get heldBytes(): number {
    return this.generations.reduce((sum, { memtable }) => sum + memtable.bytes, 0)
  }

  release(): void {
    this.generations[0]?.memtable.unpin(this.position)
    for (const generation of this.generations) generation.release()
    this.pinned.release()
  }
}
