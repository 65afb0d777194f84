// Ranges of sorted sets by rank, score or member: ZRANGE with its options, the older commands that
// have these options in their names, and ZRANGESTORE.

import { refuse, syntaxError } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { double, type Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { putMade } from '../../../engine/keyspace/containers/building.js'
import { flatMapInTurns, mapInTurns } from '../../../engine/keyspace/containers/in-turns.js'
import type { Key } from '../../../engine/keyspace/keys/key.js'
import {
  openSortedSet,
  type ScoredMember,
  type SortedSet,
  type Span,
  sortedSetOf,
  storeSortedSet,
} from '../../../engine/keyspace/sorted-sets/sorted-set.js'
import type { Program, ReadTx, Step } from '../../../store/store.js'
import { sourceOf } from '../keys/source-of.js'
import { lexSpanAt, ranksOf, scoreSpanAt } from './sorted-set-bounds.js'

const shared = { categories: ['sortedset'], group: 'sorted-set' } as const

type By = 'rank' | 'score' | 'lex'

/** What the command's name decides; undefined is left to options. */
interface Kind {
  readonly by?: By
  readonly reverse?: boolean
}

interface Options {
  by: By
  reverse: boolean
  withScores: boolean
  offset: number
  /** Below 0 means all. */
  count: number
}

interface Request extends Options {
  /** The positions of a range by rank. */
  readonly first: number
  readonly last: number
  readonly span: Span | undefined
}

/** `first` is the index of the start of the range. */
function readRequest(call: KeyValueCall, first: number, kind: Kind, isStore: boolean): Request {
  const options = readOptions(call, first + 2, kind, isStore)
  const { by, reverse, withScores, count } = options
  if (count !== -1 && by === 'rank') {
    throw refuse(
      'ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX',
      'FailedToParse',
    )
  }
  if (withScores && by === 'lex') {
    throw refuse(
      'ERR syntax error, WITHSCORES not supported in combination with BYLEX',
      'FailedToParse',
    )
  }
  if (by === 'rank') {
    const start = call.integer(first)
    return { first: start, last: call.integer(first + 1), span: undefined, ...options }
  }
  const read = by === 'score' ? scoreSpanAt : lexSpanAt
  const span = reverse ? read(call, first + 1, first) : read(call, first, first + 1)
  return { first: 0, last: 0, span, ...options }
}

function readOptions(call: KeyValueCall, at: number, kind: Kind, isStore: boolean): Options {
  const { by, reverse } = kind
  const options: Options = {
    by: by ?? 'rank',
    reverse: reverse ?? false,
    withScores: false,
    offset: 0,
    count: -1,
  }
  let isByGiven = by !== undefined
  for (let i = at; i < call.count; i++) {
    if (!isStore && call.is(i, 'withscores')) options.withScores = true
    else if (call.is(i, 'limit') && i + 2 < call.count) {
      options.offset = call.integer(i + 1)
      options.count = call.integer(i + 2)
      i += 2
    } else if (reverse === undefined && call.is(i, 'rev')) options.reverse = true
    else if (!isByGiven && (call.is(i, 'bylex') || call.is(i, 'byscore'))) {
      options.by = call.is(i, 'bylex') ? 'lex' : 'score'
      isByGiven = true
    } else throw syntaxError()
  }
  return options
}

function* readRange(set: SortedSet, request: Request): Program<ScoredMember[]> {
  const { span, reverse, offset, count } = request
  if (span !== undefined) {
    if (offset < 0) return []
    return yield* set.inSpan(span, offset, count < 0 ? Number.POSITIVE_INFINITY : count, reverse)
  }
  const { size } = set
  const range = ranksOf(request.first, request.last, size)
  if (range.count === 0) return []
  return yield* set.byRank(reverse ? size - 1 - range.first : range.first, range.count, reverse)
}

/** Members, or members with scores. */
export function replyOf(
  tx: ReadTx,
  entries: readonly ScoredMember[],
  withScores: boolean,
): Step<Reply> {
  return withScores ? scored(tx, entries) : mapInTurns(tx, entries, ({ member }) => member)
}

function* scored(tx: ReadTx, entries: readonly ScoredMember[]): Program<Reply> {
  return { kind: 'scored', pairs: yield* pairsOf(tx, entries) }
}

/** Members and scores, alternating. */
export function pairsOf(tx: ReadTx, entries: readonly ScoredMember[]): Step<Reply[]> {
  return flatMapInTurns(tx, entries, ({ member, score }) => [member, double(score)])
}

function rangeRow(
  row: Pick<KeyValueRow, 'name' | 'since' | 'summary' | 'syntax'>,
  kind: Kind,
): KeyValueRow {
  return {
    ...shared,
    ...row,
    grows: 'nothing',
    arity: -4,
    flags: ['readonly'],
    keys: [1, 1, 1],
    complexity: 'O(log(N)+M) with M members answered',
    grain: 'read',
    *run(ks, call) {
      const request = readRequest(call, 2, kind, false)
      const set = yield* openSortedSet(ks, call.arg(1))
      return yield* replyOf(ks.tx, yield* readRange(set, request), request.withScores)
    },
  }
}

const zrangestore: KeyValueRow = {
  ...shared,
  name: 'zrangestore',
  uses: 'OW update 1; RO access 2',
  grows: 'keys',
  arity: -5,
  flags: ['write', 'denyoom'],
  keys: [1, 2, 1],
  privileges: ['read', 'write'],
  summary: 'Stores a range of a sorted set as another; returns its number of members.',
  since: '6.2.0',
  complexity: 'O(log(N)+M) with M members stored',
  syntax: 'dst src min max [BYSCORE | BYLEX] [REV] [LIMIT offset count]',
  grain: 'write',
  *run(ks, call) {
    const request = readRequest(call, 3, {}, true)
    const [target, source] = (yield* ks.keys([call.arg(1), call.arg(2)])) as [Key, Key]
    const set = sortedSetOf(ks, source)
    const madeOf = yield* sourceOf(ks, call, [source])
    const made = yield* putMade(ks, target, 'zset', madeOf)
    if (made !== undefined) {
      ks.notify('z', 'zrangestore', target.name)
      return made.count
    }
    const entries = yield* readRange(set, request)
    const existed = target.exists
    yield* storeSortedSet(ks, target, entries, madeOf)
    if (entries.length > 0) ks.notify('z', 'zrangestore', target.name)
    else if (existed) ks.notify('g', 'del', target.name)
    return entries.length
  },
}

const byScore = '[WITHSCORES] [LIMIT offset count]'

export const sortedSetRangeRows: readonly KeyValueRow[] = [
  rangeRow(
    {
      name: 'zrange',
      since: '1.2.0',
      summary: 'Returns the members in a range of ranks, of scores, or of members.',
      syntax: 'key start stop [BYSCORE | BYLEX] [REV] [LIMIT offset count] [WITHSCORES]',
    },
    {},
  ),
  rangeRow(
    {
      name: 'zrevrange',
      since: '1.2.0',
      summary: 'Returns the members between two ranks, by descending scores.',
      syntax: 'key start stop [WITHSCORES]',
    },
    { by: 'rank', reverse: true },
  ),
  rangeRow(
    {
      name: 'zrangebyscore',
      since: '1.0.5',
      summary: 'Returns the members with a score in a range.',
      syntax: `key min max ${byScore}`,
    },
    { by: 'score', reverse: false },
  ),
  rangeRow(
    {
      name: 'zrevrangebyscore',
      since: '2.2.0',
      summary: 'Returns the members with a score in a range, by descending scores.',
      syntax: `key max min ${byScore}`,
    },
    { by: 'score', reverse: true },
  ),
  rangeRow(
    {
      name: 'zrangebylex',
      since: '2.8.9',
      summary: 'Returns the members in a range of equal scores.',
      syntax: 'key min max [LIMIT offset count]',
    },
    { by: 'lex', reverse: false },
  ),
  rangeRow(
    {
      name: 'zrevrangebylex',
      since: '2.8.9',
      summary: 'Returns the members in a range of equal scores, in descending order.',
      syntax: 'key max min [LIMIT offset count]',
    },
    { by: 'lex', reverse: true },
  ),
  zrangestore,
]
