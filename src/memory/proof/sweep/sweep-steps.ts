// The steps of a sweep: each is a bounded read of anchors, leaves, memories or edges in id order,
// which returns its findings and the start of the next step.

import { verifyMemoriesAtOnce } from '../../../base/limits/memory.js'
import { recordKey } from '../../../engine/collection/collections.js'
import { countOf } from '../../../engine/collection/counters.js'
import { documentOfRecord } from '../../../engine/collection/records.js'
import type { Namespace } from '../../../engine/types.js'
import type { KeyRange, Program, ReadTx } from '../../../store/store.js'
import { type Document, stringValue } from '../../../value/value.js'
import { isMemory } from '../../nodes/node.js'
import { nodeId } from '../../nodes/node-reading.js'
import { anchorsBefore, findAnchor, findBatch, newestAnchors } from '../anchors/anchors.js'
import { type LeafState, leafRange, readLeaf } from '../leaves/leaf-records.js'
import type { StoredAnchor } from '../verdicts/chain-walk.js'
import {
  type CheckedMemory,
  checkBatch,
  checkEdge,
  checkLeaf,
  checkMemory,
  type Finding,
  KnownBatch,
  type SweptGraph,
} from './sweep-checks.js'

/** Anchors, and batches, of one step. */
const verifyAnchorsAtOnce = 200
const verifyBatchesAtOnce = 10

export interface Step {
  readonly findings: readonly Finding[]
  /** Anchors to compare with the chain. */
  readonly anchors: readonly StoredAnchor[]
  /** Memories whose times to compare with their anchors. */
  readonly memories: readonly CheckedMemory[]
  /** Leaves listed by batches, and records with a batch. */
  readonly listed: number
  readonly recorded: number
  readonly unanchored: number
  /** Cost of the step, and the number of documents read. */
  readonly entries: number
  readonly documents: number
  /** Undefined at the end of the part. */
  readonly after: string | undefined
}

const nothing: Step = {
  findings: [],
  anchors: [],
  memories: [],
  listed: 0,
  recorded: 0,
  unanchored: 0,
  entries: 0,
  documents: 0,
  after: undefined,
}

/** Number of documents of a graph, for the progress of a sweep. */
export function* sizeOf(tx: ReadTx, graph: SweptGraph): Program<number> {
  let size = 0
  for (const ns of [graph.nodes, graph.edges, graph.anchors]) {
    size += (yield* countOf(tx, ns)).documents
  }
  return size
}

/** Id of the newest anchor with all leaves marked; empty if there is none. */
export function* newestMarked(tx: ReadTx, anchors: Namespace): Program<string> {
  const newest = yield* newestAnchors(tx, anchors, 2)
  return newest.find(({ isMarked }) => isMarked)?.id ?? ''
}

/** Some anchors with their batches, newest first. */
export function* storedAnchors(
  tx: ReadTx,
  anchors: Namespace,
  before: string | undefined,
  limit = verifyBatchesAtOnce,
): Program<StoredAnchor[]> {
  const page =
    before === undefined
      ? yield* newestAnchors(tx, anchors, limit)
      : yield* anchorsBefore(tx, anchors, before, limit)
  const stored: StoredAnchor[] = []
  for (const anchor of page) {
    stored.push({ anchor, batch: yield* findBatch(tx, anchors, anchor.id) })
  }
  return stored
}

/** Anchors made after the start are left to the next sweep. */
export function* anchorsStep(
  tx: ReadTx,
  graph: SweptGraph,
  after: string,
  newest: string,
): Program<Step> {
  const before = after === '' ? undefined : after
  const anchors = yield* storedAnchors(tx, graph.anchors, before)
  const findings: Finding[] = []
  let entries = 0
  let listed = 0
  for (const stored of anchors) {
    const { batch, anchor } = stored
    entries += 1 + (batch?.ids.length ?? 0)
    if (!anchor.isMarked || anchor.id > newest) continue
    listed += batch?.ns?.filter((n) => n > 0).length ?? 0
    findings.push(...(yield* checkBatch(tx, graph, stored)))
  }
  const next = anchors.length < verifyBatchesAtOnce ? undefined : anchors.at(-1)?.anchor.id
  const documents = 2 * anchors.length
  return { ...nothing, findings, anchors, listed, entries, documents, after: next }
}

export function* leavesStep(
  tx: ReadTx,
  graph: SweptGraph,
  state: LeafState,
  after: string,
  newest: string,
): Program<Step> {
  const page = yield* pageOf(tx, graph.anchors, leafRange(graph.anchors, state), after)
  const findings: Finding[] = []
  let recorded = 0
  for (const document of page) {
    const leaf = readLeaf(document)
    if (leaf.anchorId !== null && leaf.anchorId <= newest) recorded++
    const found = yield* checkLeaf(tx, graph, leaf)
    if (found !== undefined) findings.push(found)
  }
  return { ...ended(page, verifyAnchorsAtOnce), findings, recorded }
}

export function* memoriesStep(
  tx: ReadTx,
  graph: SweptGraph,
  after: string,
  newest: string,
): Program<Step> {
  const page = yield* pageOf(tx, graph.nodes, rangeOfIds(graph.nodes, 'mem'), after)
  const known = new Map<string, KnownBatch | undefined>()
  const batchOf = function* (id: string): Program<KnownBatch | undefined> {
    if (!known.has(id)) known.set(id, yield* knownBatch(tx, graph.anchors, id))
    return known.get(id)
  }
  const memories: CheckedMemory[] = []
  for (const document of page) {
    if (isMemory(document)) memories.push(yield* checkMemory(tx, graph, document, batchOf))
    if (known.size > verifyMemoriesAtOnce) known.clear()
  }
  const isLater = ({ anchorId }: CheckedMemory) => anchorId === null || anchorId > newest
  const findings = memories.flatMap(({ id, problem }) => {
    return problem === undefined ? [] : [{ id, problem }]
  })
  const unanchored = memories.filter(isLater).length
  const anchored = memories.filter((memory) => !isLater(memory))
  return { ...ended(page, verifyAnchorsAtOnce), findings, unanchored, memories: anchored }
}

export function* edgesStep(tx: ReadTx, graph: SweptGraph, after: string): Program<Step> {
  const page = yield* pageOf(tx, graph.edges, rangeOfIds(graph.edges, 'edg'), after)
  const findings: Finding[] = []
  for (const document of page) {
    const found = yield* checkEdge(tx, graph, document)
    if (found !== undefined) findings.push(found)
  }
  return { ...ended(page, verifyAnchorsAtOnce), findings }
}

function* knownBatch(tx: ReadTx, anchors: Namespace, id: string): Program<KnownBatch | undefined> {
  const anchor = yield* findAnchor(tx, anchors, id)
  const batch = yield* findBatch(tx, anchors, id)
  if (anchor === undefined || batch === undefined) return undefined
  return new KnownBatch(anchor.version, batch)
}

function* pageOf(
  tx: ReadTx,
  ns: Namespace,
  { start, end }: KeyRange,
  after: string,
): Program<Document[]> {
  const from = after === '' ? start : recordKey(ns, stringValue(`${after}\u0001`))
  const documents: Document[] = []
  for (const { value } of yield* tx.scan({ start: from, end }, verifyAnchorsAtOnce)) {
    documents.push(yield* documentOfRecord(tx, value))
  }
  return documents
}

/** The ids that start with a kind and `_`. */
function rangeOfIds(ns: Namespace, kind: string): KeyRange {
  const key = (text: string) => recordKey(ns, stringValue(text))
  return { start: key(`${kind}_`), end: key(`${kind}\``) }
}

function ended(page: readonly Document[], limit: number): Step {
  const last = page.at(-1)
  const after = last === undefined || page.length < limit ? undefined : nodeId(last)
  return { ...nothing, entries: page.length, documents: page.length, after }
}
