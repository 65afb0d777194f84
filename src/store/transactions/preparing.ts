// Optimistic writes. A write program whose reads take longer than a write may runs as a read that
// pauses, on a snapshot, and its changes are kept. If nothing that it read has changed since, a
// write program applies them. (docs/design/transactions.md, rules 1 and 2)

import type { Bytes } from '../../base/bytes/bytes.js'
import { keyClass } from '../layout.js'
import { getInSteps } from '../programs/fetching.js'
import { type BufferBounds, largeBounds, WriteBuffer } from '../programs/write-buffer.js'
import { readAheadIn } from '../read-ahead.js'
import { Done, Postponed, requireBounded } from '../steps.js'
import type {
  Count,
  Elsewhere,
  Entry,
  Fetched,
  KeyRange,
  Program,
  ReadTx,
  Step,
  Tx,
  Versioned,
} from '../store.js'
import { type Scan, scanOver } from './layers.js'
import { type Reads, readsTooMuch } from './reads.js'

export interface Prepared<T> {
  readonly value: T
  /** What the program read: none of it may have changed since. */
  readonly reads: Reads
  readonly buffer: WriteBuffer
}

/**
 * Which scans are allowed. `members`: only members, which change with their head. `noted`: any
 * range, which is recorded. `headed`: any range, unrecorded, if the program gets a record that is
 * put with every change in that range.
 */
type Scans = 'members' | 'noted' | 'headed'

/**
 * Runs `program` on the reads of `tx`. It may scan only ranges that change with a record that it
 * gets: the members of a container, whose head is written with every change.
 */
export function* prepare<T>(
  tx: ReadTx,
  reads: Reads,
  program: (tx: Tx) => Program<T>,
): Program<Prepared<T>> {
  const preparing = new Preparing(tx, reads, 'members', largeBounds)
  return preparing.end(yield* program(preparing))
}

/**
 * The transaction of a program being prepared: it reads through `reading` and keeps its changes.
 */
export class Preparing implements Tx {
  /** Versions are assigned when the changes are applied; those here are never seen. */
  private readonly buffer: WriteBuffer

  /** Scans of the store, and with the own changes. */
  private readonly stored: Scan
  private readonly merged: Scan

  constructor(
    private readonly reading: ReadTx,
    private readonly reads: Reads,
    private readonly scans: Scans = 'members',
    bounds?: BufferBounds,
  ) {
    this.buffer = new WriteBuffer(() => 0, bounds)
    this.stored = (range, limit) => this.scanStored(range, limit)
    this.merged = scanOver(this.buffer, this.stored)
  }

  /** Returns the program's result with its reads and changes. */
  end<T>(value: T): Prepared<T> {
    const { reads, buffer } = this
    return { value, reads, buffer }
  }

  get(key: Bytes): Step<Bytes | undefined> {
    const own = this.buffer.find(key)
    return own === undefined ? this.reads.get(this.reading, key) : new Done(own.value?.slice())
  }

  getVersioned(key: Bytes): Step<Versioned | undefined> {
    const own = this.buffer.find(key)
    if (own === undefined) return this.reads.getVersioned(this.reading, key)
    const { value, version } = own
    return new Done(value === undefined ? undefined : { value: value.slice(), version })
  }

  getMany(
    keys: readonly Bytes[],
    bytesMax = Number.POSITIVE_INFINITY,
  ): Step<(Bytes | undefined)[]> {
    return getInSteps(keys, bytesMax, (some) => this.getAll(some))
  }

  private *getAll(keys: readonly Bytes[]): Program<(Bytes | undefined)[]> {
    yield* readAheadIn(
      this.reading,
      keys.filter((key) => this.buffer.find(key) === undefined),
    )
    const found: (Bytes | undefined)[] = []
    for (const key of keys) found.push(yield* this.get(key))
    return found
  }

  get readAhead(): ReadTx['readAhead'] {
    const { reading } = this
    if (reading.readAhead === undefined) return undefined
    return (keys, bytesMax) => readAheadIn(reading, keys, bytesMax)
  }

  /** For checks alone, which a program that is being prepared does not make. */
  getVersions(): Step<(number | undefined)[]> {
    throw readsTooMuch()
  }

  scan(range: KeyRange, limit: number): Step<Entry[]> {
    return this.scanStored(range, limit)
  }

  scanFetch(): Step<Fetched[]> {
    throw readsTooMuch()
  }

  scanOwn(range: KeyRange, limit: number): Step<Entry[]> {
    requireBounded(limit)
    return this.merged(range, limit)
  }

  count(): Step<Count> {
    throw readsTooMuch()
  }

  pause(units?: number): Step<void> {
    return this.reading.pause(units)
  }

  /** The prepared program is a write program, so the same refusals apply. */
  elsewhere(away: Elsewhere): Step<void> {
    // A write program would be run again after this; a prepared one can wait for it.
    if (away.refusal instanceof Postponed) return this.reading.elsewhere(away)
    throw away.refusal
  }

  put(key: Bytes, value: Bytes): void {
    this.buffer.put(key, value)
  }

  remove(key: Bytes): void {
    this.buffer.remove(key)
  }

  add(key: Bytes, documents: number, bytes: number): void {
    this.buffer.add(key, documents, bytes)
  }

  added(key: Bytes): Count {
    return this.buffer.added(key)
  }

  append(value: Bytes): void {
    this.buffer.append(value)
  }

  private scanStored(range: KeyRange, limit: number): Step<Entry[]> {
    const isMembers = range.start[0] === keyClass.member
    if (isMembers || this.scans === 'headed') return this.reading.scan(range, limit)
    if (this.scans === 'members') throw readsTooMuch()
    return this.reads.scan(this.reading, range, limit)
  }
}
