// Contents of a key as plain data, whatever its size, for commands that move it (DUMP, RESTORE) or
// read all of it (SORT).

import type { Slice } from '../../../base/bytes/slice.js'
import { scanEntriesMax } from '../../../base/limits/engine.js'
import { wordUnits } from '../../../base/work/work-figures.js'
import type { Program } from '../../../store/store.js'
import { Hash, type HashField } from '../hashes/hash.js'
import type { Keyspace } from '../keyspace.js'
import { listOf } from '../lists/list.js'
import { type MemberSet, setOf } from '../sets/set.js'
import { type ScoredMember, sortedSetOf, storeSortedSet } from '../sorted-sets/sorted-set.js'
import type { Key } from './key.js'

export type Contents =
  | { readonly type: 'string'; readonly text: Slice }
  | { readonly type: 'list'; readonly elements: readonly Slice[] }
  | { readonly type: 'set'; readonly members: readonly Slice[] }
  | { readonly type: 'zset'; readonly entries: readonly ScoredMember[] }
  | { readonly type: 'hash'; readonly fields: readonly HashField[] }

/** Reads an existing key. */
export function* readContents(ks: Keyspace, key: Key): Program<Contents> {
  const type = key.type ?? 'string'
  switch (type) {
    case 'string':
      return { type, text: key.text() }
    case 'list':
    case 'set':
      return type === 'list'
        ? { type, elements: yield* elementsOfKey(ks, key) }
        : { type, members: yield* elementsOfKey(ks, key) }
    case 'zset':
      return { type, entries: yield* entriesOf(ks, key) }
    case 'hash':
      return { type, fields: yield* fieldsOf(ks, key) }
  }
}

/** Elements of a list, set or sorted set; none if the key does not exist. */
export function* elementsOfKey(ks: Keyspace, key: Key): Program<Slice[]> {
  if (key.type === 'list') {
    const list = listOf(ks, key)
    return yield* list.range(0, list.size - 1)
  }
  if (key.type === 'zset') return (yield* entriesOf(ks, key)).map(({ member }) => member)
  if (key.type !== 'set') return []
  const set = setOf(ks, key)
  return yield* membersOf(set)
}

/** Replaces the contents and expiry of `key`. */
export function* storeContents(
  ks: Keyspace,
  key: Key,
  contents: Contents,
  expiresAt: number,
): Program<void> {
  yield* ks.remove(key)
  switch (contents.type) {
    case 'string':
      yield* ks.putString(key, contents.text, expiresAt)
      return
    case 'list': {
      const list = listOf(ks, timed(key, expiresAt))
      yield* list.push('back', contents.elements)
      yield* list.save()
      return
    }
    case 'set': {
      const set = setOf(ks, timed(key, expiresAt))
      for (let i = 0; i < contents.members.length; i++) {
        yield* ks.tx.pause(wordUnits)
        yield* set.add(contents.members[i] as Slice)
      }
      yield* set.save()
      return
    }
    case 'zset':
      yield* storeSortedSet(ks, key, contents.entries)
      if (expiresAt !== key.expiresAt) yield* ks.expire(key, expiresAt)
      return
    case 'hash': {
      const hash = new Hash(ks, timed(key, expiresAt))
      for (const { field, value } of contents.fields) yield* hash.set(field, value)
      yield* hash.save()
    }
  }
}

/** The replacement takes its expiry from the key object. */
function timed(key: Key, expiresAt: number): Key {
  key.expiresAt = expiresAt
  return key
}

function* entriesOf(ks: Keyspace, key: Key): Program<ScoredMember[]> {
  const sortedSet = sortedSetOf(ks, key)
  return yield* sortedSet.byRank(0, sortedSet.size)
}

function* fieldsOf(ks: Keyspace, key: Key): Program<HashField[]> {
  const hash = new Hash(ks, key)
  const fields: HashField[] = []
  for (;;) {
    const page = yield* hash.page(fields.at(-1)?.field, scanEntriesMax)
    for (const each of page.members) fields.push(each)
    if (page.isOver) return fields
  }
}

function* membersOf(set: MemberSet): Program<Slice[]> {
  const found: Slice[] = []
  for (;;) {
    const page = yield* set.page(found.at(-1), scanEntriesMax)
    for (const each of page.members) found.push(each)
    if (page.isOver) return found
  }
}
