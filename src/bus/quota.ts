// What one wallet may have of the server: bytes and collections that are its own, connections,
// subscriptions, time for one command. Wallets are free, so an authenticated one is a stranger; the
// operator has no quota. (docs/operations.md, "Quotas of a wallet")

import type { Clock } from '../base/clock.js'
import { fail } from '../base/errors.js'
import { quotaLookMsMin, quotaLookShare } from '../base/limits.js'
import { refuse } from '../base/reply-error.js'
import { listNamespaces, replacementPrefix } from '../engine/collection/catalog.js'
import { isGraphPart, payerOf } from '../engine/collection/descriptors.js'
import { channelsName, keyspaceIndex } from '../engine/collection/homes.js'
import type { Awaitable, Program, ReadTx, Store } from '../store/store.js'

/** Of each wallet; 0 for none. */
export interface QuotaLimits {
  readonly storageBytes: number
  readonly collections: number
  readonly graphs: number
  readonly connections: number
  readonly subscriptions: number
  readonly commandMs: number
}

/** What a wallet owns. */
interface Holding {
  collections: number
  graphs: number
}

const nothingHeld: Readonly<Holding> = { collections: 0, graphs: 0 }

/** What a collection counts as; a graph, which is several, by the one that has its nodes. */
function countedAs(name: string): 'collections' | 'graphs' | undefined {
  if (name.startsWith(replacementPrefix)) return undefined
  // They are there for a wallet from the beginning.
  if (keyspaceIndex(name) !== undefined || name === channelsName) return undefined
  if (!isGraphPart(name)) return 'collections'
  return name.endsWith('.nodes') ? 'graphs' : undefined
}

export interface QuotaParts {
  readonly store: Store
  readonly clock: Clock
  readonly limits: QuotaLimits
}

export class Quotas {
  /** By owner, as last looked at; collections that were made or dropped since are in it. */
  private holdings = new Map<string, Holding>()
  private nextLookMs = Number.NEGATIVE_INFINITY
  private isLooking = false
  private readonly connected = new Counts()
  private readonly subscribed = new Counts()

  constructor(private readonly parts: QuotaParts) {}

  /** Milliseconds that a wallet's command may take; 0 for no bound. */
  get commandMs(): number {
    return this.parts.limits.commandMs
  }

  /**
   * Looks at how many collections wallets own, unless that was done of late: it takes no more than
   * its share of the time, so that these figures are a moment old. What they hold is counted in the
   * transaction that changes it (engine/collection/counters.ts).
   */
  look(): void {
    const { store, clock } = this.parts
    const startedMs = clock.elapsed()
    if (startedMs < this.nextLookMs || this.isLooking) return
    this.isLooking = true
    const done = (holdings: Map<string, Holding> | undefined) => {
      const nowMs = clock.elapsed()
      if (holdings !== undefined) this.holdings = holdings
      this.nextLookMs = nowMs + Math.max(quotaLookMsMin, (nowMs - startedMs) / quotaLookShare)
      this.isLooking = false
    }
    let found: Awaitable<Map<string, Holding>>
    try {
      found = store.read(holdingsOf)
    } catch {
      // A store that cannot be read answers no command either.
      done(undefined)
      return
    }
    if (found instanceof Promise) found.then(done, () => done(undefined))
    else done(found)
  }

  /** Throws QuotaExceeded where that is more than an owner's data may be, which has grown. */
  readonly requireSpace = (bytes: number): void => {
    const { storageBytes } = this.parts.limits
    if (storageBytes === 0 || bytes <= storageBytes) return
    const text = `the wallet is over its space quota, using ${mb(bytes)} of ${mb(storageBytes)}`
    throw fail('QuotaExceeded', text, { reason: 'STORAGE' })
  }

  /** A collection is being made. Throws QuotaExceeded where its owner has as many as it may. */
  made(owner: string | null, name: string): void {
    const counted = countedAs(name)
    if (owner === null || counted === undefined) return
    const most = this.parts.limits[counted]
    const holding = this.holdings.get(owner) ?? { ...nothingHeld }
    if (most > 0 && holding[counted] >= most) {
      const what = counted === 'graphs' ? 'graph' : 'collection'
      const text = `cannot create a new ${what}: the wallet already has ${most}`
      throw fail('QuotaExceeded', text, { reason: counted.toUpperCase() })
    }
    holding[counted]++
    this.holdings.set(owner, holding)
  }

  /** A collection is being dropped. */
  dropped(owner: string | null, name: string): void {
    const counted = countedAs(name)
    if (owner === null || counted === undefined) return
    const holding = this.holdings.get(owner)
    if (holding !== undefined && holding[counted] > 0) holding[counted]--
  }

  /** Takes a connection; false where the wallet has as many as it may. */
  connect(wallet: string): boolean {
    return this.connected.take(wallet, this.parts.limits.connections)
  }

  disconnect(wallet: string): void {
    this.connected.release(wallet)
  }

  /** Takes a subscription. Throws the key-value protocol's own refusal. */
  subscribe(wallet: string): void {
    if (this.subscribed.take(wallet, this.parts.limits.subscriptions)) return
    throw refuse('ERR max number of subscriptions reached', 'QuotaExceeded')
  }

  unsubscribe(wallet: string): void {
    this.subscribed.release(wallet)
  }
}

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

function* holdingsOf(tx: ReadTx): Program<Map<string, Holding>> {
  const holdings = new Map<string, Holding>()
  for (const ns of yield* listNamespaces(tx)) {
    const owner = payerOf(ns.access)
    if (owner === null || ns.name.startsWith(replacementPrefix)) continue
    const holding = holdings.get(owner) ?? { ...nothingHeld }
    const counted = countedAs(ns.name)
    if (counted !== undefined) holding[counted]++
    holdings.set(owner, holding)
  }
  return holdings
}

function mb(bytes: number): string {
  return `${Math.round(bytes / 1e4) / 100} MB`
}
