// Brings a segment of the log into the tables: the newest change of each key, in key order, in
// bounded commits. The number of the last applied group moves in the last of them only, so a crash
// at any point is repaired by applying the segment again. Recovery at start is this same code.

import { closeSync, fstatSync, openSync } from 'node:fs'
import type { Bytes } from '../../base/bytes/bytes.js'
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
import { makeRoom, pagesOf } from '../tables/tables-room.js'
import { newestInKeyOrder } from './key-order.js'

/**
 * Changes and bytes of values of one commit of a checkpoint. LMDB keeps the pages that it writes in
 * memory until it commits, and for the next one: with random keys one of 4 KiB a change, some
 * 15 MB here.
 */
export const checkpointPutsMax = 4_096
export const checkpointBytesMax = 16 * MiB

export interface ApplyOptions {
  /** The store's, for messages. */
  readonly folder: string
  /** What the tables hold already. */
  readonly applied: Applied
  /** Called before each commit; a throw ends the work there. */
  readonly beforeCommit?: () => void
  /** Called behind each commit; a throw ends the work there. */
  readonly afterCommit?: () => void
  /** Of the segment, what is read at a time. */
  readonly partBytesMax?: number
}

/** What was done. */
export interface AppliedSegment {
  readonly applied: Applied
  /** Changes in the segment, and those left when only the newest of a key counts. */
  readonly changes: number
  readonly puts: number
  readonly commits: number
}

/** Larger frames are not worth keeping a buffer for. */
const scratchBytesMax = 1_048_576

/**
 * Applies the groups of a segment above `applied`. Throws OutOfDiskSpace, after which it may be
 * called again, and InternalError where a record up to `lastGroup` is damaged or missing.
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

  /** `group` is given with the last part. */
  private applyPart(bytes: Bytes, offsets: Uint32Array, group: number | undefined): void {
    const { folder, beforeCommit, afterCommit } = this.options
    let done = 0
    do {
      beforeCommit?.()
      const { end, length } = batchFrom(bytes, offsets, done)
      makeRoom(this.environment, folder, pagesOf(end - done, length))
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

  /** LMDB copies what it is given before it returns, so one buffer does for every frame. */
  private room(length: number): Bytes {
    if (length > scratchBytesMax) return new Uint8Array(length)
    if (length > this.scratch.length) {
      this.scratch = new Uint8Array(2 ** Math.ceil(Math.log2(length)))
    }
    return this.scratch
  }
}

/** What one commit takes of a part: up to which change, and how many bytes these are. */
function batchFrom(
  bytes: Bytes,
  offsets: Uint32Array,
  from: number,
): { readonly end: number; readonly length: number } {
  const most = Math.min(offsets.length, from + checkpointPutsMax)
  let length = 0
  let end = from
  for (; end < most && length < checkpointBytesMax; end++) {
    const at = offsets[end] as number
    length += changeEnd(bytes, at) - at
  }
  return { end, length }
}
