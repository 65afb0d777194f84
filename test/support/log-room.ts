// What tests of the log begin with: groups of a few changes, a log over files in memory, and time
// that passes when the test says so.

import { type Bytes, concatBytes, utf8 } from '../../src/base/bytes/bytes.js'
import type { Clock } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import type { Files } from '../../src/store/files.js'
import { changeBytes, writeChange } from '../../src/store/log/change.js'
import { SegmentLog, type SegmentLogOptions } from '../../src/store/log/log.js'
import { type LogState, readLog } from '../../src/store/log/log-reader.js'
import { recordHeaderBytes } from '../../src/store/log/log-record.js'
import type { Later } from '../../src/store/log/log-sync.js'

export const logFolder = '/data/log'

interface Change {
  readonly key: string
  /** Removed where there is none. */
  readonly value?: string | Bytes
  readonly version?: number
}

/** One piece: room for the header, and the changes. */
export function groupOf(...changes: readonly Change[]): Bytes {
  const parts = changes.map(({ key, value, version = 0 }) => {
    const keyBytes = utf8(key)
    const valueBytes = typeof value === 'string' ? utf8(value) : value
    const part = new Uint8Array(changeBytes(keyBytes.length, valueBytes?.length ?? 0))
    writeChange(part, 0, keyBytes, valueBytes, version)
    return part
  })
  return concatBytes(new Uint8Array(recordHeaderBytes), ...parts)
}

/** The same bytes in several pieces, cut at the given places. */
export function cutAt(bytes: Bytes, ...places: readonly number[]): Bytes[] {
  const bounds = [0, ...places, bytes.length]
  return bounds.slice(1).map((end, i) => bytes.slice(bounds[i], end))
}

/** A clock and its timers. */
export class ManualTime implements Clock {
  private ms = 0
  private timers: { at: number; body: () => void }[] = []
  readonly later: Later = (ms, body) => {
    const timer = { at: this.ms + ms, body }
    this.timers.push(timer)
    return () => {
      this.timers = this.timers.filter((one) => one !== timer)
    }
  }

  get timersSet(): number {
    return this.timers.length
  }

  now(): number {
    return this.ms
  }

  elapsed(): number {
    return this.ms
  }

  pass(ms: number): void {
    this.ms += ms
    const due = this.timers.filter(({ at }) => at <= this.ms)
    this.timers = this.timers.filter(({ at }) => at > this.ms)
    for (const { body } of due) body()
  }
}

export function openLog(files: Files, options: Partial<SegmentLogOptions> = {}): SegmentLog {
  const time = new ManualTime()
  return SegmentLog.open({
    folder: logFolder,
    files,
    clock: time,
    later: time.later,
    log: silentLog,
    durability: 'none',
    after: { group: 0 },
    ...options,
  })
}

interface ReadGroups {
  readonly state: LogState
  /** The changes of each group that was visited. */
  readonly groups: ReadonlyMap<number, Buffer>
}

export function readGroups(files: Files, applied = 0): ReadGroups {
  const groups = new Map<number, Buffer>()
  const state = readLog(files, logFolder, applied, (bytes, start, end, group) => {
    groups.set(group, Buffer.from(bytes.subarray(start, end)))
  })
  return { state, groups }
}

/** Lets everything run that waits for nothing but a turn. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
