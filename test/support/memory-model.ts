// A graph of memories as plain lists: what docs/memory.md says that writes and questions come to,
// read off it once more and without the engine. It knows texts of lower-case words alone, whose
// terms are the words. Ids and times of memories are the server's.

import { createHash } from 'node:crypto'

export interface ModelEntity {
  readonly id: string
  readonly normName: string
  readonly kind: string
  readonly aliases: readonly string[]
  readonly formerIds: readonly string[]
  readonly createdAt: number
}

export interface ModelMemory {
  readonly id: string
  readonly text: string
  readonly entities: readonly string[]
  readonly ref: string | undefined
  readonly createdAt: number
  /** Of its content; one active memory has it. */
  readonly key: string
  status: 'active' | 'superseded'
}

interface ModelEdge {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly type: string
  readonly weight: number
  readonly createdAt: number
}

/** As the commands take it. */
export interface ModelGiven {
  readonly text: string
  readonly entities: readonly {
    readonly name: string
    readonly kind?: string
    readonly aliases?: readonly string[]
  }[]
  readonly source?: { readonly ref: string }
  readonly supersedes?: string
  readonly edges: readonly {
    readonly to: string
    readonly type: string
    readonly weight: number
  }[]
}

/** What a memory will be linked to; undefined where it may not be written. */
interface ModelPlan {
  readonly links: readonly ModelEntity[]
  readonly edges: readonly Pick<ModelEdge, 'to' | 'type' | 'weight'>[]
}

const defaultKind = 'thing'
const k1 = 1.2
const b = 0.75
/** Of its idf, what a memory gets for an entity that a question names. */
const boostShare = 0.5

function idf(memories: number, frequency: number): number {
  return Math.log(1 + (memories - frequency + 0.5) / (frequency + 0.5))
}

function hashed(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\u001f')).digest('hex').slice(0, 24)
}

export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export class MemoryModel {
  readonly memories = new Map<string, ModelMemory>()
  readonly entities = new Map<string, ModelEntity>()
  readonly edges = new Map<string, ModelEdge>()
  /** By source, the memory that the command at hand wrote last: it goes before what clocks say. */
  private readonly lastHere = new Map<string, string>()

  constructor(readonly graph: string) {}

  has(id: string): boolean {
    return this.memories.has(id) || this.entities.has(id)
  }

  edgeId(from: string, type: string, to: string): string {
    return `edg_${hashed(this.graph, from, type, to)}`
  }

  private entityId(kind: string, name: string): string {
    return `ent_${hashed(this.graph, kind, name)}`
  }

  /** The entity of that id, or that has become of it. */
  entityOf(id: string): ModelEntity | undefined {
    const former = () => [...this.entities.values()].find((e) => e.formerIds.includes(id))
    return this.entities.get(id) ?? former()
  }

  /** Those of that name; if there are none, those of that other name. */
  named(name: string): ModelEntity[] {
    const all = [...this.entities.values()].sort((a, b) => byText(a.id, b.id))
    const own = all.filter(({ normName }) => normName === name)
    return own.length > 0 ? own : all.filter(({ aliases }) => aliases.includes(name))
  }

  /** The one that a writer means. */
  meant(name: string, kind?: string): ModelEntity | undefined {
    const exact = this.entityOf(this.entityId(kind ?? defaultKind, name))
    if (exact !== undefined) return exact
    const named = this.named(name)
    return kind === undefined ? named[0] : named.find((entity) => entity.kind === kind)
  }

  /** Those that a text names: at each word the longest of up to four. */
  known(text: string): ModelEntity[] {
    const words = text.split(' ')
    const found = new Set<ModelEntity>()
    for (let i = 0; i < words.length; ) {
      const lengths = [4, 3, 2, 1].filter((length) => i + length <= words.length)
      const names = lengths.map((length) => words.slice(i, i + length).join(' '))
      const at = names.findIndex((name) => this.named(name).length > 0)
      const [entity] = at < 0 ? [] : this.named(names[at] ?? '')
      if (entity !== undefined) found.add(entity)
      i += at < 0 ? 1 : (lengths[at] ?? 1)
    }
    return [...found]
  }

  private keyOf({ text, entities, source }: ModelGiven): string {
    const ids = entities.map(({ name, kind = defaultKind }) => this.entityId(kind, name)).sort()
    return JSON.stringify([text, ids, source?.ref])
  }

  duplicateOf(given: ModelGiven): ModelMemory | undefined {
    const key = this.keyOf(given)
    return [...this.memories.values()].find((m) => m.status === 'active' && m.key === key)
  }

  /** To be said before what one command writes. */
  begin(): void {
    this.lastHere.clear()
  }

  plan(given: ModelGiven): ModelPlan | undefined {
    const links = new Map<string, ModelEntity>()
    for (const { name, kind, aliases = [] } of given.entities) {
      const found = this.meant(name, kind) ?? this.made(name, kind)
      const entity = links.get(found.id) ?? found
      const names = new Set([...entity.aliases, ...aliases])
      names.delete(entity.normName)
      links.set(entity.id, { ...entity, aliases: [...names] })
    }
    for (const entity of this.known(given.text)) {
      if (!links.has(entity.id)) links.set(entity.id, entity)
    }
    const edges = new Map<string, Pick<ModelEdge, 'to' | 'type' | 'weight'>>()
    const add = (to: string, type: string, weight: number) =>
      edges.set(`${type} ${to}`, { to, type, weight })
    for (const id of links.keys()) add(id, 'mentions', 1)
    const { supersedes } = given
    if (supersedes !== undefined && !this.memories.has(supersedes)) return undefined
    if (supersedes !== undefined) add(supersedes, 'supersedes', 1)
    for (const { to, type, weight } of given.edges) {
      const target = this.target(to)
      if (target === undefined) return undefined
      add(target, type, weight)
    }
    return { links: [...links.values()], edges: [...edges.values()] }
  }

  private made(name: string, kind = defaultKind): ModelEntity {
    const id = this.entityId(kind, name)
    return { id, normName: name, kind, aliases: [], formerIds: [], createdAt: 0 }
  }

  /** The node of an id; undefined where there is none. */
  target(id: string): string | undefined {
    return this.memories.has(id) ? id : this.entityOf(id)?.id
  }

  /** Does what was planned; answers how many nodes and edges are new. */
  commit(
    given: ModelGiven,
    { links, edges }: ModelPlan,
    { id, createdAt }: Pick<ModelMemory, 'id' | 'createdAt'>,
  ) {
    const nodes = 1 + links.filter((entity) => !this.entities.has(entity.id)).length
    for (const entity of links) {
      const since = this.entities.get(entity.id)?.createdAt ?? createdAt
      this.entities.set(entity.id, { ...entity, createdAt: since })
    }
    const ref = given.source?.ref
    const previous = ref === undefined ? undefined : (this.lastHere.get(ref) ?? this.lastOf(ref))
    if (ref !== undefined) this.lastHere.set(ref, id)
    const entities = links.map((entity) => entity.id)
    const { text } = given
    const key = this.keyOf(given)
    this.memories.set(id, { id, text, entities, ref, createdAt, key, status: 'active' })
    for (const edge of edges) this.link({ ...edge, from: id, createdAt })
    if (previous !== undefined) {
      this.link({ from: previous, to: id, type: 'next', weight: 1, createdAt })
    }
    const superseded = this.memories.get(given.supersedes ?? '')
    if (superseded !== undefined) superseded.status = 'superseded'
    return { nodes, edges: edges.length + (previous === undefined ? 0 : 1) }
  }

  private lastOf(ref: string): string | undefined {
    const from = [...this.memories.values()].filter((memory) => memory.ref === ref)
    return from.sort((a, b) => b.createdAt - a.createdAt || byText(b.id, a.id))[0]?.id
  }

  link(edge: Omit<ModelEdge, 'id'>): void {
    const id = this.edgeId(edge.from, edge.type, edge.to)
    this.edges.set(id, { ...edge, id })
  }

  edgesOf(node: string): ModelEdge[] {
    return [...this.edges.values()].filter(({ from, to }) => from === node || to === node)
  }

  /** Answers how many edges went with it. */
  forget(id: string): number {
    const edges = this.edgesOf(id)
    for (const edge of edges) this.edges.delete(edge.id)
    for (const { from, to, type } of edges) {
      if (type === 'mentions' && from === id && this.edgesOf(to).length === 0) {
        this.entities.delete(to)
      }
    }
    this.memories.delete(id)
    return edges.length
  }

  merge(from: ModelEntity, into: ModelEntity): void {
    for (const edge of this.edgesOf(from.id)) {
      this.edges.delete(edge.id)
      const moved = (end: string): string => (end === from.id ? into.id : end)
      const ends = { from: moved(edge.from), to: moved(edge.to) }
      const there = this.edges.get(this.edgeId(ends.from, edge.type, ends.to))
      const isLighter = there === undefined || there.weight < edge.weight
      if (ends.from !== ends.to && isLighter) this.link({ ...edge, ...ends })
    }
    this.entities.delete(from.id)
    const names = new Set([...into.aliases, from.normName, ...from.aliases])
    names.delete(into.normName)
    const formerIds = [...into.formerIds, ...from.formerIds, from.id]
    this.entities.set(into.id, { ...into, aliases: [...names], formerIds })
  }

  /** BM25 of each memory that has a term of the question. */
  scores(question: string, pool: readonly ModelMemory[]): Map<string, number> {
    const texts = pool.map(({ id, text }) => ({ id, words: text.split(' ') }))
    const average = texts.reduce((sum, { words }) => sum + words.length, 0) / pool.length
    const scores = new Map<string, number>()
    for (const term of new Set(question.split(' '))) {
      const frequency = texts.filter(({ words }) => words.includes(term)).length
      for (const { id, words } of texts) {
        const count = words.filter((word) => word === term).length
        const saturated = count + k1 * (1 - b + (b * words.length) / average)
        const score = (idf(pool.length, frequency) * count * (k1 + 1)) / saturated
        if (count > 0) scores.set(id, (scores.get(id) ?? 0) + score)
      }
    }
    return scores
  }

  /** What memories get that mention an entity. */
  boosts(entity: string, pool: readonly ModelMemory[]): Map<string, number> {
    const mentions = this.edgesOf(entity).filter(
      ({ to, type }) => to === entity && type === 'mentions',
    )
    const ids = new Set(mentions.map(({ from }) => from))
    const shown = pool.filter(({ id }) => ids.has(id))
    return new Map(shown.map(({ id }) => [id, boostShare * idf(pool.length, shown.length)]))
  }

  /** Breadth first; distances in the order of meeting. */
  context(seeds: readonly string[], hops: number): Map<string, number> {
    const distances = new Map(seeds.map((seed) => [seed, 0]))
    let level = [...seeds]
    for (let hop = 1; hop <= hops; hop++) {
      const next: string[] = []
      for (const node of level.sort(byText)) {
        const edges = this.edgesOf(node).sort(
          (a, b) => b.weight - a.weight || b.createdAt - a.createdAt || byText(a.id, b.id),
        )
        for (const { from, to } of edges) {
          const other = from === node ? to : from
          if (distances.has(other)) continue
          distances.set(other, hop)
          next.push(other)
        }
      }
      level = next
    }
    return distances
  }
}
