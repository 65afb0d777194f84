// Who the authorization tests speak as, with the rows in the store that let them stand, and what
// each may do to a collection of each mode. The rights are written down from docs/rights.md:
// nothing here asks the code that is tested.

import {
  createNamespace,
  findNamespace,
  saveNamespace,
} from '../../src/engine/collection/catalog/catalog.js'
import type { Access } from '../../src/engine/types.js'
import {
  anonymous,
  type Identity,
  type KeyIdentity,
  operator,
  type Permission,
  type SessionIdentity,
} from '../../src/identity/identity.js'
import { permissionsOf, putWalletKey, readKeyState } from '../../src/identity/keys/wallet-keys.js'
import { WalletRevocation } from '../../src/identity/rights/revocation-check.js'
import { readSession, startSession } from '../../src/identity/sign-in/sessions.js'
import type { Store } from '../../src/store/store.js'
import { createOptions } from './engine-room.js'

export const wallets = {
  owner: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  reader: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  writer: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  otherWallet: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  administrator: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
} as const

export function sessionOf(address: string): SessionIdentity {
  return { kind: 'session', address, sid: `sid-${address}`, chainId: 31337 }
}

/** Each set of permissions is another key of the wallet. */
export function keyOf(address: string, ...permissions: readonly Permission[]): KeyIdentity {
  const index = permissions.reduce((sum, each) => sum + keyDigits[each], 0)
  const hash = `${address.slice(2).toLowerCase()}${'0'.repeat(23)}${index}`
  return {
    ...{ kind: 'key', address, hash, source: 'issued', index, rateLimit: 0 },
    permissions: permissionsOf(permissions),
  }
}

const keyDigits: Readonly<Record<Permission, number>> = { read: 1, write: 2, admin: 4 }

const { owner, reader, writer, otherWallet, administrator } = wallets

export const identities = {
  operator,
  anonymous,
  owner: sessionOf(owner),
  'owner, key for all': keyOf(owner, 'read', 'write', 'admin'),
  'owner, reading key': keyOf(owner, 'read'),
  'owner, writing key': keyOf(owner, 'write'),
  'owner, administering key': keyOf(owner, 'admin'),
  'role 1': sessionOf(reader),
  'role 2': sessionOf(writer),
  'role 2, reading key': keyOf(writer, 'read'),
  otherWallet: sessionOf(otherWallet),
  'otherWallet, key for all': keyOf(otherWallet, 'read', 'write', 'admin'),
  administrator: sessionOf(administrator),
} as const satisfies Readonly<Record<string, Identity>>

export type Who = keyof typeof identities
export const everybody = Object.keys(identities) as readonly Who[]

export type Mode = 'private' | 'public' | 'shared' | 'unowned'

const roles = { [reader]: 1, [writer]: 2 } as const

/** Of a collection that belongs to `owner`, or has no owner. */
export const accesses: Readonly<Record<Mode, Access>> = {
  private: { owner, mode: 'private', roles },
  public: { owner, mode: 'public', roles },
  shared: { owner, mode: 'shared', roles },
  unowned: { owner: null, mode: 'private', roles: {} },
}

export const modes = Object.keys(accesses) as readonly Mode[]

/** `r`ead, `w`rite, `i`ndex, what shapes it is its `o`wner's, `a`dmin, `c`laim. */
export const rights: Readonly<Record<Who, Readonly<Record<Mode, string>>>> = {
  operator: { private: 'rwioac', public: 'rwioac', shared: 'rwioac', unowned: 'rwioac' },
  anonymous: { private: '', public: '', shared: '', unowned: '' },
  owner: { private: 'rwioac', public: 'rwioac', shared: 'rwioac', unowned: '' },
  'owner, key for all': { private: 'rwioac', public: 'rwioac', shared: 'rwioac', unowned: '' },
  'owner, reading key': { private: 'r', public: 'r', shared: 'r', unowned: '' },
  'owner, writing key': { private: 'wio', public: 'wio', shared: 'wio', unowned: '' },
  'owner, administering key': { private: 'ac', public: 'ac', shared: 'ac', unowned: '' },
  'role 1': { private: 'r', public: 'r', shared: 'rw', unowned: '' },
  'role 2': { private: 'rwi', public: 'rwi', shared: 'rwi', unowned: '' },
  'role 2, reading key': { private: 'r', public: 'r', shared: 'r', unowned: '' },
  otherWallet: { private: '', public: 'r', shared: 'rw', unowned: '' },
  'otherWallet, key for all': { private: '', public: 'r', shared: 'rw', unowned: '' },
  administrator: { private: '', public: 'r', shared: 'rw', unowned: '' },
}

/** Who may send a command at all. */
export type Opens = 'anonymous' | 'reader' | 'identity' | 'session' | 'admin' | 'operator'

export function mayEnter(who: Who, opens: Opens, anonymousReads = false): boolean {
  switch (opens) {
    case 'anonymous':
      return true
    case 'reader':
      return who !== 'anonymous' || anonymousReads
    case 'identity':
      return who !== 'anonymous'
    case 'session':
      return identities[who].kind === 'session' || who === 'operator'
    case 'admin':
      return who === 'operator' || who === 'administrator'
    case 'operator':
      return who === 'operator'
  }
}

export function hasRights(who: Who, mode: Mode, privileges: string): boolean {
  return [...privileges].every((privilege) => rights[who][mode].includes(privilege))
}

export const revocation = new WalletRevocation({
  ...{ readKeyState, readSession },
  keyOnChain: () => 'unknown',
  whitelist: { enforces: false, isAdministrator: () => false },
})

/** Puts the sessions and keys of all identities into the store. */
export async function admit(store: Store, now: number): Promise<void> {
  for (const identity of Object.values(identities)) await admitOne(store, identity, now)
}

export async function admitOne(store: Store, identity: Identity, now: number): Promise<void> {
  if (identity.kind === 'session') {
    const { sid, address, chainId } = identity
    await store.write((tx) => startSession(tx, sid, { address, chainId, now }))
  } else if (identity.kind === 'key') {
    const row = { label: '', createdAt: now, revokedAt: 0, prefix: '' }
    const verifiers = { storedKey: new Uint8Array(32), serverKey: new Uint8Array(32) }
    await store.write(function* (tx) {
      putWalletKey(tx, { ...identity, ...row, ...verifiers })
    })
  }
}

/** Gives a collection, made if it is missing, this access. */
export async function setAccess(
  store: Store,
  db: string,
  name: string,
  access: Access,
): Promise<void> {
  await store.write(function* (tx) {
    const ns =
      (yield* findNamespace(tx, db, name)) ?? (yield* createNamespace(tx, db, name, createOptions))
    saveNamespace(tx, { ...ns, access })
  })
}
