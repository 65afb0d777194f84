// Reclaims memory that no reader can see, in a memtable without a layer below it. Removed keys are
// deleted, and sparse slabs are emptied into the current one. Each step is bounded by the bytes
// written since the last one.

import { assert } from '../../base/errors.js'
import { memtableSlabBytes } from '../../base/limits/store.js'
import type { Entries } from './memtable-entries.js'
import type { HashTable } from './memtable-hash.js'
import { absent } from './memtable-history.js'
import type { Order } from './memtable-order.js'
import type { Slabs } from './memtable-slabs.js'

/** Changes of one search for live values: about 2 ms of work. */
const memtableCleanChangesMax = 8_192

/** Dead bytes above this and half of the live bytes are worth a cleanup. */
const deadBytesFree = memtableSlabBytes
/** Slab numbers without a slab that one long-lived slab may leave. */
const holesFree = 1_024

export class Reclaim {
  private readonly slabs: Slabs
  private readonly entries: Entries
  private readonly table: HashTable
  private readonly order: Order
  /** The next change to check in the slab being emptied, and the end of the slab. */
  private next = 0
  private end = 0

  constructor(slabs: Slabs, entries: Entries, table: HashTable, order: Order) {
    this.slabs = slabs
    this.entries = entries
    this.table = table
    this.order = order
  }

  /** Called when no reader sees the state of a key before the change at `after` any more. */
  superseded(id: number, before: number, after: number): void {
    const { slabs, entries } = this
    if (before !== absent) slabs.dead(before, entries.lengthAt(before))
    // Among several changes, the last one decides whether the key stays.
    if (entries.address(id) !== after || !entries.isRemovedAt(after)) return
    const length = entries.lengthAt(after)
    this.table.remove(entries.hashAt(after), after)
    this.order.remove(id)
    slabs.dead(after, length)
  }

  /**
   * Cleans about `bytes` bytes, or memtableCleanChangesMax changes. Only while no superseded
   * version is kept for a reader.
   */
  clean(bytes: number): void {
    let left = bytes
    for (let changes = 0; left > 0 && changes < memtableCleanChangesMax; changes++) {
      if (this.next === this.end && !this.choose()) return
      left -= this.cleanOne()
    }
  }

  private choose(): boolean {
    const { slabs } = this
    let chosen: number | undefined
    if (slabs.deadBytes > slabs.liveBytes / 2 + deadBytesFree) chosen = slabs.sparsest()
    else if (slabs.holes > holesFree + slabs.bytes / memtableSlabBytes) chosen = slabs.oldest()
    if (chosen === undefined) return false
    this.next = chosen
    this.end = slabs.endOf(chosen)
    return true
  }

  private cleanOne(): number {
    const { slabs, entries, table, next } = this
    if (!slabs.has(next)) {
      // Its last live change was superseded in the meantime.
      this.next = this.end
      return 0
    }
    const length = entries.lengthAt(next)
    this.next += length
    const hash = entries.hashAt(next)
    const slot = table.findAddress(hash, next)
    if (slot !== -1) {
      const address = slabs.allocate(length)
      const offset = slabs.offset(next)
      slabs.at(address).set(slabs.at(next).subarray(offset, offset + length), slabs.offset(address))
      entries.move(table.id(hash, slot), address)
      table.move(hash, slot, address)
      slabs.dead(next, length)
    }
    assert(this.next < this.end || !slabs.has(next), 'an emptied slab is gone')
    return length
  }
}
