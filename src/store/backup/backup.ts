// Online backups. The tables are brought up to date, and a worker pins one state. Its sections are
// sent as fast as the client and the rate limit allow. A pinned state keeps LMDB from reusing freed
// pages, and PostgreSQL from removing dead rows, so only one backup runs at a time, for a limited
// time.

import type { Bytes } from '../../base/bytes/bytes.js'
import type { Clock } from '../../base/clock.js'
import { assert, fail } from '../../base/errors.js'
import { backupBytesPerSecond, backupRestMsMax } from '../../base/limits/store.js'
import type { Log } from '../../base/log.js'
import type { Backup, BackupOptions, BackupStats } from '../store.js'
import type { BackupScript, FromBackupWorker } from './backup-messages.js'
import { BackupThread } from './backup-thread.js'

/** What a backup requires of its tables. */
interface BackupSource {
  /**
   * Runs `body` when the files hold every group committed before the call, as whole groups. The
   * files do not change until `body` has ended.
   */
  atRest(body: () => Promise<void>): Promise<void>
}

interface BackupsOptions {
  readonly worker: BackupScript
  readonly clock: Clock
  readonly log: Log
}

/** Runs the backups of one store. */
export class Backups {
  private running: Running | undefined

  constructor(private readonly options: BackupsOptions) {}

  /**
   * Resolves when the state is fixed. Rejects with ConflictingOperationInProgress while another
   * backup runs, or with the error that keeps the tables from being brought up to date.
   */
  async start(source: BackupSource, options: BackupOptions): Promise<Backup> {
    while (this.running !== undefined) {
      if (!this.running.isEnding) {
        throw fail('ConflictingOperationInProgress', 'another backup is under way')
      }
      await this.running.gone
    }
    const running = new Running(this.options, options, () => {
      this.running = undefined
    })
    this.running = running
    await running.pin(source)
    return running
  }

  /** Statistics of the running backup. */
  stats(): BackupStats | undefined {
    return this.running?.stats()
  }

  /** Ends the running backup. */
  async close(): Promise<void> {
    await this.running?.end(fail('ShutdownInProgress', 'the store is closing'))
  }
}

class Running implements Backup {
  pairs = 0
  isEnding = false
  readonly gone: Promise<void>
  private readonly thread: BackupThread
  private readonly pace: Pace
  private readonly log: Log
  private readonly sinceMs: number
  private readonly clock: Clock
  private head: Bytes = new Uint8Array(0)
  private donePairs = 0
  private doneBytes = 0
  private readonly onAbort = () => void this.end(interrupted())

  constructor({ worker, clock, log }: BackupsOptions, options: BackupOptions, gone: () => void) {
    const { sigil, bytesPerSecond, signal, without = [] } = options
    this.clock = clock
    this.log = log
    this.sinceMs = clock.elapsed()
    this.pace = new Pace(clock, bytesPerSecond)
    this.thread = new BackupThread(worker, { sigil, time: clock.now(), without })
    this.gone = this.thread.exited.then(() => {
      signal?.removeEventListener('abort', this.onAbort)
      gone()
    })
    if (signal?.aborted === true) this.onAbort()
    signal?.addEventListener('abort', this.onAbort)
  }

  async pin(source: BackupSource): Promise<void> {
    try {
      await this.thread.ask('open')
      const pinning = source.atRest(async () => {
        const pinned = await this.thread.ask('pin')
        assert(pinned.kind === 'pinned', 'answers come in the order of their questions')
        this.head = pinned.head
        this.pairs = pinned.pairs
      })
      await Promise.race([pinning, this.thread.ended])
    } catch (error) {
      await this.end(interrupted())
      throw error
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Bytes, void> {
    const { log, pairs } = this
    try {
      yield this.head
      let next = this.next()
      for (;;) {
        const { answer, madeMs } = await next
        if (answer.kind === 'tail') {
          yield answer.section
          break
        }
        assert(answer.kind === 'block', 'answers come in the order of their questions')
        const { section } = answer
        await this.rest(this.pace.delayMs(section.length, madeMs))
        // Prepare the next block while this one is sent.
        next = this.next()
        this.donePairs = answer.pairs
        this.doneBytes += section.length
        yield section
      }
      log.info({ pairs, bytes: this.doneBytes }, 'backup sent')
    } catch (error) {
      log.warn({ pairs, done: this.donePairs, error: messageOf(error) }, 'backup failed')
      throw error
    } finally {
      await this.end(interrupted())
    }
  }

  end(reason: Error = interrupted()): Promise<void> {
    this.isEnding = true
    void this.thread.end(reason)
    return this.gone
  }

  stats(): BackupStats {
    const { pairs, donePairs, doneBytes } = this
    const elapsedMs = Math.round(this.clock.elapsed() - this.sinceMs)
    return { pairs, donePairs, doneBytes, elapsedMs }
  }

  private next(): Promise<{ readonly answer: FromBackupWorker; readonly madeMs: number }> {
    const askedMs = this.clock.elapsed()
    const next = this.thread.ask('next').then((answer) => {
      return { answer, madeMs: this.clock.elapsed() - askedMs }
    })
    // The error surfaces where `next` is awaited. If the caller has left, the rejection must not be
    // unhandled.
    next.catch(() => undefined)
    return next
  }

  private async rest(ms: number): Promise<void> {
    if (ms <= 0) return
    let timer: NodeJS.Timeout | undefined
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms)
    })
    await Promise.race([over, this.thread.ended]).finally(() => clearTimeout(timer))
  }
}

/**
 * Limits the byte rate. Unused allowance does not accumulate. If no rate was asked for, half of the
 * time is left to the commits beside it as well: what is slow to read is not read all the time.
 */
export class Pace {
  private freeAtMs: number
  private readonly isGentle: boolean
  private readonly bytesPerSecond: number

  constructor(
    private readonly clock: Clock,
    asked: number | undefined,
  ) {
    this.freeAtMs = clock.elapsed()
    this.isGentle = asked === undefined
    this.bytesPerSecond = asked ?? backupBytesPerSecond
  }

  /** Counts `bytes`, which took `madeMs` to make, and returns how long they must wait. */
  delayMs(bytes: number, madeMs: number): number {
    const now = this.clock.elapsed()
    const at = Math.max(now, this.freeAtMs)
    this.freeAtMs = at + (bytes / this.bytesPerSecond) * 1_000
    return Math.max(at - now, this.isGentle ? Math.min(madeMs, backupRestMsMax) : 0)
  }
}

function interrupted(): Error {
  return fail('Interrupted', 'the backup was interrupted')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
