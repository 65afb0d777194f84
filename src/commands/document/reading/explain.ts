// explain: the explained command is parsed by its own schema and compiled by its own compiler. The
// engine then explains it instead of running it. Nothing changes.

import { fail } from '../../../base/errors.js'
import type { Call } from '../../../bus/document/call.js'
import { commandName } from '../../../bus/document/command-name.js'
import {
  collection,
  collectionOrDatabase,
  object,
  oneOf,
  withDefault,
} from '../../../bus/document/params.js'
import { documentRow, parseCommand } from '../../../bus/document/row.js'
import { type Args, type Field, type Fields, Schema } from '../../../bus/document/schema.js'
import { plain } from '../../../bus/policy/facts.js'
import { resolveView, stagesOver } from '../../../engine/collection/kinds/views.js'
import {
  type ExplainTarget,
  explainAggregate,
  explainCount,
  explainDistinct,
  explainFind,
  explainWrite,
} from '../../../engine/plan/explain.js'
import { explainClosed } from '../../../engine/plan/explain-closed.js'
import type { Namespace, Privilege, Resource } from '../../../engine/types.js'
import type { QueryContext } from '../../../query/context.js'
import { letVariables } from '../../../query/expression.js'
import { compileFilter } from '../../../query/filter.js'
import { compilePipeline, type StagePlan } from '../../../query/pipeline.js'
import type { Program, ReadTx } from '../../../store/store.js'
import type { Document, Value } from '../../../value/value.js'
import { collated, type GivenCollation } from '../arguments.js'
import { compileSelection, findAndModifyParams, requireOneWay } from '../writing/find-and-modify.js'
import {
  compileDelete,
  compileOperation,
  deleteParams,
  updateParams,
} from '../writing/update-delete.js'
import { aggregateParams, aggregateResources, compileStages, environmentOf } from './aggregate.js'
import { compileCount, compileViewCount, countParams, distinctParams } from './count-distinct.js'
import { explainReply } from './explain-reply.js'
import { compileFind, compileViewFind, findParams, refuseUnserved } from './find.js'
import { queryMemory } from './query-memory.js'
import { stagesOfQuery } from './view-reads.js'

type ExplainCall = Pick<
  Call<unknown, unknown>,
  'db' | 'bus' | 'session' | 'services' | 'engine' | 'traces' | 'now' | 'owner' | 'context'
>

/** A parsed inner command: its resources and its explanation. */
interface Explained {
  readonly resources: readonly Resource[]
  readonly collection: string | undefined
  run(tx: ReadTx, call: ExplainCall, target: ExplainTarget): Program<Document>
}

type Explainer = (inner: Document, db: string) => Explained

/** One command that can be explained; `T` is the value beside its name. */
interface Explanation<F extends Fields, T extends string | undefined> {
  readonly params: F
  readonly target: Field<T>
  readonly privileges: readonly Privilege[]
  /** Set if the command can read views: the stages that it becomes. */
  readonly viewed?: (args: Args<F>, context: QueryContext) => readonly StagePlan[]
  readonly resources?: (db: string, target: T, args: Args<F>) => readonly Resource[]
  run(inner: Inner<F, T>, tx: ReadTx): Program<Document>
}

interface Inner<F extends Fields, T> {
  readonly args: Args<F>
  readonly command: T
  readonly call: ExplainCall
  readonly context: QueryContext
  readonly target: ExplainTarget
}

function explainer<F extends Fields, T extends string | undefined>(
  name: string,
  { params, target: beside, privileges, viewed, resources, run }: Explanation<F, T>,
): Explainer {
  const schema = new Schema(name, params)
  const readTarget = beside.bind(`${name}.${name}`)
  const syntax = { schema, readTarget, ignoresUnknown: false }
  return (body, db) => {
    const { args, target: command, generic } = parseCommand({ body, sequences: new Map() }, syntax)
    const views = viewed === undefined ? {} : { views: 'resolve' as const }
    const own: Resource[] =
      command === undefined ? [] : [{ db, collection: command, privileges, ...views }]
    return {
      resources: resources?.(db, command, args) ?? own,
      collection: command,
      run: (tx, call, target) => {
        const lets = withLet(call.context, generic.let)
        const { collation: given } = args as { readonly collation?: GivenCollation | undefined }
        const context = collated(lets, given, target.ns)
        if (viewed !== undefined && target.ns?.view !== undefined) {
          const view = { ns: target.ns, stages: viewed(args, context) }
          return explainView(tx, { ...environmentParts(call), context }, target, view, args)
        }
        return run({ args, command, call, context, target }, tx)
      },
    }
  }
}

/** Explains a view: all stages over its collection. */
function* explainView(
  tx: ReadTx,
  call: ExplainCall,
  target: ExplainTarget,
  view: { readonly ns: Namespace; readonly stages: readonly StagePlan[] },
  { hint }: { readonly hint?: Value | undefined },
): Program<Document> {
  const place = yield* resolveView(tx, view.ns, call.context)
  if (place.isClosed === true) {
    const environment = environmentOf({
      ...call,
      target: place.name,
      args: { hint, allowDiskUse: true },
    })
    return yield* explainClosed(tx, target, { place, stages: view.stages }, environment)
  }
  const { ns, name } = place
  const args = { hint, allowDiskUse: true }
  const environment = environmentOf({ ...call, target: name, args })
  const below = { ...target, ns, name: `${call.db}.${name}` }
  return yield* explainAggregate(tx, below, stagesOver(place, view.stages), environment)
}

function withLet(context: QueryContext, spec: Document | undefined): QueryContext {
  return spec === undefined ? context : { ...context, variables: letVariables(spec, context) }
}

const find = explainer('find', {
  params: findParams,
  target: collection,
  privileges: ['read'],
  viewed: compileViewFind,
  run: ({ args, call, context, target }, tx) => {
    refuseUnserved(args)
    const { engine, owner } = call
    const workspace = queryMemory({ engine, owner, args })
    return explainFind(tx, target, compileFind(args, context, undefined, workspace), args)
  },
})

const count = explainer('count', {
  params: countParams,
  target: collection,
  privileges: ['read'],
  viewed: compileViewCount,
  run: ({ args, context, target }, tx) => explainCount(tx, target, compileCount(args, context)),
})

const distinct = explainer('distinct', {
  params: distinctParams,
  target: collection,
  privileges: ['read'],
  viewed: ({ query }, context) => stagesOfQuery({ filter: query }, context),
  run: ({ args, context, target }, tx) => {
    const filter = compileFilter(args.query, context)
    return explainDistinct(tx, target, { filter, hint: args.hint }, args.key)
  },
})

const aggregate = explainer('aggregate', {
  params: aggregateParams,
  target: collectionOrDatabase,
  privileges: ['read'],
  viewed: ({ pipeline }, context) => compilePipeline(pipeline, context),
  resources: aggregateResources,
  run: ({ args, command, call, context, target }, tx) => {
    const stages = compileStages(call.db, command, args, context)
    const environment = environmentOf({ ...environmentParts(call), target: command, args, context })
    return explainAggregate(tx, target, stages, environment)
  },
})

function environmentParts(call: ExplainCall) {
  const { db, bus, session, services, engine, traces, now, owner } = call
  return { db, bus, session, services, engine, traces, now, owner }
}

/** The only operation of a list: a reply can show only one plan. */
function onlyOne<T>(operations: readonly T[]): T {
  const [only] = operations
  if (only !== undefined && operations.length === 1) return only
  throw fail('InvalidLength', 'explained write batches must be of size 1')
}

const update = explainer('update', {
  params: updateParams,
  target: collection,
  privileges: ['read', 'write'],
  run: ({ args, context, target }, tx) => {
    const operation = onlyOne(args.updates)
    const by = collated(context, operation.collation, target.ns)
    const { filter, hint } = compileOperation(operation, by)
    const query = { filter, hint, limit: operation.multi ? 0 : 1 }
    return explainWrite(tx, target, 'UPDATE', query, {})
  },
})

const remove = explainer('delete', {
  params: deleteParams,
  target: collection,
  privileges: ['read', 'write'],
  run: ({ args, context, target }, tx) => {
    const operation = onlyOne(args.deletes)
    const by = collated(context, operation.collation, target.ns)
    const query = { ...compileDelete(operation, by), limit: operation.limit }
    return explainWrite(tx, target, 'DELETE', query, {})
  },
})

const findAndModify = explainer('findAndModify', {
  params: findAndModifyParams,
  target: collection,
  privileges: ['read', 'write'],
  run: ({ args, context, target }, tx) => {
    requireOneWay(args)
    const query = { ...compileSelection(args, context), limit: 1 }
    const { sort } = args
    return explainWrite(tx, target, args.remove ? 'DELETE' : 'UPDATE', query, { sort })
  },
})

const explainers: ReadonlyMap<string, Explainer> = new Map([
  ['find', find],
  ['count', count],
  ['distinct', distinct],
  ['aggregate', aggregate],
  ['update', update],
  ['delete', remove],
  ['findAndModify', findAndModify],
  ['findandmodify', findAndModify],
])

function explainedOf(inner: Document, { db, bus }: Pick<ExplainCall, 'db' | 'bus'>): Explained {
  const name = commandName(inner)
  const known = name === undefined ? undefined : explainers.get(name)
  if (known !== undefined) return known(inner, db)
  if (name === 'explain') throw fail('IllegalOperation', 'Explain cannot explain itself.')
  if (bus.rows.some((row) => row.name === name)) {
    throw fail('IllegalOperation', `Cannot explain cmd: ${name}`)
  }
  throw fail('CommandNotFound', `Explain failed due to unknown command: ${name ?? ''}`)
}

export const explainRow = documentRow({
  name: 'explain',
  ...plain,
  grain: 'read',
  access: 'reader',
  stable: true,
  target: object,
  params: {
    verbosity: withDefault(
      oneOf(['queryPlanner', 'executionStats', 'allPlansExecution']),
      'allPlansExecution',
    ),
  },
  resources: (call) => explainedOf(call.target, call).resources,
  help: 'Shows how a command would find its documents, and with executionStats the cost.',
  *run(tx, call) {
    const { db, target: inner, args, services } = call
    const explained = explainedOf(inner, call)
    const { collection: name } = explained
    const document = yield* explained.run(tx, call, {
      name: `${db}.${name ?? '$cmd.aggregate'}`,
      ns: name === undefined ? undefined : tx.namespace(),
      verbosity: args.verbosity,
      clock: services.clock,
    })
    return explainReply(document, inner, db)
  },
})
