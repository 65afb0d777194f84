// The workspace of a blocking stage: its bound of memory, and a file for the rest. Runs of keys
// with documents are written and read in bounded pieces. One file holds all runs of a stage, one
// after the other.

import type { Bytes } from '../base/bytes/bytes.js'
import { assert, fail, type GatewayError } from '../base/errors.js'
import { blockingBytesMax } from '../base/limits/documents.js'
import { type Document, readDouble, readInt32 } from '../value/value.js'

/** A file of one stage; it is deleted with its command or cursor. */
export interface SpillFile {
  /** Number of bytes written. */
  readonly length: number
  /** Throws OutOfDiskSpace. */
  append(bytes: Bytes): void
  /** Fills `target` from a range that was written. */
  read(target: Bytes, position: number): void
  close(): void
}

/** Memory that one part of a query holds, counted for the query's owner. */
export interface MemoryHolding {
  /**
   * Sets the number of bytes held. Throws ExceededMemoryLimit. `isSure`: they are already
   * allocated.
   */
  hold(bytes: number, isSure?: boolean): void
  close(): void
}

/** The resources of a command or cursor for its blocking stages. */
export interface Workspace {
  /** Memory bound of one stage, bytes. */
  readonly memoryBytesMax: number
  /** Absent if the command may not use the disk, or the server has no folder for it. */
  readonly open?: () => SpillFile
  /** Absent if the memory is not counted. */
  holding?(): MemoryHolding
}

/** The workspace of a stage that cannot spill. */
export const memoryOnly: Workspace = { memoryBytesMax: blockingBytesMax }

/** What a stage has spilled, for explain. */
export interface SpillFigures {
  spills: number
  spilledBytes: number
  spilledRecords: number
  /** Bytes of input documents; for a group, of its output documents. */
  inputBytes: number
}

export function noSpills(): SpillFigures {
  return { spills: 0, spilledBytes: 0, spilledRecords: 0, inputBytes: 0 }
}

/** Throws if a stage holds too much and cannot spill. */
export function requireMemory(name: string, bytes: number, workspace = memoryOnly): void {
  if (bytes > workspace.memoryBytesMax) throw memoryExceeded(name, workspace)
}

/** The error of a stage that exceeds its memory. */
export function memoryExceeded(name: string, { memoryBytesMax }: Workspace): GatewayError {
  const text =
    name === '$sort'
      ? `Sort exceeded memory limit of ${memoryBytesMax} bytes, but did not opt in to ` +
        'external sorting.'
      : `Exceeded memory limit for ${name}, but didn't allow external sort. Pass ` +
        'allowDiskUse:true to opt in.'
  return fail('QueryExceededMemoryLimitNoDiskUseAllowed', text)
}

/** Bytes per read or write: 0.04 ms of work, 0.4 ms at most of 1,500 measured. */
const pieceBytes = 256 * 1_024
/** Minimum for a reader, if many runs share the bound. */
const pieceBytesMin = 4 * 1_024
/** Head of a record: length of the key, sequence (a double). Key and document follow. */
const headBytes = 12

interface SpillRecord {
  readonly key: Bytes
  /** Position in the input; it decides between equal keys. */
  readonly sequence: number
  readonly document: Document
}

/** The place of a run in its file. */
export interface StoredRun {
  readonly start: number
  readonly end: number
  readonly records: number
}

/** Writes one run; `finish` returns its place. */
export class RunWriter {
  private readonly start: number
  private buffer = Buffer.allocUnsafeSlow(pieceBytes)
  private used = 0
  private records = 0

  constructor(private readonly file: SpillFile) {
    this.start = file.length
  }

  /** Bytes of the run so far. */
  get bytes(): number {
    return this.file.length - this.start + this.used
  }

  add({ key, sequence, document }: SpillRecord): void {
    const size = headBytes + key.length + document.length
    if (this.used + size > this.buffer.length) this.flush()
    if (size > this.buffer.length) this.buffer = Buffer.allocUnsafeSlow(size)
    const { buffer } = this
    this.used = buffer.writeUInt32LE(key.length, this.used)
    this.used = buffer.writeDoubleLE(sequence, this.used)
    buffer.set(key, this.used)
    buffer.set(document, this.used + key.length)
    this.used += key.length + document.length
    this.records++
  }

  finish(): StoredRun {
    this.flush()
    return { start: this.start, end: this.file.length, records: this.records }
  }

  private flush(): void {
    if (this.used > 0) this.file.append(this.buffer.subarray(0, this.used))
    this.used = 0
  }
}

/** Reads a run from its beginning; the returned views stay valid. */
export class RunReader {
  private readonly piece: number
  private position: number
  private buffer: Bytes = new Uint8Array(0)
  private at = 0

  /** `bytesMax`: memory bound of the reader, except for a larger record. */
  constructor(
    private readonly file: SpillFile,
    private readonly run: StoredRun,
    bytesMax: number,
  ) {
    this.piece = Math.min(Math.max(Math.floor(bytesMax), pieceBytesMin), pieceBytes)
    this.position = run.start
  }

  /** Of the piece that was read last. */
  get bytesHeld(): number {
    return this.buffer.length
  }

  next(): SpillRecord | undefined {
    if (this.at === this.buffer.length && this.position === this.run.end) return undefined
    this.need(headBytes)
    const keyLength = readInt32(this.buffer, this.at)
    this.need(headBytes + keyLength + 4)
    const size = headBytes + keyLength + readInt32(this.buffer, this.at + headBytes + keyLength)
    this.need(size)
    const start = this.at
    this.at += size
    const documentAt = start + headBytes + keyLength
    return {
      key: this.buffer.subarray(start + headBytes, documentAt),
      sequence: readDouble(this.buffer, start + 4),
      document: this.buffer.subarray(documentAt, this.at),
    }
  }

  /** Ensures that this many bytes are loaded from `at` on; may replace the buffer and `at`. */
  private need(bytes: number): void {
    const left = this.buffer.length - this.at
    if (left >= bytes) return
    const fresh = Math.min(Math.max(this.piece, bytes) - left, this.run.end - this.position)
    assert(left + fresh >= bytes, 'a run ends with a whole record')
    // A new buffer each time, because documents of the last one may still be in use. Not a Buffer,
    // whose `slice` does not copy.
    const buffer = new Uint8Array(left + fresh)
    buffer.set(this.buffer.subarray(this.at))
    this.file.read(buffer.subarray(left), this.position)
    this.position += fresh
    this.buffer = buffer
    this.at = 0
  }
}
