// Strings as rows of bits: reading, setting, counting and searching bits. Long strings are
// processed in pieces, so that other clients do not wait.

import { emptySlice, Slice } from '../../../base/bytes/slice.js'
import { respBulkBytesMax } from '../../../base/limits/key-value.js'
import { refuse, syntaxError } from '../../../base/reply-error.js'
import { bitBytesPerUnit } from '../../../base/work/work-figures.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import type { Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { bitAt, countBits, findBit, putBit } from '../../../engine/keyspace/bits/bit-string.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import { parseInt64 } from '../../../engine/keyspace/strings/numbers.js'
import { openParts, type StringParts } from '../../../engine/keyspace/strings/string-parts.js'
import type { Program } from '../../../store/store.js'
import { isTurned, type Part, partWithin } from '../strings/part-within.js'

const shared = { categories: ['bitmap'], keys: [1, 1, 1], group: 'bitmap' } as const

/** Throws if the offset exceeds the maximum length of a string. */
export function requireBitOffset(offset: number | undefined): number {
  if (offset === undefined || offset < 0 || Math.floor(offset / 8) >= respBulkBytesMax) {
    throw refuse('ERR bit offset is not an integer or out of range')
  }
  return offset
}

function bitOffset(call: KeyValueCall, index: number): number {
  const offset = call.args.read(index, parseInt64)
  return requireBitOffset(offset === undefined ? undefined : Number(offset))
}

/** A copy of a string, padded with zeros to at least `length` bytes. */
export function widened(text: Slice, length: number): Uint8Array {
  const bytes = new Uint8Array(Math.max(text.length, length))
  bytes.set(text.view())
  return bytes
}

const setbit: KeyValueRow = {
  ...shared,
  name: 'setbit',
  uses: 'RW access update',
  grows: 'keys',
  arity: 4,
  flags: ['write', 'denyoom'],
  privileges: ['read', 'write'],
  summary: 'Sets or clears a bit of a string; returns the old bit.',
  since: '2.2.0',
  complexity: 'O(N) with N bytes of the string',
  syntax: 'key offset value',
  grain: 'write',
  *run(ks, call) {
    const offset = bitOffset(call, 2)
    const bit = call.args.read(3, parseInt64)
    if (bit !== 0 && bit !== 1) throw refuse('ERR bit is not an integer or out of range')
    const key = yield* ks.key(call.arg(1))
    const text = key.requireType('string') ? key.text() : emptySlice
    const before = bitAt(text, offset)
    const length = Math.floor(offset / 8) + 1
    if (key.exists && length <= text.length && before === bit) return before
    const bytes = widened(text, length)
    putBit(bytes, offset, bit)
    yield* ks.putString(key, Slice.of(bytes), key.expiresAt)
    ks.notify('$', 'setbit', key.name)
    return before
  },
}

const getbit: KeyValueRow = {
  ...shared,
  name: 'getbit',
  grows: 'nothing',
  arity: 3,
  flags: ['readonly', 'fast'],
  summary: 'Returns a bit of a string.',
  since: '2.2.0',
  complexity: 'O(1)',
  syntax: 'key offset',
  grain: 'read',
  *run(ks, call) {
    const offset = bitOffset(call, 2)
    const text = yield* openParts(ks, call.arg(1))
    const at = Math.floor(offset / 8)
    if (text === undefined || at >= text.length) return 0
    return bitAt(yield* text.read(at, at + 1), offset % 8)
  },
}

/** Whether the unit is BIT, not BYTE. */
function countsBits(call: KeyValueCall, index: number): boolean {
  if (index >= call.count || call.is(index, 'byte')) return false
  if (!call.is(index, 'bit')) throw syntaxError()
  return true
}

/** Positions of bits, from positions of bytes or bits. */
function bitsWithin(start: number, end: number, inBits: boolean, bytes: number): Part | undefined {
  const part = partWithin(start, end, inBits ? bytes * 8 : bytes)
  if (part === undefined || inBits) return part
  return { first: part.first * 8, last: part.last * 8 + 7 }
}

/** Redis checks the range only if there is a string. */
const bitcount: KeyValueRow = {
  ...shared,
  name: 'bitcount',
  grows: 'nothing',
  arity: -2,
  flags: ['readonly'],
  summary: 'Returns how many bits of a string, or of a part of it, are set.',
  since: '2.6.0',
  complexity: 'O(N) with N bytes of the range',
  syntax: 'key [start end [BYTE | BIT]]',
  grain: 'read',
  *run(ks, call) {
    const text = yield* openParts(ks, call.arg(1))
    if (text === undefined) return 0
    let part = bitsWithin(0, -1, false, text.length)
    if (call.count === 4 || call.count === 5) {
      const start = call.integer(2)
      const end = call.integer(3)
      // It checks the unit only if the range can hold something.
      if (isTurned(start, end)) return 0
      part = bitsWithin(start, end, countsBits(call, 4), text.length)
    } else if (call.count !== 2) throw syntaxError()
    return part === undefined ? 0 : yield* countAll(ks, text, part)
  },
}

function* countAll(ks: Keyspace, text: StringParts, part: Part): Program<number> {
  const { bytes, skipped } = yield* bytesOf(text, part)
  let count = 0
  for (const piece of pieces(part.first - skipped, part.last - skipped)) {
    count += countBits(bytes, piece.first, piece.last)
    yield* ks.tx.pause(pieceUnits)
  }
  return count
}

/** The bytes that hold these bits, and how many bits of the string are before them. */
function* bytesOf(
  text: StringParts,
  { first, last }: Part,
): Program<{ bytes: Slice; skipped: number }> {
  const from = Math.floor(first / 8)
  return { bytes: yield* text.read(from, Math.floor(last / 8) + 1), skipped: from * 8 }
}

/** Bytes between two checks of the work budget, and their cost. */
export const pieceBytes = 16 * 1_024
const pieceUnits = pieceBytes / bitBytesPerUnit

function* pieces(first: number, last: number): Generator<Part> {
  const size = pieceBytes * 8
  for (let at = first; at <= last; at += size) {
    yield { first: at, last: Math.min(last, at + size - 1) }
  }
}

const bitpos: KeyValueRow = {
  ...shared,
  name: 'bitpos',
  grows: 'nothing',
  arity: -3,
  flags: ['readonly'],
  summary: 'Returns the position of the first set or clear bit of a string.',
  since: '2.8.7',
  complexity: 'O(N) with N bytes of the range',
  syntax: 'key bit [start [end [BYTE | BIT]]]',
  grain: 'read',
  *run(ks, call) {
    const bit = call.integer(2)
    if (bit !== 0 && bit !== 1) throw refuse('ERR The bit argument must be 1 or 0.')
    const text = yield* openParts(ks, call.arg(1))
    if (text === undefined) return bit === 1 ? -1 : 0
    return yield* findIn(ks, call, text, bit)
  },
}

function* findIn(ks: Keyspace, call: KeyValueCall, text: StringParts, bit: 0 | 1): Program<Reply> {
  if (call.count > 6) throw syntaxError()
  const hasEnd = call.count > 4
  const start = call.count > 3 ? call.integer(3) : 0
  const inBits = countsBits(call, 5)
  const end = hasEnd ? call.integer(4) : -1
  const part = bitsWithin(start, end, inBits, text.length)
  if (part === undefined) return -1
  const { bytes, skipped } = yield* bytesOf(text, part)
  for (const piece of pieces(part.first - skipped, part.last - skipped)) {
    const found = findBit(bytes, bit, piece.first, piece.last)
    if (found >= 0) return found + skipped
    yield* ks.tx.pause(pieceUnits)
  }
  // Without an end, the string continues with zeros.
  return bit === 0 && !hasEnd ? text.length * 8 : -1
}

export const bitRows: readonly KeyValueRow[] = [setbit, getbit, bitcount, bitpos]
