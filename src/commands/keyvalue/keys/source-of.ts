// Identifies the source of a stored container: the command's words and the versions of the keys
// that it reads. The members of a large container are written before the command's last run. If the
// source is then unchanged, they are not computed again.

import { mapKey } from '../../../base/bytes/bytes.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import type { Key } from '../../../engine/keyspace/keys/key.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import type { Program } from '../../../store/store.js'

/** With more keys or longer words, the members are compared instead. */
const keysMax = 16
const wordsBytesMax = 4_096

/** Undefined if this program may already have changed what it reads. */
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
