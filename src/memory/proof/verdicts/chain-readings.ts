// Reads roots from the chain once for all callers and caches them for a time: the number of verify
// calls must not determine the load on the chain.

import { LRUCache } from 'lru-cache'
import type { Clock } from '../../../base/clock.js'
import { verifyChainMs, verifyRootsKept } from '../../../base/limits/memory.js'
import type {
  AnchorClient,
  AnchorEntry,
  AnchorTransaction,
} from '../../../chain/anchors/anchor-client.js'
import type { Anchors } from '../../../chain/open.js'
import { inTime } from '../../../chain/remote/head.js'
import type { Anchor } from '../anchors/anchor.js'

/** How long results about confirmed anchors, and others, are cached. */
export const verifyConfirmedMs = 60_000
const verifyUnconfirmedMs = 5_000
/** The longest block range of one request for events. */
export const verifyBlocksMax = 10_000

/** A root in a confirmed block, from Sigil's account. */
interface Found {
  readonly kind: 'found'
  readonly entry: AnchorEntry
  readonly transaction: AnchorTransaction
  /** EIP-55, both. */
  readonly anchoredBy: string
  readonly contract: string
  readonly chainId: number
}

export type Reading =
  | Found
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'unconfigured' }

interface Remembered {
  readonly reading: Promise<Reading>
  /** Expiry (elapsed); infinite while it is being read. */
  untilMs: number
}

interface ReadingsOptions {
  readonly anchors: Anchors
  readonly clock: Clock
  /** Timeout for the chain; verifyChainMs by default. */
  readonly waitMs?: number | undefined
}

export class ChainReadings {
  private readonly known = new LRUCache<string, Remembered>({ max: verifyRootsKept })

  private readonly waitMs: number
  /** Until then (elapsed) the node is not asked for uncached roots, because it did not answer. */
  private awayUntilMs = Number.NEGATIVE_INFINITY

  constructor(private readonly options: ReadingsOptions) {
    this.waitMs = options.waitMs ?? verifyChainMs
  }

  /** `near` is the likely block of the root. */
  async of(graphKey: string, root: string, near: number | null): Promise<Reading> {
    const { anchors, clock } = this.options
    if (!anchors.isConfigured) return { kind: 'unconfigured' }
    const name = graphKey + root
    const known = this.known.get(name)
    if (known !== undefined && known.untilMs > clock.elapsed()) return known.reading
    return this.remember(name, graphKey, root, near)
  }

  /** As `of`, without the cache. */
  again(graphKey: string, root: string, near: number | null): Promise<Reading> {
    return this.remember(graphKey + root, graphKey, root, near)
  }

  private async remember(
    name: string,
    graphKey: string,
    root: string,
    near: number | null,
  ): Promise<Reading> {
    const { clock } = this.options
    const reading = this.read(graphKey, root, near)
    const remembered = { reading, untilMs: Number.POSITIVE_INFINITY }
    this.known.set(name, remembered)
    const { kind } = await reading
    const keptMs = kind === 'found' ? verifyConfirmedMs : verifyUnconfirmedMs
    remembered.untilMs = clock.elapsed() + keptMs
    return reading
  }

  /**
   * Reads many roots of a graph by their likely blocks: one request for each range of blocks, none
   * after `untilMs` (elapsed). Roots that are not found are read one by one.
   */
  async gather(
    graphKey: string,
    anchors: readonly Pick<Anchor, 'root' | 'block'>[],
    untilMs: number,
  ): Promise<void> {
    const { clock } = this.options
    const unknown = anchors.filter(({ root }) => {
      return (this.known.get(graphKey + root)?.untilMs ?? 0) <= clock.elapsed()
    })
    for (const { from, to } of rangesOf(unknown)) {
      if (clock.elapsed() > untilMs || this.isAway()) return
      const asked = this.options.anchors.client().then(async (client) => {
        return { client, events: await client.events(graphKey, from, to) }
      })
      const found = await inTime(asked, this.waitMs).catch(() => undefined)
      // The node may refuse the range as too long, or be away: a read of one root reports that.
      if (found === undefined) return
      const keptUntilMs = clock.elapsed() + verifyConfirmedMs
      for (const { root, entry, transaction } of found.events) {
        const reading = Promise.resolve(foundBy(found.client, entry, transaction))
        this.known.set(graphKey + root, { reading, untilMs: keptUntilMs })
      }
    }
  }

  /** The newest root of a graph and its number; not cached. Undefined: no recent response. */
  async latest(graphKey: string) {
    if (this.isAway()) return undefined
    const asked = this.options.anchors.client().then((client) => {
      return client.latest(graphKey, 'confirmed')
    })
    return inTime(asked, this.waitMs).catch(() => {
      this.awayUntilMs = this.options.clock.elapsed() + verifyUnconfirmedMs
      return undefined
    })
  }

  private isAway(): boolean {
    return this.options.clock.elapsed() < this.awayUntilMs
  }

  private async read(graphKey: string, root: string, near: number | null): Promise<Reading> {
    const asked = this.options.anchors.client().then((client) => ask(client, graphKey, root, near))
    return inTime(asked, this.waitMs).catch(() => ({ kind: 'unreachable' }))
  }
}

async function ask(
  client: AnchorClient,
  graphKey: string,
  root: string,
  near: number | null,
): Promise<Reading> {
  const entry = await client.entry(graphKey, root, 'confirmed')
  if (entry === undefined) return { kind: 'absent' }
  const transaction = await client.transaction(graphKey, root, entry.at, near)
  if (transaction === undefined) return { kind: 'absent' }
  return foundBy(client, entry, transaction)
}

function foundBy(client: AnchorClient, entry: AnchorEntry, transaction: AnchorTransaction): Found {
  const { sender: anchoredBy, contract, chainId } = client
  return { kind: 'found', entry, transaction, anchoredBy, contract, chainId }
}

/** Ranges of at most verifyBlocksMax blocks that cover all given blocks. */
function rangesOf(anchors: readonly Pick<Anchor, 'block'>[]): { from: number; to: number }[] {
  const blocks = anchors.map(({ block }) => block).filter((block) => block !== null && block >= 0)
  const ranges: { from: number; to: number }[] = []
  for (const block of [...blocks].sort((a, b) => Number(a) - Number(b))) {
    if (block === null) continue
    const last = ranges.at(-1)
    if (last !== undefined && block - last.from < verifyBlocksMax) last.to = block
    else ranges.push({ from: block, to: block })
  }
  return ranges
}
