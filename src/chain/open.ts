// Opens the chain that the settings mean and keeps trying until it answers: Sigil serves meanwhile,
// and what needs the chain waits for it a little. On the local chain the first start deploys the
// contracts; on a real one each start verifies them. (docs/chain.md, "On a real chain")

import { existsSync } from 'node:fs'
import type { Clock } from '../base/clock.js'
import { chainWaitMs } from '../base/limits.js'
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

/** And for the first one of the local chain, which may have its contracts to deploy. */
export const localChainStartMsMax = 30_000

/** Between tries to bring the chain up, milliseconds; doubled up to a bound. */
const retryMs = 500
const retryMsMax = 15_000
/** What a chain that does not answer is waited for at the end. */
const closeMs = 1_000

interface ChainOptions {
  readonly settings: ChainSettings
  /** Folder of the local chain; undefined keeps it in memory. */
  readonly folder: string | undefined
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}

export interface ChainHealth {
  readonly mode: 'local' | 'remote'
  readonly chainId: number
  /** Number of the newest block that is known. */
  readonly head: number | null
  /** Milliseconds since it was last looked at. */
  readonly ageMs: number | null
  readonly ok: boolean
  /** Why not. */
  readonly problem?: string
}

/** The way to the anchor contract. */
export interface Anchors {
  /** False where the settings name no contract or no key to anchor with. */
  readonly isConfigured: boolean
  /** Rejects with CHAIN_UNAVAILABLE while the chain does not answer, and where none is set. */
  client(): Promise<AnchorClient>
}

export interface OpenChain {
  readonly kind: 'local' | 'remote'
  readonly chainId: number
  readonly registry: Registry
  readonly anchors: Anchors
  /** Of a local chain alone. What it answers is answered once its events have been taken in. */
  readonly local: Pick<LocalChain, 'serve' | 'fund' | 'request'> | undefined
  health(): ChainHealth
  close(): Promise<void>
}

/**
 * Throws InvalidOptions for settings that contradict each other; waits for no chain. A local chain
 * that was never asked anything begins when it is: nothing is lost by that, and a server whom no
 * wallet uses saves a second of each start and the EVM's memory.
 */
export function openChain(options: ChainOptions): OpenChain {
  const { settings, folder, store, clock, log } = options
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
  const local = () => {
    chain ??= openLocalChain({ folder, chainId, fund: [], clock, log })
    return chain
  }
  const connect = async () => {
    const chain = local()
    const { assembleLocal } = await loadConnect()
    return assembleLocal({ ...base, chain: await chain })
  }
  const opened = new Opened(chainId, local, base, ending, connect, true)
  if (folder !== undefined && existsSync(folder)) opened.begin()
  return opened
}

/**
 * With the first chain that is connected: a server that no wallet uses does without the 25 MB of
 * ethers. In parts, as all of it at once is a turn of 50 ms.
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
  /** When (elapsed) it began. */
  private begunMs = Number.NEGATIVE_INFINITY
  private problem = ''
  private wake: (() => void) | undefined

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
    // A failed attempt is being repeated: callers get the error meanwhile, and do not wait.
    if (this.problem !== '') throw unavailable(new ChainAway(this.problem))
    try {
      await inTime(this.begin(), this.kind === 'local' ? localChainStartMsMax : chainWaitMs)
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
    // One that begins when it is asked for, or has just begun, is as well as one that runs.
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
    // A start that hangs on its chain ends with the chain.
    const chain = await this.chain?.()
    const chainClosed = this.connected === undefined ? chain?.close() : undefined
    await inTime(this.up, closeMs).catch(() => {})
    // What hangs on an endpoint ends by itself, and then finds everything closed.
    if (this.connected !== undefined) await inTime(this.connected.close(), closeMs).catch(() => {})
    await (chainClosed ?? chain?.close())
  }

  /** A local chain that starts: callers wait for it meanwhile, and are not refused. */
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

  /** The local chain for clients: after a reply, Sigil has taken in the same block. */
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

/** Of what is no failure of the chain but of ours: the log shall tell where. */
function causeOf(error: unknown): string | undefined {
  if (error instanceof ChainAway || !(error instanceof Error)) return undefined
  return error.stack
}
