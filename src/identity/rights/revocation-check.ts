// The revocation check. Every command reads in its own transaction whether its caller may still
// act; each push and wake-up checks again. The login is only a cache; the stored rows decide.
// (docs/rights.md, "When rights end")

import { endsReading, fail } from '../../base/errors.js'
import type { Awaitable, Program, ReadTx, Store } from '../../store/store.js'
import type {
  Identity,
  KeyIdentity,
  Permission,
  RevocableIdentity,
  UserIdentity,
  WalletIdentity,
} from '../identity.js'
import type { KeyState } from '../keys/wallet-keys.js'
import { type EntryRule, mayEnter } from './whitelist.js'

interface SessionState {
  readonly address: string
  /** Milliseconds since 1970. */
  readonly expires: number
}

/** What the check of a wallet reads. */
interface RevocationParts {
  readonly readKeyState: (tx: ReadTx, key: KeyIdentity) => Program<KeyState>
  readonly readSession: (tx: ReadTx, sid: string) => Program<SessionState | undefined>
  /** The state of a key that is registered on the chain. */
  readonly keyOnChain: (address: string, index: number) => 'active' | 'revoked' | 'unknown'
  readonly whitelist: EntryRule
  /** A service user from its current record; without it there are no service users. */
  readonly readUser?: (tx: ReadTx, user: UserIdentity) => Program<UserIdentity | undefined>
}

export interface RevocationCheck {
  /**
   * The wallet or service user with its current rights; the same object if nothing has changed.
   * Throws Unauthenticated if it was revoked, Unauthorized if the whitelist no longer contains it,
   * and HostUnreachable if the chain does not answer. `now` is in milliseconds since 1970.
   */
  check(tx: ReadTx, identity: RevocableIdentity, now: number): Program<RevocableIdentity>
}

export class WalletRevocation implements RevocationCheck {
  constructor(private readonly parts: RevocationParts) {}

  *check(tx: ReadTx, identity: RevocableIdentity, now: number): Program<RevocableIdentity> {
    if (identity.kind === 'user') return yield* this.checkUser(tx, identity)
    const { address } = identity
    const current =
      identity.kind === 'key'
        ? yield* this.checkKey(tx, identity)
        : yield* this.checkSession(tx, identity, now)
    if (yield* mayEnter(tx, address, this.parts.whitelist)) return current
    throw fail('Unauthorized', 'the address is not on the whitelist', { reason: 'NOT_WHITELISTED' })
  }

  private *checkUser(tx: ReadTx, identity: UserIdentity): Program<UserIdentity> {
    const { readUser } = this.parts
    const current = readUser === undefined ? undefined : yield* readUser(tx, identity)
    if (current?.id === identity.id) return current
    throw fail('Unauthenticated', 'the user is no longer there', { reason: 'USER_DROPPED' })
  }

  private *checkKey(tx: ReadTx, identity: KeyIdentity): Program<KeyIdentity> {
    const { active, permissions, rateLimit } = yield* this.parts.readKeyState(tx, identity)
    if (!active) throw revoked()
    if (identity.source === 'onchain') this.requireOnChain(identity)
    if (rateLimit === identity.rateLimit && areSame(permissions, identity.permissions)) {
      return identity
    }
    return { ...identity, permissions, rateLimit }
  }

  private requireOnChain({ address, index }: KeyIdentity): void {
    switch (this.parts.keyOnChain(address, index)) {
      case 'active':
        return
      case 'revoked':
        throw revoked()
      case 'unknown':
        throw fail('HostUnreachable', 'the chain cannot be asked about the key', {
          reason: 'CHAIN_UNAVAILABLE',
        })
    }
  }

  private *checkSession<T extends WalletIdentity & { readonly kind: 'session' }>(
    tx: ReadTx,
    identity: T,
    now: number,
  ): Program<T> {
    const session = yield* this.parts.readSession(tx, identity.sid)
    if (session !== undefined && session.address === identity.address && session.expires > now) {
      return identity
    }
    throw fail('Unauthenticated', 'the session is over', { reason: 'SESSION_OVER' })
  }
}

/** For a server without wallets: no identity can be revoked, and none is valid. */
export const noWallets: RevocationCheck = {
  *check() {
    throw revoked()
  },
}

/** Whether the identity must be checked at each use: all but the operator and anonymous. */
export function isRevocable(identity: Identity): identity is RevocableIdentity {
  return identity.kind !== 'operator' && identity.kind !== 'anonymous'
}

/**
 * The current identities for pushes and events, by the identity that was given; revoked ones are
 * missing. Synchronous if the store is.
 */
export function stillValid(
  store: Store,
  revocation: RevocationCheck,
  identities: ReadonlySet<RevocableIdentity>,
  now: number,
): Awaitable<Map<RevocableIdentity, RevocableIdentity>> {
  return store.read(function* (tx) {
    const found = new Map<RevocableIdentity, RevocableIdentity>()
    for (const identity of identities) {
      try {
        found.set(identity, yield* revocation.check(tx, identity, now))
      } catch (error) {
        // A client whose rights cannot be verified gets no message; its next command gets the
        // reason.
        if (!endsReading(error)) throw error
      }
    }
    return found
  })
}

function revoked(): Error {
  return fail('Unauthenticated', 'the key is not valid', { reason: 'KEY_REVOKED' })
}

function areSame(a: readonly Permission[], b: readonly Permission[]): boolean {
  return a.length === b.length && a.every((permission, i) => permission === b[i])
}
