// Applies a log segment to the tables: the newest change of each key, in key order, in bounded
// commits. Only the last commit advances the number of the last applied group. So applying the
// segment again repairs a crash at any point, and recovery uses the same code.

import { closeSync, fstatSync, openSync } from 'node:fs'
import type { Bytes } from '../../base/bytes/bytes.js'
import { hasKind } from '../../base/errors.js'
import { MiB } from '../../base/units.js'
import { isVersioned } from '../layout.js'
import { changeEnd, changeHeaderBytes, isRemoval, valueStart, versionOf } from '../log/change.js'
import { SegmentChanges, type SegmentSource } from '../log/segment-changes.js'
import {
  type Applied,
  commitSync,
  type Environment,
  writeApplied,
} from '../tables/lmdb-environment.js'
import { frameBytes, writeFrame } from '../tables/record-frame.js'
import { pagesOf } from '../tables/tables-room.js'
import { newestInKeyOrder } from './key-order.js'

/**
 * Limits of one checkpoint commit: changes, and bytes of values. LMDB keeps the pages of a commit
 * in memory until it commits, and reuses them for the next one. With random keys that is 4 KiB for
 * each change, about 15 MB here.
 */
export const checkpointPutsMax = 4_096
export const checkpointBytesMax = 16 * MiB
/** Changes of a commit for which the disk has little space. */
const checkpointPutsMin = 16
/** Of the disk reserve, for the log of removals: what a commit leaves, and the smallest one. */
const reserveShareKept = 1 / 2
const reserveShareMin = 1 / 8

export interface ApplyOptions {
  /** The store's folder, for messages. */
  readonly folder: string
  /** What the tables already hold. */
  readonly applied: Applied
  /** Called before each commit; a throw stops the checkpoint there. */
  readonly beforeCommit?: () => void
  /** Called after each commit; a throw stops the checkpoint there. */
  readonly afterCommit?: () => void
  /** Reserves pages on the disk beside a share of its reserve. Throws OutOfDiskSpace. */
  readonly makeRoom: (pages: number, share: number) => void
  /** Bytes of the segment read at a time. */
  readonly partBytesMax?: number
}

/** The result of applying one segment. */
export interface AppliedSegment {
  readonly applied: Applied
  /** Changes in the segment, and how many remain when only the newest of each key counts. */
  readonly changes: number
  readonly puts: number
  readonly commits: number
}

/** Larger frames get a temporary buffer. */
const scratchBytesMax = 1_048_576

/**
 * Applies the groups of a segment above `applied`. Throws OutOfDiskSpace, after which the caller
 * may retry, and InternalError if a record up to `lastGroup` is damaged or missing.
 */
export function applySegment(
  environment: Environment,
  source: SegmentSource,
  options: ApplyOptions,
): AppliedSegment {
  if (source.lastGroup <= options.applied.group) {
    return { applied: options.applied, changes: 0, puts: 0, commits: 0 }
  }
  const file = openSync(source.path, 'r')
  try {
    const { size } = fstatSync(file)
    const { applied, partBytesMax } = options
    const segment = new SegmentChanges(file, size, source, applied.group, partBytesMax)
    try {
      return new Checkpoint(environment, segment, options).run(source.lastGroup)
    } finally {
      segment.free()
    }
  } finally {
    closeSync(file)
  }
}

class Checkpoint {
  private readonly environment: Environment
  private readonly segment: SegmentChanges
  private readonly options: ApplyOptions
  private changes = 0
  private puts = 0
  private commits = 0
  private scratch = new Uint8Array(4_096)

  constructor(environment: Environment, segment: SegmentChanges, options: ApplyOptions) {
    this.environment = environment
    this.segment = segment
    this.options = options
  }

  run(lastGroup: number): AppliedSegment {
    const { segment } = this
    while (segment.next()) {
      const { bytes, offsets } = segment
      this.changes += offsets.length
      const count = newestInKeyOrder(bytes, offsets)
      this.applyPart(bytes, offsets.subarray(0, count), segment.isLast ? lastGroup : undefined)
    }
    const { changes, puts, commits } = this
    return { applied: this.appliedWith(lastGroup), changes, puts, commits }
  }

  private appliedWith(group: number): Applied {
    return { group, version: Math.max(this.options.applied.version, this.segment.version) }
  }

  /** `group` is set with the last part. */
  private applyPart(bytes: Bytes, offsets: Uint32Array, group: number | undefined): void {
    const { folder, beforeCommit, afterCommit } = this.options
    let done = 0
    do {
      beforeCommit?.()
      const end = this.batchWithRoom(bytes, offsets, done)
      commitSync(this.environment, folder, () => {
        for (let i = done; i < end; i++) this.applyChange(bytes, offsets[i] as number)
        if (group === undefined || end < offsets.length) return
        writeApplied(this.environment, this.appliedWith(group))
      })
      afterCommit?.()
      this.puts += end - done
      this.commits++
      done = end
    } while (done < offsets.length)
  }

  /**
   * The end of the next batch, for which space is reserved. On a full disk it is a small one: what
   * its removals free serves the next. Throws OutOfDiskSpace.
   */
  private batchWithRoom(bytes: Bytes, offsets: Uint32Array, from: number): number {
    for (let most = checkpointPutsMax; ; most /= 4) {
      const { end, length } = batchFrom(bytes, offsets, from, most)
      try {
        const share = most <= checkpointPutsMin ? reserveShareMin : reserveShareKept
        this.options.makeRoom(pagesOf(end - from, length), share)
        return end
      } catch (error) {
        if (!hasKind(error, 'OutOfDiskSpace') || most <= checkpointPutsMin) throw error
      }
    }
  }

  private applyChange(bytes: Bytes, at: number): void {
    const { environment } = this
    const valueAt = valueStart(bytes, at)
    const key = bytes.subarray(at + changeHeaderBytes, valueAt)
    if (isRemoval(bytes, at)) {
      environment.removeSync(key)
      return
    }
    const value = bytes.subarray(valueAt, changeEnd(bytes, at))
    if (!isVersioned(key)) {
      environment.putSync(key, value)
      return
    }
    const length = frameBytes + value.length
    const frame = this.room(length)
    writeFrame(frame, value, versionOf(bytes, at))
    environment.putSync(key, frame.subarray(0, length))
  }

  /** LMDB copies each value before it returns, so one buffer serves all frames. */
  private room(length: number): Bytes {
    if (length > scratchBytesMax) return new Uint8Array(length)
    if (length > this.scratch.length) {
      this.scratch = new Uint8Array(2 ** Math.ceil(Math.log2(length)))
    }
    return this.scratch
  }
}

/** Chooses the changes of one commit: the end offset and their bytes. */
function batchFrom(
  bytes: Bytes,
  offsets: Uint32Array,
  from: number,
  changesMax: number,
): { readonly end: number; readonly length: number } {
  const most = Math.min(offsets.length, from + changesMax)
  let length = 0
  let end = from
  for (; end < most && length < checkpointBytesMax; end++) {
    const at = offsets[end] as number
    length += changeEnd(bytes, at) - at
  }
  return { end, length }
}
