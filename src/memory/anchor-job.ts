// Anchors what waits: every graph with enough memories, or with one that has waited long enough, or
// that somebody has asked for; all of them in one transaction. What it does at each step is in the
// store before and on the chain after, so it may be killed anywhere. (facts: memory-dashboard A3)

import type { Clock, Random } from '../base/clock.js'
import { fail, GatewayError } from '../base/errors.js'
import {
  anchorDueMemories,
  anchorDueMs,
  anchorGraphsAtOnce,
  anchorGraphsInTurn,
  anchorPollMs,
  anchorRecheckMs,
  anchorRetryMs,
  anchorsAtOnce,
} from '../base/limits.js'
import type { Log } from '../base/log.js'
import type { AnchorClient } from '../chain/anchor-client.js'
import { reasonOf } from '../chain/away.js'
import type { Anchors } from '../chain/open.js'
import { BackgroundLoop } from '../engine/background-loop-job.js'
import type { Pace } from '../engine/pace-job.js'
import type { Program, ReadTx, Store } from '../store/store.js'
import type { Anchor } from './anchor.js'
import { type Waiting, waitingIn } from './anchor-batch.js'
import { AnchorChain, noteFailure } from './anchor-chain.js'
import { finishMarking, type GraphPrograms, makeAnchor } from './anchor-making.js'
import { newestAnchors } from './anchors.js'
import { findGraph } from './graph.js'
import { graphKey } from './graph-key.js'
import { graphNames } from './graph-names.js'
import { Lease } from './lease.js'
import type { MerkleRoots } from './merkle-roots.js'

/** Rounds for which the lease holds where none is to be seen. */
const leaseRounds = 3

export interface AnchorJobParts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly pace: Pace
  /** The database in which the graphs lie. */
  readonly database: string
  readonly anchors: Anchors
  readonly roots: MerkleRoots
  /** Between rounds; anchorPollMs unless given. */
  readonly pollMs?: number
}

/** Since the start: memories that a transaction anchored, transactions, tries that failed. */
export interface AnchorCounts {
  memories: number
  transactions: number
  failures: number
}

/** What a graph needs at the moment. */
interface State {
  readonly waiting: Waiting
  readonly newest: Anchor | undefined
  readonly key: string
}

interface Graph extends State {
  readonly name: string
  readonly programs: GraphPrograms
}

export class AnchorJob {
  readonly counts: AnchorCounts = { memories: 0, transactions: 0, failures: 0 }
  private readonly loop: BackgroundLoop
  private readonly lease: Lease
  private readonly requested = new Set<string>()
  /** Somebody has asked since the round began. */
  private isWoken = false
  private failuresInRow = 0
  /** Elapsed. */
  private retryAtMs = Number.NEGATIVE_INFINITY
  private recheckedMs = Number.NEGATIVE_INFINITY
  /** The round under way looks whether the chain still has what it had. */
  private isRecheck = false
  /** Place among all graphs of the first that the next round looks at. */
  private nextName = 0

  constructor(private readonly parts: AnchorJobParts) {
    const { store, clock, random, pace, log, pollMs: everyMs = anchorPollMs } = parts
    this.lease = new Lease({ store, clock, random, name: 'anchor', ms: leaseRounds * everyMs })
    this.loop = new BackgroundLoop({
      ...{ pace, log, everyMs, sleepsFirst: false },
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

  /** All that waits in a graph is anchored now. */
  request(graph: string): void {
    this.requested.add(graph)
    this.hurry()
  }

  /** What is to be sent is sent now, and what has failed is tried again. */
  hurry(): void {
    this.isWoken = true
    this.retryAtMs = Number.NEGATIVE_INFINITY
    this.loop.wake()
  }

  /** True: there is more to do at once. */
  async round(): Promise<boolean> {
    const { store, clock, database } = this.parts
    this.isWoken = false
    const names = this.next(await store.read((tx) => graphNames(tx, database)))
    const graphs = await this.needy(names)
    if (graphs.length === 0 || !(await this.lease.hold())) return false
    for (const graph of graphs) await this.gather(graph)
    if (clock.elapsed() < this.retryAtMs || this.loop.isClosed) return false
    return this.anchor(graphs)
  }

  /** The graphs that this round looks at: those that were asked for, and the next of all. */
  private next(names: readonly string[]): Set<string> {
    if (this.nextName >= names.length) this.nextName = 0
    if (this.nextName === 0) {
      const { clock } = this.parts
      this.isRecheck = clock.elapsed() - this.recheckedMs >= anchorRecheckMs
      if (this.isRecheck) this.recheckedMs = clock.elapsed()
    }
    const end = this.nextName + anchorGraphsAtOnce
    const page = names.slice(this.nextName, end)
    this.nextName = end
    return new Set([...this.requested, ...page])
  }

  /** Those of them that have something to be done. */
  private async needy(names: Iterable<string>): Promise<Graph[]> {
    const graphs: Graph[] = []
    let looked = 0
    for (const name of names) {
      if (++looked % anchorGraphsInTurn === 0) await this.parts.pace.rest()
      if (this.loop.isClosed) return []
      const state = await this.parts.store.read((tx) => this.look(tx, name))
      if (state === undefined) this.requested.delete(name)
      if (state === undefined) continue
      const isOpen = state.newest !== undefined && state.newest.status !== 'confirmed'
      const isChecked = this.isRecheck && state.newest !== undefined
      if (!isOpen && !isChecked && !this.isDue(name, state.waiting)) continue
      graphs.push({ ...state, name, programs: this.programsOf(name) })
    }
    return graphs
  }

  private *look(tx: ReadTx, name: string): Program<State | undefined> {
    const graph = yield* findGraph(tx, this.parts.database, name)
    if (graph === undefined) return undefined
    const [newest] = yield* newestAnchors(tx, graph.anchors, 1)
    return { newest, waiting: yield* waitingIn(tx, graph.nodes), key: graphKey(graph) }
  }

  private isDue(name: string, { count, since }: Waiting): boolean {
    if (since === undefined) return this.requested.has(name)
    const isOld = this.parts.clock.now() - since >= anchorDueMs
    return isOld || count >= anchorDueMemories || this.requested.has(name)
  }

  /** Makes batches of all that waits in a graph that is due, as many as one transaction takes. */
  private async gather({ name, waiting, programs }: Graph): Promise<void> {
    await finishMarking(programs)
    if (!this.isDue(name, waiting)) return
    this.requested.delete(name)
    for (let made = 0; made < anchorsAtOnce && !this.loop.isClosed; made++) {
      if ((await makeAnchor(programs, this.parts)) === undefined) return
      await this.parts.pace.rest()
    }
  }

  private async anchor(graphs: readonly Graph[]): Promise<boolean> {
    try {
      const client = await this.parts.anchors.client()
      // What a former run, or the last round, has sent is not sent again.
      await client.settled()
      const sent = await this.send(client, graphs)
      this.failuresInRow = 0
      return sent > 0 || this.isWoken
    } catch (error) {
      if (this.loop.isClosed || isPending(error)) return false
      await this.fail(graphs, error)
      return false
    }
  }

  /** Answers how many anchors were sent. */
  private async send(client: AnchorClient, graphs: readonly Graph[]): Promise<number> {
    const due: { chain: AnchorChain; anchors: readonly Anchor[] }[] = []
    let room = anchorsAtOnce
    for (const { programs, key } of graphs) {
      if (room === 0 || this.loop.isClosed) break
      const chain = new AnchorChain(client, programs, key)
      if (this.isRecheck) await chain.recheck()
      const anchors = (await chain.reconcile()).slice(0, room)
      if (anchors.length > 0) due.push({ chain, anchors })
      room -= anchors.length
    }
    const links = due.flatMap(({ chain, anchors }) => anchors.map((one) => chain.linkOf(one)))
    if (links.length === 0) return 0
    const { ok, hash, block } = await client.send(links)
    if (!ok) throw fail('OperationFailed', 'the transaction was reverted')
    this.counts.transactions++
    for (const { count } of links) this.counts.memories += count
    for (const { chain, anchors } of due) {
      await chain.submitted(anchors, hash, block)
      // Where one block is enough, this is the end of it.
      await chain.reconcile()
    }
    return links.length
  }

  private async fail(graphs: readonly Graph[], error: unknown): Promise<void> {
    const why = textOf(error)
    this.counts.failures++
    this.failuresInRow++
    const pauseMs = Math.min(anchorRetryMs * 2 ** (this.failuresInRow - 1), anchorDueMs)
    this.retryAtMs = this.parts.clock.elapsed() + pauseMs
    this.parts.log.warn({ why, graphs: graphs.length }, 'memories could not be anchored')
    for (const { programs } of graphs) await noteFailure(programs, why)
  }

  /** Programs of the server's own, which no fence is for. */
  private programsOf(name: string): GraphPrograms {
    const { store, database } = this.parts
    return {
      read: (program) =>
        store.read(function* (tx) {
          const graph = yield* findGraph(tx, database, name)
          return graph === undefined ? undefined : yield* program(tx, graph)
        }),
      write: (program) =>
        store.write(function* (tx) {
          const graph = yield* findGraph(tx, database, name)
          return graph === undefined ? undefined : yield* program(tx, graph)
        }),
    }
  }
}

/** No block has taken it yet, which is no failure: it is tried further. */
function isPending(error: unknown): boolean {
  return error instanceof GatewayError && error.extra.reason === 'TX_PENDING'
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
