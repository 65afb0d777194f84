// A store that tells when a key has changed, whoever changed it: for clients that are blocked on a
// key of the key-value databases, or watch one, while any protocol may write it. While nobody
// observes, a write costs one look more.

import { type Bytes, mapKey } from '../base/bytes.js'
import { keyClass } from '../store/layout.js'
import type {
  Awaitable,
  Count,
  Entry,
  Fetched,
  KeyRange,
  Program,
  ReadOptions,
  ReadTx,
  Step,
  Store,
  StoreStats,
  Tx,
  Versioned,
} from '../store/store.js'
import { namespaceOfRecord } from './keyspace/expiry.js'

/** Called after a commit that changed the key, in group order; perhaps for nothing. */
export type Changed = () => void

/**
 * Called with the id of the collection in which a record has been put, and whoever put it: one
 * object for all runs of a program.
 */
export type RecordPut = (namespace: number, writer: object) => void

/** Who writes in this transaction, as RecordPut names it; undefined while nobody observes. */
export function writerOf(tx: ReadTx): object | undefined {
  return tx instanceof ObservedTx ? tx.writer : undefined
}

/** Asks `check` when the program of this transaction has run: it throws where that is to fail. */
export function whenRun(tx: ReadTx, check: () => void): void {
  if (tx instanceof ObservedTx) tx.checks.push(check)
}

export class ObservedStore implements Store {
  private readonly observers = new Map<string, Set<Changed>>()
  /** By the id of a collection. */
  private readonly collections = new Map<string, Set<Changed>>()
  /** By what stands in a record key behind the collection's id. */
  private readonly names = new Map<string, Set<RecordPut>>()

  constructor(private readonly inner: Store) {}

  /** Until the function that it answers is called. */
  observe(key: Bytes, changed: Changed): () => void {
    return add(this.observers, mapKey(key), changed)
  }

  /**
   * Tells of puts of records with the name of this one, in whatever collection, as soon as their
   * program has run: the programs behind it in the same group are to know. Perhaps for nothing.
   */
  observePuts(record: Bytes, put: RecordPut): () => void {
    return add(this.names, nameIn(record), put)
  }

  /**
   * Tells of puts and removals of records of one collection, as soon as their program has run: as
   * observePuts. Perhaps for nothing.
   */
  observeRecords(namespace: number, changed: Changed): () => void {
    return add(this.collections, String(namespace), changed)
  }

  read<T>(program: (tx: ReadTx) => Program<T>, options?: ReadOptions): Awaitable<T> {
    return this.inner.read(program, options)
  }

  write<T>(program: (tx: Tx) => Program<T>): Promise<T> {
    return this.inner.write((tx) => (this.isObserved ? this.observed(tx, program) : program(tx)))
  }

  stats(): StoreStats {
    return this.inner.stats()
  }

  close(): Promise<void> {
    return this.inner.close()
  }

  private get isObserved(): boolean {
    return this.observers.size > 0 || this.names.size > 0 || this.collections.size > 0
  }

  private *observed<T>(tx: Tx, program: (tx: Tx) => Program<T>): Program<T> {
    const changed = new Set<Changed>()
    const { observers, names, collections } = this
    const observedTx = new ObservedTx(tx, { observers, names, collections }, changed, program)
    const result = yield* program(observedTx)
    for (const check of observedTx.checks) check()
    for (const tell of observedTx.puts) tell()
    // The group is committed in the same stretch of work: microtasks come after it.
    if (changed.size > 0) {
      queueMicrotask(() => {
        for (const tell of changed) tell()
      })
    }
    return result
  }
}

/** Notes who is to be told of what a program changes. */
class ObservedTx implements Tx {
  /** To be called when the program has run. */
  readonly puts: (() => void)[] = []
  readonly checks: (() => void)[] = []

  constructor(
    private readonly inner: Tx,
    private readonly listed: Listed,
    private readonly changed: Set<Changed>,
    readonly writer: object,
  ) {}

  get(key: Bytes): Step<Bytes | undefined> {
    return this.inner.get(key)
  }

  getVersioned(key: Bytes): Step<Versioned | undefined> {
    return this.inner.getVersioned(key)
  }

  getMany(keys: readonly Bytes[]): Step<(Bytes | undefined)[]> {
    return this.inner.getMany(keys)
  }

  scan(range: KeyRange, limit: number): Step<Entry[]> {
    return this.inner.scan(range, limit)
  }

  scanOwn(range: KeyRange, limit: number): Step<Entry[]> {
    return this.inner.scanOwn(range, limit)
  }

  scanFetch(range: KeyRange, limit: number): Step<Fetched[]> {
    return this.inner.scanFetch(range, limit)
  }

  count(key: Bytes): Step<Count> {
    return this.inner.count(key)
  }

  breathe(work: number): Step<void> {
    return this.inner.breathe(work)
  }

  put(key: Bytes, value: Bytes): void {
    this.note(key)
    if (this.listed.names.size > 0 && key[0] === keyClass.record) this.notePut(key)
    this.inner.put(key, value)
  }

  remove(key: Bytes): void {
    this.note(key)
    this.inner.remove(key)
  }

  add(key: Bytes, documents: number, bytes: number): void {
    this.inner.add(key, documents, bytes)
  }

  private note(key: Bytes): void {
    const { observers, collections } = this.listed
    if (collections.size > 0 && key[0] === keyClass.record) this.noteRecord(key)
    if (observers.size === 0) return
    for (const changed of observers.get(mapKey(key)) ?? nobody) this.changed.add(changed)
  }

  private noteRecord(key: Bytes): void {
    for (const tell of this.listed.collections.get(String(namespaceOfRecord(key))) ?? nobody) {
      this.puts.push(tell)
    }
  }

  private notePut(key: Bytes): void {
    const told = this.listed.names.get(nameIn(key))
    if (told === undefined) return
    const namespace = namespaceOfRecord(key)
    this.puts.push(() => {
      for (const tell of told) tell(namespace, this.writer)
    })
  }
}

type Observers<T> = ReadonlyMap<string, ReadonlySet<T>>

/** Who is to be told. */
interface Listed {
  readonly observers: Observers<Changed>
  readonly names: Observers<RecordPut>
  readonly collections: Observers<Changed>
}

const nobody: ReadonlySet<Changed> = new Set()

/** Class and id of a record key. */
const recordHeadBytes = 5

function nameIn(record: Bytes): string {
  return mapKey(record.subarray(recordHeadBytes))
}

function add<T>(observers: Map<string, Set<T>>, name: string, observer: T): () => void {
  const known = observers.get(name) ?? new Set()
  observers.set(name, known.add(observer))
  return () => {
    known.delete(observer)
    if (known.size === 0 && observers.get(name) === known) observers.delete(name)
  }
}
