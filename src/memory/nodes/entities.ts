// Finds the entity of a name. One index contains names, aliases and the former ids of merged
// entities. Missing entities are created. (docs/memory.md, "What is kept")

import { namesOfWordMax } from '../../base/limits/memory.js'
import { findById } from '../../engine/collection/collections.js'
import type { KeyRange, Program, ReadTx } from '../../store/store.js'
import { stringValue } from '../../value/value.js'
import type { Graph } from '../graph/graph.js'
import { rangeBetween, rangeOf, scanDocuments } from '../graph/index-range.js'
import { personCalled } from '../names/person-names.js'
import { headOf, isSpaced } from './name-heads.js'
import { defaultKind, entityId, isName, normName, withoutAccents } from './names.js'
import { type Entity, isMemory, readEntity } from './node.js'

/** Reads a graph to find entities; a writing program sees its own writes. */
type EntityReader = (name: string) => Program<Entity[]>

/**
 * The entities of an id or a name: of an exact id, else of that name, else of that alias. Several
 * kinds may share a name.
 */
export function* resolveEntity(tx: ReadTx, graph: Graph, text: string): Program<Entity[]> {
  const byId = yield* findEntity(tx, graph, text)
  if (byId !== undefined) return [byId]
  const read = function* (name: string): Program<Entity[]> {
    if (!isName(name)) return []
    const range = rangeOf(graph.nodes, 'names', stringValue(name))
    return (yield* scanDocuments(tx, range, namesOfWordMax)).map(readEntity)
  }
  const former = yield* read(text)
  const sameId = former.filter(({ formerIds }) => formerIds.includes(text))
  if (sameId.length > 0) return sameId
  const name = normName(text)
  const named = byNameOrAlias(name === text ? former : yield* read(name), name)
  if (named.length > 0) return named
  const bare = withoutAccents(name)
  const unaccented = bare === name ? [] : byNameOrAlias(yield* read(bare), bare)
  return unaccented.length > 0 ? unaccented : yield* resolvePerson(tx, graph, name)
}

/** The only person with this first name. */
function* resolvePerson(tx: ReadTx, graph: Graph, name: string): Program<Entity[]> {
  if (name.includes(' ') || !isName(name)) return []
  const found: Entity[] = []
  for (const word of new Set([name, withoutAccents(name)])) {
    const range = namesBeginningWith(graph, word)
    const page = yield* scanDocuments(tx, range, namesOfWordMax)
    if (page.length === namesOfWordMax) return []
    found.push(...page.map(readEntity))
  }
  const person = personCalled(found, name)
  return person === undefined ? [] : [person]
}

/** Sorts after everything that can follow a name's first word, except letters and digits. */
const afterPunctuation = '0'
const afterEverything = '\u{10ffff}'

/** The names that start with a word; in scripts without spaces, with its first character. */
export function namesBeginningWith({ nodes }: Graph, word: string): KeyRange {
  const head = headOf(word)
  const behind = isSpaced(word) ? afterPunctuation : afterEverything
  return rangeBetween(nodes, 'names', stringValue(head), stringValue(head + behind))
}

/** The entity with exactly this id; undefined if it does not exist. */
export function* findEntity(tx: ReadTx, graph: Graph, id: string): Program<Entity | undefined> {
  const document = yield* findById(tx, graph.nodes, stringValue(id))
  return document === undefined || isMemory(document) ? undefined : readEntity(document)
}

/**
 * The entity that a writer means by a normalised name, among those with the name: of the given
 * kind, or without one the first for which it is the main name.
 */
export function* meantEntity(
  tx: ReadTx,
  graph: Graph,
  read: EntityReader,
  name: string,
  kind: string | undefined,
): Program<Entity | undefined> {
  const id = entityId(graph.name, kind ?? defaultKind, name)
  const byId = yield* findEntity(tx, graph, id)
  if (byId !== undefined) return byId
  const merged = (yield* read(id)).find(({ formerIds }) => formerIds.includes(id))
  if (merged !== undefined) return merged
  const named = byNameOrAlias(yield* read(name), name)
  return kind === undefined ? named[0] : named.find((entity) => entity.kind === kind)
}

function byNameOrAlias(entities: readonly Entity[], name: string): Entity[] {
  const own = entities.filter(({ normName }) => normName === name)
  const found = own.length > 0 ? own : entities.filter(({ aliases }) => aliases.includes(name))
  return found.sort((a, b) => (a.id < b.id ? -1 : 1))
}
