// The patterns of SORT: `weight_*` stands for a key per element, `object_*->field` for a field of a
// hash, `#` for the element itself.

import { concatBytes } from '../../../base/bytes/bytes.js'
import { Slice } from '../../../base/bytes/slice.js'
import { keyNameBytesMax } from '../../../base/limits/key-value.js'
import { Hash } from '../../../engine/keyspace/hashes/hash.js'
import type { Key } from '../../../engine/keyspace/keys/key.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import type { Program } from '../../../store/store.js'

/** Keys that SORT looks up in one step. */
const sortLookUpsAtOnce = 500

const star = 0x2a
const arrow = Buffer.from('->')

/** Whether the pattern names the same key for every element, so that there is no order. */
export function isConstant(pattern: Slice): boolean {
  return pattern.view().indexOf(star) < 0
}

/** The values of the pattern for each element; undefined if there is none. */
export function* lookUpByPattern(
  ks: Keyspace,
  pattern: Slice,
  elements: readonly Slice[],
): Program<(Slice | undefined)[]> {
  const text = Buffer.from(pattern.view())
  if (text.length === 1 && text[0] === 0x23) return [...elements]
  const at = text.indexOf(star)
  if (at < 0) return elements.map(() => undefined)
  const turn = text.indexOf(arrow, at + 1)
  const hasField = turn >= 0 && turn + 2 < text.length
  const field = hasField ? Slice.of(Uint8Array.from(text.subarray(turn + 2))) : undefined
  const before = text.subarray(0, at)
  const behind = text.subarray(at + 1, hasField ? turn : text.length)
  const found: (Slice | undefined)[] = []
  for (let first = 0; first < elements.length; first += sortLookUpsAtOnce) {
    const some = elements.slice(first, first + sortLookUpsAtOnce)
    const names = some.map((element) => Slice.of(concatBytes(before, element.view(), behind)))
    const keys = yield* ks.keys(names.filter(isPossible))
    let next = 0
    for (const name of names) {
      const key = isPossible(name) ? keys[next++] : undefined
      found.push(key === undefined ? undefined : yield* valueUnder(ks, key, field))
    }
  }
  return found
}

/** Whether a key can have this name: longer names do not exist. */
function isPossible(name: Slice): boolean {
  return name.length <= keyNameBytesMax
}

function* valueUnder(ks: Keyspace, key: Key, field: Slice | undefined): Program<Slice | undefined> {
  if (field === undefined) return key.type === 'string' ? key.text() : undefined
  return key.type === 'hash' ? yield* new Hash(ks, key).get(field) : undefined
}
