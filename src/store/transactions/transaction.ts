// A transaction over several programs: reads of one held state with its own changes, a buffer of
// these changes, savepoints, and a commit that checks and applies everything in one write program.
// It holds no lock, so the first to commit wins. (docs/design/transactions.md, rule 18)

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import { fail, hasKind } from '../../base/errors.js'
import type { Account } from '../../base/work/accounts.js'
import { entryUnits } from '../../base/work/work-figures.js'
import { keyClass } from '../layout.js'
import { hashBytes } from '../memtable/memtable-hash.js'
import type { Change, WriteBuffer } from '../programs/write-buffer.js'
import type {
  Awaitable,
  HeldState,
  HoldOptions,
  LargeChanges,
  Program,
  ProgramRunner,
  ReadOptions,
  ReadTx,
  Tx,
} from '../store.js'
import { applyBuffer, applyChange } from './apply-buffer.js'
import { ChangedKeys, type TransactionStore } from './changed-keys.js'
import { type Hold, isHoldable } from './held-keys.js'
import { Layers } from './layers.js'
import { NumberBlocks } from './number-blocks.js'
import { conflict, ReadSet } from './read-set.js'
import { isLookedAt } from './reads.js'
import { TransactionReadTx, TransactionTx } from './transaction-tx.js'

/**
 * `snapshot`: what it changes must not have changed since its state. `serializable`: nor what it
 * has read.
 */
export type Isolation = 'snapshot' | 'serializable'

/** Changes noted or made between two pauses. */
const changesAtOnce = 500

interface TransactionOptions {
  readonly isolation?: Isolation
  /** Called once, when it has ended in any way. */
  readonly onEnd?: () => void
  /** Called after each program that has changed something. */
  readonly onGrown?: () => void
  /** What is held for this try. */
  readonly hold?: Hold | undefined
}

export function beginTransaction(
  store: TransactionStore,
  options: TransactionOptions = {},
): Awaitable<Transaction> {
  const held = store.hold(holdOf(options))
  return held instanceof Promise
    ? held.then((state) => new Transaction(store, state, options))
    : new Transaction(store, held, options)
}

function holdOf({ isolation }: TransactionOptions): HoldOptions {
  return { serializable: isolation === 'serializable' }
}

export class Transaction {
  private readonly layers = new Layers()
  private readonly blocks: NumberBlocks
  /** The states of what it changes and, if serializable, of what it has read. */
  private readonly rests = new ReadSet()
  private readonly reads: ReadSet | undefined
  /** Keys that the running program puts under the check, beside those that it changes. */
  private readonly asked: Bytes[] = []
  private hasAsked = false
  /** What others have changed since its last renewal, once its own keys are many. */
  private others: ChangedKeys | undefined
  /** Programs that still read the held state. */
  private running = 0
  /** Why it has ended. */
  private over: (() => Error) | undefined
  private isReleased = false
  /** Its changes have been committed. */
  hasCommitted = false
  /** The program of its commit ran, but the store did not confirm it: it may be committed. */
  isUnknown = false
  /** The conflict that has ended it, or the error of its commit. */
  failure: unknown
  /** The keys that it was changing and that other operations have changed. */
  lost: readonly Bytes[] = []
  private undoings: (() => void)[] = []
  private isTold = false

  constructor(
    private readonly store: TransactionStore,
    private held: HeldState,
    private readonly options: TransactionOptions,
  ) {
    this.blocks = new NumberBlocks(store)
    this.reads = options.isolation === 'serializable' ? this.rests : undefined
  }

  /** Memory of its changes, bytes. */
  get bytes(): number {
    return this.layers.bytes
  }

  /** Memory that its state keeps from being freed, bytes. */
  get heldBytes(): number {
    return this.isReleased ? 0 : this.held.heldBytes
  }

  get hasEnded(): boolean {
    return this.over !== undefined
  }

  /** Whether its commit has anything to do: what only reads is valid as of its state. */
  get isEmpty(): boolean {
    return this.layers.isEmpty && !this.hasAsked
  }

  /** A program that has read this key, or counter, makes the commit depend on it. */
  dependOn(key: Bytes): void {
    this.hasAsked = true
    this.asked.push(key)
  }

  /**
   * Continues on the newest committed state, with its own changes. Throws WriteConflict, which ends
   * it, if another operation has changed what it depends on.
   */
  async renew(account?: Account): Promise<void> {
    this.requireOpen()
    if (this.held.isNewest === true) return
    const { rests, store } = this
    // A check of all keys for each statement would cost the square of their number.
    const known = this.others?.areTooMany === false ? this.others.keys : undefined
    if (!rests.isSmall) this.others ??= ChangedKeys.of(store, (name) => rests.has(name))
    const held = await store.hold(holdOf(this.options))
    try {
      if (!rests.isEmpty) await held.read((tx) => rests.check(tx, known), { account })
      this.requireOpen()
    } catch (thrown) {
      held.release()
      if (hasKind(thrown, 'WriteConflict')) this.endLost(thrown as Error)
      throw thrown
    }
    // A program that was interrupted may still be pausing.
    const isUsed = this.running > 0
    const before = isUsed ? held : this.held
    if (!isUsed) this.held = held
    before.release()
  }

  /** As `Store.read`; the program sees the transaction's state and its changes. */
  read<T>(program: (tx: ReadTx) => Program<T>, options: ReadOptions = {}): Awaitable<T> {
    const noted = new Set<string>()
    const outcome = this.run((tx) => this.noting(tx, program, noted), options)
    if (outcome instanceof Promise)
      return outcome.then((value) => this.checked(value, noted, options))
    return noted.size === 0 ? outcome : this.checked(outcome, noted, options)
  }

  private *noting<T>(
    tx: ReadTx,
    program: (tx: ReadTx) => Program<T>,
    noted: Set<string>,
  ): Program<T> {
    const result = yield* program(new TransactionReadTx(tx, this.layers, this.reads))
    if (this.asked.length > 0) yield* this.noteAsked(tx, noted)
    return result
  }

  /**
   * As `Store.write`; the changes are kept if the program returns, and discarded if it throws. It
   * may pause. Throws WriteConflict if another operation has changed the same keys meanwhile: the
   * commit would fail too.
   */
  async write<T>(program: (tx: Tx) => Program<T>, options: ReadOptions = {}): Promise<T> {
    const statement = this.layers.statement()
    const changed = new Set<string>()
    const noted = (tx: ReadTx) => this.noted(tx, program, { statement, changed, options })
    const value = await this.run(noted, options)
    if (changed.size > 0) await this.checkNow(changed, options, statement)
    this.layers.add(statement)
    this.options.onGrown?.()
    return value
  }

  private *noted<T>(
    tx: ReadTx,
    program: (tx: Tx) => Program<T>,
    { statement, changed, options }: Writing,
  ): Program<T> {
    const { layers, rests, reads } = this
    const numbers = this.blocks.of(tx, options.account)
    try {
      const result = yield* program(new TransactionTx(tx, layers, reads, statement, numbers))
      yield* this.noteAsked(tx, changed)
      yield* noteStates(tx, rests, statement.changes, changed)
      numbers.keepUsed()
      return result
    } catch (error) {
      numbers.giveBack()
      throw error
    }
  }

  /** Runs the programs of a command in this transaction. */
  runner(onPause: () => void): ProgramRunner {
    const options = (account: Account | undefined) => ({ onPause, account })
    return {
      read: (program, given) => this.read(program, { ...given, onPause }),
      write: (program, account) => this.write(program, options(account)),
      writeLarge: (program, large, account) =>
        this.write((tx) => withLarge(tx, program, large), options(account)),
    }
  }

  /** The newest savepoint; 0 if there is none. */
  get depth(): number {
    return this.layers.depth
  }

  /** Returns a savepoint for `returnTo` and `release`. */
  save(): number {
    return this.layers.save()
  }

  returnTo(savepoint: number): void {
    this.layers.returnTo(savepoint)
  }

  release(savepoint: number): void {
    this.layers.release(savepoint)
  }

  /**
   * Checks and applies all changes in one write program, with the admission. The transaction ends,
   * whatever the outcome. Throws WriteConflict if another operation has changed what it depends on.
   */
  async commit(admission: Admission = {}, account?: Account): Promise<void> {
    const { rests, layers } = this
    const buffer = await this.run((tx) => layers.flatten(tx), { account })
    this.requireOpen()
    let end: (() => void) | undefined
    try {
      // Made when it is thrown: an error is costly, and each commit comes here.
      this.close(() => ended('has been committed'))
      const changed = rests.isSmall ? undefined : ChangedKeys.of(this.store)
      end = changed?.end
      if (changed !== undefined) {
        await this.store.read((tx) => rests.check(tx), { account })
        if (changed.areTooMany) throw conflict()
      }
      await this.apply(buffer, admission, changed, account)
      this.hasCommitted = true
      this.undoings = []
      this.isUnknown = false
    } catch (thrown) {
      this.failure = thrown
      if (hasKind(thrown, 'WriteConflict')) this.noteLost()
      throw thrown
    } finally {
      end?.()
      this.tellEnd()
    }
  }

  /** Ends it without a trace; programs that run end at their next pause. */
  abort(reason = ended('was aborted')): void {
    this.end(reason)
  }

  /** Calls `undo` when it has ended without a commit: what it did outside of the store. */
  whenAborted(undo: () => void): void {
    this.undoings.push(undo)
  }

  /** Throws why it has ended. */
  requireOpen(): void {
    if (this.over !== undefined) throw this.over()
  }

  private *noteAsked(tx: ReadTx, noted: Set<string>): Program<void> {
    const asked = this.asked.splice(0)
    yield* this.rests.look(tx, asked)
    for (const key of asked) noted.add(mapKey(key))
  }

  private async checked<T>(value: T, noted: ReadonlySet<string>, options: ReadOptions): Promise<T> {
    if (noted.size > 0) await this.checkNow(noted, options)
    return value
  }

  /** A conflict ends the transaction at once. */
  private async checkNow(
    changed: ReadonlySet<string>,
    options: ReadOptions,
    statement?: WriteBuffer,
  ): Promise<void> {
    try {
      await this.store.read((tx) => this.rests.check(tx, changed), options)
    } catch (thrown) {
      if (hasKind(thrown, 'WriteConflict')) this.endLost(thrown as Error, statement)
      throw thrown
    }
  }

  private endLost(conflict: Error, statement?: WriteBuffer): void {
    this.failure = conflict
    this.noteLost(statement)
    this.end(conflict)
  }

  /** What it has only read may be data that it may not write. */
  private noteLost(statement?: WriteBuffer): void {
    this.lost = this.rests.lost.filter((key) => {
      if (!isHoldable(key)) return false
      const hash = hashBytes(key, 0, key.length)
      return (statement?.find(key, hash) ?? this.layers.find(key, hash)) !== undefined
    })
  }

  /** `changed` are the only keys that may differ from what was checked. */
  private apply(
    buffer: WriteBuffer,
    admission: Admission,
    changed: ChangedKeys | undefined,
    account: Account | undefined,
  ): Promise<void> {
    const program = (tx: Tx) => this.applying(tx, buffer, admission, changed)
    if (changed !== undefined) changed.own = program
    this.options.hold?.admit(program)
    if (!buffer.isLarge) return this.store.write(program, account)
    const { changes, appended } = buffer
    return this.store.writeLarge(program, { changes, appended }, account)
  }

  private *applying(
    tx: Tx,
    buffer: WriteBuffer,
    { before, behind }: Admission,
    changed: ChangedKeys | undefined,
  ): Program<void> {
    this.isUnknown = false
    yield* this.rests.check(tx, changed?.keys)
    if (before !== undefined) yield* before(tx)
    const counters = applyBuffer(tx, buffer)
    if (behind !== undefined) yield* behind(tx, counters)
    this.isUnknown = true
  }

  private run<T>(program: (tx: ReadTx) => Program<T>, options: ReadOptions): Awaitable<T> {
    this.requireOpen()
    const { onPause } = options
    const check = () => {
      this.requireOpen()
      onPause?.()
    }
    this.running++
    try {
      const outcome = this.held.read(program, { account: options.account, onPause: check })
      if (!(outcome instanceof Promise)) {
        this.ran()
        return outcome
      }
      return outcome.catch(this.failed).finally(() => this.ran())
    } catch (error) {
      this.ran()
      throw error
    }
  }

  /** A conflict that its state meets in a read ends a serializable transaction. */
  private readonly failed = (thrown: unknown): never => {
    const isLost = this.reads !== undefined && hasKind(thrown, 'WriteConflict')
    if (isLost) this.endLost(thrown as Error)
    throw thrown
  }

  private ran(): void {
    this.running--
    this.releaseIfOver()
  }

  private end(reason: Error): void {
    if (this.over !== undefined) return
    this.close(() => reason)
    this.tellEnd()
  }

  private close(reason: () => Error): void {
    this.over = reason
    this.others?.end()
    this.releaseIfOver()
  }

  private tellEnd(): void {
    if (this.isTold) return
    this.isTold = true
    for (const undo of this.undoings) undo()
    this.options.onEnd?.()
  }

  private releaseIfOver(): void {
    if (this.over === undefined || this.running > 0 || this.isReleased) return
    this.isReleased = true
    this.held.release()
  }
}

/** One write program of the transaction. */
interface Writing {
  readonly statement: WriteBuffer
  /** Names of the keys that it writes or depends on. */
  readonly changed: Set<string>
  readonly options: ReadOptions
}

/** What the commit's program asks its caller; a throw discards everything. */
export interface Admission {
  /** On the current state, after the check and before the changes. */
  readonly before?: (tx: Tx) => Program<unknown>
  /** With the changes; `counters` are those that were added to. A large change is not visible. */
  readonly behind?: (tx: Tx, counters: readonly Bytes[]) => Program<unknown>
}

/** Notes the states of changed keys. Counters commute, so they are left out. */
function* noteStates(
  tx: ReadTx,
  rests: ReadSet,
  changes: readonly Change[],
  changed: Set<string>,
): Program<void> {
  for (let at = 0; at < changes.length; at += changesAtOnce) {
    const keys: Bytes[] = []
    for (let i = at; i < Math.min(at + changesAtOnce, changes.length); i++) {
      const { key } = changes[i] as Change
      if (key[0] === keyClass.count || !isLookedAt(key)) continue
      keys.push(key)
      changed.add(mapKey(key))
    }
    yield* rests.look(tx, keys)
  }
}

function* withLarge<T>(
  tx: Tx,
  program: (tx: Tx) => Program<T>,
  { changes, appended = [], told }: LargeChanges,
): Program<T> {
  const value = yield* program(tx)
  for (const [index, change] of changes.entries()) {
    applyChange(tx, change)
    told?.(change)
    if (index % changesAtOnce === 0) yield* tx.pause(changesAtOnce * entryUnits)
  }
  for (const [index, record] of appended.entries()) {
    tx.append(record)
    if (index % changesAtOnce === 0) yield* tx.pause(changesAtOnce * entryUnits)
  }
  return value
}

function ended(how: string): Error {
  return fail('NoSuchTransaction', `the transaction ${how}`)
}
