// The composition root: makes every part from the settings, and passes each its dependencies. No
// other code knows how the parts are combined.

import { join } from 'node:path'
import type { Clock, Random } from '../base/clock.js'
import { HeapRest, processHeap } from '../base/heap/heap-rest.js'
import { MemoryAccount } from '../base/heap/memory-account.js'
import { shutdownMsMax } from '../base/limits/connections.js'
import type { Log } from '../base/log.js'
import type { Settings } from '../base/settings.js'
import type { Scheduler } from '../base/work/scheduler.js'
import { Bus } from '../bus/document/bus.js'
import { FailPoint } from '../bus/document/fail-point.js'
import { MeteringHistory } from '../bus/metering-history.js'
import type { SwitchedProtocol } from '../bus/protocols.js'
import { type QuotaLimits, Quotas } from '../bus/quota.js'
import type { Services } from '../bus/services.js'
import { HomeLimit } from '../bus/spaces/home-limit.js'
import { SpaceChoice } from '../bus/spaces/space-choice.js'
import { openSpaceRule } from '../bus/spaces/space-rule.js'
import { type OpenChain, openChain } from '../chain/open.js'
import type { Registry } from '../chain/registry/registry.js'
import { failPointRow } from '../commands/document/server/fail-point.js'
import { documentRows } from '../commands/rows.js'
import { Lease } from '../engine/background/lease-job.js'
import { Engine } from '../engine/engine.js'
import { openSpills } from '../engine/sources/spill.js'
import { type Identity, identityKey, operator } from '../identity/identity.js'
import { OperatorKey, operatorRow } from '../identity/keys/operator.js'
import { OperatorSessions } from '../identity/sign-in/operator-sessions.js'
import { UserService } from '../identity/users/user-service.js'
import { pageOrigins } from '../listeners/http/core/guard.js'
import { loadMcp } from '../listeners/http/memory/mcp-route.js'
import { isLoopback } from '../listeners/network.js'
import { ensureDefaultGraph } from '../memory/graph/graph.js'
import { Proofs } from '../memory/proof/proofs.js'
import { arenaBytes, giveIdleArenas } from '../store/memtable/slab-arenas.js'
import { openStore } from '../store/open.js'
import type { Awaitable, Store } from '../store/store.js'
import { ObjectIds } from '../value/object-id.js'
import { Ulids } from '../value/ulids.js'
import { hasUsers, openAuthority } from './authority.js'
import { Ends } from './ends.js'
import { modeOf, openKeyValue } from './key-value.js'
import {
  addressForGateways,
  type Listeners,
  openListeners,
  placesOf,
  portsOf,
  type Server,
} from './open-listeners.js'
import { Protocols } from './protocols.js'
import { checkSettings } from './settings-check.js'
import { openSettled } from './settled.js'
import { noConnections } from './switched-listeners.js'
import { openWallets } from './wallets.js'

export interface GatewayOptions {
  readonly settings: Settings
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Of Sigil's package. */
  readonly version: string
  /** Instead of the store of STORE; closed with the gateway. */
  readonly store?: Store
  /** Called by the command `shutdown` to close the gateway; if missing, the command is refused. */
  readonly onShutdown?: () => void
}

export interface Gateway {
  /** 0 for a disabled protocol. */
  readonly ports: Readonly<Record<'http' | SwitchedProtocol, number>>
  /** The operator's key if this start made one; it is only known now. */
  readonly madeKey: string | undefined
  /** A one-time code for the operator's page; the one before ends. */
  makeCode(): Awaitable<string>
  /** Notes for the operator about this start, one sentence each. */
  readonly notes: readonly string[]
  /** The scheduler, for measurements of how long an owner waited. */
  readonly scheduler: Scheduler | undefined
  /**
   * Reloads the certificate for later handshakes; false if there is none. Throws InvalidOptions if
   * the new one is invalid: then the old one stays.
   */
  reloadTls(): boolean
  /** Refuses new work, finishes running work, closes everything; within seven seconds. */
  close(): Promise<void>
}

/** Opens the store, then the listeners. Rejects with one clear error, and leaves nothing open. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { settings, log } = options
  const notes = checkSettings(settings)
  const durability = settings.DURABILITY
  const opening = { durability, clock: options.clock, log }
  const store = options.store ?? (await openStore(settings.STORE, opening))
  const timed = { ...options, clock: store.sharedClock ?? options.clock }
  let chain: OpenChain | undefined
  try {
    chain = openChainFor(store, timed)
    return await openOver(store, chain, timed, notes)
  } catch (error) {
    await chain?.close()
    await store.close()
    throw error
  }
}

function openChainFor(store: Store, options: GatewayOptions): OpenChain {
  const { settings, clock, log } = options
  const data = /^lmdb:(.+)$/.exec(settings.STORE)?.[1]
  const folder = data === undefined ? undefined : join(data, 'chain')
  const lease = new Lease(store, 'local chain')
  return openChain({ settings, folder, mayHost: () => lease.hold(), store, clock, log })
}

async function openOver(
  store: Store,
  chain: OpenChain,
  options: GatewayOptions,
  notes: string[],
): Promise<Gateway> {
  const { settings, random } = options
  const { key, made } = await OperatorKey.open(store, { random, apiKey: settings.API_KEY })
  let listeners: Listeners | undefined
  const server = await openServer(store, chain, key, options, () => listeners, notes)
  const { authority, engine, wallets, protocols, proofs } = server
  store.exchange?.join()
  try {
    // Before a client waits: loading it is a turn of 80 ms.
    await loadMcp()
    listeners = await openListeners(options, server, notes)
    await store.gateways?.announce(addressForGateways(settings, listeners.http.port))
  } catch (error) {
    await authority.close()
    await engine.close()
    throw error
  }
  proofs.job.start()
  server.history.start()
  const { http, overHttp, tls } = listeners
  const { signIn } = authority
  signIn.servedAt(signInOrigins(settings, http.port))
  const close = (matches: (identity: Identity) => boolean): void => {
    for (const listener of [overHttp, protocols]) listener.closeSessions(matches)
  }
  const ends = new Ends(store.exchange, close)
  signIn.onEnded = ends.tell
  server.operatorSessions.onEnded = ends.tell
  wallets.keys.onEnded = ({ hash, source, address }) =>
    ends.tell({ kind: 'key', hash, source, address })
  server.users.onChanged = ({ database, name }) => ends.tell({ kind: 'user', database, name })
  wallets.closeRevoked(close)
  if (store.exchange !== undefined) {
    protocols.follow(engine.store)
    followKey(server, options.log, close)
  }
  const heap = processHeap(engine.memory, { bytes: arenaBytes, giveBack: giveIdleArenas })
  const heapRest = heap === undefined ? undefined : new HeapRest(heap)
  heapRest?.start()
  const parts: Parts = { ...server, listeners, heapRest }
  const ports = { http: http.port, ...portsOf(protocols) }
  const reloadTls = (): boolean => {
    tls?.reload()
    return tls !== undefined
  }
  const { scheduler } = store
  const makeCode = async () => (await server.operatorSessions.makeCode()).code
  return {
    ports,
    madeKey: made,
    makeCode,
    notes,
    scheduler,
    reloadTls,
    close: () => closeAll(parts),
  }
}

/** All services of the listeners, which call them once open. */
async function openServer(
  store: Store,
  chain: OpenChain,
  operatorKey: OperatorKey,
  options: GatewayOptions,
  listeners: () => Listeners | undefined,
  notes: string[],
): Promise<Server> {
  const { settings, clock, random, log, version } = options
  const common = { clock, random, log }
  const { rule, note } = await openSpaceRule(store, settings)
  if (note !== undefined) notes.push(note)
  const spaces = new SpaceChoice(settings.DATABASE, rule)
  const settled = openSettled(store.exchange)
  const homeLimits = { all: settings.HOMES_MAX, perAddress: settings.HOMES_PER_HOUR }
  const homes = new HomeLimit(clock, homeLimits, settled.counts)
  const spills = openSpills(settings, clock, random)
  const memory = new MemoryAccount(settings.MEMORY_BUDGET)
  const engine = new Engine({ store, ...common, spills, memory })
  const quotas = new Quotas(quotaLimitsOf(settings), settled.levels)
  engine.builds.resumedBound = quotas.requireDisk
  setBounds(engine, settings)
  await engine.start()
  const local = { isLoopback: isLoopback(settings.HOST) }
  const authority = await openAuthority({ settings, store, ...common, chain, ...local })
  const { rules, revocation, audit } = authority
  const { registry } = chain
  const users = new UserService({
    store,
    decoySecret: operatorKey.decoySecret,
    isOn: hasUsers(settings, local.isLoopback),
    ...local,
  })
  const opened = { settings, store, ...common, operator: operatorKey, registry, users }
  const wallets = openWallets({ ...opened, settled: settled.counts })
  const { credentials, keyLimit, keyUse } = wallets
  const ids = new ObjectIds(clock, random)
  const proofs = new Proofs({
    store: engine.store,
    ...common,
    pace: engine.pace,
    chain,
    explorerTemplate: settings.EXPLORER_TX_URL,
  })
  engine.attach(proofs.job)
  const protocols = new Protocols(store, log)
  const places = { spaces, homes }
  const below = { chain, engine, authority, wallets, users, quotas, proofs, protocols, ids, places }
  const bus = openBus(below, options, listeners)
  const limits = { rules, revocation, audit, keyLimit, keyUse, quotas }
  const keyValue = await openKeyValue({
    settings,
    engine,
    ...common,
    version,
    ...limits,
    credentials,
    counters: bus.counters,
    transactions: bus.transactions,
    ...places,
  })
  await openDefaultGraph(engine, spaces)
  const lifecycle = { isDraining: false }
  const shared = store.exchange === undefined ? undefined : store
  const operatorSessions = new OperatorSessions({ clock, random, store: shared })
  const history = new MeteringHistory(bus.counters, clock)
  const above = { operatorKey, operatorSessions, history, lifecycle, settled }
  return { ...below, store, bus, keyValue, ...above }
}

type BelowBus = Pick<
  Server,
  'chain' | 'engine' | 'authority' | 'wallets' | 'users' | 'quotas' | 'proofs' | 'protocols' | 'ids'
> & { readonly places: Pick<Services, 'spaces' | 'homes'> }

function setBounds({ changeRetention, cursors }: Engine, settings: Settings): void {
  cursors.perOwnerMax = settings.WALLET_CURSORS
  cursors.unbounded = identityKey(operator)
  changeRetention.retentionMs = settings.CHANGE_RETENTION
  changeRetention.bytesMax = settings.CHANGE_BYTES
  changeRetention.recordsAll = settings.CHANGES === 'all'
}

function openBus(
  { chain, engine, authority, wallets, users, quotas, proofs, protocols, ids, places }: BelowBus,
  { settings, clock, random, log, version, onShutdown }: GatewayOptions,
  listeners: () => Listeners | undefined,
): Bus {
  const { rules, revocation, audit, signIn } = authority
  const { credentials, keyLimit, keyUse, keys } = wallets
  const { TEST_COMMANDS: hasTests } = settings
  return new Bus(hasTests ? [...documentRows, failPointRow] : documentRows, engine, {
    clock,
    random,
    log,
    objectIds: ids,
    ulids: new Ulids(random),
    ...places,
    defaultPrivacy: settings.DEFAULT_PRIVACY,
    slowCommandMs: settings.SLOW_COMMAND_MS,
    topology: settings.TOPOLOGY,
    processId: ids.next(),
    version,
    rules,
    revocation,
    audit,
    signIn,
    credentials,
    keyLimit,
    keyUse,
    keys,
    users,
    quotas,
    proofs,
    places: () => placesOf(settings, listeners(), protocols),
    protocols,
    contractAddress: () => contractOf(chain.registry),
    connections: () => listeners()?.switched.connections() ?? noConnections,
    sessions: () => listeners()?.switched.sessions() ?? [],
    ...(onShutdown === undefined ? {} : { shutdown: onShutdown }),
    ...(hasTests ? { failPoint: new FailPoint({ chance: () => chanceOf(random) }) } : {}),
  })
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
async function openDefaultGraph({ store, clock }: Engine, spaces: SpaceChoice): Promise<void> {
  const space = { owner: null, mode: modeOf(spaces.rule), now: clock.now() }
  await store.write((tx) => ensureDefaultGraph(tx, spaces.main, space))
}

/** From 0 to below 1. */
function chanceOf(random: Random): number {
  return Buffer.from(random.bytes(4)).readUInt32LE() / 2 ** 32
}

/** Undefined until the first start has found or deployed the contract. */
function contractOf(registry: Registry): string | undefined {
  return registry.state() === 'ready' ? registry.contract : undefined
}

/** Another gateway, or the program `operator-key`, may replace the operator's key. */
function followKey(
  { engine, operatorKey }: Server,
  log: Log,
  close: (matches: (identity: Identity) => boolean) => void,
): void {
  engine.store.observeAnywhere(operatorRow, () => {
    operatorKey.reload(engine.store).then(
      (isOther) => isOther && close(({ kind }) => kind === 'operator'),
      (error: unknown) => log.warn({ error: String(error) }, "the operator's key was not read"),
    )
  })
}

/**
 * Origins where wallets sign in: PUBLIC_URL, else the loopback names. On a network without
 * PUBLIC_URL there are none: another machine could request the same message, so it would prove
 * nothing.
 */
function signInOrigins({ PUBLIC_URL: publicUrl, HOST, TLS_CERT }: Settings, port: number) {
  if (publicUrl === undefined && !isLoopback(HOST)) return []
  return pageOrigins({ publicUrl, port, isTls: TLS_CERT !== undefined })
}

interface Parts extends Server {
  readonly listeners: Listeners
  readonly heapRest: HeapRest | undefined
}

/** Listeners stop accepting and answer their running requests; the store closes last. */
async function closeAll(parts: Parts): Promise<void> {
  const { bus, keyValue, engine, chain, store } = parts
  const { http, overHttp } = parts.listeners
  parts.lifecycle.isDraining = true
  parts.heapRest?.stop()
  parts.history.close()
  let chainClosed: Promise<void> | undefined
  const closeChain = () => {
    chainClosed ??= chain.close()
    return chainClosed
  }
  // A request that waits for a block could wait for a minute.
  const impatience = setTimeout(() => {
    bus.killAll()
    void closeChain()
  }, shutdownMsMax / 2)
  overHttp.close()
  parts.wallets.close()
  const ends = Promise.all([http.close(shutdownMsMax), parts.protocols.close(shutdownMsMax)])
  // Every driver has a hello that waits; the sockets close after its reply.
  bus.hurryAll()
  await ends
  await Promise.all([bus.drain(), keyValue.drain()])
  parts.settled.close()
  clearTimeout(impatience)
  await parts.wallets.keyUse.close()
  await parts.authority.close()
  await closeChain()
  await engine.close()
  await store.close()
}
