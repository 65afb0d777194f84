// The registry on one chain. Reads are bound to a head and updated by the key log; acts go to the
// gas station. It fails closed: every failure is CHAIN_UNAVAILABLE, never a guess.
// (docs/design/chain.md)

import type { Clock } from '../../base/clock.js'
import { fail } from '../../base/errors.js'
import { ChainAway, unavailable } from '../remote/away.js'
import type { SharedHead } from '../remote/head.js'
import type { Header } from '../remote/header.js'
import type { MetaRelay } from '../sending/meta-relay.js'
import type { ContractReader } from './contract-reader.js'
import type { KeyLog } from './key-log.js'
import type { CallRequest, Candidate, KeyStatus, RegistryAccount, RegistryKey } from './registry.js'
import type { KnownAccount, RegistryCache } from './registry-cache.js'

/** Remote chain: a cached key is read again this often, because a node may withhold an event. */
const rereadMs = 60_000
/** Restarts of a read because of new blocks or revocations. */
const readsMax = 5

interface RegistryClientOptions {
  readonly reader: ContractReader
  readonly head: SharedHead
  readonly keyLog: KeyLog
  readonly cache: RegistryCache
  readonly isRemote: boolean
  readonly clock: Clock
}

export class RegistryClient {
  private readonly options: RegistryClientOptions
  /** Running reads, so that a key is not requested twice at once. */
  private readonly reading = new Map<string, Promise<RegistryKey | undefined>>()

  constructor(options: RegistryClientOptions) {
    this.options = options
  }

  getKey(address: string, index: number): Promise<RegistryKey | undefined> {
    const name = `${address.toLowerCase()}:${index}`
    const under = this.reading.get(name)
    if (under !== undefined) return under
    const read = this.readKey(address, index).finally(() => this.reading.delete(name))
    this.reading.set(name, read)
    return read
  }

  keyStatus(address: string, index: number): KeyStatus {
    const { cache, head, isRemote, clock } = this.options
    const known = cache.key(address, index)
    if (known?.key === undefined) {
      this.refresh(address, index)
      return 'unknown'
    }
    if (!known.key.active) return 'revoked'
    if (isRemote && clock.elapsed() - known.readMs > rereadMs) this.refresh(address, index)
    return head.isFresh ? 'active' : 'unknown'
  }

  async account(address: string): Promise<RegistryAccount> {
    const { nextIndex, activeCount, nonce } = await this.knownAccount(address)
    return { nextIndex, activeCount, nonce }
  }

  async firstActive(address: string): Promise<number | undefined> {
    return (await this.knownAccount(address)).firstActive
  }

  async candidates(commitment: string): Promise<readonly Candidate[]> {
    await this.options.head.fresh()
    return this.options.keyLog.candidates(commitment)
  }

  async call(request: CallRequest): Promise<string> {
    const { reader, head } = this.options
    return reader.call(request, await head.fresh())
  }

  async code(address: string): Promise<string> {
    const { reader, head } = this.options
    const at = await head.fresh()
    return reader.code(address, at).catch((error) => {
      throw unavailable(error)
    })
  }

  private refresh(address: string, index: number): void {
    this.getKey(address, index).catch(() => {})
  }

  private async readKey(address: string, index: number): Promise<RegistryKey | undefined> {
    const { reader, head, keyLog, cache, clock } = this.options
    if (!Number.isSafeInteger(index) || index < 0) return undefined
    try {
      for (let tries = 0; tries < readsMax; tries++) {
        const at = await head.fresh()
        const known = cache.key(address, index)
        if (known?.head === at.hash && !this.isOld(known.readMs)) return known.key
        const { generation } = cache
        const readMs = clock.elapsed()
        const found = await reader.key(address, index, at)
        const isRevoked = await keyLog.isRevoked(address, index)
        if (generation !== cache.generation) continue
        const key = found !== undefined && isRevoked ? { ...found, active: false } : found
        cache.keepKey(address, index, { key, readMs, head: at.hash })
        return key
      }
      throw new ChainAway('the chain changes too quickly')
    } catch (error) {
      throw unavailable(error)
    }
  }

  private isOld(readMs: number): boolean {
    return this.options.isRemote && this.options.clock.elapsed() - readMs > rereadMs
  }

  private async knownAccount(address: string): Promise<KnownAccount> {
    const { head, cache } = this.options
    try {
      for (let tries = 0; tries < readsMax; tries++) {
        const at = await head.fresh()
        const known = cache.account(address)
        if (known?.head === at.hash) return known
        const { generation } = cache
        const read = await this.readAccount(address, at)
        if (generation !== cache.generation) continue
        cache.keepAccount(address, read)
        return read
      }
      throw new ChainAway('the chain changes too quickly')
    } catch (error) {
      throw unavailable(error)
    }
  }

  private async readAccount(address: string, at: Header): Promise<KnownAccount> {
    const { reader } = this.options
    const [{ nextIndex, activeCount }, nonce] = await Promise.all([
      reader.account(address, at),
      reader.nonce(address, at),
    ])
    const firstActive = activeCount === 0 ? undefined : await this.lowest(address, nextIndex, at)
    return { nextIndex, activeCount, nonce, firstActive, head: at.hash }
  }

  /** The lowest index that is active and was never revoked here. */
  private async lowest(address: string, end: number, at: Header): Promise<number | undefined> {
    const { reader, keyLog } = this.options
    let from = 0
    while (from < end) {
      const { found, index } = await reader.firstActiveFrom(address, from, at)
      if (found && !(await keyLog.isRevoked(address, index))) return index
      // A node that returns no progress would loop forever.
      from = Math.max(found ? index + 1 : index, from + 1)
    }
    return undefined
  }
}

/** Throws if no gas station is set. */
export function requireRelay(relay: MetaRelay | undefined): MetaRelay {
  if (relay !== undefined) return relay
  const text = 'no gas station is set here: send the transaction yourself'
  throw fail('CommandNotSupported', text, { reason: 'NO_GAS_STATION' })
}
