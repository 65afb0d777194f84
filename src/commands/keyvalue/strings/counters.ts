// Strings that are numbers: integers of 64 bits, and decimals. A number is an ordinary string;
// adding to it keeps its expiry time.

import { Slice } from '../../../base/bytes/slice.js'
import { notFloat, notInteger, refuse, wouldOverflow } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import type { Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import type { Key } from '../../../engine/keyspace/keys/key.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import {
  addDecimals,
  type Decimal,
  parseDecimal,
} from '../../../engine/keyspace/strings/decimal.js'
import { addInt64, decimalOf, parseInt64 } from '../../../engine/keyspace/strings/numbers.js'
import { addToInteger } from '../../../engine/keyspace/strings/plain-strings.js'
import { Done, nothing } from '../../../store/steps.js'
import type { Program, Step } from '../../../store/store.js'

const shared = {
  flags: ['write', 'denyoom', 'fast'],
  categories: ['string'],
  // The reply reveals the stored value, even if 0 is added.
  privileges: ['read', 'write'],
  keys: [1, 1, 1],
  group: 'string',
  complexity: 'O(1)',
} as const

/** The row of a command that adds to an integer. */
function counter(
  name: string,
  row: Pick<KeyValueRow, 'arity' | 'summary' | 'syntax'>,
  amount: (call: KeyValueCall) => number | bigint,
): KeyValueRow {
  return {
    ...shared,
    name,
    uses: 'RW access update',
    grows: 'keys',
    ...row,
    since: '1.0.0',
    grain: 'write',
    run: (ks, call) => increment(ks, call, amount(call)),
  }
}

function increment(ks: Keyspace, call: KeyValueCall, amount: number | bigint): Step<Reply> {
  const name = call.arg(1)
  const sum = addToInteger(ks, name, amount)
  if (sum === 'overflow') throw wouldOverflow()
  if (sum !== undefined) {
    ks.notify('$', 'incrby', name)
    return new Done<Reply>(sum)
  }
  const found = ks.key(name)
  if (!(found instanceof Done)) return incrementLater(ks, found, amount)
  return incrementKey(ks, found.value, amount)
}

function* incrementLater(ks: Keyspace, found: Step<Key>, amount: number | bigint): Program<Reply> {
  return yield* incrementKey(ks, yield* found, amount)
}

function incrementKey(ks: Keyspace, key: Key, amount: number | bigint): Step<Reply> {
  let before: number | bigint | undefined = 0
  if (key.requireType('string')) {
    const { bytes, start, end } = key.text()
    before = parseInt64(bytes, start, end)
    if (before === undefined) throw notInteger()
  }
  const after = addInt64(before, amount)
  if (after === undefined) throw wouldOverflow()
  const put = ks.putString(key, decimalOf(after), key.expiresAt)
  if (put !== nothing) return tellIncremented(ks, key, after, put)
  ks.notify('$', 'incrby', key.name)
  return new Done<Reply>(after)
}

function* tellIncremented(
  ks: Keyspace,
  { name }: Key,
  after: number | bigint,
  put: Step<void>,
): Program<Reply> {
  yield* put
  ks.notify('$', 'incrby', name)
  return after
}

const incr = counter(
  'incr',
  { arity: 2, summary: 'Adds one to the integer of a key.', syntax: 'key' },
  () => 1,
)
const decr = counter(
  'decr',
  { arity: 2, summary: 'Subtracts one from the integer of a key.', syntax: 'key' },
  () => -1,
)
const incrby = counter(
  'incrby',
  { arity: 3, summary: 'Adds to the integer of a key.', syntax: 'key increment' },
  (call) => call.int64(2),
)
const decrby = counter(
  'decrby',
  { arity: 3, summary: 'Subtracts from the integer of a key.', syntax: 'key decrement' },
  (call) => {
    const amount = call.int64(2)
    // The negative of this value does not fit 64 bits.
    if (amount === -(2n ** 63n)) throw refuse('ERR decrement would overflow')
    return -amount
  },
)

/** The sum of two decimals, one of them possibly infinite. Throws if the sum is not a number. */
export function sumOf(a: Decimal | 'infinite', b: Decimal | 'infinite'): Slice {
  const sum = a === 'infinite' || b === 'infinite' ? undefined : addDecimals(a, b)
  if (sum === undefined) throw refuse('ERR increment would produce NaN or Infinity')
  return Slice.ofText(sum)
}

export const zeroDecimal: Decimal = { units: 0n, scale: 0 }

const incrbyfloat: KeyValueRow = {
  ...shared,
  name: 'incrbyfloat',
  uses: 'RW access update',
  grows: 'keys',
  arity: 3,
  summary: 'Adds to the decimal of a key.',
  since: '2.6.0',
  syntax: 'key increment',
  grain: 'write',
  *run(ks, call) {
    const key = yield* ks.key(call.arg(1))
    let before: Decimal | 'infinite' | undefined = zeroDecimal
    if (key.requireType('string')) {
      const { bytes, start, end } = key.text()
      before = parseDecimal(bytes, start, end)
    }
    const amount = call.args.read(2, parseDecimal)
    if (before === undefined || amount === undefined) throw notFloat()
    const after = sumOf(before, amount)
    yield* ks.putString(key, after, key.expiresAt)
    ks.notify('$', 'incrbyfloat', key.name)
    return after
  },
}

export const counterRows: readonly KeyValueRow[] = [incr, decr, incrby, decrby, incrbyfloat]
