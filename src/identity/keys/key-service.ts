// Manages a wallet's keys, on the chain and off it: makes, lists, rotates and ends them. Acts of
// one wallet run one after the other, because they count its keys. The caller gets a key only after
// the chain has confirmed it; a key with an unknown state is never returned. (docs/keys.md,
// "Routes")

import type { Random } from '../../base/clock.js'
import { fail, GatewayError, hasKind } from '../../base/errors.js'
import { listedKeysMax, walletKeysMax } from '../../base/limits/identity.js'
import type { Registry } from '../../chain/registry/registry.js'
import type { Awaitable, Program, ReadTx, Tx } from '../../store/store.js'
import { commitmentOf, hexOf, issuedSalt, keyVerifier, walletSalt } from './key-derivation.js'
import { type KeyMode, prefixOf, writeKey } from './key-format.js'
import { type OnChainPart, type RelayPart, readMaterial } from './on-chain-part.js'
import {
  defaultPermissions,
  dropWalletKey,
  endWalletKey,
  type Granted,
  issuedKeys,
  type KeyName,
  nextIssuedIndex,
  putWalletKey,
  readWalletKey,
  takeIssuedIndex,
  type WalletKey,
} from './wallet-keys.js'

type ServiceRegistry = Pick<
  Registry,
  | 'account'
  | 'candidates'
  | 'chainId'
  | 'chainTime'
  | 'contract'
  | 'getKey'
  | 'ready'
  | 'registerMeta'
  | 'relays'
  | 'revokeMeta'
  | 'rotateMeta'
  | 'typedData'
>

interface KeyServiceOptions {
  readonly registry: ServiceRegistry
  readonly mode: KeyMode
  readonly random: Random
}

/** How to run programs for the caller: behind the guard of its command. */
interface Programs {
  read<R>(program: (tx: ReadTx) => Program<R>): Awaitable<R>
  write<R>(program: (tx: Tx) => Program<R>): Promise<R>
}

/** The owner of the keys, and the time in milliseconds since 1970. */
export interface Owner {
  readonly programs: Programs
  /** EIP-55. */
  readonly address: string
  readonly now: number
}

export interface KeyWishes extends Granted {
  readonly label: string
  readonly rateLimit: number
}

/** What is not given stays as it is. */
export type KeyChanges = Granted & Partial<Omit<KeyWishes, keyof Granted>>

export interface MadeKey {
  /** Returned this once only; undefined if the request had only the verifiers. */
  readonly apiKey: string | undefined
  readonly key: WalletKey
  /** A rotation whose old key is still active on the chain. */
  readonly isPending: boolean
}

/** An active on-chain key of a wallet, from the chain. */
interface OnChainKey {
  readonly index: number
  readonly commitment: string
  /** Chain time, milliseconds since 1970. */
  readonly createdAt: number
}

export class KeyService {
  /** Called after the commit with each key that this server has ended. */
  onEnded: (name: KeyName) => void = () => {}
  /** The last running act of each wallet. */
  private readonly acts = new Map<string, Promise<unknown>>()

  constructor(private readonly options: KeyServiceOptions) {}

  get registry(): ServiceRegistry {
    return this.options.registry
  }

  /** What keys of this server begin with. */
  get mode(): KeyMode {
    return this.options.mode
  }

  /** Issues a key, or registers one on the chain with the wallet's signature. */
  generate(owner: Owner, wishes: KeyWishes, part?: OnChainPart): Promise<MadeKey> {
    return this.inTurn(owner.address, async () => {
      const onChain = await this.requireRoom(owner)
      return part === undefined
        ? await this.issue(owner, wishes, undefined, onChain)
        : await this.register(owner, wishes, part)
    })
  }

  /** The active keys of a wallet: those on the chain, then the issued ones. */
  async list({ programs, address }: Owner): Promise<WalletKey[]> {
    const onChain = await this.onChainKeys(programs, address)
    const issued = await programs.read((tx) => issuedKeys(tx, address))
    return [...onChain, ...issued]
  }

  /**
   * Ends a key here at once, and on the chain with the wallet's signature. True if the chain has
   * not confirmed it yet.
   */
  revoke(owner: Owner, hash: string, part?: RelayPart): Promise<boolean> {
    return this.inTurn(owner.address, async () => {
      const key = await this.requireOwn(owner, hash)
      if (key.source === 'issued' || part === undefined) {
        await this.end(owner, key)
        return key.source === 'onchain'
      }
      const { address, index } = key
      const { metaSignature, deadline } = part
      await this.relayed(
        () => this.registry.revokeMeta({ address, index }, metaSignature, deadline),
        () => this.end(owner, key),
      )
      await this.end(owner, key)
      return false
    })
  }

  /** Replaces a key; the new one gets its label, permissions and limit. */
  rotate(owner: Owner, hash: string, part?: OnChainPart): Promise<MadeKey> {
    return this.inTurn(owner.address, async () => {
      const old = await this.requireOwn(owner, hash)
      if (part === undefined) return await this.issue(owner, old, old, 0)
      if (old.source === 'issued') {
        throw fail('BadValue', 'onChain: this key is not on the chain; generate one that is')
      }
      return await this.register(owner, old, part, old)
    })
  }

  /** Also the label and the limit of a key that its wallet has put on the chain by itself. */
  setPermissions(owner: Owner, hash: string, changes: KeyChanges): Promise<void> {
    return this.inTurn(owner.address, async () => {
      const key = await this.requireOwn(owner, hash)
      await owner.programs.write(function* (tx) {
        const current = (yield* readWalletKey(tx, key)) ?? key
        if (current.revokedAt !== 0) throw noSuchKey()
        putWalletKey(tx, { ...current, ...changes })
      })
    })
  }

  /** The active on-chain keys of a wallet, lowest index first, including those denied here. */
  async activeOnChain(address: string): Promise<OnChainKey[]> {
    const { registry } = this.options
    const { nextIndex, activeCount } = await registry.account(address)
    const found: OnChainKey[] = []
    const last = Math.max(0, nextIndex - listedKeysMax)
    for (let index = nextIndex - 1; index >= last && found.length < activeCount; index--) {
      const record = await registry.getKey(address, index)
      if (record?.active !== true) continue
      found.unshift({ index, commitment: record.commitment, createdAt: record.createdAt * 1000 })
    }
    return found
  }

  private async onChainKeys(programs: Programs, address: string): Promise<WalletKey[]> {
    const found: WalletKey[] = []
    for (const record of await this.activeOnChain(address)) {
      const bare = bareKey(address, record)
      const key = (await programs.read((tx) => readWalletKey(tx, bare))) ?? bare
      if (key.revokedAt === 0) found.push({ ...key, index: record.index })
    }
    return found
  }

  /** How many on-chain keys count; throws KeyConflict if there is no room for another key. */
  private async requireRoom({ programs, address }: Owner): Promise<number> {
    const { activeCount } = await this.registry.account(address)
    const issued = (await programs.read((tx) => issuedKeys(tx, address))).length
    if (activeCount + issued < walletKeysMax) return activeCount
    // Keys that are denied here no longer count, even before the chain confirms it.
    const onChain = (await this.onChainKeys(programs, address)).length
    if (onChain + issued >= walletKeysMax) throw tooManyKeys()
    return onChain
  }

  private async issue(
    owner: Owner,
    { label, permissions, isAll, rateLimit }: KeyWishes,
    old: WalletKey | undefined,
    onChain: number,
  ): Promise<MadeKey> {
    const { programs, address, now } = owner
    const apiKey = writeKey(this.options.mode, hexOf(this.options.random.bytes(32)))
    const index = await programs.read((tx) => nextIssuedIndex(tx, address))
    const { storedKey, serverKey } = await keyVerifier(apiKey, issuedSalt(address, index))
    const byWallet = index === 0 ? undefined : await keyVerifier(apiKey, walletSalt(address))
    const key: WalletKey = {
      hash: commitmentOf(apiKey),
      source: 'issued',
      address,
      index,
      label,
      permissions,
      isAll,
      rateLimit,
      createdAt: now,
      revokedAt: 0,
      prefix: prefixOf(apiKey),
      storedKey,
      serverKey,
      byWallet,
    }
    await programs.write(function* (tx) {
      if ((yield* nextIssuedIndex(tx, address)) !== index) throw busy()
      const others = (yield* issuedKeys(tx, address)).length
      if (old === undefined && others + onChain >= walletKeysMax) throw tooManyKeys()
      takeIssuedIndex(tx, address, index)
      putWalletKey(tx, key)
      if (old !== undefined) endWalletKey(tx, old, now)
    })
    if (old !== undefined) this.onEnded(old)
    return { apiKey, key, isPending: old?.source === 'onchain' }
  }

  /**
   * Puts a key on the chain, and replaces `old` if given. The grants are stored before the key can
   * exist, so it never has more rights than requested.
   */
  private async register(
    owner: Owner,
    { label, permissions, isAll, rateLimit }: KeyWishes,
    part: OnChainPart,
    old?: WalletKey,
  ): Promise<MadeKey> {
    const { programs, address, now } = owner
    const { registry } = this
    const { nextIndex } = await registry.account(address)
    if (part.index !== nextIndex) throw indexTaken(nextIndex)
    const { apiKey, material } = await readMaterial(address, part, this.options.mode)
    const { commitment, storedKey, serverKey } = material
    const key: WalletKey = {
      hash: commitment,
      source: 'onchain',
      address,
      index: part.index,
      label,
      permissions,
      isAll,
      rateLimit,
      createdAt: now,
      revokedAt: 0,
      prefix: apiKey === undefined ? '' : prefixOf(apiKey),
      storedKey: undefined,
      serverKey: undefined,
    }
    if (await this.isActive(address, commitment)) throw knownKey()
    // An earlier attempt with an unknown outcome may exist.
    const before = await programs.write(function* (tx) {
      const before = yield* readWalletKey(tx, key)
      if (before !== undefined && before.revokedAt !== 0) throw knownKey()
      putWalletKey(tx, key)
      return before
    })
    const forget = async () => {
      await programs.write(function* (tx) {
        if (before === undefined) yield* dropWalletKey(tx, key)
        else putWalletKey(tx, before)
      })
    }
    const { metaSignature, deadline } = part
    const send = () =>
      old === undefined
        ? registry.registerMeta(
            { address, index: part.index, commitment, storedKey, serverKey },
            metaSignature,
            deadline,
          )
        : registry.rotateMeta(
            { address, oldIndex: old.index, newIndex: part.index, ...material },
            metaSignature,
            deadline,
          )
    await this.relayed(send, undefined, forget)
    if (old !== undefined) await this.end(owner, old)
    return { apiKey, key, isPending: false }
  }

  /**
   * Sends a transaction through the gas station. Runs `unsure` if its outcome is unknown and
   * `failed` if it did not reach the chain, then throws the error.
   */
  private async relayed(
    send: () => Promise<unknown>,
    unsure?: () => Promise<void>,
    failed?: () => Promise<void>,
  ): Promise<void> {
    try {
      await send()
    } catch (error) {
      await (isRefused(error) ? failed : unsure)?.()
      throw error
    }
  }

  private async end({ programs, now }: Owner, key: WalletKey): Promise<void> {
    await programs.write(function* (tx) {
      endWalletKey(tx, (yield* readWalletKey(tx, key)) ?? key, now)
    })
    this.onEnded(key)
  }

  /** The active key of this hash, if it is the owner's. Throws 26, KEY_NOT_FOUND. */
  /** A key of the wallet, also an ended one; throws as revoke does if it does not exist. */
  async ownKey(owner: Owner, hash: string): Promise<WalletKey> {
    const { programs, address } = owner
    for (const source of ['issued', 'onchain'] as const) {
      const known = await programs.read((tx) => readWalletKey(tx, { hash, source, address }))
      if (known !== undefined) return known
    }
    return await this.requireOwn(owner, hash)
  }

  private async requireOwn({ programs, address }: Owner, hash: string): Promise<WalletKey> {
    const issued = await programs.read((tx) =>
      readWalletKey(tx, { hash, source: 'issued', address }),
    )
    if (issued !== undefined && issued.revokedAt === 0) return issued
    const known = await programs.read((tx) =>
      readWalletKey(tx, { hash, source: 'onchain', address }),
    )
    if (known !== undefined) return await this.requireActive(known)
    for (const { address: holder, index } of await this.registry.candidates(hash)) {
      if (holder !== address) continue
      const record = await this.registry.getKey(address, index)
      if (record?.active !== true || record.commitment !== hash) continue
      return bareKey(address, { index, commitment: hash, createdAt: record.createdAt * 1000 })
    }
    throw noSuchKey()
  }

  /** Whether the wallet already has this key on the chain. */
  private async isActive(address: string, commitment: string): Promise<boolean> {
    for (const { address: holder, index } of await this.registry.candidates(commitment)) {
      if (holder !== address) continue
      if ((await this.registry.getKey(address, index))?.active === true) return true
    }
    return false
  }

  /** A key with a row can be ended here while the chain is unreachable. */
  private async requireActive(key: WalletKey): Promise<WalletKey> {
    if (key.revokedAt !== 0) throw noSuchKey()
    try {
      const record = await this.registry.getKey(key.address, key.index)
      if (record?.active !== true || record.commitment !== key.hash) throw noSuchKey()
    } catch (error) {
      if (!(error instanceof GatewayError) || error.kind !== 'HostUnreachable') throw error
    }
    return key
  }

  private async inTurn<R>(address: string, act: () => Promise<R>): Promise<R> {
    const before = this.acts.get(address) ?? Promise.resolve()
    const mine = before.then(act, act)
    this.acts.set(address, mine)
    try {
      return await mine
    } finally {
      if (this.acts.get(address) === mine) this.acts.delete(address)
    }
  }
}

/** Whether the gas station sent nothing. */
function isRefused(error: unknown): boolean {
  return hasKind(
    error,
    ...(['BadValue', 'KeyConflict', 'CommandNotSupported'] as const),
    'IngressRequestRateLimitExceeded',
  )
}

/** A key registered directly on the chain. */
function bareKey(address: string, { index, commitment, createdAt }: OnChainKey): WalletKey {
  return {
    hash: commitment,
    source: 'onchain',
    address,
    index,
    label: '',
    permissions: defaultPermissions,
    rateLimit: 0,
    createdAt,
    revokedAt: 0,
    prefix: '',
    storedKey: undefined,
    serverKey: undefined,
  }
}

function noSuchKey(): GatewayError {
  return fail('NamespaceNotFound', 'there is no such key', { reason: 'KEY_NOT_FOUND' })
}

function tooManyKeys(): GatewayError {
  const text = `a wallet has at most ${walletKeysMax} active keys`
  return fail('KeyConflict', text, { reason: 'TOO_MANY_KEYS' })
}

function indexTaken(expected: number): GatewayError {
  const text = `the next index of the wallet is ${expected}`
  return fail('KeyConflict', text, { reason: 'INDEX_TAKEN', expected })
}

function knownKey(): GatewayError {
  const text = 'this key was registered here before; derive one with another index'
  return fail('KeyConflict', text, { reason: 'KEY_KNOWN' })
}

function busy(): GatewayError {
  return fail('WriteConflict', 'another key of the wallet was made at the same time')
}
