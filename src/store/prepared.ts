// A write program whose reads take longer than a write may: it runs as a read that pauses, on a
// snapshot, and what it would change is kept. A write program then sees whether everything that it
// has looked at is as it was, and changes it. (facts: storage 9, rules 1 and 2)

import { type Bytes, equalBytes } from '../base/bytes.js'
import { fail } from '../base/errors.js'
import { programReadsMax } from '../base/limits.js'
import { isVersioned, keyClass } from './layout.js'
import { Done, requireBounded } from './steps.js'
import type {
  Count,
  Entry,
  Fetched,
  KeyRange,
  Program,
  ReadTx,
  Step,
  Tx,
  Versioned,
} from './store.js'
import { type Change, WriteBuffer } from './write-buffer.js'

/** What a key was: the version of its record, or its bytes where there are none. */
interface Seen {
  readonly key: Bytes
  readonly version: number | undefined
  readonly value: Bytes | undefined
}

export interface Prepared<T> {
  readonly value: T
  readonly seen: readonly Seen[]
  readonly buffer: WriteBuffer
}

/**
 * Runs `program` on what `tx` reads. It may scan only what changes with a record that it gets: the
 * members of a container, whose head is written with every change.
 */
export function* prepare<T>(tx: ReadTx, program: (tx: Tx) => Program<T>): Program<Prepared<T>> {
  const preparing = new Preparing(tx)
  const value = yield* program(preparing)
  return { value, seen: preparing.seen, buffer: preparing.buffer }
}

/** Changes what was prepared; false, and nothing, if something is not as it was seen. */
export function* applyPrepared(tx: Tx, { seen, buffer }: Prepared<unknown>): Program<boolean> {
  for (const { key, version, value } of seen) {
    if (isVersioned(key)) {
      if ((yield* tx.getVersioned(key))?.version !== version) return false
      continue
    }
    const now = yield* tx.get(key)
    if (now === undefined || value === undefined ? now !== value : !equalBytes(now, value)) {
      return false
    }
  }
  for (const change of buffer.changes) apply(tx, change)
  for (const { key, documents, bytes } of buffer.additions?.values() ?? []) {
    tx.add(key, documents, bytes)
  }
  return true
}

function apply(tx: Tx, { key, value }: Change): void {
  if (value === undefined) tx.remove(key)
  else tx.put(key, value)
}

class Preparing implements Tx {
  readonly seen: Seen[] = []
  /** Versions are given when it is applied: nobody sees these. */
  readonly buffer = new WriteBuffer(() => 0)

  constructor(private readonly reading: ReadTx) {}

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
    requireMembers(range)
    return this.reading.scan(range, limit)
  }

  scanFetch(): Step<Fetched[]> {
    throw tooLarge()
  }

  *scanOwn(range: KeyRange, limit: number): Program<Entry[]> {
    requireBounded(limit)
    requireMembers(range)
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

  breathe(work: number): Step<void> {
    return this.reading.breathe(work)
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

  private *look(key: Bytes): Program<Bytes | undefined> {
    if (isVersioned(key)) return (yield* this.lookVersioned(key))?.value
    const value = yield* this.reading.get(key)
    if (key[0] !== keyClass.chunk) this.note({ key, version: undefined, value })
    return value
  }

  private *lookVersioned(key: Bytes): Program<Versioned | undefined> {
    const found = yield* this.reading.getVersioned(key)
    // A member changes with its head.
    if (key[0] !== keyClass.member) this.note({ key, version: found?.version, value: undefined })
    return found
  }

  /** All of it is looked at again in one write program. */
  private note(seen: Seen): void {
    if (this.seen.length >= programReadsMax) throw tooLarge()
    this.seen.push(seen)
  }
}

function requireMembers({ start }: KeyRange): void {
  if (start[0] !== keyClass.member) throw tooLarge()
}

function behind(key: Bytes): Bytes {
  const next = new Uint8Array(key.length + 1)
  next.set(key)
  return next
}

const tooLarge = () => fail('TransactionTooLarge', 'the operation reads too much at once')
