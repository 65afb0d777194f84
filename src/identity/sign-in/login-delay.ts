// Delays answers to failed logins, by the address, and by the address with the account. An account
// alone is never delayed, or an attacker could lock out its owner. A correct key never waits.

import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LRUCache } from 'lru-cache'
import { clientOf } from '../../base/client-address.js'
import type { Clock } from '../../base/clock.js'
import { lastUsed } from '../../base/heap/last-used.js'
import { addressesTrackedMax } from '../../base/limits/http.js'
import {
  loginDelayMs,
  loginDelayMsMax,
  loginFailuresFreeOfAccount,
  loginFailuresFreeOfAddress,
  loginFailuresMs,
} from '../../base/limits/identity.js'
import type { Count, SettledCounts } from '../keys/settled-counts.js'

interface Failures {
  count: number
  /** Time of the last failure, monotonic milliseconds. */
  atMs: number
}

interface LoginDelayOptions {
  readonly clock: Clock
  /** Waits, or rejects at the signal; the machine's timer by default. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>
  /** Of the other gateways of the store. */
  readonly settled?: SettledCounts | undefined
}

/** By address, or by address with account. */
interface Failed {
  readonly recent: LRUCache<string, Failures>
  readonly tell: Count | undefined
}

export class LoginDelay {
  private readonly addresses: Failed
  private readonly accounts: Failed
  private readonly ending = new AbortController()

  constructor(private readonly options: LoginDelayOptions) {
    // Each waiting answer adds a listener; the bound on sockets bounds them.
    setMaxListeners(0, this.ending.signal)
    this.addresses = this.open('failed address')
    this.accounts = this.open('failed account')
  }

  /** Counts a failed login; resolves when it may be answered, undefined if that is now. */
  failed(address: string, account: string): Promise<unknown> | undefined {
    const ms = Math.max(
      this.count(this.addresses, clientOf(address), loginFailuresFreeOfAddress),
      this.count(this.accounts, pairOf(address, account), loginFailuresFreeOfAccount),
    )
    return ms === 0 ? undefined : this.wait(ms)
  }

  /** A successful login clears the account's failures, not those of the address. */
  succeeded(address: string, account: string): void {
    const { recent, tell } = this.accounts
    const pair = pairOf(address, account)
    const failures = recent.get(pair)
    if (failures === undefined) return
    recent.delete(pair)
    tell?.(pair, -failures.count)
  }

  /** Answers waiting and later failed logins at once, because the server stops. */
  close(): void {
    this.ending.abort()
  }

  private async wait(ms: number): Promise<void> {
    const { signal } = this.ending
    const { sleep: wait = (ms, signal) => sleep(ms, undefined, { signal }) } = this.options
    try {
      await wait(ms, signal)
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  private open(kind: string): Failed {
    const recent = lastUsed<string, Failures>(addressesTrackedMax)
    const tell = this.options.settled?.of(kind, (key, count) => void this.add(recent, key, count))
    return { recent, tell }
  }

  /** Returns the sum. */
  private add(recent: LRUCache<string, Failures>, key: string, by: number): number {
    const now = this.options.clock.elapsed()
    const before = recent.get(key)
    const isRecent = before !== undefined && now - before.atMs < loginFailuresMs
    const count = (isRecent ? before.count : 0) + by
    if (count > 0) recent.set(key, { count, atMs: now })
    else recent.delete(key)
    return count
  }

  /** Counts one failure; returns the delay of its answer, milliseconds. */
  private count({ recent, tell }: Failed, key: string, free: number): number {
    const count = this.add(recent, key, 1)
    tell?.(key)
    return count <= free ? 0 : Math.min(loginDelayMs * 2 ** (count - free - 1), loginDelayMsMax)
  }
}

/** Keeps only this much of an account's name: the client chooses its length. */
const accountCharsMax = 64

function pairOf(address: string, account: string): string {
  return `${clientOf(address)} ${account.slice(0, accountCharsMax).toLowerCase()}`
}
