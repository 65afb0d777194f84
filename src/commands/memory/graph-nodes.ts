// Parts of a graph for a page: nodes by id, older nodes page by page, entities by the beginning of
// a name, and what a memory would be linked to. (docs/memory.md, "Routes")

import { keyAfter } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import {
  briefEdgesMax,
  contextNodesMax,
  entitiesFoundMax,
  entityNameCharsMax,
  memoryIdCharsMax,
  nodesAtOnce,
} from '../../base/limits/memory.js'
import {
  arrayOf,
  bool,
  collection,
  number,
  object,
  optional,
  string,
  withDefault,
} from '../../bus/document/params.js'
import { reply } from '../../bus/document/reply.js'
import { documentRow } from '../../bus/document/row.js'
import { plain } from '../../bus/policy/facts.js'
import { recordKey } from '../../engine/collection/collections.js'
import { countOf } from '../../engine/collection/counters.js'
import { documentOfRecord } from '../../engine/collection/records.js'
import { findGraph, type Graph } from '../../memory/graph/graph.js'
import { rangeBetween, rangeOf } from '../../memory/graph/index-range.js'
import { briefEdge, briefNode } from '../../memory/nodes/brief.js'
import { type Edge, edgeDocument, shownEdge } from '../../memory/nodes/edge.js'
import { EntityWriting } from '../../memory/nodes/entity-writing.js'
import { normName } from '../../memory/nodes/names.js'
import { readEntity, shownNode } from '../../memory/nodes/node.js'
import { nodeId } from '../../memory/nodes/node-reading.js'
import { edgesWithin } from '../../memory/recall/context.js'
import { prepareMemory } from '../../memory/write/analysed-memory.js'
import { findDuplicate, planMemory } from '../../memory/write/memory-plan.js'
import type { Program, ReadTx } from '../../store/store.js'
import { type Document, stringValue } from '../../value/value.js'
import type { DocumentWriter } from '../../value/writer.js'
import { authorOf, graphResource } from './arguments.js'

interface Page {
  readonly nodes: readonly Document[]
  /** Requested ids without a node. */
  readonly missing: readonly string[]
  /** Continues with older nodes; undefined at the end. */
  readonly cursor: string | undefined
}

const emptyPage: Page = { nodes: [], missing: [], cursor: undefined }

const graphNodes = documentRow({
  name: 'graphNodes',
  ...plain,
  grain: 'read',
  access: 'reader',
  target: collection,
  params: {
    ids: optional(arrayOf(string)),
    cursor: optional(string),
    limit: withDefault(number, contextNodesMax),
    brief: withDefault(bool, false),
  },
  resources: graphResource('read'),
  help: 'Returns nodes of a graph by their ids, or page by page from the newest, with their edges.',
  *run(tx, { db, target, args: { ids, cursor, limit, brief } }) {
    requireArguments(ids, cursor, limit)
    const graph = yield* findGraph(tx, db, target)
    if (graph === undefined) {
      const page = { ...emptyPage, missing: ids ?? [] }
      return reply((writer) => writePage(writer, page, noEdges, 0))
    }
    const page =
      ids === undefined
        ? yield* olderNodes(tx, graph, limit, cursor)
        : yield* nodesOf(tx, graph, [...new Set(ids)])
    const { edges, isCut } = yield* edgesWithin(tx, graph, new Set(page.nodes.map(nodeId)))
    const { documents } = yield* countOf(tx, graph.nodes)
    const shown = brief ? briefForm(edges, isCut) : wholeForm(edges, isCut)
    return reply((writer) => writePage(writer, page, shown, documents))
  },
})

/** How nodes are shown, and their edges. */
interface Form {
  readonly node: (document: Document) => Document
  readonly edges: readonly Document[]
  readonly isCut: boolean
}

const noEdges: Form = { node: shownNode, edges: [], isCut: false }

function wholeForm(edges: readonly Edge[], isCut: boolean): Form {
  return { node: shownNode, edges: edges.map((edge) => shownEdge(edgeDocument(edge))), isCut }
}

function briefForm(edges: readonly Edge[], isCut: boolean): Form {
  const newest = edges.toSorted((a, b) => b.createdAt - a.createdAt).slice(0, briefEdgesMax)
  return {
    node: briefNode,
    edges: newest.map(briefEdge),
    isCut: isCut || edges.length > briefEdgesMax,
  }
}

function requireArguments(
  ids: readonly string[] | undefined,
  cursor: string | undefined,
  limit: number,
): void {
  if (ids !== undefined && cursor !== undefined) {
    throw fail('BadValue', "'ids' and 'cursor' cannot be combined")
  }
  if (ids !== undefined && (ids.length === 0 || ids.length > contextNodesMax)) {
    throw fail('BadValue', `'ids' must hold 1 to ${contextNodesMax} ids`)
  }
  if (ids?.some((id) => id === '' || id.length > memoryIdCharsMax) === true) {
    throw fail('BadValue', `an id has 1 to ${memoryIdCharsMax} characters`)
  }
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= contextNodesMax)) {
    throw fail('BadValue', `limit is a whole number from 1 to ${contextNodesMax}`)
  }
}

function* nodesOf(tx: ReadTx, graph: Graph, ids: readonly string[]): Program<Page> {
  const nodes: Document[] = []
  const missing: string[] = []
  for (let start = 0; start < ids.length; start += nodesAtOnce) {
    const some = ids.slice(start, start + nodesAtOnce)
    const records = yield* tx.getMany(some.map((id) => recordKey(graph.nodes, stringValue(id))))
    for (const [i, record] of records.entries()) {
      if (record === undefined) missing.push(some[i] ?? '')
      else nodes.push(yield* documentOfRecord(tx, record))
    }
  }
  return { nodes, missing, cursor: undefined }
}

/** The cursor is the place of the last node in the index by time, within this graph. */
function* olderNodes(
  tx: ReadTx,
  graph: Graph,
  limit: number,
  cursor: string | undefined,
): Program<Page> {
  const { start, end } = rangeOf(graph.nodes, 'created')
  const nodes: Document[] = []
  let before = cursor === undefined ? end : Buffer.concat([start, placeOf(cursor)])
  while (nodes.length < limit) {
    const wanted = Math.min(nodesAtOnce, limit - nodes.length)
    const page = yield* tx.scanFetch({ start, end: before, reverse: true }, wanted)
    for (const { record } of page) {
      if (record !== undefined) nodes.push(yield* documentOfRecord(tx, record))
    }
    const last = page.at(-1)
    if (last === undefined || page.length < wanted) return { nodes, missing: [], cursor: undefined }
    before = Buffer.from(last.key)
  }
  const next = Buffer.from(before.subarray(start.length)).toString('base64url')
  return { nodes, missing: [], cursor: next }
}

function placeOf(cursor: string): Buffer {
  const place = Buffer.from(cursor, 'base64url')
  if (place.length > 0 && place.toString('base64url') === cursor) return place
  throw fail('BadValue', 'the cursor is not of this route')
}

function writePage(
  writer: DocumentWriter,
  { nodes, missing, cursor }: Page,
  { node: form, edges, isCut }: Form,
  total: number,
): void {
  writer.openArray('nodes')
  for (const node of nodes) writer.pushDocument(form(node))
  writer.close().openArray('edges')
  for (const edge of edges) writer.pushDocument(edge)
  writer.close().openArray('missing')
  for (const id of missing) writer.push(stringValue(id))
  writer.close().int64('total', total).bool('truncated', isCut)
  if (cursor === undefined) writer.null('cursor')
  else writer.string('cursor', cursor)
}

const findEntities = documentRow({
  name: 'findEntities',
  ...plain,
  grain: 'read',
  access: 'reader',
  target: collection,
  params: { name: string },
  resources: graphResource('read'),
  help: `Returns up to ${entitiesFoundMax} entities with a name or alias that begins with a text.`,
  *run(tx, { db, target, args: { name } }) {
    if ([...name].length > entityNameCharsMax) {
      throw fail('BadValue', `a name has at most ${entityNameCharsMax} characters`)
    }
    const graph = yield* findGraph(tx, db, target)
    const begin = normName(name)
    const found = graph === undefined ? nothingFound : yield* entitiesFrom(tx, graph, begin)
    return reply((writer) => {
      writer.openArray('entities')
      for (const entity of found.entities) writer.pushDocument(shownNode(entity))
      writer.close().bool('truncated', found.isCut)
    })
  },
})

interface Found {
  readonly entities: readonly Document[]
  readonly isCut: boolean
}

const nothingFound: Found = { entities: [], isCut: false }
/** Sorts after every text that begins with the one before it. */
const afterEverything = '\u{10ffff}'

function* entitiesFrom(tx: ReadTx, graph: Graph, begin: string): Program<Found> {
  const from = stringValue(begin)
  const { start, end } = rangeBetween(
    graph.nodes,
    'names',
    from,
    stringValue(begin + afterEverything),
  )
  const byId = new Map<string, Document>()
  let next = start
  for (;;) {
    const page = yield* tx.scanFetch({ start: next, end }, nodesAtOnce)
    for (const { record } of page) {
      const entity = record === undefined ? undefined : yield* documentOfRecord(tx, record)
      // Former ids are in the same index, and are no names.
      if (entity === undefined || !isNamed(entity, begin)) continue
      if (byId.size === entitiesFoundMax && !byId.has(nodeId(entity))) {
        return { entities: [...byId.values()], isCut: true }
      }
      byId.set(nodeId(entity), entity)
    }
    const last = page.at(-1)
    if (last === undefined || page.length < nodesAtOnce) break
    next = keyAfter(last.key)
  }
  return { entities: [...byId.values()], isCut: false }
}

function isNamed(node: Document, begin: string): boolean {
  const { normName, aliases } = readEntity(node)
  return [normName, ...aliases].some((name) => name.startsWith(begin))
}

const previewMemory = documentRow({
  name: 'previewMemory',
  ...plain,
  // It plans as a write does, and changes nothing.
  grain: 'point',
  access: 'identity',
  target: collection,
  params: { memory: object },
  resources: graphResource('read'),
  help: 'Returns the entities that a memory would be linked to, and writes nothing.',
  *run(tx, call) {
    const { db, target, args } = call
    const analysed = yield* prepareMemory(tx, target, 0, args.memory)
    const graph = yield* findGraph(tx, db, target)
    if (graph === undefined) {
      throw fail('GraphNotFound', `there is no graph '${target}'`)
    }
    const duplicate = yield* findDuplicate(tx, graph, analysed)
    const entities = new EntityWriting(tx, graph, authorOf(call))
    const { links, extracted } = yield* planMemory(tx, graph, entities, analysed)
    return reply((writer) => {
      writer.openArray('entities')
      for (const { entity, change } of links) {
        const { id, name, kind } = entity
        const rule = extracted.find((one) => one.name === name)?.rule ?? 'given'
        writer.pushOpenDocument().string('id', id).string('name', name).string('kind', kind)
        writer
          .string('rule', rule)
          .bool('isNew', change === 'add')
          .close()
      }
      writer.close()
      if (duplicate === undefined) writer.null('duplicateOf')
      else writer.string('duplicateOf', nodeId(duplicate))
    })
  },
})

export const graphNodeRows = [graphNodes, findEntities, previewMemory]
