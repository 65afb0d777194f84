// Who speaks: every session has one identity, and every decision about rights starts from it.
// Wallets join the union when sign-in by signature comes.

export type Identity = { readonly kind: 'operator' } | { readonly kind: 'anonymous' }

export const operator: Identity = { kind: 'operator' }
export const anonymous: Identity = { kind: 'anonymous' }

/** Equal for two sessions of one identity: cursors and logical sessions are bound by it. */
export function identityKey(identity: Identity): string {
  return identity.kind
}
