// A graph of memories to read from in tests: nodes, edges and postings as the write path puts them,
// of texts, times and links that the caller chooses.

import { createHash } from 'node:crypto'
import { insertDocument, recordKey } from '../../src/engine/collection/collections.js'
import type { Namespace } from '../../src/engine/types.js'
import { ensureGraph, findGraph, type Graph } from '../../src/memory/graph/graph.js'
import { type Edge, edgeDocument, edgeId, edgeTypes } from '../../src/memory/nodes/edge.js'
import { changeHeads } from '../../src/memory/nodes/name-heads.js'
import { entityId, normName } from '../../src/memory/nodes/names.js'
import { entityDocument, type Memory, memoryDocument } from '../../src/memory/nodes/node.js'
import { type Posted, writePostings } from '../../src/memory/postings/postings.js'
import { type Recall, type RecallRequest, recall } from '../../src/memory/recall/recall.js'
import { analyse } from '../../src/memory/text/analyser.js'
import { postedOf } from '../../src/memory/write/remember.js'
import type { Program, Store, Tx } from '../../src/store/store.js'
import { ulid } from '../../src/value/ulid.js'
import { stringValue } from '../../src/value/value.js'
import { createOptions } from './engine-room.js'

const startMs = 1_700_000_000_000

/** What a test says of a memory; the rest follows. */
export interface GivenMemory {
  readonly text: string
  /** Milliseconds after the first; the place among all if it is left out. */
  readonly at?: number
  /** Names. */
  readonly entities?: readonly string[]
  readonly isSuperseded?: boolean
}

export class GraphRoom {
  /** All edges from memories to their entities. */
  readonly mentions: Edge[] = []
  private memories = 0

  constructor(
    readonly store: Store,
    readonly name = 'test',
  ) {}

  create(): Promise<Graph> {
    const { owner, mode, now } = createOptions
    const uuid = (i: number): Uint8Array => new Uint8Array(16).fill(i + 1)
    const creation = { owner, mode, now, uuid, key: new Uint8Array(16) }
    return this.store.write((tx) => ensureGraph(tx, 'main', this.name, creation))
  }

  async graph(): Promise<Graph> {
    const graph = await this.store.read((tx) => findGraph(tx, 'main', this.name))
    if (graph === undefined) throw new Error('the graph is missing')
    return graph
  }

  /** In one program; answers the ids. Entities are made as they are named. */
  async remember(...given: readonly GivenMemory[]): Promise<string[]> {
    const graph = await this.graph()
    const memories = given.map((memory) => this.memoryOf(memory))
    await this.store.write((tx) => put(tx, graph, memories))
    return memories.map(({ memory }) => memory.id)
  }

  /** An edge between nodes, by their ids. */
  edge(from: string, to: string, given: Partial<Edge> = {}): Edge {
    const type = given.type ?? edgeTypes.relates
    const id = edgeId(this.name, from, type, to)
    return { weight: 1, createdAt: startMs, ...given, id, from, to, type }
  }

  /** In one program. */
  async put(...given: readonly Edge[]): Promise<void> {
    const { edges } = await this.graph()
    await this.store.write(function* (tx) {
      for (const edge of given) yield* insertDocument(tx, edges, edgeDocument(edge))
    })
  }

  relate(from: string, to: string, given: Partial<Edge> = {}): Promise<void> {
    return this.put(this.edge(from, to, given))
  }

  /** The id of the entity of that name. */
  entity(name: string): string {
    return entityId(this.name, 'thing', normName(name))
  }

  async recall(request: Partial<RecallRequest>): Promise<Recall> {
    const graph = await this.graph()
    const whole = { hops: 1, limit: 20, withSuperseded: false, neighbours: 0, ...request }
    return this.store.read((tx) => recall(tx, graph, whole))
  }

  private memoryOf({ text, at, entities = [], isSuperseded }: GivenMemory): Made {
    const place = this.memories++
    const createdAt = startMs + (at ?? place)
    const random = createHash('sha256').update(String(place)).digest().subarray(0, 10)
    const { terms, length } = analyse(text)
    const memory: Memory = {
      id: `mem_${ulid(createdAt, random)}`,
      ...{ text, createdAt, updatedAt: createdAt, hash: '', anchorId: null },
      ...{ keywords: terms, len: length, status: isSuperseded === true ? 'superseded' : 'active' },
      entities: entities.map((name) => this.entity(name)),
    }
    const given = { type: edgeTypes.mentions, createdAt }
    const mentions = memory.entities.map((entity) => this.edge(memory.id, entity, given))
    this.mentions.push(...mentions)
    return { memory, names: entities, mentions }
  }
}

interface Made {
  readonly memory: Memory
  /** Of its entities. */
  readonly names: readonly string[]
  readonly mentions: readonly Edge[]
}

function* put(tx: Tx, graph: Graph, made: readonly Made[]): Program<void> {
  for (const { memory, names, mentions } of made) {
    yield* insertDocument(tx, graph.nodes, memoryDocument(memory))
    for (const name of names) yield* ensureEntity(tx, graph, name, memory.createdAt)
    for (const edge of mentions) yield* insertDocument(tx, graph.edges, edgeDocument(edge))
  }
  const posted = made.map(({ memory }) => postedOf(memory))
  yield* addPostings(tx, graph.terms, posted)
}

function* ensureEntity(tx: Tx, graph: Graph, name: string, now: number): Program<void> {
  const id = entityId(graph.name, 'thing', normName(name))
  const key = recordKey(graph.nodes, stringValue(id))
  if ((yield* tx.get(key)) !== undefined) return
  const stamps = { createdAt: now, updatedAt: now }
  const entity = { id, name, normName: normName(name), kind: 'thing', aliases: [], formerIds: [] }
  yield* insertDocument(tx, graph.nodes, entityDocument({ ...entity, ...stamps }))
  yield* changeHeads(tx, graph.terms, undefined, { ...entity, ...stamps })
}

/** In one program's end, as the write path does. */
export function addPostings(tx: Tx, terms: Namespace, memories: readonly Posted[]): Program<void> {
  return writePostings(tx, terms, function* (postings) {
    for (const memory of memories) yield* postings.add(memory)
  })
}
