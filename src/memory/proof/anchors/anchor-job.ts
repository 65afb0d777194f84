// The anchoring job: anchors graphs with enough waiting memories, with an old one, or with a
// request, all in one transaction. Each step is first in the store and then on the chain, so the
// process may be killed at any time. (docs/memory.md, "Verify"; docs/chain.md, "What anchoring
// costs")

import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Clock, Random } from '../../../base/clock.js'
import { GatewayError } from '../../../base/errors.js'
import {
  anchorDueMemories,
  anchorDueMs,
  anchorPayMs,
  anchorsAtOnce,
} from '../../../base/limits/memory.js'
import type { Log } from '../../../base/log.js'
import type { Anchors } from '../../../chain/open.js'
import { reasonOf } from '../../../chain/remote/away.js'
import { BackgroundLoop } from '../../../engine/background/background-loop-job.js'
import { Lease, LeaseLost } from '../../../engine/background/lease-job.js'
import type { Pace } from '../../../engine/background/pace-job.js'
import type { Program, ReadTx, Store } from '../../../store/store.js'
import { findGraph } from '../../graph/graph.js'
import { type GraphKeys, graphKeys } from '../../graph/graph-key.js'
import {
  type GraphPath,
  graphsFrom,
  partsOfPath,
  removeWaiting,
  waitingGraphs,
} from '../../graph/graph-names.js'
import { graphPrograms } from '../graph-programs.js'
import type { MerkleRoots } from '../leaves/merkle-roots.js'
import { type Anchor, isUnsent } from './anchor.js'
import { type Waiting, waitingIn } from './anchor-batch.js'
import { noteFailure } from './anchor-chain.js'
import { finishMarking, makeAnchor } from './anchor-making.js'
import { type AnchoringGraph, AnchorSender } from './anchor-sender.js'
import { newestAnchors } from './anchors.js'

/** The pause after the first failed attempt, then doubled. */
const anchorRetryMs = 10_000

/** Interval of polls for due graphs and for confirmations. */
const anchorPollMs = 5_000
/** Graphs of one round, 0.1 ms each; and of one turn within it. */
export const anchorGraphsAtOnce = 500
const anchorGraphsInTurn = 20
/** Interval of checks whether the chain still has the newest root of each graph. */
export const anchorRecheckMs = 600_000

export interface AnchorJobParts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly pace: Pace
  readonly anchors: Anchors
  readonly roots: MerkleRoots
  /** Pause between rounds; anchorPollMs by default. */
  readonly pollMs?: number
  /** Least time between transactions. */
  readonly payEveryMs: number
}

/** Since the start: anchored memories, transactions, failed attempts. */
export interface AnchorCounts {
  memories: number
  transactions: number
  failures: number
}

/** What a graph currently needs. */
interface State {
  readonly waiting: Waiting
  /** Anchors were requested and not all of them are made. */
  readonly isRequested: boolean
  /** Two anchors wait for a transaction, so a third is not made, even on request. */
  readonly isQueued: boolean
  readonly newest: Anchor | undefined
  readonly keys: GraphKeys
  readonly owner: string | null
}

type Graph = State & AnchoringGraph

export class AnchorJob {
  readonly counts: AnchorCounts = { memories: 0, transactions: 0, failures: 0 }
  private readonly loop: BackgroundLoop
  private readonly lease: Lease
  private readonly sender: AnchorSender
  /** Graphs for the next transaction; their settings have the request. */
  private readonly requested = new Set<string>()
  /** Graphs with unsent anchors at their last check. */
  private readonly waiting = new Set<string>()
  /** Those of them with overdue memories: they go first. */
  private readonly overdue = new Set<string>()
  /** Anchors were requested since the round started. */
  private isWoken = false
  private failuresInRow = 0
  /** All monotonic. */
  private triedMs = Number.NEGATIVE_INFINITY
  private sentMs = Number.NEGATIVE_INFINITY
  private retryAtMs = Number.NEGATIVE_INFINITY
  private recheckedMs = Number.NEGATIVE_INFINITY
  private toldOfPaceMs = Number.NEGATIVE_INFINITY
  /** This round also checks earlier anchors on the chain. */
  private isRecheck = false
  /** Where the next round starts among all graphs, and among the changed ones. */
  private nextOfAll: Bytes | undefined
  private nextChanged: Bytes | undefined
  /** The changed ones of this round. */
  private changed = new Set<GraphPath>()

  constructor(private readonly parts: AnchorJobParts) {
    const { store, pace, log, pollMs: everyMs = anchorPollMs } = parts
    this.lease = new Lease(store, 'anchoring')
    this.sender = new AnchorSender({
      log,
      isClosed: () => this.loop.isClosed,
      mayStill: () => this.lease.hold(),
    })
    this.loop = new BackgroundLoop({
      pace,
      log,
      everyMs,
      sleepsFirst: false,
      failure: 'anchoring memories failed; it will be tried again',
      round: () => this.round(),
    })
  }

  start(): void {
    if (this.parts.anchors.isConfigured) this.loop.start()
  }

  async close(): Promise<void> {
    await this.loop.close()
    await this.lease.release().catch(() => {})
  }

  /** Queues a requested graph for the next transaction. */
  request(graph: GraphPath): void {
    this.requested.add(graph)
    this.hurry()
  }

  /** Sends as soon as possible, and retries failed anchors. */
  hurry(): void {
    this.isWoken = true
    this.retryAtMs = Math.min(this.retryAtMs, this.triedMs + this.parts.payEveryMs)
    this.loop.wake()
  }

  /** True: more work is due now, or anchors were requested since it started. */
  async round(): Promise<boolean> {
    this.isWoken = false
    const hasMore = await this.work().catch((error: unknown) => {
      if (error instanceof LeaseLost) return false
      throw error
    })
    return hasMore || (this.isWoken && this.maySend())
  }

  /** True: more work is due now. */
  private async work(): Promise<boolean> {
    if (!(await this.lease.hold())) return false
    const maySend = this.maySend()
    const names = await this.next(maySend)
    const graphs = await this.needy(names, maySend)
    if (graphs.length === 0) return false
    for (const graph of graphs) await this.gather(graph, maySend)
    if (this.loop.isClosed || this.isResting()) return false
    return this.anchor(graphs, maySend)
  }

  /** Whether it pauses after a failure. */
  private isResting(): boolean {
    return this.parts.clock.elapsed() < this.retryAtMs
  }

  /** A transaction costs gas, so requests within some time share the next one. */
  private maySend(): boolean {
    const { clock, payEveryMs } = this.parts
    return !this.isResting() && clock.elapsed() >= this.sentMs + payEveryMs
  }

  /** The graphs of this round: changed ones, and a page of all. */
  private async next(maySend: boolean): Promise<Set<GraphPath>> {
    const { store, clock } = this.parts
    if (this.nextOfAll === undefined) {
      this.isRecheck = clock.elapsed() - this.recheckedMs >= anchorRecheckMs
      if (this.isRecheck) this.recheckedMs = clock.elapsed()
    }
    const [from, fromChanged] = [this.nextOfAll, this.nextChanged]
    const all = await store.read((tx) => graphsFrom(tx, from, anchorGraphsAtOnce))
    const changed = await store.read((tx) => waitingGraphs(tx, fromChanged, anchorGraphsAtOnce))
    this.nextOfAll = all.next
    this.nextChanged = changed.next
    this.changed = new Set(changed.paths)
    const page = [...changed.paths, ...all.paths]
    if (!maySend) return new Set(page)
    const requested = [...this.requested]
    this.requested.clear()
    return new Set([...requested, ...this.waiting, ...page])
  }

  /** The graph is only checked with all others again, unless it changes. */
  private rest(path: GraphPath): Promise<void> {
    const look = (tx: ReadTx) => this.look(tx, path)
    return this.lease.runner.write(function* (tx) {
      const state = yield* look(tx)
      if (isAtRest(state)) removeWaiting(tx, path)
    })
  }

  /** Those with work to do. */
  private async needy(names: Iterable<string>, maySend: boolean): Promise<Graph[]> {
    const { store, pace } = this.parts
    const { runner } = this.lease
    const graphs: Graph[] = []
    let looked = 0
    for (const name of names) {
      if (++looked % anchorGraphsInTurn === 0) await pace.rest()
      if (this.loop.isClosed) return []
      const state = await store.read((tx) => this.look(tx, name))
      const isWaiting = this.note(name, state)
      if (isAtRest(state) && this.changed.delete(name)) await this.rest(name)
      if (state === undefined) continue
      const isOpen = state.newest !== undefined && state.newest.status !== 'confirmed'
      const isChecked = this.isRecheck && state.newest !== undefined
      if (isOpen || isChecked || (isWaiting && maySend)) {
        graphs.push({ ...state, name, programs: graphPrograms(runner, ...partsOfPath(name)) })
      }
    }
    return graphs
  }

  /** Records whether a graph has something for the next transaction. */
  private note(name: string, state: State | undefined): boolean {
    const unsent = isUnsent(state?.newest) ? state?.newest : undefined
    const isDue = state !== undefined && this.isDue(state)
    if (this.isOld(unsent?.createdAt) || this.isOld(state?.waiting.since)) this.overdue.add(name)
    if (unsent !== undefined || isDue) this.waiting.add(name)
    else for (const set of [this.waiting, this.overdue]) set.delete(name)
    return this.waiting.has(name)
  }

  private *look(tx: ReadTx, name: string): Program<State | undefined> {
    const graph = yield* findGraph(tx, ...partsOfPath(name))
    if (graph === undefined) return undefined
    const [newest, second] = yield* newestAnchors(tx, graph.anchors, 2)
    const { owner } = graph.nodes.access
    const isRequested = graph.settings.requestedSeq !== undefined
    const isQueued = isUnsent(newest) && isUnsent(second)
    const waiting = yield* waitingIn(tx, graph)
    return { newest, owner, waiting, isRequested, isQueued, keys: graphKeys(graph) }
  }

  private isDue({ waiting: { count, since }, isRequested, isQueued }: State): boolean {
    return this.isOld(since) || count >= anchorDueMemories || (isRequested && !isQueued)
  }

  private isOld(since: number | undefined): boolean {
    return since !== undefined && this.parts.clock.now() - since >= anchorDueMs
  }

  /** Makes batches of everything waiting in a due graph, up to one transaction. */
  private async gather(graph: Graph, maySend: boolean): Promise<void> {
    const { programs } = graph
    await finishMarking(programs)
    if (!maySend || !this.isDue(graph)) return
    for (let made = 0; made < anchorsAtOnce && !this.loop.isClosed; made++) {
      const last = await makeAnchor(programs, this.parts)
      // Later writes wait for the next transaction; otherwise a busy graph would fill this one.
      if (last === undefined || last.isLast) return
      await this.parts.pace.rest()
    }
  }

  private async anchor(graphs: readonly Graph[], maySend: boolean): Promise<boolean> {
    try {
      const client = await this.parts.anchors.client()
      // Transactions of an earlier process, or of the last round, are not sent again.
      await client.settled()
      await this.sender.confirm(client, graphs, this.isRecheck)
      if (!maySend) return false
      this.triedMs = this.parts.clock.elapsed()
      const sent = await this.sender.send(client, graphs, this.overdue)
      this.failuresInRow = 0
      if (sent.graphs.length === 0) return false
      this.sentMs = this.parts.clock.elapsed()
      for (const { name } of sent.graphs) this.overdue.delete(name)
      this.counts.transactions++
      this.counts.memories += sent.memories
      return true
    } catch (error) {
      return this.fail(graphs, error)
    }
  }

  /** True: retry at once, in another way. */
  private async fail(graphs: readonly Graph[], error: unknown): Promise<boolean> {
    if (error instanceof LeaseLost) throw error
    const reason = error instanceof GatewayError ? error.extra.reason : undefined
    const { clock, payEveryMs, log } = this.parts
    // No block has included it yet, which is no failure: it stays pending.
    if (reason === 'TX_PENDING') this.sentMs = clock.elapsed()
    if (reason === 'TX_PENDING' || this.loop.isClosed) return false
    if (reason === 'SPONSOR_PACE') {
      this.retryAtMs = clock.elapsed() + payEveryMs
      this.tellOfPace(graphs.length)
      return false
    }
    if (reason === 'SPONSOR_BUDGET' && this.sender.shrink()) return true
    const why = textOf(error)
    this.counts.failures++
    this.failuresInRow++
    const pauseMs = Math.min(anchorRetryMs * 2 ** (this.failuresInRow - 1), anchorDueMs)
    this.retryAtMs = clock.elapsed() + pauseMs
    log.warn({ why, graphs: graphs.length }, 'memories could not be anchored')
    for (const { programs } of graphs) await noteFailure(programs, why)
    return false
  }

  /** It is no failure, but a user who waits for an anchor needs the reason. */
  private tellOfPace(graphs: number): void {
    const { clock, log } = this.parts
    if (clock.elapsed() - this.toldOfPaceMs < anchorPayMs) return
    this.toldOfPaceMs = clock.elapsed()
    log.info({ graphs }, 'anchoring waits: the released part of the daily budget is spent')
  }
}

/** Whether nothing is to be done or waited for. */
function isAtRest(state: State | undefined): boolean {
  if (state === undefined) return true
  const { waiting, isRequested, newest } = state
  if (waiting.count > 0 || isRequested) return false
  return newest === undefined || newest.status === 'confirmed'
}

const texts: Readonly<Record<string, string>> = {
  SPONSOR_BUDGET: 'the anchoring budget of the day is used up',
  SPONSOR_EMPTY: 'the account of CHAIN_PRIVATE_KEY cannot pay',
}

function textOf(error: unknown): string {
  if (!(error instanceof GatewayError)) return reasonOf(error)
  const { reason } = error.extra
  return (typeof reason === 'string' ? texts[reason] : undefined) ?? error.message
}
