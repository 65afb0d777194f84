// Taking elements from one of several lists, and moving them between lists: the commands that do
// not block, and what they share with the blocking ones.

import type { Slice } from '../../../base/bytes/slice.js'
import { refuse, syntaxError } from '../../../base/reply-error.js'
import type { Arguments } from '../../../bus/keyvalue/arguments.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { nullArray, type Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { findInTurns } from '../../../engine/keyspace/containers/in-turns.js'
import type { Key } from '../../../engine/keyspace/keys/key.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import { type List, listOf } from '../../../engine/keyspace/lists/list.js'
import type { End } from '../../../engine/keyspace/lists/list-leftovers.js'
import { parseInt64 } from '../../../engine/keyspace/strings/numbers.js'
import type { Program } from '../../../store/store.js'
import { popEvent, pushEvent, saveTaken } from './lists.js'

export interface Move {
  readonly source: Slice
  readonly target: Slice
  readonly from: End
  readonly to: End
}

/** Parses LEFT or RIGHT. */
export function endAt(call: KeyValueCall, index: number): End {
  if (call.is(index, 'left')) return 'front'
  if (call.is(index, 'right')) return 'back'
  throw syntaxError()
}

/** `source destination <LEFT | RIGHT> <LEFT | RIGHT>`. */
export function readMove(call: KeyValueCall): Move {
  const from = endAt(call, 3)
  return { source: call.arg(1), target: call.arg(2), from, to: endAt(call, 4) }
}

/** `source destination`, from the end of the one to the front of the other. */
export function readPopPush(call: KeyValueCall): Move {
  return { source: call.arg(1), target: call.arg(2), from: 'back', to: 'front' }
}

/** Moves an element; undefined if the source is empty. */
export function* moveElement(
  ks: Keyspace,
  source: Key,
  target: Key,
  { from, to }: Move,
): Program<Slice | undefined> {
  if (!source.exists) return undefined
  const list = listOf(ks, source)
  const isSame = source.name.equals(target.name)
  const into = isSame ? list : listOf(ks, target)
  const [element] = yield* list.pop(from, 1)
  if (element === undefined) return undefined
  yield* into.push(to, [element])
  if (!isSame) yield* into.save()
  // Redis notifies about the push first.
  ks.notify('l', pushEvent(to), target.name)
  yield* saveTaken(ks, list, popEvent(from))
  return element
}

function* move(ks: Keyspace, move: Move): Program<Reply> {
  const [source, target] = yield* ks.keys([move.source, move.target], 'members')
  return (yield* moveElement(ks, source as Key, target as Key, move)) ?? null
}

function moveRow(
  row: Pick<KeyValueRow, 'name' | 'arity' | 'summary' | 'since' | 'syntax'>,
  read: (call: KeyValueCall) => Move,
): KeyValueRow {
  return {
    ...row,
    uses: 'RW access delete 1; RW insert 2',
    grows: 'keys',
    flags: ['write', 'denyoom'],
    categories: ['list'],
    keys: [1, 2, 1],
    privileges: ['read', 'write'],
    group: 'list',
    complexity: 'O(1)',
    grain: 'write',
    run: (ks, call) => move(ks, read(call)),
  }
}

const lmove = moveRow(
  {
    name: 'lmove',
    arity: 5,
    summary: 'Moves an element from an end of a list to an end of another and returns it.',
    since: '6.2.0',
    syntax: 'source destination <LEFT | RIGHT> <LEFT | RIGHT>',
  },
  readMove,
)
const rpoplpush = moveRow(
  {
    name: 'rpoplpush',
    arity: 3,
    summary: 'Moves the last element of a list to the front of another and returns it.',
    since: '1.2.0',
    syntax: 'source destination',
  },
  readPopPush,
)

interface PopSome<AnEnd> {
  readonly names: readonly Slice[]
  readonly end: AnEnd
  readonly count: number
}

/** Parses `numkeys key [key ...] <an end> [COUNT count]` from an index on, for LMPOP and ZMPOP. */
export function readPopSome<AnEnd>(
  call: KeyValueCall,
  first: number,
  readEnd: (call: KeyValueCall, index: number) => AnEnd,
): PopSome<AnEnd> {
  const keys = Number(call.args.read(first, parseInt64) ?? 0)
  if (keys <= 0) throw refuse('ERR numkeys should be greater than 0')
  const where = first + 1 + keys
  if (where >= call.count) throw syntaxError()
  const end = readEnd(call, where)
  const names = call.argsFrom(first + 1).slice(0, keys)
  if (call.count === where + 1) return { names, end, count: 1 }
  if (!call.is(where + 1, 'count') || where + 2 >= call.count) throw syntaxError()
  const count = Number(call.args.read(where + 2, parseInt64) ?? 0)
  if (count <= 0) throw refuse('ERR count should be greater than 0')
  if (call.count > where + 3) throw syntaxError()
  return { names, end, count }
}

/** The keys of such a command; none if their number is invalid. */
export function keysFrom(args: Arguments, first: number): number[] {
  const keys = Number(args.read(first, parseInt64) ?? 0)
  if (keys <= 0 || first + keys >= args.count) return []
  return Array.from({ length: keys }, (_, i) => first + 1 + i)
}

/**
 * Pops from the first key that exists; undefined if none exists. With `skipsOthers`, for a waiting
 * client, keys of another type are ignored.
 */
export function* popSome(
  ks: Keyspace,
  keys: readonly Key[],
  { end, count }: Omit<PopSome<End>, 'names'>,
  skipsOthers = false,
): Program<readonly [Slice, Slice[]] | undefined> {
  const isWanted = skipsOthers ? isList : isThere
  const key = yield* findInTurns(ks.tx, keys, isWanted)
  if (key === undefined) return undefined
  const list: List = listOf(ks, key)
  const taken = yield* list.pop(end, count)
  yield* saveTaken(ks, list, popEvent(end))
  return [key.name, taken]
}

function isThere(key: Key): boolean {
  return key.exists
}

function isList({ exists, type }: Key): boolean {
  return exists && type === 'list'
}

const lmpop: KeyValueRow = {
  name: 'lmpop',
  uses: 'RW access delete #1',
  grows: 'nothing',
  arity: -4,
  flags: ['write'],
  categories: ['list'],
  movableKeys: (args) => keysFrom(args, 1),
  privileges: ['read', 'write'],
  summary: 'Removes and returns elements of the first list that exists.',
  since: '7.0.0',
  group: 'list',
  complexity: 'O(N+M) with N keys and M elements answered',
  syntax: 'numkeys key [key ...] <LEFT | RIGHT> [COUNT count]',
  grain: 'write',
  *run(ks, call) {
    const asked = readPopSome(call, 1, endAt)
    return (yield* popSome(ks, yield* ks.keys(asked.names, 'members'), asked)) ?? nullArray
  },
}

export const listMoveRows: readonly KeyValueRow[] = [lmove, rpoplpush, lmpop]
