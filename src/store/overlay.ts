// The newest values since the last checkpoint, tombstones among them, and older ones while a
// snapshot needs them; or, with nothing below, a whole store in memory. Found by hash, gone through
// in order. Keys and values lie in slabs in the format of the log: a group's changes are the log's
// record, without another copy. (facts: storage 8)

import type { Bytes } from '../base/bytes.js'
import { assert } from '../base/errors.js'
import { overlayCleanBytes, overlayCleanBytesMax, overlayTrimMax } from '../base/limits.js'
import { copyOf } from '../base/slab.js'
import {
  changeBytes,
  changeEnd,
  changeHeaderBytes,
  isRemoval,
  valueLengthOf,
  valueStart,
  versionOf,
  writeChange,
} from './change.js'
import { type Ordered, OverlayCursor } from './overlay-cursor.js'
import { Entries } from './overlay-entries.js'
import { HashTable, hashBytes } from './overlay-hash.js'
import { absent, History } from './overlay-history.js'
import { Order } from './overlay-order.js'
import { Reclaim } from './overlay-reclaim.js'
import { Slabs } from './overlay-slabs.js'
import type { KeyRange, Look } from './store.js'

export interface OverlayOptions {
  /** Whether something lies below, which tombstones must hide. */
  readonly hasFloor: boolean
}

export class Overlay implements Ordered {
  /** Changes since `begin`. */
  groupChanges = 0
  private readonly slabs = new Slabs()
  private readonly entries = new Entries(this.slabs)
  private readonly table = new HashTable(this.entries)
  private readonly order = new Order(this.entries)
  private readonly history = new History()
  private readonly reclaim: Reclaim | undefined
  /** Keys by their first byte; those that were reclaimed are among them. */
  private readonly classes = new Uint32Array(256)
  /** Positions that somebody reads at, in their order. */
  private readonly pins: number[] = []
  private isOpen = false
  /** The first superseded version of this group, and where its bytes begin. */
  private groupFirst = 0
  private groupStart = 0

  constructor({ hasFloor }: OverlayOptions) {
    const { slabs, entries, table, order } = this
    this.reclaim = hasFloor ? undefined : new Reclaim(slabs, entries, table, order)
  }

  /** Keys, removed ones among them while they hide something or a snapshot needs them. */
  get size(): number {
    return this.table.count
  }

  /** Changes that were kept, of all keys together; over a floor. */
  get changes(): number {
    return this.history.end - 1
  }

  /** Memory that it takes: slabs and indexes. */
  get bytes(): number {
    const { slabs, entries, table, order, history } = this
    return slabs.bytes + entries.bytes + table.bytes + order.bytes + history.bytes
  }

  /** Every later change lies at or above this. */
  get position(): number {
    return this.slabs.position
  }

  /** Begins a group; so many bytes are left free before its changes. */
  begin(headerBytes: number): void {
    assert(!this.isOpen, 'one group at a time')
    assert(headerBytes === 0 || this.reclaim === undefined, 'what is cleaned is changes only')
    this.isOpen = true
    this.groupChanges = 0
    this.groupFirst = this.history.end
    this.groupStart = this.position
    this.slabs.begin(headerBytes)
  }

  /** Key and value are copied. Who has the key's hash gives it. */
  put(key: Bytes, value: Bytes, version: number, hash = hashBytes(key, 0, key.length)): void {
    this.change(hash, this.table.find(hash, key), key, value, version)
  }

  remove(key: Bytes, hash = hashBytes(key, 0, key.length)): void {
    const slot = this.table.find(hash, key)
    if (this.reclaim !== undefined) {
      if (slot === -1 || this.isRemoved(this.table.address(hash, slot))) return
    }
    this.change(hash, slot, key, undefined, 0)
  }

  /**
   * Header and changes of the group: contiguous ranges in order, on the same memory, good until the
   * group is kept or rolled back.
   */
  pieces(): Bytes[] {
    return this.slabs.pieces()
  }

  keep(): void {
    assert(this.isOpen, 'a group was begun')
    this.isOpen = false
    this.slabs.keep()
    this.trim(overlayTrimMax + 2 * this.groupChanges)
    const { history, reclaim } = this
    if (reclaim === undefined || history.front < history.end || this.pins.length > 0) return
    const written = this.position - this.groupStart
    reclaim.clean(Math.min(overlayCleanBytes + 3 * written, overlayCleanBytesMax))
  }

  /** Everything since `begin` is as if it had never been. */
  rollback(): void {
    assert(this.isOpen, 'a group was begun')
    const { history, entries, table, order } = this
    while (history.end > this.groupFirst) {
      const item = history.end - 1
      const id = history.id(item)
      const before = history.before(item)
      const after = history.after(item)
      const hash = entries.hashAt(after)
      history.removeLast()
      if (before === absent) {
        table.remove(hash, after)
        this.countClass(this.classAt(after), -1)
        order.remove(id)
      } else {
        entries.move(id, before)
        table.move(hash, table.findAddress(hash, after), before)
      }
    }
    this.slabs.rollback()
    this.isOpen = false
    this.groupChanges = 0
  }

  /**
   * The address of the newest change of a key, or of the newest one before a pinned position; -1
   * where there is none.
   */
  find(
    key: Bytes,
    before = Number.POSITIVE_INFINITY,
    hash = hashBytes(key, 0, key.length),
  ): number {
    if (this.table.count === 0) return -1
    const { table } = this
    const slot = table.find(hash, key)
    if (slot === -1) return -1
    const address = table.address(hash, slot)
    return address < before ? address : this.history.find(table.id(hash, slot), before)
  }

  /** False where no key of the range's classes was ever here: there is nothing to go through. */
  mayHold({ start, end }: KeyRange): boolean {
    if (this.size === 0) return false
    const last = (end[0] ?? 0) - (end.length > 1 ? 0 : 1)
    for (let at = start[0] ?? 0; at <= last; at++) if (this.classes[at] !== 0) return true
    return false
  }

  isRemoved(address: number): boolean {
    return this.entries.isRemovedAt(address)
  }

  /** A copy. */
  valueAt(address: number): Bytes {
    const slab = this.slabs.at(address)
    const offset = this.slabs.offset(address)
    return copyOf(slab, valueStart(slab, offset), changeEnd(slab, offset))
  }

  /** The same bytes where they lie. */
  lookAt<T>(address: number, look: Look<T>): T {
    const slab = this.slabs.at(address)
    const offset = this.slabs.offset(address)
    return look(slab, valueStart(slab, offset), changeEnd(slab, offset))
  }

  versionAt(address: number): number {
    return versionOf(this.slabs.at(address), this.slabs.offset(address))
  }

  /** A copy. */
  keyAt(address: number): Bytes {
    const slab = this.slabs.at(address)
    const offset = this.slabs.offset(address)
    return copyOf(slab, offset + changeHeaderBytes, valueStart(slab, offset))
  }

  /** Good until the next write; tombstones are seen. */
  cursor(range: KeyRange, before = Number.POSITIVE_INFINITY): OverlayCursor {
    return new OverlayCursor(this, range, before)
  }

  /** The present position: what is read before it stays until it is unpinned. Between groups. */
  pin(): number {
    assert(!this.isOpen, 'a snapshot sees whole groups')
    this.pins.push(this.position)
    return this.position
  }

  unpin(position: number): void {
    const index = this.pins.indexOf(position)
    assert(index !== -1, 'what is unpinned was pinned')
    this.pins.splice(index, 1)
    if (!this.isOpen) this.trim(overlayTrimMax)
  }

  /** Gives the memory back; nothing may be read or written afterwards. */
  release(): void {
    this.slabs.release()
  }

  lowerBound(key: Bytes): number {
    return this.order.lowerBound(key)
  }

  placeAfter(place: number): number {
    return this.order.placeAfter(place)
  }

  placeBefore(place: number): number {
    return this.order.placeBefore(place)
  }

  addressAt(place: number, position: number): number {
    const id = this.order.idAt(place)
    const address = this.entries.address(id)
    return address < position ? address : this.history.find(id, position)
  }

  private countClass(first: number, by: number): void {
    this.classes[first] = (this.classes[first] as number) + by
  }

  private classAt(address: number): number {
    return this.slabs.at(address)[this.slabs.offset(address) + changeHeaderBytes] as number
  }

  /** `slot` is that of the key, or -1. */
  private change(
    hash: number,
    slot: number,
    key: Bytes,
    value: Bytes | undefined,
    version: number,
  ): void {
    assert(this.isOpen, 'changes are made in a group')
    const { slabs, entries, table, history } = this
    if (slot !== -1 && value !== undefined) {
      const last = table.address(hash, slot)
      if (last >= this.groupStart && this.rewrite(last, key, value, version)) return
    }
    const address = slabs.allocate(changeBytes(key.length, value === undefined ? 0 : value.length))
    writeChange(slabs.at(address), slabs.offset(address), key, value, version)
    this.groupChanges++
    const chained = this.pins.length > 0
    if (slot !== -1) {
      const known = table.id(hash, slot)
      history.add(known, table.address(hash, slot), address, chained)
      entries.move(known, address)
      table.move(hash, slot, address)
      return
    }
    const id = entries.add(address)
    table.insert(hash, id, address)
    this.order.add(id)
    this.countClass(key[0] as number, 1)
    history.add(id, absent, address, chained)
  }

  /**
   * A put in the place of one of the same group and length, which nobody has seen: a key that many
   * programs change, as the head of a container, is then one change of the group.
   */
  private rewrite(address: number, key: Bytes, value: Bytes, version: number): boolean {
    const slab = this.slabs.at(address)
    const offset = this.slabs.offset(address)
    if (isRemoval(slab, offset) || valueLengthOf(slab, offset) !== value.length) return false
    writeChange(slab, offset, key, value, version)
    return true
  }

  /** Lets at most so many superseded versions go that no snapshot needs. */
  private trim(most: number): void {
    const { history, reclaim } = this
    const oldest = this.pins[0] ?? Number.POSITIVE_INFINITY
    if (reclaim === undefined) {
      history.removeBefore(oldest)
      return
    }
    for (let left = most; left > 0 && history.front < history.end; left--) {
      const item = history.front
      const after = history.after(item)
      if (after >= oldest) return
      reclaim.superseded(history.id(item), history.before(item), after)
      history.removeFirst()
    }
  }
}
