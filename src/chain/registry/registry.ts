// The key registry for the rest of Sigil: the keys of wallets on the chain, and whether they are
// valid. One interface for the local and the remote chain; open.ts makes it. If the chain cannot
// answer, it fails with HostUnreachable, reason CHAIN_UNAVAILABLE: no login relies on an old
// answer.
// (docs/design/chain.md; docs/chain.md, "What you trust")

import type { Bytes } from '../../base/bytes/bytes.js'

/** A commitment is written as 64 lower-case hex digits without 0x, as `hash` is in the routes. */
export interface RegistryKey {
  readonly commitment: string
  readonly storedKey: Bytes
  readonly serverKey: Bytes
  /** Seconds of chain time; revokedAt is 0 for a key that was never revoked. */
  readonly createdAt: number
  readonly revokedAt: number
  readonly salt: Bytes
  /** Also false for a key whose revocation was once seen here, whatever the chain says now. */
  readonly active: boolean
}

/**
 * A record with a commitment: no proof that its wallet knows the key
 * (docs/contracts.md, "KeyRegistry").
 */
export interface Candidate {
  /** EIP-55. */
  readonly address: string
  readonly index: number
  readonly storedKey: Bytes
  readonly block: number
  readonly logIndex: number
}

export interface RegistryAccount {
  readonly nextIndex: number
  readonly activeCount: number
  /** For the next meta transaction. */
  readonly nonce: bigint
}

export type KeyStatus = 'active' | 'revoked' | 'unknown'

export interface KeyMaterial {
  /** 64 lower-case hex digits. */
  readonly commitment: string
  readonly storedKey: Bytes
  readonly serverKey: Bytes
}

export interface RegisterArgs extends KeyMaterial {
  readonly address: string
  readonly index: number
}

export interface RevokeArgs {
  readonly address: string
  readonly index: number
}

export interface RotateArgs extends KeyMaterial {
  readonly address: string
  readonly oldIndex: number
  readonly newIndex: number
}

/** A relayed act with status 1 on the chain. */
export interface Relayed {
  /** 0x and 64 hex digits. */
  readonly txHash: string
  readonly block: number
  /** Index of the registered key; undefined for a revocation. */
  readonly index?: number
}

export interface TypedField {
  readonly name: string
  readonly type: string
}

/** The data for eth_signTypedData_v4; `types` has no EIP712Domain. */
export interface RegistryTypedData {
  readonly domain: {
    readonly name: string
    readonly version: string
    readonly chainId: number
    readonly verifyingContract: string
  }
  readonly types: Readonly<Record<'RegisterKey' | 'RevokeKey' | 'RotateKey', readonly TypedField[]>>
}

export interface CallRequest {
  /** If missing, `data` runs as creation code (ERC-6492 validators). */
  readonly to?: string
  readonly data: string
  readonly gas: number
}

export interface Registry {
  /**
   * Address of the contract, EIP-55. Throws CHAIN_UNAVAILABLE before the first start is complete.
   */
  readonly contract: string
  readonly chainId: number
  /** `unavailable`: the chain does not answer, its head is stale, or its answers conflict. */
  state(): 'ready' | 'starting' | 'unavailable'
  /**
   * Hash of the block that current answers belong to, for caching a negative answer. Undefined
   * while the chain is away, and while a newer block is being processed.
   */
  readonly head: string | undefined
  /** Resolves once the chain has answered for the first time; rejects after a timeout. */
  ready(): Promise<void>
  /** Cached for one head. Undefined if the wallet has no key with this index. */
  getKey(address: string, index: number): Promise<RegistryKey | undefined>
  account(address: string): Promise<RegistryAccount>
  /** The lowest active index. */
  firstActive(address: string): Promise<number | undefined>
  /** Records with this commitment at the current head, oldest first. */
  candidates(commitment: string): Promise<readonly Candidate[]>
  /**
   * Synchronous, from the cache for the current head. `unknown` if it has no entry: then `getKey`
   * reads the key, and later heads keep it current.
   */
  keyStatus(address: string, index: number): KeyStatus
  /**
   * Called once for each revocation by any sender, to close connections. Returns an unsubscribe
   * function.
   */
  onRevoked(listener: (address: string, index: number) => void): () => void
  typedData(): RegistryTypedData
  /** Whether a gas station relays signed acts; without one the three below are refused. */
  readonly relays: boolean
  /**
   * Sends the signed act of `address`, paid by the gas station, and waits for its receipt.
   * `deadline` is in seconds of chain time. Rejects with BadValue (signature, deadline), 409 with
   * reasons INDEX_TAKEN {expected}, TOO_MANY_KEYS, NOT_ACTIVE; 429 above the wallet's daily quota;
   * 503 with reasons CHAIN_UNAVAILABLE and TX_PENDING {txHash}.
   */
  registerMeta(args: RegisterArgs, signature: string, deadline: number): Promise<Relayed>
  revokeMeta(args: RevokeArgs, signature: string, deadline: number): Promise<Relayed>
  rotateMeta(args: RotateArgs, signature: string, deadline: number): Promise<Relayed>
  /**
   * eth_call at the head with a gas bound, for contracts that a client chose. Rejects with the
   * RpcError of a revert (code 3, data), or CHAIN_UNAVAILABLE.
   */
  call(request: CallRequest): Promise<string>
  /** eth_getCode at the head. */
  code(address: string): Promise<string>
  /** Timestamp of the head, seconds; deadlines are compared with it. */
  chainTime(): number
}
