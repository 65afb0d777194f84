// The store without a disk: a memtable alone. For tests, for `STORE=memory:`, and as the baseline
// of what the other stores add.

import type { Bytes } from '../base/bytes/bytes.js'
import { type Clock, systemClock } from '../base/clock.js'
import { EmbeddedStore } from './embedded.js'
import { mergeScan } from './merge.js'
import { Overlay } from './overlay/overlay.js'
import type { OverlayDraft } from './overlay/overlay-draft.js'
import type { KeyRange, Look, Store, Versioned } from './store.js'
import type {
  GroupView,
  LargeCommit,
  Scanned,
  Snapshot,
  Tables,
  TablesStats,
  View,
} from './tables/tables.js'

/** `type` InMemory; nothing outlives the process. */
export function openMemoryStore(clock: Clock = systemClock): Store {
  return new EmbeddedStore(new MemoryTables(), clock)
}

class MemoryView implements View {
  readonly overlay: Overlay
  /** Of a snapshot: changes from this position on are not seen. */
  private readonly before: number | undefined

  constructor(overlay: Overlay, before?: number) {
    this.overlay = overlay
    this.before = before
  }

  get(key: Bytes, hash?: number): Bytes | undefined {
    const address = this.find(key, hash)
    return address === -1 ? undefined : this.overlay.valueAt(address)
  }

  look<T>(key: Bytes, look: Look<T>, hash: number): T | undefined {
    const address = this.find(key, hash)
    return address === -1 ? undefined : this.overlay.lookAt(address, look)
  }

  getVersioned(key: Bytes): Versioned | undefined {
    const { overlay } = this
    const address = this.find(key)
    if (address === -1) return undefined
    return { value: overlay.valueAt(address), version: overlay.versionAt(address) }
  }

  scan(range: KeyRange, limit: number): Scanned {
    return mergeScan([this.overlay.cursor(range, this.before)], range, limit)
  }

  private find(key: Bytes, hash?: number): number {
    const address = this.overlay.find(key, this.before, hash)
    return address !== -1 && this.overlay.isRemoved(address) ? -1 : address
  }
}

class MemorySnapshot extends MemoryView implements Snapshot {
  private readonly position: number

  constructor(overlay: Overlay) {
    const position = overlay.pin()
    super(overlay, position)
    this.position = position
  }

  /** What is superseded from now on: the whole store is there in any case. */
  get heldBytes(): number {
    return 0
  }

  release(): void {
    this.overlay.unpin(this.position)
  }
}

export class MemoryTables extends MemoryView implements Tables, GroupView {
  readonly type = 'InMemory'
  readonly lastVersion = 0
  readonly onlyDeletes = undefined

  /** What readers see while a large group is open. */
  private shown: Snapshot | undefined

  constructor() {
    super(new Overlay({ hasFloor: false }))
  }

  get current(): View {
    return this.shown ?? this
  }

  snapshot(): Snapshot {
    return new MemorySnapshot(this.overlay)
  }

  room(): undefined {
    return undefined
  }

  /** Nothing outlives the process, so there is nothing to wait for. */
  commit(body: (view: GroupView) => void): Promise<void> | undefined {
    const { overlay } = this
    overlay.begin(0)
    try {
      body(this)
    } catch (error) {
      overlay.rollback()
      throw error
    }
    overlay.keep()
    return undefined
  }

  beginLarge(): LargeCommit {
    const { overlay } = this
    const shown = this.snapshot()
    overlay.begin(0)
    this.shown = shown
    const over = () => {
      this.shown = undefined
      shown.release()
    }
    return {
      view: this,
      write: () => false,
      end() {
        overlay.keep()
        over()
        return undefined
      },
      undo() {
        overlay.rollback()
        over()
      },
    }
  }

  put(key: Bytes, value: Bytes, version: number, hash?: number): void {
    this.overlay.put(key, value, version, hash)
  }

  remove(key: Bytes, hash?: number): void {
    this.overlay.remove(key, hash)
  }

  seek(draft: OverlayDraft): void {
    this.overlay.seek(draft)
  }

  lookUnder<T>(draft: OverlayDraft, look: Look<T>): T | undefined {
    const { overlay } = this
    const address = overlay.seek(draft)
    if (address === -1 || overlay.isRemoved(address)) return undefined
    return overlay.lookAt(address, look)
  }

  stats(): TablesStats {
    return { sizeBytes: this.overlay.bytes }
  }

  async close(): Promise<void> {
    this.overlay.release()
  }
}
