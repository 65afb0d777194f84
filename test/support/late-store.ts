// A store that behaves like a remote one at its worst: every question is answered on a later tick,
// every step of a read program is a pause, commits come late, and some runs end in a conflict. It
// validates what a program has read, so concurrent programs are serialisable, and it runs every
// write program twice on one snapshot: whatever is not the same both times is not pure. It drops
// runs of read programs that can run again.

import { isDeepStrictEqual } from 'node:util'
import { type Clock, systemClock } from '../../src/base/clock.js'
import { fail, GatewayError } from '../../src/base/errors.js'
import { programRunsMax } from '../../src/base/limits/engine.js'
import { snapshotKeptMsMax, snapshotsMax } from '../../src/base/limits/store.js'
import { MemoryTables } from '../../src/store/memory.js'
import { isGuessed } from '../../src/store/postgres/guesses.js'
import { keysOf } from '../../src/store/postgres/reads/sharing.js'
import { type Applied, AskingReadTx, AskingTx } from '../../src/store/programs/asking.js'
import { ChangeTimes } from '../../src/store/programs/change-times.js'
import { addCounts, decodeCount, encodeCount } from '../../src/store/programs/counters.js'
import { fetchEach, getEach, getEachVersioned } from '../../src/store/programs/fetching.js'
import { scanWhole } from '../../src/store/programs/group.js'
import { WriteBuffer } from '../../src/store/programs/write-buffer.js'
import { unbounded } from '../../src/store/steps.js'
import type {
  Ask,
  HeldState,
  LargeChanges,
  Program,
  ReadOptions,
  ReadTx,
  Store,
  StoreStats,
  Tx,
} from '../../src/store/store.js'
import type { Snapshot, View } from '../../src/store/tables/tables.js'
import { seededRandom } from './seeded-random.js'

interface LateOptions {
  readonly seed: number
  /** Of a first, second or third run to be told of a conflict that was none; 0 to 1. */
  readonly conflictChance: number
  readonly clock?: Clock
  /** Another gateway over the same state; a state of its own unless given. */
  readonly beside?: LateStore
}

/** What all gateways share: the pairs, the last version, and who has it for itself. */
interface Shared {
  readonly tables: MemoryTables
  version: number
  alone: object | undefined
  /** A hook runs: its writes, of any gateway, do not wait for the program that waits for it. */
  inHook: boolean
}

/** Runs after which a program gets the store for itself, so that crowds come to an end. */
const patientRuns = 4
/** Questions after which a run of a read program may be dropped. */
const droppedAfterMax = 4
/** Later ticks that an answer or a commit may take. */
const delayTicksMax = 2

/** What a run asked and was told, what it changed, and how it ended. */
interface Attempt {
  /** What is asked right before its changes are made, and told right after. */
  readonly applied: readonly Applied[]
  readonly reads: { readonly ask: Ask; readonly answer: unknown }[]
  readonly buffer: WriteBuffer
  readonly end: { readonly value: unknown } | { readonly error: unknown }
}

export class LateStore implements Store {
  /**
   * Called between a made-up conflict and the next run, with the number of that run: a place to
   * change descriptors under a program. Writes made in it are not disturbed in turn.
   */
  betweenRuns: ((run: number) => Promise<void>) | undefined
  /** Called between the end of a run and its commit; writes made in it as above. */
  beforeCommit: (() => Promise<void>) | undefined
  /** Runs of write programs so far, the repeated ones not counted. */
  runs = 0
  private readonly shared: Shared
  private readonly clock: Clock
  private readonly random: () => number
  private readonly conflictChance: number
  private snapshots = 0
  private working = 0
  private closed = false

  constructor(options: LateOptions) {
    this.clock = options.clock ?? systemClock
    this.random = seededRandom(options.seed)
    this.conflictChance = options.conflictChance
    const fresh = { tables: new MemoryTables(), version: 0, alone: undefined, inHook: false }
    this.shared = options.beside?.shared ?? fresh
  }

  async read<T>(make: (tx: ReadTx) => Program<T>, options: ReadOptions = {}): Promise<T> {
    this.requireOpen()
    return this.atWork(async () => {
      if (options.runsAgain === true || options.serializable === true) {
        const ended = await this.firstRun(make, options)
        if (ended !== undefined) return ended.value
      }
      const snapshot = options.snapshot === true ? this.pin() : undefined
      const since = this.clock.elapsed()
      try {
        return await this.drive(make(new AskingReadTx()), (ask) => {
          options.onPause?.()
          if (snapshot !== undefined && this.clock.elapsed() - since > snapshotKeptMsMax) {
            throw fail('SnapshotTooOld', 'the snapshot of this operation is too old')
          }
          return answer(snapshot ?? this.shared.tables.current, ask)
        })
      } finally {
        if (snapshot !== undefined) this.snapshots--
      }
    })
  }

  /**
   * Sometimes, a first run that is dropped at one of its first questions, or at its end if only a
   * guess could have answered its last one. Otherwise a run that ends counts, and is returned.
   */
  private async firstRun<T>(
    make: (tx: ReadTx) => Program<T>,
    options: ReadOptions,
  ): Promise<{ readonly value: T } | undefined> {
    if (this.random() >= this.conflictChance) return undefined
    const program = make(new AskingReadTx())
    const { current } = this.shared.tables
    let left = Math.floor(this.random() * droppedAfterMax)
    const isOrdered = options.serializable === true
    let isGuessing = isOrdered
    let mayGuess = true
    try {
      let next = program.next()
      while (next.done !== true && left-- > 0 && next.value.kind !== 'elsewhere') {
        await this.delay()
        options.onPause?.()
        mayGuess &&= keysOf(next.value) !== undefined
        isGuessing = isOrdered || (mayGuess && takesGuess(next.value))
        next = program.next(answer(current, next.value))
      }
      return next.done === true && !isGuessing ? { value: next.value } : undefined
    } catch {
      // It throws again in the run that counts.
    } finally {
      program.return(undefined as never)
    }
  }

  async hold(): Promise<HeldState> {
    this.requireOpen()
    await this.delay()
    const snapshot = this.shared.tables.snapshot()
    return {
      read: (make, options) =>
        this.atWork(() =>
          this.drive(make(new AskingReadTx()), (ask) => {
            options?.onPause?.()
            return structuredClone(answer(snapshot, ask))
          }),
        ),
      heldBytes: 0,
      release: () => snapshot.release(),
    }
  }

  write<T>(make: (tx: Tx) => Program<T>): Promise<T> {
    return this.writeWith(make, undefined)
  }

  writeLarge<T>(make: (tx: Tx) => Program<T>, large: LargeChanges): Promise<T> {
    return this.writeWith(make, large)
  }

  private async writeWith<T>(
    make: (tx: Tx) => Program<T>,
    large: LargeChanges | undefined,
  ): Promise<T> {
    this.requireOpen()
    return this.atWork(async () => {
      for (let run = 1; run <= programRunsMax; run++) {
        const end = await this.tryRun(make, run, large)
        if (end === undefined) continue
        if ('error' in end) throw end.error
        return end.value as T
      }
      throw fail('WriteConflict', 'the operation conflicts with others, try it again')
    })
  }

  stats(): StoreStats {
    return { type: 'PostgreSQL', sizeBytes: this.shared.tables.stats().sizeBytes }
  }

  async close(): Promise<void> {
    this.closed = true
    while (this.working > 0) await tick()
  }

  /** One run to its commit; undefined where it must be run again. */
  private async tryRun(
    make: (tx: Tx) => Program<unknown>,
    run: number,
    large: LargeChanges | undefined,
  ): Promise<Attempt['end'] | undefined> {
    const undisturbed = this.shared.inHook
    const me = {}
    if (run > patientRuns) await this.takeAlone(me)
    try {
      this.runs++
      const snapshot = this.shared.tables.snapshot()
      const attempt = await this.attempt(make, snapshot)
      requireSame(attempt, this.attemptAtOnce(make, snapshot))
      await this.delay()
      if (run < patientRuns && !undisturbed && this.random() < this.conflictChance) {
        const { betweenRuns } = this
        await this.disturb(betweenRuns && (() => betweenRuns(run + 1)))
        return undefined
      }
      if (!undisturbed) await this.disturb(this.beforeCommit)
      while (this.shared.alone !== me && this.mustWait) await tick()
      const end = this.commit(attempt, large)
      if (end !== undefined) await this.delay()
      return end
    } finally {
      if (this.shared.alone === me) this.shared.alone = undefined
    }
  }

  private async attempt(make: (tx: Tx) => Program<unknown>, view: View): Promise<Attempt> {
    const buffer = new WriteBuffer(() => ++this.shared.version)
    const reads: Attempt['reads'] = []
    try {
      const tx = new AskingTx(buffer)
      const value = await this.drive(make(tx), (ask) => {
        const told = answer(view, ask)
        reads.push({ ask, answer: told })
        return structuredClone(told)
      })
      return { reads, buffer, end: { value }, applied: tx.applied }
    } catch (error) {
      return { ...failed(error), reads }
    }
  }

  private attemptAtOnce(make: (tx: Tx) => Program<unknown>, view: View): Attempt {
    const buffer = new WriteBuffer(() => ++this.shared.version)
    const reads: Attempt['reads'] = []
    try {
      const program = make(new AskingTx(buffer))
      let next = program.next()
      while (next.done !== true) {
        reads.push({ ask: next.value, answer: undefined })
        next = program.next(answer(view, next.value))
      }
      return { reads, buffer, end: { value: next.value }, applied: [] }
    } catch (error) {
      return { ...failed(error), reads }
    }
  }

  private async drive<T>(program: Program<T>, tell: (ask: Ask) => unknown): Promise<T> {
    let next = program.next()
    while (next.done !== true) {
      await this.delay()
      let told: unknown
      try {
        told = tell(next.value)
        if (next.value.kind === 'elsewhere') await next.value.begin('late').done
      } catch (error) {
        next = program.throw(error)
        continue
      }
      next = program.next(told)
    }
    return next.value
  }

  /** Applies what the run changed, if everything it read is still so; else undefined. */
  private commit(
    { reads, buffer, end, applied }: Attempt,
    large: LargeChanges | undefined,
  ): Attempt['end'] | undefined {
    for (const { ask, answer: before } of reads) {
      if (!areSame(answer(this.shared.tables.current, ask), before)) return undefined
    }
    try {
      for (const { check } of applied) check()
    } catch (error) {
      return { error }
    }
    const further = 'error' in end ? [] : (large?.changes ?? [])
    const records = 'error' in end ? [] : (large?.appended ?? [])
    this.shared.tables.commit((view) => {
      for (const { key, value } of [...buffer.changes, ...further]) {
        if (value === undefined) view.remove(key)
        else view.put(key, value, ++this.shared.version)
      }
      for (const addition of buffer.additions?.values() ?? []) {
        const sum = addCounts(decodeCount(view.get(addition.key)), addition)
        view.put(addition.key, encodeCount(sum), 0)
      }
      // Of each commit anew: the last record may be another gateway's.
      const times = new ChangeTimes(this.clock)
      for (const record of [...(buffer.appended ?? []), ...records]) {
        view.put(times.nextKey(view), record, ++this.shared.version)
      }
    })
    for (const { told } of applied) told()
    for (const change of further) large?.told?.(change)
    for (const record of records) large?.toldAppended?.(record)
    return end
  }

  private async disturb(hook: (() => Promise<void>) | undefined): Promise<void> {
    if (hook === undefined) return
    this.shared.inHook = true
    try {
      await hook()
    } finally {
      this.shared.inHook = false
    }
  }

  /** Another program has the store for itself. */
  private get mustWait(): boolean {
    return this.shared.alone !== undefined && !this.shared.inHook
  }

  private async takeAlone(me: object): Promise<void> {
    while (this.mustWait) await tick()
    this.shared.alone ??= me
  }

  private pin(): Snapshot {
    if (this.snapshots >= snapshotsMax) throw fail('SnapshotTooOld', 'too many snapshots are open')
    this.snapshots++
    return this.shared.tables.snapshot()
  }

  private async delay(): Promise<void> {
    await tick()
    for (let more = Math.floor(this.random() * (delayTicksMax + 1)); more > 0; more--) await tick()
  }

  private async atWork<T>(work: () => Promise<T>): Promise<T> {
    this.working++
    try {
      return await work()
    } finally {
      this.working--
    }
  }

  private requireOpen(): void {
    if (this.closed) throw fail('ShutdownInProgress', 'the store is closed')
  }
}

function tick(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** A point read is told with its version; the step keeps what it wants of it. */
function answer(view: View, ask: Ask): unknown {
  switch (ask.kind) {
    case 'get':
      return view.getVersioned(ask.key)
    case 'getMany':
      return getEach(ask.keys, ask.bytesMax, (key) => view.get(key))
    case 'ahead':
      return getEachVersioned(ask.keys, ask.bytesMax, (key) => view.getVersioned(key))
    case 'getVersions':
      return ask.keys.map((key) => view.versionOf(key))
    case 'scan':
      return scanWhole(view, ask.range, ask.limit)
    case 'scanFetch':
      return fetchEach(scanWhole(view, unbounded(ask.range), ask.limit), ask.range, (key) =>
        view.get(key),
      )
    case 'pause':
    case 'elsewhere':
    case 'numbers':
      return undefined
  }
}

function requireSame(first: Attempt, second: Attempt): void {
  const differs = (what: string) =>
    new Error(`assertion failed: a write program is impure: ${what}`)
  const asked = (attempt: Attempt) => attempt.reads.map(({ ask }) => ask)
  if (!areSame(asked(first), asked(second))) throw differs('it reads something else')
  if (!areSame(changed(first), changed(second))) throw differs('it writes something else')
  if (!areSame(ended(first), ended(second))) throw differs('it ends in another way')
}

/** As isDeepStrictEqual, which takes ten times as long over many small pieces of bytes. */
function areSame(one: unknown, other: unknown): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array) {
    return Buffer.compare(one, other) === 0
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => areSame(item, other[at]))
  }
  if (!isPlain(one) || !isPlain(other)) return isDeepStrictEqual(one, other)
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => name in other && areSame(one[name], other[name]))
  )
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  )
}

function changed({ buffer }: Attempt): unknown {
  const plain = buffer.changes.map(({ key, value }) => ({ key, value }))
  const { additions, appended } = buffer
  return { plain, additions: [...(additions?.values() ?? [])], appended }
}

function ended({ end }: Attempt): unknown {
  if (!('error' in end)) return end
  const { error } = end
  if (error instanceof GatewayError) return [error.kind, error.message, error.extra]
  return String(error)
}

/** A run that changes nothing. */
function failed(error: unknown): Attempt {
  return { reads: [], buffer: new WriteBuffer(() => 0), end: { error }, applied: [] }
}

function takesGuess(ask: Ask): boolean {
  return keysOf(ask)?.every(isGuessed) === true
}
