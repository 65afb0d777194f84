// One write group. Its programs run in order, and each sees the changes of the earlier ones. The
// sums of their counters are written once.

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import { assert, fail } from '../../base/errors.js'
import { copyOf } from '../../base/heap/slab.js'
import { keyBytesMax } from '../../base/limits/store.js'
import { work } from '../../base/work/work-budget.js'
import {
  entryUnits,
  readBytesPerUnit,
  writeStretchUnits,
  writeTurnUnits,
} from '../../base/work/work-figures.js'
import { holdsData, isVersioned, keyClass } from '../layout.js'
import type { MemtableWrite } from '../memtable/in-place-write.js'
import type { Savepoint } from '../memtable/memtable.js'
import { hashBytes } from '../memtable/memtable-hash.js'
import { Done, nothing, requireBounded, unbounded } from '../steps.js'
import type {
  Count,
  Elsewhere,
  Entry,
  Fetched,
  InPlace,
  InPlaceWrite,
  KeyChange,
  KeyRange,
  Peek,
  Program,
  Step,
  Tx,
  Versioned,
} from '../store.js'
import type { GroupView, View } from '../tables/tables.js'
import type { ChangeTimes } from './change-times.js'
import { addCounts, decodeCount, encodeCount } from './counters.js'
import { fetchEach, getEach } from './fetching.js'
import { OwnPages } from './own-pages.js'
import { type Additions, addTo, type Change, WriteBuffer } from './write-buffer.js'

export type WriteProgram = (tx: Tx) => Program<unknown>

/** The outcome of a program: its result, or the error that it threw. */
export interface Outcome {
  readonly failed: boolean
  readonly value: unknown
}

export class Group {
  /** Bytes changed so far by this group. */
  bytes = 0
  private readonly view: GroupView
  private readonly nextVersion: () => number
  /** Why programs that add data are refused, if they are. */
  private readonly onlyDeletes: string | undefined
  private readonly additions: Additions = new Map()
  /** Taken before the first in-place put of the running program. */
  private savepoint: Savepoint | undefined

  constructor(
    view: GroupView,
    nextVersion: () => number,
    onlyDeletes: string | undefined,
    private readonly times: ChangeTimes,
  ) {
    this.view = view
    this.nextVersion = nextVersion
    this.onlyDeletes = onlyDeletes
  }

  run(program: WriteProgram): Outcome {
    const buffer = new WriteBuffer(this.nextVersion)
    this.savepoint = undefined
    let value: unknown
    work.begin(writeTurnUnits, writeStretchUnits)
    try {
      const end = program(new Writing(this.view, this, buffer)).next()
      assert(end.done === true, 'a write program on an embedded store runs to its end at once')
      if (this.onlyDeletes !== undefined) requireDelete(buffer, this.onlyDeletes)
      value = end.value
    } catch (error) {
      if (this.savepoint !== undefined) this.view.memtable.returnTo(this.savepoint)
      return { failed: true, value: error }
    } finally {
      work.end()
    }
    this.apply(buffer)
    return { failed: false, value }
  }

  /** Throws OutOfDiskSpace if these changes add data while only removals are accepted. */
  requireTaken(changes: readonly KeyChange[]): void {
    const { onlyDeletes } = this
    if (onlyDeletes === undefined) return
    for (const { key, value } of changes) {
      if (value !== undefined && holdsData(key)) throw fail('OutOfDiskSpace', onlyDeletes)
    }
  }

  /** Applies one change that no program has buffered. */
  take(change: KeyChange | undefined): void {
    if (change === undefined) return
    const { key, value } = change
    if (value === undefined) this.view.remove(key)
    else this.view.put(key, value, this.nextVersion())
    if (key[0] === keyClass.count) this.additions.delete(mapKey(key))
  }

  /** Applies one record of the change log. */
  append(record: Bytes): void {
    const { view, times } = this
    view.put(times.nextKey(view), record, this.nextVersion())
    this.bytes += record.length
  }

  /** Makes a savepoint to undo the in-place writes of the running program. */
  save(): void {
    this.savepoint ??= this.view.memtable.save()
  }

  /** A counter with the additions of this group's earlier programs. */
  count(key: Bytes): Count {
    return addCounts(decodeCount(this.view.get(key)), this.additions.get(mapKey(key)))
  }

  writeCounters(): void {
    for (const { key } of this.additions.values()) {
      this.view.put(key, encodeCount(this.count(key)), 0)
    }
  }

  private apply(buffer: WriteBuffer): void {
    const { view, additions } = this
    const { changes } = buffer
    for (let i = 0; i < changes.length; i++) {
      const { key, value, version, hash } = changes[i] as Change
      if (value !== undefined) view.put(key, value, version, hash)
      else view.remove(key, hash)
      if (key[0] === keyClass.count) additions.delete(mapKey(key))
    }
    if (buffer.additions !== undefined) {
      for (const addition of buffer.additions.values()) addTo(additions, addition)
    }
    if (buffer.appended !== undefined) for (const record of buffer.appended) this.append(record)
    this.bytes += buffer.bytes
  }
}

/** Deletes and drops are accepted even when the disk is almost full, because they free space. */
function requireDelete({ puts, removes, changes }: WriteBuffer, reason: string): void {
  if (puts || (changes.length > 0 && !removes)) throw fail('OutOfDiskSpace', reason)
}

/** A whole scan: write programs do not pause. */
export function scanWhole(view: View, range: KeyRange, limit: number): Entry[] {
  const { entries, rest } = view.scan(range, limit)
  for (let next = rest; next !== undefined; ) {
    const more = view.scan(next, limit - entries.length)
    entries.push(...more.entries)
    next = more.rest
  }
  return entries
}

function isInPlaceClass(first: number | undefined): boolean {
  return first === keyClass.record || first === keyClass.member
}

/** The transaction of one write program; every step completes at once. */
class Writing implements Tx, InPlace {
  private readonly view: GroupView
  private readonly group: Group
  private readonly buffer: WriteBuffer
  /** A program usually writes the key that it read last, so its hash is kept. */
  private lookedAt: Bytes | undefined
  private lookedHash = 0
  private write: MemtableWrite | undefined
  /** The buffered change of the write's key, if any: then the write is buffered too. */
  private bufferedBefore: Change | undefined

  constructor(view: GroupView, group: Group, buffer: WriteBuffer) {
    this.view = view
    this.group = group
    this.buffer = buffer
  }

  /**
   * A program with many changes is buffered from some point on, since there each key counts once.
   */
  get inPlace(): InPlace | undefined {
    return this.buffer.hasInPlaceRoom ? this : undefined
  }

  get(key: Bytes): Step<Bytes | undefined> {
    return new Done(this.getNow(key))
  }

  getVersioned(key: Bytes): Step<Versioned | undefined> {
    assert(isVersioned(key), 'only some classes carry versions')
    const own = this.buffer.find(key)
    if (own === undefined) return new Done(this.view.getVersioned(key))
    const { value, version } = own
    return new Done(value === undefined ? undefined : { value: value.slice(), version })
  }

  getMany(
    keys: readonly Bytes[],
    bytesMax = Number.POSITIVE_INFINITY,
  ): Step<(Bytes | undefined)[]> {
    return new Done(getEach(keys, bytesMax, (key) => this.getNow(key)))
  }

  getVersions(keys: readonly Bytes[]): Step<(number | undefined)[]> {
    work.note(keys.length * entryUnits)
    const { buffer, view } = this
    return new Done(
      keys.map((key) => {
        const own = buffer.find(key)
        if (own === undefined) return view.versionOf(key)
        return own.value === undefined ? undefined : own.version
      }),
    )
  }

  scan(range: KeyRange, limit: number): Step<Entry[]> {
    return new Done(this.scanNow(range, limit))
  }

  scanFetch(range: KeyRange, limit: number): Step<Fetched[]> {
    const entries = this.scanNow(unbounded(range), limit)
    return new Done(fetchEach(entries, range, (key) => this.getNow(key)))
  }

  scanOwn(range: KeyRange, limit: number): Step<Entry[]> {
    requireBounded(limit)
    const { bytesMax } = range
    if (bytesMax !== undefined && this.buffer.changes.length > 0) {
      return new Done(this.scanPages(new OwnPages(this.buffer, range, limit, bytesMax)))
    }
    const own = this.buffer.ownWrites(range, limit)
    return new Done(own.merge(this.scanStored(range, own.wanted)))
  }

  private scanPages(pages: OwnPages): Entry[] {
    for (let page = pages.next(); page !== undefined; page = pages.next()) {
      pages.take(page, this.scanNow(page.range, page.limit))
    }
    return pages.entries
  }

  count(key: Bytes): Step<Count> {
    return new Done(this.buffer.count(key, () => this.group.count(key)))
  }

  /** A write program cannot pause: exceeding the budget is an error. */
  pause(units = 0): Step<void> {
    work.spend(units)
    return nothing
  }

  /** A write program cannot wait for work elsewhere. */
  elsewhere({ refusal }: Elsewhere): never {
    throw refusal
  }

  begin(keyBytes: number, valueBytes: number): InPlaceWrite {
    assert(keyBytes > 0 && keyBytes <= keyBytesMax, 'a key fits the store')
    this.group.save()
    this.write = this.view.memtable.beginWrite(keyBytes, valueBytes)
    return this.write
  }

  peekUnder<T>(peek: Peek<T>): T | undefined {
    const write = this.write as MemtableWrite
    const { bytes, keyAt, keyLength } = write
    const found = this.view.peekUnder(write, peek)
    const own = this.buffer.findAt(bytes, keyAt, keyLength, write.hash)
    this.bufferedBefore = own
    if (own === undefined) return found
    const { value } = own
    return value === undefined ? undefined : peek(value, 0, value.length)
  }

  seek(): void {
    const write = this.write as MemtableWrite
    this.view.seek(write)
    const { bytes, keyAt, keyLength, hash } = write
    this.bufferedBefore = this.buffer.findAt(bytes, keyAt, keyLength, hash)
  }

  keep(bytesOfValue?: number): void {
    const write = this.write as MemtableWrite
    if (bytesOfValue !== undefined) write.valueLength = bytesOfValue
    const { bytes, keyAt, valueAt, keyLength, valueLength } = write
    assert(isInPlaceClass(bytes[keyAt]), 'what is written directly is a record or a member')
    if (this.bufferedBefore !== undefined) {
      this.put(write.key(), bytes.slice(valueAt, valueAt + valueLength))
      return
    }
    const { buffer } = this
    const isFurther = this.view.memtable.keepWrite(write, buffer.nextInPlace())
    if (isFurther) buffer.noteInPlace(keyLength + valueLength)
  }

  drop(): void {
    const write = this.write as MemtableWrite
    const { bytes, keyAt, keyLength } = write
    assert(isInPlaceClass(bytes[keyAt]), 'what is written directly is a record or a member')
    if (this.bufferedBefore !== undefined) {
      this.remove(write.key())
      return
    }
    this.buffer.noteInPlaceRemoval(keyLength)
    this.view.memtable.dropWrite(write)
  }

  put(key: Bytes, value: Bytes): void {
    noteEntry(value)
    this.buffer.put(key, value, this.hashOf(key))
  }

  remove(key: Bytes): void {
    work.note(entryUnits)
    this.buffer.remove(key, this.hashOf(key))
  }

  add(key: Bytes, documents: number, bytes: number): void {
    this.buffer.add(key, documents, bytes)
  }

  added(key: Bytes): Count {
    return this.buffer.added(key)
  }

  append(value: Bytes): void {
    noteEntry(value)
    this.buffer.append(value)
  }

  private getNow(key: Bytes): Bytes | undefined {
    const hash = hashBytes(key, 0, key.length)
    this.lookedAt = key
    this.lookedHash = hash
    const own = this.buffer.find(key, hash)
    const value = own === undefined ? this.view.get(key, hash) : own.value
    noteEntry(value)
    return own === undefined || value === undefined ? value : copyOf(value, 0, value.length)
  }

  private hashOf(key: Bytes): number {
    return key === this.lookedAt ? this.lookedHash : hashBytes(key, 0, key.length)
  }

  private scanNow(range: KeyRange, limit: number): Entry[] {
    requireBounded(limit)
    return this.scanStored(range, limit)
  }

  private scanStored(range: KeyRange, limit: number): Entry[] {
    const entries = scanWhole(this.view, range, limit)
    for (const { value } of entries) noteEntry(value)
    return entries
  }
}

/**
 * Counts an entry that was read or put. Its own size is bounded, so the next operation is refused.
 */
function noteEntry(value: Bytes | undefined): void {
  const bytes = value === undefined ? 0 : value.length
  work.note(entryUnits + bytes / readBytesPerUnit)
}
