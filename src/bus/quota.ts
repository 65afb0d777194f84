// What one wallet may have of the server: bytes and collections that are its own, connections,
// subscriptions, time for one command. Wallets are free, so an authenticated wallet is not trusted;
// the operator has no quota. (docs/operations.md, "Quotas of a wallet")

import { fail } from '../base/errors.js'
import { refuse } from '../base/reply-error.js'
import type { Held } from '../engine/types.js'

/** Of each wallet; 0 for none. */
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

  /** Milliseconds that a wallet's command may take; 0 for no bound. */
  get commandMs(): number {
    return this.limits.commandMs
  }

  /** Throws QuotaExceeded where that is more than an owner's data may be, which has grown. */
  readonly requireSpace = (bytes: number): void => {
    const { storageBytes } = this.limits
    if (storageBytes === 0 || bytes <= storageBytes) return
    const text = `the wallet is over its space quota, using ${mb(bytes)} of ${mb(storageBytes)}`
    throw fail('QuotaExceeded', text, { reason: 'STORAGE' })
  }

  /**
   * As requireSpace, with what the owner has given up and what is not deleted yet: together they
   * are at most twice the quota, so that inserting and dropping in turns waits for the deletion.
   */
  readonly requireDisk = (bytes: number, waste: number): void => {
    this.requireSpace(bytes)
    this.requireWaste(bytes, waste)
  }

  /** The second bound of requireDisk alone. */
  readonly requireWaste = (bytes: number, waste: number): void => {
    const { storageBytes } = this.limits
    if (storageBytes === 0 || bytes + waste <= wasteFactor * storageBytes) return
    const text = `the wallet is over its space quota: ${mb(waste)} that it dropped is being deleted`
    throw fail('QuotaExceeded', text, { reason: 'STORAGE', retryAfter: 1 })
  }

  /** One more is made. Throws QuotaExceeded where its owner has as many as it may. */
  requireHolding(held: Held, count: number): void {
    const most = this.limits[held]
    if (most === 0 || count < most) return
    const what = held === 'graphs' ? 'graph' : 'collection'
    const text = `cannot create a new ${what}: the wallet already has ${most}`
    throw fail('QuotaExceeded', text, { reason: held.toUpperCase() })
  }

  /** Takes a connection; false where the wallet has as many as it may. */
  connect(wallet: string): boolean {
    return this.connected.take(wallet, this.limits.connections)
  }

  disconnect(wallet: string): void {
    this.connected.release(wallet)
  }

  /** Takes a subscription. Throws the key-value protocol's own refusal. */
  subscribe(wallet: string): void {
    if (this.subscribed.take(wallet, this.limits.subscriptions)) return
    throw refuse('ERR max number of subscriptions reached', 'QuotaExceeded')
  }

  unsubscribe(wallet: string): void {
    this.subscribed.release(wallet)
  }
}

/** An owner's data and what is left to delete of it, of the quota (docs/operations.md). */
const wasteFactor = 2

/** How many of something each wallet has; who has none takes no room. */
class Counts {
  private readonly counts = new Map<string, number>()

  /** False where there are `most` already; 0 is no bound. */
  take(wallet: string, most: number): boolean {
    const count = this.counts.get(wallet) ?? 0
    if (most > 0 && count >= most) return false
    this.counts.set(wallet, count + 1)
    return true
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
