// Keeps the change log within its age and size, and ends the recording of what is no longer
// watched. (docs/design/changes.md, "Retention")

import type { Clock } from '../../base/clock.js'
import { changeBytesMax, changeRetentionMs } from '../../base/limits/store.js'
import type { Log } from '../../base/log.js'
import type { Store } from '../../store/store.js'
import { runSweep } from '../../store/sweep.js'
import { beginRecording } from '../changes/begin-recording.js'
import { WatchSource } from '../changes/change-source.js'
import { noteWatched, type Recorded, recordedScopes, type Scope } from '../changes/recording.js'
import { endRecording, trimSome } from '../changes/retention.js'
import type { Cursors } from '../sources/cursors.js'
import { BackgroundLoop } from './background-loop-job.js'
import { Lease } from './lease-job.js'
import type { Pace } from './pace-job.js'

/** Time between rounds, milliseconds. */
const retentionLookMs = 60_000
/** A watched scope is noted this many times within the retention. */
const notesPerRetention = 24

interface RetentionParts {
  readonly store: Store
  readonly cursors: Cursors
  readonly clock: Clock
  readonly log: Log
  readonly pace: Pace
}

export class ChangeRetention {
  retentionMs = changeRetentionMs
  bytesMax = changeBytesMax
  /** The whole deployment is recorded, watched or not. */
  recordsAll = false
  private readonly loop: BackgroundLoop
  private readonly lease: Lease

  constructor(private readonly parts: RetentionParts) {
    const { store, pace, log } = parts
    this.lease = new Lease(store, 'change retention')
    this.loop = new BackgroundLoop({
      pace,
      log,
      everyMs: retentionLookMs,
      sleepsFirst: true,
      failure: 'the change log could not be trimmed',
      round: () => this.round(),
    })
  }

  start(): void {
    this.loop.start()
  }

  /** Resolves when what has to be recorded without a watcher is recorded. */
  async begin(): Promise<void> {
    if (this.recordsAll) await runSweep(this.parts.store, beginRecording({}))
  }

  close(): Promise<void> {
    return this.loop.close()
  }

  /** Returns whether work is left. */
  async round(): Promise<boolean> {
    const scopes = await this.parts.store.read(recordedScopes)
    const unwatched: Recorded[] = []
    for (const recorded of scopes) if (!(await this.note(recorded))) unwatched.push(recorded)
    return this.lease.round(() => this.trim(unwatched), false)
  }

  private async trim(unwatched: readonly Recorded[]): Promise<boolean> {
    const { clock } = this.parts
    const { runner } = this.lease
    for (const recorded of unwatched) await runSweep(runner, endRecording(recorded))
    const oldestSeconds = Math.floor((clock.now() - this.retentionMs) / 1000)
    const bounds = { oldestSeconds, bytesMax: this.bytesMax }
    return runner.write((tx) => trimSome(tx, bounds))
  }

  /**
   * Notes that clients of this gateway watch a scope. False if none has watched it for long, on any
   * gateway: each notes its own.
   */
  private async note({ scope, watchedMs }: Recorded): Promise<boolean> {
    const { store, clock, cursors } = this.parts
    const now = clock.now()
    const isKept = this.recordsAll && scope.db === undefined
    const isWatched = isKept || cursors.list().some(({ source }) => isOn(source, scope))
    const age = watchedMs === undefined ? Number.POSITIVE_INFINITY : now - watchedMs
    if (isWatched || watchedMs === undefined) {
      if (age < this.retentionMs / notesPerRetention) return true
      await store.write((tx) => noteWatched(tx, scope, now))
      return true
    }
    return age <= this.retentionMs
  }
}

/** A stream of a collection may rest on the recording of its database. */
function isOn(source: unknown, { db, name }: Scope): boolean {
  if (!(source instanceof WatchSource)) return false
  const { scope } = source
  return (db === undefined || scope.db === db) && (name === undefined || scope.name === name)
}
