// Sorted sets: members with scores. This file has the commands that name their members: adding and
// removing them, scores and ranks.

import type { Slice } from '../../../base/bytes/slice.js'
import { refuse, syntaxError } from '../../../base/reply-error.js'
import { wordUnits } from '../../../base/work/work-figures.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { double, type Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import {
  findOpenSortedSet,
  openSortedSet,
  type SortedSet,
} from '../../../engine/keyspace/sorted-sets/sorted-set.js'
import { parseFloat64 } from '../../../engine/keyspace/strings/numbers.js'
import type { ReadAhead } from '../../../store/read-ahead.js'
import { Done } from '../../../store/steps.js'
import type { Program, Step } from '../../../store/store.js'

const shared = { categories: ['sortedset'], keys: [1, 1, 1], group: 'sorted-set' } as const

interface AddOptions {
  nx: boolean
  xx: boolean
  gt: boolean
  lt: boolean
  ch: boolean
  incr: boolean
}

/** The result for one member. */
interface Added {
  readonly isNew: boolean
  readonly isChanged: boolean
  /** Undefined if a condition prevented the change. */
  readonly score: number | undefined
}

const left: Added = { isNew: false, isChanged: false, score: undefined }

/** Adds one member without options to an open set: the common case in pipelines. */
function addPlain(ks: Keyspace, call: KeyValueCall): Step<Reply> {
  const score = call.count === 4 ? call.args.read(2, parseFloat64) : undefined
  if (score === undefined) return add(ks, call, false)
  const name = call.arg(1)
  const step = findOpenSortedSet(ks, name)?.setNow(call.arg(3), score)
  if (step === undefined) return add(ks, call, false)
  return step instanceof Done ? plainlyAdded(ks, name, step.value) : addedLater(ks, name, step)
}

type Became = 'new' | 'changed' | 'same'

function* addedLater(ks: Keyspace, name: Slice, step: Step<Became>): Program<Reply> {
  return yield* plainlyAdded(ks, name, yield* step)
}

function plainlyAdded(ks: Keyspace, name: Slice, became: Became): Step<Reply> {
  if (became !== 'same') ks.notify('z', 'zadd', name)
  return became === 'new' ? oneNew : noneNew
}

const oneNew = new Done<Reply>(1)
const noneNew = new Done<Reply>(0)

function* add(ks: Keyspace, call: KeyValueCall, isIncrement: boolean): Program<Reply> {
  const { options, first } = readOptions(call, isIncrement)
  const scores: number[] = []
  for (let i = first; i < call.count; i += 2) scores.push(call.float(i))
  const set = yield* openSortedSet(ks, call.arg(1))
  const ahead = scores.length > 1 ? additionsAhead(set, call, first, scores) : undefined
  let added = 0
  let changed = 0
  let score: number | undefined
  for (let i = 0; i < scores.length; i++) {
    yield* ks.tx.pause(wordUnits)
    if (ahead !== undefined) yield* ahead.before(i)
    const one = yield* addOne(set, call, first + 2 * i + 1, scores[i] as number, options)
    if (one.isNew) added++
    else if (one.isChanged) changed++
    score = one.score
  }
  yield* set.endChanges()
  yield* set.save()
  if (added + changed > 0) ks.notify('z', options.incr ? 'zincr' : 'zadd', call.arg(1))
  if (options.incr) return score === undefined ? null : double(score)
  return options.ch ? added + changed : added
}

function additionsAhead(
  set: SortedSet,
  call: KeyValueCall,
  first: number,
  scores: readonly number[],
): ReadAhead | undefined {
  return set.changesAhead({
    count: scores.length,
    memberAt: (index) => call.arg(first + 2 * index + 1),
    scoreAt: (index) => scores[index] as number,
  })
}

function removalsAhead(set: SortedSet, call: KeyValueCall): ReadAhead | undefined {
  return set.changesAhead({ count: call.count - 2, memberAt: membersOf(call) })
}

/** The members that a command names one after the other. */
const membersOf =
  (call: KeyValueCall) =>
  (index: number): Slice =>
    call.arg(2 + index)

function readOptions(call: KeyValueCall, incr: boolean): { options: AddOptions; first: number } {
  const options = { nx: false, xx: false, gt: false, lt: false, ch: false, incr }
  let first = 2
  for (; first < call.count; first++) {
    const size = call.args.size(first)
    if (size !== 2 && size !== 4) break
    const option = optionNames.find((name) => call.is(first, name))
    if (option === undefined) break
    options[option] = true
  }
  const { nx, xx, gt, lt } = options
  const words = call.count - first
  if (words === 0 || words % 2 !== 0) throw syntaxError()
  if (nx && xx) throw refuse('ERR XX and NX options at the same time are not compatible')
  if ((gt && nx) || (lt && nx) || (gt && lt)) {
    throw refuse('ERR GT, LT, and/or NX options at the same time are not compatible')
  }
  if (options.incr && words > 2) {
    throw refuse('ERR INCR option supports a single increment-element pair')
  }
  return { options, first }
}

const optionNames = ['nx', 'xx', 'ch', 'incr', 'gt', 'lt'] as const

function* addOne(
  set: SortedSet,
  call: KeyValueCall,
  index: number,
  given: number,
  { nx, xx, gt, lt, incr }: AddOptions,
): Program<Added> {
  const member = call.arg(index)
  const before = yield* set.score(member)
  if (before === undefined) {
    if (xx) return left
    yield* set.set(member, given, undefined)
    return { isNew: true, isChanged: true, score: given }
  }
  if (nx) return left
  const score = incr ? before + given : given
  if (Number.isNaN(score)) throw refuse('ERR resulting score is not a number (NaN)')
  if ((lt && score >= before) || (gt && score <= before)) return left
  const isChanged = score !== before
  if (isChanged) yield* set.set(member, score, before)
  return { isNew: false, isChanged, score }
}

/** Searches the options, which end at the first score. */
function answersScores(call: KeyValueCall): boolean {
  for (let i = 2; i < call.count && zaddOptions.some((option) => call.is(i, option)); i++) {
    if (call.is(i, 'incr') || call.is(i, 'ch')) return true
  }
  return false
}

const zaddOptions = ['nx', 'xx', 'gt', 'lt', 'ch', 'incr'] as const

const zadd: KeyValueRow = {
  ...shared,
  name: 'zadd',
  grows: 'keys',
  arity: -4,
  flags: ['write', 'denyoom', 'fast'],
  summary: 'Adds members with scores, or changes scores; returns how many members are new.',
  since: '1.2.0',
  complexity: 'O(log(N)) for each member',
  syntax: 'key [NX | XX] [GT | LT] [CH] [INCR] score member [score member ...]',
  grain: 'write',
  // INCR replies with the score; CH reveals whether the score was different.
  alsoRequires: (call) => (answersScores(call) ? ['read'] : []),
  run: addPlain,
}

const zincrby: KeyValueRow = {
  ...shared,
  name: 'zincrby',
  uses: 'RW access update',
  grows: 'keys',
  arity: 4,
  flags: ['write', 'denyoom', 'fast'],
  privileges: ['read', 'write'],
  summary: 'Adds to the score of a member and returns the new score.',
  since: '1.2.0',
  complexity: 'O(log(N))',
  syntax: 'key increment member',
  grain: 'write',
  run: (ks, call) => add(ks, call, true),
}

const zrem: KeyValueRow = {
  ...shared,
  name: 'zrem',
  uses: 'RW delete',
  grows: 'nothing',
  arity: -3,
  flags: ['write', 'fast'],
  summary: 'Removes members; returns how many existed.',
  since: '1.2.0',
  complexity: 'O(log(N)) for each member',
  syntax: 'key member [member ...]',
  grain: 'write',
  *run(ks, call) {
    const set = yield* openSortedSet(ks, call.arg(1))
    const ahead = call.count > 3 ? removalsAhead(set, call) : undefined
    let removed = 0
    for (let i = 2; i < call.count; i++) {
      yield* ks.tx.pause(wordUnits)
      if (ahead !== undefined) yield* ahead.before(i - 2)
      if (yield* set.remove(call.arg(i))) removed++
    }
    yield* set.endChanges()
    yield* saveRemoved(ks, set, removed, 'zrem')
    return removed
  },
}

/** Saves a set after a removal, and notifies. */
export function* saveRemoved(
  ks: Keyspace,
  set: SortedSet,
  removed: number,
  event: string,
): Program<void> {
  if (removed === 0) return
  const { name } = set.key
  yield* set.save()
  ks.notify('z', event, name)
  if (set.size === 0) ks.notify('g', 'del', name)
}

const zcard: KeyValueRow = {
  ...shared,
  name: 'zcard',
  uses: 'RO',
  grows: 'nothing',
  arity: 2,
  flags: ['readonly', 'fast'],
  summary: 'Returns how many members a sorted set has.',
  since: '1.2.0',
  complexity: 'O(1)',
  syntax: 'key',
  grain: 'read',
  *run(ks, call) {
    return (yield* openSortedSet(ks, call.arg(1))).size
  },
}

const zscore: KeyValueRow = {
  ...shared,
  name: 'zscore',
  grows: 'nothing',
  arity: 3,
  flags: ['readonly', 'fast'],
  summary: 'Returns the score of a member.',
  since: '1.2.0',
  complexity: 'O(log(N))',
  syntax: 'key member',
  grain: 'read',
  *run(ks, call) {
    const set = yield* openSortedSet(ks, call.arg(1))
    return scoreOrNil(yield* set.score(call.arg(2)))
  },
}

const zmscore: KeyValueRow = {
  ...shared,
  name: 'zmscore',
  grows: 'nothing',
  arity: -3,
  flags: ['readonly', 'fast'],
  summary: 'Returns the scores of members, nil for missing ones.',
  since: '6.2.0',
  complexity: 'O(log(N)) for each member',
  syntax: 'key member [member ...]',
  grain: 'read',
  *run(ks, call) {
    const set = yield* openSortedSet(ks, call.arg(1))
    const scores: Reply[] = []
    const ahead = call.count > 3 ? set.scoresAhead(call.count - 2, membersOf(call)) : undefined
    for (let i = 2; i < call.count; i++) {
      if (ahead !== undefined) yield* ahead.before(i - 2)
      scores.push(scoreOrNil(yield* set.score(call.arg(i))))
    }
    return scores
  },
}

function scoreOrNil(score: number | undefined): Reply {
  return score === undefined ? null : double(score)
}

function rankRow(name: string, summary: string, isReverse: boolean): KeyValueRow {
  return {
    ...shared,
    name,
    grows: 'nothing',
    summary,
    arity: 3,
    flags: ['readonly', 'fast'],
    since: '2.0.0',
    complexity: 'O(log(N))',
    syntax: 'key member',
    grain: 'read',
    *run(ks, call) {
      const set = yield* openSortedSet(ks, call.arg(1))
      const found = yield* set.rank(call.arg(2))
      if (found === undefined) return null
      return isReverse ? set.size - 1 - found.rank : found.rank
    },
  }
}

export const sortedSetRows: readonly KeyValueRow[] = [
  ...[zadd, zincrby, zrem, zcard, zscore, zmscore],
  rankRow('zrank', 'Returns the rank of a member, by ascending scores.', false),
  rankRow('zrevrank', 'Returns the rank of a member, by descending scores.', true),
]
