// Gateways as processes on one PostgreSQL, and what may happen to them: kills of a gateway or of
// PostgreSQL, pauses, and connections between both that are cut or slow.

import type { Test } from 'tap'
import { CuttingProxy } from '../cutting-proxy.js'
import { type KilledSigil, startKilledSigil } from '../fixed-ports.js'
import { openPostgresServer, openReference, type PostgresServer } from '../postgres-reference.js'
import { addressOn } from '../shared-stores.js'
import { runSigil } from '../sigil-process.js'

export interface SharedGateway extends KilledSigil {
  /** Between it and PostgreSQL. */
  readonly proxy: CuttingProxy
}

export interface SharedServers {
  readonly gateways: readonly SharedGateway[]
  readonly postgres: PostgresServer
  /** As when a gateway has not renewed the row of this life for half a minute. */
  expire(life: string | undefined): Promise<void>
  /** Stops all gateways; what `sigil check` finds then, or undefined. */
  check(): Promise<string | undefined>
}

const common = {
  TOPOLOGY: 'router',
  RATE_LIMITS: 'off',
  DURABILITY: 'commit',
  PUBLIC_URL: 'http://localhost:4000',
}

/** They end with the test. */
export async function openSharedServers(t: Test, count: number): Promise<SharedServers> {
  const postgres = await openPostgresServer(t)
  const address = addressOn(postgres.folder)
  const schema = new URL(address).searchParams.get('schema')
  const through = ({ folder }: CuttingProxy) =>
    address.replace(encodeURIComponent(postgres.folder), encodeURIComponent(folder))
  const gateways: SharedGateway[] = []
  for (let at = 0; at < count; at++) {
    const proxy = await CuttingProxy.open(t, postgres.folder)
    const sigil = await startKilledSigil(t, { ...common, STORE: through(proxy) })
    gateways.push({ ...sigil, proxy })
  }
  const { query } = openReference(t, postgres.folder)
  return {
    gateways,
    postgres,
    expire: async (life) => {
      await query(
        `UPDATE ${schema}.heartbeats SET until = clock_timestamp() - interval '1 second'
         WHERE life = '${life}'`,
      )
    },
    check: async () => {
      await Promise.all(gateways.map(({ end }) => end()))
      const { code, output, errors } = await runSigil(['check'], { STORE: address })
      return code === 0 ? undefined : output + errors
    },
  }
}

interface FaultOptions {
  readonly servers: SharedServers
  readonly random: () => number
  /** How long a gateway is paused. Below the 30 seconds of a lease, rows are made to expire. */
  readonly pauseMs: number
  /** Called with the name of each. */
  note(name: string): void
}

/** Things that go wrong, one after the other; each is over when its promise resolves. */
export class Faults {
  /** What has happened. */
  readonly made: string[] = []
  isBusy = false
  private last = Promise.resolve()

  constructor(private readonly options: FaultOptions) {}

  next(): Promise<void> {
    this.isBusy = true
    this.last = this.makeOne().then(() => {
      this.isBusy = false
    })
    return this.last
  }

  /** Resolves when the last one is over. */
  idle(): Promise<void> {
    return this.last
  }

  private async makeOne(): Promise<void> {
    const { random, servers } = this.options
    const order = [...servers.gateways].sort(() => random() - 0.5)
    const [one, other] = order as [SharedGateway, SharedGateway]
    const kinds: Readonly<Record<string, () => Promise<void>>> = {
      'kill of a gateway': () => this.kill(one),
      'restart of PostgreSQL': () => servers.postgres.restart(),
      pause: () => this.pause(one, async () => undefined),
      'pause beside a kill': () => this.pause(one, () => this.kill(other)),
      'pause beside a restart of PostgreSQL': () =>
        this.pause(one, () => servers.postgres.restart()),
      'cut before a commit': async () => {
        one.proxy.next = 'cut before'
      },
      'cut after a commit': async () => {
        one.proxy.next = 'cut after'
      },
      'cut of all connections': async () => one.proxy.cutAll(),
      'slow connections': () => this.slow(one),
      'kill of all gateways': async () => {
        await Promise.all(servers.gateways.map((gateway) => this.kill(gateway)))
      },
    }
    const names = Object.keys(kinds)
    const name = names[Math.floor(random() * names.length)] as string
    this.made.push(name)
    this.options.note(name)
    await kinds[name]?.()
  }

  private async kill(gateway: SharedGateway): Promise<void> {
    const { pauseMs, servers } = this.options
    const { life } = gateway.proxy
    await gateway.restart()
    if (pauseMs < leaseMs) await servers.expire(life)
  }

  private async pause(gateway: SharedGateway, meanwhile: () => Promise<void>): Promise<void> {
    const { pauseMs, servers } = this.options
    gateway.signal('SIGSTOP')
    try {
      if (pauseMs < leaseMs) await servers.expire(gateway.proxy.life)
      await Promise.all([lasting(pauseMs), meanwhile()])
    } finally {
      gateway.signal('SIGCONT')
    }
  }

  private async slow({ proxy }: SharedGateway): Promise<void> {
    proxy.slowMs = 5 + Math.floor(this.options.random() * 25)
    await lasting(slowlyMs)
    proxy.slowMs = 0
  }
}

/** How long a gateway may be silent until others take its leases. */
const leaseMs = 30_000
const slowlyMs = 1_000

function lasting(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
