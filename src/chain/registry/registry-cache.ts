// Keys as read at some head, kept current by later events. So a request is checked in microseconds
// without a network call. Bounded; an evicted key costs a read.

import { LRUCache } from 'lru-cache'
import type { RegistryAccount, RegistryKey } from './registry.js'

/** Keys whose status is updated with each block, and wallets with a cached first key. */
export const followedKeysMax = 20_000
const followedAccountsMax = 10_000

interface KnownKey {
  /** Undefined if the registry has none. */
  readonly key: RegistryKey | undefined
  /** Hash of the head at which it was read. */
  readonly head: string
  /** Time of the read (elapsed). */
  readonly readMs: number
}

export interface KnownAccount extends RegistryAccount {
  /** Undefined if no key is active. */
  readonly firstActive: number | undefined
  readonly head: string
}

export class RegistryCache {
  private readonly keys = new LRUCache<string, KnownKey>({ max: followedKeysMax })
  /** Ended or unknown keys: a login may name any, and must not evict an active key. */
  private readonly others = new LRUCache<string, KnownKey>({ max: followedKeysMax })
  private readonly accounts = new LRUCache<string, KnownAccount>({ max: followedAccountsMax })
  /** Changes with every event that may invalidate a running read. */
  generation = 0

  key(address: string, index: number): KnownKey | undefined {
    const name = nameOf(address, index)
    return this.keys.get(name) ?? this.others.get(name)
  }

  keepKey(address: string, index: number, known: KnownKey): void {
    const name = nameOf(address, index)
    const isActive = known.key?.active === true
    const [place, before] = isActive ? [this.keys, this.others] : [this.others, this.keys]
    before.delete(name)
    place.set(name, known)
  }

  account(address: string): KnownAccount | undefined {
    return this.accounts.get(address.toLowerCase())
  }

  keepAccount(address: string, known: KnownAccount): void {
    this.accounts.set(address.toLowerCase(), known)
  }

  revoke(address: string, index: number): void {
    this.generation++
    this.accounts.delete(address.toLowerCase())
    const known = this.key(address, index)
    if (known?.key === undefined) return
    this.keepKey(address, index, { ...known, key: { ...known.key, active: false } })
  }

  clear(): void {
    this.generation++
    this.keys.clear()
    this.others.clear()
    this.accounts.clear()
  }
}

function nameOf(address: string, index: number): string {
  return `${address.toLowerCase()}:${index}`
}
