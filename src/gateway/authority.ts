// The parts of a gateway that decide about wallets: rules of the settings, audit, revocation check,
// and sign-in over the chain. The composition root opens it.

import type { Clock, Random } from '../base/clock.js'
import { signatureGasLocal, signatureGasRemote } from '../base/limits/identity.js'
import type { Log } from '../base/log.js'
import type { Settings } from '../base/settings.js'
import type { OpenChain } from '../chain/open.js'
import { Audit } from '../identity/audit.js'
import { readKeyState } from '../identity/keys/wallet-keys.js'
import type { Rules } from '../identity/rights/allow.js'
import { WalletRevocation } from '../identity/rights/revocation-check.js'
import { rulesOf } from '../identity/rights/rules.js'
import { mayEnter } from '../identity/rights/whitelist.js'
import { SessionSeal } from '../identity/sign-in/session-cookie.js'
import { readSessionKeys, readSharedKeys } from '../identity/sign-in/session-keys.js'
import { readSession, SessionSweeper } from '../identity/sign-in/sessions.js'
import { SignIn } from '../identity/sign-in/sign-in.js'
import { SignatureChecker } from '../identity/sign-in/signature-check.js'
import { readUserIdentity } from '../identity/users/users.js'
import type { Store } from '../store/store.js'

/** Least balance of a signed-in wallet on the local chain, wei. */
const testEther = 10n ** 18n

interface AuthorityOptions {
  readonly settings: Settings
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly chain: OpenChain
  /** HOST is a loopback address. */
  readonly isLoopback: boolean
}

export interface Authority {
  readonly rules: Rules
  readonly audit: Audit
  readonly revocation: WalletRevocation
  readonly signIn: SignIn
  close(): Promise<void>
}

/** Throws InvalidOptions for invalid settings about wallets. */
export async function openAuthority(options: AuthorityOptions): Promise<Authority> {
  const { settings, store, clock, log, chain, isLoopback } = options
  const rules = rulesOf(settings, { isLoopback })
  const audit = new Audit({ store, database: settings.DATABASE, clock })
  const whitelist = {
    enforces: settings.WHITELIST === 'enforce',
    isAdministrator: rules.isAdministrator,
  }
  const revocation = new WalletRevocation({
    readKeyState,
    readSession,
    whitelist,
    keyOnChain: (address, index) => chain.registry.keyStatus(address, index),
    ...(hasUsers(settings, isLoopback) ? { readUser: readUserIdentity } : {}),
  })
  const signIn = await openSignIn(options, audit, (tx, address) => mayEnter(tx, address, whitelist))
  const sweeper = new SessionSweeper({ store, clock, log })
  sweeper.start()
  return {
    rules,
    audit,
    revocation,
    signIn,
    close: () => sweeper.close(),
  }
}

/** Whether service users exist. */
export function hasUsers({ USERS }: Pick<Settings, 'USERS'>, isLoopback: boolean): boolean {
  return USERS === 'auto' ? isLoopback : USERS === 'on'
}

async function openSignIn(
  { settings, store, clock, random, log, chain }: AuthorityOptions,
  audit: Audit,
  gate: ConstructorParameters<typeof SignIn>[0]['mayEnter'],
): Promise<SignIn> {
  const folder = /^lmdb:(.+)$/.exec(settings.STORE)?.[1]
  const setting = settings.SESSION_KEYS
  const isShared = setting === undefined && store.exchange !== undefined
  const keys = isShared
    ? await readSharedKeys(store, random)
    : readSessionKeys({ setting, folder, random })
  const { local, registry, chainId } = chain
  const gas = local === undefined ? signatureGasRemote : signatureGasLocal
  return new SignIn({
    store,
    clock,
    random,
    log,
    audit,
    chainId,
    seal: new SessionSeal(keys, random),
    signatures: new SignatureChecker({ chain: registry, gas }),
    mayEnter: gate,
    ...(local === undefined ? {} : { fund: (address) => local.fund(address, testEther) }),
  })
}
