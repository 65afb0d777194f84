// Chooses a random key in an ordered store. From the whole database, it descends to the keys that
// continue with one of the possible next bytes, as long as those are many. It then reads a run of
// keys and chooses one evenly. Every key can be chosen, and none is strongly favoured.

import { type Bytes, compareBytes, concatBytes, prefixEnd } from '../../../base/bytes/bytes.js'
import { keyClass } from '../../../store/layout.js'
import type { KeyRange, Program } from '../../../store/store.js'
import { idRange } from '../../background/garbage.js'
import type { Keyspace } from '../keyspace.js'
import type { Key } from './key.js'
import { placeStart, walkKeys } from './key-walk.js'

/** Keys among which RANDOMKEY chooses evenly; with more, name bytes decide first. */
const randomKeysAtOnce = 64

/** `random(n)` returns an integer below n. Undefined in an empty database. */
export function* randomKey(
  ks: Keyspace,
  random: (bound: number) => number,
): Program<Key | undefined> {
  let range: KeyRange = idRange(keyClass.record, ks.ns.id)
  let found = yield* ks.scan(range, randomKeysAtOnce)
  let keys: readonly Key[] = found.keys
  while (found.seen === randomKeysAtOnce) {
    const inner = yield* narrowed(ks, range, random)
    found = yield* ks.scan(inner, randomKeysAtOnce)
    keys = found.seen === randomKeysAtOnce ? found.keys : yield* around(ks, range, inner.start)
    range = inner
  }
  // If all of them are expired, any other key is chosen.
  return keys.length > 0 ? keys[random(keys.length)] : yield* anyKey(ks)
}

/** Keys of a range from a place on, and before it if those are few. */
function* around(ks: Keyspace, { start, end }: KeyRange, place: Bytes): Program<Key[]> {
  const { keys, seen } = yield* ks.scan({ start: place, end }, randomKeysAtOnce)
  if (seen === randomKeysAtOnce) return keys
  const before = { start, end: place, reverse: true }
  return [...keys, ...(yield* ks.scan(before, randomKeysAtOnce - seen)).keys]
}

/** Narrows a range to keys that share one more byte than the whole range does. */
function* narrowed(
  ks: Keyspace,
  range: KeyRange,
  random: (bound: number) => number,
): Program<KeyRange> {
  const [first] = yield* ks.entries(range, 1)
  const [last] = yield* ks.entries({ ...range, reverse: true }, 1)
  if (first === undefined || last === undefined) return range
  const depth = commonBytes(first.key, last.key)
  const low = first.key[depth] ?? 0
  const high = last.key[depth] ?? 0
  const byte = low + random(high - low + 1)
  const wanted = concatBytes(first.key.subarray(0, depth), Uint8Array.of(byte))
  const from = compareBytes(wanted, range.start) > 0 ? wanted : range.start
  const [next] = yield* ks.entries({ start: from, end: range.end }, 1)
  const prefix = (next ?? last).key.subarray(0, depth + 1)
  return { start: prefix, end: prefixEnd(prefix) }
}

function commonBytes(a: Bytes, b: Bytes): number {
  let at = placeStart
  while (at < a.length && at < b.length && a[at] === b[at]) at++
  return at
}

function* anyKey(ks: Keyspace): Program<Key | undefined> {
  let place: Bytes | undefined
  do {
    const step = yield* walkKeys(ks, noPrefix, place, randomKeysAtOnce)
    if (step.keys.length > 0) return step.keys[0]
    place = step.place
  } while (place !== undefined)
  return undefined
}

const noPrefix = new Uint8Array(0)
