// The key registry as the rest of Sigil sees it: who has which key on the chain, and whether it
// still stands. One interface over the local and the remote chain; open.ts makes it. Whatever the
// chain cannot answer is HostUnreachable with reason CHAIN_UNAVAILABLE: no login relies on an old
// answer. (docs/design/chain.md; docs/chain.md, "What you trust")

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
  /** False too for a key whose revocation was once seen here, whatever the chain says now. */
  readonly active: boolean
}

/**
 * A record that carries a commitment: not proof that its wallet knows the key
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
  /** Of the next meta transaction's struct. */
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

/** A relayed act that is on the chain with status 1. */
export interface Relayed {
  /** 0x and 64 hex digits. */
  readonly txHash: string
  readonly block: number
  /** Of the registered key; undefined for a revocation. */
  readonly index?: number
}

export interface TypedField {
  readonly name: string
  readonly type: string
}

/** What a wallet signs with eth_signTypedData_v4; `types` has no EIP712Domain. */
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
  /** None runs `data` as creation code (ERC-6492 validators). */
  readonly to?: string
  readonly data: string
  readonly gas: number
}

export interface Registry {
  /** Address of the contract, EIP-55. Throws CHAIN_UNAVAILABLE before the first start is done. */
  readonly contract: string
  readonly chainId: number
  /** `unavailable`: the chain is away, its head stale, or its answers contradict each other. */
  state(): 'ready' | 'starting' | 'unavailable'
  /**
   * Hash of the block that answers belong to at this moment: what "not there" may be remembered
   * for. Undefined while the chain is away, and while a newer block is being taken in.
   */
  readonly head: string | undefined
  /** Resolves once the chain has answered for the first time; rejects when that takes too long. */
  ready(): Promise<void>
  /** Cached for one head. Undefined where the wallet has no key of that index. */
  getKey(address: string, index: number): Promise<RegistryKey | undefined>
  account(address: string): Promise<RegistryAccount>
  /** The lowest active index. */
  firstActive(address: string): Promise<number | undefined>
  /** Records with that commitment, oldest first, as of the current head. */
  candidates(commitment: string): Promise<readonly Candidate[]>
  /**
   * At once, from what is known of the current head. `unknown` where that is nothing yet: `getKey`
   * asks, and a key that was asked for is kept up to date with the heads that follow.
   */
  keyStatus(address: string, index: number): KeyStatus
  /** Each revocation once, of any sender: to close connections. Returns how to stop. */
  onRevoked(listener: (address: string, index: number) => void): () => void
  typedData(): RegistryTypedData
  /** Whether a gas station relays signed acts here; without one the three below are refused. */
  readonly relays: boolean
  /**
   * Sends what `address` has signed, paid by the gas station, and waits for its receipt.
   * `deadline` is in seconds of chain time. Rejects with BadValue (signature, deadline), 409 with
   * reasons INDEX_TAKEN {expected}, TOO_MANY_KEYS, NOT_ACTIVE; 429 beyond the wallet's quota of a
   * day; 503 with reasons CHAIN_UNAVAILABLE and TX_PENDING {txHash}.
   */
  registerMeta(args: RegisterArgs, signature: string, deadline: number): Promise<Relayed>
  revokeMeta(args: RevokeArgs, signature: string, deadline: number): Promise<Relayed>
  rotateMeta(args: RotateArgs, signature: string, deadline: number): Promise<Relayed>
  /**
   * eth_call at the head with a bound on gas, for contracts that a client chose. Rejects with the
   * RpcError of a revert (code 3, data), or CHAIN_UNAVAILABLE.
   */
  call(request: CallRequest): Promise<string>
  /** eth_getCode at the head. */
  code(address: string): Promise<string>
  /** Timestamp of the head, seconds: what deadlines are compared with. */
  chainTime(): number
}
