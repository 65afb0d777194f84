// Plans the writing of one memory by reads alone, so that a refused memory leaves no changes in the
// program that it shares with others. (docs/memory.md, "What is kept")

import { fail } from '../../base/errors.js'
import { extractedMax } from '../../base/limits/memory.js'
import { findById, getDocument } from '../../engine/collection/collections.js'
import type { Program, Tx } from '../../store/store.js'
import { binaryValue, type Document, stringValue } from '../../value/value.js'
import type { Graph } from '../graph/graph.js'
import { entryOf, rangeOf } from '../graph/index-range.js'
import { firstNameOf } from '../names/person-names.js'
import { edgeTypes } from '../nodes/edge.js'
import { type EntityWriting, withAliases } from '../nodes/entity-writing.js'
import { isName, normName, withoutAccents } from '../nodes/names.js'
import { type Entity, isMemory, type Memory, readMemory } from '../nodes/node.js'
import { nodeId } from '../nodes/node-reading.js'
import type { AnalysedMemory } from './analysed-memory.js'
import type { GivenEntity } from './given-memory.js'
import { knownEntities } from './known-names.js'
import type { Find } from './patterns.js'

/** An entity that the memory will link to. */
export interface Link {
  readonly entity: Entity
  /** Whether it is added or changed; otherwise it stays as it is. */
  readonly change?: 'add' | 'replace'
}

export interface Extracted {
  readonly name: string
  readonly kind: string
  readonly rule: string
}

interface PlannedEdge {
  readonly to: string
  readonly type: string
  readonly weight: number
  /** The client requested it: it does not follow from the memory. */
  readonly isGiven?: true
}

export interface MemoryPlan {
  readonly links: readonly Link[]
  readonly extracted: readonly Extracted[]
  readonly edges: readonly PlannedEdge[]
  /** The memory that it replaces, as stored. */
  readonly superseded?: Memory | undefined
}

/** Ids of nodes, not names of entities. */
const idPattern = /^(?:mem_[0-9A-Z]{26}|ent_[0-9a-f]{24})$/

/** The active memory with the same content; undefined if there is none. */
export function* findDuplicate(
  tx: Tx,
  { nodes }: Graph,
  { contentKey }: Pick<AnalysedMemory, 'contentKey'>,
): Program<Document | undefined> {
  const record = yield* tx.get(entryOf(nodes, 'content', binaryValue(0, contentKey)))
  return record === undefined ? undefined : yield* getDocument(tx, nodes, record)
}

/** Throws NodeNotFound. */
export function* planMemory(
  tx: Tx,
  graph: Graph,
  entities: EntityWriting,
  analysed: AnalysedMemory,
): Program<MemoryPlan> {
  const links = new Map<string, Link>()
  for (const given of analysed.given.entities) yield* linkGiven(links, entities, given)
  const extracted = yield* linkExtracted(links, entities, analysed)
  const edges: PlannedEdge[] = []
  for (const { to, type, weight } of analysed.given.edges) {
    const id = yield* targetOf(tx, graph, { entities, links }, to)
    edges.push({ to: id, type, weight, isGiven: true })
  }
  const { supersedes } = analysed.given
  const superseded =
    supersedes === undefined ? undefined : yield* requireMemory(tx, graph, supersedes)
  return { links: [...links.values()], extracted, edges, superseded }
}

type Links = Map<string, Link>

function* linkGiven(links: Links, entities: EntityWriting, given: GivenEntity): Program<void> {
  const isId = idPattern.test(given.name)
  const found = isId ? yield* entities.byId(given.name) : yield* entities.find(given)
  if (isId && found === undefined) throw unknownNode(given.name)
  const before = found ?? entities.draft(given)
  const linked = links.get(before.id)
  const aliases = [withoutAccents(before.normName), ...given.aliases.map(normName)]
  const entity = withAliases(linked?.entity ?? before, aliases)
  const isChanged = entity !== before || linked?.change !== undefined
  const change = found === undefined ? 'add' : isChanged ? 'replace' : undefined
  links.set(entity.id, change === undefined ? { entity } : { entity, change })
}

function* linkExtracted(
  links: Links,
  entities: EntityWriting,
  analysed: AnalysedMemory,
): Program<Extracted[]> {
  const extracted: Extracted[] = []
  for (const entity of yield* knownEntities(analysed, entities)) {
    if (links.has(entity.id) || extracted.length >= extractedMax) continue
    links.set(entity.id, { entity })
    extracted.push({ name: entity.name, kind: entity.kind, rule: 'known' })
  }
  for (const { rule, ...find } of analysed.finds) {
    const norm = normName(find.name)
    if (!isName(norm) || isLinked(links, norm) || isPartOf(analysed.finds, norm)) continue
    if (extracted.length >= extractedMax) break
    const link = yield* linkOf(links, entities, find)
    if (links.has(link.entity.id) && link.change === undefined) continue
    links.set(link.entity.id, link)
    extracted.push({ name: find.name, kind: link.entity.kind, rule: link.rule ?? rule })
  }
  return extracted
}

/** The entity of a find: one with its name, the only person with that first name, or a new one. */
function* linkOf(
  links: Links,
  entities: EntityWriting,
  find: Pick<Find, 'name' | 'kind'>,
): Program<Link & { readonly rule?: string }> {
  const found = yield* entities.find(find)
  if (found !== undefined) return { entity: found }
  if (find.kind !== undefined) return { entity: entities.draft(find), change: 'add' }
  const person = yield* entities.findPerson(find.name)
  if (person !== undefined) return { entity: person, rule: 'first-name' }
  const fuller = yield* entities.findByFirstName(find.name)
  if (fuller === undefined) return { entity: entities.draft(find), change: 'add' }
  const norm = normName(find.name)
  const linked = links.get(fuller.id)
  const entity = withAliases(linked?.entity ?? fuller, [norm, withoutAccents(norm)])
  return { entity, change: linked?.change ?? 'replace' }
}

/** Whether a full name in the same text contains the first name, with or without accents. */
function isPartOf(finds: readonly Find[], first: string): boolean {
  const bareFirst = withoutAccents(first)
  const full = new Set<string>()
  for (const { name, kind } of finds) {
    const norm = normName(name)
    const own = kind === undefined ? firstNameOf(norm) : undefined
    if (own !== undefined && withoutAccents(own) === bareFirst) full.add(withoutAccents(norm))
  }
  return full.size === 1
}

/**
 * With or without accents, and of any kind: the kind that a rule assigns does not make it another
 * thing.
 */
function isLinked(links: Links, name: string): boolean {
  const bare = withoutAccents(name)
  for (const { entity } of links.values()) {
    const names = [entity.normName, ...entity.aliases]
    if (names.some((known) => withoutAccents(known) === bare)) return true
  }
  return false
}

interface Linking {
  readonly entities: EntityWriting
  readonly links: Links
}

/** An existing node, or an entity that the memory itself adds. */
function* targetOf(
  tx: Tx,
  graph: Graph,
  { entities, links }: Linking,
  to: string,
): Program<string> {
  if (idPattern.test(to)) return yield* requireNode(tx, graph, entities, to)
  const found = yield* entities.find({ name: to })
  if (found !== undefined) return found.id
  const name = normName(to)
  for (const { entity } of links.values()) if (entity.normName === name) return entity.id
  throw unknownNode(to)
}

/** The id of an existing node; for a merged entity, of what it became. */
function* requireNode(tx: Tx, graph: Graph, entities: EntityWriting, id: string): Program<string> {
  if ((yield* findById(tx, graph.nodes, stringValue(id))) !== undefined) return id
  const became = yield* entities.byId(id)
  if (became === undefined) throw unknownNode(id)
  return became.id
}

/** As requireNode, for an id or an entity's name. */
export function* requireNamed(
  tx: Tx,
  graph: Graph,
  entities: EntityWriting,
  text: string,
): Program<string> {
  return yield* targetOf(tx, graph, { entities, links: new Map() }, text)
}

/** Throws NodeNotFound if it is not a memory. */
export function* requireMemory(tx: Tx, { nodes }: Graph, id: string): Program<Memory> {
  const document = yield* findById(tx, nodes, stringValue(id))
  if (document === undefined || !isMemory(document)) throw unknownNode(id)
  return readMemory(document)
}

export function unknownNode(id: string): Error {
  return fail('NodeNotFound', `there is no node '${id}'`)
}

/** The id of the newest memory from a source. */
export function* lastOf(tx: Tx, { nodes }: Graph, ref: string): Program<string | undefined> {
  const range = rangeOf(nodes, 'sequence', stringValue(ref))
  const [entry] = yield* tx.scanOwn({ ...range, reverse: true }, 1)
  const document = entry === undefined ? undefined : yield* getDocument(tx, nodes, entry.value)
  return document === undefined ? undefined : nodeId(document)
}

/** The edges of a new memory without duplicates: requested ones come last and win. */
export function plannedEdges({ links, edges, superseded }: MemoryPlan): readonly PlannedEdge[] {
  const all = links.map(({ entity }) => ({ to: entity.id, type: edgeTypes.mentions, weight: 1 }))
  const own =
    superseded === undefined ? [] : [{ to: superseded.id, type: edgeTypes.supersedes, weight: 1 }]
  const byPlace = new Map<string, PlannedEdge>()
  for (const edge of [...all, ...own, ...edges]) byPlace.set(`${edge.type}\0${edge.to}`, edge)
  return [...byPlace.values()]
}
