// Reconciles one graph's anchors with the contract: confirms those on the chain, resends those that
// the chain has lost, and continues the contract's sequence. It reads the chain before it sends, so
// a crash cannot cause a second anchor.

import { assert } from '../../../base/errors.js'
import { anchorAttemptsMax, anchorsAtOnce } from '../../../base/limits/memory.js'
import type { Log } from '../../../base/log.js'
import { entryUnits } from '../../../base/work/work-figures.js'
import type { AnchorClient, AnchorEntry, AnchorLink } from '../../../chain/anchors/anchor-client.js'
import type { Namespace } from '../../../engine/types.js'
import type { Program, ReadTx, Tx } from '../../../store/store.js'
import type { GraphKeys, ProofVersion } from '../../graph/graph-key.js'
import { noteChange } from '../../graph/graph-settings.js'
import type { GraphPrograms } from '../graph-programs.js'
import { type Anchor, isUnsent } from './anchor.js'
import type { AnchoredGraph } from './anchor-batch.js'
import { anchorsBefore, newestAnchors, saveAnchor } from './anchors.js'

/** Anchors that one program reads or writes. */
const pageSize = 50

/** A graph and its keys on the chain. */
export interface ChainedGraph {
  readonly name: string
  readonly keys: GraphKeys
  readonly programs: GraphPrograms
}

/** The anchors of a graph: those of version 1 under its first key, then the others. */
export class AnchorChain {
  private readonly parts: readonly KeyChain[]

  constructor(client: AnchorClient, { name, keys, programs }: ChainedGraph, log: Log) {
    const { first, second, lastOfFirst } = keys
    const part = (key: string, version: ProofVersion, last?: string): KeyChain =>
      new KeyChain(client, { name, key, version, last, programs }, log)
    const isBoth = lastOfFirst !== undefined
    this.parts = isBoth
      ? [part(first, 1, lastOfFirst), part(second, 2)]
      : [part(second, 2), part(first, 1)]
  }

  /** Confirms anchors; returns some that are to be sent next, oldest first. */
  async reconcile(): Promise<Anchor[]> {
    const missing: Anchor[] = []
    for (const part of this.parts) missing.push(...(await part.reconcile()))
    return missing.slice(0, anchorsAtOnce)
  }

  /** Checks whether the newest confirmed anchors are still on the chain; takes back lost ones. */
  async recheck(): Promise<void> {
    for (const part of this.parts) await part.recheck()
  }

  /** Confirms sent anchors; lost ones will be sent again. */
  async confirmSubmitted(): Promise<void> {
    for (const part of this.parts) await part.confirmSubmitted()
  }

  linkOf(anchor: Anchor): AnchorLink {
    const part = this.parts.find(({ version }) => version === anchor.version)
    assert(part !== undefined, 'a graph has a chain for each version')
    return part.linkOf(anchor)
  }

  /** A block has them, according to one receipt. */
  async submitted(anchors: readonly Anchor[], tx: string, block: number): Promise<void> {
    for (const part of this.parts) {
      const own = anchors.filter(({ version }) => version === part.version)
      if (own.length > 0) await part.submitted(own, tx, block)
    }
  }
}

interface KeyedPart extends Pick<ChainedGraph, 'name' | 'programs'> {
  readonly key: string
  readonly version: ProofVersion
  /** The newest anchor of that key, if it is not the newest of the graph. */
  readonly last: string | undefined
}

/** The anchors of a graph under one key. */
class KeyChain {
  readonly version: ProofVersion
  private readonly name: string
  private readonly key: string
  private readonly last: string | undefined
  private readonly programs: GraphPrograms

  constructor(
    private readonly client: AnchorClient,
    { name, key, version, last, programs }: KeyedPart,
    private readonly log: Log,
  ) {
    this.name = name
    this.key = key
    this.version = version
    this.last = last
    this.programs = programs
  }

  async reconcile(): Promise<Anchor[]> {
    const open = await this.open()
    const missing: Anchor[] = []
    for (const anchor of open) {
      if (await this.isMissing(anchor)) missing.push(anchor)
      if (missing.length === anchorsAtOnce) break
    }
    const [first] = missing
    if (first === undefined) return []
    const latest = await this.client.latest(this.key, 'newest')
    const [before] = await this.pageBefore(first.id, 1)
    const isBehind = latest.root !== (before?.root ?? null)
    const lost = isBehind ? await this.takeBackLost(first.id) : []
    return this.link([...lost, ...missing].slice(0, anchorsAtOnce), latest)
  }

  async recheck(): Promise<void> {
    const [newest] = await this.pageBefore(undefined, 1)
    if (newest?.status !== 'confirmed') return
    const { root } = await this.client.latest(this.key, 'newest')
    if (root !== newest.root || !this.isHere(newest)) await this.takeBackLost(undefined)
  }

  /** False: it was anchored under settings with another account, contract or chain. */
  private isHere({ anchoredBy, contract, chainId }: Anchor): boolean {
    const { client } = this
    return (
      anchoredBy === client.sender && contract === client.contract && chainId === client.chainId
    )
  }

  async confirmSubmitted(): Promise<void> {
    const open = await this.open()
    for (const anchor of open) {
      if (anchor.status !== 'submitted' || !(await this.isMissing(anchor))) continue
      await this.save([takenBack(anchor)])
    }
  }

  linkOf({ root, prev, count }: Anchor): AnchorLink {
    return { graphKey: this.key, root, prev, count }
  }

  async submitted(anchors: readonly Anchor[], tx: string, block: number): Promise<void> {
    const { chainId, contract, sender: anchoredBy } = this.client
    const told = { chainId, contract, anchoredBy, tx, block, error: null }
    await this.save(anchors.map((anchor) => ({ ...anchor, ...told, status: 'submitted' })))
  }

  /** False: the chain has it. */
  private async isMissing(anchor: Anchor): Promise<boolean> {
    const { client, key } = this
    const entry = await client.entry(key, anchor.root, 'confirmed')
    if (entry !== undefined) {
      await this.confirm(anchor, entry)
      return false
    }
    if ((await client.entry(key, anchor.root, 'newest')) === undefined) return true
    if (anchor.status !== 'submitted') await this.save([{ ...anchor, status: 'submitted' }])
    return false
  }

  private async confirm(anchor: Anchor, entry: AnchorEntry): Promise<void> {
    const { client, key } = this
    const found = await client.transaction(key, anchor.root, entry.at, anchor.block)
    // The node knows the entry but lags with its event: the next poll finds it.
    if (found === undefined) return
    const { chainId, contract, sender: anchoredBy } = client
    const { sequence: seq, prev } = entry
    const told = { chainId, contract, anchoredBy, seq, prev, tx: found.hash, block: found.block }
    const confirmed = { status: 'confirmed', anchoredAt: entry.at * 1_000 } as const
    await this.save([{ ...anchor, ...told, ...confirmed, attempts: 0, error: null }])
  }

  /** Sets lost anchors before `id` to pending; oldest first. */
  private async takeBackLost(id: string | undefined): Promise<Anchor[]> {
    const lost: Anchor[] = []
    for (let before = id; ; before = lost.at(-1)?.id) {
      const gone = await this.goneOf(await this.pageBefore(before, pageSize))
      await this.save(gone)
      lost.push(...gone)
      if (gone.length < pageSize) break
    }
    this.warnOf(lost.length)
    return lost.reverse()
  }

  /** Resending costs gas: the log shows it, in case a setting was changed by mistake. */
  private warnOf(anchors: number): void {
    if (anchors === 0) return
    const { name: graph, log } = this
    const { sender, contract, chainId } = this.client
    const text =
      'anchors are not on the chain as they were: those that the account does not have in this ' +
      'contract are sent again, which costs'
    log.warn({ graph, anchors, sender, contract, chainId }, text)
  }

  /** The newest ones that the chain no longer has, in their state for sending again. */
  private async goneOf(newestFirst: readonly Anchor[]): Promise<Anchor[]> {
    const gone: Anchor[] = []
    for (const anchor of newestFirst) {
      const entry = await this.client.entry(this.key, anchor.root, 'newest')
      if (entry !== undefined && this.isHere(anchor)) break
      gone.push(takenBack(anchor))
    }
    return gone
  }

  /** Assigns their sequence numbers after the newest root in the contract. */
  private async link(
    anchors: readonly Anchor[],
    latest: { readonly root: string | null; readonly sequence: number },
  ): Promise<Anchor[]> {
    const linked = anchors.map((anchor, i) => {
      const prev = i === 0 ? latest.root : (anchors[i - 1]?.root ?? null)
      return { ...anchor, seq: latest.sequence + 1 + i, prev }
    })
    const isMoved = linked.some(({ seq, prev }, i) => {
      return seq !== anchors[i]?.seq || prev !== anchors[i]?.prev
    })
    if (isMoved) await this.save(linked)
    return linked
  }

  /** Anchors of the key before `id`, or the newest; newest first. */
  private async pageBefore(id: string | undefined, limit: number): Promise<readonly Anchor[]> {
    const { last, version } = this
    const page = await this.programs.read((tx, { anchors }) => {
      return pageOf(tx, anchors, { before: id, last }, limit)
    })
    return (page ?? []).filter((anchor) => anchor.version === version)
  }

  /** Marked and unconfirmed ones, oldest first: the newest of their key. */
  private async open(): Promise<Anchor[]> {
    const { last, version } = this
    const open = await this.programs.read((tx, { anchors }) => openAnchors(tx, anchors, last))
    return (open ?? []).filter((anchor) => anchor.version === version)
  }

  async save(anchors: readonly Anchor[]): Promise<void> {
    if (anchors.length === 0) return
    await this.programs.write((tx, graph) => saveAll(tx, graph, anchors))
  }
}

/** Its state before it was sent. */
function takenBack(anchor: Anchor): Anchor {
  const nothing = { tx: null, block: null, anchoredAt: null, anchoredBy: null, attempts: 0 }
  return { ...anchor, ...nothing, status: 'pending' }
}

interface Before {
  /** Undefined: from the newest on. */
  readonly before: string | undefined
  readonly last: string | undefined
}

function* pageOf(
  tx: ReadTx,
  anchors: Namespace,
  { before, last }: Before,
  limit: number,
): Program<Anchor[]> {
  if (before !== undefined) return yield* anchorsBefore(tx, anchors, before, limit)
  if (last === undefined) return yield* newestAnchors(tx, anchors, limit)
  return yield* anchorsBefore(tx, anchors, `${last}~`, limit)
}

/** Marked and unconfirmed ones, oldest first, after the newest confirmed one. */
function* openAnchors(tx: ReadTx, anchors: Namespace, last: string | undefined): Program<Anchor[]> {
  const open: Anchor[] = []
  let page = yield* pageOf(tx, anchors, { before: undefined, last }, pageSize)
  for (;;) {
    const end = page.findIndex(({ status }) => status === 'confirmed')
    open.push(...(end < 0 ? page : page.slice(0, end)))
    const oldest = page.at(-1)
    if (end >= 0 || oldest === undefined || page.length < pageSize) break
    yield* tx.pause(page.length * entryUnits)
    page = yield* anchorsBefore(tx, anchors, oldest.id, pageSize)
  }
  return open.filter(({ isMarked }) => isMarked).reverse()
}

function* saveAll(tx: Tx, { anchors: ns }: AnchoredGraph, all: readonly Anchor[]): Program<void> {
  for (const anchor of all) yield* saveAnchor(tx, ns, anchor)
  yield* noteChange(tx, ns)
}

/** Counts a failed attempt; after anchorAttemptsMax the anchor is shown as failed. */
export async function noteFailure(programs: GraphPrograms, error: string): Promise<void> {
  const open = (await programs.read((tx, { anchors }) => openAnchors(tx, anchors, undefined))) ?? []
  const unsent = open.filter(isUnsent).slice(0, anchorsAtOnce)
  const failed = unsent.map((anchor): Anchor => {
    const attempts = anchor.attempts + 1
    const status = attempts >= anchorAttemptsMax ? 'failed' : 'pending'
    return { ...anchor, attempts, status, error }
  })
  if (failed.length > 0) await programs.write((tx, graph) => saveAll(tx, graph, failed))
}
