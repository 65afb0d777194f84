// SCAN and similar commands: an iteration in pieces over a database or a container. An element that
// exists from start to end is returned at least once. A small container is returned whole.

import { doubleText } from '../../../base/bytes/double-text.js'
import { Glob } from '../../../base/bytes/glob.js'
import { Slice } from '../../../base/bytes/slice.js'
import { scanEntriesMax } from '../../../base/limits/engine.js'
import { refuse, syntaxError } from '../../../base/reply-error.js'
import { wordUnits } from '../../../base/work/work-figures.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import type { Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { eachInTurns } from '../../../engine/keyspace/containers/in-turns.js'
import type { MembersPage } from '../../../engine/keyspace/containers/members.js'
import { openHash } from '../../../engine/keyspace/hashes/hash.js'
import { walkKeys } from '../../../engine/keyspace/keys/key-walk.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import { openSet } from '../../../engine/keyspace/sets/set.js'
import { openSortedSet } from '../../../engine/keyspace/sorted-sets/sorted-set.js'
import type { Program } from '../../../store/store.js'

const cursorText = /^(?:[+-]?\d+)?$/
const cursorMax = 2 ** 64

/** Parses a cursor as strtoul does. Throws "invalid cursor". */
function readCursor(call: KeyValueCall, index: number): number {
  const text = call.text(index)
  const cursor = Math.abs(Number(text))
  if (!cursorText.test(text) || cursor >= cursorMax) throw refuse('ERR invalid cursor')
  return cursor
}

interface ScanOptions {
  readonly count: number
  readonly glob: Glob | undefined
  /** Lower-case. */
  readonly type: string | undefined
}

/** Parses the options after the cursor at `index`. */
function readOptions(call: KeyValueCall, index: number, takesType: boolean): ScanOptions {
  let count = 10
  let glob: Glob | undefined
  let type: string | undefined
  for (let i = index + 1; i < call.count; i += 2) {
    if (i + 1 === call.count) throw syntaxError()
    if (call.is(i, 'count')) {
      count = call.integer(i + 1)
      if (count < 1) throw syntaxError()
    } else if (call.is(i, 'match')) {
      const pattern = new Glob(call.arg(i + 1))
      glob = pattern.isAll ? undefined : pattern
    } else if (takesType && call.is(i, 'type')) type = call.text(i + 1).toLowerCase()
    else throw syntaxError()
  }
  return { count, glob, type }
}

const noPrefix = new Uint8Array(0)

const scan: KeyValueRow = {
  name: 'scan',
  grows: 'nothing',
  arity: -2,
  flags: ['readonly'],
  categories: ['keyspace'],
  summary: 'Returns the next keys of an iteration over the database.',
  since: '2.8.0',
  group: 'generic',
  complexity: 'O(COUNT) for every call',
  syntax: 'cursor [MATCH pattern] [COUNT count] [TYPE type]',
  tips: ['nondeterministic_output', 'request_policy:special'],
  grain: 'read',
  run: scanKeys,
}

function* scanKeys(ks: Keyspace, call: KeyValueCall): Program<Reply> {
  const cursor = readCursor(call, 1)
  const { count, glob, type } = readOptions(call, 1, true)
  const { cursors } = call.services
  const { identity } = call.session
  const scope = ks.place.ns
  const from = cursor === 0 ? undefined : cursors.find(identity, scope, cursor)
  const { keys, place } = yield* walkKeys(ks, glob?.prefix ?? noPrefix, from, count)
  const names: Slice[] = []
  yield* eachInTurns(ks.tx, keys, ({ name, type: found }) => {
    if (type !== undefined && found !== type) return
    if (glob === undefined || glob.matches(name)) names.push(Slice.of(name.copy()))
  })
  return [place === undefined ? '0' : String(cursors.keep(identity, scope, place)), names]
}

/** One piece of a container. */
type Piece = MembersPage<{ readonly name: Slice; readonly reply: readonly Reply[] }>

type Pieces = (after: Slice | undefined, limit: number) => Program<Piece>

/** Opens the elements of a key; undefined if it is missing. Throws WRONGTYPE. */
type Open = (ks: Keyspace, name: Slice) => Program<Pieces | undefined>

function* scanMembers(ks: Keyspace, call: KeyValueCall, open: Open): Program<Reply> {
  const from = readCursor(call, 2)
  const name = call.arg(1)
  const pieces = yield* open(ks, name)
  if (pieces === undefined) return ['0', []]
  const { count, glob } = readOptions(call, 2, false)
  const { cursors } = call.services
  const { identity } = call.session
  const scope = `${ks.place.ns}/${Buffer.from(name.view()).toString('latin1')}`
  const place = from === 0 ? undefined : cursors.find(identity, scope, from)
  let after = place === undefined ? undefined : Slice.of(place)
  const found: Reply[] = []
  let left = count
  for (;;) {
    const limit = Math.min(left, scanEntriesMax)
    const piece = yield* pieces(after, limit)
    for (const { name, reply } of piece.members) {
      if (glob === undefined || glob.matches(name)) found.push(...reply)
      yield* ks.tx.pause(wordUnits)
    }
    const last = piece.members.at(-1)?.name
    if (piece.isOver || last === undefined) return ['0', found]
    left -= limit
    after = last
    // COUNT is a hint: a reply of large members ends with their page.
    if (left <= 0 || piece.members.length < limit)
      return [String(cursors.keep(identity, scope, last.copy())), found]
  }
}

function memberScan(
  row: Pick<KeyValueRow, 'name' | 'categories' | 'group' | 'summary'>,
  open: Open,
): KeyValueRow {
  return {
    ...row,
    grows: 'nothing',
    arity: -3,
    flags: ['readonly'],
    keys: [1, 1, 1],
    since: '2.8.0',
    complexity: 'O(COUNT) for every call; a small one is answered whole',
    syntax: 'key cursor [MATCH pattern] [COUNT count]',
    tips: ['nondeterministic_output'],
    grain: 'read',
    run: (ks, call) => scanMembers(ks, call, open),
  }
}

const hscan = memberScan(
  {
    name: 'hscan',
    categories: ['hash'],
    group: 'hash',
    summary: 'Returns the next fields of an iteration over a hash, with their values.',
  },
  function* (ks, name) {
    const hash = yield* openHash(ks, name)
    if (!hash.key.exists) return undefined
    return function* (after, limit) {
      const page = yield* hash.page(after, limit)
      const members = page.members.map(({ field, value }) => {
        return { name: field, reply: [field, value] }
      })
      return { ...page, members }
    }
  },
)

const sscan = memberScan(
  {
    name: 'sscan',
    categories: ['set'],
    group: 'set',
    summary: 'Returns the next members of an iteration over a set.',
  },
  function* (ks, name) {
    const set = yield* openSet(ks, name)
    if (!set.key.exists) return undefined
    return function* (after, limit) {
      const page = yield* set.page(after, limit)
      return { ...page, members: page.members.map((member) => ({ name: member, reply: [member] })) }
    }
  },
)

const zscan = memberScan(
  {
    name: 'zscan',
    categories: ['sortedset'],
    group: 'sorted-set',
    summary: 'Returns the next members of an iteration over a sorted set, with their scores.',
  },
  function* (ks, name) {
    const sortedSet = yield* openSortedSet(ks, name)
    if (!sortedSet.key.exists) return undefined
    return function* (after, limit) {
      const page = yield* sortedSet.page(after, limit)
      const members = page.members.map(({ member, score }) => ({
        name: member,
        // A bulk string in both protocol versions, as in Redis.
        reply: [member, doubleText(score)],
      }))
      return { ...page, members }
    }
  },
)

export const scanRows: readonly KeyValueRow[] = [scan, hscan, sscan, zscan]
