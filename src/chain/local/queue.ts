// Transactions waiting for the next block, in order of nonce for each sender. Sigil's own senders
// come first and always have room; others share the rest.

import { chainGapMs, chainQueueMax, chainQueueSenderMax } from '../../base/limits/chain.js'
import { feeOf, refused, type Signed, tipOf } from './transaction.js'

export interface Queued extends Signed {
  readonly settle: (refusal?: Error) => void
  /** Arrival time, milliseconds. */
  readonly since: number
}

export class Queue {
  /** By sender, then by nonce. */
  private readonly senders = new Map<string, Map<bigint, Queued>>()
  private readonly hashes = new Set<string>()
  /** Those that the current block may take. */
  private taken: ReadonlySet<Queued> = new Set()

  /** `own`: Sigil's addresses, in lower case. */
  constructor(private readonly own: ReadonlySet<string>) {}

  get size(): number {
    return this.hashes.size
  }

  /** Throws RpcError if it cannot wait here. */
  add(entry: Queued): void {
    const { hash, from, tx } = entry
    if (this.hashes.has(hash)) throw refused('already known')
    const mine = this.senders.get(from) ?? new Map<bigint, Queued>()
    const before = mine.get(tx.nonce)
    if (before !== undefined) this.replace(before, entry)
    else this.requireRoom(from, mine.size)
    mine.set(tx.nonce, entry)
    this.senders.set(from, mine)
    this.hashes.add(hash)
  }

  /** The nonce after the waiting transactions without a gap. */
  nextNonce(from: string, nonce: bigint): bigint {
    const mine = this.senders.get(from)
    let next = nonce
    while (mine?.has(next) === true) next++
    return next
  }

  /** All waiting ones, by nonce for each sender, Sigil's own first. */
  entries(): Queued[] {
    const senders = [...this.senders.keys()]
    const sorted = [
      ...senders.filter((from) => this.own.has(from)),
      ...senders.filter((from) => !this.own.has(from)),
    ]
    return sorted.flatMap((from) =>
      [...(this.senders.get(from)?.values() ?? [])].sort((a, b) =>
        a.tx.nonce < b.tx.nonce ? -1 : 1,
      ),
    )
  }

  /** For a block: until `release`, none of them is replaced or expires. */
  take(): readonly Queued[] {
    const entries = this.entries()
    this.taken = new Set(entries)
    return entries
  }

  release(): void {
    this.taken = new Set()
  }

  /** Whether it is one of Sigil's. */
  isOwn({ from }: Queued): boolean {
    return this.own.has(from)
  }

  isTaken(entry: Queued): boolean {
    return this.taken.has(entry)
  }

  remove({ from, tx, hash }: Queued): void {
    const mine = this.senders.get(from)
    if (mine?.get(tx.nonce)?.hash !== hash) return
    mine.delete(tx.nonce)
    if (mine.size === 0) this.senders.delete(from)
    this.hashes.delete(hash)
  }

  /** Refuses those that have waited too long for a missing nonce. */
  expire(now: number): void {
    for (const entry of this.entries()) {
      if (Math.abs(now - entry.since) < chainGapMs || this.taken.has(entry)) continue
      this.remove(entry)
      entry.settle(refused(`nonce too high: no transaction before nonce ${entry.tx.nonce} came`))
    }
  }

  private replace(before: Queued, entry: Queued): void {
    if (this.taken.has(before)) {
      throw refused(`nonce too low: a block with nonce ${entry.tx.nonce} is being made`)
    }
    const enough = (was: bigint) => was + was / 10n
    const isBetter =
      feeOf(entry.tx) > feeOf(before.tx) &&
      feeOf(entry.tx) >= enough(feeOf(before.tx)) &&
      tipOf(entry.tx) >= enough(tipOf(before.tx))
    if (!isBetter) throw refused('replacement transaction underpriced')
    this.remove(before)
    before.settle(refused('the transaction was replaced by one with a higher fee'))
  }

  private requireRoom(from: string, waiting: number): void {
    if (this.own.has(from)) return
    if (waiting >= chainQueueSenderMax) throw refused('account limit exceeded')
    if (this.size >= chainQueueMax) throw refused('txpool is full')
  }
}
