// Identifies the source of a stored container: the command's words and the versions of the keys
// that it reads. The members of a large container are written before the command's last run. If the
// source is then unchanged, they are not computed again.

import { mapKey } from '../../../base/bytes/bytes.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import type { KnownSource } from '../../../engine/collection/staging.js'
import type { Key } from '../../../engine/keyspace/keys/key.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import type { MembersId } from '../../../engine/types.js'
import type { Program } from '../../../store/store.js'

/** With more keys or longer words, the members are compared instead. */
const keysMax = 16
const wordsBytesMax = 4_096

/**
 * Undefined if this program may already have changed what it reads. `byMember`: what is made of a
 * member depends on that member of each key alone, and on this text.
 */
export function* sourceOf(
  ks: Keyspace,
  call: KeyValueCall,
  keys: readonly Key[],
  byMember?: string,
): Program<KnownSource | undefined> {
  const { args, count } = call
  if (ks.work.changes > 0 || keys.length > keysMax) return undefined
  if (args.argumentBytes > wordsBytesMax) return undefined
  const parts: string[] = []
  for (let i = 0; i < count; i++) parts.push(mapKey(args.view(i)))
  const origins = [...parts, byMember ?? '']
  const follows: MembersId[] = []
  for (const { record, head } of keys) {
    const stored = yield* ks.tx.getVersioned(record)
    const version = String(stored?.version)
    parts.push(mapKey(record), version)
    origins.push(mapKey(record), head === undefined ? version : `of ${head.id}`)
    if (head !== undefined) follows.push(head.id)
  }
  const text = joined(parts)
  if (byMember === undefined || !ks.work.follows(follows)) return { text }
  return { text, origin: joined(origins), follows }
}

function joined(parts: readonly string[]): string {
  return parts.map((part) => `${part.length} ${part}`).join(' ')
}
