// Removing members from the ends of sorted sets, and random members. The blocking commands
// (blocking-sorted-sets.ts) use the same functions.

import type { Slice } from '../../../base/bytes/slice.js'
import { mustBePositive, refuse, syntaxError } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { double, emptyArray, nullArray, type Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { findInTurns } from '../../../engine/keyspace/containers/in-turns.js'
import type { Key } from '../../../engine/keyspace/keys/key.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import {
  findOpenSortedSet,
  openSortedSet,
  type ScoredMember,
  type SortedSet,
  sortedSetOf,
} from '../../../engine/keyspace/sorted-sets/sorted-set.js'
import { parseInt64 } from '../../../engine/keyspace/strings/numbers.js'
import { Done } from '../../../store/steps.js'
import type { Program, ReadTx, Step } from '../../../store/store.js'
import { keysFrom, readPopSome } from '../lists/list-moves.js'
import { pickedOf, pickNumbers, readPickCount } from '../sets/random-picks.js'
import { pairsOf, replyOf } from './sorted-set-ranges.js'
import { saveRemoved } from './sorted-sets.js'

const shared = { grows: 'nothing', categories: ['sortedset'], group: 'sorted-set' } as const

export type End = 'min' | 'max'

/** Removes members from one end of an open set. */
function* take(
  ks: Keyspace,
  set: SortedSet,
  end: End,
  count: number,
): Program<readonly ScoredMember[]> {
  const taken = yield* set.pop(end === 'max', count)
  yield* saveRemoved(ks, set, taken.length, `zpop${end}`)
  return taken
}

interface Popped {
  readonly name: Slice
  readonly taken: readonly ScoredMember[]
}

/**
 * Pops from the first key with members; undefined if none has. Throws WRONGTYPE. With
 * `skipsOthers`, for a waiting client, keys of another type are ignored.
 */
export function* popFirst(
  ks: Keyspace,
  names: readonly Slice[],
  end: End,
  count: number,
  skipsOthers = false,
): Program<Popped | undefined> {
  const [name] = names
  if (name !== undefined && names.length === 1 && !skipsOthers) {
    // Later commands of this program find the set open.
    const set = yield* openSortedSet(ks, name)
    return set.size === 0 ? undefined : { name, taken: yield* take(ks, set, end, count) }
  }
  const isWanted = ({ exists, type }: Key) => exists && (!skipsOthers || type === 'zset')
  const key = yield* findInTurns(ks.tx, yield* ks.keys(names, 'members'), isWanted)
  if (key === undefined) return undefined
  return { name: key.name, taken: yield* take(ks, sortedSetOf(ks, key), end, count) }
}

/** Parses MIN or MAX. */
export function endAt(call: KeyValueCall, index: number): End {
  if (call.is(index, 'min')) return 'min'
  if (call.is(index, 'max')) return 'max'
  throw syntaxError()
}

/** The key and its pairs, which are nested in both protocol versions. */
export function popSomeReply({ name, taken }: Popped): Reply {
  return [name, taken.map(({ member, score }) => [member, double(score)])]
}

/** Pops one member of a set that an earlier command left open, as pipelines do. */
function popPlain(ks: Keyspace, call: KeyValueCall, end: End): Step<Reply> {
  const one = call.count === 2 ? popOpen(ks, call.arg(1), end) : undefined
  if (one === undefined) return pop(ks, call, end)
  return new Done<Reply>([one.member, double(one.score)])
}

/** Pops one member of a large set that is open; undefined without a change if it is not. */
export function popOpen(ks: Keyspace, name: Slice, end: End): ScoredMember | undefined {
  const one = findOpenSortedSet(ks, name)?.popNow(end === 'max')
  if (one !== undefined) ks.notify('z', `zpop${end}`, name)
  return one
}

function* pop(ks: Keyspace, call: KeyValueCall, end: End): Program<Reply> {
  if (call.count > 3) throw syntaxError()
  const count = call.count < 3 ? 1 : call.args.read(2, parseInt64)
  if (count === undefined || count < 0) throw mustBePositive()
  const set = yield* openSortedSet(ks, call.arg(1))
  const taken = yield* take(ks, set, end, Number(count))
  return call.count === 3 ? yield* replyOf(ks.tx, taken, true) : yield* pairsOf(ks.tx, taken)
}

function popRow(name: string, end: End, what: string): KeyValueRow {
  return {
    ...shared,
    name,
    uses: 'RW access delete',
    grows: 'nothing',
    arity: -2,
    flags: ['write', 'fast'],
    keys: [1, 1, 1],
    privileges: ['read', 'write'],
    summary: `Removes members with the ${what} scores and returns them.`,
    since: '5.0.0',
    complexity: 'O(log(N)*M) with M members taken',
    syntax: 'key [count]',
    grain: 'write',
    run: (ks, call) => popPlain(ks, call, end),
  }
}

const zmpop: KeyValueRow = {
  ...shared,
  name: 'zmpop',
  uses: 'RW access delete #1',
  arity: -4,
  flags: ['write'],
  movableKeys: (args) => keysFrom(args, 1),
  privileges: ['read', 'write'],
  summary: 'Removes and returns members from an end of the first non-empty sorted set.',
  since: '7.0.0',
  complexity: 'O(K)+O(M*log(N)) with K keys and M members taken',
  syntax: 'numkeys key [key ...] <MIN | MAX> [COUNT count]',
  grain: 'write',
  *run(ks, call) {
    const { names, end, count } = readPopSome(call, 1, endAt)
    const popped = yield* popFirst(ks, names, end, count)
    return popped === undefined ? nullArray : popSomeReply(popped)
  },
}

/** With scores the reply has twice as many items, so the count may use half of the range. */
const pairsMax = 2n ** 62n - 1n

const zrandmember: KeyValueRow = {
  ...shared,
  name: 'zrandmember',
  arity: -2,
  flags: ['readonly'],
  keys: [1, 1, 1],
  tips: ['nondeterministic_output'],
  summary: 'Returns a random member, or several; with a negative count some of them repeatedly.',
  since: '6.2.0',
  complexity: 'O(M*log(N)) with M members answered',
  syntax: 'key [count [WITHSCORES]]',
  grain: 'read',
  *run(ks, call) {
    if (call.count === 2) {
      const set = yield* openSortedSet(ks, call.arg(1))
      if (set.size === 0) return null
      const [one] = yield* atRanks(ks.tx, call, set, [call.random(set.size)])
      return one?.member ?? null
    }
    const count = readPickCount(call, 2)
    const withScores = call.count === 4
    if (call.count > 4 || (withScores && !call.is(3, 'withscores'))) throw syntaxError()
    const isFar = withScores && (call.int64(2) < -pairsMax || call.int64(2) > pairsMax)
    if (isFar) throw refuse('ERR value is out of range')
    const set = yield* openSortedSet(ks, call.arg(1))
    const { size } = set
    if (size === 0) return emptyArray
    if (count >= size) return yield* replyOf(ks.tx, yield* set.byRank(0, size), withScores)
    const ranks = yield* pickNumbers(ks.tx, call, size, count)
    return yield* replyOf(ks.tx, yield* atRanks(ks.tx, call, set, ranks), withScores)
  },
}

/** Entries that a search by rank reads, about. */
const entriesPerSearch = 256

function* atRanks(
  tx: ReadTx,
  call: KeyValueCall,
  set: SortedSet,
  ranks: readonly number[],
): Program<ScoredMember[]> {
  const { size } = set
  if (ranks.length * entriesPerSearch > size) {
    const all = yield* set.byRank(0, size)
    return yield* pickedOf(tx, call, all, ranks, ({ member }) => member.length)
  }
  const found: ScoredMember[] = []
  for (const rank of ranks) found.push(...(yield* set.byRank(rank, 1)))
  return found
}

export const sortedSetPopRows: readonly KeyValueRow[] = [
  popRow('zpopmin', 'min', 'lowest'),
  popRow('zpopmax', 'max', 'highest'),
  zmpop,
  zrandmember,
]
