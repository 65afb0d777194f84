// Entities within one writing program: existing ones, new ones, and cached look-ups. A look-up sees
// the program's own writes; it is cached because memories of a batch name the same things
// repeatedly.

import { entityNamesMax, namesOfWordMax } from '../../base/limits/memory.js'
import {
  getDocument,
  insertDocument,
  recordKey,
  replaceDocument,
} from '../../engine/collection/collections.js'
import type { KeyRange, Program, Tx } from '../../store/store.js'
import { stringValue } from '../../value/value.js'
import type { Graph } from '../graph/graph.js'
import { rangeOf } from '../graph/index-range.js'
import { firstNameOf, isCalled, personCalled } from '../names/person-names.js'
import { type Beginning, beginningOf, type NameReader } from '../write/known-names.js'
import { findEntity, meantEntity, namesBeginningWith } from './entities.js'
import { changeHeads, headOfName, headsOf, isHead } from './name-heads.js'
import { defaultKind, entityId, isName, normName, withoutAccents } from './names.js'
import { type Entity, entityDocument, readEntity } from './node.js'

/** Author and time: frozen with the call. */
export interface Author {
  readonly now: number
  /** EIP-55; undefined if an operator writes. */
  readonly createdBy?: string | undefined
}

interface Named {
  readonly name: string
  readonly kind?: string | undefined
}

export class EntityWriting implements NameReader {
  /** By normalised name, then by kind. */
  private readonly meant = new Map<string, Map<string | undefined, Entity | undefined>>()
  private readonly byHead = new Map<string, Beginning>()
  /** By id, in their latest state in this program: an earlier look-up may be older. */
  private readonly written = new Map<string, Entity>()

  constructor(
    private readonly tx: Tx,
    private readonly graph: Graph,
    private readonly author: Author,
  ) {}

  /** The existing entity of that name, with or without accents; undefined if it must be created. */
  *find({ name, kind }: Named): Program<Entity | undefined> {
    const norm = normName(name)
    const found = yield* this.exactly(norm, kind)
    const bare = withoutAccents(norm)
    return found === undefined && bare !== norm ? yield* this.exactly(bare, kind) : found
  }

  /** The only earlier person with this first name; undefined if there is none. */
  *findPerson(name: string): Program<Entity | undefined> {
    const first = normName(name)
    return first.includes(' ') ? undefined : personCalled(yield* this.beginningWith(first), first)
  }

  /** The earlier person of that full name who was known only by the first name. */
  *findByFirstName(name: string): Program<Entity | undefined> {
    const first = firstNameOf(normName(name))
    if (first === undefined) return undefined
    const bare = withoutAccents(first)
    const namesakes = yield* this.beginningWith(first)
    if (namesakes.some((entity) => isCalled(entity, bare))) return undefined
    const known = yield* this.find({ name: first })
    return known?.kind === defaultKind || known?.kind === 'person' ? known : undefined
  }

  /** Entities with a name that starts with that word; none if there are too many to know all. */
  private *beginningWith(word: string): Program<Entity[]> {
    const entities = new Map<string, Entity>()
    for (const text of new Set([word, withoutAccents(word)])) {
      const head = headOfName(text)
      const { byName } = this.known(head) ?? (yield* this.read(head))
      for (const entity of byName.values()) {
        entities.set(entity.id, this.written.get(entity.id) ?? entity)
      }
    }
    return entities.size < namesOfWordMax ? [...entities.values()] : []
  }

  private *exactly(norm: string, kind: string | undefined): Program<Entity | undefined> {
    const byKind = this.meant.get(norm) ?? new Map<string | undefined, Entity | undefined>()
    const known = byKind.get(kind)
    if (known !== undefined) return this.written.get(known.id) ?? known
    if (byKind.has(kind)) return undefined
    const read = (text: string): Program<Entity[]> => this.named(text)
    const found = yield* meantEntity(this.tx, this.graph, read, norm, kind)
    this.meant.set(norm, byKind.set(kind, found))
    return found
  }

  /** The entity with that id, also if it was merged into another. */
  *byId(id: string): Program<Entity | undefined> {
    const found = yield* findEntity(this.tx, this.graph, id)
    if (found !== undefined) return found
    const former = yield* this.named(id)
    return former.find(({ formerIds }) => formerIds.includes(id))
  }

  known(head: string): Beginning | undefined {
    return this.byHead.get(head)
  }

  *read(head: string): Program<Beginning> {
    const isKnown = yield* isHead(this.tx, this.graph.terms, head)
    const found = isKnown ? yield* this.inRange(namesBeginningWith(this.graph, head)) : []
    const beginning = beginningOf(found)
    this.byHead.set(head, beginning)
    return beginning
  }

  /** A new entity of that name; writes nothing. */
  draft({ name, kind = defaultKind }: Named): Entity {
    const norm = normName(name)
    const { now, createdBy } = this.author
    return {
      id: entityId(this.graph.name, kind, norm),
      name: name.trim(),
      normName: norm,
      kind,
      aliases: withoutAccents(norm) === norm ? [] : [withoutAccents(norm)],
      formerIds: [],
      createdAt: now,
      updatedAt: now,
      createdBy,
    }
  }

  *add(entity: Entity): Program<void> {
    const { tx, graph } = this
    yield* insertDocument(tx, graph.nodes, entityDocument(entity))
    yield* changeHeads(tx, graph.terms, undefined, entity)
    this.forget(entity)
  }

  /** Replaces an entity by its new state. */
  *replace(entity: Entity): Program<void> {
    const { tx } = this
    const { nodes, terms } = this.graph
    const key = recordKey(nodes, stringValue(entity.id))
    const before = yield* getDocument(tx, nodes, key)
    if (before === undefined) return
    yield* replaceDocument(tx, nodes, key, before, entityDocument(entity))
    yield* changeHeads(tx, terms, readEntity(before), entity)
    this.forget(entity)
  }

  /** Drops cached look-ups, of other kinds too: a main name goes before aliases. */
  private forget(entity: Entity): void {
    this.written.set(entity.id, entity)
    for (const name of [entity.normName, ...entity.aliases]) this.meant.delete(name)
    for (const head of headsOf(entity).keys()) this.byHead.delete(head)
  }

  /** Those with exactly this text among their names and former ids. */
  private *named(name: string): Program<Entity[]> {
    const { nodes, terms } = this.graph
    if (!isName(name) || !(yield* isHead(this.tx, terms, headOfName(name)))) return []
    return yield* this.inRange(rangeOf(nodes, 'names', stringValue(name)))
  }

  private *inRange(range: KeyRange): Program<Entity[]> {
    const entities: Entity[] = []
    for (const { value } of yield* this.tx.scanOwn(range, namesOfWordMax)) {
      const document = yield* getDocument(this.tx, this.graph.nodes, value)
      if (document !== undefined) entities.push(readEntity(document))
    }
    return entities
  }
}

/** Adds aliases, up to the bound; the same entity if it has them all. */
export function withAliases(entity: Entity, names: readonly string[]): Entity {
  const known = new Set([entity.normName, ...entity.aliases])
  const added = names.filter((name) => name !== '' && !known.has(name))
  const room = entityNamesMax - entity.aliases.length - entity.formerIds.length
  const aliases = [...new Set(added)].slice(0, Math.max(0, room))
  return aliases.length === 0 ? entity : { ...entity, aliases: [...entity.aliases, ...aliases] }
}
