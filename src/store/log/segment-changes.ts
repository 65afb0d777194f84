// Reads a log segment for the checkpoint: verifies the records and collects the offsets of their
// changes in a typed array. A segment of normal size is one part. A longer one is read in parts of
// whole records, so memory stays bounded.

import { readSync } from 'node:fs'
import type { Bytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { checkpointReadBytesMax } from '../../base/limits/store.js'
import { freeMemory } from '../checkpoint/typed-memory.js'
import { changeEnd, changeHeaderBytes, isChangeKind, versionOf } from './change.js'
import {
  openSegmentHeader,
  recordChanges,
  recordGroup,
  recordHeaderBytes,
  segmentHeaderBytes,
  soundRecordEnd,
} from './log-record.js'

export interface SegmentSource {
  readonly path: string
  /** Records after this group are ignored: they may be torn. */
  readonly lastGroup: number
}

/** Size that glibc always returns to the system when freed. Untouched pages cost nothing. */
const mappedBytesMin = 33 * 2 ** 20

export class SegmentChanges {
  /** The current part, and the offsets of its changes in log order. */
  bytes: Bytes = new Uint8Array(0)
  offsets = new Uint32Array(0)
  /** Whether this part holds the last group. */
  isLast = false
  /** The highest version so far. */
  version = 0
  private readonly file: number
  private readonly size: number
  private readonly source: SegmentSource
  private readonly appliedGroup: number
  private readonly partBytesMax: number
  /** File position after the last record read. */
  private position = segmentHeaderBytes
  /** The group of the next record. */
  private group = 0
  private readonly salt: number
  private noted = 0

  /**
   * `file` is open and `size` bytes long. Groups up to `appliedGroup` are skipped. A part has room
   * for any record.
   */
  constructor(
    file: number,
    size: number,
    source: SegmentSource,
    appliedGroup: number,
    partBytesMax = checkpointReadBytesMax,
  ) {
    this.file = file
    this.size = size
    this.source = source
    this.appliedGroup = appliedGroup
    this.partBytesMax = partBytesMax
    const bytes = new Uint8Array(segmentHeaderBytes)
    readSync(file, bytes, 0, segmentHeaderBytes, 0)
    const header = openSegmentHeader(bytes)
    if (header === undefined) throw this.damaged(0)
    this.salt = header.salt
    this.group = header.firstGroup
  }

  /** Reads the next part; false after the last. Throws InternalError if a record is damaged. */
  next(): boolean {
    if (this.isLast) return false
    const left = this.size - this.position
    this.read(Math.min(left, this.partBytesMax))
    const end = this.readRecords()
    const mayGoOn = end > 0 && left > this.partBytesMax
    if (!this.isLast && !mayGoOn) throw this.damaged(this.position + end)
    this.position += end
    this.offsets = this.offsets.subarray(0, this.noted)
    return true
  }

  /** Frees the memory of the current part; its bytes and offsets are then empty. */
  free(): void {
    freeMemory(this.bytes, this.offsets)
  }

  private read(length: number): void {
    this.free()
    // Not zeroed, and always large enough to be mapped, so that freeing returns it to the system.
    const { buffer } = Buffer.allocUnsafeSlow(Math.max(length, mappedBytesMin))
    this.bytes = new Uint8Array(buffer, 0, length)
    this.offsets = new Uint32Array(Math.ceil(length / 128))
    this.noted = 0
    for (let at = 0; at < length; ) {
      const count = readSync(this.file, this.bytes, at, length - at, this.position + at)
      if (count === 0) throw this.damaged(this.position + at)
      at += count
    }
  }

  /** Returns the end of the last complete record of the part. */
  private readRecords(): number {
    const { bytes, salt } = this
    let at = 0
    while (!this.isLast) {
      const end = soundRecordEnd(bytes, at, bytes.length, salt)
      // Either damaged, or continued in the next part, which then begins with it.
      if (end === -1) break
      this.readRecord(at, end)
      at = end
    }
    return at
  }

  private readRecord(at: number, end: number): void {
    const { bytes } = this
    const group = recordGroup(bytes, at)
    if (group !== this.group) throw this.damaged(this.position + at)
    if (group > this.appliedGroup) {
      const before = this.noted
      let change = at + recordHeaderBytes
      while (change + changeHeaderBytes <= end && isChangeKind(bytes[change])) {
        this.note(change)
        change = changeEnd(bytes, change)
      }
      const sound = change === end && this.noted - before === recordChanges(bytes, at)
      if (!sound) throw this.damaged(this.position + at)
    }
    this.group = group + 1
    this.isLast = group >= this.source.lastGroup
  }

  private note(at: number): void {
    if (this.noted === this.offsets.length) {
      const longer = new Uint32Array(2 * this.noted)
      longer.set(this.offsets)
      freeMemory(this.offsets)
      this.offsets = longer
    }
    this.offsets[this.noted++] = at
    const version = versionOf(this.bytes, at)
    if (version > this.version) this.version = version
  }

  private damaged(at: number): Error {
    const { path, lastGroup } = this.source
    return fail(
      'InternalError',
      `the log is damaged: ${path}, offset ${at}, group ${this.group} of ${lastGroup}`,
    )
  }
}
