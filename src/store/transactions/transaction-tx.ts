// What a program of a transaction reads and writes: the transaction's state with the changes that
// it has made so far. As in a plain program, a scan does not see the changes of its own program.
// (docs/design/transactions.md, rules 3 and 18)

import type { Bytes } from '../../base/bytes/bytes.js'
import { hashBytes } from '../memtable/memtable-hash.js'
import { fetchScanned, getInSteps } from '../programs/fetching.js'
import type { Change, WriteBuffer } from '../programs/write-buffer.js'
import { readAheadIn } from '../read-ahead.js'
import { Done, Postponed, requireBounded } from '../steps.js'
import type {
  Count,
  Elsewhere,
  Entry,
  Fetched,
  KeyRange,
  Numbers,
  Program,
  ReadTx,
  Step,
  Tx,
  Versioned,
} from '../store.js'
import { type Layers, type Scan, scanOver } from './layers.js'
import type { ReadSet } from './read-set.js'

export class TransactionReadTx implements ReadTx {
  protected readonly stored: Scan

  constructor(
    protected readonly reading: ReadTx,
    protected readonly layers: Layers,
    private readonly reads: ReadSet | undefined,
  ) {
    this.stored =
      reads === undefined
        ? (range, limit) => reading.scan(range, limit)
        : (range, limit) => reads.scan(reading, range, limit)
  }

  /** Whether every read is noted: then a counter must not stand for a scan. */
  get notesReads(): boolean {
    return this.reads !== undefined
  }

  get(key: Bytes): Step<Bytes | undefined> {
    const own = this.find(key)
    if (own !== undefined) return new Done(own.value?.slice())
    return this.reads === undefined ? this.reading.get(key) : this.reads.get(this.reading, key)
  }

  getVersioned(key: Bytes): Step<Versioned | undefined> {
    const own = this.find(key)
    if (own === undefined) {
      const { reads, reading } = this
      return reads === undefined ? reading.getVersioned(key) : reads.getVersioned(reading, key)
    }
    const { value, version } = own
    return new Done(value === undefined ? undefined : { value: value.slice(), version })
  }

  getMany(
    keys: readonly Bytes[],
    bytesMax = Number.POSITIVE_INFINITY,
  ): Step<(Bytes | undefined)[]> {
    if (this.reads === undefined && !this.hasOwn) return this.reading.getMany(keys, bytesMax)
    return getInSteps(keys, bytesMax, (some) => this.getAll(some))
  }

  private *getAll(keys: readonly Bytes[]): Program<(Bytes | undefined)[]> {
    if (this.reads !== undefined) {
      yield* readAheadIn(
        this.reading,
        keys.filter((key) => this.find(key) === undefined),
      )
      const found: (Bytes | undefined)[] = []
      for (const key of keys) found.push(yield* this.get(key))
      return found
    }
    const own = keys.map((key) => this.find(key))
    const asked = keys.filter((_key, index) => own[index] === undefined)
    const told = yield* this.reading.getMany(asked)
    let next = 0
    return own.map((change) => (change === undefined ? told[next++] : change.value?.slice()))
  }

  get readAhead(): ReadTx['readAhead'] {
    const { reading } = this
    if (reading.readAhead === undefined) return undefined
    return (keys, bytesMax) => readAheadIn(reading, keys, bytesMax)
  }

  *getVersions(keys: readonly Bytes[]): Program<(number | undefined)[]> {
    const own = keys.map((key) => this.find(key))
    const asked = keys.filter((_key, index) => own[index] === undefined)
    if (this.reads !== undefined) yield* this.reads.look(this.reading, asked)
    const told = yield* this.reading.getVersions(asked)
    let next = 0
    return own.map((change) => {
      if (change === undefined) return told[next++]
      return change.value === undefined ? undefined : change.version
    })
  }

  scan(range: KeyRange, limit: number): Step<Entry[]> {
    requireBounded(limit)
    return this.layers.scan(this.stored, range, limit)
  }

  scanFetch(range: KeyRange, limit: number): Step<Fetched[]> {
    if (this.reads === undefined && !this.hasOwn) return this.reading.scanFetch(range, limit)
    return fetchScanned(this, range, limit)
  }

  /** Plans and quotas read counters, so that a transaction never depends on one. */
  *count(key: Bytes): Program<Count> {
    return this.layers.count(key, yield* this.reading.count(key))
  }

  pause(units?: number): Step<void> {
    return this.reading.pause(units)
  }

  elsewhere(work: Elsewhere): Step<void> {
    return this.reading.elsewhere(work)
  }

  protected get hasOwn(): boolean {
    return !this.layers.isEmpty
  }

  protected find(key: Bytes): Change | undefined {
    return this.layers.find(key, hashBytes(key, 0, key.length))
  }
}

export class TransactionTx extends TransactionReadTx implements Tx {
  constructor(
    reading: ReadTx,
    layers: Layers,
    reads: ReadSet | undefined,
    private readonly statement: WriteBuffer,
    readonly numbers: Numbers,
  ) {
    super(reading, layers, reads)
  }

  scanOwn(range: KeyRange, limit: number): Step<Entry[]> {
    requireBounded(limit)
    const scan: Scan = (inner, most) => this.layers.scan(this.stored, inner, most)
    return scanOver(this.statement, scan)(range, limit)
  }

  override *count(key: Bytes): Program<Count> {
    const below = yield* super.count(key)
    return this.statement.count(key, () => below)
  }

  /** A write program has no detached work, so the same refusals apply. */
  override elsewhere(work: Elsewhere): Step<void> {
    // A plain write program would run again when this is done; this one can wait.
    if (work.refusal instanceof Postponed) return this.reading.elsewhere(work)
    throw work.refusal
  }

  put(key: Bytes, value: Bytes): void {
    this.statement.put(key, value)
  }

  remove(key: Bytes): void {
    this.statement.remove(key)
  }

  add(key: Bytes, documents: number, bytes: number): void {
    this.statement.add(key, documents, bytes)
  }

  added(key: Bytes): Count {
    return this.statement.added(key)
  }

  append(value: Bytes): void {
    this.statement.append(value)
  }

  readonly announce = (event: object): void => this.statement.announce(event)

  protected override get hasOwn(): boolean {
    return !this.statement.isEmpty || super.hasOwn
  }

  protected override find(key: Bytes): Change | undefined {
    const hash = hashBytes(key, 0, key.length)
    return this.statement.find(key, hash) ?? this.layers.find(key, hash)
  }
}
