// The durable embedded store: a log in front, memtables with the changes since the last checkpoint,
// LMDB below. A group is appended to the log and visible in the active memtable. Memtables are
// frozen, applied to LMDB by the checkpointer, and dropped with their segments of the log.
// (docs/design/storage.md, "Log, memtable, tables")

import { setTimeout as pause } from 'node:timers/promises'
import type { Bytes } from '../base/bytes/bytes.js'
import type { Clock } from '../base/clock.js'
import { fail, toGatewayError } from '../base/errors.js'
import { logPartBytes, memtableMsMax } from '../base/limits/store.js'
import type { Log } from '../base/log.js'
import { KiB, MiB } from '../base/units.js'
import type { Backups } from './backup/backup.js'
import type { Checkpointer } from './checkpoint/checkpointer.js'
import { Generation } from './generation.js'
import { LayeredSnapshot, LayeredView } from './layered-view.js'
import type { SealedSegment, SegmentLog } from './log/log.js'
import { recordHeaderBytes } from './log/log-record.js'
import { RecordParts } from './log/record-parts.js'
import type { MemtableWrite } from './memtable/in-place-write.js'
import { LastApplied } from './memtable/last-applied.js'
import type { Memtable } from './memtable/memtable.js'
import { hashBytes } from './memtable/memtable-hash.js'
import { DamagedPages, type PageDamage } from './pages/page-damage.js'
import type { Backup, BackupOptions, Peek } from './store.js'
import type { DiskSpace } from './tables/disk-space.js'
import { HotValues } from './tables/hot-values.js'
import type { StoredView } from './tables/stored-view.js'
import type {
  GroupView,
  LargeCommit,
  Snapshot,
  Tables,
  TablesStats,
  View,
} from './tables/tables.js'

/**
 * Log bytes after which the memtable is frozen even if keys are rewritten often: they bound what a
 * start must read.
 */
export const segmentBytesMax = 64 * MiB
/** Below a disk with little space, since the tables need as much again before a segment goes. */
const segmentBytesMin = 256 * KiB
/** Frozen memtables waiting for the checkpointer before writers must wait too. */
const memtablesFrozenMax = 2
/** Time between retries of a failed checkpoint, milliseconds. */
const checkpointRetryMs = 1_000
/**
 * On close, a log above this size is checkpointed for at most this time. The next start reads the
 * rest.
 */
const closeLogBytes = 1 * MiB
const closeCheckpointMsMax = 2_000

interface LayeredOptions {
  readonly stored: StoredView
  readonly log: SegmentLog
  readonly checkpointer: Checkpointer
  readonly disk: DiskSpace
  readonly backups: Backups
  readonly clock: Clock
  readonly messages: Log
  /** What the log held beyond the tables at start, newest first. */
  readonly frozen: readonly Generation[]
  readonly lastVersion: number
  /** Memory of a memtable before it is frozen. */
  readonly freezeBytes: number
  /** Size of the tables' file, bytes. */
  readonly tablesBytes: () => number
  /** Releases the folder; called once, as the last step. */
  readonly closed: () => Promise<void>
  /** Pages found damaged at start. */
  readonly damages: readonly PageDamage[]
}

/** A caller that waits for a moment without a checkpoint, with `after` in the tables. */
interface Rest {
  readonly after: Generation | undefined
  readonly run: () => Promise<void>
  readonly reject: (error: Error) => void
}

export class LayeredTables extends LayeredView implements Tables, GroupView {
  readonly type = 'LMDB'
  readonly lastVersion: number
  private readonly options: LayeredOptions
  private readonly hot = new HotValues()
  private readonly lastApplied = new LastApplied()
  private active = new Generation()
  /** Newest first. */
  private frozen: Generation[]
  /** What readers see while a large group is open, and the position that bounds it. */
  private shown: View | undefined
  private shownBefore = 0
  private freezeTimer: NodeJS.Timeout | undefined
  private waiting: (() => void)[] = []
  private checkpointing: Promise<void> | undefined
  /** Why the last checkpoint failed; it is retried. */
  private failure: Error | undefined
  private retryTimer: NodeJS.Timeout | undefined
  private wakeRetry: (() => void) | undefined
  private rests: Rest[] = []
  private isLow = false
  /** The failure of checkpoints that was logged last; undefined once one has succeeded. */
  private toldFailure: string | undefined
  private closing = false
  private checkpoints = 0
  private lastCheckpointMs = 0

  constructor(options: LayeredOptions) {
    super([], options.stored)
    this.options = options
    this.lastVersion = options.lastVersion
    this.frozen = [...options.frozen]
    this.relayer()
    const [damage] = options.damages
    if (damage !== undefined) {
      options.checkpointer.end(damage.text)
      this.refuseDamaged(options.damages)
    }
    this.checkpoint()
  }

  /**
   * Marks pages as damaged. Reads below them fail from now on. All writes fail too, since a
   * checkpoint could copy the damage. Other data stays readable.
   */
  refuseDamaged(damages: readonly PageDamage[]): void {
    const { stored, log, messages } = this.options
    for (const { text } of damages) messages.error({}, text)
    stored.refuse(new DamagedPages(damages))
    const text = damages[0]?.text ?? 'pages of the tables are damaged'
    this.failure = fail('OperationFailed', `${text}; writes are refused`)
    log.stop(this.failure.message, false)
    this.tellWaiting()
    for (const { reject } of this.rests.splice(0)) reject(this.failure)
  }

  get current(): View {
    return this.shown ?? this
  }

  /** Logged only when it begins and ends: a line for each refused write would flood the log. */
  get onlyDeletes(): string | undefined {
    const { disk, messages } = this.options
    const low = disk.low()
    const isLow = low !== undefined
    if (isLow === this.isLow) return low
    this.isLow = isLow
    if (isLow) messages.error({}, low)
    else messages.info({}, 'the disk has room again: writes are taken')
    return low
  }

  snapshot(): Snapshot {
    return new LayeredSnapshot([this.active, ...this.frozen], this.options.stored.pin())
  }

  /** Makes writers wait for the checkpointer when memory would grow without bound. */
  room(): Promise<void> | undefined {
    if (!this.isFull() || this.failure !== undefined) return undefined
    return new Promise((resolve) => {
      this.waiting.push(resolve)
    })
  }

  commit(body: (view: GroupView) => void): Promise<void> | undefined {
    const { log, clock } = this.options
    const { memtable } = this.active
    if (this.failure !== undefined && this.isFull()) throw this.failure
    memtable.begin(recordHeaderBytes)
    let group: number
    try {
      body(this)
      const changes = memtable.groupChanges
      group = changes === 0 ? log.lastGroup : log.append(memtable.pieces(), changes)
    } catch (error) {
      memtable.rollback()
      throw error
    }
    if (memtable.groupChanges === 0) {
      memtable.rollback()
    } else {
      memtable.keep()
      this.active.sinceMs ??= clock.elapsed()
      this.freezeWhenDue()
    }
    return log.synced(group)
  }

  beginLarge(): LargeCommit {
    if (this.failure !== undefined && this.isFull()) throw this.failure
    const { memtable } = this.active
    this.shownBefore = memtable.pin()
    memtable.begin(recordHeaderBytes)
    this.show()
    const parts = new RecordParts(this.options.log, memtable)
    return {
      view: this,
      write: () => parts.write(logPartBytes),
      end: () => {
        const group = parts.end(memtable.groupChanges)
        memtable.keep()
        this.active.sinceMs ??= this.options.clock.elapsed()
        this.hide()
        return this.options.log.synced(group)
      },
      undo: () => {
        memtable.rollback()
        try {
          parts.undo()
        } finally {
          this.hide()
        }
      },
    }
  }

  /** Readers see the state without the open group. */
  private show(): void {
    const { stored } = this.options
    const below = this.frozen.map(({ memtable }) => ({ memtable }))
    const layers = [{ memtable: this.active.memtable, before: this.shownBefore }, ...below]
    this.shown = new LayeredView(layers, stored)
  }

  private hide(): void {
    this.shown = undefined
    this.active.memtable.unpin(this.shownBefore)
    // A freeze may have become due in the meantime.
    if (this.isDue()) this.freeze()
    else if (this.active.sinceMs !== undefined) this.freezeWhenDue()
  }

  put(key: Bytes, value: Bytes, version: number, hash = hashBytes(key, 0, key.length)): void {
    this.hot.forget(key, hash)
    this.active.memtable.put(key, value, version, hash)
  }

  remove(key: Bytes, hash = hashBytes(key, 0, key.length)): void {
    this.hot.forget(key, hash)
    this.active.memtable.remove(key, hash)
  }

  get memtable(): Memtable {
    return this.active.memtable
  }

  seek(write: MemtableWrite): void {
    const address = this.active.memtable.seek(write)
    const { hash } = write
    if (address === -1 && this.hot.mayHave(hash)) this.hot.forget(write.key(), hash)
  }

  peekUnder<T>(write: MemtableWrite, peek: Peek<T>): T | undefined {
    const { memtable } = this.active
    const address = memtable.seek(write)
    if (address !== -1) {
      return memtable.isRemoved(address) ? undefined : memtable.peekAt(address, peek)
    }
    const { frozen } = this
    for (let i = 0; i < frozen.length; i++) {
      const { memtable: below } = frozen[i] as Generation
      const found = below.findWritten(write)
      if (found !== -1) return below.isRemoved(found) ? undefined : below.peekAt(found, peek)
    }
    const applied = this.lastApplied.memtable
    const last = applied === undefined ? -1 : applied.findWritten(write)
    if (applied !== undefined && last !== -1) {
      return applied.isRemoved(last) ? undefined : applied.peekAt(last, peek)
    }
    const key = write.key()
    const kept = this.hot.find(key, write.hash)
    const seen = kept === undefined ? this.stored.peek(key, peek) : peek(kept, 0, kept.length)
    if (kept !== undefined) this.hot.forget(key, write.hash)
    return seen
  }

  stats(): TablesStats {
    const { log, clock, tablesBytes, backups } = this.options
    const generations = [this.active, ...this.frozen]
    const { segmentBytes, ...syncs } = log.stats()
    const oldest = generations.findLast(({ sinceMs }) => sinceMs !== undefined)?.sinceMs
    const stuck = this.isFull() ? this.failure?.message : undefined
    const refusing = log.refusing ?? stuck ?? this.onlyDeletes
    const stats: TablesStats = {
      sizeBytes: tablesBytes() + segmentBytes,
      log: {
        memtableBytes: generations.reduce((sum, { memtable }) => sum + memtable.bytes, 0),
        memtableEntries: generations.reduce((sum, { memtable }) => sum + memtable.size, 0),
        checkpointLagMs: oldest === undefined ? 0 : clock.elapsed() - oldest,
        checkpoints: this.checkpoints,
        lastCheckpointMs: this.lastCheckpointMs,
        logBytes: segmentBytes,
        scrubs: this.options.checkpointer.stats().scrubs,
        ...syncs,
      },
    }
    const backup = backups.stats()
    return {
      ...stats,
      ...(refusing === undefined ? {} : { refusing }),
      ...(backup === undefined ? {} : { backup }),
    }
  }

  backup(options: BackupOptions): Promise<Backup> {
    return this.options.backups.start(this, options)
  }

  /**
   * Runs `body` between two checkpoints, once the tables hold every group committed before the
   * call. Only then do they hold whole groups: while a segment is applied they do not. Rejects if a
   * checkpoint fails.
   */
  atRest(body: () => Promise<void>): Promise<void> {
    if (this.hasEnded()) {
      return Promise.reject(this.failure ?? fail('ShutdownInProgress', 'the store is closed'))
    }
    const after = this.active.sinceMs === undefined ? this.frozen[0] : this.active
    this.freeze()
    return new Promise((resolve, reject) => {
      this.rests.push({ after, run: () => body().then(resolve, reject), reject })
      this.checkpoint()
    })
  }

  /** Whatever is not in the tables stays in the log; the next start reads it from there. */
  async close(): Promise<void> {
    await this.lastCheckpoint()
    this.closing = true
    clearTimeout(this.freezeTimer)
    clearTimeout(this.retryTimer)
    this.wakeRetry?.()
    await this.options.backups.close()
    await this.options.checkpointer.close()
    await this.checkpointing
    this.lastApplied.release()
    try {
      // After the last checkpoint, which leaves a log file to remove.
      await this.options.log.close()
    } finally {
      await this.options.closed()
    }
  }

  protected override below(key: Bytes, hash: number): Bytes | undefined {
    const { memtable } = this.lastApplied
    const address = memtable === undefined ? -1 : memtable.find(key, undefined, hash)
    if (memtable === undefined || address === -1) return this.hot.get(key, this.stored, hash)
    return memtable.isRemoved(address) ? undefined : memtable.valueAt(address)
  }

  /** Applies a large log to the tables now, within a time limit, to shorten the next start. */
  private async lastCheckpoint(): Promise<void> {
    if (this.options.log.stats().segmentBytes < closeLogBytes) return
    const late = new AbortController()
    const inTables = this.atRest(async () => undefined)
    const isLate = pause(closeCheckpointMsMax, undefined, { signal: late.signal })
    // If either fails, the log still has the data.
    await Promise.race([inTables, isLate]).catch(() => undefined)
    late.abort()
    await isLate.catch(() => undefined)
  }

  private relayer(): void {
    this.layers = [this.active, ...this.frozen].map(({ memtable }) => ({ memtable }))
    if (this.shown !== undefined) this.show()
  }

  private isFull(): boolean {
    return this.isLarge() && this.frozen.length >= memtablesFrozenMax
  }

  /** Whether the active memtable, or its part of the log, is large enough to freeze. */
  private isLarge(): boolean {
    const { freezeBytes, log, disk } = this.options
    if (this.active.memtable.bytes >= freezeBytes) return true
    const room = Math.max(segmentBytesMin, disk.freeBytes / 8)
    return log.currentBytes >= Math.min(segmentBytesMax, room)
  }

  private freezeWhenDue(): void {
    if (this.isLarge()) this.freeze()
    else this.freezeTimer ??= setTimeout(() => this.freeze(), memtableMsMax).unref()
  }

  private freeze(): void {
    clearTimeout(this.freezeTimer)
    this.freezeTimer = undefined
    if (this.closing || this.frozen.length >= memtablesFrozenMax || this.shown !== undefined) return
    const segment = this.options.log.seal()
    if (segment === undefined) return
    this.active.segment = segment
    this.frozen.unshift(this.active)
    this.active = new Generation()
    this.relayer()
    this.checkpoint()
  }

  private checkpoint(): void {
    this.checkpointing ??= this.checkpointAll().finally(() => {
      this.checkpointing = undefined
      // A checkpoint may have been requested while the last one was ending.
      const isWork = this.frozen.length > 0 || this.rests.some((rest) => this.isReached(rest))
      if (isWork && !this.hasEnded()) this.checkpoint()
    })
  }

  private async checkpointAll(): Promise<void> {
    const { checkpointer, clock, messages } = this.options
    while (!this.hasEnded()) {
      await this.runRests()
      const oldest = this.frozen.at(-1)
      const segment = oldest?.segment
      if (oldest === undefined || segment === undefined) return
      const startedAt = clock.elapsed()
      try {
        await checkpointer.apply(segment)
      } catch (thrown) {
        if (this.closing) return
        this.failed(toGatewayError(thrown))
        if (this.hasEnded()) return
        await this.retryPause()
        continue
      }
      if (this.toldFailure !== undefined) messages.info({}, 'checkpoints work again')
      this.toldFailure = undefined
      this.failure = undefined
      this.checkpoints++
      this.lastCheckpointMs = clock.elapsed() - startedAt
      this.drop(oldest, segment)
    }
  }

  /** Logs a failure once, not at each retry: a full disk would fill its log. */
  private failed(error: Error): void {
    this.failure = error
    const { checkpointer, log, messages } = this.options
    if (this.hasEnded()) {
      const reason = `${error.message}; writes are refused until a restart`
      log.stop(reason, checkpointer.hasLostSync)
    } else if (this.toldFailure !== error.message) {
      this.toldFailure = error.message
      messages.error({ error: error.message }, 'a checkpoint failed; it is tried again')
    }
    this.tellWaiting()
    for (const { reject } of this.rests.splice(0)) reject(error)
  }

  /** Whether no further checkpoint will run. */
  private hasEnded(): boolean {
    return this.closing || this.options.checkpointer.stats().failed !== undefined
  }

  private async runRests(): Promise<void> {
    const due = this.rests.filter((rest) => this.isReached(rest))
    if (due.length === 0) return
    this.rests = this.rests.filter((rest) => !due.includes(rest))
    for (const { run } of due) await run()
  }

  /** Whether the tables hold everything that this caller waits for. */
  private isReached({ after }: Rest): boolean {
    return after === undefined || (after !== this.active && !this.frozen.includes(after))
  }

  /** Drops a memtable that the tables now hold. */
  private drop(oldest: Generation, segment: SealedSegment): void {
    this.options.stored.renew()
    this.frozen.pop()
    this.relayer()
    this.lastApplied.take(oldest)
    this.options.log.discard(segment)
    if (this.isLarge() || this.isDue()) this.freeze()
    this.tellWaiting()
  }

  /**
   * Whether the active memtable is past its age, or a caller waits for it, and it could not be
   * frozen yet.
   */
  private isDue(): boolean {
    if (this.rests.some(({ after }) => after === this.active)) return true
    return this.freezeTimer === undefined && this.active.sinceMs !== undefined
  }

  private tellWaiting(): void {
    for (const resolve of this.waiting.splice(0)) resolve()
  }

  private retryPause(): Promise<void> {
    return new Promise((resolve) => {
      this.wakeRetry = resolve
      this.retryTimer = setTimeout(resolve, checkpointRetryMs).unref()
    })
  }
}
