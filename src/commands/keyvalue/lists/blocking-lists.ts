// The blocking list commands. They take elements as the other list commands do; the bus keeps the
// waiting clients and their order (waiters.ts).

import { wrongType } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { errorReply, nullArray, type Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import type { Key } from '../../../engine/keyspace/keys/key.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import type { End } from '../../../engine/keyspace/lists/list-leftovers.js'
import type { Program } from '../../../store/store.js'
import { timeoutAt } from './block-timeout.js'
import {
  endAt,
  keysFrom,
  type Move,
  moveElement,
  popSome,
  readMove,
  readPopPush,
  readPopSome,
} from './list-moves.js'

const shared = {
  categories: ['list'],
  group: 'list',
  privileges: ['read', 'write'],
  timedOut: nullArray,
} as const

function* popOne(ks: Keyspace, call: KeyValueCall, end: End): Program<Reply | undefined> {
  const last = call.count - 1
  timeoutAt(call, last)
  const keys = yield* ks.keys(call.argsFrom(1).slice(0, -1), 'members')
  const found = yield* popSome(ks, keys, { end, count: 1 }, call.isWaiting)
  return found === undefined ? undefined : [found[0], ...found[1]]
}

function popRow(name: string, end: End, what: string): KeyValueRow {
  return {
    ...shared,
    name,
    uses: 'RW access delete',
    grows: 'nothing',
    arity: -3,
    flags: ['write', 'noscript', 'blocking'],
    keys: [1, -2, 1],
    summary: `Removes the ${what} element of the first non-empty list, or waits for one.`,
    since: '2.0.0',
    complexity: 'O(N) with N keys',
    syntax: 'key [key ...] timeout',
    grain: 'blocking',
    run: (ks, call) => popOne(ks, call, end),
    timeout: (call) => timeoutAt(call, call.count - 1),
  }
}

function* move(ks: Keyspace, call: KeyValueCall, move: Move): Program<Reply | undefined> {
  const [source, target] = (yield* ks.keys([move.source, move.target], 'members')) as [Key, Key]
  if (call.isWaiting) {
    if (source.type !== 'list') return undefined
    // The client was served, so this error is its reply; the element stays for the next client.
    if (target.exists && target.type !== 'list') return errorReply(wrongType())
  }
  return yield* moveElement(ks, source, target, move)
}

/** `at`: the index of the timeout. */
function moveRow(
  row: Pick<KeyValueRow, 'name' | 'summary' | 'since' | 'syntax'>,
  at: number,
  read: (call: KeyValueCall) => Move,
): KeyValueRow {
  return {
    ...shared,
    ...row,
    uses: 'RW access delete 1; RW insert 2',
    grows: 'keys',
    arity: at + 1,
    flags: ['write', 'denyoom', 'noscript', 'blocking'],
    keys: [1, 2, 1],
    complexity: 'O(1)',
    grain: 'blocking',
    nothing: null,
    waitsFor: [1],
    run(ks, call) {
      const asked = read(call)
      timeoutAt(call, at)
      return move(ks, call, asked)
    },
    timeout(call) {
      read(call)
      return timeoutAt(call, at)
    },
  }
}

const blmove = moveRow(
  {
    name: 'blmove',
    summary: 'Like LMOVE, but waits if the source is empty.',
    since: '6.2.0',
    syntax: 'source destination <LEFT | RIGHT> <LEFT | RIGHT> timeout',
  },
  5,
  readMove,
)
const brpoplpush = moveRow(
  {
    name: 'brpoplpush',
    summary: 'Like RPOPLPUSH, but waits if the source is empty.',
    since: '2.2.0',
    syntax: 'source destination timeout',
  },
  3,
  readPopPush,
)

const blmpop: KeyValueRow = {
  ...shared,
  name: 'blmpop',
  uses: 'RW access delete #2',
  grows: 'nothing',
  arity: -5,
  flags: ['write', 'blocking'],
  movableKeys: (args) => keysFrom(args, 2),
  summary: 'Like LMPOP, but waits if all lists are empty.',
  since: '7.0.0',
  complexity: 'O(N+M) with N keys and M elements answered',
  syntax: 'timeout numkeys key [key ...] <LEFT | RIGHT> [COUNT count]',
  grain: 'blocking',
  *run(ks, call) {
    const asked = readPopSome(call, 2, endAt)
    timeoutAt(call, 1)
    return yield* popSome(ks, yield* ks.keys(asked.names, 'members'), asked, call.isWaiting)
  },
  timeout(call) {
    readPopSome(call, 2, endAt)
    return timeoutAt(call, 1)
  },
}

export const blockingListRows: readonly KeyValueRow[] = [
  popRow('blpop', 'front', 'first'),
  popRow('brpop', 'back', 'last'),
  blmove,
  brpoplpush,
  blmpop,
]
