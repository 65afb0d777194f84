// The composition root: settings in, listeners out. Every part is made here and handed what it
// needs; nothing else knows how the parts are put together.

import { join } from 'node:path'
import { type Authority, openAuthority } from './authority.js'
import type { Clock, Random } from './base/clock.js'
import { fail } from './base/errors.js'
import { HeapRest, processHeap } from './base/heap-rest.js'
import { operatorKeyCharsMin, shutdownMsMax } from './base/limits.js'
import type { Log } from './base/log.js'
import type { Settings } from './base/settings.js'
import { Bus } from './bus/bus.js'
import { FailPoint } from './bus/fail-point.js'
import type { KeyValueBus } from './bus/keyvalue/bus.js'
import { type SwitchedProtocol, switchedProtocols } from './bus/protocols.js'
import { type QuotaLimits, Quotas } from './bus/quota.js'
import type { ServerPlaces } from './bus/services.js'
import { requireTemplate } from './chain/explorer.js'
import type { OpenChain } from './chain/open.js'
import type { Registry } from './chain/registry.js'
import { failPointRow } from './commands/admin/fail-point.js'
import { documentRows } from './commands/rows.js'
import { Engine } from './engine/engine.js'
import { openSpills } from './engine/spill.js'
import { OperatorKey } from './identity/operator.js'
import { openKeyValue, sharedMode } from './key-value.js'
import { ByteBudget } from './listeners/budget.js'
import { backupRoute } from './listeners/http/backup.js'
import { chainRoutes } from './listeners/http/chain.js'
import { pageOrigins } from './listeners/http/guard.js'
import { openHealth } from './listeners/http/health.js'
import { Idempotency } from './listeners/http/idempotency.js'
import { KeyValueHttp } from './listeners/http/key-value-http.js'
import { mcpRoute } from './listeners/http/mcp-route.js'
import { metricsRoutes, metricsTokenCheck } from './listeners/http/metrics-routes.js'
import { type HttpListener, openHttp } from './listeners/http/server.js'
import { isLoopback } from './listeners/network.js'
import { CertificateFiles } from './listeners/tls-certificate.js'
import { ensureDefaultGraph } from './memory/graph.js'
import { Proofs } from './memory/proofs.js'
import { onPort } from './ports.js'
import { Protocols } from './protocols.js'
import { openStore } from './store/open.js'
import type { Store } from './store/store.js'
import { SwitchedListeners } from './switched-listeners.js'
import { ObjectIds } from './value/object-id.js'
import { openWallets, type Wallets } from './wallets.js'

export interface GatewayOptions {
  readonly settings: Settings
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Of Sigil's package. */
  readonly version: string
  /** What the command `shutdown` calls, to have the gateway closed; without it it is refused. */
  readonly onShutdown?: () => void
}

export interface Gateway {
  /** 0 for a protocol that is switched off. */
  readonly ports: Readonly<Record<'http' | SwitchedProtocol, number>>
  /** The operator's key where this start made one: the only time that it is known. */
  readonly madeKey: string | undefined
  /** What the operator should know of this start, a sentence each. */
  readonly notes: readonly string[]
  /**
   * Reads the certificate again, for handshakes from now on; false where there is none. Throws
   * InvalidOptions where the new one does not hold: then the old one goes on.
   */
  reloadTls(): boolean
  /** Refuses new work, finishes what is in flight, closes everything; within five seconds. */
  close(): Promise<void>
}

/** Opens the store, then the listeners. Rejects with one clear error, and nothing is left open. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { settings, clock, log } = options
  const notes = checkSettings(settings)
  const store = await openStore(settings.STORE, { durability: settings.DURABILITY, clock, log })
  let chain: OpenChain | undefined
  try {
    chain = await openChainFor(store, options)
    return await openOver(store, chain, options, notes)
  } catch (error) {
    await chain?.close()
    await store.close()
    throw error
  }
}

/** Loaded here and not at the top: the chain's libraries cost programs that need none 0.2 s. */
async function openChainFor(store: Store, options: GatewayOptions): Promise<OpenChain> {
  const { settings, clock, log } = options
  const { openChain } = await import('./chain/open.js')
  const data = /^lmdb:(.+)$/.exec(settings.STORE)?.[1]
  const folder = data === undefined ? undefined : join(data, 'chain')
  return openChain({ settings, folder, store, clock, log })
}

async function openOver(
  store: Store,
  chain: OpenChain,
  options: GatewayOptions,
  notes: string[],
): Promise<Gateway> {
  const { settings, clock, random, log, version, onShutdown } = options
  const { key, made } = await OperatorKey.open(store, { random, apiKey: settings.API_KEY })
  const spills = openSpills(settings.STORE, clock)
  const engine = new Engine({ store, clock, random, log, spills })
  engine.cursors.perOwnerMax = settings.WALLET_CURSORS
  const quotas = new Quotas({ store, clock, limits: quotaLimitsOf(settings) })
  await engine.start()
  const authority = openAuthority({
    ...{ settings, store, clock, random, log, chain },
    isLoopback: isLoopback(settings.HOST),
  })
  const { rules, standing, audit, signIn } = authority
  const { registry } = chain
  const wallets = openWallets({ settings, store, clock, random, log, operator: key, registry })
  const { credentials, keyLimit, keyUse, keys } = wallets
  const objectIds = new ObjectIds(clock, random)
  const proofs = new Proofs({
    ...{ store: engine.store, clock, random, log, pace: engine.pace, chain },
    database: settings.DATABASE,
    explorerTemplate: settings.EXPLORER_TX_URL,
  })
  engine.attach(proofs.job)
  let listeners: Listeners | undefined
  const protocols = new Protocols(store, log)
  const lifecycle = { isDraining: false }
  const { TEST_COMMANDS: hasTests } = settings
  const rows = hasTests ? [...documentRows, failPointRow] : documentRows
  const bus = new Bus(rows, engine, {
    ...{ clock, random, log, objectIds },
    home: settings.DATABASE,
    defaultPrivacy: settings.DEFAULT_PRIVACY,
    slowCommandMs: settings.SLOW_COMMAND_MS,
    ...{ version, rules, standing, audit, signIn, credentials, keyLimit, keyUse, keys, quotas },
    proofs,
    places: () => placesOf(settings, listeners, protocols),
    protocols,
    contractAddress: () => contractOf(registry),
    connections: () => listeners?.switched.connections() ?? noConnections,
    sessions: () => listeners?.switched.sessions() ?? [],
    ...(onShutdown === undefined ? {} : { shutdown: onShutdown }),
    ...(hasTests ? { failPoint: new FailPoint({ chance: () => chanceOf(random) }) } : {}),
  })
  const keyValue = await openKeyValue({
    ...{ settings, engine, clock, random, log, version, rules, standing, audit },
    ...{ credentials, keyLimit, keyUse, quotas, counters: bus.counters },
  })
  await openDefaultGraph(engine, settings)
  try {
    const server = {
      ...{ store, chain, bus, keyValue, wallets, authority, engine, lifecycle, protocols },
      ...{ operatorKey: key, quotas, proofs },
      ids: objectIds,
    }
    listeners = await openListeners(options, server, notes)
  } catch (error) {
    await authority.close()
    await engine.close()
    throw error
  }
  proofs.job.start()
  const { http, overHttp } = listeners
  signIn.servedAt(signInOrigins(settings, http.port))
  signIn.onEnded = (matches) => overHttp.closeSessions(matches)
  closeWithKeys(wallets, overHttp, protocols)
  const heap = processHeap()
  const heapRest = heap === undefined ? undefined : new HeapRest(heap)
  heapRest?.start()
  const ports = { http: http.port, ...portsOf(protocols) }
  const parts: Parts = {
    bus,
    keyValue,
    listeners,
    engine,
    wallets,
    authority,
    chain,
    store,
    heapRest,
    lifecycle,
    protocols,
  }
  const reloadTls = (): boolean => {
    listeners?.tls?.reload()
    return listeners?.tls !== undefined
  }
  return { ports, madeKey: made, notes, reloadTls, close: () => close(parts) }
}

function quotaLimitsOf(settings: Settings): QuotaLimits {
  return {
    storageBytes: settings.WALLET_STORAGE,
    collections: settings.WALLET_COLLECTIONS,
    graphs: settings.WALLET_GRAPHS,
    connections: settings.WALLET_CONNECTIONS,
    subscriptions: settings.WALLET_SUBSCRIPTIONS,
    commandMs: settings.WALLET_COMMAND_MS,
  }
}

/** Makes the graph `default` at the first start. */
async function openDefaultGraph({ store, clock }: Engine, settings: Settings): Promise<void> {
  const { DATABASE: database } = settings
  const space = { owner: null, mode: sharedMode(settings), now: clock.now() }
  await store.write((tx) => ensureDefaultGraph(tx, database, space))
}

/** From 0 up to 1. */
function chanceOf(random: Random): number {
  return Buffer.from(random.bytes(4)).readUInt32LE() / 2 ** 32
}

/** Undefined while the first start has not found or made the contract. */
function contractOf(registry: Registry): string | undefined {
  return registry.state() === 'ready' ? registry.contract : undefined
}

/** Before the listeners are open. */
const noConnections = { current: 0, available: 0, totalCreated: 0 } as const
const noPorts = { wire: 0, redis: 0, sql: 0 } as const

interface Listeners {
  readonly http: HttpListener
  readonly tls: CertificateFiles | undefined
  readonly overHttp: KeyValueHttp
  readonly switched: SwitchedListeners
}

/** What the listeners serve. */
interface Server {
  readonly store: Store
  readonly chain: OpenChain
  readonly bus: Bus
  readonly keyValue: KeyValueBus
  readonly wallets: Wallets
  readonly authority: Authority
  readonly engine: Engine
  readonly lifecycle: Lifecycle
  readonly protocols: Protocols
  readonly operatorKey: OperatorKey
  readonly quotas: Quotas
  readonly proofs: Proofs
  readonly ids: ObjectIds
}

interface Lifecycle {
  /** A stop has begun: nobody should send anything here any more. */
  isDraining: boolean
}

async function openListeners(
  { settings, clock, random, log, version }: GatewayOptions,
  server: Server,
  notes: string[],
): Promise<Listeners> {
  const { store, chain, bus, keyValue, wallets, authority, operatorKey, ids, protocols } = server
  const tls = readTls(settings)
  const { HOST: host, ALLOW_INSECURE: allowInsecure } = settings
  const authOff = settings.AUTH_MODE === 'off'
  const budget = new ByteBudget(settings.MEMORY_BUDGET)
  const overHttp = new KeyValueHttp({ bus: keyValue, clock, log, authOff })
  const { quotas } = server
  const shared = { host, tls, authOff, allowInsecure, budget, clock, log, quotas }
  const { credentials, identify, keyUse } = wallets
  const { rules, signIn, isAdministrator } = authority
  const switched = new SwitchedListeners(protocols, {
    ...{ settings, shared, bus, keyValue, credentials, random, version, notes },
  })
  let http: HttpListener | undefined
  const connections = () => ({ http: http?.connections() ?? 0, ...switched.counts() })
  await switched.start()
  try {
    http = await onPort(settings, 'HTTP_PORT', notes, (port) =>
      openHttp({
        ...{ ...shared, port, bus, random, ids, version },
        isTls: tls !== undefined,
        isLoopback: isLoopback(host),
        publicUrl: settings.PUBLIC_URL,
        allowedHosts: settings.ALLOWED_HOSTS,
        trustedProxies: settings.TRUSTED_PROXIES,
        database: settings.DATABASE,
        rateLimits: settings.RATE_LIMITS === 'on',
        anonymousReads: rules.anonymousReads,
        isOperatorKey: (given) => operatorKey.matches(given),
        isMetricsToken: metricsTokenCheck(settings.METRICS_TOKEN),
        ...{ identify, isAdministrator, keyUse },
        idempotency: new Idempotency({ store, clock, log }),
        openSession: (cookie) => signIn.openSession(cookie),
        pageKey: signIn.pageKey,
        health: (httpPort) =>
          openHealth({ store, chain, clock, version, httpPort, ports: () => portsOf(protocols) }),
        isEnabled: (name) => protocols.isEnabled(name),
        rawRoutes: [
          backupRoute({ store, version, audit: authority.audit }),
          ...overHttp.routes,
          ...metricsRoutes({
            ...{ store, chain, bus, clock, version, connections },
            cursors: server.engine.cursors,
            anchoring: server.proofs.job.counts,
            listeners: () => boundOf(protocols),
            isDraining: () => server.lifecycle.isDraining,
          }),
          ...chainRoutesOf(chain, host),
          mcpRoute({ version }),
        ],
      }),
    )
    return { http, tls, overHttp, switched }
  } catch (error) {
    await protocols.close(0)
    throw error
  }
}

/** The open connections of a key end with it. */
function closeWithKeys(wallets: Wallets, overHttp: KeyValueHttp, protocols: Protocols): void {
  wallets.closeEnded((matches) => {
    for (const listener of [overHttp, protocols]) listener.closeSessions(matches)
  })
}

/** 0 where it is switched off. */
function portsOf(protocols: Protocols): Readonly<Record<SwitchedProtocol, number>> {
  const [wire, redis, sql] = switchedProtocols.map((name) => protocols.port(name))
  return { wire: wire ?? 0, redis: redis ?? 0, sql: sql ?? 0 }
}

/** By name, whether each is bound; those that are meant to be closed are left out. */
function boundOf(protocols: Protocols): Readonly<Record<string, boolean>> {
  const meant = switchedProtocols.filter((name) => protocols.isEnabled(name))
  return { http: true, ...Object.fromEntries(meant.map((name) => [name, protocols.isOpen(name)])) }
}

/** Where clients reach this server. */
function placesOf(
  settings: Settings,
  listeners: Listeners | undefined,
  protocols: Protocols,
): ServerPlaces {
  const { HOST, DATABASE: database, PUBLIC_URL, TLS_CERT } = settings
  const isTls = TLS_CERT !== undefined
  const address = HOST.includes(':') ? `[${HOST}]` : HOST
  const ports = listeners === undefined ? noPorts : portsOf(protocols)
  const own = `${isTls ? 'https' : 'http'}://${address}:${listeners?.http.port ?? 0}`
  const url = PUBLIC_URL === undefined ? undefined : new URL(PUBLIC_URL)
  return {
    ...{ host: url?.hostname ?? address, http: url?.origin ?? own, isTls, ports, database },
  }
}

/**
 * Where wallets sign in: PUBLIC_URL, else the loopback names. On a network without PUBLIC_URL
 * nowhere: a message that another machine could ask for as well would prove nothing.
 */
function signInOrigins({ PUBLIC_URL: publicUrl, HOST, TLS_CERT }: Settings, port: number) {
  if (publicUrl === undefined && !isLoopback(HOST)) return []
  return pageOrigins({ publicUrl, port, isTls: TLS_CERT !== undefined })
}

/** The local chain's own JSON-RPC; a real chain has its own door. */
function chainRoutesOf({ local }: OpenChain, host: string) {
  if (local === undefined) return []
  return chainRoutes({ serve: (body) => local.serve(body), isLoopback: isLoopback(host) })
}

interface Parts {
  readonly bus: Bus
  readonly keyValue: KeyValueBus
  readonly listeners: Listeners
  readonly engine: Engine
  readonly wallets: Wallets
  readonly authority: Authority
  readonly chain: OpenChain
  readonly store: Store
  readonly heapRest: HeapRest | undefined
  readonly lifecycle: Lifecycle
  readonly protocols: Protocols
}

/** Listeners stop accepting and answer what they have taken; the store is let go last. */
async function close(parts: Parts): Promise<void> {
  const { bus, keyValue, engine, chain, store } = parts
  const { http, overHttp } = parts.listeners
  parts.lifecycle.isDraining = true
  parts.heapRest?.stop()
  let chainClosed: Promise<void> | undefined
  const closeChain = () => {
    chainClosed ??= chain.close()
    return chainClosed
  }
  // What waits for a block would wait for a minute.
  const impatience = setTimeout(() => {
    bus.killAll()
    void closeChain()
  }, shutdownMsMax / 2)
  overHttp.close()
  parts.wallets.close()
  await Promise.all([http.close(shutdownMsMax), parts.protocols.close(shutdownMsMax)])
  await Promise.all([bus.drain(), keyValue.drain()])
  clearTimeout(impatience)
  await parts.wallets.keyUse.close()
  await parts.authority.close()
  await closeChain()
  await engine.close()
  await store.close()
}

/** What settings say together; throws InvalidOptions, or answers what to warn of. */
function checkSettings(settings: Settings): string[] {
  const notes: string[] = []
  if (settings.EXPLORER_TX_URL !== undefined) requireTemplate(settings.EXPLORER_TX_URL)
  const local = isLoopback(settings.HOST)
  if (settings.AUTH_MODE === 'off') {
    if (!local) throw fail('InvalidOptions', `AUTH_MODE=off needs a loopback HOST`)
    notes.push('AUTH_MODE=off: everyone on this machine is the operator.')
  }
  if (settings.TEST_COMMANDS) notes.push(testCommandsNote(settings, local))
  for (const name of ['API_KEY', 'METRICS_TOKEN'] as const) {
    const secret = settings[name]
    if (secret === undefined || secret.length >= operatorKeyCharsMin) continue
    const text = `${name} is shorter than ${operatorKeyCharsMin} characters`
    if (!local) throw fail('InvalidOptions', `${text}; on a network it could be guessed`)
    notes.push(`${text}: it could be guessed.`)
  }
  if ((settings.TLS_CERT === undefined) !== (settings.TLS_KEY === undefined)) {
    throw fail('InvalidOptions', 'TLS_CERT and TLS_KEY go together')
  }
  if (settings.PUBLIC_URL === undefined && !local) {
    notes.push('PUBLIC_URL is not set: wallets cannot sign in, but by their keys.')
  } else if (settings.PUBLIC_URL !== undefined && !isWebAddress(settings.PUBLIC_URL)) {
    throw fail('InvalidOptions', `setting PUBLIC_URL=${settings.PUBLIC_URL}: not a web address`)
  }
  if (!local && !settings.explicit.has('WHITELIST')) {
    throw fail(
      'InvalidOptions',
      `HOST=${settings.HOST} is a network, where anybody could make a wallet and sign in: set ` +
        'WHITELIST=enforce to let in the listed ones alone, or WHITELIST=off to let in all',
    )
  }
  return notes
}

/** Whoever may arm fail points can stop every client: never where others reach the server. */
function testCommandsNote(settings: Settings, isLocal: boolean): string {
  const { PUBLIC_URL, TRUSTED_PROXIES } = settings
  if (!isLocal || PUBLIC_URL !== undefined || TRUSTED_PROXIES.length > 0) {
    const text = 'TEST_COMMANDS=1 needs a loopback HOST, no PUBLIC_URL and no TRUSTED_PROXIES'
    throw fail('InvalidOptions', text)
  }
  return 'WARNING: TEST_COMMANDS=1: commands can be made to fail. Never use it in production.'
}

/** Other schemes have no origin of their own: pages without one would pass for ours. */
function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

function readTls({ TLS_CERT, TLS_KEY }: Settings): CertificateFiles | undefined {
  if (TLS_CERT === undefined || TLS_KEY === undefined) return undefined
  return new CertificateFiles({ cert: TLS_CERT, key: TLS_KEY })
}
