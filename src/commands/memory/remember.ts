// rememberMemories: memories go in by groups of one write program each, or all in one. A memory is
// atomic with its entities, edges and postings; the command is only where it is asked to be.
// (facts: memory-dashboard A3; storage 9, rules 1 and 2)

import { fail, GatewayError, toGatewayError } from '../../base/errors.js'
import {
  memoriesPerProgram,
  memoryBatchMax,
  memoryBytesAtOnceMax,
  memoryBytesPerProgram,
  programPutsMax,
} from '../../base/limits.js'
import type { Call } from '../../bus/call.js'
import { collection, documents, oneOf, withDefault } from '../../bus/params.js'
import { reply } from '../../bus/reply.js'
import { documentRow } from '../../bus/row.js'
import { walletOf } from '../../identity/identity.js'
import { batchIds } from '../../memory/batch-ids.js'
import { ensureGraph, type GraphCreation, graphTouches } from '../../memory/graph.js'
import { graphCreation } from '../../memory/graph-creation.js'
import { shownNode } from '../../memory/node.js'
import { type PreparedMemory, prepareMemory } from '../../memory/prepared-memory.js'
import {
  type Outcome,
  type Remembered,
  type RememberOptions,
  rememberAll,
} from '../../memory/remember.js'
import { ulidRandomBytes } from '../../memory/ulid.js'
import type { ReadTx } from '../../store/store.js'
import { readPhase, type Sweep, writePhase } from '../../store/sweep.js'
import { field } from '../../value/elements.js'
import { type Document, nullValue } from '../../value/value.js'
import type { DocumentWriter } from '../../value/writer.js'

interface RememberArgs {
  readonly memories: readonly Document[]
  readonly mode: 'all' | 'each'
}

type RememberCall = Call<RememberArgs, string>

export const rememberRow = documentRow({
  name: 'rememberMemories',
  grain: 'sweep',
  access: 'identity',
  target: collection,
  params: { memories: documents, mode: withDefault(oneOf(['all', 'each']), 'each') },
  touches: ({ db, target }) => graphTouches(db, target, 'read', 'write'),
  help:
    'Writes memories into a graph, which is made if it is missing, with the entities that they ' +
    'name. In mode `all` one that is refused refuses them all.',
  *run(call) {
    const { memories, mode } = call.args
    requireBatch(memories.length)
    const writer = new BatchWriter(call)
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
  private readonly options: Omit<RememberOptions, 'isAtomic'>
  private readonly creation: GraphCreation

  constructor(private readonly call: RememberCall) {
    const { now, identity, services } = call
    const ids = batchIds(now, services.random.bytes(ulidRandomBytes))
    this.options = { now, createdBy: walletOf(identity), idOf: ids }
    this.creation = graphCreation(call)
  }

  /** One program, or nothing. Throws GraphLimit where that would be too much. */
  *all(memories: readonly Document[]): Sweep<Outcome[]> {
    requireOneProgram(memories)
    const { target } = this.call
    const prepared = yield* readPhase(function* (tx) {
      const all: PreparedMemory[] = []
      const terms = new Set<string>()
      for (const [index, document] of memories.entries()) {
        const memory = yield* prepareMemory(tx, target, index, document)
        all.push(memory)
        for (const term of memory.terms.keys()) terms.add(term)
        // Each is put at least once.
        if (terms.size > programPutsMax) throw tooMany()
      }
      return all
    })
    try {
      return yield* this.write(prepared, true)
    } catch (thrown) {
      throw isTooLarge(thrown) ? tooMany() : thrown
    }
  }

  /** Groups, of which each memory may be refused alone. */
  *each(memories: readonly Document[]): Sweep<Outcome[]> {
    const outcomes: Outcome[] = []
    for (const group of groupsOf(memories)) {
      const { prepared, refusals } = yield* readPhase((tx) => this.prepare(tx, group))
      outcomes.push(...refusals, ...(yield* this.group(prepared)))
    }
    return outcomes
  }

  private *prepare(tx: ReadTx, group: readonly Placed[]) {
    const prepared: PreparedMemory[] = []
    const refusals: Outcome[] = []
    for (const [index, document] of group) {
      try {
        prepared.push(yield* prepareMemory(tx, this.call.target, index, document))
      } catch (thrown) {
        refusals.push(refused(index, thrown))
      }
    }
    return { prepared, refusals }
  }

  /** One program; if it is more than one may hold, one for each half. */
  private *group(group: readonly PreparedMemory[]): Sweep<Outcome[]> {
    const [first] = group
    if (first === undefined) return []
    try {
      return yield* this.write(group, false)
    } catch (thrown) {
      if (!isTooLarge(thrown)) throw thrown
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

  private write(group: readonly PreparedMemory[], isAtomic: boolean): Sweep<Outcome[]> {
    const { call, creation, options } = this
    return writePhase(function* (tx) {
      const graph = yield* ensureGraph(tx, call.db, call.target, creation)
      return yield* rememberAll(tx, graph, group, { ...options, isAtomic })
    })
  }
}

type Placed = readonly [index: number, memory: Document]

/** Memories with their places in the command, as many as one turn may write. */
function* groupsOf(memories: readonly Document[]): Generator<Placed[]> {
  let group: Placed[] = []
  let bytes = 0
  for (const [index, document] of memories.entries()) {
    const isFull = group.length >= memoriesPerProgram || bytes >= memoryBytesPerProgram
    if (isFull) {
      yield group
      group = []
      bytes = 0
    }
    group.push([index, document])
    bytes += document.length
  }
  if (group.length > 0) yield group
}

/** Texts that only a long turn could look through for names. Throws GraphLimit. */
function requireOneProgram(memories: readonly Document[]): void {
  const bytes = memories.reduce((sum, { length }) => sum + length, 0)
  if (bytes > memoryBytesAtOnceMax) throw tooMany()
}

function tooMany(): GatewayError {
  return fail('GraphLimit', 'the memories are too many for one transaction: send fewer')
}

function isTooLarge(thrown: unknown): boolean {
  return thrown instanceof GatewayError && thrown.kind === 'TransactionTooLarge'
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
