// BITOP: combines strings bit by bit into another key. Shorter strings are padded with zeros, and
// an empty result deletes the key.

import { emptySlice, Slice } from '../../../base/bytes/slice.js'
import { refuse, syntaxError } from '../../../base/reply-error.js'
import { bitBytesPerUnit, bytesPerUnit } from '../../../base/work/work-figures.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { never } from '../../../engine/keyspace/keys/key.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { pieceBytes, widened } from './bits.js'

type Operation = 'and' | 'or' | 'xor' | 'not'

function readOperation(call: KeyValueCall): Operation {
  for (const operation of ['and', 'or', 'xor', 'not'] as const) {
    if (call.is(1, operation)) return operation
  }
  throw syntaxError()
}

/** Works in pieces, because strings may be long. */
function* combine(
  tx: ReadTx,
  operation: Operation,
  texts: readonly Slice[],
  length: number,
): Program<Uint8Array> {
  const bytes = widened(texts[0] ?? emptySlice, length)
  yield* tx.pause(length / bytesPerUnit)
  const others = operation === 'not' ? [emptySlice] : texts.slice(1)
  for (const { bytes: from, start, end } of others) {
    for (let at = 0; at < length; at += pieceBytes) {
      const to = Math.min(at + pieceBytes, length)
      const have = Math.max(at, Math.min(to, end - start))
      combineWith(operation, bytes.subarray(at, to), from.subarray(start + at, start + have))
      yield* tx.pause((to - at) / bitBytesPerUnit)
    }
  }
  return bytes
}

/** `other` may be shorter; it is padded with zeros. */
function combineWith(operation: Operation, bytes: Uint8Array, other: Uint8Array): void {
  const { length } = other
  switch (operation) {
    case 'not':
      for (let i = 0; i < bytes.length; i++) bytes[i] = ~(bytes[i] as number)
      break
    case 'and':
      for (let i = 0; i < length; i++) bytes[i] = (bytes[i] as number) & (other[i] as number)
      bytes.fill(0, length)
      break
    case 'or':
      for (let i = 0; i < length; i++) bytes[i] = (bytes[i] as number) | (other[i] as number)
      break
    default:
      for (let i = 0; i < length; i++) bytes[i] = (bytes[i] as number) ^ (other[i] as number)
  }
}

const bitop: KeyValueRow = {
  name: 'bitop',
  uses: 'OW update 2; RO access 3..-1',
  grows: 'keys',
  arity: -4,
  flags: ['write', 'denyoom'],
  categories: ['bitmap'],
  keys: [2, -1, 1],
  privileges: ['read', 'write'],
  summary: 'Combines strings bit by bit into another key; returns the length of the result.',
  since: '2.6.0',
  group: 'bitmap',
  complexity: 'O(N) with N bytes of all strings',
  syntax: '<AND | OR | XOR | NOT> destkey key [key ...]',
  grain: 'write',
  *run(ks, call) {
    const operation = readOperation(call)
    if (operation === 'not' && call.count !== 4) {
      throw refuse('ERR BITOP NOT must be called with a single source key.')
    }
    const from = yield* ks.keys(call.argsFrom(3))
    const to = yield* ks.keyAround(call.arg(2))
    const texts = from.map((key) => (key.requireType('string') ? key.text() : emptySlice))
    const length = Math.max(...texts.map((text) => text.length))
    if (length > 0) {
      ks.work.requireTime(ks.tx, (texts.length * length) / bitBytesPerUnit)
      const bytes = yield* combine(ks.tx, operation, texts, length)
      yield* ks.putString(to, Slice.of(bytes), never)
      ks.notify('$', 'set', to.name)
    } else if (yield* ks.remove(to)) ks.notify('g', 'del', to.name)
    return length
  },
}

export const bitOperationRows: readonly KeyValueRow[] = [bitop]
