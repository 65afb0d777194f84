// What a blocking stage is given to work with: how much it may hold in memory, and a file for what
// it does not. Runs of keys with their documents are written and read in bounded pieces; a file
// holds all runs of one stage, one behind the other.

import type { Bytes } from '../base/bytes/bytes.js'
import { assert, fail, type GatewayError } from '../base/errors.js'
import { blockingBytesMax } from '../base/limits.js'
import { type Document, readDouble, readInt32 } from '../value/value.js'

/** A file of one stage; gone with the command or cursor that it was opened for. */
export interface SpillFile {
  /** Bytes written. */
  readonly length: number
  /** Throws OutOfDiskSpace. */
  append(bytes: Bytes): void
  /** Fills `target`; the range was written. */
  read(target: Bytes, position: number): void
  close(): void
}

/** What one part of a query holds in memory, counted for the owner of the query. */
export interface MemoryHolding {
  /** So many bytes are held now. Throws ExceededMemoryLimit; `isSure`: they are there already. */
  hold(bytes: number, isSure?: boolean): void
  close(): void
}

/** What one command or cursor may use for its blocking stages. */
export interface Workspace {
  /** Bytes that one stage may hold in memory. */
  readonly memoryBytesMax: number
  /** Absent where the command may not use the disk, or where there is none. */
  readonly open?: () => SpillFile
  /** Absent where what is held is not counted. */
  holding?(): MemoryHolding
}

/** The bound of a stage that cannot spill. */
export const memoryOnly: Workspace = { memoryBytesMax: blockingBytesMax }

/** What a stage has put outside memory: for explain. */
export interface SpillFigures {
  spills: number
  spilledBytes: number
  spilledRecords: number
  /** Bytes of documents that came in; of a group, of those that came out. */
  inputBytes: number
}

export function noSpills(): SpillFigures {
  return { spills: 0, spilledBytes: 0, spilledRecords: 0, inputBytes: 0 }
}

/** Refuses what a stage may not hold and cannot spill. */
export function requireMemory(name: string, bytes: number, workspace = memoryOnly): void {
  if (bytes > workspace.memoryBytesMax) throw memoryExceeded(name, workspace)
}

/** The error of a stage that holds more than it may. */
export function memoryExceeded(name: string, { memoryBytesMax }: Workspace): GatewayError {
  const text =
    name === '$sort'
      ? `Sort exceeded memory limit of ${memoryBytesMax} bytes, but did not opt in to ` +
        'external sorting.'
      : `Exceeded memory limit for ${name}, but didn't allow external sort. Pass ` +
        'allowDiskUse:true to opt in.'
  return fail('QueryExceededMemoryLimitNoDiskUseAllowed', text)
}

/** Bytes written or read at a time: 0.04 ms of work, 0.4 ms at most of 1,500 measured. */
const pieceBytes = 256 * 1_024
/** Of a reader where many runs share the bound. */
const pieceBytesMin = 4 * 1_024
/** A record: length of the key, place in the input (a double), key, document. */
const headBytes = 12

interface SpillRecord {
  readonly key: Bytes
  /** Place in the input: it decides between equal keys. */
  readonly sequence: number
  readonly document: Document
}

/** Where a run lies in its file. */
export interface StoredRun {
  readonly start: number
  readonly end: number
  readonly records: number
}

/** Writes one run; `finish` tells where it is. */
export class RunWriter {
  private readonly start: number
  private buffer = Buffer.allocUnsafeSlow(pieceBytes)
  private used = 0
  private records = 0

  constructor(private readonly file: SpillFile) {
    this.start = file.length
  }

  /** Bytes of the run until now. */
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

/** Reads a run from its beginning; what it answers are views that stay as they are. */
export class RunReader {
  private readonly piece: number
  private position: number
  private buffer: Bytes = new Uint8Array(0)
  private at = 0

  /** `bytesMax`: what the reader may hold, but for a record that is larger. */
  constructor(
    private readonly file: SpillFile,
    private readonly run: StoredRun,
    bytesMax: number,
  ) {
    this.piece = Math.min(Math.max(Math.floor(bytesMax), pieceBytesMin), pieceBytes)
    this.position = run.start
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

  /** Sees to it that so many bytes are there from `at` on; buffer and `at` may be others then. */
  private need(bytes: number): void {
    const left = this.buffer.length - this.at
    if (left >= bytes) return
    const fresh = Math.min(Math.max(this.piece, bytes) - left, this.run.end - this.position)
    assert(left + fresh >= bytes, 'a run ends with a whole record')
    // A new buffer each time: documents of the last one may still be on their way.
    // No Buffer, whose `slice` would be no copy.
    const buffer = new Uint8Array(left + fresh)
    buffer.set(this.buffer.subarray(this.at))
    this.file.read(buffer.subarray(left), this.position)
    this.position += fresh
    this.buffer = buffer
    this.at = 0
  }
}
