// Finds the owner of a key. Any wallet can copy a commitment from a pending transaction, and a
// thief can register a stolen key. So the owner is the oldest record with its commitment that only
// a holder of the key can have made. The owner is found once; validity is checked at every use.
// (docs/contracts.md, "KeyRegistry")

import { hash, timingSafeEqual } from 'node:crypto'
import { lastUsed } from '../../base/heap/last-used.js'
import { provenKeysMax } from '../../base/limits/identity.js'
import type { Candidate, Registry } from '../../chain/registry/registry.js'
import type { Awaitable, Store } from '../../store/store.js'
import type { Identity, KeyIdentity } from '../identity.js'
import { commitmentOf, hexOf, keyVerifier, onChainSalt } from './key-derivation.js'
import { isWalletKey, type KeyMode } from './key-format.js'
import { isPublished } from './published-keys.js'
import { findIssued, type KeyState, readKeyState } from './wallet-keys.js'

/** Cached keys known to have no owner. */
const unknownKeysMax = 10_000

export type KeyRegistry = Pick<
  Registry,
  'account' | 'candidates' | 'firstActive' | 'getKey' | 'head' | 'keyStatus' | 'state'
>

interface BearerOptions {
  readonly store: Store
  readonly registry: KeyRegistry
  readonly mode: KeyMode
}

/** A key whose owner is known. */
interface Known {
  readonly source: KeyIdentity['source']
  readonly hash: string
  readonly address: string
  readonly index: number
  /** As of the last check, which is usually still true. */
  identity: KeyIdentity | undefined
}

export class Bearer {
  /** By the SHA-256 of the key, so that the cache reveals no key. */
  private readonly known = lastUsed<string, Known>(provenKeysMax)
  /** Keys without an owner, with the head at which that was checked. */
  private readonly unknown = lastUsed<string, string>(unknownKeysMax)
  /** Whether a record was made with the key of its commitment; the result never changes. */
  private readonly proofs = lastUsed<string, boolean>(unknownKeysMax)
  private readonly looking = new Map<string, Promise<Known | undefined>>()

  constructor(private readonly options: BearerOptions) {}

  /**
   * The current identity of the key; undefined if there is none. Synchronous for a key seen before.
   * Rejects with HostUnreachable (503) if the chain is needed and does not answer.
   */
  identify(key: string): Awaitable<Identity | undefined> {
    if (!isWalletKey(key, this.options.mode)) return undefined
    const digest = hash('sha256', key, 'binary')
    const known = this.known.get(digest)
    return known === undefined ? this.find(key, digest) : this.present(known)
  }

  /** The current identity of a known key. */
  private present(known: Known): Awaitable<Identity | undefined> {
    const { registry, store } = this.options
    if (known.source === 'onchain') {
      const status = registry.keyStatus(known.address, known.index)
      if (status === 'revoked') return undefined
      if (status === 'unknown') return this.ask(known)
    }
    const state = store.read((tx) => readKeyState(tx, known))
    return state instanceof Promise ? state.then((now) => as(known, now)) : as(known, state)
  }

  /** As present, if the head must be requested. */
  private async ask(known: Known): Promise<Identity | undefined> {
    const { registry, store } = this.options
    const record = await registry.getKey(known.address, known.index)
    if (record?.active !== true || record.commitment !== known.hash) return undefined
    return as(known, await store.read((tx) => readKeyState(tx, known)))
  }

  private async find(key: string, digest: string): Promise<Identity | undefined> {
    let looking = this.looking.get(digest)
    if (looking === undefined) {
      looking = this.look(key, digest).finally(() => this.looking.delete(digest))
      this.looking.set(digest, looking)
    }
    const known = await looking
    return known === undefined ? undefined : await this.present(known)
  }

  private async look(key: string, digest: string): Promise<Known | undefined> {
    const { store, mode } = this.options
    const commitment = commitmentOf(key)
    if (isPublished(commitment, mode)) return undefined
    const issued = await store.read((tx) => findIssued(tx, commitment))
    const known =
      issued === undefined
        ? await this.lookOnChain(key, commitment, digest)
        : { ...place(issued), source: 'issued' as const, hash: commitment, identity: undefined }
    if (known !== undefined) this.known.set(digest, known)
    return known
  }

  private async lookOnChain(
    key: string,
    commitment: string,
    digest: string,
  ): Promise<Known | undefined> {
    const { registry } = this.options
    const asOf = registry.head
    if (asOf !== undefined && this.unknown.get(digest) === asOf) return undefined
    for (const candidate of await registry.candidates(commitment)) {
      if (!(await this.isProven(key, commitment, candidate))) continue
      return { ...place(candidate), source: 'onchain', hash: commitment, identity: undefined }
    }
    if (asOf !== undefined) this.unknown.set(digest, asOf)
    return undefined
  }

  /** Whether only a holder of the key can have made the record. */
  private async isProven(key: string, commitment: string, record: Candidate): Promise<boolean> {
    const { address, index, storedKey } = record
    const name = `${commitment} ${address} ${index} ${hexOf(storedKey)}`
    const before = this.proofs.get(name)
    if (before !== undefined) return before
    const verifier = await keyVerifier(key, onChainSalt(address, index))
    const isProven =
      storedKey.length === verifier.storedKey.length &&
      timingSafeEqual(verifier.storedKey, storedKey)
    this.proofs.set(name, isProven)
    return isProven
  }
}

function place({ address, index }: { readonly address: string; readonly index: number }) {
  return { address, index }
}

function as(known: Known, { active, permissions, rateLimit }: KeyState): Identity | undefined {
  if (!active) return undefined
  const before = known.identity
  if (before?.permissions === permissions && before.rateLimit === rateLimit) return before
  const { source, hash, address, index } = known
  known.identity = { kind: 'key', source, hash, address, index, permissions, rateLimit }
  return known.identity
}
