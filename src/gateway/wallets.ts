// Opens the wallet parts for the composition root: the owner of a key, sign-in on each protocol,
// key management, and closing the connections of ended keys.

import type { Clock, Random } from '../base/clock.js'
import type { Log } from '../base/log.js'
import type { Settings } from '../base/settings.js'
import type { Registry } from '../chain/registry/registry.js'
import type { Identity } from '../identity/identity.js'
import { Bearer } from '../identity/keys/bearer.js'
import { KeyGuesses } from '../identity/keys/key-guesses.js'
import { KeyLimit } from '../identity/keys/key-limit.js'
import { KeyService } from '../identity/keys/key-service.js'
import { KeyUse } from '../identity/keys/key-use.js'
import type { OperatorKey } from '../identity/keys/operator.js'
import type { SettledCounts } from '../identity/keys/settled-counts.js'
import { SigilCredentials } from '../identity/sign-in/credentials.js'
import { LoginDelay } from '../identity/sign-in/login-delay.js'
import type { UserService } from '../identity/users/user-service.js'
import type { Store } from '../store/store.js'

interface WalletsOptions {
  readonly settings: Pick<Settings, 'KEY_MODE'>
  readonly users?: UserService
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly operator: OperatorKey
  readonly registry: Registry
  /** Of the other gateways of the store. */
  readonly settled?: SettledCounts | undefined
}

export interface Wallets {
  readonly credentials: SigilCredentials
  readonly keyLimit: KeyLimit
  readonly keys: KeyService
  /** Close it when nothing is counted any more. */
  readonly keyUse: KeyUse
  /** The owner of a key; only for wallets' keys. */
  readonly identify: Bearer['identify']
  /** `close` closes matching connections; it is called whenever a key has ended on the chain. */
  closeRevoked(close: (matches: (identity: Identity) => boolean) => void): void
  /** Answers waiting logins at once. */
  close(): void
}

export function openWallets(options: WalletsOptions): Wallets {
  const { settings, store, clock, random, log, operator, registry, users, settled } = options
  const mode = settings.KEY_MODE
  const bearer = new Bearer({ store, registry, mode })
  const delay = new LoginDelay({ clock, settled })
  const keys = new KeyService({ registry, mode, random })
  const keyUse = new KeyUse({ store, clock, log })
  keyUse.start()
  return {
    keyUse,
    keys,
    keyLimit: new KeyLimit(clock, settled),
    identify: (key) => bearer.identify(key),
    credentials: new SigilCredentials({
      operator,
      bearer,
      registry,
      store,
      mode,
      delay,
      guesses: new KeyGuesses(clock, settled),
      ...(users === undefined ? {} : { users }),
    }),
    close: () => delay.close(),
    closeRevoked(close) {
      registry.onRevoked((address, index) =>
        close((identity) => isKeyOf(identity, address, 'onchain') && identity.index === index),
      )
    },
  }
}

type KeyIdentity = Identity & { readonly kind: 'key' }

function isKeyOf(
  identity: Identity,
  address: string,
  source: KeyIdentity['source'],
): identity is KeyIdentity {
  return identity.kind === 'key' && identity.address === address && identity.source === source
}
