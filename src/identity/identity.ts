// Who speaks: every session has one identity, and every decision about rights starts from it. What
// a key's permissions are is read again at every use (standing.ts); these are what login saw.

/** What a key lets its wallet do; the three are independent, `all` is stored as the three. */
export type Permission = 'read' | 'write' | 'admin'

export const allPermissions: readonly Permission[] = ['read', 'write', 'admin']

/** A wallet that signed in; may do all that its wallet may. */
export interface SessionIdentity {
  readonly kind: 'session'
  /** EIP-55. */
  readonly address: string
  readonly sid: string
  readonly chainId: number
}

/** A wallet by one of its API keys; never exceeds its wallet. */
export interface KeyIdentity {
  readonly kind: 'key'
  /** EIP-55. */
  readonly address: string
  /** Of the key: 64 lower-case hexadecimal digits. */
  readonly hash: string
  readonly source: 'issued' | 'onchain'
  /** N of `<wallet>:<N>` or of `<wallet>:s<N>`. */
  readonly index: number
  readonly permissions: readonly Permission[]
  /** Requests a minute, 0 for no limit. */
  readonly rateLimit: number
}

export type WalletIdentity = SessionIdentity | KeyIdentity

export type Identity =
  | { readonly kind: 'operator' }
  | { readonly kind: 'anonymous' }
  | WalletIdentity

export const operator: Identity = { kind: 'operator' }
export const anonymous: Identity = { kind: 'anonymous' }

/**
 * Equal for two connections of one identity: cursors and logical sessions are bound by it. The
 * sessions of a wallet are one identity, each of its keys is another.
 */
export function identityKey(identity: Identity): string {
  switch (identity.kind) {
    case 'operator':
    case 'anonymous':
      return identity.kind
    case 'session':
      return identity.address
    case 'key':
      return `${identity.address}:${identity.hash}`
  }
}

/** EIP-55 address of the wallet that speaks; undefined for the operator and the unknown. */
export function walletOf(identity: Identity): string | undefined {
  return identity.kind === 'session' || identity.kind === 'key' ? identity.address : undefined
}
