// The composition root: settings in, listeners out. Every part is made here and handed what it
// needs; nothing else knows how the parts are put together.

import { readFileSync } from 'node:fs'
import type { Clock, Random } from './base/clock.js'
import { fail } from './base/errors.js'
import { operatorKeyCharsMin, shutdownMsMax } from './base/limits.js'
import type { Log } from './base/log.js'
import { defaultPort, type SettingName, type Settings } from './base/settings.js'
import { Bus } from './bus/bus.js'
import type { KeyValueBus } from './bus/keyvalue/bus.js'
import { documentRows } from './commands/rows.js'
import { Engine } from './engine/engine.js'
import { operator } from './identity/identity.js'
import { OperatorKey } from './identity/operator.js'
import { openKeyValue } from './key-value.js'
import { ByteBudget } from './listeners/budget.js'
import { backupRoute } from './listeners/http/backup.js'
import { openHealth } from './listeners/http/health.js'
import { KeyValueHttp } from './listeners/http/key-value-http.js'
import { type HttpListener, openHttp } from './listeners/http/server.js'
import { openResp, type RespListener } from './listeners/resp.js'
import { isLoopback, openWire, type WireListener } from './listeners/wire.js'
import { openStore } from './store/open.js'
import type { Store } from './store/store.js'
import { ObjectIds } from './value/object-id.js'

export interface GatewayOptions {
  readonly settings: Settings
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Of Sigil's package. */
  readonly version: string
}

export interface Gateway {
  readonly ports: { readonly http: number; readonly wire: number; readonly redis: number }
  /** The operator's key where this start made one: the only time that it is known. */
  readonly madeKey: string | undefined
  /** What the operator should know of this start, a sentence each. */
  readonly notes: readonly string[]
  /** Refuses new work, finishes what is in flight, closes everything; within five seconds. */
  close(): Promise<void>
}

/** Opens the store, then the listeners. Rejects with one clear error, and nothing is left open. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { settings, clock, log } = options
  const notes = checkSettings(settings)
  const store = await openStore(settings.STORE, { durability: settings.DURABILITY, clock, log })
  try {
    return await openOver(store, options, notes)
  } catch (error) {
    await store.close()
    throw error
  }
}

async function openOver(store: Store, options: GatewayOptions, notes: string[]): Promise<Gateway> {
  const { settings, clock, random, log, version } = options
  const { key, made } = await OperatorKey.open(store, { random, apiKey: settings.API_KEY })
  const engine = new Engine({ store, clock, random, log })
  await engine.start()
  const objectIds = new ObjectIds(clock, random)
  let wire: WireListener | undefined
  const bus = new Bus(documentRows, engine, {
    clock,
    random,
    log,
    objectIds,
    defaultPrivacy: settings.DEFAULT_PRIVACY,
    slowCommandMs: settings.SLOW_COMMAND_MS,
    version,
    credentials: key,
    connections: () => wire?.connections() ?? { current: 0, available: 0, totalCreated: 0 },
  })
  const keyValue = await openKeyValue({
    ...{ settings, engine, clock, random, log, version },
    credentials: key,
    counters: bus.counters,
  })
  const tls = readTls(settings)
  const host = settings.HOST
  const authOff = settings.AUTH_MODE === 'off'
  const budget = new ByteBudget(settings.MEMORY_BUDGET)
  const overHttp = new KeyValueHttp({ bus: keyValue, clock, log, authOff })
  let http: HttpListener | undefined
  let resp: RespListener | undefined
  try {
    resp = await onPort(settings, 'REDIS_PORT', notes, (port) =>
      openResp({
        ...{ host, port, tls, authOff, budget, clock, log, bus: keyValue },
        allowInsecure: settings.ALLOW_INSECURE,
      }),
    )
    wire = await onPort(settings, 'WIRE_PORT', notes, (port) =>
      openWire({
        ...{ host, port, tls, authOff, bus, credentials: key, budget, clock, random, log },
        allowInsecure: settings.ALLOW_INSECURE,
      }),
    )
    const wirePort = wire.port
    http = await onPort(settings, 'HTTP_PORT', notes, (port) =>
      openHttp({
        ...{ host, port, tls, authOff, bus, clock, random, log, budget, ids: objectIds },
        isTls: tls !== undefined,
        isLoopback: isLoopback(host),
        allowInsecure: settings.ALLOW_INSECURE,
        publicUrl: settings.PUBLIC_URL,
        allowedHosts: settings.ALLOWED_HOSTS,
        trustedProxies: settings.TRUSTED_PROXIES,
        database: settings.DATABASE,
        rateLimits: settings.RATE_LIMITS === 'on',
        identify: (given) => (key.matches(given) ? operator : undefined),
        health: (httpPort) => openHealth({ store, clock, version, httpPort, wirePort }),
        rawRoutes: [backupRoute({ store, version }), ...overHttp.routes],
      }),
    )
  } catch (error) {
    await Promise.all([resp?.close(0), wire?.close(0)])
    await engine.close()
    throw error
  }
  const ports = { http: http.port, wire: wire.port, redis: resp.port }
  const parts: Parts = { bus, keyValue, http, overHttp, wire, resp, engine, store }
  return { ports, madeKey: made, notes, close: () => close(parts) }
}

interface Parts {
  readonly bus: Bus
  readonly keyValue: KeyValueBus
  readonly resp: RespListener
  readonly http: HttpListener
  readonly overHttp: KeyValueHttp
  readonly wire: WireListener
  readonly engine: Engine
  readonly store: Store
}

/** Listeners stop accepting and answer what they have taken; the store is let go last. */
async function close(parts: Parts): Promise<void> {
  const { bus, keyValue, http, overHttp, wire, resp, engine, store } = parts
  const impatience = setTimeout(() => bus.killAll(), shutdownMsMax / 2)
  overHttp.close()
  await Promise.all([http, wire, resp].map((listener) => listener.close(shutdownMsMax)))
  await Promise.all([bus.drain(), keyValue.drain()])
  clearTimeout(impatience)
  await engine.close()
  await store.close()
}

/** What settings say together; throws InvalidOptions, or answers what to warn of. */
function checkSettings(settings: Settings): string[] {
  const notes: string[] = []
  const local = isLoopback(settings.HOST)
  if (settings.AUTH_MODE === 'off') {
    if (!local) throw fail('InvalidOptions', `AUTH_MODE=off needs a loopback HOST`)
    notes.push('AUTH_MODE=off: everyone on this machine is the operator.')
  }
  const { API_KEY } = settings
  if (API_KEY !== undefined && API_KEY.length < operatorKeyCharsMin) {
    const text = `API_KEY is shorter than ${operatorKeyCharsMin} characters`
    if (!local) throw fail('InvalidOptions', `${text}; on a network it could be guessed`)
    notes.push(`${text}: it could be guessed.`)
  }
  if ((settings.TLS_CERT === undefined) !== (settings.TLS_KEY === undefined)) {
    throw fail('InvalidOptions', 'TLS_CERT and TLS_KEY go together')
  }
  if (settings.PUBLIC_URL !== undefined && !URL.canParse(settings.PUBLIC_URL)) {
    throw fail('InvalidOptions', `setting PUBLIC_URL=${settings.PUBLIC_URL}: not an address`)
  }
  return notes
}

function readTls(settings: Settings): { cert: Buffer; key: Buffer } | undefined {
  const { TLS_CERT, TLS_KEY } = settings
  if (TLS_CERT === undefined || TLS_KEY === undefined) return undefined
  try {
    return { cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) }
  } catch (error) {
    throw fail('InvalidOptions', `TLS: ${error instanceof Error ? error.message : error}`)
  }
}

/** A default port that is taken gives way to a free one; one that was asked for is an error. */
async function onPort<T extends { readonly port: number }>(
  settings: Settings,
  name: SettingName & `${string}_PORT`,
  notes: string[],
  open: (port: number) => Promise<T>,
): Promise<T> {
  const port = settings[name]
  try {
    return await open(port)
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'EACCES') throw fail('InvalidOptions', `${name}=${port}: permission denied`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw fail('InvalidOptions', `HOST=${settings.HOST} is not an address of this machine`)
    }
    if (code !== 'EADDRINUSE') throw error
    if (port !== defaultPort(name) || settings.explicit.has(name)) {
      throw fail('InvalidOptions', `${name}=${port}: the port is in use`)
    }
  }
  const opened = await open(0)
  notes.push(`Port ${port} is in use; ${name} took ${opened.port} instead.`)
  return opened
}
