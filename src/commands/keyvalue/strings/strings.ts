// Strings: values of one piece of bytes. Benchmarks measure SET and GET, so these avoid every
// unnecessary step.

import type { Slice } from '../../../base/bytes/slice.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { ok, type Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { type Key, never } from '../../../engine/keyspace/keys/key.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import { overwriteString } from '../../../engine/keyspace/strings/plain-strings.js'
import { Done, nothing } from '../../../store/steps.js'
import type { Program, Step } from '../../../store/store.js'
import { type ExpireUnit, expireTime, unitOf } from '../keys/expire-time.js'
import { counterRows } from './counters.js'
import { readGetexOptions, readSetOptions } from './set-options.js'
import { severalStringsRows } from './several-strings.js'
import { stringPartRows } from './string-parts.js'

const shared = { categories: ['string'], keys: [1, 1, 1], group: 'string' } as const

const get: KeyValueRow = {
  ...shared,
  name: 'get',
  grows: 'nothing',
  arity: 2,
  flags: ['readonly', 'fast'],
  summary: 'Returns the string of a key.',
  since: '1.0.0',
  complexity: 'O(1)',
  syntax: 'key',
  grain: 'read',
  run(ks, call) {
    const found = ks.key(call.arg(1))
    return found instanceof Done ? new Done(textOf(found.value)) : getLater(found)
  },
}

function* getLater(found: ReturnType<Keyspace['key']>): Program<Reply> {
  return textOf(yield* found)
}

function textOf(key: { requireType(type: 'string'): boolean; text(): Slice }): Reply {
  return key.requireType('string') ? key.text() : null
}

const set: KeyValueRow = {
  ...shared,
  name: 'set',
  uses: 'RW access update variable_flags',
  grows: 'keys',
  isBrief: true,
  arity: -3,
  flags: ['write', 'denyoom'],
  summary: 'Sets a key to a string, of any type before.',
  since: '1.0.0',
  complexity: 'O(1)',
  syntax:
    'key value [NX | XX] [GET] ' +
    '[EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | ' +
    'KEEPTTL]',
  grain: 'write',
  alsoRequires: (call) => (call.count > 3 && answersOld(call) ? readToo : nothingMore),
  run: (ks, call) => (call.count === 3 ? setPlain(ks, call) : setWithOptions(ks, call)),
}

const readToo = ['read'] as const
const nothingMore = [] as const

function answersOld(call: KeyValueCall): boolean {
  for (let i = 3; i < call.count; i++) if (call.is(i, 'get')) return true
  return false
}

function setPlain(ks: Keyspace, call: KeyValueCall): Step<Reply> {
  const name = call.arg(1)
  const value = call.arg(2)
  if (!overwriteString(ks, name, value)) {
    const found = ks.keyAround(name)
    const put = found instanceof Done ? ks.putString(found.value, value, never) : undefined
    if (put !== nothing) return setLater(ks, name, value, found, put)
  }
  ks.notify('$', 'set', name)
  return doneOk
}

const doneOk: Step<Reply> = new Done(ok)

/** The rest of a SET that waits for its key, or for `put`. */
function* setLater(
  ks: Keyspace,
  name: Slice,
  value: Slice,
  found: Step<Key>,
  put: Step<void> | undefined,
): Program<Reply> {
  yield* put ?? ks.putString(yield* found, value, never)
  ks.notify('$', 'set', name)
  return ok
}

function setWithOptions(ks: Keyspace, call: KeyValueCall): Step<Reply> {
  const { condition, keepsTime, unit, time, answersOld } = readSetOptions(call, 3)
  const end = unit === undefined ? never : expireTime(call, time, unit, true)
  const answers = answersOld ? 'old' : 'ok'
  return setString(ks, call.arg(1), call.arg(2), { condition, keepsTime, end, answers })
}

interface Setting {
  readonly condition?: 'nx' | 'xx' | undefined
  readonly keepsTime?: boolean
  readonly end?: number
  readonly answers: 'ok' | 'old' | 'isNew'
}

/** All commands that set a string, but for SET without options. */
function* setString(
  ks: Keyspace,
  name: Slice,
  value: Slice,
  { condition, keepsTime = false, end = never, answers }: Setting,
): Program<Reply> {
  const key = yield* answers === 'old' ? ks.key(name) : ks.keyAround(name)
  const old = answers === 'old' ? textOf(key) : null
  const isKept = condition !== undefined && (condition === 'nx') === key.exists
  if (isKept) return answers === 'isNew' ? 0 : old
  if (end !== never && end <= ks.now) yield* ks.remove(key)
  else yield* ks.putString(key, value, keepsTime ? key.expiresAt : end)
  ks.notify('$', 'set', name)
  if (end !== never) ks.notify('g', 'expire', name)
  if (answers === 'isNew') return 1
  return answers === 'old' ? old : ok
}

const setnx: KeyValueRow = {
  ...shared,
  name: 'setnx',
  uses: 'OW insert',
  grows: 'keys',
  arity: 3,
  flags: ['write', 'denyoom', 'fast'],
  summary: 'Sets a key to a string if it does not exist.',
  since: '1.0.0',
  complexity: 'O(1)',
  syntax: 'key value',
  grain: 'write',
  run: (ks, call) => setString(ks, call.arg(1), call.arg(2), { condition: 'nx', answers: 'isNew' }),
}

function setWithTime(
  name: string,
  unit: ExpireUnit,
  row: Pick<KeyValueRow, 'since' | 'syntax' | 'summary'>,
): KeyValueRow {
  return {
    ...shared,
    ...row,
    name,
    uses: 'OW update',
    grows: 'keys',
    arity: 4,
    flags: ['write', 'denyoom'],
    complexity: 'O(1)',
    grain: 'write',
    run(ks, call) {
      const end = expireTime(call, 2, unit, true)
      return setString(ks, call.arg(1), call.arg(3), { end, answers: 'ok' })
    },
  }
}

const setex = setWithTime('setex', unitOf.ex, {
  summary: 'Sets a key to a string with an expiry in seconds.',
  since: '2.0.0',
  syntax: 'key seconds value',
})
const psetex = setWithTime('psetex', unitOf.px, {
  summary: 'Sets a key to a string with an expiry in milliseconds.',
  since: '2.6.0',
  syntax: 'key milliseconds value',
})

const getset: KeyValueRow = {
  ...shared,
  name: 'getset',
  uses: 'RW access update',
  grows: 'keys',
  arity: 3,
  flags: ['write', 'denyoom', 'fast'],
  privileges: ['read', 'write'],
  summary: 'Sets a key to a string and returns the old one.',
  since: '1.0.0',
  complexity: 'O(1)',
  syntax: 'key value',
  grain: 'write',
  run: (ks, call) => setString(ks, call.arg(1), call.arg(2), { answers: 'old' }),
}

const getdel: KeyValueRow = {
  ...shared,
  name: 'getdel',
  uses: 'RW access delete',
  grows: 'nothing',
  arity: 2,
  flags: ['write', 'fast'],
  privileges: ['read', 'write'],
  summary: 'Returns the string of a key and removes the key.',
  since: '6.2.0',
  complexity: 'O(1)',
  syntax: 'key',
  grain: 'write',
  *run(ks, call) {
    const key = yield* ks.key(call.arg(1))
    const text = textOf(key)
    if (text === null) return null
    yield* ks.remove(key)
    ks.notify('g', 'del', key.name)
    return text
  },
}

const getex: KeyValueRow = {
  ...shared,
  name: 'getex',
  uses: 'RW access update',
  grows: 'keys',
  arity: -2,
  flags: ['write', 'fast'],
  privileges: ['read', 'write'],
  summary: 'Returns the string of a key and sets its expiry.',
  since: '6.2.0',
  complexity: 'O(1)',
  syntax:
    'key [EX seconds | PX milliseconds | EXAT unix-time-seconds | ' +
    'PXAT unix-time-milliseconds | PERSIST]',
  grain: 'write',
  *run(ks, call) {
    const { unit, time, persists } = readGetexOptions(call, 2)
    const key = yield* ks.key(call.arg(1))
    const text = textOf(key)
    if (text === null) return null
    if (unit !== undefined) yield* endAt(ks, key, expireTime(call, time, unit, true))
    else if (persists && key.expiresAt !== never) {
      yield* ks.expire(key, never)
      ks.notify('g', 'persist', key.name)
    }
    return text
  },
}

/** A time in the past deletes the key. */
function* endAt(ks: Keyspace, key: Key, end: number): Program<void> {
  if (end <= ks.now) {
    yield* ks.remove(key)
    ks.notify('g', 'del', key.name)
  } else {
    yield* ks.expire(key, end)
    ks.notify('g', 'expire', key.name)
  }
}

export const stringRows: readonly KeyValueRow[] = [
  ...[get, set, setnx, setex, psetex, getset, getdel, getex],
  ...counterRows,
  ...stringPartRows,
  ...severalStringsRows,
]
