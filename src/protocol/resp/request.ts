// One command: its bytes, and the offsets of its arguments. A view for each argument costs ten
// times as much as finding it. So views, copies and texts are made on demand.

import { type Bytes, shortCharsMax, textOf } from '../../base/bytes/bytes.js'
import { assert } from '../../base/errors.js'
import { copyOf } from '../../base/heap/slab.js'

/** Offsets of arguments, two each: start and end. */
export type OffsetTable = Int32Array

/**
 * A command: argument 0 is its name. It is immutable, and keeps its chunk alive, so a long-lived
 * one (a MULTI queue, a blocked client) is `detach`ed. An index of `count` or more is a bug of
 * Sigil: the table is shared with other commands.
 */
export class RespRequest {
  readonly count: number
  private readonly bytes: Bytes
  private readonly table: OffsetTable
  private readonly base: number

  constructor(
    bytes: Bytes,
    table: OffsetTable,
    base: number,
    count: number,
    /** It exceeded the bounds: only its name is here. */
    readonly isCut = false,
  ) {
    this.bytes = bytes
    this.table = table
    this.base = base
    this.count = count
  }

  /** Length of an argument, bytes. */
  size(index: number): number {
    return this.end(index) - this.start(index)
  }

  /** An argument without a copy; it keeps the whole chunk alive and must not be changed. */
  view(index: number): Bytes {
    return this.bytes.subarray(this.start(index), this.end(index))
  }

  /** A copy of an argument, to be stored or queued. */
  copy(index: number): Bytes {
    return copyOf(this.bytes, this.start(index), this.end(index))
  }

  /** An argument as text; malformed UTF-8 is replaced. */
  text(index: number): string {
    return textOf(this.bytes, this.start(index), this.end(index))
  }

  /** Whether an argument is this word in any case. `word` is lower-case ASCII. */
  is(index: number, word: string): boolean {
    const start = this.start(index)
    if (this.end(index) - start !== word.length) return false
    for (let at = 0; at < word.length; at++) {
      if (lowerCase(this.bytes[start + at] ?? 0) !== word.charCodeAt(at)) return false
    }
    return true
  }

  /** Calls `read` with the place of an argument: for parsers and look-ups, without a view. */
  read<T>(index: number, read: (bytes: Bytes, start: number, end: number) => T): T {
    return read(this.bytes, this.start(index), this.end(index))
  }

  /** Bytes of all arguments together. */
  get argumentBytes(): number {
    let sum = 0
    for (let index = 0; index < this.count; index++) sum += this.size(index)
    return sum
  }

  /** A copy of the command in separate memory. */
  detach(): RespRequest {
    const bytes = new Uint8Array(this.argumentBytes)
    const table = new Int32Array(2 * this.count)
    let at = 0
    for (let index = 0; index < this.count; index++) {
      table[2 * index] = at
      at = this.place(index, bytes, at)
      table[2 * index + 1] = at
    }
    return new RespRequest(bytes, table, 0, this.count)
  }

  /** Copies an argument; returns its end. */
  private place(index: number, bytes: Bytes, at: number): number {
    const start = this.start(index)
    const end = this.end(index)
    if (end - start > shortCharsMax) bytes.set(this.bytes.subarray(start, end), at)
    else for (let from = start; from < end; from++) bytes[at + from - start] = this.bytes[from] ?? 0
    return at + end - start
  }

  private start(index: number): number {
    assert(index >= 0 && index < this.count, 'an argument that the command does not have')
    return this.table[this.base + 2 * index] ?? 0
  }

  private end(index: number): number {
    return this.table[this.base + 2 * index + 1] ?? 0
  }
}

/** An ASCII letter in lower case; every other byte unchanged. */
export function lowerCase(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
}

/**
 * Whether the client is a browser under a cross-protocol attack: the command's name is a header or
 * method of HTTP. Redis drops such a connection without an answer.
 */
export function isCrossProtocol(request: RespRequest): boolean {
  return request.is(0, 'post') || request.is(0, 'host:')
}
