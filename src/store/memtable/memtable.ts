// The memtable: the newest values and tombstones since the last checkpoint, and older values that a
// snapshot needs. Without tables it is the whole in-memory store. It is searched by hash and
// iterated in order. Slabs hold keys and values in the log format, so the changes of a group become
// the log record without a copy. (docs/design/storage.md, "Log, memtable, tables")

import type { Bytes } from '../../base/bytes/bytes.js'
import { assert } from '../../base/errors.js'
import { copyOf } from '../../base/heap/slab.js'
import { KiB, MiB } from '../../base/units.js'
import {
  changeBytes,
  changeEnd,
  changeHeaderBytes,
  copyChange,
  isRemoval,
  valueLengthOf,
  valueStart,
  versionOf,
  writeChange,
  writePutHeader,
  writeRemovalHeader,
} from '../log/change.js'
import type { KeyRange, Peek } from '../store.js'
import { MemtableWrite } from './in-place-write.js'
import { MemtableCursor, type Ordered } from './memtable-cursor.js'
import { Entries } from './memtable-entries.js'
import { HashTable, hashBytes } from './memtable-hash.js'
import { absent, History } from './memtable-history.js'
import { Order } from './memtable-order.js'
import { Reclaim } from './memtable-reclaim.js'
import { type Mark, Slabs } from './memtable-slabs.js'

/**
 * Bytes searched for live values after one group, in addition to three times its own bytes, and the
 * most bytes of one search: about 2 ms of work.
 */
const memtableCleanBytes = 32 * KiB
const memtableCleanBytesMax = 4 * MiB

/** Superseded versions released after one group or snapshot, beyond two for each change. */
const memtableTrimMax = 1_024

/** A point within a group that a failed program is rolled back to. */
export interface Savepoint {
  readonly mark: Mark
  /** The number of the next superseded version. */
  readonly history: number
  readonly changes: number
}

interface MemtableOptions {
  /** Whether there is a layer below, whose keys tombstones must hide. */
  readonly hasFloor: boolean
}

export class Memtable implements Ordered {
  /** Changes since `begin`. */
  groupChanges = 0
  private readonly slabs = new Slabs()
  private readonly entries = new Entries(this.slabs)
  private readonly table = new HashTable(this.entries)
  private readonly order = new Order(this.entries)
  private readonly history = new History()
  private readonly reclaim: Reclaim | undefined
  /** Number of keys by first byte, including reclaimed ones. */
  private readonly classes = new Uint32Array(256)
  /** Pinned positions of readers, in order. */
  private readonly pins: number[] = []
  private isOpen = false
  /** Changes of the group that fit in the place of the version they supersede. */
  private groupRewrites = 0
  /** The first superseded version of this group, and where its bytes begin. */
  private groupFirst = 0
  private groupStart = 0
  /** Position of the last savepoint. */
  private savedPosition = 0
  private readonly write = new MemtableWrite()

  constructor({ hasFloor }: MemtableOptions) {
    const { slabs, entries, table, order } = this
    this.reclaim = hasFloor ? undefined : new Reclaim(slabs, entries, table, order)
  }

  /** Number of keys, including removed keys that hide something or that a snapshot needs. */
  get size(): number {
    return this.table.count
  }

  /** Number of kept changes of all keys; only with a layer below. */
  get changes(): number {
    return this.history.end - 1
  }

  /** Memory of slabs and indexes, bytes. */
  get bytes(): number {
    const { slabs, entries, table, order, history } = this
    return slabs.bytes + entries.bytes + table.bytes + order.bytes + history.bytes
  }

  /** Lower bound of the address of every later change. */
  get position(): number {
    return this.slabs.position
  }

  /** Begins a group and reserves `headerBytes` before its changes. */
  begin(headerBytes: number): void {
    assert(!this.isOpen, 'one group at a time')
    assert(headerBytes === 0 || this.reclaim === undefined, 'what is cleaned is changes only')
    this.isOpen = true
    this.groupChanges = 0
    this.groupRewrites = 0
    this.groupFirst = this.history.end
    this.groupStart = this.position
    this.slabs.begin(headerBytes)
  }

  /** Copies key and value. Pass the hash if it is already known. */
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
   * Header and changes of the group: contiguous ranges in order, as views on the same memory, valid
   * until the group is kept or rolled back.
   */
  pieces(): Bytes[] {
    return this.slabs.pieces()
  }

  keep(): void {
    assert(this.isOpen, 'a group was begun')
    this.isOpen = false
    // If most changes are new, moving the others back costs more than it saves.
    const isWorth = 2 * this.groupRewrites >= this.groupChanges
    if (isWorth && this.reclaim === undefined && this.pins.length === 0) this.moveBack()
    this.slabs.keep()
    this.trim(memtableTrimMax + 2 * this.groupChanges)
    const { history, reclaim } = this
    if (reclaim === undefined || history.front < history.end || this.pins.length > 0) return
    const written = this.position - this.groupStart
    reclaim.clean(Math.min(memtableCleanBytes + 3 * written, memtableCleanBytesMax))
  }

  /** Undoes everything since `begin`. */
  rollback(): void {
    assert(this.isOpen, 'a group was begun')
    this.undo(this.groupFirst)
    this.slabs.rollback()
    this.isOpen = false
    this.groupChanges = 0
  }

  /** Makes a savepoint between two programs of a group. */
  save(): Savepoint {
    assert(this.isOpen, 'a group was begun')
    this.savedPosition = this.position
    return { mark: this.slabs.save(), history: this.history.end, changes: this.groupChanges }
  }

  /** Undoes everything since the savepoint, which consists only of kept in-place writes. */
  returnTo({ mark, history, changes }: Savepoint): void {
    this.undo(history)
    this.slabs.returnTo(mark)
    this.groupChanges = changes
  }

  /** Allocates memory for a put; discards an earlier write that was not kept. */
  beginWrite(keyLength: number, valueLength: number): MemtableWrite {
    const { slabs, write } = this
    const address = slabs.reserve(changeBytes(keyLength, valueLength))
    write.bytes = slabs.at(address)
    write.at = slabs.offset(address)
    write.address = address
    write.keyLength = keyLength
    write.valueLength = valueLength
    return write
  }

  /** Like find, for the key of a write, which can be kept afterwards. */
  seek(write: MemtableWrite): number {
    const { table } = this
    const hash = write.hashKey()
    const slot = table.find(hash, write.bytes, write.keyAt, write.keyLength)
    write.slot = slot
    return slot === -1 ? -1 : table.address(hash, slot)
  }

  /** Like find, for a write of the memtable above this one. */
  findWritten({ hash, bytes, keyAt, keyLength }: MemtableWrite): number {
    const { table } = this
    if (table.count === 0) return -1
    const slot = table.find(hash, bytes, keyAt, keyLength)
    return slot === -1 ? -1 : table.address(hash, slot)
  }

  /**
   * Turns a write into a change, after its key was looked up and its value written. Returns false
   * if it replaced a change of the same program.
   */
  keepWrite(write: MemtableWrite, version: number): boolean {
    const { slabs } = this
    const { bytes, at, address, hash, slot, keyLength, valueLength } = write
    assert(this.isOpen && slabs.position === address, 'nothing was changed since the draft')
    if (slot !== -1 && this.rewriteInPlace(this.table.address(hash, slot), write, version)) {
      return false
    }
    writePutHeader(bytes, at, keyLength, valueLength, version)
    slabs.allocate(changeBytes(keyLength, valueLength))
    this.enter(hash, slot, address, bytes[at + changeHeaderBytes] as number)
    return true
  }

  /** Like remove, for the key of a write that was looked up; ignores its value. */
  dropWrite({ bytes, at, address, hash, slot, keyLength }: MemtableWrite): void {
    const { slabs } = this
    assert(this.isOpen && slabs.position === address, 'nothing was changed since the draft')
    if (this.reclaim !== undefined) {
      if (slot === -1 || this.isRemoved(this.table.address(hash, slot))) return
    }
    writeRemovalHeader(bytes, at, keyLength)
    slabs.allocate(changeBytes(keyLength, 0))
    this.enter(hash, slot, address, bytes[at + changeHeaderBytes] as number)
  }

  /** Undoes all changes from `first` on, newest first. */
  private undo(first: number): void {
    const { history, entries, table, order } = this
    while (history.end > first) {
      const item = history.end - 1
      const id = history.id(item)
      const before = history.before(item)
      const after = history.after(item)
      const hash = history.hash(item)
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
  }

  /** The address of the newest change of a key, optionally before a pinned position; -1 if none. */
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

  /** False if no key of the range's classes was ever written: a scan can be skipped. */
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

  /** Reads the value in place. */
  peekAt<T>(address: number, peek: Peek<T>): T {
    const slab = this.slabs.at(address)
    const offset = this.slabs.offset(address)
    return peek(slab, valueStart(slab, offset), changeEnd(slab, offset))
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

  /** Valid until the next write; includes tombstones. */
  cursor(range: KeyRange, before = Number.POSITIVE_INFINITY): MemtableCursor {
    return new MemtableCursor(this, range, before)
  }

  /**
   * Pins and returns the current position, or the start of an open group. State before it is kept
   * until it is unpinned.
   */
  pin(): number {
    const position = this.isOpen ? this.groupStart : this.position
    this.pins.push(position)
    return position
  }

  unpin(position: number): void {
    const index = this.pins.indexOf(position)
    assert(index !== -1, 'what is unpinned was pinned')
    this.pins.splice(index, 1)
    if (!this.isOpen) this.trim(memtableTrimMax)
  }

  /** Frees the memory; nothing may be read or written afterwards. */
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

  /** `slot` is the slot of the key, or -1. */
  private change(
    hash: number,
    slot: number,
    key: Bytes,
    value: Bytes | undefined,
    version: number,
  ): void {
    assert(this.isOpen, 'changes are made in a group')
    const { slabs, table } = this
    if (slot !== -1 && value !== undefined) {
      const last = table.address(hash, slot)
      if (last >= this.groupStart && this.rewrite(last, key, value, version)) return
    }
    const address = slabs.allocate(changeBytes(key.length, value === undefined ? 0 : value.length))
    writeChange(slabs.at(address), slabs.offset(address), key, value, version)
    this.enter(hash, slot, address, key[0] as number)
  }

  /** Makes the change at `address` the newest of its key, whose first byte is `first`. */
  private enter(hash: number, slot: number, address: number, first: number): void {
    const { entries, table, history } = this
    this.groupChanges++
    const isPinned = this.pins.length > 0
    if (slot !== -1) {
      const known = table.id(hash, slot)
      const before = table.address(hash, slot)
      const fits = isPinned ? undefined : this.fits(before, address)
      if (fits === true) this.groupRewrites++
      history.add(known, hash, before, address, fits)
      entries.move(known, address)
      table.move(hash, slot, address)
      return
    }
    const id = entries.add(address)
    table.insert(hash, id, address)
    this.order.add(id)
    this.countClass(first, 1)
    history.add(id, hash, absent, address, isPinned ? undefined : false)
  }

  /** Whether the last allocated change is as long as the one from before the group. */
  private fits(before: number, address: number): boolean {
    return before < this.groupStart && this.entries.lengthAt(before) === this.position - address
  }

  /**
   * Overwrites an unread put of the same group and length. A key that many programs change, such as
   * the head of a container, is then one change of the group.
   */
  private rewrite(address: number, key: Bytes, value: Bytes, version: number): boolean {
    const slab = this.slabs.at(address)
    const offset = this.slabs.offset(address)
    if (isRemoval(slab, offset) || valueLengthOf(slab, offset) !== value.length) return false
    writeChange(slab, offset, key, value, version)
    return true
  }

  /** Like rewrite, for a put of the same program, which no savepoint includes. */
  private rewriteInPlace(address: number, write: MemtableWrite, version: number): boolean {
    if (address < this.savedPosition) return false
    const { keyLength, valueLength } = write
    const slab = this.slabs.at(address)
    const offset = this.slabs.offset(address)
    if (isRemoval(slab, offset) || valueLengthOf(slab, offset) !== valueLength) return false
    writePutHeader(slab, offset, keyLength, valueLength, version)
    copyChange(write.bytes, write.valueAt, valueLength, slab, valueStart(slab, offset))
    return true
  }

  /**
   * Moves a change of the group into the place of the version it supersedes, if it has the same
   * length and no readers; the others close up. So keys that are rewritten often take no more
   * memory and stay close together.
   */
  private moveBack(): void {
    const { history, slabs, entries, table } = this
    const slab = slabs.groupSlab()
    if (slab === undefined) return
    let free = absent
    for (let item = this.groupFirst; item < history.end; item++) {
      const id = history.id(item)
      const after = history.after(item)
      const before = history.before(item)
      let to = after
      if (entries.address(id) !== after) to = absent
      else {
        const offset = slabs.offset(after)
        const length = changeEnd(slab, offset) - offset
        if (history.fits(item)) {
          to = before
          copyChange(slab, offset, length, slabs.at(before), slabs.offset(before))
        } else if (free !== absent) {
          to = free
          copyChange(slab, offset, length, slab, slabs.offset(free))
          free += length
        }
        if (to !== after) {
          const hash = history.hash(item)
          entries.move(id, to)
          table.move(hash, table.findAddress(hash, after), to)
        }
      }
      if (free === absent && to < after) free = after
    }
    if (free !== absent) slabs.shrink(free)
  }

  /** Releases at most `most` superseded versions that no snapshot needs. */
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
