// Runs commands in programs: several of one connection share one, each as if it ran alone. A
// refused command leaves no trace and the others go on. If one fails while writing, or needs more
// than its share, the program is rolled back and each command runs again in its own program.

import { optimisticReadsMax, programPutsMax } from '../../../base/limits/engine.js'
import { Account } from '../../../base/work/accounts.js'
import { work as budget } from '../../../base/work/work-budget.js'
import { stagedWrite } from '../../../engine/collection/collections.js'
import { type Staged, StagingNeeded } from '../../../engine/collection/staging.js'
import { isWriting } from '../../../engine/keyspace/keyspace.js'
import { ListRuns } from '../../../engine/keyspace/lists/list-runs.js'
import { BlockHints } from '../../../engine/keyspace/sorted-sets/block-hints.js'
import { type KeyEvent, Work } from '../../../engine/keyspace/work.js'
import { mayBeParted, type ObservedStore } from '../../../engine/observed-store.js'
import { preparedWrite } from '../../../engine/prepared-write.js'
import { isRevocable } from '../../../identity/rights/revocation-check.js'
import type { Awaitable, Program, ReadTx, Tx } from '../../../store/store.js'
import { runSweep } from '../../../store/sweep.js'
import type { Transaction } from '../../../store/transactions/transaction.js'
import type { KeyValueSession } from '../clients/session.js'
import { isPutOff, noteReply } from '../reply-bytes.js'
import { NoRoomYet, noSpaces, type RunningCall } from '../running-call.js'
import { clientGone, inOrder, isPassedOver } from './in-order.js'
import { OpenPlaces } from './open-places.js'
import { OptimisticTurns } from './optimistic-turns.js'
import { Outcome } from './outcome.js'
import {
  failAll,
  goesOnPrepared,
  isOutOfReach,
  isRefusal,
  isTooLarge,
  readsTooMuch,
} from './program-errors.js'
import { makingHomeOf, ProgramRights, type ProgramRightsOptions } from './program-rights.js'
import { type Failure, type SharedProgram, SharedWrites } from './shared-writes.js'

/** Reads of one command, at most. A command that reads more becomes an optimistic write. */
export const commandReadsMax = 10_000
/**
 * Each word may become a record that a program puts. A command on one key with more words runs as
 * an optimistic write, with a pause after so many words.
 */
const wordsAtOnceMax = programPutsMax / 2

interface ProgramOptions extends ProgramRightsOptions {
  readonly store: ObservedStore
  /** Whether keyspace events are enabled. */
  readonly notifies: () => boolean
  /** Whether the enabled events include `new` and `keymiss`. */
  readonly notifiesRare: () => boolean
  /** Called with the events of a committed program. */
  readonly announce: (events: readonly KeyEvent[]) => void
  /**
   * Called with each collection whose validator warns of documents that a committed program wrote.
   */
  readonly warnOf: (ns: string, command: string, connection: number) => void
  /** Maximum reply bytes of all commands of one request. */
  readonly replyBytesMax: () => number
}

/** How a program runs, if not plainly. */
interface Manner {
  readonly staged?: Staged | undefined
  readonly before?: Before | undefined
  /** See Work. */
  readonly rewrites?: boolean
  readonly prepares?: boolean
  /** Either all of the commands take effect, or none. */
  readonly isTogether?: boolean
  /** A read or write program that runs again once there is memory. */
  readonly mayWait?: boolean
  /** It is a statement of this transaction, which commits later. */
  readonly transaction?: Pick<Transaction, 'whenAborted'>
  /** Called with the keyspaces that the program opens. */
  readonly keeps?: (places: OpenPlaces) => void
}

/** Work that a program does before its commands: EXEC checks its watched keys. */
export type Before = (places: OpenPlaces) => Program<boolean>

export class Programs {
  /** Look-ups of reading commands since the start: of existing keys and of missing ones. */
  hits = 0
  misses = 0
  /** Number of changing commands since the last SAVE. */
  changed = 0
  private readonly hints = new BlockHints()
  private readonly lists = new ListRuns()
  private readonly shared = new SharedWrites(
    (shared) => this.writeShared(shared),
    (calls, now, error, wasAlone) =>
      wasAlone ? this.writeAgain(calls, now, error) : this.writeAtOnce(calls, now),
  )
  private readonly preparing = new OptimisticTurns()

  readonly rights: ProgramRights

  constructor(private readonly options: ProgramOptions) {
    this.rights = new ProgramRights(options)
  }

  /** Gives each call its reply; synchronously if the store does. Never rejects. */
  read(calls: readonly RunningCall[], now: number): Awaitable<void> {
    const outcome = new Outcome(this.hints)
    const session = calls[0]?.session
    const onPause = () => {
      if (session?.closed === true) throw clientGone()
    }
    try {
      const options = { onPause, account: this.accountOf(calls), ...inOrderOfWrites }
      const program = (tx: ReadTx) => this.run(tx, calls, now, outcome, waiting)
      const read = this.options.store.read(program, options)
      if (read instanceof Promise) {
        return read.then(
          () => this.tell(outcome),
          (error: unknown) => this.readSingly(calls, now, error),
        )
      }
      this.tell(outcome)
    } catch (error) {
      return this.readSingly(calls, now, error)
    }
  }

  /** As read, in one write program; resolves after its commit. */
  write(calls: readonly RunningCall[], now: number): Promise<void> {
    const shared = this.shared.join(calls, now)
    if (shared !== undefined) return shared
    if (calls.some(isLong)) return this.writeLong(calls, now)
    return this.writeAtOnce(calls, now)
  }

  private async writeShared(shared: SharedProgram): Promise<Failure | undefined> {
    const outcome = new Outcome(this.hints)
    try {
      await this.options.store.write((tx) => {
        this.shared.close(shared)
        if (shared.batches > 1) mayBeParted(tx)
        return this.run(tx, shared.calls, shared.now, outcome, waiting)
      }, this.accountOf(shared.calls))
    } catch (error) {
      // The program may never have begun.
      this.shared.close(shared)
      return { error }
    }
    this.tell(outcome)
    return undefined
  }

  /**
   * Runs each command of many words as an optimistic write. If that is impossible or takes too
   * long, the command runs in one program without pauses.
   */
  private async writeLong(calls: readonly RunningCall[], now: number): Promise<void> {
    await inOrder(calls, async (call) => {
      if (isLong(call)) {
        await this.writeInPauses(call, now)
        if (!isOutOfReach(call.error) || isTooLarge(call.error)) return
      }
      await this.writeAtOnce([call], now)
    })
  }

  /**
   * Runs an optimistic write. If it changes too much of one container, it rewrites the container.
   */
  private async writeInPauses(call: RunningCall, now: number): Promise<void> {
    await this.writeOptimistic(call, now, false)
    const isOfOneKey = call.command.row.keys?.[1] === 1
    if (isOfOneKey && isOutOfReach(call.error)) await this.writeOptimistic(call, now, true)
  }

  private writeAtOnce(calls: readonly RunningCall[], now: number): Promise<void> {
    const outcome = new Outcome(this.hints)
    return this.options.store
      .write((tx) => this.run(tx, calls, now, outcome, waiting), this.accountOf(calls))
      .then(
        () => this.tell(outcome),
        (error: unknown) => this.writeAgain(calls, now, error),
      )
  }

  /**
   * Runs commands as one: a failure while writing fails all of them. `before` checks the
   * transaction first; if it returns false, the program ends and returns false.
   */
  async together(
    calls: readonly RunningCall[],
    now: number,
    isWrite: boolean,
    before: Before | undefined,
  ): Promise<boolean> {
    const { store } = this.options
    const outcome = new Outcome(this.hints)
    const program = (tx: ReadTx, staged?: Staged) =>
      this.run(tx, calls, now, outcome, { staged, before, isTogether: true })
    const account = this.accountOf(calls)
    if (!isWrite) return store.read((tx) => program(tx), { account, ...inOrderOfWrites })
    if (calls.length > wordsAtOnceMax) return this.optimistic(calls, now, false, before)
    try {
      const isDone = await this.writeTogether(program, account)
      this.tell(outcome)
      return isDone
    } catch (error) {
      if (!goesOnPrepared(error)) throw error
      return this.optimistic(calls, now, false, before)
    }
  }

  private async writeTogether(
    program: (tx: ReadTx, staged?: Staged) => Program<boolean>,
    account: Account | undefined,
  ): Promise<boolean> {
    const { store } = this.options
    try {
      return await store.write((tx) => program(tx), account)
    } catch (error) {
      if (!(error instanceof StagingNeeded)) throw error
      return runSweep(store, stagedWrite(program, store), undefined, account)
    }
  }

  /** Not asynchronous: the error holds what it would stage, and is not needed any more. */
  private writeAgain(calls: readonly RunningCall[], now: number, error: unknown): Promise<void> {
    const [first] = calls
    if (error instanceof NoRoomYet) {
      return roomFor(calls, error).then(() => {
        if (first?.session.closed !== true) return this.writeAtOnce(calls, now)
        failAll(calls, clientGone())
        return undefined
      })
    }
    if (calls.length > 1) return inOrder(calls, (call) => this.writeAtOnce([call], now))
    if (first !== undefined && error instanceof StagingNeeded) return this.writeStaged(first, now)
    if (first !== undefined && (readsTooMuch(error) || isTooLarge(error))) {
      return this.writeInPauses(first, now)
    }
    failAll(calls, error)
    return Promise.resolve()
  }

  /** A program of a transaction, with an outcome to `tell` after the commit. */
  statement(
    calls: readonly RunningCall[],
    now: number,
    transaction: Pick<Transaction, 'whenAborted'>,
  ): StatementProgram {
    const outcome = new Outcome(this.hints)
    const manner = { isTogether: calls.length > 1, transaction }
    return {
      outcome,
      run: (tx, staged) => this.run(tx, calls, now, outcome, { ...manner, staged }),
    }
  }

  /** What the programs of a transaction sum up to. */
  sum(): Outcome {
    return new Outcome(this.hints)
  }

  /** Writes large values in pieces, before the small program that makes them visible. */
  private async writeStaged(call: RunningCall, now: number): Promise<void> {
    await this.ensurePlaces([call], now)
    const outcome = new Outcome(this.hints)
    const { store } = this.options
    const program = (tx: Tx, staged: Staged) => this.run(tx, [call], now, outcome, { staged })
    try {
      await runSweep(store, stagedWrite(program, store), undefined, this.accountOf([call]))
      this.tell(outcome)
    } catch (error) {
      if (goesOnPrepared(error)) await this.writeInPauses(call, now)
      else call.fail(error)
    }
  }

  /**
   * An optimistic write, for reads that take longer than a write program may. One runs per owner.
   */
  private writeOptimistic(call: RunningCall, now: number, rewrites: boolean): Promise<unknown> {
    return this.optimistic([call], now, rewrites).catch((error: unknown) => call.fail(error))
  }

  /** Returns the result of `before`. */
  private optimistic(
    calls: readonly RunningCall[],
    now: number,
    rewrites: boolean,
    before?: Before,
  ): Promise<boolean> {
    return this.preparing.run(this.accountOf(calls) ?? ownerless, async () => {
      const { store } = this.options
      await this.ensurePlaces(calls, now)
      const outcome = new Outcome(this.hints)
      let lastTwo: readonly OpenPlaces[] = []
      const keeps = (places: OpenPlaces) => {
        lastTwo = [places, ...lastTwo.slice(0, 1)]
      }
      const manner = { rewrites, before, prepares: true, isTogether: true, keeps }
      const sweep = preparedWrite(
        store,
        (tx, staged) => this.run(tx, calls, now, outcome, { ...manner, staged }),
        this.rights.ofPrepared(calls, now, () => lastTwo),
      )
      const isDone = await runSweep(store, sweep, undefined, this.accountOf(calls))
      this.tell(outcome)
      return isDone
    })
  }

  /**
   * Creates the databases of commands that need more than one program, because such a command
   * cannot foresee an id. Only databases that the caller may write to are created.
   */
  private async ensurePlaces(calls: readonly RunningCall[], now: number): Promise<void> {
    if (calls.every(({ place }) => place.space.isMain)) return
    await this.options.store.write((tx) => this.makePlaces(tx, calls, now)).catch(() => undefined)
  }

  private *makePlaces(tx: Tx, calls: readonly RunningCall[], now: number): Program<void> {
    const work = new Work(this.options.bounds, false)
    const places = new OpenPlaces(tx, now, work, makingHomeOf(this.options, calls))
    for (const call of calls) {
      const ks = places.known(call.place) ?? (yield* places.open(call.place))
      this.rights.authorize(call, ks)
      if (call.command.row.databases !== undefined) yield* this.rights.openFurther(call, places)
    }
    yield* places.makeAll()
  }

  /** After a failure that is no refusal, runs each command again by itself. */
  private readSingly(calls: readonly RunningCall[], now: number, error: unknown): Awaitable<void> {
    const isGone = calls[0]?.session.closed === true
    if (error instanceof NoRoomYet && !isGone) {
      return roomFor(calls, error).then(() => this.read(calls, now))
    }
    if (calls.length === 1 || isGone) {
      failAll(calls, isGone ? clientGone() : error)
      return undefined
    }
    return this.readEach(calls, now)
  }

  private async readEach(calls: readonly RunningCall[], now: number): Promise<void> {
    for (const call of calls) if (!call.isRefused) await this.read([call], now)
  }

  tell({ events, hits, misses, changed, hints, invalid, connection }: Outcome): void {
    hints.tell()
    if (invalid !== undefined) {
      for (const [ns, command] of invalid) this.options.warnOf(ns, command, connection)
    }
    this.changed += changed
    this.hits += hits
    this.misses += misses
    if (events.length > 0) this.options.announce(events)
  }

  /** The calls of a program have one owner. A shared program is the operator's. */
  accountOf(calls: readonly RunningCall[]): Account | undefined {
    const { scheduler } = this.options.store
    return scheduler === undefined ? undefined : calls[0]?.session.accountOf(scheduler)
  }

  private *run(
    tx: ReadTx,
    calls: readonly RunningCall[],
    now: number,
    outcome: Outcome,
    manner: Manner = plainly,
  ): Program<boolean> {
    const { before, prepares = false, isTogether = false, transaction, keeps } = manner
    const { options } = this
    const work = this.work(calls, manner)
    work.hints = outcome.hints.begin()
    if (!isWriting(tx)) work.lists = this.lists
    const makingHome = makingHomeOf(options, calls, transaction)
    const places = new OpenPlaces(tx, now, work, makingHome)
    places.keepsEmpty = transaction !== undefined
    keeps?.(places)
    let changed = 0
    /** Its commands behind one that blocks are not due. */
    let blocked: KeyValueSession | undefined
    const [first] = calls
    if (first !== undefined && isRevocable(first.session.identity)) {
      if (!(yield* this.stand(tx, calls, first.session, now))) return true
    }
    if (before !== undefined && !(yield* before(places))) return false
    for (let i = 0; i < calls.length; i++) {
      const call = calls[i] as RunningCall
      if (isPassedOver(call, blocked, isTogether, now)) continue
      if (call.session.replyBytes > 0 && isPutOff(call, now, options.replyBytesMax)) continue
      const { changes, hits, misses } = work
      if (i > 0 && budget.isDue) yield* work.requireTurn(tx, isTogether)
      try {
        const ks = places.known(call.place) ?? (yield* places.open(call.place))
        this.rights.authorize(call, ks)
        places.requireMade(ks)
        if (call.command.row.databases !== undefined) yield* this.rights.openFurther(call, places)
        call.begin(now)
        work.isReading = !call.command.isWrite
        work.gathering = work.isReading ? call : undefined
        work.expecting = call
        work.command = call.name
        work.left = calls.length - i - 1
        call.answer(yield* call.command.run(ks, call))
        if (call.isDeferred) blocked = call.session
        const noting = noteReply(tx, call, call.reply)
        if (noting !== undefined) yield* noting
        if (work.changes !== changes) {
          changed++
          if (places.isUnfinished) places.noteChange(ks, call.spaces)
        }
        if (outcome.connection === 0 && work.invalid !== undefined) {
          outcome.connection = call.session.id
        }
      } catch (thrown) {
        if (thrown instanceof StagingNeeded) yield* this.rights.requireStaging(tx, call, thrown)
        if (work.changes !== changes || !isRefusal(thrown)) throw thrown
        call.fail(thrown)
      }
      call.spaces = noSpaces
      if (call.command.isWrite) {
        // As in Redis, the look-ups of writing commands are not counted.
        work.hits = hits
        work.misses = misses
      }
    }
    if (places.isUnfinished) yield* places.finish()
    else places.settle()
    if (!prepares && isWriting(tx)) yield* this.rights.requireSpace(tx, calls, places)
    outcome.take(work, changed)
    return true
  }

  private work(calls: readonly RunningCall[], manner: Manner): Work {
    const { staged, before, rewrites = false, prepares = false, isTogether = false } = manner
    const work = new Work(this.options.bounds, this.options.notifies(), staged)
    work.rewrites = rewrites
    work.prepares = prepares
    work.keepsReplies = isTogether
    work.mayWait = manner.mayWait === true
    if (prepares) work.readsMax = optimisticReadsMax
    else if (calls.length === 1 && before === undefined) work.readsMax = commandReadsMax
    work.notesRare = this.options.notifiesRare()
    return work
  }

  /** Checks the wallet of these commands again; false if its login is no longer valid. */
  private *stand(
    tx: ReadTx,
    calls: readonly RunningCall[],
    session: KeyValueSession,
    now: number,
  ): Program<boolean> {
    const { identity } = session
    if (!isRevocable(identity)) return true
    try {
      session.current = yield* this.options.revocation.check(tx, identity, now)
      return true
    } catch (thrown) {
      if (!isRefusal(thrown)) throw thrown
      for (const call of calls) {
        if (call.isRefused) continue
        call.begin(now)
        call.fail(thrown)
      }
      return false
    }
  }
}

/** A program of calls that run in a transaction. */
interface StatementProgram {
  readonly outcome: Outcome
  readonly run: (tx: ReadTx, staged?: Staged) => Program<boolean>
}

const plainly: Manner = {}
const waiting: Manner = { mayWait: true }
const inOrderOfWrites = { snapshot: true, serializable: true }
/** For a store without a scheduler, which needs no accounts. */
const ownerless = new Account('')

/** Whether it has more words than a program may put records. */
function isLong({ count, command }: RunningCall): boolean {
  const { grain } = command.row
  return count > wordsAtOnceMax && (grain === 'write' || grain === 'blocking')
}

/** Waits for memory, and holds none: the program may wait for what its earlier commands hold. */
function roomFor(calls: readonly RunningCall[], { until }: NoRoomYet): Promise<void> {
  for (const call of calls) call.postpone()
  return until
}
