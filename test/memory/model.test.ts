// Graphs of memories against a model of plain lists: whatever is written, superseded, forgotten,
// related and merged in whichever order and at whatever time, both hold the same and answer the
// same, to six decimals and in the same order.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { type CommandRoom, eachRoom, type Reply } from '../support/command-room.js'
import { ManualClock } from '../support/engine-room.js'
import {
  byText,
  MemoryModel,
  type ModelEntity,
  type ModelGiven,
  type ModelMemory,
} from '../support/memory-model.js'
import { runs } from '../support/runs.js'

const words = ['ant', 'cow', 'dog', 'elk', 'fox', 'alpha', 'beta', 'gamma']
const names = ['alpha', 'beta gamma', 'beta', 'gamma', 'dog elk fox ant', 'unknown']
const kinds = ['person', 'place']
const text = fc
  .array(fc.constantFrom(...words), { minLength: 1, maxLength: 7 })
  .map((some) => some.join(' '))

/** What is picked of what there is, by number. */
interface Given {
  readonly text: string
  readonly entities: ModelGiven['entities']
  readonly ref: string | undefined
  readonly supersedes: number | undefined
  readonly edges: readonly { readonly to: number; readonly type: string; readonly weight: number }[]
}

const optionally = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const type = fc.constantFrom('relates', 'mentions')
const weight = fc.constantFrom(0, 0.25, 1)
const entity = fc.oneof(
  fc.record({ name: fc.constantFrom(...names) }),
  fc.record({ name: fc.constantFrom(...names), kind: fc.constantFrom(...kinds) }),
  fc.record({
    name: fc.constantFrom(...names),
    aliases: fc.array(fc.constantFrom('ant', 'cow', ...names), { maxLength: 2 }),
  }),
)
const given: fc.Arbitrary<Given> = fc.record({
  text,
  entities: fc.array(entity, { maxLength: 2 }),
  ref: optionally(fc.constantFrom('chat', '__proto__')),
  supersedes: fc.option(fc.nat(), { nil: undefined, freq: 4 }),
  edges: fc.array(fc.record({ to: fc.nat(), type, weight }), { maxLength: 2 }),
})

type Change =
  | {
      readonly kind: 'remember'
      readonly memories: readonly Given[]
      readonly mode: 'all' | 'each'
    }
  | { readonly kind: 'forget' | 'supersede' | 'restore'; readonly of: number }
  | {
      readonly kind: 'relate'
      readonly from: number
      readonly to: number
      readonly type: string
      readonly weight: number
    }
  | { readonly kind: 'unrelate'; readonly of: number }
  | { readonly kind: 'merge'; readonly from: number; readonly into: number }
  | { readonly kind: 'wait'; readonly ms: number }

const mode = fc.constantFrom('all', 'each')
const oneOfMemories = fc.constantFrom('forget', 'supersede', 'restore')
const some = fc.array(given, { minLength: 1, maxLength: 4 })
/** More than one program takes at once. */
const many = fc.array(given, { minLength: 36, maxLength: 40 })
const batch = fc.oneof({ weight: 6, arbitrary: some }, { weight: 1, arbitrary: many })
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('remember' as const),
      memories: batch,
      mode,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: oneOfMemories, of: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ kind: fc.constant('relate' as const), from: fc.nat(), to: fc.nat() },
      ...{ type, weight },
    }),
  },
  fc.record({ kind: fc.constant('unrelate' as const), of: fc.nat() }),
  fc.record({ kind: fc.constant('merge' as const), from: fc.nat(), into: fc.nat() }),
  // A clock may go back.
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: -3, max: 9 }) }),
)

interface Question {
  readonly q: string | undefined
  readonly entity: string | undefined
  readonly hops: number
  readonly limit: number
  readonly withSuperseded: boolean
}

const question: fc.Arbitrary<Question> = fc
  .record({
    q: optionally(text),
    entity: fc.option(fc.constantFrom(...names), { nil: undefined, freq: 2 }),
    hops: fc.nat(4),
    limit: fc.integer({ min: 1, max: 12 }),
    withSuperseded: fc.boolean(),
  })
  .filter(({ q, entity }) => q !== undefined || entity !== undefined)

/** One graph, in both. */
class Compared {
  readonly model: MemoryModel

  constructor(
    private readonly room: CommandRoom,
    private readonly clock: ManualClock,
    readonly graph: string,
  ) {
    this.model = new MemoryModel(graph)
  }

  async apply(change: Change): Promise<void> {
    const { model, graph } = this
    if (change.kind === 'wait') this.clock.ms += change.ms
    else if (change.kind === 'remember') await this.remember(change.memories, change.mode)
    else if (change.kind === 'relate') await this.relate(change)
    else if (change.kind === 'merge') await this.merge(change)
    else if (change.kind === 'unrelate') {
      const edge = pick([...model.edges.values()], change.of)
      if (edge === undefined) return
      await this.room.run({ unrelateNodes: graph, id: edge.id })
      model.edges.delete(edge.id)
    } else await this.changeMemory(change.kind, pick([...model.memories.values()], change.of))
  }

  private async remember(memories: readonly Given[], mode: 'all' | 'each'): Promise<void> {
    const given = memories.map((memory) => this.givenOf(memory))
    const { results } = await this.room.run({ rememberMemories: this.graph, memories: given, mode })
    this.model.begin()
    for (const [i, memory] of given.entries()) this.compareWritten(memory, results[i])
  }

  private givenOf({ ref, supersedes, edges, ...rest }: Given): ModelGiven {
    const memories = [...this.model.memories.keys()]
    const nodes = [...memories, ...this.model.entities.keys()]
    const superseded = supersedes === undefined ? undefined : pick(memories, supersedes)
    return {
      ...rest,
      edges: edges.flatMap(({ to, ...edge }) => {
        const id = pick(nodes, to)
        return id === undefined ? [] : [{ ...edge, to: id }]
      }),
      ...(ref === undefined ? {} : { source: { ref } }),
      ...(superseded === undefined ? {} : { supersedes: superseded }),
    }
  }

  private compareWritten(given: ModelGiven, result: Reply): void {
    const { model } = this
    const same = model.duplicateOf(given)
    assert.equal(result.duplicate, same !== undefined)
    if (same !== undefined) {
      assert.equal(result.id, same.id)
      return
    }
    const plan = model.plan(given)
    assert.ok(plan !== undefined)
    const { id, createdAt, entities } = result.memory
    assert.deepEqual(
      entities,
      plan.links.map((link) => link.id),
    )
    const created = model.commit(given, plan, { id, createdAt: Number(createdAt) })
    assert.deepEqual(result.created, created)
  }

  private async changeMemory(
    kind: 'forget' | 'supersede' | 'restore',
    memory: ModelMemory | undefined,
  ): Promise<void> {
    if (memory === undefined) return
    const { room, model, graph } = this
    const { id } = memory
    if (kind === 'forget') {
      const { edges } = await room.run({ forgetMemory: graph, id })
      return assert.equal(edges, model.forget(id))
    }
    const status = kind === 'supersede' ? 'superseded' : 'active'
    const isTaken = [...model.memories.values()].some(
      (other) => other !== memory && other.status === 'active' && other.key === memory.key,
    )
    if (status === 'active' && isTaken) {
      const refusal = await room.refusal({ updateMemory: graph, id, status })
      return assert.equal(refusal.kind, 'AlreadyExists')
    }
    await room.run({ updateMemory: graph, id, status })
    memory.status = status
  }

  private async relate(given: Extract<Change, { kind: 'relate' }>): Promise<void> {
    const { model, graph } = this
    const nodes = [...model.memories.keys(), ...model.entities.keys()]
    const [from, to] = [pick(nodes, given.from), pick(nodes, given.to)]
    if (from === undefined || to === undefined || from === to) return
    const { type, weight } = given
    const before = model.edges.get(model.edgeId(from, type, to))
    const { created } = await this.room.run({ relateNodes: graph, from, to, type, weight })
    assert.equal(created, before === undefined)
    model.link({ from, to, type, weight, createdAt: before?.createdAt ?? this.clock.ms })
  }

  private async merge(given: { readonly from: number; readonly into: number }): Promise<void> {
    const { model, graph } = this
    const entities = [...model.entities.values()]
    const [from, into] = [pick(entities, given.from), pick(entities, given.into)]
    if (from === undefined || into === undefined || from === into) return
    await this.room.run({ mergeEntities: graph, from: from.id, into: into.id })
    model.merge(from, into)
  }

  /** What is stored is what the model has. */
  async compareStored(): Promise<void> {
    const { room, model, graph } = this
    const nodes = await room.all(`memory.${graph}.nodes`)
    const memories = nodes.filter((node) => node.type === 'memory')
    const told = ({ id, text, entities, createdAt, status }: ModelMemory) =>
      [id, text, entities, createdAt, status] as const
    assert.deepEqual(
      memories.map((node) => told({ ...(node as ModelMemory), id: node._id, ...numbers(node) })),
      [...model.memories.values()].sort(byId).map(told),
    )
    const named = ({ id, normName, kind, aliases, formerIds }: ModelEntity) =>
      [id, normName, kind, [...aliases].sort(), [...formerIds].sort()] as const
    assert.deepEqual(
      nodes
        .filter((node) => node.type === 'entity')
        .map((node) => named({ ...(node as ModelEntity), id: node._id })),
      [...model.entities.values()].sort(byId).map(named),
    )
    const edges = await room.all(`memory.${graph}.edges`)
    assert.deepEqual(
      edges.map(({ _id, from, to, type, weight, createdAt }) => {
        return { from, to, type, weight, createdAt: Number(createdAt), id: _id }
      }),
      [...model.edges.values()].sort(byId),
    )
  }

  async compareAnswer(asked: Question): Promise<void> {
    const { room, model, graph } = this
    const { withSuperseded, ...given } = asked
    const { q, entity, hops, limit } = given
    const include = withSuperseded ? { include: 'superseded' } : {}
    const command = { recallMemories: graph, ...defined(given), ...include }
    const pool = [...model.memories.values()].filter((memory) => {
      return withSuperseded || memory.status === 'active'
    })
    const scores = q === undefined ? undefined : model.scores(q, pool)
    const boosts = q === undefined || entity !== undefined ? [] : boostsOf(model, q, pool)
    for (const boost of boosts) {
      for (const [id, more] of boost) scores?.set(id, (scores.get(id) ?? 0) + more)
    }
    const best = rankedOf(pool, scores ?? new Map(), new Map(), limit)
    const around = entity === undefined ? undefined : model.named(entity)
    if (around?.length === 0) {
      return assert.equal((await room.refusal(command)).kind, 'NodeNotFound')
    }
    const distances = model.context(
      (around ?? best).map(({ id }) => id),
      hops,
    )
    const answer = await room.run(command)
    assert.deepEqual(answer.nodeIds, [...distances.keys()])
    const within = [...model.edges.values()].filter(
      ({ from, to }) => distances.has(from) && distances.has(to),
    )
    assert.deepEqual(answer.edgeIds, within.map(({ id }) => id).sort())
    const faded = new Map<string, number>()
    for (const [id, distance] of distances) {
      const score = scores?.get(id)
      if (scores === undefined) faded.set(id, 1 / (1 + distance))
      else if (score !== undefined) faded.set(id, score / (1 + 0.5 * distance))
    }
    const expected = around === undefined ? best : rankedOf(pool, faded, distances, limit)
    assert.deepEqual(
      answer.memories.map(({ id, score, distance }: Reply) => ({ id, score, distance })),
      expected,
    )
  }
}

function boostsOf(model: MemoryModel, q: string, pool: readonly ModelMemory[]) {
  return model.known(q).map(({ id }) => model.boosts(id, pool))
}

/** Those that score, best first; then the nearer, the newer, the smaller id. */
function rankedOf(
  pool: readonly ModelMemory[],
  scores: ReadonlyMap<string, number>,
  distances: ReadonlyMap<string, number>,
  limit: number,
) {
  const ranked = pool
    .filter(({ id }) => scores.has(id))
    .map(({ id, createdAt }) => {
      const score = Math.round((scores.get(id) ?? 0) * 1e6) / 1e6
      return { id, createdAt, score, distance: distances.get(id) ?? 0 }
    })
  ranked.sort((one, other) => {
    const nearer = other.score - one.score || one.distance - other.distance
    return nearer || other.createdAt - one.createdAt || byText(one.id, other.id)
  })
  return ranked.slice(0, limit).map(({ id, score, distance }) => ({ id, score, distance }))
}

function pick<T>(items: readonly T[], at: number): T | undefined {
  return items[at % Math.max(1, items.length)]
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return byText(a.id, b.id)
}

function numbers(node: Reply): { readonly createdAt: number } {
  return { createdAt: Number(node.createdAt) }
}

function defined(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

const clock = new ManualClock()
let graphs = 0

await eachRoom(
  t,
  'whatever is done to a graph, it holds and answers what a model of lists does',
  async (_t, room) => {
    const changes = fc.array(change, { minLength: 1, maxLength: 40, size: 'max' })
    const asked = fc.array(question, { minLength: 4, maxLength: 4 })
    const property = fc.asyncProperty(changes, asked, async (changes, questions) => {
      const compared = new Compared(room, clock, `g${++graphs}`)
      for (const change of changes) await compared.apply(change)
      await compared.compareStored()
      for (const question of questions) await compared.compareAnswer(question)
    })
    await fc.assert(property, { numRuns: runs(6) })
  },
  { clock, kinds: ['memory', 'late'] },
)
