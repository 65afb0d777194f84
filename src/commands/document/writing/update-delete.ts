// update and delete: lists of operations. Each operation is a sweep of its own with its own error.
// Its changes stay, even if a later operation fails.

import { fail } from '../../../base/errors.js'
import { writeBatchMax } from '../../../base/limits/documents.js'
import type { Call } from '../../../bus/document/call.js'
import {
  anyValue,
  bool,
  collection,
  documents,
  hint,
  object,
  optional,
  strictBool,
  structures,
  wholeNumber,
  withDefault,
} from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import type { Args } from '../../../bus/document/schema.js'
import { plain } from '../../../bus/policy/facts.js'
import { requireMetaUpdate } from '../../../engine/collection/kinds/time-series.js'
import type { TimeSeries } from '../../../engine/collection/kinds/time-series-options.js'
import {
  deleteMany,
  deleteOne,
  resultOf,
  resultOfRan,
  updateMany,
  updateOne,
} from '../../../engine/modify/modify.js'
import { pointDelete, pointUpdate } from '../../../engine/modify/modify-batch.js'
import type {
  AssumedCollation,
  Selection,
  StatementRecord,
  Target,
  UpdateResult,
  UpdateSpec,
} from '../../../engine/modify/modify-spec.js'
import type { QueryContext } from '../../../query/context.js'
import { letVariables } from '../../../query/expression.js'
import { compileFilter } from '../../../query/filter.js'
import { requireKnownStages } from '../../../query/pipeline.js'
import { compileUpdate } from '../../../query/update.js'
import { bsonType, numberValue, type Value } from '../../../value/value.js'
import {
  bypassEmptyTsReplacement,
  collated,
  collation,
  requireBatch,
  stamping,
} from '../arguments.js'
import { runOnce } from './run-once.js'
import { type Job, runBatch } from './write-batch.js'
import { failuresValue, unquotedFailure, writeFailures } from './write-errors.js'
import { changePrivileges } from './write-privileges.js'

const updateFields = {
  q: object,
  u: anyValue,
  c: optional(object),
  multi: withDefault(strictBool, false),
  upsert: withDefault(strictBool, false),
  collation,
  arrayFilters: optional(documents),
  hint: optional(hint),
} as const

type UpdateOperation = Args<typeof updateFields>

export const updateParams = {
  updates: structures(updateFields),
  ordered: withDefault(strictBool, true),
  bypassDocumentValidation: withDefault(bool, false),
  bypassEmptyTsReplacement,
} as const

type WriteCall = Pick<
  Call<unknown, string>,
  'db' | 'target' | 'creation' | 'context' | 'objectId' | 'engine'
>

const update = documentRow({
  name: 'update',
  ...plain,
  inTransactions: true,
  retryable: true,
  grows: 'documents',
  fails: 'inPart',
  metered: 'update',
  roles: ['writes'],
  grain: 'sweep',
  access: 'identity',
  stable: true,
  target: collection,
  params: updateParams,
  resources: ({ db, target, args }) => [
    { db, collection: target, privileges: changePrivileges(args.updates, args) },
  ],
  help: 'Changes one or many documents for each operation, and adds one with upsert.',
  *run(call) {
    const { updates, ordered } = call.args
    requireBatch(updates.length)
    if (call.retry !== undefined && updates.some(({ multi }) => multi))
      throw notSingle('multi=true')
    // As in MongoDB, this is an error of the command, not of the operation.
    for (const { u } of updates) if (u.type === bsonType.array) requireKnownStages(u)
    const upserted: { index: number; id: Value }[] = []
    let matched = 0
    let modified = 0
    let changed = 0
    const target = targetOf(call)
    const context = (index: number) => stamping(contextOf(call, index), call.args)
    const failures = yield* runBatch<UpdateResult>({
      target,
      count: updates.length,
      ordered,
      compile: (index, assumed) =>
        updateJob(target, updates[index] as UpdateOperation, context(index), {
          assumed,
          record: call.retry?.statement(index),
        }),
      done: (index, { upsertedId, ...result }) => {
        if (upsertedId !== undefined) upserted.push({ index, id: upsertedId })
        matched += result.matched + (upsertedId === undefined ? 0 : 1)
        modified += result.modified
        changed += result.matched
      },
    })
    const told = call.isBlind ? failures.map(unquotedFailure) : failures
    const writeErrors = yield* failuresValue(told)
    return reply((writer) => {
      writer.value('n', numberValue(matched))
      if (upserted.length > 0) {
        writer.openArray('upserted')
        for (const { index, id } of upserted) {
          writer.pushOpenDocument().int32('index', index).value('_id', id).close()
        }
        writer.close()
      }
      // A caller without `read` may not learn whether a value was already there.
      writer.value('nModified', numberValue(call.isBlind ? changed : modified))
      writeFailures(writer, writeErrors)
    })
  },
})

/** What an operation runs with. */
interface Statement {
  readonly assumed: AssumedCollation
  readonly record: StatementRecord | undefined
}

function updateJob(
  target: Target,
  operation: UpdateOperation,
  context: QueryContext,
  { assumed, record }: Statement,
): Job<UpdateResult> {
  const { multi, collation: given } = operation
  const compiled = compileOperation(operation, collated(context, given ?? assumed, undefined))
  const ofSeries = (series: TimeSeries): void => requireMetaUpdate(series, operation)
  const spec = {
    ofSeries,
    record,
    assumed: given === undefined ? assumed : undefined,
    ...compiled,
  }
  const isNone = ({ matched, upsertedId }: UpdateResult) =>
    matched === 0 && upsertedId === undefined
  return {
    point: multi ? undefined : pointUpdate(spec),
    resultOf,
    resultOfRan,
    alone: () => {
      if (multi) return updateMany(target, spec)
      return runOnce(record, () => updateOne(target, spec), { isNone, resultOfRan })
    },
  }
}

/** Compiles one update; explain uses the same function. */
export function compileOperation(operation: UpdateOperation, context: QueryContext): UpdateSpec {
  const { q, u, c, multi, upsert, arrayFilters, hint } = operation
  if (u.type !== bsonType.object && u.type !== bsonType.array) {
    throw fail('FailedToParse', 'Update argument must be either an object or an array')
  }
  if (c !== undefined && u.type !== bsonType.array) {
    throw fail('Location51198', 'Constant values may only be specified for pipeline updates')
  }
  const inner = c === undefined ? context : { ...context, variables: letVariables(c, context) }
  const update = compileUpdate(u, {
    context: inner,
    isUpsert: upsert,
    ...(arrayFilters === undefined ? {} : { arrayFilters }),
  })
  if (multi && update.kind === 'replacement') {
    throw fail('FailedToParse', 'multi update is not supported for replacement-style update')
  }
  return { filter: compileFilter(q, context), hint, update, upsert, context: inner }
}

const deleteFields = {
  q: object,
  limit: wholeNumber,
  collation,
  hint: optional(hint),
} as const

type DeleteOperation = Args<typeof deleteFields>

export const deleteParams = {
  deletes: structures(deleteFields),
  ordered: withDefault(strictBool, true),
} as const

const remove = documentRow({
  name: 'delete',
  ...plain,
  inTransactions: true,
  retryable: true,
  fails: 'inPart',
  metered: 'delete',
  grain: 'sweep',
  access: 'identity',
  stable: true,
  target: collection,
  params: deleteParams,
  resources: ({ db, target, args }) => [
    { db, collection: target, privileges: changePrivileges(args.deletes) },
  ],
  help: 'Removes documents, one or all that match for each operation.',
  *run(call) {
    const { deletes, ordered } = call.args
    requireBatch(deletes.length)
    if (call.retry !== undefined && deletes.some(({ limit }) => limit === 0)) {
      throw notSingle('limit=0')
    }
    let removed = 0
    const target = targetOf(call)
    const failures = yield* runBatch<number>({
      target,
      count: deletes.length,
      ordered,
      compile: (index, assumed) =>
        deleteJob(target, deletes[index] as DeleteOperation, call.context, {
          assumed,
          record: call.retry?.statement(index),
        }),
      done: (_index, count) => {
        removed += count
      },
    })
    const writeErrors = yield* failuresValue(failures)
    return reply((writer) => {
      writer.value('n', numberValue(removed))
      writeFailures(writer, writeErrors)
    })
  },
})

/** Compiles one delete; explain uses the same function. */
export function compileDelete(operation: DeleteOperation, context: QueryContext): Selection {
  const { q, limit, hint } = operation
  if (limit !== 0 && limit !== 1) {
    const text = `The limit field in delete objects must be 0 or 1. Got ${limit}`
    throw fail('FailedToParse', text)
  }
  return { filter: compileFilter(q, context), hint }
}

function deleteJob(
  target: Target,
  operation: DeleteOperation,
  context: QueryContext,
  { assumed, record }: Statement,
): Job<number> {
  const { collation: given } = operation
  const compiled = compileDelete(operation, collated(context, given ?? assumed, undefined))
  const selection = { record, assumed: given === undefined ? assumed : undefined, ...compiled }
  const one = operation.limit === 1
  return {
    point: one ? pointDelete(selection) : undefined,
    resultOf: (changed) => (changed === undefined ? 0 : 1),
    resultOfRan: deletedOne,
    alone: () => {
      if (!one) return deleteMany(target, selection)
      const isNone = (count: number) => count === 0
      const run = () => deleteOne(target, selection)
      return runOnce(record, run, { isNone, resultOfRan: deletedOne })
    },
  }
}

const deletedOne = () => 1

/** A retryable write changes one document for each statement. */
function notSingle(option: string): Error {
  return fail('InvalidOptions', `Cannot use (or request) retryable writes with ${option}`)
}

export function targetOf(call: Pick<WriteCall, 'db' | 'target' | 'creation' | 'engine'>): Target {
  const { choices } = call.engine.indexUse
  return { db: call.db, name: call.target, creation: call.creation(), choices }
}

/** The call's context with ObjectIds that only this operation uses. */
function contextOf(call: Pick<WriteCall, 'context' | 'objectId'>, index: number): QueryContext {
  return { ...call.context, objectId: (i) => call.objectId(index + i * writeBatchMax) }
}

export const updateDeleteRows = [update, remove]
