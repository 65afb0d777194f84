// Syncs the log: fdatasync on the thread pool, one round at a time. A folder's names are synced
// before anything in a new file counts as synced. A failed sync is permanent: the kernel may have
// dropped the pages, and the next sync would succeed without them.

import type { Clock } from '../../base/clock.js'
import { fail } from '../../base/errors.js'
import { logSyncMs } from '../../base/limits/store.js'
import type { Log } from '../../base/log.js'
import type { Files } from '../files.js'
import type { SyncMark } from './sync-mark.js'

/** `commit`: sync each group; `interval`: sync every logSyncMs; `none`: sync only at close. */
export type Durability = 'commit' | 'interval' | 'none'

/** Calls `body` once after `ms`; returns a function that cancels it. */
export type Later = (ms: number, body: () => void) => () => void

/** An open file of the log. */
export interface LogFile {
  readonly path: string
  readonly file: number
  /** The last group appended, and the last one synced; 0 for none. */
  lastGroup: number
  syncedGroup: number
  /** No more appends: the file is closed as soon as it is synced. */
  isSealed: boolean
}

interface LogSyncOptions {
  readonly files: Files
  readonly clock: Clock
  readonly log: Log
  readonly durability: Durability
  /** Folders whose names must be synced with the first file. */
  readonly folders: readonly string[]
  readonly syncedGroup: number
  readonly later: Later
  /** Records each synced group; closed with the last file. */
  readonly mark?: SyncMark | undefined
}

export interface SyncStats {
  readonly syncs: number
  readonly lastSyncMs: number
  readonly maxSyncMs: number
  /** Age of the oldest group that waits for a sync; 0 if none waits or durability is `none`. */
  readonly unsyncedMs: number
}

/** The callers that wait for one round. */
interface Waiting {
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

interface Round {
  /** The round covers the groups up to this one. */
  readonly lastGroup: number
  /** When the oldest of those groups was appended. */
  readonly sinceMs: number
  waiting: Waiting | undefined
}

export class LogSync {
  private readonly options: LogSyncOptions
  private readonly files = new Set<LogFile>()
  private unsyncedFolders: Set<string>
  private last: number
  private synced: number
  /** When the oldest group not covered by a round was appended. */
  private unsyncedSinceMs: number | undefined
  private running: Round | undefined
  private ended: Promise<void> = Promise.resolve()
  private waiting: Waiting | undefined
  private cancelTimer: (() => void) | undefined
  private failure: string | undefined
  private syncs = 0
  private lastSyncMs = 0
  private maxSyncMs = 0

  constructor(options: LogSyncOptions) {
    this.options = options
    this.unsyncedFolders = new Set(options.folders)
    this.last = options.syncedGroup
    this.synced = options.syncedGroup
  }

  /** The last group that survives a power cut. */
  get syncedGroup(): number {
    return this.synced
  }

  /** Why a sync failed; permanent once set. */
  get failed(): string | undefined {
    return this.failure
  }

  /** Takes over a new file in `folder`; this object closes it. */
  opened(file: LogFile, folder: string): void {
    this.files.add(file)
    this.unsyncedFolders.add(folder)
  }

  appended(group: number): void {
    this.last = group
    if (this.unsyncedSinceMs !== undefined) return
    this.unsyncedSinceMs = this.options.clock.elapsed()
    this.plan(logSyncMs)
  }

  sealed(file: LogFile): void {
    file.isSealed = true
    if (this.running === undefined) this.closeFinished()
  }

  /** The tables hold the whole file, so it needs no further sync. */
  dropped(path: string): void {
    for (const file of this.files) {
      if (file.path === path) file.syncedGroup = file.lastGroup
    }
    if (this.running === undefined) this.closeFinished()
  }

  /** Records a failed sync: waiting callers are rejected, and writing ends. */
  lose(reason: string): void {
    if (this.failure !== undefined) return
    this.failure = reason
    this.options.log.error({ error: reason }, 'the log is stopped; writes are refused')
    this.waiting?.reject(fail('OperationFailed', reason))
    this.waiting = undefined
  }

  /**
   * Resolves when `group` is synced; undefined if it is, or if the durability does not require it.
   */
  wait(group: number): Promise<void> | undefined {
    if (this.options.durability !== 'commit' || group <= this.synced) return undefined
    if (this.failure !== undefined) return Promise.reject(fail('OperationFailed', this.failure))
    const { running } = this
    if (running !== undefined && group <= running.lastGroup) {
      running.waiting ??= newWaiting()
      return running.waiting.promise
    }
    this.waiting ??= newWaiting()
    return this.waiting.promise
  }

  stats(): SyncStats {
    const { syncs, lastSyncMs, maxSyncMs } = this
    const since = this.running?.sinceMs ?? this.unsyncedSinceMs
    const waits = since !== undefined && this.options.durability !== 'none'
    const unsyncedMs = waits ? this.options.clock.elapsed() - since : 0
    return { syncs, lastSyncMs, maxSyncMs, unsyncedMs }
  }

  /** Syncs the rest, whatever the durability, and closes the files; rejects if that fails. */
  async close(): Promise<void> {
    while (this.running !== undefined) await this.ended
    const failedBefore = this.failure !== undefined
    if (this.unsyncedSinceMs !== undefined) this.begin()
    while (this.running !== undefined) await this.ended
    this.cancelTimer?.()
    for (const { file } of this.files) this.options.files.close(file)
    this.files.clear()
    this.options.mark?.close()
    if (this.failure !== undefined && !failedBefore) throw fail('OperationFailed', this.failure)
  }

  /** Starts a round after `ms`. */
  private plan(ms: number): void {
    if (this.running !== undefined || this.cancelTimer !== undefined) return
    if (this.options.durability === 'commit') this.begin()
    else if (this.options.durability === 'interval') {
      this.cancelTimer = this.options.later(Math.max(ms, 0), () => this.begin())
    }
  }

  private begin(): void {
    this.cancelTimer?.()
    this.cancelTimer = undefined
    const sinceMs = this.unsyncedSinceMs
    if (this.running !== undefined || this.failure !== undefined || sinceMs === undefined) return
    this.unsyncedSinceMs = undefined
    const round: Round = { lastGroup: this.last, sinceMs, waiting: this.waiting }
    this.waiting = undefined
    this.running = round
    this.ended = this.run(round)
  }

  private async run(round: Round): Promise<void> {
    const { clock } = this.options
    const startedAt = clock.elapsed()
    try {
      await this.syncAll()
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.lose(
        `the log could not be synced to the disk; writes are refused until a restart: ${reason}`,
      )
    }
    this.running = undefined
    if (this.failure !== undefined) {
      round.waiting?.reject(fail('OperationFailed', this.failure))
      return
    }
    this.lastSyncMs = clock.elapsed() - startedAt
    this.maxSyncMs = Math.max(this.maxSyncMs, this.lastSyncMs)
    this.syncs++
    this.synced = round.lastGroup
    this.options.mark?.write(this.synced)
    this.closeFinished()
    round.waiting?.resolve()
    const sinceMs = this.unsyncedSinceMs
    if (sinceMs !== undefined) this.plan(logSyncMs - (clock.elapsed() - sinceMs))
  }

  /** A round may or may not cover groups appended while it runs; the next round covers them. */
  private async syncAll(): Promise<void> {
    const { files } = this.options
    for (const file of [...this.files]) {
      const { lastGroup } = file
      if (file.syncedGroup >= lastGroup) continue
      await files.datasync(file.file)
      file.syncedGroup = Math.max(file.syncedGroup, lastGroup)
    }
    const folders = this.unsyncedFolders
    this.unsyncedFolders = new Set()
    for (const folder of folders) await files.syncFolder(folder)
  }

  /** Never called while a round runs, since it may use the file. */
  private closeFinished(): void {
    for (const file of this.files) {
      if (!file.isSealed || file.syncedGroup !== file.lastGroup) continue
      this.options.files.close(file.file)
      this.files.delete(file)
    }
  }
}

function newWaiting(): Waiting {
  let resolve: Waiting['resolve'] = () => undefined
  let reject: Waiting['reject'] = () => undefined
  const promise = new Promise<void>((done, failed) => {
    resolve = done
    reject = failed
  })
  // The caller gets the error; without a caller, it must not end the process.
  promise.catch(() => undefined)
  return { promise, resolve, reject }
}
