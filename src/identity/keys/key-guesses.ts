// Wrong keys of an address: so many a minute are compared with the operator's key, on whatever
// listener. Then the address is refused for the rest of the minute, unseen. Nothing is counted by
// account, so no address can keep another one out; a wallet's key has 256 random bits, and passes.

import type { LRUCache } from 'lru-cache'
import { clientOf } from '../../base/client-address.js'
import type { Clock } from '../../base/clock.js'
import { fail, type GatewayError } from '../../base/errors.js'
import { lastUsed } from '../../base/heap/last-used.js'
import { addressesTrackedMax, wrongKeysMax, wrongKeysMs } from '../../base/limits.js'

interface Minute {
  readonly startedMs: number
  wrong: number
}

export class KeyGuesses {
  private readonly minutes: LRUCache<string, Minute> = lastUsed(addressesTrackedMax)

  constructor(private readonly clock: Clock) {}

  /** Whether the address has had its wrong keys of this minute. */
  isSpent(address: string): boolean {
    // Most have never sent a wrong key.
    return this.minutes.size > 0 && (this.minuteOf(address)?.wrong ?? 0) >= wrongKeysMax
  }

  /** Counts a key that was looked at and is wrong. */
  failed(address: string): void {
    const minute = this.minuteOf(address)
    if (minute !== undefined) minute.wrong++
    else this.minutes.set(clientOf(address), { startedMs: this.clock.elapsed(), wrong: 1 })
  }

  /** What such an address is answered. */
  refusal(address: string): GatewayError {
    const startedMs = this.minuteOf(address)?.startedMs ?? this.clock.elapsed()
    const leftMs = Math.max(startedMs + wrongKeysMs - this.clock.elapsed(), 1)
    return fail('IngressRequestRateLimitExceeded', 'too many wrong keys from this address', {
      retryAfter: Math.ceil(leftMs / 1_000),
    })
  }

  /** The minute that an address is in, if it has sent a wrong key in it. */
  private minuteOf(address: string): Minute | undefined {
    const minute = this.minutes.get(clientOf(address))
    if (minute === undefined) return undefined
    return this.clock.elapsed() - minute.startedMs < wrongKeysMs ? minute : undefined
  }
}
