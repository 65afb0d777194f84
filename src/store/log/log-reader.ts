// Reads and validates the log at start. Each record states which groups were synced when it was
// written. A bad record above the highest of these marks was never acknowledged as durable, so the
// log ends there. A bad record below it is damage: the start fails, whatever the tables hold.

import { dirname, join } from 'node:path'
import type { Bytes } from '../../base/bytes/bytes.js'
import { assert, GatewayError } from '../../base/errors.js'
import { errorCode, type Files } from '../files.js'
import type { SealedSegment } from './log.js'
import {
  foreignFormat,
  groupOfName,
  highestVersion,
  openSegmentHeader,
  recordHeaderBytes,
  recordSynced,
  type SegmentHeader,
  segmentFormat,
} from './log-record.js'
import { scanRecords, scanUnsalted } from './log-scan.js'
import { markPath } from './sync-mark.js'

export interface LogState {
  /** Segments with groups above the applied one, in order, up to the end of the log. */
  readonly segments: readonly SealedSegment[]
  /** The last group of the log, or the applied group if that is higher. */
  readonly lastGroup: number
  /** The highest group seen anywhere, including after the end of the log. */
  readonly highestGroup: number
  /**
   * The highest version of a change above the applied group, including after the end of the log.
   */
  readonly lastVersion: number
  /** Files that hold no group above the applied one before the end of the log. */
  readonly removable: readonly string[]
  /**
   * Set if the log ends before its last byte: the place, and how many bytes follow, in later files
   * too.
   */
  readonly torn?: Torn
  /** Why the store must not open. */
  readonly damage?: Damage
}

interface Torn {
  readonly path: string
  readonly at: number
  readonly bytes: number
}

interface Damage {
  readonly path: string
  readonly at: number
  readonly group: number
  /** A one-line description of all this. */
  readonly text: string
}

/**
 * Called for each group above the applied one, in order. Its changes are at `start` to `end` of
 * `bytes`, valid only during the call.
 */
export type VisitGroup = (
  bytes: Bytes,
  start: number,
  end: number,
  group: number,
  path: string,
) => void

/**
 * Reads the log in a folder, which may be missing. `applied` is the last group in the tables,
 * `mark` the last group known to be synced (sync-mark.ts). If the result has `damage`, discard what
 * was visited. Throws OperationFailed if the log cannot be read.
 */
export function readLog(
  files: Files,
  folder: string,
  applied: number,
  visit?: VisitGroup,
  mark = 0,
): LogState {
  try {
    return new LogReading(files, folder, applied, visit, mark).run()
  } catch (error) {
    throw explained(error, `cannot read the log in ${folder}`)
  }
}

/**
 * Truncates and syncs the files to match `state`, so that new groups may follow. Can be repeated
 * after a crash at any point. Throws OperationFailed.
 */
export function cutLog(files: Files, folder: string, state: LogState): void {
  assert(state.damage === undefined, 'a damaged log is not cut')
  try {
    // Remove the last file first, so that no gap ever appears in the middle.
    for (const path of state.removable.toReversed()) files.unlinkSync(path)
    for (const { path, bytes } of state.segments) {
      const file = files.open(path, 'write')
      try {
        if (path === state.torn?.path) files.truncate(file, bytes)
        // The previous process may have ended without a sync.
        files.datasyncSync(file)
      } finally {
        files.close(file)
      }
    }
    if (state.removable.length + state.segments.length === 0) return
    // Sync names too: the previous process may have ended between creating a file and syncing its
    // folder.
    files.syncFolderSync(folder)
    files.syncFolderSync(dirname(folder))
  } catch (error) {
    throw explained(error, `cannot cut the log in ${folder}`)
  }
}

interface FoundSegment {
  readonly path: string
  readonly firstGroup: number
  readonly size: number
  /** The last valid group above the applied one, and where it ends; 0 for none. */
  lastGroup: number
  bytes: number
}

/**
 * A bad place: groups `from` to `to` should be here, perhaps more; none if `to` is lower than
 * `from`.
 */
interface Bad {
  /** Index of the segment. */
  readonly segment: number
  readonly at: number
  readonly from: number
  readonly to: number
  readonly reason: string
  /** Damage that no power cut can cause, whatever the marks say. */
  readonly isForeign?: boolean
}

class LogReading {
  private readonly files: Files
  private readonly folder: string
  private readonly applied: number
  private readonly visit: VisitGroup | undefined
  private buffer = Buffer.alloc(0)
  private readonly segments: FoundSegment[] = []
  /** The last group of the segments so far, valid or not. */
  private chained = 0
  private highest: number
  private version = 0
  /** The highest group that a record states to be synced. */
  private synced: number
  /** Where the log ends. */
  private bad: Bad | undefined
  /**
   * The bytes after the last valid record of a segment. The next segment shows whether groups are
   * lost there.
   */
  private rest: Bad | undefined

  constructor(
    files: Files,
    folder: string,
    applied: number,
    visit: VisitGroup | undefined,
    mark: number,
  ) {
    this.files = files
    this.folder = folder
    this.applied = applied
    this.visit = visit
    this.synced = mark
    this.highest = Math.max(applied, mark)
  }

  run(): LogState {
    for (const { name, group } of this.list()) this.readSegment(join(this.folder, name), group)
    if (this.rest !== undefined) this.note(this.rest)
    return this.state()
  }

  private list(): { name: string; group: number }[] {
    try {
      return this.files
        .list(this.folder)
        .map((name) => ({ name, group: groupOfName(name) ?? -1 }))
        .filter(({ group }) => group >= 0)
        .sort((a, b) => a.group - b.group)
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return []
      throw error
    }
  }

  private readSegment(path: string, firstGroup: number): void {
    const bytes = this.readWhole(path)
    this.segments.push({ path, firstGroup, size: bytes.length, lastGroup: 0, bytes: 0 })
    this.highest = Math.max(this.highest, firstGroup)
    const header = openSegmentHeader(bytes)
    if (header === undefined || header.firstGroup !== firstGroup) {
      this.takeUnreadable(bytes, firstGroup, header)
    } else {
      this.follow(header)
      this.readRecords(bytes, header)
    }
  }

  /** The result is valid until the next call. */
  private readWhole(path: string): Buffer {
    const file = this.files.open(path, 'read')
    try {
      const size = this.files.size(file)
      if (this.buffer.length < size) this.buffer = Buffer.allocUnsafeSlow(size)
      let length = 0
      while (length < size) {
        const count = this.files.read(file, this.buffer.subarray(length, size), length)
        if (count === 0) break
        length += count
      }
      return this.buffer.subarray(0, length)
    } finally {
      this.files.close(file)
    }
  }

  private takeUnreadable(bytes: Buffer, firstGroup: number, header?: SegmentHeader): void {
    const format = foreignFormat(bytes)
    const { lastGroup, syncedGroup } = scanUnsalted(bytes, header?.firstGroup ?? firstGroup)
    this.synced = Math.max(this.synced, syncedGroup)
    this.highest = Math.max(this.highest, lastGroup)
    const { rest } = this
    if (rest !== undefined && rest.to >= rest.from) this.note({ ...rest, to: firstGroup - 1 })
    this.rest = {
      segment: this.segments.length - 1,
      at: 0,
      from: firstGroup,
      to: Math.max(firstGroup, lastGroup),
      isForeign: format !== undefined || header !== undefined,
      reason:
        format !== undefined
          ? `it has format ${format}, and this version reads format ${segmentFormat}`
          : header !== undefined
            ? `it is the segment of group ${header.firstGroup}`
            : 'the header of the segment is damaged',
    }
  }

  /** Checks whether a segment continues the previous ones. */
  private follow({ firstGroup, groupBefore }: SegmentHeader): void {
    const { rest, chained } = this
    const here = { segment: this.segments.length - 1, at: 0 }
    this.rest = undefined
    if (rest !== undefined && groupBefore >= rest.from) {
      this.note({ ...rest, to: groupBefore })
    } else if (groupBefore > chained) {
      const reason = 'groups before this segment are missing'
      this.note({ ...here, from: chained + 1, to: groupBefore, reason })
    } else if (groupBefore < chained) {
      const reason = `it does not follow group ${chained}`
      this.note({ ...here, from: firstGroup, to: Number.POSITIVE_INFINITY, reason })
    }
    this.chained = Math.max(chained, groupBefore)
  }

  private readRecords(bytes: Buffer, header: SegmentHeader): void {
    const segment = this.segments.length - 1
    const reason = 'the record is damaged'
    const { end, lastGroup } = scanRecords(bytes, header, {
      record: (at, recordEnd, group) => this.takeRecord(bytes, at, recordEnd, group),
      lost: (at, from, to) => this.note({ segment, at, from, to, reason }),
    })
    this.chained = Math.max(this.chained, lastGroup)
    const from = lastGroup === 0 ? header.firstGroup : lastGroup + 1
    this.rest =
      end < bytes.length
        ? { segment, at: end, from, to: from, reason }
        : {
            segment,
            at: end,
            from,
            to: from - 1,
            reason: 'what the next segment follows is missing',
          }
  }

  private takeRecord(bytes: Buffer, at: number, end: number, group: number): void {
    this.highest = Math.max(this.highest, group)
    this.synced = Math.max(this.synced, recordSynced(bytes, at))
    if (group <= this.applied) return
    const segment = this.segments.length - 1
    const version = highestVersion(bytes, at, end)
    if (version === undefined) {
      this.note({ segment, at, from: group, to: group, reason: 'the changes are malformed' })
      return
    }
    this.version = Math.max(this.version, version)
    const found = this.segments[segment]
    if (this.bad !== undefined || found === undefined) return
    found.lastGroup = group
    found.bytes = end
    this.visit?.(bytes, at + recordHeaderBytes, end, group, found.path)
  }

  /** The log ends at the first place where a group above the applied one is lost. */
  private note(bad: Bad): void {
    const from = Math.max(bad.from, this.applied + 1)
    if (from <= bad.to) this.bad ??= { ...bad, from }
  }

  private state(): LogState {
    const { bad, applied, segments } = this
    const kept = segments.filter(({ lastGroup }) => lastGroup > applied)
    const state: LogState = {
      segments: kept.map(({ path, firstGroup, lastGroup, bytes }) => {
        return { path, firstGroup, lastGroup, bytes }
      }),
      lastGroup: kept.at(-1)?.lastGroup ?? applied,
      highestGroup: this.highest,
      lastVersion: this.version,
      removable: segments.filter(({ lastGroup }) => lastGroup <= applied).map(({ path }) => path),
    }
    if (bad === undefined) return this.withEnd(state)
    const { at, from: group } = bad
    const path = segments[bad.segment]?.path ?? ''
    if (bad.isForeign === true || group <= this.synced) {
      const text = `the log is damaged: ${path}, offset ${at}, group ${group}: ${bad.reason}`
      return { ...state, damage: { path, at, group, text } }
    }
    const bytes = segments.slice(bad.segment).reduce((sum, { size }) => sum + size, -at)
    return bytes === 0 ? state : { ...state, torn: { path, at, bytes } }
  }

  /** Checks that the valid part of the log reaches the last synced group. */
  private withEnd(state: LogState): LogState {
    const { folder, synced } = this
    const { lastGroup } = state
    if (synced <= lastGroup) return state
    const last = state.segments.at(-1)
    const path = last?.path ?? folder
    const text =
      `the end of the log is missing: ${path} ends with group ${lastGroup}, and group ${synced} ` +
      `was on the disk. To start without what is missing, remove ${markPath(dirname(folder))}`
    return { ...state, damage: { path, at: last?.bytes ?? 0, group: lastGroup + 1, text } }
  }
}

/** Wraps a file system error in a GatewayError; returns other errors unchanged. */
function explained(error: unknown, what: string): unknown {
  if (!(error instanceof Error) || errorCode(error) === undefined) return error
  return new GatewayError('OperationFailed', `${what}: ${error.message}`, {}, error)
}
