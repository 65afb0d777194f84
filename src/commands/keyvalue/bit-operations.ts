// BITOP: strings combined bit by bit into another key. Shorter ones go on with zeros, and what has
// no bits at all is no key.

import { refuse, syntaxError } from '../../base/reply-error.js'
import { emptySlice, Slice } from '../../base/slice.js'
import type { KeyValueCall } from '../../bus/keyvalue/call.js'
import type { KeyValueRow } from '../../bus/keyvalue/row.js'
import { never } from '../../engine/keyspace/key.js'
import { widened } from './bits.js'

type Operation = 'and' | 'or' | 'xor' | 'not'

function readOperation(call: KeyValueCall): Operation {
  for (const operation of ['and', 'or', 'xor', 'not'] as const) {
    if (call.is(1, operation)) return operation
  }
  throw syntaxError()
}

function combine(operation: Operation, texts: readonly Slice[], length: number): Uint8Array {
  const bytes = widened(texts[0] ?? emptySlice, length)
  if (operation === 'not') {
    for (let i = 0; i < length; i++) bytes[i] = ~(bytes[i] as number)
  }
  for (const text of texts.slice(1)) combineWith(operation, bytes, text)
  return bytes
}

function combineWith(operation: Operation, bytes: Uint8Array, text: Slice): void {
  const view = text.view()
  const { length } = view
  if (operation === 'and') {
    for (let i = 0; i < length; i++) bytes[i] = (bytes[i] as number) & (view[i] as number)
    bytes.fill(0, length)
  } else if (operation === 'or') {
    for (let i = 0; i < length; i++) bytes[i] = (bytes[i] as number) | (view[i] as number)
  } else {
    for (let i = 0; i < length; i++) bytes[i] = (bytes[i] as number) ^ (view[i] as number)
  }
}

const bitop: KeyValueRow = {
  name: 'bitop',
  grows: 'keys',
  arity: -4,
  flags: ['write', 'denyoom'],
  categories: ['bitmap'],
  keys: [2, -1, 1],
  needs: ['read', 'write'],
  summary: 'Combines strings bit by bit into another key; answers how long the result is.',
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
    const [to, ...from] = yield* ks.keys(call.argsFrom(2))
    const texts = from.map((key) => (key.requireType('string') ? key.text() : emptySlice))
    const length = Math.max(...texts.map((text) => text.length))
    if (to === undefined) throw syntaxError()
    if (length > 0) {
      yield* ks.putString(to, Slice.of(combine(operation, texts, length)), never)
      ks.notify('$', 'set', to.name)
    } else if (yield* ks.remove(to)) ks.notify('g', 'del', to.name)
    return length
  },
}

export const bitOperationRows: readonly KeyValueRow[] = [bitop]
