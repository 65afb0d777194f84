// A store that reports when any client changed a key: for clients that are blocked on a key of the
// key-value databases, or watch one, while any protocol may write it. Without observers a write
// costs one check more.

import { type Bytes, mapKey } from '../base/bytes/bytes.js'
import type { Account } from '../base/work/accounts.js'
import type { Scheduler } from '../base/work/scheduler.js'
import { keyClass } from '../store/layout.js'
import { PassingTx } from '../store/passing-tx.js'
import type {
  Awaitable,
  KeyChange,
  LargeChanges,
  Program,
  ReadOptions,
  ReadTx,
  Store,
  StoreStats,
  Tx,
} from '../store/store.js'
import { namespaceOfRecord } from './keyspace/keys/expiry.js'

/** Called after a commit that changed the key, in group order; perhaps for nothing. */
type Changed = () => void

/**
 * Called with the id of the collection in which a record was put, and its writer: one
 * object for all runs of a program.
 */
type RecordPut = (namespace: number, writer: object) => void

/** Called with every key that is put or removed. */
type KeyChanged = (key: Bytes) => void

/** Who writes in this transaction, as RecordPut names it; undefined without observers. */
export function writerOf(tx: ReadTx): object | undefined {
  return tx instanceof ObservedTx ? tx.writer : undefined
}

/**
 * Asks `check` when the program of this transaction has run and its changes are to be made: it
 * throws where that is to fail.
 */
export function whenRun(tx: ReadTx, check: () => void): void {
  if (tx instanceof ObservedTx) tx.checks.push(check)
}

export class ObservedStore implements Store {
  private readonly observers = new Map<string, Set<Changed>>()
  /** By the id of a collection. */
  private readonly collections = new Map<string, Set<Changed>>()
  /** By what stands in a record key behind the collection's id. */
  private readonly names = new Map<string, Set<RecordPut>>()
  private readonly all = new Set<KeyChanged>()

  constructor(private readonly inner: Store) {}

  /** Until the function that it answers is called. */
  observe(key: Bytes, changed: Changed): () => void {
    return add(this.observers, mapKey(key), changed)
  }

  /**
   * Tells of puts of records with the name of this one, in whatever collection, as soon as they are
   * applied: the programs behind it in the same group are to know. Perhaps for nothing.
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

  /** Tells of every change, as soon as its program has run: as observePuts. Perhaps for nothing. */
  observeAll(changed: KeyChanged): () => void {
    this.all.add(changed)
    return () => this.all.delete(changed)
  }

  /** How many are told of every change: each keeps what it was told of. */
  get toldOfAll(): number {
    return this.all.size
  }

  read<T>(program: (tx: ReadTx) => Program<T>, options?: ReadOptions): Awaitable<T> {
    return this.inner.read(program, options)
  }

  get scheduler(): Scheduler | undefined {
    return this.inner.scheduler
  }

  write<T>(program: (tx: Tx) => Program<T>, account?: Account): Promise<T> {
    return this.inner.write((tx) => {
      // If it is applied later, an observer may be added in between.
      const isObserved = this.isObserved || tx.whenApplied !== undefined
      return isObserved ? this.observed(tx, program) : program(tx)
    }, account)
  }

  writeLarge<T>(
    program: (tx: Tx) => Program<T>,
    large: LargeChanges,
    account?: Account,
  ): Promise<T> {
    const changed = new Set<Changed>()
    const told = (change: KeyChange) => {
      large.told?.(change)
      this.tellChange(change, program, changed)
    }
    return this.inner
      .writeLarge((tx) => this.observed(tx, program), { changes: large.changes, told }, account)
      .then((value) => {
        for (const tell of changed) tell()
        return value
      })
  }

  stats(): StoreStats {
    return this.inner.stats()
  }

  close(): Promise<void> {
    return this.inner.close()
  }

  private get isObserved(): boolean {
    const { observers, names, collections, all } = this
    return observers.size > 0 || names.size > 0 || collections.size > 0 || all.size > 0
  }

  private *observed<T>(tx: Tx, program: (tx: Tx) => Program<T>): Program<T> {
    const observedTx = new ObservedTx(tx, program)
    const result = yield* program(observedTx)
    const told = () => this.tell(observedTx)
    if (tx.whenApplied === undefined) told()
    else tx.whenApplied(told)
    return result
  }

  /** What a program has changed is being applied. */
  private tell({ checks, puts, removals, writer }: ObservedTx): void {
    for (const check of checks) check()
    for (const changed of this.all)
      for (const keys of [puts, removals]) for (const key of keys) changed(key)
    for (const key of puts) {
      this.tellRecord(key)
      this.tellPut(key, writer)
    }
    for (const key of removals) this.tellRecord(key)
    if (this.observers.size === 0) return
    const changed = new Set<Changed>()
    for (const keys of [puts, removals]) {
      for (const key of keys) {
        for (const tell of this.observers.get(mapKey(key)) ?? nobody) changed.add(tell)
      }
    }
    if (changed.size === 0) return
    // What is applied is committed in the same stretch of work: microtasks come after it.
    queueMicrotask(() => {
      for (const tell of changed) tell()
    })
  }

  /** One of many was made; who is to hear of it behind the last one is added to `changed`. */
  private tellChange({ key, value }: KeyChange, writer: object, changed: Set<Changed>): void {
    for (const tell of this.all) tell(key)
    this.tellRecord(key)
    if (value !== undefined) this.tellPut(key, writer)
    if (this.observers.size === 0) return
    for (const tell of this.observers.get(mapKey(key)) ?? nobody) changed.add(tell)
  }

  private tellRecord(key: Bytes): void {
    const { collections } = this
    if (collections.size === 0 || key[0] !== keyClass.record) return
    for (const tell of collections.get(String(namespaceOfRecord(key))) ?? nobody) tell()
  }

  private tellPut(key: Bytes, writer: object): void {
    const { names } = this
    if (names.size === 0 || key[0] !== keyClass.record) return
    const told = names.get(nameIn(key))
    if (told === undefined) return
    const namespace = namespaceOfRecord(key)
    for (const tell of told) tell(namespace, writer)
  }
}

/** Notes what a program changes. */
class ObservedTx extends PassingTx {
  readonly puts: Bytes[] = []
  readonly removals: Bytes[] = []
  /** To be asked when the program has run. */
  readonly checks: (() => void)[] = []

  constructor(
    inner: Tx,
    readonly writer: object,
  ) {
    super(inner)
  }

  override put(key: Bytes, value: Bytes): void {
    this.puts.push(key)
    this.inner.put(key, value)
  }

  override remove(key: Bytes): void {
    this.removals.push(key)
    this.inner.remove(key)
  }
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
