// Checks each batch, leaf, memory and edge of a graph against the store: bounded programs for the
// sweep of a running server and for `sigil check`. (docs/memory.md, "The sweep")

import { hashUnits } from '../../../base/work/work-figures.js'
import { getDocument, recordKey } from '../../../engine/collection/collections.js'
import type { Namespace } from '../../../engine/types.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { type Document, stringValue } from '../../../value/value.js'
import type { Graph } from '../../graph/graph.js'
import { graphKey } from '../../graph/graph-key.js'
import { proofsVersion } from '../../graph/graph-settings.js'
import { isMemory, readMemory } from '../../nodes/node.js'
import { nodeId } from '../../nodes/node-reading.js'
import type { Batch } from '../anchors/anchor.js'
import { edgeHash, graphSubject, memoryLeaf, stateHash } from '../leaves/leaf.js'
import { findLeaf, type LeafRecord, newestLeaf } from '../leaves/leaf-records.js'
import { findTombstone } from '../leaves/tombstone.js'
import type { StoredAnchor } from '../verdicts/chain-walk.js'
import {
  contentHash,
  edgeRecorded,
  isSound,
  missingMention,
  stateOf,
} from '../verdicts/evidence.js'
import type { Problem } from '../verdicts/verdict.js'

export type SweepProblem =
  | Problem
  | 'memory missing'
  | 'deletion not recorded'
  | 'leaf missing'
  | 'leaf not as recorded'
  | 'leaf not in anchor batch'
  | 'edge missing'
  | 'deleted, but present'

export interface Finding {
  /** Id of a memory, an edge or an anchor. */
  readonly id: string
  readonly problem: SweepProblem
}

export type SweptGraph = Pick<Graph, 'name' | 'nodes' | 'edges' | 'anchors' | 'settings'>

/** Each listed leaf belongs to a memory, a deleted memory, or a leaf record. */
export function* checkBatch(
  tx: ReadTx,
  graph: SweptGraph,
  { anchor, batch }: StoredAnchor,
): Program<Finding[]> {
  const findings: Finding[] = []
  for (const [i, id] of batch?.ids.entries() ?? []) {
    const listed = { id, n: batch?.ns?.[i] ?? 0, leaf: batch?.hashes[i] ?? '' }
    const check = listed.n === 0 ? checkListedMemory : checkListedLeaf
    const problem = yield* check(tx, graph, anchor, listed)
    if (problem !== undefined) findings.push({ id, problem })
    yield* tx.pause(hashUnits)
  }
  return findings
}

interface Listed {
  readonly id: string
  readonly n: number
  readonly leaf: string
}

type ListedProblem = Program<SweepProblem | undefined>

function* checkListedMemory(
  tx: ReadTx,
  graph: SweptGraph,
  anchor: StoredAnchor['anchor'],
  { id, leaf }: Listed,
): ListedProblem {
  const leafOf = (hash: string): string => {
    return anchor.version === 1 ? hash : memoryLeaf(graphKey(graph), id, hash)
  }
  const document = yield* find(tx, graph.nodes, id)
  if (document !== undefined && isMemory(document)) {
    const { hash, anchorId } = readMemory(document)
    const isOwn = anchorId === anchor.id
    if (leafOf(hash) !== leaf) {
      return isOwn ? 'hash not in anchor batch' : 'changed since it was anchored'
    }
    if (isOwn) return undefined
    return anchorId === null ? 'anchor id mismatch' : 'anchored twice'
  }
  const tombstone = yield* findTombstone(tx, graph.anchors, id)
  if (tombstone === undefined) return 'memory missing'
  if (leafOf(tombstone.hash) !== leaf) return 'changed since it was anchored'
  if (tombstone.anchorId !== anchor.id) return 'anchor id mismatch'
  if (graph.settings.proofs !== proofsVersion) return undefined
  const newest = yield* newestLeaf(tx, graph.anchors, id)
  return newest?.kind === 'gone' && isSound(graph, newest) ? undefined : 'deletion not recorded'
}

function* checkListedLeaf(
  tx: ReadTx,
  graph: SweptGraph,
  anchor: StoredAnchor['anchor'],
  listed: Listed,
): ListedProblem {
  const record = yield* findLeaf(tx, graph.anchors, 'leaf', listed)
  if (record === undefined) return 'leaf missing'
  const isRight = record.leaf === listed.leaf && record.anchorId === anchor.id
  return isRight && isSound(graph, record) ? undefined : 'leaf not as recorded'
}

/** A leaf is chained to the previous one, and the newest matches the stored data. */
export function* checkLeaf(
  tx: ReadTx,
  graph: SweptGraph,
  leaf: LeafRecord,
): Program<Finding | undefined> {
  const { id } = leaf
  yield* tx.pause(hashUnits)
  if (id === graphSubject) return undefined
  const isChained = leaf.previous === (yield* leafBefore(tx, graph, leaf))
  if (!isChained || !isSound(graph, leaf)) return { id, problem: 'leaf not as recorded' }
  const newest = yield* newestLeaf(tx, graph.anchors, id)
  if (newest !== undefined && newest.n > leaf.n) return undefined
  const problem = yield* checkNewest(tx, graph, leaf)
  return problem === undefined ? undefined : { id, problem }
}

/** The predecessor of a leaf; undefined if it is missing. */
function* leafBefore(
  tx: ReadTx,
  graph: SweptGraph,
  { id, n, kind }: LeafRecord,
): Program<string | null | undefined> {
  const { anchors, nodes } = graph
  if (n > 1) {
    const before = { id, n: n - 1 }
    const found =
      (yield* findLeaf(tx, anchors, 'leaf', before)) ??
      (yield* findLeaf(tx, anchors, 'wait', before))
    return found?.leaf
  }
  const document = yield* find(tx, nodes, id)
  const tombstone = yield* findTombstone(tx, anchors, id)
  const hash = document === undefined ? tombstone?.hash : readMemory(document).hash
  if (hash !== undefined) return memoryLeaf(graphKey(graph), id, hash)
  return kind === 'state' ? undefined : null
}

function* checkNewest(tx: ReadTx, graph: SweptGraph, leaf: LeafRecord): ListedProblem {
  const { id, kind, hash } = leaf
  const memory = yield* find(tx, graph.nodes, id)
  const edge = yield* find(tx, graph.edges, id)
  if (kind === 'gone') {
    return memory === undefined && edge === undefined ? undefined : 'deleted, but present'
  }
  if (kind === 'edge') {
    if (edge === undefined) return 'edge missing'
    return hash === edgeHash(edge) ? undefined : 'edge not as recorded'
  }
  if (kind !== 'state') return 'leaf not as recorded'
  if (memory === undefined) return 'memory missing'
  return hash === stateHash(memory) ? undefined : 'state not as recorded'
}

export interface CheckedMemory {
  readonly id: string
  readonly createdAt: number
  readonly anchorId: string | null
  readonly problem: SweepProblem | undefined
}

/** `batchOf` finds the batch of an anchor, if it exists. */
export function* checkMemory(
  tx: ReadTx,
  graph: SweptGraph,
  document: Document,
  batchOf: (anchorId: string) => Program<KnownBatch | undefined>,
): Program<CheckedMemory> {
  yield* tx.pause(hashUnits)
  const id = nodeId(document)
  const { hash, anchorId, createdAt } = readMemory(document)
  const computed = contentHash(graph, id, document)
  const leaf = memoryLeaf(graphKey(graph), id, computed)
  const problem = function* (): ListedProblem {
    if (computed !== hash) return 'content hash mismatch'
    if (anchorId !== null) {
      const batch = yield* batchOf(anchorId)
      if (batch?.get(id) !== (batch?.version === 1 ? computed : leaf)) {
        return 'hash not in anchor batch'
      }
    }
    const { state } = yield* stateOf(tx, graph, { id, leaf, document })
    if (state === 'wrong') return 'state not as recorded'
    return (yield* missingMention(tx, graph, id, document)) ? 'edge missing' : undefined
  }
  return { id, createdAt, anchorId, problem: yield* problem() }
}

export function* checkEdge(
  tx: ReadTx,
  graph: SweptGraph,
  edge: Document,
): Program<Finding | undefined> {
  yield* tx.pause(hashUnits)
  if ((yield* edgeRecorded(tx, graph, edge)) !== 'wrong') return undefined
  return { id: nodeId(edge), problem: 'edge not as recorded' }
}

/** The memories of a batch, by their ids. */
export class KnownBatch {
  private readonly leaves = new Map<string, string>()

  constructor(
    readonly version: StoredAnchor['anchor']['version'],
    { ids, hashes, ns }: Batch,
  ) {
    for (const [i, id] of ids.entries()) {
      if ((ns?.[i] ?? 0) === 0) this.leaves.set(id, hashes[i] ?? '')
    }
  }

  /** Undefined if it does not list the memory. */
  get(id: string): string | undefined {
    return this.leaves.get(id)
  }
}

function* find(tx: ReadTx, ns: Namespace, id: string): Program<Document | undefined> {
  return yield* getDocument(tx, ns, recordKey(ns, stringValue(id)))
}
