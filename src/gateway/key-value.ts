// The key-value part of a gateway: the databases of the first start, the bus of their commands, and
// the listener. The composition root opens and closes it.

import type { Clock, Random } from '../base/clock.js'
import type { Log } from '../base/log.js'
import type { Settings } from '../base/settings.js'
import type { SessionTransactions } from '../bus/document/transactions/session-transactions.js'
import { KeyValueBus } from '../bus/keyvalue/bus.js'
import { Channels } from '../bus/keyvalue/clients/channels.js'
import { Clients } from '../bus/keyvalue/clients/clients.js'
import type { Followers } from '../bus/keyvalue/clients/followers.js'
import { Monitors } from '../bus/keyvalue/clients/monitors.js'
import { Notifications } from '../bus/keyvalue/clients/notifications.js'
import { Pause } from '../bus/keyvalue/clients/pause.js'
import { RemoteChannels } from '../bus/keyvalue/clients/remote-channels.js'
import { ScanCursors } from '../bus/keyvalue/clients/scan-cursors.js'
import { Figures } from '../bus/keyvalue/figures.js'
import type { KeyValueRow } from '../bus/keyvalue/row.js'
import { KeyValueSettings } from '../bus/keyvalue/settings.js'
import { SlowLog } from '../bus/keyvalue/slow-log.js'
import type { Metering } from '../bus/metering.js'
import type { Services } from '../bus/services.js'
import type { HomeLimit } from '../bus/spaces/home-limit.js'
import type { SpaceChoice, SpaceRule } from '../bus/spaces/space-choice.js'
import { keyValueRows } from '../commands/keyvalue/rows.js'
import { initialSettings } from '../commands/keyvalue/server/config-options.js'
import { emptyDocument } from '../engine/collection/catalog/descriptors.js'
import { ensureChannels } from '../engine/collection/catalog/server-collections.js'
import type { Engine } from '../engine/engine.js'
import { SpaceTable } from '../engine/keyspace/spaces.js'
import type { InlineBounds } from '../engine/keyspace/work.js'
import type { PrivacyMode } from '../engine/types.js'
import { allowUnder, strictRules } from '../identity/rights/allow.js'
import { noWallets } from '../identity/rights/revocation-check.js'
import type { Credentials } from '../identity/sign-in/login.js'

type Shared = 'rules' | 'allow' | 'revocation' | 'audit' | 'keyLimit' | 'keyUse' | 'quotas'

export interface KeyValueOptions extends Pick<Services, Shared> {
  readonly settings: Settings
  readonly engine: Engine
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly version: string
  readonly credentials: Credentials
  readonly counters: Metering
  /** Transactions that clients may name. */
  readonly transactions?: SessionTransactions
  /** Selects the space of a caller. */
  readonly spaces: SpaceChoice
  /** The most homes; unlimited if missing. */
  readonly homes?: HomeLimit
  /** Sizes from which containers become large; tests set it. */
  readonly bounds?: InlineBounds
  /** All commands by default; a test may pass its own. */
  readonly rows?: readonly KeyValueRow[]
}

/** Makes the databases at the first start; resolves when commands may run. */
export async function openKeyValue(options: KeyValueOptions): Promise<KeyValueBus> {
  const { settings, engine, clock, random, counters, bounds, rows = keyValueRows } = options
  const spaces = new SpaceTable(settings.DATABASE)
  const now = clock.now()
  const mode = modeOf(options.spaces.rule)
  const space = { owner: null, mode, now, options: emptyDocument }
  await engine.store.write((tx) => spaces.ensure(tx, space))
  await engine.store.write((tx) => ensureChannels(tx, settings.DATABASE, space))
  const { log, version, credentials, rules, revocation = noWallets, audit } = options
  const { keyLimit, keyUse, quotas } = options
  const allow = options.allow ?? allowUnder(rules ?? strictRules)
  const { store } = engine
  const channels = new Channels({
    store,
    allow,
    revocation,
    clock,
    ...(quotas === undefined ? {} : { quotas }),
  })
  const texts = new KeyValueSettings(initialSettings)
  const notifications = new Notifications(channels, texts)
  const { exchange } = store
  if (exchange !== undefined) {
    new RemoteChannels({ exchange, store, spaces, channels, notifications })
  }
  const slowLog = new SlowLog()
  const followers: Followers = new Set([slowLog.follow])
  const bus = new KeyValueBus({
    rows,
    engine,
    spaces,
    counters,
    followers,
    ...(options.transactions === undefined ? {} : { transactions: options.transactions }),
    services: {
      clock,
      random,
      log,
      version,
      credentials,
      spaces: options.spaces,
      ...(options.homes === undefined ? {} : { homes: options.homes }),
      allow,
      revocation,
      ...(rules === undefined ? {} : { rules }),
      ...(audit === undefined ? {} : { audit }),
      ...(quotas === undefined ? {} : { quotas }),
      ...(keyLimit === undefined ? {} : { keyLimit }),
      ...(keyUse === undefined ? {} : { keyUse }),
      slowCommandMs: settings.SLOW_COMMAND_MS,
      authOff: settings.AUTH_MODE === 'off',
      clients: new Clients(),
      cursors: new ScanCursors(),
      channels,
      notifications,
      settings: texts,
      announce: notifications.announce,
      monitors: new Monitors(followers),
      slowLog,
      figures: new Figures(clock, random),
      pause: new Pause(),
    },
    ...(bounds === undefined ? {} : { bounds }),
  })
  bus.expiry.start()
  return bus
}

/** For the server's own space: only the operator's, if each wallet has a home. */
export function modeOf(rule: SpaceRule): PrivacyMode {
  return rule === 'own' ? 'private' : rule
}
