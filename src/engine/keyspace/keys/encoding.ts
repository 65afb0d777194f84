// OBJECT ENCODING: the structure that Redis would use for a value; clients and tests rely on its
// thresholds. Sigil derives it from the value alone. Redis also remembers how the value was
// created. (Deviation)

import type { Slice } from '../../../base/bytes/slice.js'
import type { Program } from '../../../store/store.js'
import type { Keyspace } from '../keyspace.js'
import { parseInt64 } from '../strings/numbers.js'
import { type Contents, readContents } from './contents.js'
import type { Key } from './key.js'

/** Redis' defaults: members, and bytes of a member, of a listpack; members of an intset. */
const listpackMembersMax = 128
const listpackBytesMax = 64
const intsetMembersMax = 512
/** Maximum bytes of an `embstr` string. */
const embeddedBytesMax = 44

/** The encoding of an existing key. Reads no more members than a small structure has. */
export function* encodingOf(ks: Keyspace, key: Key): Program<string> {
  const { type, head } = key
  if (type === 'list') return 'quicklist'
  const most = type === 'set' ? intsetMembersMax : listpackMembersMax
  if (head !== undefined && head.count > most) return type === 'zset' ? 'skiplist' : 'hashtable'
  return nameOf(yield* readContents(ks, key))
}

function nameOf(contents: Contents): string {
  switch (contents.type) {
    case 'string':
      return stringEncoding(contents.text)
    case 'list':
      return 'quicklist'
    case 'set': {
      const { members } = contents
      return members.length <= intsetMembersMax && members.every(isInteger) ? 'intset' : 'hashtable'
    }
    case 'zset': {
      const members = contents.entries.map(({ member }) => member)
      return isListpack(members.length, members) ? 'listpack' : 'skiplist'
    }
    case 'hash': {
      const { fields } = contents
      const parts = fields.flatMap(({ field, value }) => [field, value])
      return isListpack(fields.length, parts) ? 'listpack' : 'hashtable'
    }
  }
}

function stringEncoding(text: Slice): string {
  if (isInteger(text)) return 'int'
  return text.length <= embeddedBytesMax ? 'embstr' : 'raw'
}

function isInteger({ bytes, start, end }: Slice): boolean {
  return parseInt64(bytes, start, end) !== undefined
}

function isListpack(count: number, parts: readonly Slice[]): boolean {
  return count <= listpackMembersMax && parts.every(({ length }) => length <= listpackBytesMax)
}
