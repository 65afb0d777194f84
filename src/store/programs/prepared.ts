// Optimistic writes. A write program whose reads take longer than a write may runs as a read that
// pauses, on a snapshot, and its changes are kept. If nothing that it read has changed since, a
// write program applies them. (docs/design/transactions.md, rules 1 and 2)

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { optimisticReadsMax } from '../../base/limits/engine.js'
import { keyClass } from '../layout.js'
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
import { KeyRanges } from './key-ranges.js'
import { type BufferBounds, type Change, largeBounds, WriteBuffer } from './write-buffer.js'

export interface Prepared<T> {
  readonly value: T
  /** Keys that the program read, in mapKey form: none may have changed since. */
  readonly seen: ReadonlySet<string>
  /** Ranges that it scanned: no key in them may have changed either. */
  readonly ranges: KeyRanges
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
export function* prepare<T>(tx: ReadTx, program: (tx: Tx) => Program<T>): Program<Prepared<T>> {
  const preparing = new Preparing(tx, 'members', largeBounds)
  return preparing.end(yield* program(preparing))
}

/** Applies the prepared changes. */
export function applyPrepared(tx: Tx, { buffer }: Prepared<unknown>): void {
  for (const change of buffer.changes) apply(tx, change)
  for (const { key, documents, bytes } of buffer.additions?.values() ?? []) {
    tx.add(key, documents, bytes)
  }
}

/** Whether a change of this key can invalidate prepared writes: members change with their head. */
export function isLookedAt(key: Bytes): boolean {
  return key[0] !== keyClass.member && key[0] !== keyClass.chunk
}

function apply(tx: Tx, { key, value }: Change): void {
  if (value === undefined) tx.remove(key)
  else tx.put(key, value)
}

/**
 * The transaction of a program being prepared: it reads through `reading` and keeps its changes.
 */
export class Preparing implements Tx {
  private readonly seen = new Set<string>()
  private readonly ranges = new KeyRanges()
  /** Versions are assigned when the changes are applied; those here are never seen. */
  private readonly buffer: WriteBuffer

  constructor(
    private readonly reading: ReadTx,
    private readonly scans: Scans = 'members',
    bounds?: BufferBounds,
  ) {
    this.buffer = new WriteBuffer(() => 0, bounds)
  }

  /** Returns the program's result with its reads and changes. */
  end<T>(value: T): Prepared<T> {
    const { seen, ranges, buffer } = this
    return { value, seen, ranges, buffer }
  }

  get(key: Bytes): Step<Bytes | undefined> {
    const own = this.buffer.find(key)
    return own === undefined ? this.look(key) : new Done(own.value?.slice())
  }

  getVersioned(key: Bytes): Step<Versioned | undefined> {
    const own = this.buffer.find(key)
    if (own === undefined) return this.lookVersioned(key)
    const { value, version } = own
    return new Done(value === undefined ? undefined : { value: value.slice(), version })
  }

  *getMany(keys: readonly Bytes[]): Program<(Bytes | undefined)[]> {
    const found: (Bytes | undefined)[] = []
    for (const key of keys) found.push(yield* this.get(key))
    return found
  }

  scan(range: KeyRange, limit: number): Step<Entry[]> {
    this.noteRange(range)
    return this.reading.scan(range, limit)
  }

  scanFetch(): Step<Fetched[]> {
    throw tooLarge()
  }

  *scanOwn(range: KeyRange, limit: number): Program<Entry[]> {
    requireBounded(limit)
    this.noteRange(range)
    const own = this.buffer.ownWrites(range, limit)
    const stored: Entry[] = []
    let { start, end } = range
    while (stored.length < own.wanted) {
      const most = Math.min(own.wanted - stored.length, limit)
      const some = yield* this.reading.scan({ ...range, start, end }, most)
      stored.push(...some)
      const last = some.at(-1)
      if (last === undefined || some.length < most) break
      if (range.reverse === true) end = last.key
      else start = behind(last.key)
    }
    return own.merge(stored)
  }

  count(): Step<Count> {
    throw tooLarge()
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

  private look(key: Bytes): Step<Bytes | undefined> {
    this.note(key)
    return this.reading.get(key)
  }

  private lookVersioned(key: Bytes): Step<Versioned | undefined> {
    this.note(key)
    return this.reading.getVersioned(key)
  }

  private note(key: Bytes): void {
    if (!isLookedAt(key)) return
    if (this.seen.size >= optimisticReadsMax) throw tooLarge()
    this.seen.add(mapKey(key))
  }

  private noteRange(range: KeyRange): void {
    if (range.start[0] === keyClass.member || this.scans === 'headed') return
    if (this.scans === 'members' || this.ranges.count >= optimisticReadsMax) throw tooLarge()
    this.ranges.add(range)
  }
}

function behind(key: Bytes): Bytes {
  const next = new Uint8Array(key.length + 1)
  next.set(key)
  return next
}

const tooLarge = () => fail('TransactionTooLarge', 'the operation reads too much at once')
