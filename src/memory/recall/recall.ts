// Recall: the memories that answer a question, those around an entity, or both, with their context.
// (docs/memory.md, "Recall, exactly")

import { fail } from '../../base/errors.js'
import type { Program, ReadTx } from '../../store/store.js'
import type { Graph } from '../graph/graph.js'
import { resolveEntity } from '../nodes/entities.js'
import { readMemories } from '../nodes/node-reading.js'
import { isMemoryId } from '../postings/packed-id.js'
import { type Context, contextOf } from './context.js'
import { Question } from './question.js'
import { compareRecalled, type Recalled, recalledOf } from './recall-score.js'

export interface RecallRequest {
  /** One of the two is required. */
  readonly question?: string | undefined
  /** Id, name or alias. */
  readonly entity?: string | undefined
  readonly hops: number
  readonly limit: number
  readonly withSuperseded: boolean
  /** The part of its neighbours' scores that a memory gets, from 0 to 1. */
  readonly neighbours: number
}

export interface Recall {
  /** Best first. */
  readonly memories: readonly Recalled[]
  readonly context: Context
}

/** Throws NodeNotFound for an unknown entity. */
export function* recall(tx: ReadTx, graph: Graph, request: RecallRequest): Program<Recall> {
  const { hops, limit, withSuperseded } = request
  const question = yield* questionOf(tx, graph, request)
  const seeds = yield* seedsOf(tx, graph, request, question)
  const context = yield* contextOf(tx, graph, seeds, hops)
  const found = yield* readMemories(tx, graph, candidatesOf(request, context))
  const shown = found.filter(({ status }) => withSuperseded || status === 'active')
  const recalled = recalledOf({ request, question, context, memories: shown })
  return { memories: recalled.sort(compareRecalled).slice(0, limit), context }
}

function* questionOf(
  tx: ReadTx,
  graph: Graph,
  { question, entity, withSuperseded }: RecallRequest,
): Program<Question | undefined> {
  if (question === undefined) return undefined
  const isAlone = entity === undefined
  return yield* Question.read(tx, graph, question, { withSuperseded, namesEntities: isAlone })
}

/** The start of the context: an entity, or the memories that answer best. */
function* seedsOf(
  tx: ReadTx,
  graph: Graph,
  { entity, limit }: RecallRequest,
  question: Question | undefined,
): Program<string[]> {
  if (entity === undefined) {
    const best = question === undefined ? [] : yield* question.best(tx, limit)
    return best.map(({ id }) => id)
  }
  const entities = yield* resolveEntity(tx, graph, entity)
  if (entities.length === 0) throw unknownEntity(entity)
  return entities.map(({ id }) => id)
}

/** Candidates for the answer: without a boost only the best can be in it. */
function candidatesOf(
  { entity, hops, neighbours }: RecallRequest,
  { distances }: Context,
): string[] {
  const isOfSeeds = entity === undefined && (hops === 0 || neighbours === 0)
  const memories: string[] = []
  for (const [node, distance] of distances) {
    if (isMemoryId(node) && (distance === 0 || !isOfSeeds)) memories.push(node)
  }
  return memories
}

export function unknownEntity(entity: string): Error {
  return fail('NodeNotFound', `there is no entity '${entity}'`)
}
