// Stores the gas station's transactions before they are sent: a crash in between must not lose one
// or reuse its nonce. It also stores the cost of each day, by wallet and in total, so that quotas
// survive restarts. (docs/chain.md, "What sponsoring costs")

import { type Bytes, textOf } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { sponsoredPerDayMax } from '../../base/limits/chain.js'
import { scanEntriesMax } from '../../base/limits/engine.js'
import type { Program, ReadTx, Store, Tx } from '../../store/store.js'
import { encodeRow, numberAt, numbers, type Rows } from '../rows.js'
import { bytesOfHex } from '../words.js'

export interface Intent {
  readonly nonce: number
  /** The sponsored wallet; lower case. */
  readonly wallet: string
  readonly to: string
  readonly data: string
  readonly gasLimit: number
  /** Wei a unit of gas. */
  readonly maxFee: bigint
  readonly tip: bigint
  /** The signed transaction, its hash, and the hashes that it replaced, newest last. */
  readonly raw: string
  readonly hashes: readonly string[]
  /** The charged day, and the charged amount: its highest cost, wei. */
  readonly day: number
  readonly cost: bigint
}

export class Intents {
  private readonly store: Store
  private readonly rows: Rows
  /** Wei a day for all of them; undefined if gas is free. */
  private readonly budget: bigint | undefined
  /** Transactions of one wallet a day. */
  private readonly quota: number

  constructor(store: Store, rows: Rows, budget: bigint | undefined, quota = sponsoredPerDayMax) {
    this.store = store
    this.rows = rows
    this.budget = budget
    this.quota = quota
  }

  /** In order of nonce. */
  async load(): Promise<Intent[]> {
    return this.store.read((tx) => readIntents(tx, this.rows))
  }

  /**
   * Stores a new intent and charges it. Rejects with 429 above the wallet's daily quota, 503
   * SPONSOR_BUDGET above the budget, 503 SPONSOR_PACE above the part `soFar`.
   */
  add(intent: Intent, soFar?: bigint): Promise<void> {
    const { rows, budget, quota } = this
    return this.store.write((tx) => addIntent(tx, rows, intent, { budget, soFar }, quota))
  }

  /** Stores the costlier replacement of `before`. */
  replace(before: Intent, after: Intent): Promise<void> {
    return this.store.write((tx) => replaceIntent(tx, this.rows, before, after, this.budget))
  }

  /** Removes an intent with a known outcome; `spent` is its real cost, wei. */
  finish(intent: Intent, spent: bigint): Promise<void> {
    return this.store.write((tx) => finishIntent(tx, this.rows, intent, spent))
  }
}

function* addIntent(
  tx: Tx,
  rows: Rows,
  intent: Intent,
  bounds: Bounds,
  quota: number,
): Program<void> {
  const { day, wallet, cost } = intent
  const walletKey = rows.day(day, bytesOfHex(wallet.slice(2)))
  const before = yield* tx.get(walletKey)
  const count = before === undefined ? 0 : numberAt(before, 0)
  if (count >= quota) {
    const text = `the gas station has sent ${count} transactions of this wallet today`
    throw fail('IngressRequestRateLimitExceeded', text, { reason: 'SPONSOR_QUOTA' })
  }
  yield* charge(tx, rows, day, cost, bounds)
  tx.put(walletKey, numbers(count + 1))
  tx.put(rows.intent(intent.nonce), encodeIntent(intent))
  for (const { key } of yield* tx.scan(rows.daysBefore(day - 1), scanEntriesMax)) tx.remove(key)
}

function* replaceIntent(
  tx: Tx,
  rows: Rows,
  before: Intent,
  after: Intent,
  budget: bigint | undefined,
): Program<void> {
  yield* charge(tx, rows, after.day, after.cost - before.cost, { budget })
  tx.put(rows.intent(after.nonce), encodeIntent(after))
}

function* finishIntent(tx: Tx, rows: Rows, intent: Intent, spent: bigint): Program<void> {
  yield* charge(tx, rows, intent.day, spent - intent.cost, {})
  tx.remove(rows.intent(intent.nonce))
}

/** Wei a day; undefined without a bound. */
interface Bounds {
  readonly budget?: bigint | undefined
  /** The part that may be spent by now. */
  readonly soFar?: bigint | undefined
}

/** Adds wei to a day; throws 503 above a bound. */
function* charge(
  tx: Tx,
  rows: Rows,
  day: number,
  wei: bigint,
  { budget, soFar }: Bounds,
): Program<void> {
  const found = yield* tx.get(rows.day(day))
  const spent = (found === undefined ? 0n : BigInt(textOf(found))) + wei
  if (budget !== undefined && wei > 0n && spent > budget) {
    const text = "the gas station's budget of the day is used up; send the transaction yourself"
    throw fail('HostUnreachable', text, { reason: 'SPONSOR_BUDGET' })
  }
  if (soFar !== undefined && wei > 0n && spent > soFar) {
    const text = "what may be spent of the day's budget by now is used up"
    throw fail('HostUnreachable', text, { reason: 'SPONSOR_PACE' })
  }
  tx.put(rows.day(day), new TextEncoder().encode(String(spent < 0n ? 0n : spent)))
}

function* readIntents(tx: ReadTx, rows: Rows): Program<Intent[]> {
  const found = yield* tx.scan(rows.intents(), scanEntriesMax)
  return found.map(({ value }) => decodeIntent(value))
}

function encodeIntent(intent: Intent): Bytes {
  const { maxFee, tip, cost, ...rest } = intent
  return encodeRow({ ...rest, maxFee: String(maxFee), tip: String(tip), cost: String(cost) })
}

function decodeIntent(row: Bytes): Intent {
  const { maxFee, tip, cost, ...rest } = JSON.parse(textOf(row)) as Omit<
    Intent,
    'maxFee' | 'tip' | 'cost'
  > &
    Readonly<Record<'maxFee' | 'tip' | 'cost', string>>
  return { ...rest, maxFee: BigInt(maxFee), tip: BigInt(tip), cost: BigInt(cost) }
}
