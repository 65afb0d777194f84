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

  constructor(private readonly parts: RetentionParts) {
    const { pace, log } = parts
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
    const { store, clock } = this.parts
    const scopes = await store.read(recordedScopes)
    for (const recorded of scopes) await this.look(recorded)
    const oldestSeconds = Math.floor((clock.now() - this.retentionMs) / 1000)
    const bounds = { oldestSeconds, bytesMax: this.bytesMax }
    return store.write((tx) => trimSome(tx, bounds))
  }

  private async look({ scope, watchedMs }: Recorded): Promise<void> {
    const { store, clock, cursors } = this.parts
    const now = clock.now()
    const isKept = this.recordsAll && scope.db === undefined
    const isWatched = isKept || cursors.list().some(({ source }) => isOn(source, scope))
    const age = watchedMs === undefined ? Number.POSITIVE_INFINITY : now - watchedMs
    if (isWatched || watchedMs === undefined) {
      if (age < this.retentionMs / notesPerRetention) return
      await store.write((tx) => noteWatched(tx, scope, now))
    } else if (age > this.retentionMs) await runSweep(store, endRecording(scope))
  }
}

/** A stream of a collection may rest on the recording of its database. */
function isOn(source: unknown, { db, name }: Scope): boolean {
  if (!(source instanceof WatchSource)) return false
  const { scope } = source
  return (db === undefined || scope.db === db) && (name === undefined || scope.name === name)
}
