// The log in front of the tables: one record for each write group, appended to a segment file by
// one synchronous write. So it survives a crash of the process; `log-sync.ts` syncs it to disk. A
// failed write is truncated and its whole group fails. (docs/design/storage.md, "Log, memtable,
// tables")

import { dirname, join } from 'node:path'
import type { Bytes } from '../../base/bytes/bytes.js'
import { type Clock, type Random, systemRandom } from '../../base/clock.js'
import { assert, fail, GatewayError } from '../../base/errors.js'
import { logRecordBytesMax } from '../../base/limits/store.js'
import type { Log } from '../../base/log.js'
import { errorCode, type Files, isNoSpace } from '../files.js'
import {
  fillRecordHeader,
  recordHeader,
  recordHeaderBytes,
  segmentHeader,
  segmentHeaderBytes,
  segmentName,
} from './log-record.js'
import { type Durability, type Later, type LogFile, LogSync, type SyncStats } from './log-sync.js'
import type { SyncMark } from './sync-mark.js'

/** Pieces of one write; the kernel's limit is 1,024. */
export const logWritePiecesMax = 512
/** Each start skips this many group numbers, so those of a lost log tail are never reused. */
export const logGroupsPerStart = 2 ** 20

/** A closed segment file. */
export interface SealedSegment {
  readonly path: string
  readonly firstGroup: number
  readonly lastGroup: number
  readonly bytes: number
}

export interface SegmentLogOptions {
  /** The log's own folder; created if missing. */
  readonly folder: string
  readonly files: Files
  readonly clock: Clock
  readonly log: Log
  readonly durability: Durability
  /**
   * The last group of the previous run, fully on disk, and the highest number ever seen, perhaps of
   * a lost group. No number up to that one is reused.
   */
  readonly after: { readonly group: number; readonly highestGroup?: number }
  /** Earlier segments not yet discarded; for the statistics. */
  readonly segments?: readonly SealedSegment[]
  /** Default: the system's random source. */
  readonly random?: Random
  readonly later?: Later
  readonly mark?: SyncMark
}

interface SegmentLogStats extends SyncStats {
  /** Groups appended since the start. */
  readonly groups: number
  /** Bytes of all files of the log. */
  readonly segmentBytes: number
}

interface CurrentFile extends LogFile {
  readonly salt: number
  readonly firstGroup: number
  /** The header, until the first append writes it. */
  header: Bytes | undefined
  bytes: number
}

export class SegmentLog {
  private readonly options: SegmentLogOptions
  private readonly sync: LogSync
  private current: CurrentFile | undefined
  private last: number
  private nextGroup: number
  private stopped: string | undefined
  private isClosed = false
  private groups = 0
  private written = 0
  /** Bytes of the closed segments not yet discarded, by path. */
  private readonly sealed = new Map<string, number>()
  private readonly unlinking = new Set<Promise<void>>()

  private constructor(options: SegmentLogOptions) {
    const { folder, after } = options
    this.options = options
    this.last = after.group
    this.nextGroup = Math.max(after.group, after.highestGroup ?? 0) + logGroupsPerStart
    for (const { path, bytes } of options.segments ?? []) this.sealed.set(path, bytes)
    this.sync = new LogSync({
      ...options,
      folders: [dirname(folder)],
      syncedGroup: after.group,
      later: options.later ?? laterByTimer,
    })
  }

  /**
   * The first append creates the first file. Throws OperationFailed if the folder cannot be made.
   */
  static open(options: SegmentLogOptions): SegmentLog {
    try {
      options.files.makeFolder(options.folder)
    } catch (error) {
      throw explained(error, options.folder)
    }
    return new SegmentLog(options)
  }

  get lastGroup(): number {
    return this.last
  }

  get syncedGroup(): number {
    return this.sync.syncedGroup
  }

  /** Bytes of the file that takes appends. */
  get currentBytes(): number {
    return this.current?.bytes ?? 0
  }

  /** Bytes appended since the start. */
  get writtenBytes(): number {
    return this.written
  }

  /** Why appends are refused, permanently, after a failed sync or truncation. */
  get refusing(): string | undefined {
    return this.sync.failed ?? this.stopped
  }

  /**
   * Writes one group, fills its header at the start of `pieces[0]`, and returns its number. Throws
   * OutOfDiskSpace or OperationFailed; then the log holds nothing of the group.
   */
  append(pieces: readonly Bytes[], changes: number): number {
    this.requireWritable()
    let length = -recordHeaderBytes
    for (const piece of pieces) length += piece.length
    assert(length >= 0 && length <= logRecordBytesMax, 'a group is within the bounds of a record')
    const group = this.nextGroup
    const file = this.current ?? this.begin(group)
    fillRecordHeader(pieces, length, changes, group, this.sync.syncedGroup, file.salt)
    this.appended(file, group, this.write(file, pieces, recordHeaderBytes + length))
    return group
  }

  /**
   * Writes changes of the next record at `offset` bytes after its header. The record is invalid
   * until endParts. Throws like append.
   */
  writePart(pieces: readonly Bytes[], offset: number): void {
    this.requireWritable()
    const file = this.current ?? this.begin(this.nextGroup)
    let length = 0
    for (const piece of pieces) length += piece.length
    const { files, folder } = this.options
    try {
      if (file.header !== undefined) {
        writeAll(files, file.file, [file.header], 0, segmentHeaderBytes)
        file.bytes = segmentHeaderBytes
        file.header = undefined
      }
      const position = file.bytes + recordHeaderBytes + offset
      writeAll(files, file.file, pieces, position, length)
    } catch (error) {
      throw explained(error, folder)
    }
  }

  /** Completes the record from its parts, `length` bytes with that checksum; returns its group. */
  endParts(length: number, checksum: number, changes: number): number {
    this.requireWritable()
    assert(length > 0 && length <= logRecordBytesMax, 'a group is within the bounds of a record')
    const file = this.current
    assert(file !== undefined, 'a part was written')
    const group = this.nextGroup
    const { syncedGroup } = this.sync
    const header = recordHeader({ length, checksum, changes, group, syncedGroup, salt: file.salt })
    try {
      writeAll(this.options.files, file.file, [header], file.bytes, recordHeaderBytes)
    } catch (error) {
      throw explained(error, this.options.folder)
    }
    this.appended(file, group, recordHeaderBytes + length)
    return group
  }

  /** Removes the parts of an abandoned record. */
  undoParts(): void {
    const file = this.current
    if (file === undefined) return
    const { salt, firstGroup } = file
    if (file.lastGroup === 0) {
      file.header = segmentHeader({ salt, firstGroup, groupBefore: this.last })
      file.bytes = 0
    }
    this.undo(file)
  }

  private appended(file: CurrentFile, group: number, bytes: number): void {
    file.bytes += bytes
    file.lastGroup = group
    this.last = group
    this.nextGroup = group + 1
    this.groups++
    this.written += bytes
    this.sync.appended(group)
  }

  /**
   * Durability `commit`: resolves when `group` is on disk, and rejects if it never will be.
   * Undefined if it already is, and for other durabilities.
   */
  synced(group: number): Promise<void> | undefined {
    return this.sync.wait(group)
  }

  /**
   * Ends writing permanently, for a reason outside the log. Appended groups are still synced,
   * unless the sync itself cannot be trusted.
   */
  stop(reason: string, hasLostSync: boolean): void {
    this.stopped ??= reason
    if (hasLostSync) this.sync.lose(reason)
  }

  /** Closes the current file; undefined if it is empty. */
  seal(): SealedSegment | undefined {
    const file = this.current
    if (file === undefined || file.bytes === 0) return undefined
    const { path, firstGroup, lastGroup, bytes } = file
    this.current = undefined
    this.sealed.set(path, bytes)
    this.sync.sealed(file)
    return { path, firstGroup, lastGroup, bytes }
  }

  /**
   * Removes a segment that the tables hold, in the background. The folder needs no sync: a name
   * that reappears after a power cut holds nothing that the tables lack.
   */
  discard({ path }: Pick<SealedSegment, 'path'>): void {
    const { files, log } = this.options
    this.sync.dropped(path)
    this.sealed.delete(path)
    const done = files
      .unlink(path)
      .catch((error: unknown) => {
        if (errorCode(error) === 'ENOENT') return
        log.warn({ path, error: reasonOf(error) }, 'a file of the log could not be removed')
      })
      .finally(() => this.unlinking.delete(done))
    this.unlinking.add(done)
  }

  stats(): SegmentLogStats {
    let segmentBytes = this.current?.bytes ?? 0
    for (const bytes of this.sealed.values()) segmentBytes += bytes
    return { ...this.sync.stats(), groups: this.groups, segmentBytes }
  }

  /** Syncs the rest and ends writing; rejects with OperationFailed if that fails. */
  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    const { current } = this
    if (current !== undefined && current.bytes === 0) this.discard(current)
    try {
      await this.sync.close()
    } finally {
      await Promise.all(this.unlinking)
    }
  }

  private requireWritable(): void {
    if (this.isClosed) throw fail('ShutdownInProgress', 'the store is closed')
    const { refusing } = this
    if (refusing !== undefined) throw fail('OperationFailed', refusing)
  }

  private begin(firstGroup: number): CurrentFile {
    const { folder, files, random = systemRandom } = this.options
    const path = join(folder, segmentName(firstGroup))
    const salt = Buffer.from(random.bytes(4)).readUInt32LE()
    let file: number
    try {
      file = files.create(path)
    } catch (error) {
      throw explained(error, folder)
    }
    const current: CurrentFile = {
      path,
      file,
      salt,
      firstGroup,
      header: segmentHeader({ salt, firstGroup, groupBefore: this.last }),
      bytes: 0,
      lastGroup: 0,
      syncedGroup: 0,
      isSealed: false,
    }
    this.sync.opened(current, folder)
    this.current = current
    return current
  }

  /**
   * Appends the whole record, or leaves the file unchanged and throws; returns the bytes written.
   */
  private write(file: CurrentFile, record: readonly Bytes[], recordBytes: number): number {
    const { header } = file
    const pieces = header === undefined ? record : [header, ...record]
    const bytes = header === undefined ? recordBytes : segmentHeaderBytes + recordBytes
    try {
      writeAll(this.options.files, file.file, pieces, file.bytes, bytes)
    } catch (error) {
      this.undo(file)
      throw explained(error, this.options.folder)
    }
    file.header = undefined
    return bytes
  }

  /**
   * Throws OperationFailed if the file could not be truncated: the log cannot continue after that.
   */
  private undo({ file, path, bytes }: CurrentFile): void {
    try {
      this.options.files.truncate(file, bytes)
    } catch (error) {
      const reason = reasonOf(error)
      const text =
        'a failed write to the log could not be undone; writes are refused until a restart'
      this.stopped = `${text}: ${path}: ${reason}`
      this.options.log.error({ path, error: reason }, text)
      throw fail('OperationFailed', this.stopped)
    }
  }
}

/** Usually one call; the system may accept fewer bytes than it is given. */
function writeAll(
  files: Files,
  file: number,
  pieces: readonly Bytes[],
  position: number,
  bytes: number,
): void {
  let rest = pieces
  for (let done = 0; ; ) {
    const written = writeOnce(files, file, rest, position + done)
    done += written
    if (done === bytes) return
    if (written <= 0) throw new Error('the disk takes no more bytes')
    rest = behind(rest, written)
  }
}

function writeOnce(files: Files, file: number, pieces: readonly Bytes[], position: number): number {
  const [first] = pieces
  if (pieces.length === 1 && first !== undefined) return files.write(file, first, position)
  const some = pieces.length > logWritePiecesMax ? pieces.slice(0, logWritePiecesMax) : pieces
  return files.writev(file, some, position)
}

/** The rest of `pieces` after their first `count` bytes. */
function behind(pieces: readonly Bytes[], count: number): Bytes[] {
  const rest: Bytes[] = []
  let before = count
  for (const piece of pieces) {
    if (before < piece.length) rest.push(before === 0 ? piece : piece.subarray(before))
    before = Math.max(before - piece.length, 0)
  }
  return rest
}

function laterByTimer(ms: number, body: () => void): () => void {
  const timer = setTimeout(body, ms).unref()
  return () => clearTimeout(timer)
}

function explained(error: unknown, folder: string): GatewayError {
  if (isNoSpace(error)) {
    return new GatewayError('OutOfDiskSpace', `no space left on the disk of ${folder}`, {}, error)
  }
  const text = `cannot write to the log in ${folder}: ${reasonOf(error)}`
  return new GatewayError('OperationFailed', text, {}, error)
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
