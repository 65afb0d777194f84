// The rate limit of a key, requests a minute over all protocols. One bucket for each key fills
// evenly, so a client that waits as told is served.

import type { Clock } from '../../base/clock.js'
import { fail } from '../../base/errors.js'
import { lastUsed } from '../../base/heap/last-used.js'
import { provenKeysMax } from '../../base/limits/identity.js'
import { type Identity, identityKey } from '../identity.js'
import type { Count, SettledCounts } from './settled-counts.js'

const minuteMs = 60_000

interface Bucket {
  tokens: number
  /** Time of that count, monotonic milliseconds. */
  atMs: number
}

export class KeyLimit {
  private readonly buckets = lastUsed<string, Bucket>(provenKeysMax)

  private readonly count: Count | undefined

  /** `settled`: of the other gateways of the store. */
  constructor(
    private readonly clock: Clock,
    settled?: SettledCounts,
  ) {
    this.count = settled?.of('key', (counted, count) => {
      const at = counted.indexOf(' ')
      this.bucketOf(counted.slice(at + 1), Number(counted.slice(0, at))).tokens -= count
    })
  }

  /**
   * Counts one request. Throws IngressRequestRateLimitExceeded (429) with `retryAfter`, seconds, if
   * the key has used its limit.
   */
  take(identity: Identity): void {
    if (identity.kind !== 'key' || identity.rateLimit === 0) return
    const { rateLimit } = identity
    // The hash alone is not enough: it is public, and any wallet can register it.
    const name = identityKey(identity)
    const bucket = this.bucketOf(name, rateLimit)
    if (bucket.tokens < 1) {
      const seconds = Math.ceil(((1 - bucket.tokens) * minuteMs) / rateLimit / 1000)
      throw tooMany(rateLimit, seconds)
    }
    bucket.tokens--
    if (this.count !== undefined) this.count(`${rateLimit} ${name}`)
  }

  /** Filled up to now. */
  private bucketOf(name: string, rateLimit: number): Bucket {
    const nowMs = this.clock.elapsed()
    let bucket = this.buckets.get(name)
    if (bucket === undefined) {
      bucket = { tokens: rateLimit, atMs: nowMs }
      this.buckets.set(name, bucket)
    }
    const refilled = bucket.tokens + ((nowMs - bucket.atMs) * rateLimit) / minuteMs
    bucket.tokens = Math.min(rateLimit, refilled)
    bucket.atMs = nowMs
    return bucket
  }
}

function tooMany(rateLimit: number, seconds: number): Error {
  return fail('IngressRequestRateLimitExceeded', `this key has ${rateLimit} requests a minute`, {
    limit: rateLimit,
    windowSeconds: minuteMs / 1000,
    retryAfter: seconds,
    // Labels by which MongoDB drivers back off.
    errorLabels: ['SystemOverloadedError', 'RetryableError'],
  })
}
