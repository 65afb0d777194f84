// What a container is made of that a command stores: the command's words and the versions of the
// keys that it reads. Members of a large one are written before the command runs for the last time;
// where its source is the same then, they are not put together once more.

import { mapKey } from '../../../base/bytes/bytes.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import type { Key } from '../../../engine/keyspace/keys/key.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import type { Program } from '../../../store/store.js'

/** Of more keys or longer words, the members themselves are compared. */
const keysMax = 16
const wordsBytesMax = 4_096

/** Undefined where it is not told by that: this program may have written what it reads. */
export function* sourceOf(
  ks: Keyspace,
  call: KeyValueCall,
  keys: readonly Key[],
): Program<string | undefined> {
  const { args, count } = call
  if (ks.work.changes > 0 || keys.length > keysMax) return undefined
  if (args.argumentBytes > wordsBytesMax) return undefined
  const parts: string[] = []
  for (let i = 0; i < count; i++) parts.push(mapKey(args.view(i)))
  for (const { record } of keys) {
    const stored = yield* ks.tx.getVersioned(record)
    parts.push(mapKey(record), String(stored?.version))
  }
  return parts.map((part) => `${part.length} ${part}`).join(' ')
}
