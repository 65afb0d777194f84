// Writes memories: each with its entities, edges and postings, in one program, with the counts and
// the number of the last change. (docs/memory.md, "What is kept")

import { fail, type GatewayError, toGatewayError } from '../../base/errors.js'
import { graphNodesMax } from '../../base/limits/memory.js'
import {
  getDocument,
  insertDocument,
  recordKey,
  replaceDocument,
} from '../../engine/collection/collections.js'
import { countOf } from '../../engine/collection/counters.js'
import type { Guarded } from '../../engine/types.js'
import type { Program, ReadTx, Tx } from '../../store/store.js'
import { type Document, stringValue } from '../../value/value.js'
import type { Graph } from '../graph/graph.js'
import { placeOf } from '../graph/graph-key.js'
import { noteChange } from '../graph/graph-settings.js'
import { type Edge, edgeDocument, edgeId, edgeTypes } from '../nodes/edge.js'
import { type Author, EntityWriting } from '../nodes/entity-writing.js'
import { type Memory, memoryDocument } from '../nodes/node.js'
import { type Posted, type PostingChanges, PostingWriter } from '../postings/postings.js'
import { topTerms } from '../postings/top-terms.js'
import { totalsOf } from '../postings/totals.js'
import { recordEdge, recordFirstState, recordState } from '../proof/leaves/leaf-writing.js'
import { memoryHash } from '../proof/leaves/memory-hash.js'
import type { AnalysedMemory } from './analysed-memory.js'
import {
  type Extracted,
  findDuplicate,
  type Link,
  lastOf,
  type MemoryPlan,
  planMemory,
  plannedEdges,
  unknownNode,
} from './memory-plan.js'

export interface Remembered {
  readonly kind: 'remembered'
  readonly index: number
  readonly memory: Document
  readonly created: { readonly nodes: number; readonly edges: number }
  readonly links: readonly Link[]
  readonly extracted: readonly Extracted[]
  /** Terms that distinguish it in its graph, the best first. */
  readonly keywords: readonly string[]
}

export type Outcome =
  | Remembered
  /** Its content exists already. */
  | { readonly kind: 'duplicate'; readonly index: number; readonly memory: Document }
  | { readonly kind: 'refused'; readonly index: number; readonly error: GatewayError }

export interface RememberOptions extends Author {
  /** The id of the memory at a position of the command, the same at every run. */
  readonly idOf: (index: number) => string
  /** A refused memory ends the program; otherwise it is reported, and the others are written. */
  readonly isAtomic: boolean
}

/** Writes memories in one program. Throws GraphLimit; TransactionTooLarge must end the program. */
export function* rememberAll(
  tx: Tx & Guarded,
  graph: Graph,
  memories: readonly AnalysedMemory[],
  options: RememberOptions,
): Program<Outcome[]> {
  yield* requireRoom(tx, graph, memories.length)
  const { memories: before } = yield* totalsOf(tx, graph.terms)
  const postings = new PostingWriter(tx, graph.terms)
  const remembering = new Remembering(tx, graph, options, before, postings)
  const outcomes: Outcome[] = []
  for (const analysed of memories) outcomes.push(yield* remembering.remember(analysed))
  if (remembering.hasChanged) {
    yield* postings.finish()
    yield* noteChange(tx, graph.anchors)
  }
  return outcomes
}

/** Throws GraphLimit if there is no room for this many nodes. */
export function* requireRoom(tx: ReadTx, graph: Graph, memories: number): Program<void> {
  const { documents } = yield* countOf(tx, graph.nodes)
  if (documents + memories <= graphNodesMax) return
  throw fail('GraphLimit', `a graph has at most ${graphNodesMax} nodes`)
}

/** Writes one memory after the other; the caller finishes the postings. */
export class Remembering {
  hasChanged = false
  private readonly entities: EntityWriting
  /** The newest memory of each source among those written here. */
  private readonly last = new Map<string, string>()

  constructor(
    private readonly tx: Tx,
    private readonly graph: Graph,
    private readonly options: RememberOptions,
    /** Number of memories in the graph when the program started. */
    private readonly memoriesBefore: number,
    private readonly postings: PostingChanges,
  ) {
    this.entities = new EntityWriting(tx, graph, options)
  }

  *remember(analysed: AnalysedMemory): Program<Outcome> {
    const { tx, graph } = this
    const { index } = analysed
    const same = yield* findDuplicate(tx, graph, analysed)
    if (same !== undefined) return { kind: 'duplicate', index, memory: same }
    let plan: MemoryPlan
    try {
      plan = yield* planMemory(tx, graph, this.entities, analysed)
    } catch (thrown) {
      const error = toGatewayError(thrown)
      if (this.options.isAtomic || error.kind !== 'NodeNotFound') throw thrown
      return { kind: 'refused', index, error }
    }
    return yield* this.write(analysed, plan)
  }

  private *write(analysed: AnalysedMemory, plan: MemoryPlan): Program<Remembered> {
    const { tx, graph, entities, postings } = this
    const { links, extracted } = plan
    for (const { entity, change } of links) {
      if (change === 'add') yield* entities.add(entity)
      else if (change === 'replace') yield* entities.replace(entity)
    }
    const ref = analysed.given.source?.ref
    const previous = yield* this.previousOf(ref)
    const memory = this.memoryOf(analysed, plan)
    const document = memoryDocument(memory)
    yield* insertDocument(tx, graph.nodes, document)
    const edges = plannedEdges(plan)
    for (const { isGiven = false, ...edge } of edges) {
      yield* this.addEdge({ ...edge, from: memory.id }, isGiven)
    }
    if (memory.validFrom !== undefined || memory.validTo !== undefined) {
      yield* recordFirstState(tx, graph, document, memory.createdAt)
    }
    if (previous !== undefined) {
      yield* this.addEdge({ from: previous, to: memory.id, type: edgeTypes.next, weight: 1 })
    }
    if (ref !== undefined) this.last.set(ref, memory.id)
    const { superseded } = plan
    if (superseded !== undefined) yield* this.supersede(superseded)
    yield* postings.add(postedOf(memory))
    this.hasChanged = true
    const frequencies = yield* postings.frequenciesOf(memory.keywords.keys())
    const keywords = topTerms(memory.keywords, frequencies, this.memoriesBefore)
    const created = {
      nodes: 1 + links.filter(({ change }) => change === 'add').length,
      edges: edges.length + (previous === undefined ? 0 : 1),
    }
    const { index } = analysed
    const rest = { links, extracted, keywords }
    return { kind: 'remembered', index, memory: document, created, ...rest }
  }

  /** The previous memory from the same source. */
  private *previousOf(ref: string | undefined): Program<string | undefined> {
    if (ref === undefined) return undefined
    const { tx, graph, last } = this
    return last.get(ref) ?? (yield* lastOf(tx, graph, ref))
  }

  private memoryOf({ index, given, ...rest }: AnalysedMemory, { links }: MemoryPlan): Memory {
    const { now, createdBy, idOf } = this.options
    const { text, source, supersedes, validFrom, validTo } = given
    const hashed = {
      id: idOf(index),
      text,
      source,
      supersedes,
      createdAt: now,
      createdBy,
      entities: links.map(({ entity }) => entity.id),
    }
    return {
      ...hashed,
      keywords: rest.terms,
      len: rest.length,
      contentKey: rest.contentKey,
      hash: memoryHash({ ...hashed, graph: placeOf(this.graph).name }),
      anchorId: null,
      status: 'active',
      validFrom,
      validTo,
      updatedAt: now,
    }
  }

  /** Marks a memory as superseded. Its text does not change. */
  private *supersede(memory: Memory): Program<void> {
    if (memory.status === 'superseded') return
    yield* this.postings.setStatus(postedOf(memory), true)
    const updatedAt = this.options.now
    const after = { ...memory, status: 'superseded', updatedAt } as const
    const document = yield* replaceMemory(this.tx, this.graph, after)
    yield* recordState(this.tx, this.graph, document, updatedAt)
  }

  /** Between nodes of which one is new: no such edge exists. */
  private *addEdge(
    edge: Pick<Edge, 'from' | 'to' | 'type' | 'weight'>,
    isGiven = false,
  ): Program<void> {
    const { now: createdAt, createdBy } = this.options
    const id = edgeId(this.graph.name, edge.from, edge.type, edge.to)
    const document = edgeDocument({ ...edge, id, createdAt, createdBy })
    yield* insertDocument(this.tx, this.graph.edges, document)
    if (isGiven) yield* recordEdge(this.tx, this.graph, document, createdAt, true)
  }
}

/** Replaces a memory; returns it as stored. */
export function* replaceMemory(tx: Tx, { nodes }: Graph, memory: Memory): Program<Document> {
  const key = recordKey(nodes, stringValue(memory.id))
  const before = yield* getDocument(tx, nodes, key)
  if (before === undefined) throw unknownNode(memory.id)
  const after = memoryDocument(memory)
  yield* replaceDocument(tx, nodes, key, before, after)
  return after
}

/** A memory as its postings describe it. */
export function postedOf({ id, keywords, len, status }: Memory): Posted {
  return { id, terms: keywords, length: len, isSuperseded: status === 'superseded' }
}
