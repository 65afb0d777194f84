// A store that reports when any client changed a key: for clients that are blocked on a key of the
// key-value databases, or watch one, while any protocol may write it. Without observers a write
// costs one check more.

import { type Bytes, mapKey } from '../base/bytes/bytes.js'
import type { Account } from '../base/work/accounts.js'
import type { Scheduler } from '../base/work/scheduler.js'
import type { Exchange } from '../store/exchange.js'
import { type ClusterTime, keyClass } from '../store/layout.js'
import { PassingTx } from '../store/passing-tx.js'
import { Postponed } from '../store/steps.js'
import type {
  Awaitable,
  Gateways,
  HeldState,
  HoldOptions,
  KeyChange,
  LargeChanges,
  Program,
  ReadOptions,
  ReadTx,
  Store,
  StoreStats,
  Tx,
} from '../store/store.js'
import type { HeldKeys } from '../store/transactions/held-keys.js'
import type { HeldReads } from '../store/transactions/held-reads.js'
import { decodeChange, isAt, isRename, placeBytes, watchKeysOf } from './changes/change-record.js'
import { namespaceOfRecord } from './keyspace/keys/expiry.js'
import type { RemoteHolds } from './remote-holds.js'
import type { RemoteWakes } from './remote-wakes.js'

/** Called after a commit that changed the key, in group order; perhaps for nothing. */
type Changed = () => void

/**
 * Called with the id of the collection in which a record was put, and its writer: one
 * object for all runs of a program.
 */
type RecordPut = (namespace: number, writer: object) => void

/** Called with every key that is put or removed, and its writer. */
type KeyChanged = (key: Bytes, writer: object) => void

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

/**
 * The program writes for several clients and can be run for each of them alone: it fails with
 * MayBeParted where it would wait long for a held key, which only one of them may have written.
 */
export function mayBeParted(tx: ReadTx): void {
  if (tx instanceof ObservedTx) tx.isParted = true
}

/** See `mayBeParted`. */
class MayBeParted extends Error {}

interface EventObserver {
  /** Whether events are wanted now. */
  isOn(): boolean
  tell(events: readonly object[]): void
}

export class ObservedStore implements Store {
  private readonly observers = new Map<string, Set<Changed>>()
  /** By the id of a collection. */
  private readonly collections = new Map<string, Set<Changed>>()
  /** By what stands in a record key behind the collection's id. */
  private readonly names = new Map<string, Set<RecordPut>>()
  private readonly all = new Set<KeyChanged>()
  /** Optimistic writes that are running: each holds what it has read and what others change. */
  optimistic = 0

  /** Events that committed programs have announced. */
  events: EventObserver | undefined = undefined

  /** Keys for which writers have to wait: of transactions, and of long commands. */
  held: HeldKeys | undefined = undefined
  heldReads: HeldReads | undefined = undefined

  /** Holds at the other gateways of the store; undefined if there can be none. */
  remoteHolds: RemoteHolds | undefined = undefined

  /** Of the other gateways of the store; undefined if there can be none. */
  wakes: RemoteWakes | undefined = undefined

  constructor(private readonly inner: Store) {}

  /** Until the function that it answers is called. */
  observe(key: Bytes, changed: Changed): () => void {
    return add(this.observers, mapKey(key), changed)
  }

  /** As observe, also of changes by other gateways, and more often for nothing. */
  observeAnywhere(key: Bytes, changed: Changed): () => void {
    const stop = this.observe(key, changed)
    const stopElsewhere = this.wakes?.want(key, changed)
    if (stopElsewhere === undefined) return stop
    return () => {
      stop()
      stopElsewhere()
    }
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

  read<T>(program: (tx: ReadTx) => Program<T>, options?: ReadOptions): Awaitable<T> {
    return this.inner.read(program, options)
  }

  hold(options?: HoldOptions): Awaitable<HeldState> {
    return this.inner.hold(options)
  }

  get ownsData(): boolean {
    return this.inner.ownsData === true
  }

  get gateways(): Gateways | undefined {
    return this.inner.gateways
  }

  changeTime(): ClusterTime | undefined {
    return this.inner.changeTime?.()
  }

  get exchange(): Exchange | undefined {
    return this.inner.exchange
  }

  get scheduler(): Scheduler | undefined {
    return this.inner.scheduler
  }

  write<T>(program: (tx: Tx) => Program<T>, account?: Account): Promise<T> {
    if (this.events?.isOn() === true) return this.writeWithEvents(program, account)
    const write = () =>
      this.inner.write((tx) => {
        // If it is applied later, an observer may be added in between.
        const isObserved = this.isObserved || tx.whenApplied !== undefined
        return isObserved ? this.observed(tx, program) : program(tx)
      }, account)
    return this.ownsData ? write() : this.waiting(write)
  }

  /** A store in this process runs a program again that has to wait; for others it is done here. */
  private waiting<T>(write: () => Promise<T>): Promise<T> {
    return write().catch((thrown: unknown) => {
      if (!(thrown instanceof Postponed)) throw thrown
      return thrown.until.then(() => this.waiting(write))
    })
  }

  private writeWithEvents<T>(
    program: (tx: Tx) => Program<T>,
    account: Account | undefined,
  ): Promise<T> {
    let events: readonly object[] = []
    const write = () =>
      this.inner.write((tx) => {
        // A program that runs again announces again.
        const announced: object[] = []
        events = announced
        return this.observed(tx, program, announced)
      }, account)
    const written = this.ownsData ? write() : this.waiting(write)
    return written.then((value) => {
      if (events.length > 0) this.events?.tell(events)
      return value
    })
  }

  writeLarge<T>(
    program: (tx: Tx) => Program<T>,
    large: LargeChanges,
    account?: Account,
  ): Promise<T> {
    const { held, heldReads } = this
    const blocking =
      (held?.isOn === true ? held.blocking(program, keysOf(large)) : undefined) ??
      heldReads?.blocking(program, keysOf(large))
    if (blocking !== undefined) return blocking.then(() => this.writeLarge(program, large, account))
    const changed = new Set<Changed>()
    const told = (change: KeyChange) => {
      large.told?.(change)
      this.tellChange(change, program, changed)
    }
    const places = new Places()
    const toldAppended = (record: Bytes) => {
      for (const key of places.newKeysOf(record)) {
        this.tellChange({ key, value: record }, program, changed)
      }
    }
    let events: readonly object[] = []
    const isTold = this.events?.isOn() === true
    const observed = (tx: Tx): Program<T> => {
      const announced: object[] = []
      events = announced
      return this.observed(tx, program, isTold ? announced : undefined)
    }
    return this.inner
      .writeLarge(observed, { ...large, told, toldAppended }, account)
      .then((value) => {
        for (const tell of changed) tell()
        if (events.length > 0) this.events?.tell(events)
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
    const { observers, names, collections, all, held, heldReads } = this
    if (held?.isOn === true || heldReads?.isOn === true) return true
    if (this.wakes?.isAsked === true) return true
    return observers.size > 0 || names.size > 0 || collections.size > 0 || all.size > 0
  }

  private *observed<T>(tx: Tx, program: (tx: Tx) => Program<T>, announced?: object[]): Program<T> {
    const observedTx = new ObservedTx(tx, program, announced)
    const result = yield* program(observedTx)
    const check = () => {
      this.check(observedTx)
      this.tellRun(observedTx)
    }
    const told = () => this.tellCommitted(observedTx)
    if (tx.whenApplied !== undefined) {
      tx.whenApplied(check, told)
      return result
    }
    check()
    told()
    return result
  }

  /** A throw keeps the changes from being applied. */
  private check(tx: ObservedTx): void {
    const { checks } = tx
    this.requireFree(tx)
    for (const check of checks) check()
  }

  /** The program has run: those behind it in its group are to know what it changed. */
  private tellRun({ puts, removals, writer }: ObservedTx): void {
    for (const changed of this.all)
      for (const keys of [puts, removals]) for (const key of keys) changed(key, writer)
    for (const key of puts) {
      this.tellRecord(key)
      this.tellPut(key, writer)
    }
    for (const key of removals) this.tellRecord(key)
  }

  /** What a program has changed is being applied, or is committed. */
  private tellCommitted({ puts, removals }: ObservedTx): void {
    if (this.wakes?.isAsked === true) {
      this.wakes.tell(puts)
      this.wakes.tell(removals)
    }
    if (this.observers.size === 0) return
    const changed = new Set<Changed>()
    for (const keys of [puts, removals]) {
      for (const key of keys) {
        for (const tell of this.observers.get(mapKey(key)) ?? noObservers) changed.add(tell)
      }
    }
    if (changed.size === 0) return
    // What is applied is committed in the same stretch of work: microtasks come after it.
    queueMicrotask(() => {
      for (const tell of changed) tell()
    })
  }

  /** Throws Postponed if a key is held for another writer, or MayBeParted. */
  private requireFree({ puts, removals, writer, isParted }: ObservedTx): void {
    const { held, heldReads } = this
    if (held?.isOn === true) {
      const blocking = held.blocking(writer, puts) ?? held.blocking(writer, removals)
      if (blocking !== undefined) throw new Postponed(blocking)
    }
    if (heldReads?.isOn !== true) return
    const blocking = heldReads.blocking(writer, puts) ?? heldReads.blocking(writer, removals)
    if (blocking === undefined) return
    throw isParted ? new MayBeParted() : new Postponed(blocking)
  }

  /** One of many was made; who is to hear of it behind the last one is added to `changed`. */
  private tellChange({ key, value }: KeyChange, writer: object, changed: Set<Changed>): void {
    for (const tell of this.all) tell(key, writer)
    this.tellRecord(key)
    if (value !== undefined) this.tellPut(key, writer)
    if (this.wakes?.isAsked === true) this.wakes.tell([key])
    if (this.observers.size === 0) return
    for (const tell of this.observers.get(mapKey(key)) ?? noObservers) changed.add(tell)
  }

  private tellRecord(key: Bytes): void {
    const { collections } = this
    if (collections.size === 0 || key[0] !== keyClass.record) return
    for (const tell of collections.get(String(namespaceOfRecord(key))) ?? noObservers) tell()
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
  private readonly places = new Places()
  /** See `mayBeParted`. */
  isParted = false
  /** To be asked when the program has run. */
  readonly checks: (() => void)[] = []

  constructor(
    inner: Tx,
    readonly writer: object,
    private readonly announced: object[] | undefined,
  ) {
    super(inner)
  }

  override get announce(): ((event: object) => void) | undefined {
    const { announced } = this
    return announced === undefined ? undefined : (event) => announced.push(event)
  }

  override put(key: Bytes, value: Bytes): void {
    this.puts.push(key)
    this.inner.put(key, value)
  }

  override remove(key: Bytes): void {
    this.removals.push(key)
    this.inner.remove(key)
  }

  /** Its key is made at the commit: observers of the log observe what it tells of. */
  override append(value: Bytes): void {
    this.puts.push(...this.places.newKeysOf(value))
    this.inner.append(value)
  }
}

/** The places of which records of the change log tell: most tell of the same as the one before. */
class Places {
  private last: Bytes | undefined

  /** What observers of the record's place observe; none if it is that of the last record. */
  newKeysOf(record: Bytes): readonly Bytes[] {
    const { last } = this
    if (last !== undefined && !isRename(record) && isAt(record, last)) return []
    const { db, name } = decodeChange(record)
    this.last = placeBytes(db, name)
    return watchKeysOf(record)
  }
}

const noObservers: ReadonlySet<Changed> = new Set()

/** Class and id of a record key. */
const recordHeadBytes = 5

function* keysOf({ changes }: LargeChanges): Generator<Bytes> {
  for (const { key } of changes) yield key
}

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
