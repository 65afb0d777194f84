// Who may sign in on every protocol: the operator with its key, wallets with theirs. A user name is
// `operator`, a wallet's address, or an address with a key number. An unknown user gets a decoy on
// the same path, with a salt that any client can compute for that name; a random salt would reveal
// it. Other names are service users of the login's database.
// (docs/keys.md, "Signing in with a key")

import type { Bytes } from '../../base/bytes/bytes.js'
import { scramIterations } from '../../base/limits/identity.js'
import { decoyVerifier } from '../../protocol/scram/verifier.js'
import type { Awaitable, Store } from '../../store/store.js'
import { parseAddress } from '../address.js'
import type { Identity, KeyIdentity } from '../identity.js'
import type { Bearer, KeyRegistry } from '../keys/bearer.js'
import { issuedSalt, onChainSalt, walletSalt } from '../keys/key-derivation.js'
import type { KeyMode } from '../keys/key-format.js'
import type { KeyGuesses } from '../keys/key-guesses.js'
import { type OperatorKey, operatorName } from '../keys/operator.js'
import { isPublished } from '../keys/published-keys.js'
import { firstIssuedKey, issuedKeyOf, readKeyState, type WalletKey } from '../keys/wallet-keys.js'
import type { UserService } from '../users/user-service.js'
import type { Credentials, ScramAccount } from './login.js'
import type { LoginDelay } from './login-delay.js'

interface SigilCredentialsOptions {
  readonly operator: OperatorKey
  readonly bearer: Bearer
  readonly registry: KeyRegistry
  readonly store: Store
  readonly mode: KeyMode
  readonly delay: LoginDelay
  /** If missing, there are no service users. */
  readonly users?: UserService
  readonly guesses: KeyGuesses
}

/** A user name that names a wallet. */
interface WalletName {
  /** EIP-55. */
  readonly address: string
  /** Undefined for `<wallet>`: its first key. */
  readonly key: { readonly source: KeyIdentity['source']; readonly index: number } | undefined
}

/** The longest accepted number is far below 2^53. */
const nameForm = /^(0x[0-9a-fA-F]{40})(?::(s?)(0|[1-9]\d{0,14}))?$/

/** A user name and the database after its `~`. */
interface SpacedUser {
  readonly user: string
  /** Undefined: the user's own space. */
  readonly database: string | undefined
}

/** `<user>~<database>`, on all protocols; the database selects where the user's keys are. */
export function spaceInUser(given: string): SpacedUser {
  const mark = given.indexOf('~')
  if (mark === -1) return { user: given, database: undefined }
  return { user: given.slice(0, mark), database: given.slice(mark + 1) }
}

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

/** The name for signing in again; undefined before login. */
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

  account(given: string, databases: readonly string[] = []): Awaitable<ScramAccount> {
    const { user, database } = spaceInUser(given)
    if (user === operatorName) return this.options.operator.account(user)
    const name = parseWalletName(user)
    const { users, operator } = this.options
    const among = database === undefined ? databases : [database]
    if (name === undefined) return users?.account(user, among) ?? operator.account(user)
    return this.walletAccount(user, name)
  }

  get guesses(): KeyGuesses {
    return this.options.guesses
  }

  identify(key: string, walletsOnly = false): Awaitable<Identity | undefined> {
    const { operator, bearer } = this.options
    const known = walletsOnly ? undefined : operator.identityOf(operatorName, key)
    return known ?? bearer.identify(key)
  }

  identityOf(
    given: string,
    password: string,
    walletsOnly = false,
    databases: readonly string[] = [],
  ): Awaitable<Identity | undefined> {
    const { user, database } = spaceInUser(given)
    if (user !== operatorName && parseWalletName(user) === undefined) {
      if (walletsOnly) return undefined
      const among = database === undefined ? databases : [database]
      return this.options.users?.identityOf(user, password, among)
    }
    const found = this.identify(password, walletsOnly)
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
    if (index === undefined) return this.walletOwn(user, address)
    const onChain = await this.onChainAccount(address, index)
    return onChain ?? this.decoy(user, onChainSalt(address, index))
  }

  /** `<wallet>` without an active key on the chain. */
  private async walletOwn(user: string, address: string): Promise<ScramAccount> {
    const key = await this.options.store.read((tx) => firstIssuedKey(tx, address))
    const decoy = () => this.decoy(user, walletSalt(address))
    // A key above number 0 from before the common salt keeps its own salt.
    const isOld = key !== undefined && key.index > 0 && key.byWallet === undefined
    if (isOld) return this.issuedAccount(key) ?? decoy()
    return this.issuedAccount(key && { ...key, ...key.byWallet }, walletSalt(address)) ?? decoy()
  }

  /**
   * The lowest on-chain index that is active on the chain. A key that is denied only here counts:
   * otherwise the salt of that name would reveal the denial.
   */
  private async firstIndex(address: string): Promise<number | undefined> {
    const { registry } = this.options
    const first = await registry.firstActive(address)
    if (first === undefined || (await this.activeRecord(address, first)) !== undefined) return first
    const { nextIndex } = await registry.account(address)
    for (let index = first + 1; index < nextIndex; index++) {
      if ((await this.activeRecord(address, index)) !== undefined) return index
    }
    return undefined
  }

  /** From the chain alone. */
  private async activeRecord(address: string, index: number) {
    const { registry, mode } = this.options
    const record = await registry.getKey(address, index)
    return record?.active === true && !isPublished(record.commitment, mode) ? record : undefined
  }

  private async onChainAccount(address: string, index: number): Promise<ScramAccount | undefined> {
    const { store } = this.options
    const record = await this.activeRecord(address, index)
    if (record === undefined) return undefined
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

  private issuedAccount(key: WalletKey | undefined, given?: Bytes): ScramAccount | undefined {
    if (key?.storedKey === undefined || key.serverKey === undefined) return undefined
    const { address, hash, index, permissions, rateLimit, storedKey, serverKey } = key
    const salt = given ?? issuedSalt(address, index)
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

/** The identity of a key, if it belongs to the user name that came with it. */
function belongs(user: string, identity: Identity | undefined): Identity | undefined {
  if (identity?.kind === 'operator') return user === operatorName ? identity : undefined
  const name = parseWalletName(user)
  if (identity?.kind !== 'key' || name?.address !== identity.address) return undefined
  const { key } = name
  if (key === undefined) return identity
  return key.source === identity.source && key.index === identity.index ? identity : undefined
}
