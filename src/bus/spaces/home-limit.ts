// Limits on homes: how many exist, and how many one address creates in a period. Wallets are free,
// and each home is a permanent record. Neither limit applies to the operator or to an existing
// home. (docs/operations.md, "Quotas of a wallet")

import { clientOf } from '../../base/client-address.js'
import type { Clock } from '../../base/clock.js'
import { fail } from '../../base/errors.js'
import { lastUsed } from '../../base/heap/last-used.js'
import { addressesTrackedMax } from '../../base/limits/http.js'
import { homesWindowMs } from '../../base/limits/identity.js'
import type { Count, SettledCounts } from '../../identity/keys/settled-counts.js'

export interface HomeLimits {
  /** Setting HOMES_MAX. */
  readonly all: number
  /** Setting HOMES_PER_HOUR; 0 for no limit. */
  readonly perAddress: number
}

/** Homes created by one address in one window; by name, because a program may run again. */
interface Made {
  readonly startedMs: number
  readonly homes: Set<string>
}

export class HomeLimit {
  private readonly made = lastUsed<string, Made>(addressesTrackedMax)

  private readonly tell: Count | undefined

  /** `settled`: of the other gateways of the store. */
  constructor(
    private readonly clock: Clock,
    private readonly limits: HomeLimits,
    settled?: SettledCounts,
  ) {
    this.tell = settled?.of('home', (counted, by) => {
      const at = counted.indexOf(' ')
      const { homes } = this.windowOf(counted.slice(0, at))
      if (by > 0) homes.add(counted.slice(at + 1))
      else homes.delete(counted.slice(at + 1))
    })
  }

  /**
   * Throws QuotaExceeded if the limits allow no home beside `homes` others. Returns a function that
   * uncounts the home if it is not made after all; undefined if the home was already counted.
   */
  make(home: string, homes: number, address: string): (() => void) | undefined {
    const { all, perAddress } = this.limits
    if (all > 0 && homes >= all) {
      throw fail('QuotaExceeded', `this server has its ${all} homes of wallets`, {
        reason: 'HOMES',
      })
    }
    if (perAddress === 0) return undefined
    const client = clientOf(address)
    const known = this.windowOf(client)
    if (known.homes.has(home)) return undefined
    if (known.homes.size >= perAddress) {
      const text = `${perAddress} homes of wallets were made from this address within an hour`
      throw fail('QuotaExceeded', text, { reason: 'HOMES_OF_ADDRESS' })
    }
    known.homes.add(home)
    const counted = `${client} ${home}`
    this.tell?.(counted)
    return () => {
      if (known.homes.delete(home)) this.tell?.(counted, -1)
    }
  }

  private windowOf(client: string): Made {
    const nowMs = this.clock.elapsed()
    const known = this.made.get(client)
    if (known !== undefined && nowMs - known.startedMs < homesWindowMs) return known
    const made: Made = { startedMs: nowMs, homes: new Set() }
    this.made.set(client, made)
    return made
  }
}
