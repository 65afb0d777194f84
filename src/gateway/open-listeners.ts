// Opens the listeners: HTTP, which is always on, and the protocols that can be disabled, each with
// its services. It also provides the addresses that clients need.

import { hostname } from 'node:os'
import type { Clock, Random } from '../base/clock.js'
import type { Log } from '../base/log.js'
import type { Settings } from '../base/settings.js'
import type { Bus } from '../bus/document/bus.js'
import type { KeyValueBus } from '../bus/keyvalue/bus.js'
import type { MeteringHistory } from '../bus/metering-history.js'
import { type SwitchedProtocol, switchedProtocols } from '../bus/protocols.js'
import type { Quotas } from '../bus/quota.js'
import type { ServerPlaces } from '../bus/services.js'
import type { OpenChain } from '../chain/open.js'
import { Totals } from '../engine/collection/catalog/totals.js'
import type { Engine } from '../engine/engine.js'
import type { OperatorKey } from '../identity/keys/operator.js'
import type { OperatorSessions } from '../identity/sign-in/operator-sessions.js'
import type { UserService } from '../identity/users/user-service.js'
import { Forwarding } from '../listeners/http/core/forwarding.js'
import type { HttpOptions } from '../listeners/http/core/http-options.js'
import { Idempotency } from '../listeners/http/core/idempotency.js'
import { type HttpListener, openHttp } from '../listeners/http/core/open-http.js'
import type { Rates } from '../listeners/http/core/request-limit.js'
import { changeRoutes } from '../listeners/http/documents/change-routes.js'
import { operatorPageRoutes } from '../listeners/http/keys/operator-page-routes.js'
import { KeyValueHttp } from '../listeners/http/keyvalue/key-value-http.js'
import { mcpRoute } from '../listeners/http/memory/mcp-route.js'
import { backupRoute } from '../listeners/http/operations/backup.js'
import { chainRoutes } from '../listeners/http/operations/chain.js'
import { openHealth } from '../listeners/http/operations/health.js'
import { metricsRoutes, metricsTokenCheck } from '../listeners/http/operations/metrics-routes.js'
import { settingsRoute } from '../listeners/http/operations/settings-route.js'
import { watchRoutes } from '../listeners/http/operations/watch-routes.js'
import { studioRoutes } from '../listeners/http/studio/studio-files.js'
import { isLoopback } from '../listeners/network.js'
import { CertificateFiles } from '../listeners/tls-certificate.js'
import type { Proofs } from '../memory/proof/proofs.js'
import type { Store } from '../store/store.js'
import type { ObjectIds } from '../value/object-id.js'
import type { Authority } from './authority.js'
import { onPort } from './ports.js'
import type { Protocols } from './protocols.js'
import type { Settled } from './settled.js'
import { SwitchedListeners } from './switched-listeners.js'
import type { Wallets } from './wallets.js'

export interface Listeners {
  readonly http: HttpListener
  readonly tls: CertificateFiles | undefined
  readonly overHttp: KeyValueHttp
  readonly switched: SwitchedListeners
}

interface ListenerOptions {
  readonly settings: Settings
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Of Sigil's package. */
  readonly version: string
}

/** Services of the listeners. */
export interface Server {
  readonly store: Store
  readonly chain: OpenChain
  readonly bus: Bus
  readonly keyValue: KeyValueBus
  readonly wallets: Wallets
  readonly users: UserService
  readonly authority: Authority
  readonly engine: Engine
  readonly lifecycle: Lifecycle
  readonly protocols: Protocols
  readonly operatorKey: OperatorKey
  readonly operatorSessions: OperatorSessions
  readonly history: MeteringHistory
  readonly quotas: Quotas
  readonly settled: Settled
  readonly proofs: Proofs
  readonly ids: ObjectIds
}

interface Lifecycle {
  /** A stop has begun: clients should send no further requests. */
  isDraining: boolean
}

/** Opens all of them, or leaves none open. */
export async function openListeners(
  { settings, clock, random, log, version }: ListenerOptions,
  server: Server,
  notes: string[],
): Promise<Listeners> {
  const { store, chain, bus, keyValue, wallets, authority, ids, protocols } = server
  const { memory, transactions } = server.engine
  const tls = readTls(settings)
  const { HOST: host, ALLOW_INSECURE: allowInsecure, AUTH_MODE } = settings
  const authOff = AUTH_MODE === 'off'
  const overHttp = new KeyValueHttp({ bus: keyValue, clock, log, authOff })
  const shared = { host, tls, authOff, allowInsecure, memory, clock, log, quotas: server.quotas }
  const { credentials, identify, keyUse } = wallets
  const { rules, signIn } = authority
  const switched = new SwitchedListeners(protocols, {
    settings,
    shared,
    bus,
    transactions,
    keyValue,
    credentials,
    random,
    version,
    notes,
  })
  let http: HttpListener | undefined
  const connections = () => ({ http: http?.connections() ?? 0, ...switched.counts() })
  await switched.start()
  try {
    http = await onPort(settings, 'HTTP_PORT', notes, (port) =>
      openHttp({
        ...shared,
        port,
        bus,
        random,
        ids,
        version,
        isTls: tls !== undefined,
        isLoopback: isLoopback(host),
        publicUrl: settings.PUBLIC_URL,
        allowedHosts: settings.ALLOWED_HOSTS,
        allowedOrigins: settings.ALLOWED_ORIGINS,
        trustedProxies: settings.TRUSTED_PROXIES,
        database: settings.DATABASE,
        ...requestLimitsOf(server, settings),
        rules,
        ...keyChecks(server, settings),
        identify,
        guesses: credentials.guesses,
        keyUse,
        idempotency: new Idempotency({ store, clock, log }),
        openSession: (cookie) => signIn.openSession(cookie),
        pageKey: signIn.pageKey,
        ...forwardingOf(server, settings, { clock, log }),
        health: (httpPort) =>
          openHealth({ store, chain, clock, version, httpPort, ports: () => portsOf(protocols) }),
        isEnabled: (name) => protocols.isEnabled(name),
        rawRoutes: [
          ...overHttp.routes,
          ...changeRoutes(overHttp.streams),
          ...rawRoutesOf({ clock, version, settings }, server, connections),
        ],
      }),
    )
    return { http, tls, overHttp, switched }
  } catch (error) {
    await protocols.close(0)
    throw error
  }
}

/** Empty if no other gateway can share the store. */
function forwardingOf(
  { store, bus, engine, authority }: Server,
  { PUBLIC_URL: publicUrl }: Settings,
  { clock, log }: { clock: Clock; log: Log },
): Pick<HttpOptions, 'forwarding' | 'senderOf'> {
  const { gateways } = store
  const { pageKey } = authority.signIn
  const { transactions } = bus
  const { cursors } = engine
  if (gateways === undefined) return {}
  const parts = { gateways, cursors, transactions, clock, log, pageKey, publicUrl }
  const forwarding = new Forwarding(parts)
  return { forwarding, senderOf: (sent) => forwarding.senderOf(sent) }
}

function keyChecks({ operatorKey, operatorSessions }: Server, { METRICS_TOKEN }: Settings) {
  return {
    isMetricsToken: metricsTokenCheck(METRICS_TOKEN),
    isOperatorKey: (given: string) => operatorKey.matches(given),
    operatorOfToken: (token: string) => operatorSessions.identityOf(token),
  }
}

function operatorPageOf(server: Server) {
  const { authority, operatorKey, operatorSessions, wallets } = server
  return {
    sessions: operatorSessions,
    isOperatorKey: (given: string) => operatorKey.matches(given),
    guesses: wallets.credentials.guesses,
    audit: authority.audit,
  }
}

type Connections = Parameters<typeof metricsRoutes>[0]['connections']

/** Routes without the framework: large bodies, and routes that are polled every few seconds. */
function rawRoutesOf(
  { clock, version, settings }: { clock: Clock; version: string; settings: Settings },
  server: Server,
  connections: Connections,
) {
  const { store, chain, bus, engine, authority, proofs, protocols, lifecycle } = server
  const metrics = metricsRoutes({
    store,
    totals: new Totals(store, clock),
    chain,
    bus,
    clock,
    version,
    connections,
    cursors: engine.cursors,
    transactions: engine.transactions,
    anchoring: proofs.job.counts,
    listeners: () => boundOf(protocols),
    isDraining: () => lifecycle.isDraining,
  })
  const backup = backupRoute({ store, version, audit: authority.audit })
  const studio = settings.STUDIO === 'on' ? studioRoutes() : []
  const ofChain = chainRoutesOf(chain, settings.HOST)
  const operator = operatorPageRoutes(operatorPageOf(server))
  const { rules } = authority
  const watch = watchRoutes({ history: server.history, counters: bus.counters, rules })
  const shown = [...metrics, ...watch, settingsRoute(settings)]
  return [backup, ...shown, ...ofChain, mcpRoute({ version }), ...operator, ...studio]
}

const noPorts = { wire: 0, redis: 0, sql: 0 } as const

function requestLimitsOf({ settled }: Server, settings: Settings) {
  return { rates: ratesOf(settings), settled: settled.counts }
}

/** Undefined if requests are not counted. */
function ratesOf(settings: Settings): Rates | undefined {
  if (settings.RATE_LIMITS === 'off') return undefined
  return {
    address: settings.RATE_ADDRESS,
    key: settings.RATE_KEY,
    nonce: settings.RATE_NONCE,
    verify: settings.RATE_VERIFY,
    me: settings.RATE_ME,
    logout: settings.RATE_LOGOUT,
    chain: settings.RATE_CHAIN,
  }
}

/** 0 if disabled. */
export function portsOf(protocols: Protocols): Readonly<Record<SwitchedProtocol, number>> {
  const [wire, redis, sql] = switchedProtocols.map((name) => protocols.port(name))
  return { wire: wire ?? 0, redis: redis ?? 0, sql: sql ?? 0 }
}

/** By name, whether each is bound; without disabled protocols. */
function boundOf(protocols: Protocols): Readonly<Record<string, boolean>> {
  const meant = switchedProtocols.filter((name) => protocols.isEnabled(name))
  return { http: true, ...Object.fromEntries(meant.map((name) => [name, protocols.isOpen(name)])) }
}

/** Where other gateways of the store reach HTTP. */
export function addressForGateways(
  { GATEWAY_URL, HOST, TLS_CERT }: Settings,
  port: number,
): string {
  if (GATEWAY_URL !== undefined) return GATEWAY_URL
  const isEvery = HOST === '' || HOST === '0.0.0.0' || HOST === '::'
  const host = isEvery ? hostname() : HOST.includes(':') ? `[${HOST}]` : HOST
  return `${TLS_CERT === undefined ? 'http' : 'https'}://${host}:${port}`
}

/** The addresses at which clients reach this server. */
export function placesOf(
  settings: Settings,
  listeners: Listeners | undefined,
  protocols: Protocols,
): ServerPlaces {
  const { HOST, DATABASE: database, PUBLIC_URL, TLS_CERT } = settings
  const { PUBLIC_WIRE_ADDRESS } = settings
  const isTls = TLS_CERT !== undefined
  const address = HOST.includes(':') ? `[${HOST}]` : HOST
  const ports = listeners === undefined ? noPorts : portsOf(protocols)
  const own = `${isTls ? 'https' : 'http'}://${address}:${listeners?.http.port ?? 0}`
  const url = PUBLIC_URL === undefined ? undefined : new URL(PUBLIC_URL)
  const host = url?.hostname ?? address
  return {
    host,
    wire: PUBLIC_WIRE_ADDRESS ?? `${host}:${ports.wire}`,
    http: url?.origin ?? own,
    isTls,
    ports,
    database,
  }
}

/** The local chain's JSON-RPC; a real chain has its own endpoint. */
function chainRoutesOf({ local }: OpenChain, host: string) {
  if (local === undefined) return []
  return chainRoutes({ serve: (body) => local.serve(body), isLoopback: isLoopback(host) })
}

function readTls({ TLS_CERT, TLS_KEY }: Settings): CertificateFiles | undefined {
  if (TLS_CERT === undefined || TLS_KEY === undefined) return undefined
  return new CertificateFiles({ cert: TLS_CERT, key: TLS_KEY })
}
