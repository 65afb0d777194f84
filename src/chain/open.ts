// Opens the chain of the settings and retries until it answers. Sigil serves meanwhile; commands
// that need the chain wait for a short time. On the local chain the first start deploys the
// contracts; on a real one each start verifies them. (docs/chain.md, "On a real chain")

import { existsSync } from 'node:fs'
import type { Clock } from '../base/clock.js'
import { chainWaitMs } from '../base/limits/chain.js'
import type { Log } from '../base/log.js'
import type { Store } from '../store/store.js'
import type { AnchorClient } from './anchors/anchor-client.js'
import type { Connected } from './connect.js'
import { type LocalChain, openLocalChain } from './local/open.js'
import type { CallRequest, KeyStatus, Registry } from './registry/registry.js'
import { type RegistryClient, requireRelay } from './registry/registry-client.js'
import { ChainAway, reasonOf, unavailable } from './remote/away.js'
import { inTime } from './remote/head.js'
import { Remote } from './remote/remote.js'
import type { MetaRelay } from './sending/meta-relay.js'
import { type ChainSettings, planChain } from './settings.js'

/** For the first start of a local chain, which may have to deploy its contracts. */
export const localChainStartMsMax = 30_000

/** Pause between attempts to connect, milliseconds; doubled up to a bound. */
const retryMs = 500
const retryMsMax = 15_000
/** How long closing waits for a chain that does not answer. */
const closeMs = 1_000

interface ChainOptions {
  readonly settings: ChainSettings
  /** Folder of the local chain; undefined keeps it in memory. */
  readonly folder: string | undefined
  /** Whether this gateway may start the local chain; default: it may. */
  readonly mayHost?: () => Promise<boolean>
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}

export interface ChainHealth {
  readonly mode: 'local' | 'remote'
  readonly chainId: number
  /** Number of the newest known block. */
  readonly head: number | null
  /** Milliseconds since the last poll. */
  readonly ageMs: number | null
  readonly ok: boolean
  /** The reason, if it is not ready. */
  readonly problem?: string
}

/** Access to the anchor contract. */
export interface Anchors {
  /** False if the settings lack a contract or a key for anchors. */
  readonly isConfigured: boolean
  /** Rejects with CHAIN_UNAVAILABLE while the chain does not answer, or if none is set. */
  client(): Promise<AnchorClient>
}

export interface OpenChain {
  readonly kind: 'local' | 'remote'
  readonly chainId: number
  readonly registry: Registry
  readonly anchors: Anchors
  /** Only for a local chain. It responds after Sigil has processed the events. */
  readonly local: Pick<LocalChain, 'serve' | 'fund' | 'request'> | undefined
  health(): ChainHealth
  close(): Promise<void>
}

/**
 * Throws InvalidOptions for contradictory settings; does not wait for the chain. A local chain
 * starts at its first use: a server without wallets saves a second at each start and the EVM's
 * memory.
 */
export function openChain(options: ChainOptions): OpenChain {
  const { settings, folder, mayHost = async () => true, store, clock, log } = options
  const plan = planChain(settings)
  const ending = new AbortController()
  const base = { store, clock, log, signal: ending.signal }
  if (plan.kind === 'remote') {
    const remote = new Remote({ ...plan, clock, log })
    const connect = async () => {
      const { assembleRemote } = await loadConnect()
      return assembleRemote({ ...plan, ...base, remote })
    }
    const canAnchor = plan.anchor !== undefined && plan.anchorKey !== undefined
    const opened = new Opened(plan.chainId, undefined, base, ending, connect, canAnchor)
    opened.begin()
    return opened
  }
  const { chainId } = plan
  let chain: Promise<LocalChain> | undefined
  const start = async () => {
    if (ending.signal.aborted) throw new ChainAway('Sigil is closing')
    if (!(await mayHost())) throw new ChainAway('another gateway has the local chain')
    return openLocalChain({ folder, chainId, fund: [], clock, log })
  }
  const local = () => {
    chain ??= start().catch((error: unknown) => {
      chain = undefined
      throw error
    })
    return chain
  }
  const connect = async () => {
    // Together: the chain may be refused while the code is still being loaded.
    const [chain, { assembleLocal }] = await Promise.all([local(), loadConnect()])
    return assembleLocal({ ...base, chain })
  }
  const opened = new Opened(chainId, local, base, ending, connect, true)
  if (folder !== undefined && existsSync(folder)) opened.begin()
  return opened
}

/**
 * Loads the code with the first chain: a server without wallets saves the 25 MB of ethers. In
 * parts, because loading all at once would block for 50 ms.
 */
async function loadConnect(): Promise<typeof import('./connect.js')> {
  await import('ethers/crypto')
  await import('ethers/hash')
  await import('ethers/wallet')
  return import('./connect.js')
}

class Opened implements OpenChain, Registry {
  readonly kind: 'local' | 'remote'
  readonly chainId: number
  readonly registry: Registry = this
  readonly anchors: Anchors
  readonly local: OpenChain['local']
  private readonly chain: (() => Promise<LocalChain>) | undefined
  private readonly clock: Clock
  private readonly log: Log
  private readonly ending: AbortController
  private readonly connect: () => Promise<Connected>
  private readonly listeners = new Set<(address: string, index: number) => void>()
  private connected: Connected | undefined
  private up: Promise<void> | undefined
  /** Start time (elapsed). */
  private begunMs = Number.NEGATIVE_INFINITY
  private problem = ''
  private wake: (() => void) | undefined
  /** Rejects when the first start of a local chain has failed: callers do not wait for the next. */
  private readonly refused: Promise<never>
  private refuse: (error: Error) => void = () => {}

  constructor(
    chainId: number,
    chain: (() => Promise<LocalChain>) | undefined,
    { clock, log }: Pick<ChainOptions, 'clock' | 'log'>,
    ending: AbortController,
    connect: () => Promise<Connected>,
    canAnchor: boolean,
  ) {
    this.anchors = { isConfigured: canAnchor, client: () => this.anchorClient() }
    this.kind = chain === undefined ? 'remote' : 'local'
    this.chainId = chainId
    this.chain = chain
    this.local = chain === undefined ? undefined : this.settled(chain)
    this.clock = clock
    this.log = log
    this.ending = ending
    this.connect = connect
    this.refused = new Promise((_, reject) => {
      this.refuse = reject
    })
    this.refused.catch(() => {})
  }

  begin(): Promise<void> {
    if (this.up === undefined) {
      this.begunMs = this.clock.elapsed()
      this.up = this.bringUp()
      this.up.catch(() => {})
    }
    return this.up
  }

  get contract(): string {
    return this.need().reader.contract
  }

  get relays(): boolean {
    return this.connected?.relay !== undefined
  }

  get head(): string | undefined {
    return this.connected?.head.settled?.hash
  }

  state(): 'ready' | 'starting' | 'unavailable' {
    if (this.connected === undefined) {
      this.begin()
      return this.problem === '' ? 'starting' : 'unavailable'
    }
    return this.connected.head.isFresh ? 'ready' : 'unavailable'
  }

  async ready(): Promise<void> {
    if (this.connected !== undefined) return
    // A retry is running: callers get the last error and do not wait.
    if (this.problem !== '') throw unavailable(new ChainAway(this.problem))
    const up = this.begin()
    try {
      if (this.kind === 'remote') await inTime(up, chainWaitMs)
      else await inTime(Promise.race([up, this.refused]), localChainStartMsMax)
    } catch (error) {
      throw unavailable(error)
    }
  }

  async getKey(address: string, index: number) {
    return (await this.client()).getKey(address, index)
  }

  async account(address: string) {
    return (await this.client()).account(address)
  }

  async firstActive(address: string) {
    return (await this.client()).firstActive(address)
  }

  async candidates(commitment: string) {
    return (await this.client()).candidates(commitment)
  }

  async call(request: CallRequest): Promise<string> {
    return (await this.client()).call(request)
  }

  async code(address: string): Promise<string> {
    return (await this.client()).code(address)
  }

  keyStatus(address: string, index: number): KeyStatus {
    if (this.connected === undefined) this.begin()
    return this.connected?.client.keyStatus(address, index) ?? 'unknown'
  }

  onRevoked(listener: (address: string, index: number) => void): () => void {
    this.listeners.add(listener)
    return () => {
      this.listeners.delete(listener)
    }
  }

  typedData() {
    return this.need().typedData
  }

  chainTime(): number {
    return this.need().chainTime()
  }

  async registerMeta(...args: Parameters<Registry['registerMeta']>) {
    return (await this.relay()).register(...args)
  }

  async revokeMeta(...args: Parameters<Registry['revokeMeta']>) {
    return (await this.relay()).revoke(...args)
  }

  async rotateMeta(...args: Parameters<Registry['rotateMeta']>) {
    return (await this.relay()).rotate(...args)
  }

  health(): ChainHealth {
    const { kind: mode, chainId, connected } = this
    const head = connected?.head.current
    // A chain that starts on demand, or is starting, counts as healthy.
    const ok = this.up === undefined || this.isStarting || connected?.head.isFresh === true
    const problem = connected === undefined ? this.problem : (connected.head.trouble ?? 'no answer')
    return {
      mode,
      chainId,
      head: head?.number ?? null,
      ok,
      ageMs: head === undefined ? null : Math.round(connected?.head.ageMs ?? 0),
      ...(ok || problem === '' ? {} : { problem }),
    }
  }

  async close(): Promise<void> {
    this.ending.abort()
    this.wake?.()
    if (this.up === undefined) {
      this.up = Promise.reject(new ChainAway('Sigil is closing'))
      this.up.catch(() => {})
      return
    }
    // A start that waits for its chain ends with the chain.
    const chain = await this.chain?.().catch(() => undefined)
    const chainClosed = this.connected === undefined ? chain?.close() : undefined
    await inTime(this.up, closeMs).catch(() => {})
    // A call that waits for an endpoint ends later, and then finds everything closed.
    if (this.connected !== undefined) await inTime(this.connected.close(), closeMs).catch(() => {})
    await (chainClosed ?? chain?.close())
  }

  /** The local chain is starting: callers wait for it and are not refused. */
  private get isStarting(): boolean {
    if (this.kind === 'remote' || this.connected !== undefined || this.problem !== '') return false
    return this.clock.elapsed() - this.begunMs < localChainStartMsMax
  }

  private async bringUp(): Promise<void> {
    for (let pauseMs = retryMs; ; pauseMs = Math.min(2 * pauseMs, retryMsMax)) {
      try {
        this.connected = await this.connect()
        this.connected.onRevoked((address, index) => {
          for (const listener of this.listeners) listener(address, index)
        })
        if (this.problem !== '') this.log.info('chain: answers')
        this.problem = ''
        return
      } catch (error) {
        if (this.ending.signal.aborted) throw new ChainAway('Sigil is closing')
        const why = reasonOf(error)
        if (why !== this.problem) this.log.error({ why, cause: causeOf(error) }, 'chain: not ready')
        this.problem = why
        if (this.kind === 'local') this.refuse(new ChainAway(why))
      }
      await this.pause(pauseMs)
      if (this.ending.signal.aborted) throw new ChainAway('Sigil is closing')
    }
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      timer.unref()
      this.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  private async client(): Promise<RegistryClient> {
    if (this.connected === undefined) await this.ready()
    return this.need().client
  }

  private async anchorClient(): Promise<AnchorClient> {
    await this.ready()
    const { anchors } = this.need()
    if (anchors === undefined) throw unavailable(new ChainAway('no anchor contract is set'))
    return anchors
  }

  private async relay(): Promise<MetaRelay> {
    await this.ready()
    return requireRelay(this.need().relay)
  }

  private need(): Connected {
    if (this.connected !== undefined) return this.connected
    this.begin()
    throw unavailable(new ChainAway(this.problem === '' ? 'it is starting' : this.problem))
  }

  /** The local chain for clients: before it replies, Sigil has processed the same block. */
  private settled(chain: () => Promise<LocalChain>): NonNullable<OpenChain['local']> {
    const after = async <T>(work: (local: LocalChain) => Promise<T>): Promise<T> => {
      if (this.connected === undefined) this.begin()
      const done = await work(await chain())
      await this.connected?.head.fresh().catch(() => {})
      return done
    }
    return {
      serve: (body) => after((local) => local.serve(body)),
      request: (request) => after((local) => local.request(request)),
      fund: (address, wei) => after((local) => local.fund(address, wei)),
    }
  }
}

/** For a bug of Sigil, not a failure of the chain: the log gets the stack. */
function causeOf(error: unknown): string | undefined {
  if (error instanceof ChainAway || !(error instanceof Error)) return undefined
  return error.stack
}
