// A hash over a key: name, type, expiry and contents in order. It reads in parts, so keys of any
// size can be compared between two places.

import { createHash, type Hash as Hashing } from 'node:crypto'
import { Slice } from '../../../base/bytes/slice.js'
import { scanEntriesMax } from '../../../base/limits/engine.js'
import type { Program } from '../../../store/store.js'
import type { MembersPage } from '../containers/members.js'
import { Hash, type HashField } from '../hashes/hash.js'
import type { Keyspace } from '../keyspace.js'
import { listOf } from '../lists/list.js'
import { setOf } from '../sets/set.js'
import { sortedSetOf } from '../sorted-sets/sorted-set.js'
import type { Key } from './key.js'

/** The digest of an existing key, hexadecimal. */
export function* digestOf(ks: Keyspace, key: Key): Program<string> {
  const digest = new Digest()
  digest.add(key.name)
  digest.add(Slice.ofText(`${key.type} ${key.expiresAt}`))
  switch (key.type) {
    case 'list':
      yield* addList(digest, ks, key)
      break
    case 'set':
      yield* addSet(digest, ks, key)
      break
    case 'zset':
      yield* addSortedSet(digest, ks, key)
      break
    case 'hash':
      yield* addHash(digest, ks, key)
      break
    default:
      digest.add(key.text())
  }
  return digest.end()
}

class Digest {
  private readonly hash: Hashing = createHash('sha256')

  /** Adds the length too, so that adjacent texts stay distinct. */
  add(bytes: Slice): void {
    this.number(bytes.length)
    this.hash.update(bytes.view())
  }

  number(value: number): void {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleLE(value)
    this.hash.update(bytes)
  }

  end(): string {
    return this.hash.digest('hex')
  }
}

function* addList(digest: Digest, ks: Keyspace, key: Key): Program<void> {
  const list = listOf(ks, key)
  digest.number(list.size)
  for (let from = 0; from < list.size; from += scanEntriesMax) {
    const to = Math.min(from + scanEntriesMax, list.size) - 1
    for (const element of yield* list.range(from, to)) digest.add(element)
  }
}

function* addSet(digest: Digest, ks: Keyspace, key: Key): Program<void> {
  const set = setOf(ks, key)
  digest.number(set.size)
  let page: MembersPage<Slice> | undefined
  do {
    page = yield* set.page(page?.members.at(-1), scanEntriesMax)
    for (const member of page.members) digest.add(member)
  } while (!page.isOver)
}

function* addSortedSet(digest: Digest, ks: Keyspace, key: Key): Program<void> {
  const sortedSet = sortedSetOf(ks, key)
  digest.number(sortedSet.size)
  for (let rank = 0; rank < sortedSet.size; rank += scanEntriesMax) {
    const entries = yield* sortedSet.byRank(rank, Math.min(scanEntriesMax, sortedSet.size - rank))
    for (const { member, score } of entries) {
      digest.add(member)
      digest.number(score)
    }
  }
}

function* addHash(digest: Digest, ks: Keyspace, key: Key): Program<void> {
  const hash = new Hash(ks, key)
  digest.number(hash.size)
  let page: MembersPage<HashField> | undefined
  do {
    page = yield* hash.page(page?.members.at(-1)?.field, scanEntriesMax)
    for (const { field, value } of page.members) {
      digest.add(field)
      digest.add(value)
    }
  } while (!page.isOver)
}
