// count and distinct over the documents of one filter. Both reply without a cursor, so the size of
// a reply bounds what distinct collects.

import { fail } from '../../../base/errors.js'
import { distinctBytesMax } from '../../../base/limits/documents.js'
import { pullDocumentsMax, pullWhenShortMax } from '../../../base/limits/engine.js'
import { entryUnits } from '../../../base/work/work-figures.js'
import type { Call } from '../../../bus/document/call.js'
import type { CommandReadTx } from '../../../bus/document/command-tx.js'
import {
  collection,
  countNumber,
  hint,
  ignored,
  object,
  optional,
  string,
  wholeNumber,
  withDefault,
} from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import type { Args } from '../../../bus/document/schema.js'
import { plain } from '../../../bus/policy/facts.js'
import { bytesOfAll } from '../../../engine/sources/holding-source.js'
import type { PipelineEnvironment } from '../../../engine/sources/pipeline-source.js'
import {
  type CountQuery,
  countDocuments,
  type FindQuery,
  openDistinct,
} from '../../../engine/sources/source.js'
import type { QueryContext } from '../../../query/context.js'
import { compileFilter } from '../../../query/filter.js'
import { compilePipeline, type StagePlan } from '../../../query/pipeline.js'
import type { Program } from '../../../store/store.js'
import type { Collation } from '../../../value/collation/collation.js'
import { elementsOf, field } from '../../../value/elements.js'
import { equalityKey } from '../../../value/key.js'
import { numberOf } from '../../../value/numbers.js'
import { type FieldPath, parsePath, walkPath } from '../../../value/path.js'
import {
  bsonType,
  type Document,
  documentValue,
  numberValue,
  type Value,
} from '../../../value/value.js'
import { writeArray, writeDocument } from '../../../value/writer.js'
import { collated, collation, emptyDocument } from '../arguments.js'
import { environmentOf } from './aggregate.js'
import { queryMemory } from './query-memory.js'
import { isViewed, openViewed, readableResource, stagesOfQuery, within } from './view-reads.js'

export const countParams = {
  query: withDefault(object, emptyDocument),
  limit: withDefault(wholeNumber, 0),
  skip: withDefault(countNumber, 0),
  hint: optional(hint),
  collation,
  fields: ignored,
} as const

type CountArgs = Args<typeof countParams>

/** Compiles the arguments. A negative limit means its absolute value, as in MongoDB. */
export function compileCount(args: CountArgs, context: QueryContext): CountQuery {
  const { query, skip, limit } = args
  return {
    filter: compileFilter(query, context),
    skip,
    limit: Math.abs(limit),
    hint: args.hint,
  }
}

const count = documentRow({
  name: 'count',
  ...plain,
  metered: 'read',
  hasTimeField: true,
  grain: 'read',
  access: 'reader',
  stable: true,
  target: collection,
  params: countParams,
  resources: readableResource,
  help: 'Counts the documents that match.',
  *run(tx, call) {
    const ns = tx.namespace()
    const context = collated(call.context, call.args.collation, ns)
    if (isViewed(tx, call)) return yield* countInView(tx, call, context)
    const query = { ...compileCount(call.args, context), use: call.traces }
    const n = yield* countDocuments(tx, ns, query)
    return reply((writer) => writer.value('n', numberValue(n)))
  },
})

function* countInView(
  tx: CommandReadTx,
  call: Call<CountArgs, string>,
  context: QueryContext,
): Program<Document> {
  const stages = compileViewCount(call.args, context)
  const source = yield* openViewed(tx, within(call, context), stages, pipelineOf(call, context))
  let n = 0
  while (!source.drained) {
    for (const document of yield* source.pull(tx, pullDocumentsMax)) {
      n = numberOf(field(document, 'count') ?? numberValue(0))
    }
  }
  return reply((writer) => writer.value('n', numberValue(n)))
}

/** The stages for a count over a view. */
export function compileViewCount(args: CountArgs, context: QueryContext): StagePlan[] {
  const { query: filter, skip, limit } = args
  const stages = stagesOfQuery({ filter, skip, limit: Math.abs(limit) }, context)
  return [...stages, ...compilePipeline(countStage, context)]
}

/** `[{$count: 'count'}]` */
const countStage: Value = writeArray([
  documentValue(writeDocument((writer) => writer.string('$count', 'count'))),
])

/** What stages over a view need from the call. */
function pipelineOf(
  call: Call<Pick<CountArgs, 'hint'>, string>,
  context: QueryContext,
): PipelineEnvironment {
  const { db, bus, session, services, engine, traces, now, owner, target } = call
  const args = { hint: call.args.hint, allowDiskUse: true }
  const parts = { db, bus, session, services, engine, traces, now, owner, context, target }
  return environmentOf({ ...parts, args })
}

export const distinctParams = {
  key: string,
  query: withDefault(object, emptyDocument),
  collation,
  hint: optional(hint),
} as const

type DistinctArgs = Args<typeof distinctParams>

const distinct = documentRow({
  name: 'distinct',
  ...plain,
  snapshots: 'begins',
  inTransactions: true,
  metered: 'read',
  hasTimeField: true,
  grain: 'read',
  access: 'reader',
  target: collection,
  params: distinctParams,
  resources: readableResource,
  help: 'Lists the distinct values of a field. Elements of arrays count separately.',
  *run(tx, call) {
    const { key, query } = call.args
    requirePath(key)
    const ns = tx.namespace()
    const context = collated(call.context, call.args.collation, ns)
    const stages = () => stagesOfQuery({ filter: query }, context)
    const source = isViewed(tx, call)
      ? yield* openViewed(tx, within(call, context), stages(), pipelineOf(call, context))
      : openDistinct(ns, distinctQuery(call, context), key)
    const values = new DistinctValues(parsePath(key), context.collation)
    const { engine, owner } = call
    const memory = queryMemory({ engine, owner, args: { allowDiskUse: false } })
    const [holding, pulled] = [memory.holding(), memory.holding()]
    try {
      while (!source.drained) {
        const most = tx.isMemoryShort === true ? pullWhenShortMax : pullDocumentsMax
        const documents = yield* source.pull(tx, most)
        // They exist, so they count with or without room.
        pulled.hold(bytesOfAll(documents), true)
        for (const document of documents) {
          values.add(document)
          holding.hold(values.bytesHeld)
          yield* tx.pause(entryUnits)
        }
        pulled.hold(0)
      }
    } finally {
      pulled.close()
      holding.close()
    }
    return reply((writer) => {
      writer.openArray('values')
      for (const value of values.all) writer.push(value)
      writer.close()
    })
  },
})

function distinctQuery(
  { args, traces }: Call<DistinctArgs, string>,
  context: QueryContext,
): FindQuery {
  const filter = compileFilter(args.query, context)
  return { filter, hint: args.hint, use: traces }
}

function requirePath(key: string): void {
  if (key.includes('\0')) throw fail('BadValue', 'Key field cannot contain an embedded null byte')
}

/** Distinct values of a path, bounded by the size of a reply. */
class DistinctValues {
  private readonly known = new Map<string, Value>()
  private bytes = 0
  private keyBytes = 0

  constructor(
    private readonly path: FieldPath,
    private readonly collation: Collation | undefined,
  ) {}

  /** Bytes of memory: the values and their keys. */
  get bytesHeld(): number {
    return this.bytes + this.keyBytes
  }

  get all(): Iterable<Value> {
    return this.known.values()
  }

  add(document: Document): void {
    walkPath(document, this.path, (leaf) => {
      if (leaf?.type === bsonType.array) for (const element of elementsOf(leaf)) this.note(element)
      else if (leaf !== undefined) this.note(leaf)
      return false
    })
  }

  private note(value: Value): void {
    const key = equalityKey(value, this.collation)
    if (this.known.has(key)) return
    this.bytes += value.end - value.start + entryOverheadBytes
    if (this.bytes > distinctBytesMax) throw fail('Location17217', 'distinct too big, 16mb cap')
    this.keyBytes += key.length
    this.known.set(key, value.detach())
  }
}

/** Type byte and a position of up to seven digits around a value in an array. */
const entryOverheadBytes = 9

export const countDistinctRows = [count, distinct]
