// The blocking sorted-set commands. They take members as the other commands do; the bus keeps the
// waiting clients and their order (waiters.ts).

import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { double, nullArray, type Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import { Done } from '../../../store/steps.js'
import type { Program } from '../../../store/store.js'
import { timeoutAt } from '../lists/block-timeout.js'
import { keysFrom, readPopSome } from '../lists/list-moves.js'
import { type End, endAt, popFirst, popOpen, popSomeReply } from './sorted-set-pops.js'

const shared = {
  categories: ['sortedset'],
  group: 'sorted-set',
  privileges: ['read', 'write'],
  timedOut: nullArray,
} as const

function popRow(name: string, end: End, what: string): KeyValueRow {
  return {
    ...shared,
    name,
    uses: 'RW access delete',
    grows: 'nothing',
    arity: -3,
    flags: ['write', 'noscript', 'blocking', 'fast'],
    keys: [1, -2, 1],
    summary: `Removes the member with the ${what} score of the first sorted set, or waits for one.`,
    since: '5.0.0',
    complexity: 'O(log(N))',
    syntax: 'key [key ...] timeout',
    grain: 'blocking',
    run(ks, call) {
      timeoutAt(call, call.count - 1)
      const name = call.arg(1)
      const isPlain = call.count === 3 && !call.isWaiting
      const one = isPlain ? popOpen(ks, name, end) : undefined
      if (one === undefined) return popOne(ks, call, end)
      return new Done<Reply>([name, one.member, double(one.score)])
    },
    timeout: (call) => timeoutAt(call, call.count - 1),
  }
}

function* popOne(ks: Keyspace, call: KeyValueCall, end: End): Program<Reply | undefined> {
  const names = call.argsFrom(1).slice(0, -1)
  const popped = yield* popFirst(ks, names, end, 1, call.isWaiting)
  const one = popped?.taken[0]
  if (popped === undefined || one === undefined) return undefined
  return [popped.name, one.member, double(one.score)]
}

const bzmpop: KeyValueRow = {
  ...shared,
  name: 'bzmpop',
  uses: 'RW access delete #2',
  grows: 'nothing',
  arity: -5,
  flags: ['write', 'blocking'],
  movableKeys: (args) => keysFrom(args, 2),
  summary: 'Like ZMPOP, but waits if all sorted sets are empty.',
  since: '7.0.0',
  complexity: 'O(K)+O(M*log(N)) with K keys and M members taken',
  syntax: 'timeout numkeys key [key ...] <MIN | MAX> [COUNT count]',
  grain: 'blocking',
  *run(ks, call) {
    const { names, end, count } = readPopSome(call, 2, endAt)
    timeoutAt(call, 1)
    const popped = yield* popFirst(ks, names, end, count, call.isWaiting)
    return popped === undefined ? undefined : popSomeReply(popped)
  },
  timeout: (call) => {
    readPopSome(call, 2, endAt)
    return timeoutAt(call, 1)
  },
}

export const blockingSortedSetRows: readonly KeyValueRow[] = [
  popRow('bzpopmin', 'min', 'lowest'),
  popRow('bzpopmax', 'max', 'highest'),
  bzmpop,
]
