// Limits how much transactions of clients may grow the chain's folder: bytes a day for each sender
// and for all. A transaction counts its own bytes and those that its gas can write. Once half of a
// day's bytes are used, the rest is for senders that have used little.

import {
  chainGrowthBytesMax,
  chainGrowthLateBytesMax,
  chainGrowthMs,
  chainGrowthSenderBytesMax,
} from '../../base/limits/chain.js'
import { RpcError, rpcCodes } from '../remote/provider.js'
import type { Signed } from './transaction.js'

/** Eight gas write at most one byte (data of logs). */
const chainGasPerByte = 8

/** Bytes of a day; the defaults are in limits/chain.ts. */
export interface GrowthBounds {
  readonly all: number
  readonly sender: number
  /** For one sender, once half of `all` is used. */
  readonly late: number
}

const usual: GrowthBounds = {
  all: chainGrowthBytesMax,
  sender: chainGrowthSenderBytesMax,
  late: chainGrowthLateBytesMax,
}

export class Growth {
  /** Bytes by sender on this day; the bound for all limits the number of senders. */
  private readonly senders = new Map<string, number>()
  private used = 0
  private startedMs = Number.NEGATIVE_INFINITY

  constructor(private readonly bounds = usual) {}

  /** Throws RpcError if the sender, or all together, have used their bytes of this day. */
  require({ from, tx }: Pick<Signed, 'from' | 'tx'>, now: number): void {
    this.begin(now)
    const { all, sender, late } = this.bounds
    const bytes = weightOf(tx)
    const mine = (this.senders.get(from) ?? 0) + bytes
    const isLate = this.used + bytes > all / 2
    if (mine > (isLate ? Math.min(late, sender) : sender)) throw this.refusal('of this sender', now)
    if (this.used + bytes > all) throw this.refusal('of all senders', now)
  }

  /** Counts an accepted transaction. */
  add({ from, tx }: Pick<Signed, 'from' | 'tx'>): void {
    const bytes = weightOf(tx)
    this.senders.set(from, (this.senders.get(from) ?? 0) + bytes)
    this.used += bytes
  }

  private begin(now: number): void {
    if (Math.abs(now - this.startedMs) < chainGrowthMs) return
    this.startedMs = now
    this.senders.clear()
    this.used = 0
  }

  private refusal(whose: string, now: number): RpcError {
    const leftMinutes = Math.ceil((this.startedMs + chainGrowthMs - now) / 60_000)
    const text = `local chain full: the bytes ${whose} are used up; retry in ${leftMinutes} min`
    return new RpcError(rpcCodes.limitExceeded, text)
  }
}

function weightOf(tx: Signed['tx']): number {
  return tx.serialize().length + Math.ceil(Number(tx.gasLimit) / chainGasPerByte)
}
