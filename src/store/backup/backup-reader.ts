// Reads a backup from a file or a network stream. It assembles sections from pieces of any size and
// verifies each before use. Errors name the position in the file.

import { type Bytes, bufferOf, equalBytes } from '../../base/bytes/bytes.js'
import { crc32c } from '../../base/bytes/crc32c.js'
import { fail, GatewayError, kindOf } from '../../base/errors.js'
import { backupBlockBytes, backupSectionBytesMax } from '../../base/limits/store.js'
import {
  type BackupHead,
  type BackupTail,
  backupFormat,
  backupMagic,
  decodeBlock,
  decodeFailure,
  decodeHead,
  decodeTail,
  nextBlocksCrc,
  preludeBytes,
  sectionHeaderBytes,
  sectionKind,
} from './backup-format.js'

/** Receives the verified parts. The bytes of a pair are valid only during the call. */
interface BackupVisitor {
  head?(head: BackupHead): void
  pair?(key: Bytes, value: Bytes): void
  /** Called after each block with the number of pairs so far. */
  progress?(pairs: number): void
}

export class BackupReader {
  private held = Buffer.alloc(2 * backupBlockBytes)
  private start = 0
  private end = 0
  /** Bytes of the file before `start`. */
  private position = 0
  private stage: 'prelude' | 'head' | 'blocks' | 'done' = 'prelude'
  private readonly seen = { blocks: 0, blocksCrc: 0, pairs: 0, bytes: 0 }
  private tail: BackupTail | undefined

  constructor(private readonly visitor: BackupVisitor = {}) {}

  /**
   * Takes the next piece. Throws ChecksumMismatch if the file is damaged, OperationFailed if this
   * version cannot read it, or the failure that the server sent.
   */
  push(piece: Bytes): void {
    this.hold(piece)
    for (let taken = this.step(); taken > 0; taken = this.step()) {
      this.start += taken
      this.position += taken
    }
    if (this.stage === 'done' && this.end > this.start) throw this.damaged('something follows it')
  }

  /** Throws ChecksumMismatch unless the backup is whole. */
  finish(): BackupTail {
    if (this.tail !== undefined) return this.tail
    if (this.stage === 'prelude') throw notOurs()
    const length = this.position + this.end - this.start
    const text = `the part at byte ${this.position} is cut off: the file ends at byte ${length}`
    throw fail('ChecksumMismatch', `the backup is not whole: ${text}`)
  }

  private hold(piece: Bytes): void {
    const bytes = this.end - this.start
    if (this.end + piece.length > this.held.length) {
      const room = bytes + piece.length
      const target = room > this.held.length ? Buffer.alloc(2 * room) : this.held
      this.held.copy(target, 0, this.start, this.end)
      this.held = target
      this.start = 0
      this.end = bytes
    }
    this.held.set(piece, this.end)
    this.end += piece.length
  }

  /** Processes the buffered bytes. Returns how many it consumed, or 0 if it needs more. */
  private step(): number {
    const held = this.held.subarray(this.start, this.end)
    if (this.stage === 'prelude') {
      if (held.length < preludeBytes) return 0
      requireOurs(held)
      this.stage = 'head'
      return preludeBytes
    }
    if (this.stage === 'done' || held.length < sectionHeaderBytes) return 0
    const length = sectionHeaderBytes + held.readUInt32LE(8)
    if (length > backupSectionBytesMax) throw this.damaged('its length is impossible')
    if (held.length < length) return 0
    const section = held.subarray(0, length)
    const crc = section.readUInt32LE(0)
    if (crc32c(section, 4) !== crc) throw this.damaged('its checksum does not match')
    this.take(section.readUInt32LE(4), section.subarray(sectionHeaderBytes), crc)
    return length
  }

  private take(kind: number, body: Bytes, crc: number): void {
    if (kind === sectionKind.failure) throw this.failure(body)
    if (kind === sectionKind.head && this.stage === 'head') this.takeHead(body)
    else if (kind === sectionKind.block && this.stage === 'blocks') this.takeBlock(body, crc)
    else if (kind === sectionKind.tail && this.stage === 'blocks') this.takeTail(body)
    else throw this.damaged('it does not belong there')
  }

  private takeHead(body: Bytes): void {
    const head = decodeHead(body)
    if (head === undefined) throw this.damaged('its head does not add up')
    this.stage = 'blocks'
    this.visitor.head?.(head)
  }

  private takeBlock(body: Bytes, crc: number): void {
    const { seen, visitor } = this
    const block = decodeBlock(body, visitor.pair && ((key, value) => visitor.pair?.(key, value)))
    if (block === undefined) throw this.damaged('its pairs do not add up')
    if (block.number !== seen.blocks) {
      throw this.damaged(`block ${block.number} follows ${seen.blocks} others`)
    }
    seen.blocks++
    seen.blocksCrc = nextBlocksCrc(seen.blocksCrc, crc)
    seen.pairs += block.pairs
    seen.bytes += block.bytes
    visitor.progress?.(seen.pairs)
  }

  private takeTail(body: Bytes): void {
    const tail = decodeTail(body)
    const { seen } = this
    const agrees =
      tail?.blocks === seen.blocks &&
      tail.blocksCrc === seen.blocksCrc &&
      tail.pairs === seen.pairs &&
      tail.bytes === seen.bytes
    if (!agrees) throw this.damaged('its end does not agree with what came before')
    this.tail = tail
    this.stage = 'done'
  }

  private failure(body: Bytes): Error {
    const failure = decodeFailure(body)
    if (failure === undefined) return this.damaged('its failure does not add up')
    return new GatewayError(kindOf(failure.code), failure.text)
  }

  private damaged(what: string): Error {
    return fail('ChecksumMismatch', `the backup is damaged at byte ${this.position}: ${what}`)
  }
}

function requireOurs(held: Bytes): void {
  if (!equalBytes(held.subarray(0, backupMagic.length), backupMagic)) throw notOurs()
  const format = bufferOf(held).readUInt32LE(8)
  if (format === backupFormat) return
  throw fail(
    'OperationFailed',
    `the backup has format ${format}; this version reads format ${backupFormat}`,
  )
}

function notOurs(): Error {
  return fail('OperationFailed', 'this is no backup of Sigil')
}
