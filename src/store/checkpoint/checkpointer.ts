// The main thread's side of the checkpoint worker. The worker starts with the first segment, or
// shortly after the store opens, because it also scrubs pages. Its commits and syncs never block
// the event loop. If the worker ends, pending requests are rejected, so a missing checkpoint is
// never taken for a completed one.

import { Worker, type WorkerOptions } from 'node:worker_threads'
import type { Clock } from '../../base/clock.js'
import { fail } from '../../base/errors.js'
import { withOwnYoungHeap } from '../../base/heap/worker-heap.js'
import { scrubRoundMsMin } from '../../base/limits/store.js'
import type { Log } from '../../base/log.js'
import type { SegmentSource } from '../log/segment-changes.js'
import type { PageDamage } from '../pages/page-damage.js'
import type { Applied } from '../tables/lmdb-environment.js'
import {
  closingAt,
  controlWords,
  droppedAt,
  type FromWorker,
  type ToWorker,
  type WorkerStart,
} from './checkpoint-messages.js'

/** Heap of the checkpoint worker, MiB: its data lies outside the heap. */
const checkpointHeapMiB = 48
/** How long a reader waits for a failed checkpoint to close the environment, milliseconds. */
const environmentDropMsMax = 1_000

interface CheckpointerOptions {
  readonly folder: string
  readonly clock: Clock
  readonly log: Log
  /** Called when pages of the tables are found damaged; checkpoints have then ended. */
  readonly onDamaged?: (damages: readonly PageDamage[]) => void
  /** The worker's entry file, if not the default. */
  readonly entry?: URL
}

interface CheckpointerStats {
  /** Segments requested and not yet applied. */
  readonly waiting: number
  readonly segments: number
  readonly commits: number
  readonly changes: number
  /** Changes applied, without those that a later change of the same segment replaced. */
  readonly puts: number
  readonly lastMs: number
  readonly maxMs: number
  /** How often all pages of the tables were verified since the start. */
  readonly scrubs: number
  /** Why checkpoints have ended permanently; writes must then stop. */
  readonly failed?: string
}

interface Waiting {
  readonly sinceMs: number
  readonly resolve: (applied: Applied) => void
  readonly reject: (error: Error) => void
}

export class Checkpointer {
  private readonly options: CheckpointerOptions
  private readonly control = new Int32Array(
    new SharedArrayBuffer(controlWords * Int32Array.BYTES_PER_ELEMENT),
  )
  private worker: Worker | undefined
  private exited: Promise<void> = Promise.resolve()
  private closing = false
  private failed: Error | undefined
  private lostSync = false
  private readonly waiting: Waiting[] = []
  private segments = 0
  private commits = 0
  private changes = 0
  private puts = 0
  private lastMs = 0
  private maxMs = 0
  private scrubs = 0
  private readonly scrubTimer: NodeJS.Timeout

  constructor(options: CheckpointerOptions) {
    this.options = options
    this.scrubTimer = setTimeout(() => this.scrub(), scrubRoundMsMin).unref()
  }

  /**
   * Syncs a sealed segment and applies it to the tables, in the order of the calls. Rejects with
   * OutOfDiskSpace if a retry may succeed, and with ShutdownInProgress after close. Any other error
   * is permanent and also in `stats().failed`.
   */
  apply({ path, lastGroup }: SegmentSource): Promise<Applied> {
    if (this.failed !== undefined) return Promise.reject(this.failed)
    if (this.closing) return Promise.reject(fail('ShutdownInProgress', 'the store is closing'))
    const worker = this.started()
    worker.ref()
    worker.postMessage({ kind: 'apply', path, lastGroup } satisfies ToWorker)
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject, sinceMs: this.options.clock.elapsed() })
    })
  }

  stats(): CheckpointerStats {
    const { segments, commits, changes, puts, lastMs, maxMs, scrubs, failed } = this
    const done = { segments, commits, changes, puts, lastMs, maxMs, scrubs }
    const stats = { waiting: this.waiting.length, ...done }
    return failed === undefined ? stats : { ...stats, failed: failed.message }
  }

  /** Whether it ended because a segment could not be synced; its pages may be lost. */
  get hasLostSync(): boolean {
    return this.lostSync
  }

  /**
   * Blocks, the event loop too, for at most environmentDropMsMax until a failed worker has closed
   * the environment. Returns whether it has.
   */
  hasDropped(): boolean {
    Atomics.wait(this.control, droppedAt, 0, environmentDropMsMax)
    return Atomics.load(this.control, droppedAt) === 1
  }

  /** Ends the worker after the running commit. What it has not applied stays in the log. */
  async close(): Promise<void> {
    this.closing = true
    clearTimeout(this.scrubTimer)
    Atomics.store(this.control, closingAt, 1)
    this.worker?.postMessage({ kind: 'close' } satisfies ToWorker)
    this.worker?.ref()
    await this.exited
  }

  /** Ends checkpoints, because the tables were found damaged. */
  end(text: string): void {
    this.fails(text)
  }

  private scrub(): void {
    if (this.failed === undefined && !this.closing) this.started()
  }

  private started(): Worker {
    if (this.worker !== undefined) return this.worker
    const { folder, entry = new URL('./checkpoint-worker.js', import.meta.url) } = this.options
    const options: WorkerOptions = {
      name: 'checkpoint',
      workerData: { folder, control: this.control } satisfies WorkerStart,
      resourceLimits: { maxOldGenerationSizeMb: checkpointHeapMiB, maxYoungGenerationSizeMb: 4 },
    }
    const worker = withOwnYoungHeap(() => new Worker(entry, options))
    worker.on('message', (message: FromWorker) => this.take(message))
    worker.on('error', (error) => this.fails(`the checkpoint worker failed: ${error.message}`))
    this.exited = new Promise((resolve) => {
      worker.on('exit', () => {
        if (!this.closing) this.fails('the checkpoint worker has ended')
        this.rejectWaiting(fail('ShutdownInProgress', 'the store is closing'))
        resolve()
      })
    })
    worker.unref()
    this.worker = worker
    return worker
  }

  private take(message: FromWorker): void {
    if (message.kind === 'scrubbed') {
      this.scrubs++
      return
    }
    if (message.kind === 'damaged') {
      this.fails(message.damages[0]?.text ?? 'pages of the tables are damaged')
      this.options.onDamaged?.(message.damages)
      return
    }
    const first = this.waiting.shift()
    if (this.waiting.length === 0 && !this.closing) this.worker?.unref()
    if (message.kind === 'applied') {
      const { applied, changes, puts, commits } = message.done
      this.segments++
      this.commits += commits
      this.changes += changes
      this.puts += puts
      this.lastMs = this.options.clock.elapsed() - (first?.sinceMs ?? 0)
      this.maxMs = Math.max(this.maxMs, this.lastMs)
      first?.resolve(applied)
      return
    }
    const error = fail(message.code, message.text)
    if (message.cause !== 'passing') this.failed ??= error
    if (message.cause === 'sync') this.lostSync = true
    first?.reject(error)
    if (this.failed !== undefined) this.fails(error.message)
  }

  /** Ends checkpoints permanently. */
  private fails(text: string): void {
    if (this.failed === undefined) this.options.log.error({ error: text }, 'checkpoints have ended')
    this.failed ??= fail('OperationFailed', text)
    this.rejectWaiting(this.failed)
  }

  private rejectWaiting(error: Error): void {
    for (const { reject } of this.waiting.splice(0)) reject(error)
  }
}
