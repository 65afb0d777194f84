// Quotas of one wallet: bytes and collections, connections, subscriptions, time for one command.
// Wallets are free, so an authenticated wallet is not trusted; the operator has no quota.
// (docs/operations.md, "Quotas of a wallet")

import { fail } from '../base/errors.js'
import { refuse } from '../base/reply-error.js'
import type { Held } from '../engine/types.js'
import type { SettledLevels } from './settled-levels.js'

/** The limits for each wallet; 0 means no limit. */
export interface QuotaLimits {
  readonly storageBytes: number
  readonly collections: number
  readonly graphs: number
  readonly connections: number
  readonly subscriptions: number
  readonly commandMs: number
}

/** A connection that can be closed after its running commands. */
interface Closable {
  end(): void
}

export class Quotas {
  private readonly connected: Counts
  private readonly subscribed: Counts
  /** Of each wallet, oldest first; only if other gateways may make them too many. */
  private readonly open = new Map<string, Set<Closable>>()

  /** `levels`: of the other gateways of the store. */
  constructor(
    private readonly limits: QuotaLimits,
    private readonly levels?: SettledLevels,
  ) {
    this.connected = new Counts('connections', levels)
    this.subscribed = new Counts('subscriptions', levels)
    if (levels !== undefined) levels.onTold = (name) => this.endSurplus(name)
  }

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

  /** What an account has open, on all gateways of the store. */
  openOf(account: string): { readonly connections: number; readonly subscriptions: number } {
    return {
      connections: this.connected.of(account),
      subscriptions: this.subscribed.of(account),
    }
  }

  /** Counts a connection; false if the wallet has as many as allowed. */
  connect(wallet: string, connection: Closable): boolean {
    if (!this.connected.take(wallet, this.limits.connections)) return false
    if (this.levels === undefined) return true
    const open = this.open.get(wallet) ?? new Set()
    this.open.set(wallet, open.add(connection))
    return true
  }

  disconnect(wallet: string, connection: Closable): void {
    this.connected.release(wallet)
    const open = this.open.get(wallet)
    if (open?.delete(connection) === true && open.size === 0) this.open.delete(wallet)
  }

  /** Counts a subscription. Throws the error of the key-value protocol. */
  subscribe(wallet: string): void {
    if (this.subscribed.take(wallet, this.limits.subscriptions)) return
    throw refuse('ERR max number of subscriptions reached', 'QuotaExceeded')
  }

  unsubscribe(wallet: string): void {
    this.subscribed.release(wallet)
  }

  /**
   * Closes the newest connections of a wallet that opened too many over several gateways before
   * they knew of each other.
   */
  private endSurplus(name: string): void {
    const { levels, limits } = this
    const wallet = this.connected.nameIn(name)
    const open = wallet === undefined ? undefined : this.open.get(wallet)
    if (levels === undefined || open === undefined || limits.connections === 0) return
    if (open.size + levels.elsewhere(name) <= limits.connections) return
    const kept = Math.max(limits.connections - levels.before(name), 0)
    for (const connection of [...open].slice(kept)) connection.end()
  }
}

/** Bound of data plus data to delete, as a multiple of the quota (docs/operations.md). */
const wasteFactor = 2

/** A count for each wallet; a wallet without any takes no memory. */
class Counts {
  private readonly counts = new Map<string, number>()

  constructor(
    private readonly kind: string,
    private readonly levels: SettledLevels | undefined,
  ) {}

  /** False if there are `most` already, on all gateways; 0 means no limit. */
  take(wallet: string, most: number): boolean {
    if (most > 0 && this.of(wallet) >= most) return false
    this.set(wallet, this.here(wallet) + 1)
    return true
  }

  /** On all gateways. */
  of(wallet: string): number {
    return this.here(wallet) + (this.levels?.elsewhere(this.levelName(wallet)) ?? 0)
  }

  release(wallet: string): void {
    this.set(wallet, Math.max(this.here(wallet) - 1, 0))
  }

  /** The wallet of a name of levels; undefined for a level of another kind. */
  nameIn(levelName: string): string | undefined {
    const prefix = this.levelName('')
    return levelName.startsWith(prefix) ? levelName.slice(prefix.length) : undefined
  }

  private here(wallet: string): number {
    return this.counts.get(wallet) ?? 0
  }

  private set(wallet: string, count: number): void {
    if (count > 0) this.counts.set(wallet, count)
    else this.counts.delete(wallet)
    this.levels?.set(this.levelName(wallet), count)
  }

  private levelName(wallet: string): string {
    return `${this.kind} ${wallet}`
  }
}

function mb(bytes: number): string {
  return `${Math.round(bytes / 1e4) / 100} MB`
}
