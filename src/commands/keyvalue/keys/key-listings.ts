// KEYS and RANDOMKEY: keys that match a pattern, and a random key. The literal beginning of a
// pattern bounds the walk.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { Glob } from '../../../base/bytes/glob.js'
import { Slice } from '../../../base/bytes/slice.js'
import { scanEntriesMax } from '../../../base/limits/engine.js'
import { wordUnits } from '../../../base/work/work-figures.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import type { Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { walkKeys } from '../../../engine/keyspace/keys/key-walk.js'
import { randomKey } from '../../../engine/keyspace/keys/random-key.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import type { Program } from '../../../store/store.js'

const keys: KeyValueRow = {
  name: 'keys',
  grows: 'nothing',
  arity: 2,
  flags: ['readonly'],
  categories: ['keyspace', 'dangerous'],
  summary: 'Returns the names of all keys that match a pattern.',
  since: '1.0.0',
  group: 'generic',
  complexity: 'O(N) with N keys that begin as the pattern does',
  syntax: 'pattern',
  tips: ['request_policy:all_shards', 'nondeterministic_output_order'],
  grain: 'read',
  run: matchingKeys,
}

/** Memory of a name beside its bytes: its buffer and slice. */
const nameOverheadBytes = 200

function* matchingKeys(ks: Keyspace, call: KeyValueCall): Program<Reply> {
  const glob = new Glob(call.arg(1))
  const names: Slice[] = []
  let place: Bytes | undefined
  do {
    const step = yield* walkKeys(ks, glob.prefix, place, scanEntriesMax)
    const before = names.length
    let bytes = 0
    for (const { name } of step.keys) {
      // The name is copied, because a slice would keep the whole stored record in memory.
      if (glob.isAll || glob.matches(name)) {
        names.push(Slice.of(name.copy()))
        bytes += name.length
      }
      yield* ks.tx.pause(wordUnits)
    }
    call.gather(bytes + (names.length - before) * nameOverheadBytes)
    place = step.place
  } while (place !== undefined)
  return names
}

const randomkey: KeyValueRow = {
  name: 'randomkey',
  grows: 'nothing',
  arity: 1,
  flags: ['readonly'],
  categories: ['keyspace'],
  summary: 'Returns the name of a random key.',
  since: '1.0.0',
  group: 'generic',
  complexity: 'O(log N)',
  syntax: '',
  tips: ['request_policy:all_shards', 'nondeterministic_output'],
  grain: 'read',
  *run(ks, call) {
    const key = yield* randomKey(ks, (bound) => call.random(bound))
    return key?.name ?? null
  },
}

export const keyListingRows: readonly KeyValueRow[] = [keys, randomkey]
