// The check of graphs: every edge has its two ends, every memory has exactly the postings of its
// terms, the totals match the memories, and hashes and leaves match the stored data. It runs in
// bounded steps beside clients; a part that a write has changed meanwhile is checked again.

import type { Bytes } from '../base/bytes/bytes.js'
import { idRange } from '../engine/background/garbage.js'
import { messageOf, stepRange } from '../engine/check/check-steps.js'
import { sweepNamespaces } from '../engine/collection/catalog/catalog-walk.js'
import { recordKey } from '../engine/collection/collections.js'
import { documentOfRecord } from '../engine/collection/records.js'
import type { Namespace } from '../engine/types.js'
import { keyClass } from '../store/layout.js'
import type { Program, ReadTx, Store } from '../store/store.js'
import { readPhase, runSweep, type Sweep } from '../store/sweep.js'
import { field } from '../value/elements.js'
import { bsonType, type Document, stringOf, stringValue } from '../value/value.js'
import { checkProofs } from './check-proofs.js'
import { findGraph, type Graph, graphOfPart, partName } from './graph/graph.js'
import { edgeId, readEdge } from './nodes/edge.js'
import { headOfId, headsOf, namesIn } from './nodes/name-heads.js'
import { isMemory, readEntity, readMemory } from './nodes/node.js'
import { unpackId } from './postings/packed-id.js'
import {
  countOf,
  isSuperseded,
  lengthOf,
  postingBytes,
  sizeOf,
  supersededIn,
} from './postings/posting-block.js'
import { blockIn, numberIn, termOfName } from './postings/term-documents.js'
import { type Totals, totalsOf } from './postings/totals.js'

interface GraphProblem {
  /** `db.collection` of the part with the problem. */
  readonly ns: string
  readonly text: string
}

/** Attempts to read a graph without concurrent writes. */
const triesMax = 5

/** Checks every graph of a store; resolves with the problems, none for a sound store. */
export function checkGraphs(store: Store): Promise<GraphProblem[]> {
  return runSweep(store, checkAll())
}

function* checkAll(): Sweep<GraphProblem[]> {
  const problems: GraphProblem[] = []
  yield* sweepNamespaces(function* ({ db, name }) {
    const graph = graphOfPart(name)
    if (graph === undefined || name !== partName(graph, 'nodes')) return
    problems.push(...(yield* checkGraph(db, graph)))
  })
  return problems
}

function* checkGraph(db: string, name: string): Sweep<GraphProblem[]> {
  const find = () => readPhase((tx) => findGraph(tx, db, name))
  for (let tries = 0; tries < triesMax; tries++) {
    const before = yield* find()
    if (before === undefined) return []
    const texts = yield* lookAt(before)
    const after = yield* find()
    if (after?.settings.seq === before.settings.seq) return texts
  }
  return [{ ns: `${db}.${partName(name, 'nodes')}`, text: 'kept changing: it was not checked' }]
}

function* lookAt(graph: Graph): Sweep<GraphProblem[]> {
  const problems: GraphProblem[] = []
  const find = (ns: Namespace, text: string): void => {
    problems.push({ ns: `${ns.db}.${ns.name}`, text })
  }
  const balance = new Balance()
  yield* eachDocument(graph.edges, find, (tx, edge) => checkEdge(tx, graph, edge))
  yield* eachDocument(graph.nodes, find, function* (_tx, node) {
    return balance.takeNode(node)
  })
  yield* eachDocument(graph.terms, find, function* (_tx, term) {
    return balance.takeTerm(term)
  })
  for (const text of balance.texts()) find(graph.terms, text)
  const totals = yield* readPhase((tx) => totalsOf(tx, graph.terms))
  for (const text of balance.totalTexts(totals)) find(graph.terms, text)
  yield* checkProofs(graph, find)
  return problems
}

/** Returns the problem of a document. */
type Look = (tx: ReadTx, document: Document) => Program<string | undefined>

function* eachDocument(
  ns: Namespace,
  find: (ns: Namespace, text: string) => void,
  look: Look,
): Sweep<void> {
  const range = idRange(keyClass.record, ns.id)
  const unreadable = yield* stepRange<readonly string[]>(
    range,
    function* (tx, entries) {
      const texts: string[] = []
      for (const { value } of entries) {
        const text = yield* lookOrTell(tx, value, look)
        if (text !== undefined) texts.push(text)
      }
      return texts
    },
    (texts) => {
      for (const text of texts) find(ns, text)
    },
  )
  if (unreadable !== undefined) find(ns, unreadable)
}

function* lookOrTell(tx: ReadTx, record: Bytes, look: Look): Program<string | undefined> {
  const document = yield* documentOfRecord(tx, record)
  try {
    return yield* look(tx, document)
  } catch (error) {
    return `${idIn(document)}: ${messageOf(error)}`
  }
}

function* checkEdge(tx: ReadTx, graph: Graph, document: Document): Program<string | undefined> {
  const { id, from, type, to } = readEdge(document)
  if (id !== edgeId(graph.name, from, type, to)) return `edge ${id} is not of its ends and type`
  for (const end of [from, to]) {
    const node = yield* tx.get(recordKey(graph.nodes, stringValue(end)))
    if (node === undefined) return `edge ${id} leads to ${end}, which is not there`
  }
  return undefined
}

/** Compares the terms of memories with the postings, as one sum for each memory. */
class Balance {
  private readonly sums = new Map<string, number>()
  private readonly totals = { memories: 0, length: 0, superseded: 0, supersededLength: 0 }
  /** For each term, the count in its document minus the postings seen. */
  private readonly counts = new Map<string, number>()
  /** The same for postings of superseded memories. */
  private readonly superseded = new Map<string, number>()
  /** Counted names that begin with a word, minus the names seen. */
  private readonly heads = new Map<string, number>()

  takeNode(node: Document): string | undefined {
    if (!isMemory(node)) {
      for (const [head, count] of headsOf(readEntity(node))) addTo(this.heads, head, count)
      return undefined
    }
    const { id, keywords, len, status } = readMemory(node)
    const isOld = status === 'superseded'
    this.totals.memories++
    this.totals.length += len
    if (isOld) {
      this.totals.superseded++
      this.totals.supersededLength += len
    }
    this.add(id, 0)
    for (const [term, count] of keywords) this.add(id, digestOf(term, count, len, isOld))
    return undefined
  }

  takeTerm(document: Document): string | undefined {
    const head = headOfId(idIn(document))
    if (head !== undefined) addTo(this.heads, head, -namesIn(document))
    const name = termOfName(idIn(document))
    if (name === undefined) return undefined
    const { term, isNewest } = name
    const block = blockIn(document)
    const said = (counter: 'n' | 's') => (isNewest ? numberIn(document, counter) : 0)
    addTo(this.counts, term, said('n') - sizeOf(block))
    addTo(this.superseded, term, said('s') - supersededIn(block))
    for (let at = 0; at < block.length; at += postingBytes) {
      const digest = digestOf(
        term,
        countOf(block, at),
        lengthOf(block, at),
        isSuperseded(block, at),
      )
      this.add(unpackId(block, at), -digest)
    }
    return undefined
  }

  *texts(): Generator<string> {
    for (const [id, sum] of this.sums) {
      if (sum !== 0) yield `the postings of ${id} are not those of its terms`
    }
    for (const [term, rest] of this.counts) {
      if (rest !== 0) yield `the term '${term}' counts ${rest} postings more than it has`
    }
    for (const [term, rest] of this.superseded) {
      if (rest !== 0) yield `the term '${term}' counts ${rest} superseded postings more than it has`
    }
    for (const [head, rest] of this.heads) {
      if (rest !== 0) yield `${rest} names that begin with '${head}' are not counted`
    }
  }

  *totalTexts(stored: Totals): Generator<string> {
    for (const name of ['memories', 'length', 'superseded', 'supersededLength'] as const) {
      const counted = this.totals[name]
      if (stored[name] !== counted) yield `the total '${name}' is ${stored[name]}, not ${counted}`
    }
  }

  private add(id: string, digest: number): void {
    this.sums.set(id, ((this.sums.get(id) ?? 0) + digest) | 0)
  }
}

function addTo(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count)
}

/** Hash of a posting: equal ones cancel out, and others hardly ever collide (FNV-1a). */
function digestOf(term: string, count: number, length: number, isOld: boolean): number {
  let digest = 0x811c9dc5
  const mix = (value: number): void => {
    digest = Math.imul(digest ^ value, 0x01000193)
  }
  for (let i = 0; i < term.length; i++) mix(term.charCodeAt(i))
  mix(count)
  mix(length)
  mix(isOld ? 1 : 0)
  return digest | 0
}

function idIn(document: Document): string {
  const id = field(document, '_id')
  return id?.type === bsonType.string ? stringOf(id) : ''
}
