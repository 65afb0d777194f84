// Upgrades a graph of an older server to leaves of version 2. Everything that changed since it was
// first written gets a leaf (states, edges, deletions), in bounded programs that a crash may
// interrupt. The last leaf names the newest root of version 1. (docs/memory.md, "Proofs")

import type { Clock } from '../../../base/clock.js'
import { recordKey } from '../../../engine/collection/collections.js'
import { documentOfRecord } from '../../../engine/collection/records.js'
import type { Namespace } from '../../../engine/types.js'
import type { KeyRange, Program, Tx } from '../../../store/store.js'
import { type Document, stringValue } from '../../../value/value.js'
import { firstGraphKey } from '../../graph/graph-key.js'
import { noteProofs, proofsVersion } from '../../graph/graph-settings.js'
import { edgeId, edgeTypes, readEdge } from '../../nodes/edge.js'
import { isMemory, readMemory } from '../../nodes/node.js'
import { nodeId } from '../../nodes/node-reading.js'
import type { AnchoredGraph } from '../anchors/anchor-batch.js'
import { newestAnchors } from '../anchors/anchors.js'
import type { GraphPrograms } from '../graph-programs.js'
import { followsFromMemories } from './derived-edges.js'
import { isFirstState } from './leaf.js'
import { newestOwnLeaf } from './leaf-records.js'
import {
  recordEdge,
  recordEdgeGone,
  recordMemoryGone,
  recordState,
  recordUpgrade,
} from './leaf-writing.js'
import { readTombstone, tombstonePrefix } from './tombstone.js'

/** Documents that one step of the upgrade reads. */
const upgradeAtOnce = 100

/** The upgraded parts, in this order, by the prefixes of their ids. */
const parts = ['mem_', 'edg_', tombstonePrefix] as const
type Part = (typeof parts)[number]
/** The character after `_`: the end of a range of ids with a prefix. */
const afterPrefix = '`'

type Step = 'more' | 'done' | 'blocked'

/** False: anchors of version 1 are unconfirmed, which must be confirmed first. */
export async function upgradeProofs(programs: GraphPrograms, clock: Clock): Promise<boolean> {
  const proofs = await programs.read(function* (_, { settings }) {
    return settings.proofs
  })
  for (let step: Step | undefined = proofs === proofsVersion ? 'done' : 'more'; ; ) {
    if (step !== 'more') return step !== 'blocked'
    const now = clock.now()
    step = await programs.write((tx, graph) => upgradeSome(tx, graph, now))
  }
}

function* upgradeSome(tx: Tx, graph: AnchoredGraph, now: number): Program<Step> {
  const { settings, anchors } = graph
  if (settings.proofs === proofsVersion) return 'done'
  const { part = parts[0], after = '' } = settings.upgrading ?? {}
  const at = parts.indexOf(part as Part)
  if (at < 0) return yield* endUpgrade(tx, graph, now)
  const page = yield* pageOf(tx, graph, parts[at] ?? parts[0], after)
  for (const document of page) yield* recordOld(tx, graph, document, now)
  const last = page.at(-1)
  const isOver = last === undefined || page.length < upgradeAtOnce
  const next = isOver ? { part: parts[at + 1] ?? 'end', after: '' } : { part, after: nodeId(last) }
  yield* noteProofs(tx, anchors, { upgrading: next })
  return 'more'
}

function* pageOf(tx: Tx, graph: AnchoredGraph, part: Part, after: string): Program<Document[]> {
  const ns = part === 'mem_' ? graph.nodes : part === 'edg_' ? graph.edges : graph.anchors
  const documents: Document[] = []
  for (const { value } of yield* tx.scan(idsAfter(ns, part, after), upgradeAtOnce)) {
    documents.push(yield* documentOfRecord(tx, value))
  }
  return documents
}

function idsAfter(ns: Namespace, prefix: string, after: string): KeyRange {
  const start = recordKey(ns, stringValue(after === '' ? prefix : `${after}\u0001`))
  return { start, end: recordKey(ns, stringValue(prefix.slice(0, -1) + afterPrefix)) }
}

/** Adds missing leaves. */
function* recordOld(tx: Tx, graph: AnchoredGraph, document: Document, now: number): Program<void> {
  const tombstone = readTombstone(document)
  if (tombstone !== undefined) {
    if (!(yield* hasLeaf(tx, graph, tombstone.id))) {
      yield* recordMemoryGone(tx, graph, tombstone, now)
    }
  } else if (isMemory(document)) {
    yield* recordOldMemory(tx, graph, document, now)
  } else {
    if (yield* hasLeaf(tx, graph, readEdge(document).id)) return
    if (yield* followsFromMemories(tx, graph, document)) return
    yield* recordEdge(tx, graph, document, now)
  }
}

/** Its state, and its edges to entities that were removed or moved by a merge. */
function* recordOldMemory(
  tx: Tx,
  graph: AnchoredGraph,
  document: Document,
  now: number,
): Program<void> {
  const { id, updatedAt, entities } = readMemory(document)
  if (!isFirstState(document) && !(yield* hasLeaf(tx, graph, id))) {
    yield* recordState(tx, graph, document, updatedAt)
  }
  for (const entity of entities) {
    const edge = edgeId(graph.name, id, edgeTypes.mentions, entity)
    if ((yield* tx.get(recordKey(graph.edges, stringValue(edge)))) !== undefined) continue
    if (!(yield* hasLeaf(tx, graph, edge))) yield* recordEdgeGone(tx, graph, edge, now)
  }
}

function* hasLeaf(tx: Tx, { anchors }: AnchoredGraph, id: string): Program<boolean> {
  return (yield* newestOwnLeaf(tx, anchors, id)) !== undefined
}

function* endUpgrade(tx: Tx, graph: AnchoredGraph, now: number): Program<Step> {
  const { anchors } = graph
  const [newest] = yield* newestAnchors(tx, anchors, 1)
  if (newest === undefined) {
    yield* noteProofs(tx, anchors, { proofs: proofsVersion, upgrading: undefined })
    return 'done'
  }
  if (newest.status !== 'confirmed') return 'blocked'
  const { id: anchorId, root, seq: sequence } = newest
  yield* recordUpgrade(tx, graph, { graphKey: firstGraphKey(graph), root, sequence }, now)
  const upgraded = { anchorId, root, sequence }
  yield* noteProofs(tx, anchors, { proofs: proofsVersion, upgrading: undefined, upgraded })
  return 'done'
}
