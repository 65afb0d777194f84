// Who may sign in, by what, on every protocol: the operator by its key, wallets by theirs. A user
// name is `operator`, a wallet's address, or an address with the number of one of its keys. Who is
// not there gets a decoy by the same path, with the salt that anybody can compute for that name: a
// random one would tell. Any other name is sought among the service users of the database that the
// login names. (docs/keys.md, "Signing in with a key")

import { scramIterations } from '../base/limits.js'
import { decoyVerifier } from '../protocol/scram/verifier.js'
import type { Awaitable, Store } from '../store/store.js'
import { parseAddress } from './address.js'
import type { Bearer, KeyRegistry } from './bearer.js'
import type { Identity, KeyIdentity } from './identity.js'
import { issuedSalt, onChainSalt } from './key-derivation.js'
import type { KeyMode } from './key-format.js'
import type { Credentials, ScramAccount } from './login.js'
import type { LoginDelay } from './login-delay.js'
import { type OperatorKey, operatorName } from './operator.js'
import { isPublished } from './published-keys.js'
import type { UserService } from './user-service.js'
import { issuedKeyOf, issuedKeys, readKeyState, type WalletKey } from './wallet-keys.js'

export interface SigilCredentialsOptions {
  readonly operator: OperatorKey
  readonly bearer: Bearer
  readonly registry: KeyRegistry
  readonly store: Store
  readonly mode: KeyMode
  readonly delay: LoginDelay
  /** Without it there are no service users. */
  readonly users?: UserService
}

/** A user name that names a wallet. */
interface WalletName {
  /** EIP-55. */
  readonly address: string
  /** Undefined for `<wallet>`: its first key. */
  readonly key: { readonly source: KeyIdentity['source']; readonly index: number } | undefined
}

/** The longest number is far below 2^53. */
const nameForm = /^(0x[0-9a-fA-F]{40})(?::(s?)(0|[1-9]\d{0,14}))?$/

/** `<wallet>`, `<wallet>:<N>` or `<wallet>:s<N>`; undefined for anything else. */
export function parseWalletName(user: string): WalletName | undefined {
  const [, given = '', mark, number] = nameForm.exec(user) ?? []
  const address = parseAddress(given)
  if (address === undefined) return undefined
  if (number === undefined) return { address, key: undefined }
  return { address, key: { source: mark === 's' ? 'issued' : 'onchain', index: Number(number) } }
}

/** The user name of exactly this key. */
export function userNameOf({
  address,
  source,
  index,
}: Pick<KeyIdentity, 'address' | 'source' | 'index'>): string {
  return `${address}:${source === 'issued' ? 's' : ''}${index}`
}

/** The name by which one could sign in again; undefined for who has not signed in. */
export function accountNameOf(identity: Identity): string | undefined {
  switch (identity.kind) {
    case 'operator':
      return operatorName
    case 'key':
      return userNameOf(identity)
    case 'session':
      return identity.address
    case 'user':
      return identity.name
    case 'anonymous':
      return undefined
  }
}

export class SigilCredentials implements Credentials {
  constructor(private readonly options: SigilCredentialsOptions) {}

  get delay(): LoginDelay {
    return this.options.delay
  }

  account(user: string, databases: readonly string[] = []): Awaitable<ScramAccount> {
    if (user === operatorName) return this.options.operator.account(user)
    const name = parseWalletName(user)
    const { users, operator } = this.options
    if (name === undefined) return users?.account(user, databases) ?? operator.account(user)
    return this.walletAccount(user, name)
  }

  identify(key: string): Awaitable<Identity | undefined> {
    const { operator, bearer } = this.options
    return operator.identityOf(operatorName, key) ?? bearer.identify(key)
  }

  identityOf(
    user: string,
    password: string,
    databases: readonly string[] = [],
  ): Awaitable<Identity | undefined> {
    if (user !== operatorName && parseWalletName(user) === undefined) {
      return this.options.users?.identityOf(user, password, databases)
    }
    const found = this.identify(password)
    if (!(found instanceof Promise)) return belongs(user, found)
    return found.then((identity) => belongs(user, identity))
  }

  private async walletAccount(user: string, { address, key }: WalletName): Promise<ScramAccount> {
    if (key?.source === 'issued') {
      const { store } = this.options
      const found = await store.read((tx) => issuedKeyOf(tx, address, key.index))
      return this.issuedAccount(found) ?? this.decoy(user, issuedSalt(address, key.index))
    }
    const index = key?.index ?? (await this.firstIndex(address))
    const onChain = await this.onChainAccount(address, index ?? 0)
    if (onChain !== undefined) return onChain
    const issued = key === undefined ? await this.firstIssued(address) : undefined
    return this.issuedAccount(issued) ?? this.decoy(user, onChainSalt(address, index ?? 0))
  }

  /** The lowest on-chain index that is active there and not denied here. */
  private async firstIndex(address: string): Promise<number | undefined> {
    const { registry } = this.options
    const first = await registry.firstActive(address)
    if (first === undefined || (await this.onChainAccount(address, first)) !== undefined) {
      return first
    }
    const { nextIndex } = await registry.account(address)
    for (let index = first + 1; index < nextIndex; index++) {
      if ((await this.onChainAccount(address, index)) !== undefined) return index
    }
    return undefined
  }

  private async onChainAccount(address: string, index: number): Promise<ScramAccount | undefined> {
    const { registry, store, mode } = this.options
    const record = await registry.getKey(address, index)
    if (record === undefined || !record.active || isPublished(record.commitment, mode)) {
      return undefined
    }
    const name = { source: 'onchain', hash: record.commitment, address } as const
    const { active, permissions, rateLimit } = await store.read((tx) => readKeyState(tx, name))
    if (!active) return undefined
    const { storedKey, serverKey } = record
    return {
      verifier: {
        salt: onChainSalt(address, index),
        iterations: scramIterations,
        storedKey,
        serverKey,
      },
      identity: { kind: 'key', ...name, index, permissions, rateLimit },
    }
  }

  private async firstIssued(address: string): Promise<WalletKey | undefined> {
    const keys = await this.options.store.read((tx) => issuedKeys(tx, address))
    return keys[0]
  }

  private issuedAccount(key: WalletKey | undefined): ScramAccount | undefined {
    if (key?.storedKey === undefined || key.serverKey === undefined) return undefined
    const { address, hash, index, permissions, rateLimit, storedKey, serverKey } = key
    const salt = issuedSalt(address, index)
    return {
      verifier: { salt, iterations: scramIterations, storedKey, serverKey },
      identity: {
        kind: 'key',
        source: 'issued',
        address,
        hash,
        index,
        permissions,
        rateLimit,
      },
    }
  }

  private decoy(user: string, salt: Uint8Array): ScramAccount {
    const { operator } = this.options
    const verifier = decoyVerifier(operator.decoySecret, user, scramIterations)
    return { verifier: { ...verifier, salt }, identity: undefined }
  }
}

/** The identity of a key, if the user that came with it is who it belongs to. */
function belongs(user: string, identity: Identity | undefined): Identity | undefined {
  if (identity?.kind === 'operator') return user === operatorName ? identity : undefined
  const name = parseWalletName(user)
  if (identity?.kind !== 'key' || name?.address !== identity.address) return undefined
  const { key } = name
  if (key === undefined) return identity
  return key.source === identity.source && key.index === identity.index ? identity : undefined
}
