// Commands of hashes: fields with values under one key. The storage of small and large hashes is in
// engine/keyspace.

import type { Slice } from '../../../base/bytes/slice.js'
import {
  notFloat,
  refuse,
  syntaxError,
  wouldOverflow,
  wrongArity,
} from '../../../base/reply-error.js'
import { wordUnits } from '../../../base/work/work-figures.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { emptyArray, map, ok, type Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { flatMapInTurns, mapInTurns } from '../../../engine/keyspace/containers/in-turns.js'
import {
  findOpenHash,
  type Hash,
  type HashField,
  openHash,
  readField,
} from '../../../engine/keyspace/hashes/hash.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import { parseDecimal } from '../../../engine/keyspace/strings/decimal.js'
import { addInt64, decimalOf, parseInt64 } from '../../../engine/keyspace/strings/numbers.js'
import type { ReadAhead } from '../../../store/read-ahead.js'
import { Done } from '../../../store/steps.js'
import type { Program, ReadTx, Step } from '../../../store/store.js'
import { pickedOf, pickNumbers, picksFromAll, readPickCount } from '../sets/random-picks.js'
import { sumOf, zeroDecimal } from '../strings/counters.js'

const shared = { categories: ['hash'], keys: [1, 1, 1], group: 'hash' } as const

/** Returns the number of new fields. */
function setFields(ks: Keyspace, call: KeyValueCall): Step<number> {
  if (call.count % 2 !== 0) throw wrongArity(call.name)
  const hash = call.count === 4 ? findOpenHash(ks, call.arg(1)) : undefined
  const isNew = hash?.setNow(call.arg(2), call.arg(3))
  if (isNew === undefined) return setSeveral(ks, call)
  ks.notify('h', 'hset', call.arg(1))
  return isNew ? oneNew : noneNew
}

const oneNew = new Done(1)
const noneNew = new Done(0)

function fieldsAhead(hash: Hash, call: KeyValueCall): ReadAhead | undefined {
  return hash.ahead(call.count / 2 - 1, (index) => call.arg(2 + 2 * index))
}

/** The fields that a command names one after the other. */
const namesOf =
  (call: KeyValueCall) =>
  (index: number): Slice =>
    call.arg(2 + index)

function* setSeveral(ks: Keyspace, call: KeyValueCall): Program<number> {
  const hash = yield* openHash(ks, call.arg(1))
  const ahead = call.count > 4 ? fieldsAhead(hash, call) : undefined
  let added = 0
  for (let i = 2; i < call.count; i += 2) {
    yield* ks.tx.pause(wordUnits)
    if (ahead !== undefined) yield* ahead.before(i / 2 - 1)
    if (yield* hash.set(call.arg(i), call.arg(i + 1))) added++
  }
  yield* hash.save()
  ks.notify('h', 'hset', call.arg(1))
  return added
}

const hset: KeyValueRow = {
  ...shared,
  name: 'hset',
  grows: 'keys',
  arity: -4,
  flags: ['write', 'denyoom', 'fast'],
  summary: 'Sets fields of a hash; returns how many of them are new.',
  since: '2.0.0',
  complexity: 'O(1) for each field',
  syntax: 'key field value [field value ...]',
  grain: 'write',
  run: setFields,
}

const hmset: KeyValueRow = {
  ...shared,
  name: 'hmset',
  grows: 'keys',
  arity: -4,
  flags: ['write', 'denyoom', 'fast'],
  summary: 'Sets fields of a hash.',
  since: '2.0.0',
  complexity: 'O(1) for each field',
  syntax: 'key field value [field value ...]',
  grain: 'write',
  *run(ks, call) {
    yield* setFields(ks, call)
    return ok
  },
}

const hsetnx: KeyValueRow = {
  ...shared,
  name: 'hsetnx',
  uses: 'RW insert',
  grows: 'keys',
  arity: 4,
  flags: ['write', 'denyoom', 'fast'],
  summary: 'Sets a field of a hash if there is no such field.',
  since: '2.0.0',
  complexity: 'O(1)',
  syntax: 'key field value',
  grain: 'write',
  *run(ks, call) {
    const hash = yield* openHash(ks, call.arg(1))
    if ((yield* hash.get(call.arg(2))) !== undefined) return 0
    yield* hash.set(call.arg(2), call.arg(3))
    yield* hash.save()
    ks.notify('h', 'hset', call.arg(1))
    return 1
  },
}

const hget: KeyValueRow = {
  ...shared,
  name: 'hget',
  grows: 'nothing',
  arity: 3,
  flags: ['readonly', 'fast'],
  summary: 'Returns a field of a hash.',
  since: '2.0.0',
  complexity: 'O(1)',
  syntax: 'key field',
  grain: 'read',
  *run(ks, call) {
    return (yield* readField(ks, call.arg(1), call.arg(2))) ?? null
  },
}

const hexists: KeyValueRow = {
  ...shared,
  name: 'hexists',
  uses: 'RO',
  grows: 'nothing',
  arity: 3,
  flags: ['readonly', 'fast'],
  summary: 'Returns whether a hash has a field.',
  since: '2.0.0',
  complexity: 'O(1)',
  syntax: 'key field',
  grain: 'read',
  *run(ks, call) {
    return (yield* readField(ks, call.arg(1), call.arg(2))) === undefined ? 0 : 1
  },
}

const hstrlen: KeyValueRow = {
  ...shared,
  name: 'hstrlen',
  uses: 'RO',
  grows: 'nothing',
  arity: 3,
  flags: ['readonly', 'fast'],
  summary: 'Returns how many bytes a field of a hash has.',
  since: '3.2.0',
  complexity: 'O(1)',
  syntax: 'key field',
  grain: 'read',
  *run(ks, call) {
    return (yield* readField(ks, call.arg(1), call.arg(2)))?.length ?? 0
  },
}

const hmget: KeyValueRow = {
  ...shared,
  name: 'hmget',
  grows: 'nothing',
  arity: -3,
  flags: ['readonly', 'fast'],
  summary: 'Returns fields of a hash, nil for missing ones.',
  since: '2.0.0',
  complexity: 'O(1) for each field',
  syntax: 'key field [field ...]',
  grain: 'read',
  *run(ks, call) {
    const hash = yield* openHash(ks, call.arg(1))
    const values: Reply[] = []
    const ahead = call.count > 3 ? hash.ahead(call.count - 2, namesOf(call)) : undefined
    for (let i = 2; i < call.count; i++) {
      if (ahead !== undefined) yield* ahead.before(i - 2)
      const value = yield* hash.get(call.arg(i))
      if (value !== undefined) ks.work.gather(value.length)
      values.push(value ?? null)
    }
    return values
  },
}

const hlen: KeyValueRow = {
  ...shared,
  name: 'hlen',
  uses: 'RO',
  grows: 'nothing',
  arity: 2,
  flags: ['readonly', 'fast'],
  summary: 'Returns how many fields a hash has.',
  since: '2.0.0',
  complexity: 'O(1)',
  syntax: 'key',
  grain: 'read',
  *run(ks, call) {
    return (yield* openHash(ks, call.arg(1))).size
  },
}

/** The row of a command that returns a whole hash. */
function wholeRow(
  name: string,
  summary: string,
  reply: (tx: ReadTx, fields: readonly HashField[]) => Step<Reply>,
): KeyValueRow {
  return {
    ...shared,
    name,
    grows: 'nothing',
    summary,
    arity: 2,
    flags: ['readonly'],
    tips: ['nondeterministic_output_order'],
    since: '2.0.0',
    complexity: 'O(N) with N fields',
    syntax: 'key',
    grain: 'read',
    *run(ks, call) {
      const hash = yield* openHash(ks, call.arg(1))
      return yield* reply(ks.tx, yield* hash.all())
    },
  }
}

const pairsOf = (tx: ReadTx, fields: readonly HashField[]): Step<Slice[]> =>
  flatMapInTurns(tx, fields, ({ field, value }) => [field, value])

const hgetall = wholeRow(
  'hgetall',
  'Returns all fields of a hash with their values.',
  function* (tx, fields) {
    return map(yield* pairsOf(tx, fields))
  },
)
const hkeys = wholeRow('hkeys', 'Returns the names of all fields of a hash.', (tx, fields) =>
  mapInTurns(tx, fields, ({ field }) => field),
)
const hvals = wholeRow('hvals', 'Returns the values of all fields of a hash.', (tx, fields) =>
  mapInTurns(tx, fields, ({ value }) => value),
)

const hdel: KeyValueRow = {
  ...shared,
  name: 'hdel',
  uses: 'RW delete',
  grows: 'nothing',
  arity: -3,
  flags: ['write', 'fast'],
  summary: 'Removes fields from a hash; returns how many existed.',
  since: '2.0.0',
  complexity: 'O(1) for each field',
  syntax: 'key field [field ...]',
  grain: 'write',
  *run(ks, call) {
    const hash = yield* openHash(ks, call.arg(1))
    const ahead = call.count > 3 ? hash.removalsAhead(call.count - 2, namesOf(call)) : undefined
    let removed = 0
    for (let i = 2; i < call.count; i++) {
      yield* ks.tx.pause(wordUnits)
      if (ahead !== undefined) yield* ahead.before(i - 2)
      if (yield* hash.remove(call.arg(i))) removed++
    }
    yield* hash.save()
    if (removed > 0) {
      ks.notify('h', 'hdel', call.arg(1))
      if (hash.size === 0) ks.notify('g', 'del', call.arg(1))
    }
    return removed
  },
}

const hincrby: KeyValueRow = {
  ...shared,
  name: 'hincrby',
  uses: 'RW access update',
  grows: 'keys',
  arity: 4,
  flags: ['write', 'denyoom', 'fast'],
  privileges: ['read', 'write'],
  summary: 'Adds to the integer of a field.',
  since: '2.0.0',
  complexity: 'O(1)',
  syntax: 'key field increment',
  grain: 'write',
  *run(ks, call) {
    const amount = call.int64(3)
    const hash = yield* openHash(ks, call.arg(1))
    const text = yield* hash.get(call.arg(2))
    const before = text === undefined ? 0 : parseInt64(text.bytes, text.start, text.end)
    if (before === undefined) throw refuse('ERR hash value is not an integer')
    const after = addInt64(before, amount)
    if (after === undefined) throw wouldOverflow()
    yield* hash.set(call.arg(2), decimalOf(after))
    yield* hash.save()
    ks.notify('h', 'hincrby', call.arg(1))
    return after
  },
}

const hincrbyfloat: KeyValueRow = {
  ...shared,
  name: 'hincrbyfloat',
  uses: 'RW access update',
  grows: 'keys',
  arity: 4,
  flags: ['write', 'denyoom', 'fast'],
  privileges: ['read', 'write'],
  summary: 'Adds to the decimal of a field.',
  since: '2.6.0',
  complexity: 'O(1)',
  syntax: 'key field increment',
  grain: 'write',
  *run(ks, call) {
    const amount = call.args.read(3, parseDecimal)
    if (amount === undefined) throw notFloat()
    if (amount === 'infinite') throw refuse('ERR value is NaN or Infinity')
    const hash = yield* openHash(ks, call.arg(1))
    const text = yield* hash.get(call.arg(2))
    const before = text === undefined ? zeroDecimal : parseDecimal(text.bytes, text.start, text.end)
    if (before === undefined) throw refuse('ERR hash value is not a float')
    const after = sumOf(before, amount)
    yield* hash.set(call.arg(2), after)
    yield* hash.save()
    ks.notify('h', 'hincrbyfloat', call.arg(1))
    return after
  },
}

/** Above this, Redis could not count names and values. */
const pairsMax = 2 ** 62

const hrandfield: KeyValueRow = {
  ...shared,
  name: 'hrandfield',
  grows: 'nothing',
  arity: -2,
  flags: ['readonly'],
  tips: ['nondeterministic_output'],
  summary: 'Returns a random field, or several; with a negative count some of them repeatedly.',
  since: '6.2.0',
  complexity: 'O(M) with M fields answered',
  syntax: 'key [count [WITHVALUES]]',
  grain: 'read',
  run: (ks, call) => (call.count === 2 ? oneField(ks, call) : someFields(ks, call)),
}

function* oneField(ks: Keyspace, call: KeyValueCall): Program<Reply> {
  const hash = yield* openHash(ks, call.arg(1))
  if (hash.size === 0) return null
  const [found] = yield* hash.at([call.random(hash.size)])
  return found?.field ?? null
}

function* someFields(ks: Keyspace, call: KeyValueCall): Program<Reply> {
  const count = readPickCount(call, 2)
  const withValues = call.count > 3
  if (call.count > 4 || (withValues && !call.is(3, 'withvalues'))) throw syntaxError()
  if (withValues && Math.abs(count) >= pairsMax) throw refuse('ERR value is out of range')
  const hash = yield* openHash(ks, call.arg(1))
  if (hash.size === 0 || count === 0) return emptyArray
  const isWhole = count >= hash.size
  const fields = isWhole
    ? yield* hash.all()
    : yield* pickedFields(ks, call, hash, yield* pickNumbers(ks.tx, call, hash.size, count))
  if (!withValues) return yield* mapInTurns(ks.tx, fields, ({ field }) => field)
  return { kind: 'scored', pairs: yield* pairsOf(ks.tx, fields) }
}

function* pickedFields(
  ks: Keyspace,
  call: KeyValueCall,
  hash: Hash,
  numbers: readonly number[],
): Program<HashField[]> {
  if (!picksFromAll(numbers.length, hash.size)) return yield* hash.at(numbers)
  const all = yield* hash.all()
  return yield* pickedOf(ks.tx, call, all, numbers, ({ field, value }) => {
    return field.length + value.length
  })
}

export const hashRows: readonly KeyValueRow[] = [
  ...[hset, hmset, hsetnx, hget, hexists, hstrlen, hmget, hlen, hgetall, hkeys, hvals],
  ...[hdel, hincrby, hincrbyfloat, hrandfield],
]
