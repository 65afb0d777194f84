// BITFIELD: treats a string as integers of any width up to 64 bits. One command reads and changes
// several of them, in order.

import { emptySlice, Slice } from '../../../base/bytes/slice.js'
import { notInteger, refuse, syntaxError } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import type { Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { putBits, readBits } from '../../../engine/keyspace/bits/bit-string.js'
import { parseInt64 } from '../../../engine/keyspace/strings/numbers.js'
import { openParts, type StringParts } from '../../../engine/keyspace/strings/string-parts.js'
import type { Program } from '../../../store/store.js'
import { requireBitOffset, widened } from './bits.js'

const shared = { categories: ['bitmap'], keys: [1, 1, 1], group: 'bitmap' } as const

type Overflow = 'wrap' | 'sat' | 'fail'

interface Field {
  readonly isSigned: boolean
  readonly width: number
  readonly offset: number
}

type Operation =
  | { readonly kind: 'get'; readonly field: Field }
  | {
      readonly kind: 'set' | 'incrby'
      readonly field: Field
      readonly value: bigint
      readonly overflow: Overflow
    }

/** Parses `i8`, `u63`. */
function readType(call: KeyValueCall, index: number): Pick<Field, 'isSigned' | 'width'> {
  const [, sign, digits] = /^([iu])([1-9]\d?)$/.exec(call.text(index)) ?? []
  const width = Number(digits)
  if (digits === undefined || width > (sign === 'i' ? 64 : 63)) {
    throw refuse(
      'ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but ' +
        'i64 is.',
    )
  }
  return { isSigned: sign === 'i', width }
}

const hash = 0x23

/** Parses an offset in bits; `#2` counts in fields. */
function readField(call: KeyValueCall, index: number): Field {
  const type = readType(call, index)
  const { bytes, start, end } = call.arg(index + 1)
  const isCounted = bytes[start] === hash && end > start
  const number = parseInt64(bytes, isCounted ? start + 1 : start, end)
  const factor = isCounted ? type.width : 1
  const offset = requireBitOffset(number === undefined ? undefined : Number(number) * factor)
  return { ...type, offset }
}

function readOverflow(call: KeyValueCall, index: number): Overflow {
  for (const overflow of ['wrap', 'sat', 'fail'] as const) {
    if (call.is(index, overflow)) return overflow
  }
  throw refuse('ERR Invalid OVERFLOW type specified')
}

function readOperations(call: KeyValueCall): Operation[] {
  const found: Operation[] = []
  let overflow: Overflow = 'wrap'
  let i = 2
  while (i < call.count) {
    const further = call.count - i - 1
    if (call.is(i, 'get') && further >= 2) {
      found.push({ kind: 'get', field: readField(call, i + 1) })
      i += 3
    } else if ((call.is(i, 'set') || call.is(i, 'incrby')) && further >= 3) {
      const kind = call.is(i, 'set') ? 'set' : 'incrby'
      const field = readField(call, i + 1)
      const value = call.args.read(i + 3, parseInt64)
      if (value === undefined) throw notInteger()
      found.push({ kind, field, value: BigInt(value), overflow })
      i += 4
    } else if (call.is(i, 'overflow') && further >= 1) {
      overflow = readOverflow(call, i + 1)
      i += 2
    } else throw syntaxError()
  }
  return found
}

function fieldValue(text: Slice, { offset, width, isSigned }: Field): bigint {
  const bits = readBits(text, offset, width)
  return isSigned ? BigInt.asIntN(width, bits) : bits
}

/** The new value of the field; undefined if it must not change. */
function fit(value: bigint, { width, isSigned }: Field, overflow: Overflow): bigint | undefined {
  const bits = BigInt(width)
  const least = isSigned ? -(1n << (bits - 1n)) : 0n
  const most = isSigned ? (1n << (bits - 1n)) - 1n : (1n << bits) - 1n
  if (value >= least && value <= most) return value
  if (overflow === 'fail') return undefined
  if (overflow === 'sat') return value < least ? least : most
  return isSigned ? BigInt.asIntN(width, value) : BigInt.asUintN(width, value)
}

interface Outcome {
  readonly replies: Reply[]
  /** Whether the value of any field changed. */
  readonly isChanged: boolean
}

function apply(bytes: Uint8Array, operations: readonly Operation[]): Outcome {
  const text = Slice.of(bytes)
  const replies: Reply[] = []
  let isChanged = false
  for (const operation of operations) {
    const { kind, field } = operation
    const before = fieldValue(text, field)
    if (kind === 'get') {
      replies.push(before)
      continue
    }
    const { value, overflow } = operation
    const after = fit(wanted(kind, before, value, field), field, overflow)
    replies.push(after === undefined ? null : kind === 'set' ? before : after)
    if (after === undefined || after === before) continue
    putBits(bytes, field.offset, field.width, after)
    isChanged = true
  }
  return { replies, isChanged }
}

/** SET accepts a negative value for an unsigned field and uses its 64 bits. */
function wanted(kind: 'set' | 'incrby', before: bigint, value: bigint, field: Field): bigint {
  if (kind === 'incrby') return before + value
  return field.isSigned ? value : BigInt.asUintN(64, value)
}

/** Bytes that the string needs for the writing operations. */
function reach(operations: readonly Operation[]): number {
  let bytes = 0
  for (const { kind, field } of operations) {
    if (kind !== 'get') bytes = Math.max(bytes, bytesTo(field))
  }
  return bytes
}

/** Bytes of a string up to the end of a field. */
function bytesTo({ offset, width }: Field): number {
  return Math.ceil((offset + width) / 8)
}

const bitfield: KeyValueRow = {
  ...shared,
  name: 'bitfield',
  uses: 'RW access update variable_flags',
  grows: 'keys',
  arity: -2,
  flags: ['write', 'denyoom'],
  privileges: ['read', 'write'],
  summary: 'Reads and changes integers of any width within a string.',
  since: '3.2.0',
  complexity: 'O(N) with N bytes of the string',
  syntax:
    'key [GET encoding offset | [OVERFLOW <WRAP | SAT | FAIL>] ' +
    '<SET encoding offset value | INCRBY encoding offset increment> ...]',
  grain: 'write',
  *run(ks, call) {
    const operations = readOperations(call)
    const key = yield* ks.key(call.arg(1))
    const text = key.requireType('string') ? key.text() : emptySlice
    const needed = reach(operations)
    if (needed === 0) return operations.map(({ field }) => fieldValue(text, field))
    const bytes = widened(text, needed)
    const { replies, isChanged } = apply(bytes, operations)
    const isLonger = bytes.length > text.length
    if (isChanged || isLonger) yield* ks.putString(key, Slice.of(bytes), key.expiresAt)
    if (isChanged || (isLonger && replies.some((reply) => reply !== null))) {
      ks.notify('$', 'setbit', key.name)
    }
    return replies
  },
}

/** Reads the bytes from the first field to the last one together. */
function* readFields(text: StringParts, operations: readonly Operation[]): Program<bigint[]> {
  let from = text.length
  let to = 0
  for (const { field } of operations) {
    from = Math.min(from, Math.floor(field.offset / 8))
    to = Math.max(to, bytesTo(field))
  }
  const bytes = yield* text.read(from, Math.min(to, text.length))
  return operations.map(({ field }) =>
    fieldValue(bytes, { ...field, offset: field.offset - from * 8 }),
  )
}

const bitfieldRo: KeyValueRow = {
  ...shared,
  name: 'bitfield_ro',
  grows: 'nothing',
  arity: -2,
  flags: ['readonly', 'fast'],
  summary: 'Reads integers of any width within a string.',
  since: '6.0.0',
  complexity: 'O(1) for each integer',
  syntax: 'key [GET encoding offset [GET encoding offset ...]]',
  grain: 'read',
  *run(ks, call) {
    const operations = readOperations(call)
    if (operations.some(({ kind }) => kind !== 'get')) {
      throw refuse('ERR BITFIELD_RO only supports the GET subcommand')
    }
    const text = yield* openParts(ks, call.arg(1))
    return text === undefined ? operations.map(() => 0n) : yield* readFields(text, operations)
  },
}

export const bitfieldRows: readonly KeyValueRow[] = [bitfield, bitfieldRo]
