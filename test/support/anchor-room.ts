// Graphs of memories over a chain of their own, with hands that reach into the store below every
// guard: what an attacker with the files could do.

import type { Test } from 'tap'
import { type Clock, systemClock, systemRandom } from '../../src/base/clock.js'
import { scanEntriesMax } from '../../src/base/limits/engine.js'
import { type Log, silentLog } from '../../src/base/log.js'
import type { OpenChain } from '../../src/chain/open.js'
import { ClockPace } from '../../src/engine/background/pace-job.js'
import {
  getDocument,
  insertDocument,
  recordKey,
  removeDocument,
  replaceDocument,
} from '../../src/engine/collection/collections.js'
import { documentOfRecord } from '../../src/engine/collection/records.js'
import { ensureGraph, findGraph, type Graph, type GraphPart } from '../../src/memory/graph/graph.js'
import { graphKey } from '../../src/memory/graph/graph-key.js'
import { graphPath } from '../../src/memory/graph/graph-names.js'
import { noteChange, noteRequest } from '../../src/memory/graph/graph-settings.js'
import { rangeOf, scanDocuments } from '../../src/memory/graph/index-range.js'
import { edgeDocument, edgeId, readEdge } from '../../src/memory/nodes/edge.js'
import { type Memory, memoryDocument, readMemory } from '../../src/memory/nodes/node.js'
import { type Anchor, batchId } from '../../src/memory/proof/anchors/anchor.js'
import { beginAnchor, gatherThese, markSome } from '../../src/memory/proof/anchors/anchor-batch.js'
import { newestAnchors } from '../../src/memory/proof/anchors/anchors.js'
import { type GraphPrograms, graphPrograms } from '../../src/memory/proof/graph-programs.js'
import { memoryHash } from '../../src/memory/proof/leaves/memory-hash.js'
import { merkleRoot } from '../../src/memory/proof/leaves/merkle.js'
import { buryMemory } from '../../src/memory/proof/leaves/tombstone.js'
import { Proofs, type ProofsOptions, type Requested } from '../../src/memory/proof/proofs.js'
import type { GraphVerdict } from '../../src/memory/proof/sweep/sweep.js'
import type { Finding } from '../../src/memory/proof/sweep/sweep-checks.js'
import { notFound, type Verdict } from '../../src/memory/proof/verdicts/verdict.js'
import { openMemoryStore } from '../../src/store/memory.js'
import type { Program, Store, Tx } from '../../src/store/store.js'
import { documentFrom } from '../../src/value/literal.js'
import { ulid, ulidRandomBytes } from '../../src/value/ulid.js'
import { stringValue } from '../../src/value/value.js'
import { openClients } from './chain-room.js'
import { toObject } from './literal.js'
import { NamedGateway } from './named-gateway.js'

export const database = 'main'
const insertedAtOnce = 500
/** Behind the ids of memories. */
const afterIds = stringValue('mem`')

/** Where anchor-child.ts stops to be killed. */
export const killPoints = [
  'batch half marked',
  'batch marked',
  'intent written',
  'sent',
  'receipt read',
  'submitted',
] as const
/** The last one: after requests were answered, and before any round of the job. */
export type KillPoint = (typeof killPoints)[number] | 'asked'
/** What it writes to, and how often its job looks, which is what its lease goes by. */
export const killedGraphs = ['one', 'two'] as const
export const killedMemories = 120
export const killedPollMs = 50

type ChainParts = Pick<OpenChain, 'kind' | 'chainId' | 'anchors'>
type Timing = Pick<ProofsOptions, 'pollMs' | 'waitMs' | 'payEveryMs'> & {
  readonly clock?: Clock
  readonly log?: Log
}

export interface AnchorRoomOptions extends Timing {
  readonly store?: Store
  /** Settings of the chain; the local one unless given. */
  readonly environment?: Readonly<Record<string, string>>
  /** One that is open already. */
  readonly chain?: OpenChain
}

export class AnchorRoom {
  /** Whose job anchors: it holds the lease. */
  readonly anchoring: Proofs

  private constructor(
    readonly store: Store,
    readonly chain: OpenChain,
    private readonly timing: Timing,
  ) {
    this.anchoring = proofsOver(store, chain, timing)
  }

  static async open(t: Test, options: AnchorRoomOptions = {}): Promise<AnchorRoom> {
    const { store = openMemoryStore(), environment = {}, chain, ...timing } = options
    const opened = chain ?? (await openClients(t, environment, { store }))
    return new AnchorRoom(store, opened, timing)
  }

  /** With nothing remembered of the chain. */
  proofs(chain: ChainParts = this.chain, timing: Timing = {}): Proofs {
    return proofsOver(this.store, chain, { ...this.timing, ...timing })
  }

  /** Writes memories as of now, or of `ageMs` ago; answers their ids. */
  remember(graph: string, texts: readonly string[], ageMs = 0): Promise<string[]> {
    const { clock = systemClock } = this.timing
    return rememberIn(this.store, graph, texts, clock.now() - ageMs)
  }

  /** Rounds of a job until it has nothing more to do. */
  async settle(): Promise<void> {
    while (await this.anchoring.job.round());
  }

  /** Anchors all that waits in a graph. */
  async anchor(graph: string): Promise<void> {
    await this.request(graph)
    await this.settle()
  }

  /** Has all that waits in a graph anchored by the next round of a job. */
  async request(graph: string, { job } = this.anchoring): Promise<void> {
    await this.inGraph(graph, (tx, { anchors }) => noteRequest(tx, anchors))
    job.request(graphPath(database, graph))
  }

  /** As the command asks for anchors, without its guard. */
  ask(graph: string, ids?: readonly string[]): Promise<Requested> {
    const wanted = ids === undefined ? undefined : new Set(ids)
    return this.anchoring.anchor(graphPath(database, graph), programsIn(this.store, graph), wanted)
  }

  async verify(graph: string, id: string, proofs = this.proofs()): Promise<Verdict> {
    const [verdict = notFound] = await this.verifyAll(graph, [id], proofs)
    return verdict
  }

  verifyAll(graph: string, ids: readonly string[], proofs = this.proofs()): Promise<Verdict[]> {
    return proofs.verify(programsIn(this.store, graph).read, ids)
  }

  /** A whole sweep: with every problem, and the figures of its last request. */
  async verifyGraph(graph: string, proofs = this.proofs(), entries?: number): Promise<Swept> {
    const problems: Finding[] = []
    const lateIds: string[] = []
    const { read } = programsIn(this.store, graph)
    for (let cursor: string | undefined, requests = 1; ; requests++) {
      const verdict = await proofs.verifyGraph(read, cursor, entries)
      if (verdict === undefined) throw new Error(`there is no graph ${graph}`)
      problems.push(...verdict.problems)
      lateIds.push(...verdict.lateIds)
      if (verdict.cursor === null) return { ...verdict, problems, lateIds, requests }
      cursor = verdict.cursor
    }
  }

  /** Programs that read the graph. */
  read(graph: string): GraphPrograms['read'] {
    return programsIn(this.store, graph).read
  }

  /** Of the graph on the chain. */
  key(graph: string): Promise<string> {
    return this.inGraph(graph, function* (_, found) {
      return graphKey(found)
    })
  }

  /** Newest first. */
  anchors(graph: string, limit = 100): Promise<Anchor[]> {
    return this.inGraph(graph, (tx, { anchors }) => newestAnchors(tx, anchors, limit))
  }

  /** Ids of all memories of a graph. */
  memories(graph: string): Promise<string[]> {
    return this.inGraph(graph, function* (tx, { nodes }) {
      const range = {
        start: recordKey(nodes, stringValue('mem_')),
        end: recordKey(nodes, afterIds),
      }
      const ids: string[] = []
      for (const { value } of yield* tx.scan(range, scanEntriesMax)) {
        ids.push(readMemory(yield* documentOfRecord(tx, value)).id)
      }
      return ids
    })
  }

  /** As tamperIn, in this room's store. */
  tamper(graph: string, part: GraphPart, id: string, change: Tampering): Promise<void> {
    return tamperIn(this.store, { graph, part, id }, change)
  }

  /** Puts an edge there that no command has made. */
  addEdge(graph: string, from: string, type: string, to: string): Promise<void> {
    return this.inGraph(graph, function* (tx, { edges }) {
      const id = edgeId(graph, from, type, to)
      const createdAt = systemClock.now()
      yield* insertDocument(tx, edges, edgeDocument({ id, from, to, type, weight: 1, createdAt }))
    })
  }

  /** Puts a tombstone there that no command has made. */
  bury(graph: string, buried: Parameters<typeof buryMemory>[2]): Promise<void> {
    return this.inGraph(graph, (tx, { anchors }) => buryMemory(tx, anchors, buried, 7))
  }

  /** Ids of the edges of a type that begin at a node. */
  edgesOf(graph: string, from: string, type: string): Promise<string[]> {
    return this.inGraph(graph, function* (tx, { edges }) {
      const found = yield* scanDocuments(tx, rangeOf(edges, 'from', stringValue(from)), 100)
      return found.map(readEdge).flatMap((edge) => (edge.type === type ? [edge.id] : []))
    })
  }

  /** The same of what an anchor has anchored. */
  tamperBatch(graph: string, anchorId: string, change: Parameters<AnchorRoom['tamper']>[3]) {
    return this.tamper(graph, 'anchors', batchId(anchorId), change)
  }

  inGraph<T>(graph: string, program: (tx: Tx, graph: Graph) => Program<T>): Promise<T> {
    return inGraphOf(this.store, graph, program)
  }
}

function inGraphOf<T>(
  store: Store,
  graph: string,
  program: (tx: Tx, graph: Graph) => Program<T>,
): Promise<T> {
  return store.write(function* (tx) {
    const found = yield* findGraph(tx, database, graph)
    if (found === undefined) throw new Error(`there is no graph ${graph}`)
    return yield* program(tx, found)
  })
}

interface TamperPlace {
  readonly graph: string
  readonly part: GraphPart
  readonly id: string
}

type Tampering = (fields: Record<string, unknown>) => Record<string, unknown> | undefined

/** Changes a document of a part of a graph; `undefined` takes it away. */
export function tamperIn(
  store: Store,
  { graph, part, id }: TamperPlace,
  change: Tampering,
): Promise<void> {
  return inGraphOf(store, graph, function* (tx, found) {
    const ns = found[part]
    const key = recordKey(ns, stringValue(id))
    const before = yield* getDocument(tx, ns, key)
    if (before === undefined) throw new Error(`there is no ${id} in ${part}`)
    const after = change(toObject(before))
    if (after === undefined) yield* removeDocument(tx, ns, key, before)
    else yield* replaceDocument(tx, ns, key, before, documentFrom(after))
  })
}

interface Swept extends GraphVerdict {
  /** Requests that the sweep took. */
  readonly requests: number
}

/** An anchor for each of the memories, twenty a transaction. */
export async function anchorEach(
  room: AnchorRoom,
  graph: string,
  ids: readonly string[],
  isSent = true,
): Promise<void> {
  for (const id of ids) {
    await room.inGraph(graph, function* (tx, found) {
      const batch = yield* gatherThese(tx, found, new Set([id]))
      const random = systemRandom.bytes(ulidRandomBytes)
      const root = merkleRoot(batch.hashes) ?? ''
      const made = { root, random, now: systemClock.now(), isAlone: false }
      const anchor = yield* beginAnchor(tx, found, batch, made)
      if (anchor !== undefined) yield* markSome(tx, found, anchor, batch, 0)
    })
  }
  if (isSent) await room.settle()
}

/** As the gateway puts them together. */
export function proofsOver(store: Store, chain: ChainParts, timing: Timing = {}): Proofs {
  return new Proofs({
    ...{
      store: new NamedGateway(store),
      chain,
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
    },
    ...{ pace: new ClockPace(systemClock), payEveryMs: 0, ...timing },
  })
}

/** Programs over one graph, behind no guard. */
export function programsIn(store: Store, name: string): GraphPrograms {
  return graphPrograms(store, database, name)
}

/** Memories without entities, made at `createdAt`; the graph is made where it is missing. */
export async function rememberIn(
  store: Store,
  graph: string,
  texts: readonly string[],
  createdAt: number,
): Promise<string[]> {
  const memories = texts.map((text, i): Memory => {
    // Those of one call sort as they were given.
    const random = Uint8Array.of(i >> 8, i & 0xff, ...systemRandom.bytes(ulidRandomBytes - 2))
    const id = `mem_${ulid(createdAt, random)}`
    const hash = memoryHash({ graph, id, text, entities: [], createdAt })
    return {
      ...{ id, text, hash, createdAt, updatedAt: createdAt, entities: [], keywords: new Map() },
      ...{ len: 0, anchorId: null, status: 'active' },
    }
  })
  const key = systemRandom.bytes(16)
  const uuids = [0, 1, 2, 3].map(() => systemRandom.bytes(16))
  const creation = { owner: null, mode: 'private', now: createdAt, key } as const
  const uuid = (i: number) => uuids[i] ?? key
  for (let from = 0; from < memories.length; from += insertedAtOnce) {
    await store.write(function* (tx) {
      const found = yield* ensureGraph(tx, database, graph, { ...creation, uuid })
      for (const memory of memories.slice(from, from + insertedAtOnce)) {
        yield* insertDocument(tx, found.nodes, memoryDocument(memory))
      }
      yield* noteChange(tx, found.anchors)
    })
  }
  return memories.map(({ id }) => id)
}
