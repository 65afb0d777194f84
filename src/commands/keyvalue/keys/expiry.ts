// Commands that set, read and remove the expiry time of a key. A time in the past deletes the key
// at once and is no error.

import { refuse } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import type { Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { never } from '../../../engine/keyspace/keys/key.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import type { Program } from '../../../store/store.js'
import { type ExpireUnit, expireTime, unitOf } from './expire-time.js'

const shared = { categories: ['keyspace'], keys: [1, 1, 1], group: 'generic' } as const

interface Conditions {
  readonly nx: boolean
  readonly xx: boolean
  readonly gt: boolean
  readonly lt: boolean
}

function readConditions(call: KeyValueCall): Conditions {
  const found = { nx: false, xx: false, gt: false, lt: false }
  for (let i = 3; i < call.count; i++) {
    if (call.is(i, 'nx')) found.nx = true
    else if (call.is(i, 'xx')) found.xx = true
    else if (call.is(i, 'gt')) found.gt = true
    else if (call.is(i, 'lt')) found.lt = true
    else throw refuse(`ERR Unsupported option ${call.text(i)}`)
  }
  if (found.nx && (found.xx || found.gt || found.lt)) {
    throw refuse('ERR NX and XX, GT or LT options at the same time are not compatible')
  }
  if (found.gt && found.lt) {
    throw refuse('ERR GT and LT options at the same time are not compatible')
  }
  return found
}

/** A key without an expiry time outlives every other key. */
function allows({ nx, xx, gt, lt }: Conditions, before: number, after: number): boolean {
  const hasEnd = before !== never
  if (nx) return !hasEnd
  if (xx && !hasEnd) return false
  if (gt) return hasEnd && after > before
  return !(lt && hasEnd && after >= before)
}

function* expire(ks: Keyspace, call: KeyValueCall, unit: ExpireUnit): Program<Reply> {
  const conditions = readConditions(call)
  const end = expireTime(call, 2, unit, false)
  const name = call.arg(1)
  const key = yield* ks.key(name)
  if (!key.exists || !allows(conditions, key.expiresAt, end)) return 0
  if (end <= ks.now) {
    yield* ks.remove(key)
    ks.notify('g', 'del', name)
  } else {
    yield* ks.expire(key, end)
    ks.notify('g', 'expire', name)
  }
  return 1
}

function expireRow(name: string, unit: ExpireUnit, since: string, time: string): KeyValueRow {
  return {
    ...shared,
    name,
    grows: 'keys',
    since,
    arity: -3,
    flags: ['write', 'fast'],
    summary: 'Sets the expiry of a key. A time in the past removes it.',
    complexity: 'O(1)',
    syntax: `key ${time} [NX | XX | GT | LT]`,
    grain: 'write',
    // With a condition the reply reveals the current expiry time.
    alsoRequires: (call) => (call.count > 3 ? ['read'] : []),
    run: (ks, call) => expire(ks, call, unit),
  }
}

function timeRow(
  name: string,
  since: string,
  summary: string,
  answer: (end: number, now: number) => number,
): KeyValueRow {
  return {
    ...shared,
    name,
    grows: 'nothing',
    since,
    summary,
    arity: 2,
    flags: ['readonly', 'fast'],
    complexity: 'O(1)',
    syntax: 'key',
    // As in Redis: the remaining time is nondeterministic, the expiry time is not.
    ...(name.endsWith('ttl') ? { tips: ['nondeterministic_output'] } : {}),
    grain: 'read',
    *run(ks, call) {
      const key = yield* ks.key(call.arg(1))
      if (!key.exists) return -2
      return key.expiresAt === never ? -1 : answer(key.expiresAt, ks.now)
    },
  }
}

const persist: KeyValueRow = {
  ...shared,
  name: 'persist',
  grows: 'nothing',
  arity: 2,
  flags: ['write', 'fast'],
  summary: 'Removes the expiry of a key.',
  since: '2.2.0',
  complexity: 'O(1)',
  syntax: 'key',
  grain: 'write',
  *run(ks, call) {
    const name = call.arg(1)
    const key = yield* ks.key(name)
    if (!key.exists || key.expiresAt === never) return 0
    yield* ks.expire(key, never)
    ks.notify('g', 'persist', name)
    return 1
  },
}

/** Rounds half a second up. */
const seconds = (ms: number): number => Math.floor((ms + 500) / 1000)

export const expiryRows: readonly KeyValueRow[] = [
  expireRow('expire', unitOf.ex, '1.0.0', 'seconds'),
  expireRow('pexpire', unitOf.px, '2.6.0', 'milliseconds'),
  expireRow('expireat', unitOf.exat, '1.2.0', 'unix-time-seconds'),
  expireRow('pexpireat', unitOf.pxat, '2.6.0', 'unix-time-milliseconds'),
  timeRow('ttl', '1.0.0', 'Returns the time to live of a key in seconds.', (end, now) =>
    seconds(end - now),
  ),
  timeRow(
    'pttl',
    '2.6.0',
    'Returns the time to live of a key in milliseconds.',
    (end, now) => end - now,
  ),
  timeRow('expiretime', '7.0.0', 'Returns the expiry of a key in Unix seconds.', seconds),
  timeRow(
    'pexpiretime',
    '7.0.0',
    'Returns the expiry of a key in Unix milliseconds.',
    (end) => end,
  ),
  persist,
]
