// The patterns of SORT: `weight_*` names a key for each element, `object_*->field` a field of a
// hash, `#` the element itself.

import { concatBytes } from '../../../base/bytes/bytes.js'
import { Slice } from '../../../base/bytes/slice.js'
import { keyNameBytesMax, sortLookUpsAtOnce } from '../../../base/limits.js'
import { Hash } from '../../../engine/keyspace/hashes/hash.js'
import type { Key } from '../../../engine/keyspace/keys/key.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import type { Program } from '../../../store/store.js'

const star = 0x2a
const arrow = Buffer.from('->')

/** Names the same key for every element, so that there is nothing to sort by. */
export function isConstant(pattern: Slice): boolean {
  return pattern.view().indexOf(star) < 0
}

/** What the pattern leads to for each element; undefined where there is nothing. */
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

/** No key has a longer name. */
function isPossible(name: Slice): boolean {
  return name.length <= keyNameBytesMax
}

function* valueUnder(ks: Keyspace, key: Key, field: Slice | undefined): Program<Slice | undefined> {
  if (field === undefined) return key.type === 'string' ? key.text() : undefined
  return key.type === 'hash' ? yield* new Hash(ks, key).get(field) : undefined
}
