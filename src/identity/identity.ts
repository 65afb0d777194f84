// The identity of a session, on which each decision about rights is based. The permissions of a key
// here are those at login; revocation-check.ts reads them again at each use.

/** The permissions of a key; the three are independent, `all` grants the three. */
export type Permission = 'read' | 'write' | 'admin'

export const allPermissions: readonly Permission[] = ['read', 'write', 'admin']

/** A signed-in wallet, with all rights of the wallet. */
export interface SessionIdentity {
  readonly kind: 'session'
  /** EIP-55. */
  readonly address: string
  readonly sid: string
  readonly chainId: number
  /** When the session ends, milliseconds since 1970. */
  readonly expires?: number
}

/** A wallet with one of its API keys; never exceeds the wallet. */
export interface KeyIdentity {
  readonly kind: 'key'
  /** EIP-55. */
  readonly address: string
  /** Hash of the key: 64 lower-case hexadecimal digits. */
  readonly hash: string
  readonly source: 'issued' | 'onchain'
  /** N of `<wallet>:<N>` or of `<wallet>:s<N>`. */
  readonly index: number
  readonly permissions: readonly Permission[]
  /** Requests a minute, 0 for no limit. */
  readonly rateLimit: number
}

export type WalletIdentity = SessionIdentity | KeyIdentity

/** MongoDB's built-in roles that a service user can have in its database. */
export type UserRole = 'read' | 'readWrite' | 'dbAdmin'

export const userRoles: readonly UserRole[] = ['read', 'readWrite', 'dbAdmin']

/** Keys that a service user may access on the Redis protocol. */
export interface KeyPattern {
  /** Redis glob pattern. */
  readonly glob: Uint8Array
  readonly read: boolean
  readonly write: boolean
}

/** Rights in `kvN`, which replace those of the roles. */
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
  /** Id of its record, hexadecimal digits: a dropped and recreated user has another one. */
  readonly id: string
  readonly roles: readonly UserRole[]
  readonly keyValue: KeyValueRights | undefined
}

/** Identities that can be revoked while connected. */
export type RevocableIdentity = WalletIdentity | UserIdentity

/** The operator on a page, instead of with the key: it reads, and changes while it is unlocked. */
export interface OperatorPage {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly expires: number
  readonly isLocked: boolean
  readonly unlockedUntil: number | undefined
}

export type Identity =
  /** `isOpen`: with AUTH_MODE=off, where every client is the operator. */
  | { readonly kind: 'operator'; readonly isOpen?: true; readonly page?: OperatorPage }
  | { readonly kind: 'anonymous' }
  | RevocableIdentity

export const operator: Identity = { kind: 'operator' }
/** The identity of every client with AUTH_MODE=off. */
export const everyone: Identity = { kind: 'operator', isOpen: true }
export const anonymous: Identity = { kind: 'anonymous' }

/** Whether the identity only reads until it is unlocked. */
export function isLocked(identity: Identity): boolean {
  return identity.kind === 'operator' && identity.page?.isLocked === true
}

/**
 * Equal for two connections of one identity; cursors and logical sessions are bound by it. The
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

/** EIP-55 address of the wallet; undefined for the operator and anonymous. */
export function walletOf(identity: Identity): string | undefined {
  return identity.kind === 'session' || identity.kind === 'key' ? identity.address : undefined
}

/** The account that quotas count for: a wallet, or a service user as `name@database`. */
export function accountOf(identity: Identity): string | undefined {
  if (identity.kind !== 'user') return walletOf(identity)
  return `${identity.name}@${identity.database}`
}

/** The database of an account on the MongoDB protocol: wallets and the operator are in `admin`. */
export function accountDatabaseOf(identity: Identity): string {
  return identity.kind === 'user' ? identity.database : 'admin'
}
