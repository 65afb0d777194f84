// Parts of strings: length, ranges, append and overwrite. All positions are in bytes, and a change
// keeps the expiry time.

import { emptySlice, Slice } from '../../../base/bytes/slice.js'
import { respBulkBytesMax } from '../../../base/limits/key-value.js'
import { refuse, tooLong } from '../../../base/reply-error.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { openParts } from '../../../engine/keyspace/strings/string-parts.js'
import { isTurned, partWithin } from './part-within.js'

const shared = { categories: ['string'], keys: [1, 1, 1], group: 'string' } as const

/** A copy of `length` bytes, padded with zeros after `text`. */
function stretched(text: Slice, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  bytes.set(text.view())
  return bytes
}

const append: KeyValueRow = {
  ...shared,
  name: 'append',
  uses: 'RW insert',
  grows: 'keys',
  arity: 3,
  flags: ['write', 'denyoom', 'fast'],
  summary: 'Appends to the string of a key; returns its new length.',
  since: '2.0.0',
  complexity: 'O(N) with N bytes before and behind',
  syntax: 'key value',
  grain: 'write',
  *run(ks, call) {
    const key = yield* ks.key(call.arg(1))
    const more = call.arg(2)
    const before = key.requireType('string') ? key.text() : emptySlice
    const length = before.length + more.length
    if (length > respBulkBytesMax) throw tooLong()
    const after = stretched(before, length)
    after.set(more.view(), before.length)
    yield* ks.putString(key, Slice.of(after), key.expiresAt)
    ks.notify('$', 'append', key.name)
    return length
  },
}

const strlen: KeyValueRow = {
  ...shared,
  name: 'strlen',
  uses: 'RO',
  grows: 'nothing',
  arity: 2,
  flags: ['readonly', 'fast'],
  summary: 'Returns how many bytes the string of a key has.',
  since: '2.2.0',
  complexity: 'O(1)',
  syntax: 'key',
  grain: 'read',
  *run(ks, call) {
    return (yield* openParts(ks, call.arg(1)))?.length ?? 0
  },
}

function rangeRow(name: string, since: string): KeyValueRow {
  return {
    ...shared,
    name,
    grows: 'nothing',
    since,
    arity: 4,
    flags: ['readonly'],
    summary: 'Returns the bytes of a string from one position to another.',
    complexity: 'O(N) with N bytes answered',
    syntax: 'key start end',
    grain: 'read',
    *run(ks, call) {
      const start = call.integer(2)
      const end = call.integer(3)
      const text = yield* openParts(ks, call.arg(1))
      if (text === undefined || isTurned(start, end)) return emptySlice
      const part = partWithin(start, end, text.length)
      return part === undefined ? emptySlice : yield* text.read(part.first, part.last + 1)
    },
  }
}

const setrange: KeyValueRow = {
  ...shared,
  name: 'setrange',
  grows: 'keys',
  arity: 4,
  flags: ['write', 'denyoom'],
  summary: 'Overwrites bytes of a string from a position on; returns its new length.',
  since: '2.2.0',
  complexity: 'O(N) with N bytes of the string',
  syntax: 'key offset value',
  grain: 'write',
  *run(ks, call) {
    const offset = call.integer(2)
    if (offset < 0) throw refuse('ERR offset is out of range')
    const over = call.arg(3)
    const key = yield* ks.key(call.arg(1))
    const before = key.requireType('string') ? key.text() : emptySlice
    if (over.length === 0) return before.length
    if (offset + over.length > respBulkBytesMax) throw tooLong()
    const after = stretched(before, Math.max(before.length, offset + over.length))
    after.set(over.view(), offset)
    yield* ks.putString(key, Slice.of(after), key.expiresAt)
    ks.notify('$', 'setrange', key.name)
    return after.length
  },
}

export const stringPartRows: readonly KeyValueRow[] = [
  append,
  strlen,
  rangeRow('getrange', '2.4.0'),
  rangeRow('substr', '1.0.0'),
  setrange,
]
