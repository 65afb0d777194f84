// Sends one transaction for the anchors of many graphs. It first checks which of them the chain
// has, so a crash cannot cause a second anchor, and selects anchors if there is no room for all.
// The job decides when to send.

import { fail } from '../../../base/errors.js'
import { anchorsAtOnce } from '../../../base/limits/memory.js'
import type { Log } from '../../../base/log.js'
import type { AnchorClient } from '../../../chain/anchors/anchor-client.js'
import type { Anchor } from './anchor.js'
import { AnchorChain, type ChainedGraph } from './anchor-chain.js'
import { sharesOf, Turns, type Waiter } from './anchor-turns.js'

export interface AnchoringGraph extends Waiter, ChainedGraph {}

/** The anchors of a graph to be sent, oldest first. */
interface Unsent extends AnchoringGraph {
  readonly chain: AnchorChain
  readonly anchors: readonly Anchor[]
}

interface SenderParts {
  readonly log: Log
  readonly isClosed: () => boolean
  /** Called just before a transaction; false if another server is to send it. */
  readonly mayStill: () => Promise<boolean>
}

interface Sent {
  readonly graphs: readonly Waiter[]
  readonly memories: number
}

const nothing: Sent = { graphs: [], memories: 0 }

export class AnchorSender {
  private readonly turns = new Turns()
  /** Anchors of the next transaction: fewer if the budget is too small. */
  private room = anchorsAtOnce

  constructor(private readonly parts: SenderParts) {}

  /** Checks sent anchors on the chain and, with `isRecheck`, earlier ones. */
  async confirm(
    client: AnchorClient,
    graphs: readonly AnchoringGraph[],
    isRecheck: boolean,
  ): Promise<void> {
    for (const graph of graphs) {
      if (this.parts.isClosed()) return
      const chain = new AnchorChain(client, graph, this.parts.log)
      if (isRecheck) await chain.recheck()
      await chain.confirmSubmitted()
    }
  }

  /** Sends as many anchors as fit in a transaction; overdue ones first. */
  async send(
    client: AnchorClient,
    graphs: readonly AnchoringGraph[],
    overdue: ReadonlySet<string>,
  ): Promise<Sent> {
    const first = graphs.filter(({ name }) => overdue.has(name))
    const rest = graphs.filter(({ name }) => !overdue.has(name))
    const inOrder = [...this.turns.inOrder(first), ...this.turns.inOrder(rest)]
    const sending = await this.next(client, inOrder)
    if (sending.length === 0 || !(await this.parts.mayStill())) return nothing
    const links = sending.flatMap((one) => one.anchors.map((anchor) => one.chain.linkOf(anchor)))
    const isDue = sending.some(({ name }) => overdue.has(name))
    const { ok, hash, block } = await client.send(links, isDue ? 'due' : 'asked')
    if (!ok) throw fail('OperationFailed', 'the transaction was reverted')
    this.room = Math.min(anchorsAtOnce, 2 * this.room)
    this.turns.served(sending)
    for (const one of sending) {
      await one.chain.submitted(one.anchors, hash, block)
      // If one block suffices, this completes it.
      await one.chain.confirmSubmitted()
    }
    return { graphs: sending, memories: links.reduce((sum, { count }) => sum + count, 0) }
  }

  /** Reduces the batch if the budget does not allow it. False: it cannot be smaller. */
  shrink(): boolean {
    if (this.room === 1) return false
    this.room = 1
    return true
  }

  /** The anchors of the next transaction. */
  private async next(client: AnchorClient, inOrder: readonly AnchoringGraph[]): Promise<Unsent[]> {
    const found: Unsent[] = []
    for (const graph of inOrder) {
      if (found.length === this.room || this.parts.isClosed()) break
      const chain = new AnchorChain(client, graph, this.parts.log)
      const anchors = await chain.reconcile()
      if (anchors.length > 0) found.push({ ...graph, chain, anchors })
    }
    const lengths = found.map(({ anchors }) => anchors.length)
    const shares = sharesOf(lengths, this.room)
    return found.map((one, i) => ({ ...one, anchors: one.anchors.slice(0, shares[i]) }))
  }
}
