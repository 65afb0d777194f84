// One transaction for the anchors of many graphs: what the chain has of them is looked up first, so
// that no crash makes a second anchor, and who has a place where there is no room for all is
// decided here. When it is sent is the job's to say.

import { fail } from '../../../base/errors.js'
import { anchorsAtOnce } from '../../../base/limits.js'
import type { Log } from '../../../base/log.js'
import type { AnchorClient } from '../../../chain/anchors/anchor-client.js'
import type { Anchor } from './anchor.js'
import { AnchorChain, type ChainedGraph } from './anchor-chain.js'
import { sharesOf, Turns, type Waiter } from './anchor-turns.js'

export interface AnchoringGraph extends Waiter, ChainedGraph {}

/** Anchors of a graph that are to be sent, oldest first. */
interface Unsent extends AnchoringGraph {
  readonly chain: AnchorChain
  readonly anchors: readonly Anchor[]
}

interface SenderParts {
  readonly log: Log
  readonly isClosed: () => boolean
  /** Asked right before a transaction is made; false where another server is to make it. */
  readonly mayStill: () => Promise<boolean>
}

interface Sent {
  readonly graphs: readonly Waiter[]
  readonly memories: number
}

const nothing: Sent = { graphs: [], memories: 0 }

export class AnchorSender {
  private readonly turns = new Turns()
  /** Anchors of the next transaction: fewer where the budget is too small for many. */
  private room = anchorsAtOnce

  constructor(private readonly parts: SenderParts) {}

  /** Looks what the chain has of what was sent, and with `isRecheck` of what it had before. */
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

  /** Sends what is to be sent, as much as a transaction takes; what is overdue before the rest. */
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
      // Where one block is enough, this is the end of it.
      await one.chain.confirmSubmitted()
    }
    return { graphs: sending, memories: links.reduce((sum, { count }) => sum + count, 0) }
  }

  /** The budget does not allow what was tried: less is tried. False: there is no less. */
  shrink(): boolean {
    if (this.room === 1) return false
    this.room = 1
    return true
  }

  /** What has a place in the next transaction. */
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
