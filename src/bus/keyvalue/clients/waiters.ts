// Clients that block on keys. Each key serves them in order of arrival. A client leaves when it has
// its reply, at its timeout, when it is unblocked, or when it disconnects. A change by any client
// wakes them; each then tries again in its own write program, after that commit.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { mapKey } from '../../../base/bytes/bytes.js'
import { Slice } from '../../../base/bytes/slice.js'
import type { Clock } from '../../../base/clock.js'
import { endsReading } from '../../../base/errors.js'
import { timerMsMax } from '../../../base/limits/engine.js'
import { refuse } from '../../../base/reply-error.js'
import { work } from '../../../base/work/work-budget.js'
import { wordUnits } from '../../../base/work/work-figures.js'
import { WorkTurns } from '../../../base/work/work-turns.js'
import { recordKeyOf } from '../../../engine/keyspace/keys/key-name.js'
import type { Place } from '../../../engine/keyspace/spaces.js'
import type { ObservedStore } from '../../../engine/observed-store.js'
import type { Namespace } from '../../../engine/types.js'
import type { Program, ReadTx } from '../../../store/store.js'
import type { Programs } from '../programs/programs.js'
import { keysOf } from '../row-facts.js'
import type { RunningCall } from '../running-call.js'
import type { KeyValueSession } from './session.js'

/** Work units for a client that starts to wait for a key, and for one that stops. */
const joinedUnits = 40
const leftUnits = 10
/** A command of more words is copied and joined in turns of their own. */
const wordsAtOnce = 10_000

interface WaitersOptions {
  readonly store: ObservedStore
  readonly programs: Programs
  readonly clock: Clock
}

export class Waiters {
  /** The waiters of one key, by place and name. */
  private readonly queues = new Map<Place, Map<string, Queue>>()
  /** Queues with a running pass. */
  private readonly passing = new Set<Queue>()
  private readonly bySession = new Map<KeyValueSession, Waiter>()

  constructor(private readonly options: WaitersOptions) {}

  /** Lets a blocking call wait that found nothing in its first program, until it has its reply. */
  async wait(call: RunningCall): Promise<void> {
    const { row } = call.command
    if (row.grain !== 'blocking') throw new Error(`${row.name} does not block`)
    const timeoutMs = row.timeout(call)
    // Behind the turn of that program, in which a long command has looked at each of its keys.
    const isLong = call.args.count > wordsAtOnce
    if (isLong) await nextTurn()
    call.args = call.args.detach()
    if (isLong) await nextTurn()
    const waiter = new Waiter(call, () => this.attempt(call))
    // It joins the queue before it tries again, so that it misses no change in between.
    await this.join(waiter)
    if (!call.session.closed) waiter.tryAgain()
    await waiter.tried
    // `forget` handles only registered waiters, and it ran before this one was.
    if (call.session.closed) waiter.giveUp()
    if (waiter.isOver) {
      await this.leave(waiter)
      return
    }
    this.bySession.set(call.session, waiter)
    if (timeoutMs > 0) waiter.endAfter(timeoutMs)
    call.session.block()
    await waiter.over
    call.isRefused = false
    call.session.isBlocked = false
    this.bySession.delete(call.session)
    await this.leave(waiter)
  }

  /**
   * CLIENT UNBLOCK: ends the wait as a timeout or with an error. False if the client does not wait.
   */
  unblock(session: KeyValueSession, withError: boolean): boolean {
    const waiter = this.bySession.get(session)
    if (waiter === undefined || !waiter.giveUp()) return false
    if (withError) waiter.call.fail(refuse('UNBLOCKED client unblocked via CLIENT UNBLOCK'))
    return true
  }

  /** Ends the wait of a disconnected client. */
  forget(session: KeyValueSession): void {
    this.bySession.get(session)?.giveUp()
  }

  /**
   * Resolves when all clients that these calls woke have tried, and those that they woke in turn.
   * Undefined if no client waits. As in Redis, a client with the reply of such a call sees no state
   * in between.
   */
  woken(calls: readonly RunningCall[]): Promise<void> | undefined {
    return this.queues.size === 0 ? undefined : this.follow(calls)
  }

  private async follow(calls: readonly RunningCall[]): Promise<void> {
    let changed = calls
    while (changed.length > 0) {
      const served: RunningCall[] = []
      for (const pass of await this.passesOf(changed)) served.push(...(await pass))
      changed = served
    }
  }

  /** Passes over keys of these calls. A command may have hundreds of thousands of keys. */
  private async passesOf(
    calls: readonly RunningCall[],
  ): Promise<ReadonlySet<Promise<readonly RunningCall[]>>> {
    const passes = new Set<Promise<readonly RunningCall[]>>()
    // A pass that ends during a pause counts too.
    const running = runningIn(this.passing)
    if (running.size === 0) return passes
    const turns = new WorkTurns()
    for (const { command, args, place } of calls) {
      const byName = running.get(place)
      if (byName === undefined) continue
      for (const index of keysOf(command.row, args)) {
        work.note(wordUnits)
        if (turns.isDue) await turns.pause()
        const pass = byName.get(mapKey(args.view(index)))
        if (pass !== undefined) passes.add(pass)
      }
    }
    return passes
  }

  /** Tries the call; true if it has its reply. A waiting client ignores a key of another type. */
  private attempt(call: RunningCall): Promise<boolean> {
    call.isWaiting = true
    return this.options.programs.write([call], this.options.clock.now()).then(() => {
      if (call.error !== undefined && !endsReading(call.error)) {
        call.error = undefined
        call.isUnanswered = true
      }
      return !call.isUnanswered
    })
  }

  private async join(waiter: Waiter): Promise<void> {
    const { call } = waiter
    const turns = new WorkTurns()
    for (const index of waitedFor(call)) {
      if (call.session.closed) return
      work.note(joinedUnits)
      if (turns.isDue) await turns.pause()
      const name = Slice.of(call.args.copy(index))
      const { place } = call
      const queues = this.queues.get(place) ?? new Map<string, Queue>()
      this.queues.set(place, queues)
      const key = mapKey(name.bytes)
      let queue = queues.get(key)
      if (queue === undefined) {
        queue = new Queue(place, name)
        queues.set(key, queue)
        await this.observe(queue)
      }
      if (!queue.waiters.includes(waiter)) {
        queue.waiters.push(waiter)
        waiter.queues.push(queue)
      }
    }
  }

  /** Leaves its queues with pauses: a client may wait for hundreds of thousands of keys. */
  private async leave(waiter: Waiter): Promise<void> {
    const turns = new WorkTurns()
    for (const queue of waiter.queues) {
      work.note(leftUnits)
      if (turns.isDue) await turns.pause()
      queue.waiters = queue.waiters.filter((each) => each !== waiter)
      if (queue.waiters.length > 0) continue
      queue.unobserve()
      const queues = this.queues.get(queue.place)
      queues?.delete(mapKey(queue.name.bytes))
      if (queues?.size === 0) this.queues.delete(queue.place)
    }
  }

  /**
   * Observes the key and its database: flushing and swapping change the ids, and so the records.
   */
  private async observe(queue: Queue): Promise<void> {
    const { store } = this.options
    const { place, name } = queue
    const ns = await store.read((tx) => readNamespace(tx, place))
    const wake = () => this.wake(queue)
    // A missing database has no records; only its descriptor reports its creation.
    const stopKey = ns === undefined ? () => {} : store.observeAnywhere(recordKeyOf(ns, name), wake)
    const stopDatabase = store.observeAnywhere(place.key, () => {
      queue.unobserve()
      this.observe(queue).then(wake)
    })
    queue.unobserve = () => {
      stopKey()
      stopDatabase()
    }
  }

  /** Lets the waiters of the key try in order, after any pass that is running. */
  private wake(queue: Queue): void {
    if (queue.isReady) return
    queue.isReady = true
    const pass = (queue.pass ?? Promise.resolve()).then(() => this.serve(queue))
    queue.pass = pass
    this.passing.add(queue)
    pass.then(() => {
      if (queue.pass !== pass) return
      queue.pass = undefined
      this.passing.delete(queue)
    })
  }

  /** Returns the calls that now have their reply. */
  private async serve(queue: Queue): Promise<RunningCall[]> {
    queue.isReady = false
    const served: RunningCall[] = []
    // If one list command finds nothing, the next one will not either.
    const hopeless = new Set<string>()
    for (const waiter of [...queue.waiters]) {
      const { group } = waiter.call.command.row
      if (waiter.isOver || hopeless.has(group)) continue
      waiter.tryAgain()
      await waiter.tried
      if (waiter.isOver) served.push(waiter.call)
      else hopeless.add(group)
    }
    return served
  }
}

/** Indexes of the words that it waits for; keys that it only writes do not matter. */
function waitedFor({ command: { row }, args }: RunningCall): readonly number[] {
  const waits = row.grain === 'blocking' ? row.waitsFor : undefined
  return waits === undefined ? keysOf(row, args) : waits
}

function* readNamespace(tx: ReadTx, place: Place): Program<Namespace | undefined> {
  return yield* place.find(tx)
}

/** Running passes by place and name of the key. */
function runningIn(
  queues: Iterable<Queue>,
): Map<Place, Map<string, Promise<readonly RunningCall[]>>> {
  const running = new Map<Place, Map<string, Promise<readonly RunningCall[]>>>()
  for (const { place, name, pass } of queues) {
    if (pass === undefined) continue
    const byName = running.get(place) ?? new Map<string, Promise<readonly RunningCall[]>>()
    running.set(place, byName.set(mapKey(name.bytes), pass))
  }
  return running
}

class Queue {
  waiters: Waiter[] = []
  /** Whether the key has changed since the waiters last tried. */
  isReady = false
  /** The running pass over its waiters. */
  pass: Promise<readonly RunningCall[]> | undefined
  unobserve: () => void = () => {}

  constructor(
    readonly place: Place,
    readonly name: Slice,
  ) {}
}

class Waiter {
  readonly queues: Queue[] = []
  /** Resolves when the wait is over. */
  readonly over: Promise<void>
  isOver = false
  /** The last attempt. Attempts run one after the other. */
  tried: Promise<void> = Promise.resolve()
  private isTrying = false
  private isWanted = false
  private timer: NodeJS.Timeout | undefined
  private resolve: () => void = () => {}

  constructor(
    readonly call: RunningCall,
    private readonly attempt: () => Promise<boolean>,
  ) {
    this.over = new Promise((resolve) => {
      this.resolve = resolve
    })
  }

  tryAgain(): void {
    this.isWanted = true
    if (!this.isTrying) this.tried = this.try()
  }

  endAfter(ms: number): void {
    if (this.isOver) return
    const part = Math.min(ms, timerMsMax)
    this.timer = setTimeout(() => {
      if (ms > part) this.endAfter(ms - part)
      else this.giveUp()
    }, part)
  }

  /**
   * Ends the wait with the timeout reply. False if an attempt has just found something; an attempt
   * that has not run yet is cancelled.
   */
  giveUp(): boolean {
    const { call } = this
    if (this.isOver || !call.isUnanswered) return false
    call.isRefused = true
    call.reply = call.command.nothingYet
    this.end()
    return true
  }

  private end(): void {
    this.isOver = true
    this.call.isDeferred = false
    clearTimeout(this.timer)
    this.resolve()
  }

  private async try(): Promise<void> {
    this.isTrying = true
    while (this.isWanted && !this.isOver) {
      this.isWanted = false
      if (await this.attempt()) this.end()
    }
    this.isTrying = false
  }
}
