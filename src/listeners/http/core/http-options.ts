// Options of the HTTP listener: its address, its authentication, and the services behind its
// routes.

import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Random } from '../../../base/clock.js'
import type { MemoryAccount } from '../../../base/heap/memory-account.js'
import type { Log } from '../../../base/log.js'
import type { Bus } from '../../../bus/document/bus.js'
import type { SwitchedProtocol } from '../../../bus/protocols.js'
import type { Identity } from '../../../identity/identity.js'
import type { Awaitable } from '../../../store/store.js'
import type { ObjectIds } from '../../../value/object-id.js'
import type { TlsCertificate } from '../../tls-certificate.js'
import type { AuthenticatorOptions } from './authenticate.js'
import type { Forwarding } from './forwarding.js'
import type { GuardOptions } from './guard.js'
import type { Idempotency } from './idempotency.js'
import type { AnyRoute } from './route.js'

export interface HttpOptions extends Omit<GuardOptions, 'port'>, AuthenticatorOptions {
  readonly host: string
  readonly port: number
  readonly tls: TlsCertificate | undefined
  readonly database: string
  readonly memory: MemoryAccount
  readonly bus: Bus
  readonly random: Random
  readonly ids: ObjectIds
  /** Signs the cursors of lists. */
  readonly pageKey: Bytes
  readonly log: Log
  /** Makes the function that returns the Health object as JSON text, once the port is known. */
  readonly health: (httpPort: number) => () => Awaitable<string>
  /** Counts the use of keys; without it nothing is counted. */
  readonly keyUse?: { count(identity: Identity, endpoint: string): void }
  /** Whether a protocol is enabled, for its routes; all are by default. */
  readonly isEnabled?: (protocol: SwitchedProtocol) => boolean
  readonly idempotency: Idempotency
  /** Of a store that gateways share: passes requests on to the one they are for. */
  readonly forwarding?: Forwarding | undefined
  /** Setting ALLOWED_ORIGINS: pages that may call with a key; none by default. */
  readonly allowedOrigins?: readonly string[]
  /** Of Sigil's package. */
  readonly version: string
  /** Routes beside those of the table, which need more than the bus. */
  readonly rawRoutes: readonly AnyRoute[]
}
