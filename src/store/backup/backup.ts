// Backups while others write: the tables are brought up to date, one state of them is pinned by a
// worker, and its sections are handed on as fast as they are taken and the rate allows. A pinned
// state keeps LMDB from using freed pages again, so there is one at a time, and it has an end.

import type { Bytes } from '../../base/bytes/bytes.js'
import type { Clock } from '../../base/clock.js'
import { assert, fail } from '../../base/errors.js'
import type { Log } from '../../base/log.js'
import type { Backup, BackupOptions, BackupStats } from '../store.js'
import { BackupThread } from './backup-thread.js'

/** What a backup asks of the tables that it is of. */
interface BackupSource {
  /**
   * Runs `body` when their files hold all that was committed before the call, in whole groups; they
   * do not change until it has ended.
   */
  atRest(body: () => Promise<void>): Promise<void>
}

interface BackupsOptions {
  readonly folder: string
  readonly clock: Clock
  readonly log: Log
}

/** The backups of one store. */
export class Backups {
  private running: Running | undefined

  constructor(private readonly options: BackupsOptions) {}

  /**
   * Resolves once the state is fixed. Rejects with ConflictingOperationInProgress while there is
   * another, and with what keeps the tables from being brought up to date.
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

  /** Of the one under way. */
  stats(): BackupStats | undefined {
    return this.running?.stats()
  }

  /** Ends the one under way. */
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

  constructor({ folder, clock, log }: BackupsOptions, options: BackupOptions, gone: () => void) {
    const { sigil, bytesPerSecond, signal, without = [] } = options
    this.clock = clock
    this.log = log
    this.sinceMs = clock.elapsed()
    this.pace = new Pace(clock, bytesPerSecond)
    this.thread = new BackupThread({ folder, sigil, time: clock.now(), without })
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
        const answer = await next
        if (answer.kind === 'tail') {
          yield answer.section
          break
        }
        assert(answer.kind === 'block', 'answers come in the order of their questions')
        // One block is made while another is on its way.
        next = this.next()
        const { section } = answer
        await this.rest(this.pace.delayMs(section.length))
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

  private next(): ReturnType<BackupThread['ask']> {
    const next = this.thread.ask('next')
    // It is thrown where it is awaited; a caller that left before does not get it.
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

/** Spreads bytes over time; what was not used up is not made good for later. */
export class Pace {
  private freeAtMs: number

  constructor(
    private readonly clock: Clock,
    private readonly bytesPerSecond: number,
  ) {
    this.freeAtMs = clock.elapsed()
  }

  /** How long `bytes` have to wait; counts them. */
  delayMs(bytes: number): number {
    const now = this.clock.elapsed()
    const at = Math.max(now, this.freeAtMs)
    this.freeAtMs = at + (bytes / this.bytesPerSecond) * 1_000
    return at - now
  }
}

function interrupted(): Error {
  return fail('Interrupted', 'the backup was interrupted')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
