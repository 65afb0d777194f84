// Limits the wrong keys of an address that are compared with the operator's key, a minute, on all
// listeners. Then the address is refused for the rest of the minute. Nothing is counted by account,
// so no address can lock out another. A wallet's key has 256 random bits and is still accepted.

import type { LRUCache } from 'lru-cache'
import { clientOf } from '../../base/client-address.js'
import type { Clock } from '../../base/clock.js'
import { fail, type GatewayError } from '../../base/errors.js'
import { lastUsed } from '../../base/heap/last-used.js'
import { addressesTrackedMax } from '../../base/limits/http.js'
import { wrongKeysMax, wrongKeysMs } from '../../base/limits/identity.js'
import type { Count, SettledCounts } from './settled-counts.js'

interface Minute {
  readonly startedMs: number
  wrong: number
}

export class KeyGuesses {
  private readonly minutes: LRUCache<string, Minute> = lastUsed(addressesTrackedMax)

  private readonly count: Count | undefined

  /** `settled`: of the other gateways of the store. */
  constructor(
    private readonly clock: Clock,
    settled?: SettledCounts,
  ) {
    this.count = settled?.of('guess', (client, count) => this.add(client, count))
  }

  /** Whether the address has used up its wrong keys of this minute. */
  isSpent(address: string): boolean {
    // Most addresses have never sent a wrong key.
    return this.minutes.size > 0 && (this.minuteOf(address)?.wrong ?? 0) >= wrongKeysMax
  }

  /** Counts a wrong key. */
  failed(address: string): void {
    const client = clientOf(address)
    this.add(client, 1)
    this.count?.(client)
  }

  private add(client: string, count: number): void {
    const minute = this.current(client)
    if (minute !== undefined) minute.wrong += count
    else this.minutes.set(client, { startedMs: this.clock.elapsed(), wrong: count })
  }

  /** The error for such an address. */
  refusal(address: string): GatewayError {
    const startedMs = this.minuteOf(address)?.startedMs ?? this.clock.elapsed()
    const leftMs = Math.max(startedMs + wrongKeysMs - this.clock.elapsed(), 1)
    return fail('IngressRequestRateLimitExceeded', 'too many wrong keys from this address', {
      retryAfter: Math.ceil(leftMs / 1_000),
    })
  }

  /** The current minute of an address, if it has sent a wrong key in it. */
  private minuteOf(address: string): Minute | undefined {
    return this.current(clientOf(address))
  }

  private current(client: string): Minute | undefined {
    const minute = this.minutes.get(client)
    if (minute === undefined) return undefined
    return this.clock.elapsed() - minute.startedMs < wrongKeysMs ? minute : undefined
  }
}
