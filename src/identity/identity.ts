// The identity of a session: each decision about rights starts from it. The permissions of a key
// here are those at login; revocation-check.ts reads them again at each use.

/** What a key lets its wallet do; the three are independent, `all` grants the three. */
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

/** The built-in roles of the document database that a service user can have in its database. */
export type UserRole = 'read' | 'readWrite' | 'dbAdmin'

export const userRoles: readonly UserRole[] = ['read', 'readWrite', 'dbAdmin']

/** Keys that a service user may reach on the key-value protocol. */
export interface KeyPattern {
  /** Glob of the key-value protocol. */
  readonly glob: Uint8Array
  readonly read: boolean
  readonly write: boolean
}

/** Rights in `kvN` that take the place of those that follow from the roles. */
export interface KeyValueRights {
  readonly permissions: readonly Permission[]
  /** Undefined: every key. */
  readonly patterns: readonly KeyPattern[] | undefined
}

/** A service user, made by the operator: for the unowned collections of one database. */
export interface UserIdentity {
  readonly kind: 'user'
  readonly database: string
  readonly name: string
  /** Of its record, hexadecimal digits: a user that was dropped and made again is another one. */
  readonly id: string
  readonly roles: readonly UserRole[]
  readonly keyValue: KeyValueRights | undefined
}

/** Who can lose the right to be here while connected. */
export type RevocableIdentity = WalletIdentity | UserIdentity

export type Identity =
  /** `isOpen`: of AUTH_MODE=off, where every client is the operator. */
  | { readonly kind: 'operator'; readonly isOpen?: true }
  | { readonly kind: 'anonymous' }
  | RevocableIdentity

export const operator: Identity = { kind: 'operator' }
/** Who every client is with AUTH_MODE=off. */
export const everyone: Identity = { kind: 'operator', isOpen: true }
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
    case 'user':
      return `${accountOf(identity)} ${identity.id}`
  }
}

/** EIP-55 address of the wallet that speaks; undefined for the operator and the unknown. */
export function walletOf(identity: Identity): string | undefined {
  return identity.kind === 'session' || identity.kind === 'key' ? identity.address : undefined
}

/** Who the quotas count for: a wallet, or a service user as `name@database`. */
export function accountOf(identity: Identity): string | undefined {
  if (identity.kind !== 'user') return walletOf(identity)
  return `${identity.name}@${identity.database}`
}

/** The database of an account on the document wire: wallets and the operator are of `admin`. */
export function accountDatabaseOf(identity: Identity): string {
  return identity.kind === 'user' ? identity.database : 'admin'
}
