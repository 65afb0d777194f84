// Question: what does it cost to count a request against its address's window, and against its
// key's? At most 500 nanoseconds each.
// Method: a million checks in this process over as many clients as are remembered, beside a bare
// Map of counts by the same addresses.

import { systemClock } from '../src/base/clock.js'
import { addressesTrackedMax } from '../src/base/limits/http.js'
import type { KeyIdentity } from '../src/identity/identity.js'
import { KeyLimit } from '../src/identity/keys/key-limit.js'
import { RequestWindows } from '../src/listeners/http/core/request-limit.js'
import { compare, type Figure } from './support/figure.js'

const checks = 1_000_000
const clients = 10_000

const ipv4 = Array.from({ length: clients }, (_, i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`)
const ipv6 = Array.from({ length: clients }, (_, i) => `2001:db8:${i.toString(16)}::1`)
const keys = ipv4.map((_, index): KeyIdentity => {
  const [address, hash] = [`0x${'a'.repeat(40)}`, index.toString(16).padStart(64, '0')]
  const permissions = ['read'] as const
  return { kind: 'key', source: 'issued', address, hash, index, permissions, rateLimit: 1_000_000 }
})

export async function rateLimit(): Promise<Figure[]> {
  const limit = { max: checks, windowMs: 10_000 }
  const windows = new RequestWindows(systemClock, limit, addressesTrackedMax)
  const ofKeys = new KeyLimit(systemClock)
  const bare = new Map<string, number>()
  const peer = (names: readonly string[]) => async () =>
    each(names, (name) => bare.set(name, (bare.get(name) ?? 0) + 1))
  const ours = (names: readonly string[]) => async () => each(names, (name) => windows.take(name))
  return [
    await compare('rate limit: an IPv4 address, beside a Map', 'ns', ours(ipv4), peer(ipv4)),
    await compare('rate limit: an IPv6 address, beside a Map', 'ns', ours(ipv6), peer(ipv6)),
    await compare(
      'rate limit: a key, beside a Map',
      'ns',
      async () => each(keys, (key) => ofKeys.take(key)),
      peer(ipv4),
    ),
  ]
}

/** Nanoseconds of one check. */
function each<T>(names: readonly T[], check: (name: T) => unknown): number {
  const started = process.cpuUsage()
  for (let i = 0; i < checks; i++) check(names[i % clients] as T)
  const { user, system } = process.cpuUsage(started)
  return ((user + system) * 1_000) / checks
}
