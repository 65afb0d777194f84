// LPOS: the positions of an element in a list, from either end, with an optional count. The walk
// stops at the last requested match.

import { refuse, syntaxError } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { openList } from '../../../engine/keyspace/lists/list.js'
import { parseInt64 } from '../../../engine/keyspace/strings/numbers.js'

interface Options {
  readonly fromBack: boolean
  readonly skip: number
  /** Undefined: the reply is one position, not an array. */
  readonly count: number | undefined
  readonly lookAt: number
}

const smallestRank = -(2n ** 63n)

function readOptions(call: KeyValueCall): Options {
  let rank = 1n
  let count: number | undefined
  let maxLength = 0
  for (let i = 3; i < call.count; i += 2) {
    if (i + 1 === call.count) throw syntaxError()
    if (call.is(i, 'rank')) rank = rankAt(call, i + 1)
    else if (call.is(i, 'count')) count = positiveAt(call, i + 1, 'COUNT')
    else if (call.is(i, 'maxlen')) maxLength = positiveAt(call, i + 1, 'MAXLEN')
    else throw syntaxError()
  }
  const ordinal = rank < 0n ? -rank : rank
  return {
    fromBack: rank < 0n,
    // The smallest rank cannot be negated; Redis treats it as the last match.
    skip: rank === smallestRank ? 0 : Number(ordinal - 1n),
    count,
    lookAt: maxLength === 0 ? Number.POSITIVE_INFINITY : maxLength,
  }
}

function rankAt(call: KeyValueCall, index: number): bigint {
  const rank = call.int64(index)
  if (rank !== 0n) return rank
  throw refuse(
    "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... " +
      'or use negative to start from the end of the list',
  )
}

function positiveAt(call: KeyValueCall, index: number, option: string): number {
  const value = Number(call.args.read(index, parseInt64) ?? -1)
  if (value < 0) throw refuse(`ERR ${option} can't be negative`)
  return value
}

const lpos: KeyValueRow = {
  name: 'lpos',
  grows: 'nothing',
  arity: -3,
  flags: ['readonly'],
  categories: ['list'],
  keys: [1, 1, 1],
  summary: 'Returns the indexes of an element in a list.',
  since: '6.0.6',
  group: 'list',
  complexity: 'O(N)',
  syntax: 'key element [RANK rank] [COUNT num-matches] [MAXLEN len]',
  grain: 'read',
  *run(ks, call) {
    const { count, ...options } = readOptions(call)
    const list = yield* openList(ks, call.arg(1))
    const most = count === 0 ? Number.POSITIVE_INFINITY : (count ?? 1)
    const found = yield* list.find({ ...options, value: call.arg(2), most })
    return count === undefined ? (found[0] ?? null) : found
  },
}

export const listSearchRows: readonly KeyValueRow[] = [lpos]
