// The threads that compute heavy documents (detached.ts). Owners take turns and have one thread at
// a time, so one client's long documents leave a thread for others. A document that takes too long,
// or is no longer needed, terminates its thread. (docs/design/fairness.md)

import type { Bytes } from '../base/bytes/bytes.js'
import { systemClock } from '../base/clock.js'
import { fail, GatewayError } from '../base/errors.js'
import { heavyDocumentBytesMax, heavyDocumentMsMax } from '../base/limits/documents.js'
import { type Account, Accounts } from '../base/work/accounts.js'
import { FairQueue } from '../base/work/fair-queue.js'
import { IdleThread } from '../base/work/idle-thread.js'
import type { Cell, DetachedJob, FailureData, RecipeData } from './detached.js'

/** Threads for heavy documents. An owner uses one at a time, so another owner finds a free one. */
const heavyDocumentThreads = 2
/** Idle time after which such a thread ends, milliseconds. */
const heavyDocumentIdleMs = 30_000

export interface DetachedTask {
  readonly recipe: number
  /** Undefined if the thread already has the recipe. */
  readonly data: RecipeData | undefined
  readonly document: Bytes
}

export interface DetachedAnswer {
  readonly cells: readonly Cell[]
  readonly failure?: FailureData | undefined
  /** The recipes that the thread has. */
  readonly known: readonly number[]
}

/** A job, with the program that waits for it. */
interface Waiting {
  readonly job: DetachedJob
  readonly account: Account
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
  /** Whether its program stopped waiting. */
  isOver: boolean
  thread?: DetachedThread
}

class DetachedThread {
  isBusy = false
  private known: ReadonlySet<number> = new Set()
  private readonly thread = new IdleThread<DetachedTask, DetachedAnswer>({
    file: new URL('./detached-worker.js', import.meta.url),
    name: 'heavy documents',
    idleMs: heavyDocumentIdleMs,
    gone: 'one document took more memory than a thread has for it',
    resourceLimits: { maxOldGenerationSizeMb: heavyDocumentBytesMax / (1_024 * 1_024) },
  })

  async run({ recipe, document, accept }: DetachedJob): Promise<void> {
    const { thread } = this
    const knows = thread.isRunning && this.known.has(recipe.id)
    const own = new Uint8Array(document)
    const task = { recipe: recipe.id, data: knows ? undefined : recipe.data, document: own }
    this.isBusy = true
    const timer = setTimeout(() => this.end(tookTooLong()), heavyDocumentMsMax)
    try {
      const { cells, failure, known } = await thread.ask(task, [own.buffer])
      this.known = new Set(known)
      if (failure !== undefined) {
        throw new GatewayError(failure.error, failure.message, failure.extra)
      }
      accept(cells)
    } finally {
      clearTimeout(timer)
      this.isBusy = false
    }
  }

  end(error: GatewayError): void {
    this.thread.end(error)
  }
}

function tookTooLong(): GatewayError {
  const seconds = heavyDocumentMsMax / 1_000
  const text = `operation exceeded time limit: one document took longer than ${seconds} seconds`
  return fail('MaxTimeMSExpired', text)
}

class DetachedThreads {
  private readonly accounts = new Accounts()
  /** At most one job per owner; none of owners that have a thread. */
  private readonly queue = new FairQueue<Waiting>(this.accounts)
  /** Further jobs of owners that are queued or have a thread. */
  private readonly behind = new Map<Account, Waiting[]>()
  private readonly threads = Array.from(
    { length: heavyDocumentThreads },
    () => new DetachedThread(),
  )
  private isBeginning = false

  /** Runs the job when its owner's turn comes. */
  begin(job: DetachedJob, owner: string): { done: Promise<void>; end(): void } {
    const account = this.accounts.of(owner)
    let waiting: Waiting | undefined
    const done = new Promise<void>((resolve, reject) => {
      waiting = { job, account, resolve, reject, isOver: false }
    })
    this.add(waiting as unknown as Waiting)
    return { done, end: () => end(waiting as unknown as Waiting) }
  }

  private add(waiting: Waiting): void {
    const others = this.behind.get(waiting.account)
    if (others !== undefined) {
      others.push(waiting)
      return
    }
    this.behind.set(waiting.account, [])
    this.queue.push(waiting.account, waiting)
    this.beginSoon()
  }

  /**
   * Begins in a turn of its own, so that copying is not charged to the program that just paused.
   */
  private beginSoon(): void {
    if (this.isBeginning) return
    this.isBeginning = true
    setImmediate(() => {
      this.isBeginning = false
      const thread = this.threads.find(({ isBusy }) => !isBusy)
      const next = thread === undefined ? undefined : this.queue.take()
      if (thread === undefined || next === undefined) return
      void this.run(thread, next)
      if (this.queue.length > 0) this.beginSoon()
    })
  }

  private async run(thread: DetachedThread, waiting: Waiting): Promise<void> {
    const { account, job } = waiting
    const startedAt = systemClock.elapsed()
    if (!waiting.isOver) {
      waiting.thread = thread
      await thread.run(job).then(waiting.resolve, waiting.reject)
    }
    waiting.isOver = true
    this.accounts.charge(account, systemClock.elapsed() - startedAt)
    const next = this.behind.get(account)?.shift()
    if (next === undefined) this.behind.delete(account)
    else this.queue.push(account, next)
    if (this.queue.length > 0) this.beginSoon()
  }
}

function end(waiting: Waiting): void {
  if (waiting.isOver) return
  waiting.isOver = true
  const error = fail('Interrupted', 'operation was interrupted')
  waiting.thread?.end(error)
  waiting.reject(error)
}

/** Global, because a job depends on no other state of the process. */
const threads = new DetachedThreads()

/** Runs a job for the owner. */
export function beginDetached(
  job: DetachedJob,
  owner: string,
): { done: Promise<void>; end(): void } {
  return threads.begin(job, owner)
}
