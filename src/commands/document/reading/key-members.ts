// keyMembers: the members of one key of a key-value database, page by page. Document clients see a
// large container as a summary, `{$truncated: true, count, id}`, because it may not fit a document.
// This command returns its content.

import type { Slice } from '../../../base/bytes/slice.js'
import { fail } from '../../../base/errors.js'
import { keyMembersBytesMax, keyMembersMax } from '../../../base/limits/documents.js'
import {
  anyValue,
  collection,
  countNumber,
  optional,
  withDefault,
} from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import { plain } from '../../../bus/policy/facts.js'
import { keyspaceIndex } from '../../../engine/collection/catalog/homes.js'
import type { MembersPage } from '../../../engine/keyspace/containers/members.js'
import { Hash } from '../../../engine/keyspace/hashes/hash.js'
import type { Key } from '../../../engine/keyspace/keys/key.js'
import { Keyspace } from '../../../engine/keyspace/keyspace.js'
import { listOf } from '../../../engine/keyspace/lists/list.js'
import { setOf } from '../../../engine/keyspace/sets/set.js'
import { sortedSetOf } from '../../../engine/keyspace/sorted-sets/sorted-set.js'
import { type Place, Space } from '../../../engine/keyspace/spaces.js'
import { scalarOf, scalarValue } from '../../../engine/keyspace/strings/scalar.js'
import { usualBounds, Work } from '../../../engine/keyspace/work.js'
import type { Namespace } from '../../../engine/types.js'
import type { Program } from '../../../store/store.js'
import { numberOf } from '../../../value/numbers.js'
import { numberValue, type Value } from '../../../value/value.js'
import type { DocumentWriter } from '../../../value/writer.js'
import { targetResource } from '../arguments.js'

/** Members of one step. */
const keyMembersAtOnce = 64

/** A member as shown, and the position after it. */
interface Shown {
  readonly bytes: number
  readonly next: Value
  write(writer: DocumentWriter): void
}

/** The members of a key in pages; a small container is one page. */
interface Walk {
  readonly count: number
  /** The members after `after`. */
  step(after: Value | undefined, limit: number): Program<MembersPage<Shown>>
}

export const keyMembersRow = documentRow({
  name: 'keyMembers',
  ...plain,
  grain: 'read',
  access: 'reader',
  target: collection,
  params: {
    key: anyValue,
    after: optional(anyValue),
    limit: withDefault(countNumber, 100),
  },
  resources: targetResource('read'),
  help:
    'Returns members of one key of a key-value database, starting after `after`, the `next` ' +
    'of the previous page.',
  *run(tx, call) {
    const { key: id, after, limit } = call.args
    const ns = tx.namespace()
    if (ns?.keyspace !== true) throw fail('InvalidNamespace', 'this is no key-value database')
    const name = scalarOf(id)
    if (name === undefined) throw fail('BadValue', 'a key is a string or binary')
    const ks = new Keyspace(tx, ns, placeOf(ns), call.now, new Work(usualBounds, false))
    const key = yield* ks.key(name)
    const walk = walkOf(ks, key)
    const page: Shown[] = []
    const isAtEnd = yield* fill(page, walk, after, Math.min(limit || keyMembersMax, keyMembersMax))
    return reply((writer) => {
      writer.string('type', key.type ?? '').value('count', numberValue(walk.count))
      writer.openArray('members')
      for (const shown of page) shown.write(writer)
      writer.close()
      const next = page.at(-1)?.next
      if (!isAtEnd && next !== undefined) writer.value('next', next)
    })
  },
})

function placeOf({ db, name }: Namespace): Place {
  return new Space(db, false).place(keyspaceIndex(name) ?? 0)
}

/** Fills a page; true if no members follow. */
function* fill(
  page: Shown[],
  walk: Walk,
  after: Value | undefined,
  limit: number,
): Program<boolean> {
  let bytes = 0
  for (let place = after; page.length < limit && bytes < keyMembersBytesMax; ) {
    const most = Math.min(limit - page.length, keyMembersAtOnce)
    const { members, isOver } = yield* walk.step(place, most)
    for (const shown of members) {
      page.push(shown)
      bytes += shown.bytes
    }
    if (isOver) return true
    place = members.at(-1)?.next
  }
  return false
}

function walkOf(ks: Keyspace, key: Key): Walk {
  switch (key.type) {
    case 'list':
      return listWalk(ks, key)
    case 'set':
      return setWalk(ks, key)
    case 'zset':
      return sortedSetWalk(ks, key)
    case 'hash':
      return hashWalk(ks, key)
    case 'string':
      throw fail('TypeMismatch', 'a string has no members')
    default:
      throw fail('NoSuchKey', 'no such key')
  }
}

/** Walks by position: `next` counts the elements before it. */
function listWalk(ks: Keyspace, key: Key): Walk {
  const list = listOf(ks, key)
  return {
    count: list.size,
    *step(after, limit) {
      const from = positionOf(after)
      const to = Math.min(from + limit, list.size)
      const elements = from >= to ? [] : yield* list.range(from, to - 1)
      const members = elements.map((element, i) => ({
        bytes: element.length,
        next: numberValue(from + i + 1),
        write: (writer: DocumentWriter) => writer.push(scalarValue(element)),
      }))
      return { members, isOver: to === list.size }
    },
  }
}

/** Walks by rank, as a list by position. */
function sortedSetWalk(ks: Keyspace, key: Key): Walk {
  const set = sortedSetOf(ks, key)
  return {
    count: set.size,
    *step(after, limit) {
      const from = positionOf(after)
      const left = Math.max(0, set.size - from)
      const entries = left === 0 ? [] : yield* set.byRank(from, Math.min(limit, left))
      const members = entries.map(({ member, score }, i) => ({
        bytes: member.length,
        next: numberValue(from + i + 1),
        write(writer: DocumentWriter) {
          writer.pushOpenDocument().value('member', scalarValue(member))
          writer.double('score', score).close()
        },
      }))
      return { members, isOver: left <= limit }
    },
  }
}

function setWalk(ks: Keyspace, key: Key): Walk {
  const set = setOf(ks, key)
  return {
    count: set.size,
    *step(after, limit) {
      const page =
        key.head === undefined
          ? pageOf(yield* set.all(), (member) => member, after, limit)
          : yield* set.page(nameIn(after), limit)
      const members = page.members.map((member) => ({
        bytes: member.length,
        next: scalarValue(member),
        write: (writer: DocumentWriter) => writer.push(scalarValue(member)),
      }))
      return { ...page, members }
    },
  }
}

function hashWalk(ks: Keyspace, key: Key): Walk {
  const hash = new Hash(ks, key)
  return {
    count: hash.size,
    *step(after, limit) {
      const page =
        key.head === undefined
          ? pageOf(yield* hash.all(), ({ field }) => field, after, limit)
          : yield* hash.page(nameIn(after), limit)
      const members = page.members.map(({ field, value }) => ({
        bytes: field.length + value.length,
        next: scalarValue(field),
        write(writer: DocumentWriter) {
          writer.pushOpenDocument().value('field', scalarValue(field))
          writer.value('value', scalarValue(value)).close()
        },
      }))
      return { ...page, members }
    },
  }
}

/** The part after `after` of a container that is read as a whole. */
function pageOf<T>(
  items: readonly T[],
  nameOf: (item: T) => Slice,
  after: Value | undefined,
  limit: number,
): MembersPage<T> {
  const name = nameIn(after)
  const from = name === undefined ? 0 : items.findIndex((item) => nameOf(item).equals(name)) + 1
  return { members: items.slice(from, from + limit), isOver: from + limit >= items.length }
}

function nameIn(after: Value | undefined): Slice | undefined {
  const name = after === undefined ? undefined : scalarOf(after)
  if (after !== undefined && name === undefined) throw wrongPlace()
  return name
}

function positionOf(after: Value | undefined): number {
  if (after === undefined) return 0
  const position = after.isNumber ? numberOf(after) : Number.NaN
  if (!Number.isSafeInteger(position) || position < 0) throw wrongPlace()
  return position
}

const wrongPlace = () => fail('BadValue', "'after' is what 'next' has answered")
