// rememberMemories: memories are written in groups of one program each, or all in one. A memory is
// atomic with its entities, edges and postings; the command is atomic only on request.
// (docs/design/transactions.md, rules 1 and 2; docs/memory.md, "Routes")

import { fail, type GatewayError, hasKind, toGatewayError } from '../../base/errors.js'
import { programPutsMax } from '../../base/limits/engine.js'
import { memoryBatchesOptimisticMax, memoryBatchMax } from '../../base/limits/memory.js'
import { KiB, MiB } from '../../base/units.js'
import { writeTurnUnits } from '../../base/work/work-figures.js'
import type { Call } from '../../bus/document/call.js'
import { CommandTx } from '../../bus/document/command-tx.js'
import { collection, documents, oneOf, withDefault } from '../../bus/document/params.js'
import { reply } from '../../bus/document/reply.js'
import { documentRow } from '../../bus/document/row.js'
import { plain } from '../../bus/policy/facts.js'
import { preparedParts } from '../../engine/prepared-write.js'
import { walletOf } from '../../identity/identity.js'
import {
  ensureGraph,
  findGraph,
  type GraphCreation,
  graphResources,
} from '../../memory/graph/graph.js'
import { graphCreation } from '../../memory/graph/graph-creation.js'
import type { Author } from '../../memory/nodes/entity-writing.js'
import { shownNode } from '../../memory/nodes/node.js'
import { memoryPrefix } from '../../memory/postings/packed-id.js'
import {
  type AnalysedMemory,
  prepareMemory,
  writingUnits,
} from '../../memory/write/analysed-memory.js'
import {
  type OptimisticBatch,
  prepareBatch,
  writeBatch,
} from '../../memory/write/optimistic-batch.js'
import {
  type Outcome,
  type Remembered,
  type RememberOptions,
  rememberAll,
} from '../../memory/write/remember.js'
import type { ReadTx } from '../../store/store.js'
import { readPhase, type Sweep, writePhase } from '../../store/sweep.js'
import { field } from '../../value/elements.js'
import { type Document, nullValue } from '../../value/value.js'
import type { DocumentWriter } from '../../value/writer.js'

/** Without atomicity: memories analysed together, and bytes of their documents. */
const memoriesAnalysedMax = 128
const memoryBytesAnalysedMax = 256 * KiB
/** Bytes of the memories of one atomic command. */
const memoryBytesAtOnceMax = 1 * MiB

interface RememberArgs {
  readonly memories: readonly Document[]
  readonly mode: 'all' | 'each'
}

type RememberCall = Call<RememberArgs, string>

export const rememberRow = documentRow({
  name: 'rememberMemories',
  ...plain,
  grows: 'documents',
  grain: 'sweep',
  access: 'identity',
  target: collection,
  params: { memories: documents, mode: withDefault(oneOf(['all', 'each']), 'each') },
  resources: ({ db, target }) => graphResources(db, target, 'read', 'write'),
  help:
    'Writes memories and their entities into a graph, and creates the graph if it is ' +
    'missing. In mode `all`, one refused memory refuses them all.',
  *run(call) {
    const { memories, mode } = call.args
    requireBatch(memories.length)
    const writer = new BatchWriter(call, memories.length)
    const outcomes = yield* mode === 'all' ? writer.all(memories) : writer.each(memories)
    outcomes.sort((a, b) => a.index - b.index)
    return reply((out) => writeOutcomes(out, outcomes))
  },
})

function requireBatch(memories: number): void {
  if (memories >= 1 && memories <= memoryBatchMax) return
  throw fail('BadValue', `'memories' must hold 1 to ${memoryBatchMax} memories`)
}

class BatchWriter {
  private readonly createdBy: Author['createdBy']
  private readonly creation: GraphCreation

  constructor(
    private readonly call: RememberCall,
    private readonly memories: number,
  ) {
    this.createdBy = walletOf(call.identity)
    this.creation = graphCreation(call)
  }

  /** Writes all in one program or nothing. Throws GraphLimit if they exceed one. */
  *all(memories: readonly Document[]): Sweep<Outcome[]> {
    requireOneProgram(memories)
    const { target } = this.call
    const analysed = yield* readPhase(function* (tx) {
      const all: AnalysedMemory[] = []
      const terms = new Set<string>()
      for (const [index, document] of memories.entries()) {
        const memory = yield* prepareMemory(tx, target, index, document)
        all.push(memory)
        for (const term of memory.terms.keys()) terms.add(term)
        // Each term is put at least once.
        if (terms.size > programPutsMax) throw tooMany()
      }
      return all
    })
    const units = analysed.reduce((sum, memory) => sum + writingUnits(memory), 0)
    try {
      return units > writeTurnUnits
        ? yield* this.writeLarge(analysed)
        : yield* this.write(analysed, true)
    } catch (thrown) {
      throw hasKind(thrown, 'TransactionTooLarge') ? tooMany() : thrown
    }
  }

  /** Writes in groups; each memory may be refused by itself. */
  *each(memories: readonly Document[]): Sweep<Outcome[]> {
    const outcomes: Outcome[] = []
    for (const read of groupsOf(placed(memories), readTogether)) {
      const { analysed, refusals } = yield* readPhase((tx) => this.prepare(tx, read))
      outcomes.push(...refusals)
      for (const group of groupsOf(analysed, writtenTogether)) {
        outcomes.push(...(yield* this.group(group)))
      }
    }
    return outcomes
  }

  private *prepare(tx: ReadTx, group: readonly Placed[]) {
    const analysed: AnalysedMemory[] = []
    const refusals: Outcome[] = []
    for (const [index, document] of group) {
      try {
        analysed.push(yield* prepareMemory(tx, this.call.target, index, document))
      } catch (thrown) {
        refusals.push(refused(index, thrown))
      }
    }
    return { analysed, refusals }
  }

  /** Runs one program. If the group exceeds a program, runs one for each half. */
  private *group(group: readonly AnalysedMemory[]): Sweep<Outcome[]> {
    const [first] = group
    if (first === undefined) return []
    try {
      return yield* this.write(group, false)
    } catch (thrown) {
      if (!hasKind(thrown, 'TransactionTooLarge')) throw thrown
      if (group.length === 1) {
        return [
          refused(first.index, fail('GraphLimit', 'the memory is too much for one transaction')),
        ]
      }
    }
    const middle = group.length >>> 1
    const before = yield* this.group(group.slice(0, middle))
    return [...before, ...(yield* this.group(group.slice(middle)))]
  }

  /**
   * Falls back to one long program if other clients keep changing the graph, because that is better
   * than a refusal. If many batches are prepared, it saves the memory that they hold.
   */
  private *writeLarge(memories: readonly AnalysedMemory[]): Sweep<Outcome[]> {
    const { store } = this.call.engine
    if (store.optimistic >= memoryBatchesOptimisticMax) return yield* this.write(memories, true)
    try {
      return yield* this.writeOptimistic(memories)
    } catch (thrown) {
      if (!hasKind(thrown, 'WriteConflict')) throw thrown
      return yield* this.write(memories, true)
    }
  }

  /** An optimistic write: a read with pauses computes the changes, and one program applies them. */
  private *writeOptimistic(memories: readonly AnalysedMemory[]): Sweep<Outcome[]> {
    const { call, creation } = this
    const target = { db: call.db, name: call.target, creation }
    return yield* preparedParts<OptimisticBatch, Outcome[]>(call.engine.store, {
      begin: (reads) => {
        const options = this.options(true)
        return (tx) => prepareBatch(tx, target, memories, options, reads)
      },
      apply: (batch, unchanged) => {
        return (tx) => {
          const bare = tx instanceof CommandTx ? tx.unguarded : tx
          return writeBatch(tx, bare, target, batch, unchanged)
        }
      },
    })
  }

  /** Ids are taken as late as possible, because `next` edges follow their order. */
  private options(isAtomic: boolean): RememberOptions {
    const { call, memories, createdBy } = this
    const ulids = call.services.ulids.series(call.now, memories)
    const idOf = (index: number): string => memoryPrefix + ulids.at(index)
    // The time comes from the ids, so that both stay monotonic if the clock is set back.
    return { now: ulids.ms, createdBy, idOf, isAtomic }
  }

  private *write(group: readonly AnalysedMemory[], isAtomic: boolean): Sweep<Outcome[]> {
    const { call, creation } = this
    const { db, target } = call
    // The same in every run.
    const options = this.options(isAtomic)
    try {
      return yield* writePhase(function* (tx) {
        const found = yield* findGraph(tx, db, target)
        const graph = found ?? (yield* ensureGraph(tx, db, target, creation))
        const outcomes = yield* rememberAll(tx, graph, group, options)
        const isKept = found !== undefined || outcomes.some(({ kind }) => kind !== 'refused')
        if (!isKept) throw new NothingKept(outcomes)
        return outcomes
      })
    } catch (thrown) {
      if (thrown instanceof NothingKept) return thrown.outcomes
      throw thrown
    }
  }
}

/** Rolls back a program that would only create an empty graph. */
class NothingKept extends Error {
  constructor(readonly outcomes: Outcome[]) {
    super()
  }
}

type Placed = readonly [index: number, memory: Document]

/** The maximum of a group: its members, and the sum of their weights. */
interface GroupBound<T> {
  readonly members: number
  readonly sum: number
  readonly countOf: (member: T) => number
}

/** Preparing pauses, so only memory bounds it. */
const readTogether: GroupBound<Placed> = {
  members: memoriesAnalysedMax,
  sum: memoryBytesAnalysedMax,
  countOf: ([, document]) => document.length,
}

const writtenTogether: GroupBound<AnalysedMemory> = {
  members: memoryBatchMax,
  sum: writeTurnUnits,
  countOf: writingUnits,
}

/** Memories with their positions in the command. */
function placed(memories: readonly Document[]): Placed[] {
  return memories.map((memory, index) => [index, memory])
}

/** Groups in order; each has at least one member. */
function* groupsOf<T>(all: readonly T[], bound: GroupBound<T>): Generator<T[]> {
  let group: T[] = []
  let sum = 0
  for (const member of all) {
    const count = bound.countOf(member)
    if (group.length >= bound.members || (group.length > 0 && sum + count > bound.sum)) {
      yield group
      group = []
      sum = 0
    }
    group.push(member)
    sum += count
  }
  if (group.length > 0) yield group
}

/** Throws GraphLimit for texts whose search for names would take a long turn. */
function requireOneProgram(memories: readonly Document[]): void {
  const bytes = memories.reduce((sum, { length }) => sum + length, 0)
  if (bytes > memoryBytesAtOnceMax) throw tooMany()
}

function tooMany(): GatewayError {
  return fail('GraphLimit', 'the memories are too many for one transaction: send fewer')
}

function refused(index: number, thrown: unknown): Outcome {
  const error = toGatewayError(thrown)
  if (error.kind === 'InternalError') throw thrown
  return { kind: 'refused', index, error }
}

function writeOutcomes(out: DocumentWriter, outcomes: readonly Outcome[]): void {
  out.openArray('results')
  for (const outcome of outcomes) writeOutcome(out.pushOpenDocument(), outcome)
  out.close()
  const count = (kind: Outcome['kind']) => outcomes.filter((one) => one.kind === kind).length
  out.int32('inserted', count('remembered')).int32('duplicates', count('duplicate'))
}

function writeOutcome(out: DocumentWriter, outcome: Outcome): void {
  out.int32('index', outcome.index)
  if (outcome.kind === 'refused') {
    const { kind, message } = outcome.error
    out.openDocument('error').string('code', kind).string('message', message).close().close()
    return
  }
  const memory = shownNode(outcome.memory)
  out.value('id', field(memory, 'id') ?? nullValue).bool('duplicate', outcome.kind === 'duplicate')
  out.document('memory', memory)
  if (outcome.kind === 'remembered') writeRemembered(out, outcome)
  out.close()
}

function writeRemembered(out: DocumentWriter, remembered: Remembered): void {
  const { created, links, extracted, keywords } = remembered
  out.openDocument('created').int32('nodes', created.nodes).int32('edges', created.edges).close()
  out.openArray('linked')
  for (const { entity, change } of links) {
    const { id, name, kind } = entity
    out.pushOpenDocument().string('id', id).string('name', name).string('kind', kind)
    out.bool('created', change === 'add').close()
  }
  out.close().openArray('extracted')
  for (const { name, kind, rule } of extracted) {
    out.pushOpenDocument().string('name', name).string('kind', kind).string('rule', rule).close()
  }
  for (const name of keywords) {
    out.pushOpenDocument().string('name', name).string('kind', 'keyword').string('rule', 'tf-idf')
    out.close()
  }
  out.close()
}
