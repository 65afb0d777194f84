// Quotas of one wallet: bytes and collections, connections, subscriptions, time for one command.
// Wallets are free, so an authenticated wallet is not trusted; the operator has no quota.
// (docs/operations.md, "Quotas of a wallet")

import { fail } from '../base/errors.js'
import { refuse } from '../base/reply-error.js'
import type { Held } from '../engine/types.js'

/** The limits for each wallet; 0 means no limit. */
export interface QuotaLimits {
  readonly storageBytes: number
  readonly collections: number
  readonly graphs: number
  readonly connections: number
  readonly subscriptions: number
  readonly commandMs: number
}

export class Quotas {
  private readonly connected = new Counts()
  private readonly subscribed = new Counts()

  constructor(private readonly limits: QuotaLimits) {}

  /** Time limit for a wallet's command, milliseconds; 0 for none. */
  get commandMs(): number {
    return this.limits.commandMs
  }

  /** Throws QuotaExceeded if an owner's data has grown above its quota. */
  readonly requireSpace = (bytes: number): void => {
    const { storageBytes } = this.limits
    if (storageBytes === 0 || bytes <= storageBytes) return
    const text = `the wallet is over its space quota, using ${mb(bytes)} of ${mb(storageBytes)}`
    throw fail('QuotaExceeded', text, { reason: 'STORAGE' })
  }

  /**
   * As requireSpace. Also bounds data plus dropped, not yet deleted data by twice the quota, so
   * that a wallet that inserts and drops in turns waits for the deletion.
   */
  readonly requireDisk = (bytes: number, waste: number): void => {
    this.requireSpace(bytes)
    this.requireWaste(bytes, waste)
  }

  /** Only the second bound of requireDisk. */
  readonly requireWaste = (bytes: number, waste: number): void => {
    const { storageBytes } = this.limits
    if (storageBytes === 0 || bytes + waste <= wasteFactor * storageBytes) return
    const text = `the wallet is over its space quota: ${mb(waste)} that it dropped is being deleted`
    throw fail('QuotaExceeded', text, { reason: 'STORAGE', retryAfter: 1 })
  }

  /** Throws QuotaExceeded if the owner already has as many as allowed. */
  requireHolding(held: Held, count: number): void {
    const most = this.limits[held]
    if (most === 0 || count < most) return
    const what = held === 'graphs' ? 'graph' : 'collection'
    const text = `cannot create a new ${what}: the wallet already has ${most}`
    throw fail('QuotaExceeded', text, { reason: held.toUpperCase() })
  }

  /** All limits, to be shown. */
  get bounds(): QuotaLimits {
    return this.limits
  }

  /** What an account has open on this server. */
  openOf(account: string): { readonly connections: number; readonly subscriptions: number } {
    return {
      connections: this.connected.of(account),
      subscriptions: this.subscribed.of(account),
    }
  }

  /** Counts a connection; false if the wallet has as many as allowed. */
  connect(wallet: string): boolean {
    return this.connected.take(wallet, this.limits.connections)
  }

  disconnect(wallet: string): void {
    this.connected.release(wallet)
  }

  /** Counts a subscription. Throws the error of the key-value protocol. */
  subscribe(wallet: string): void {
    if (this.subscribed.take(wallet, this.limits.subscriptions)) return
    throw refuse('ERR max number of subscriptions reached', 'QuotaExceeded')
  }

  unsubscribe(wallet: string): void {
    this.subscribed.release(wallet)
  }
}

/** Bound of data plus data to delete, as a multiple of the quota (docs/operations.md). */
const wasteFactor = 2

/** A count for each wallet; a wallet without any takes no memory. */
class Counts {
  private readonly counts = new Map<string, number>()

  /** False if there are `most` already; 0 means no limit. */
  take(wallet: string, most: number): boolean {
    const count = this.counts.get(wallet) ?? 0
    if (most > 0 && count >= most) return false
    this.counts.set(wallet, count + 1)
    return true
  }

  of(wallet: string): number {
    return this.counts.get(wallet) ?? 0
  }

  release(wallet: string): void {
    const count = this.counts.get(wallet) ?? 0
    if (count > 1) this.counts.set(wallet, count - 1)
    else this.counts.delete(wallet)
  }
}

function mb(bytes: number): string {
  return `${Math.round(bytes / 1e4) / 100} MB`
}
