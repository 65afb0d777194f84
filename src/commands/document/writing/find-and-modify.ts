// findAndModify: selects one document by filter and order, changes it in the same transaction, and
// returns it as it was before or after the change.

import { fail } from '../../../base/errors.js'
import type { Call } from '../../../bus/document/call.js'
import {
  anyValue,
  bool,
  collection,
  documents,
  hint,
  object,
  optional,
  withDefault,
} from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import type { Args } from '../../../bus/document/schema.js'
import { plain } from '../../../bus/policy/facts.js'
import { notOfSeries } from '../../../engine/collection/kinds/time-series.js'
import { deleteFirst, updateFirst } from '../../../engine/modify/modify.js'
import type {
  AssumedCollation,
  Changed,
  Ran,
  Selection,
  StatementRecord,
} from '../../../engine/modify/modify-spec.js'
import type { QueryContext } from '../../../query/context.js'
import type { Filter } from '../../../query/filter.js'
import { compileFilter } from '../../../query/filter.js'
import { compileProjection } from '../../../query/projection.js'
import { compileSort } from '../../../query/sort.js'
import type { Sweep } from '../../../store/sweep.js'
import type { Document, Value } from '../../../value/value.js'
import type { DocumentWriter } from '../../../value/writer.js'
import {
  bypassEmptyTsReplacement,
  collated,
  collation,
  emptyDocument,
  isEmpty,
  stamping,
  writePrivileges,
} from '../arguments.js'
import { assumingCollation } from './assumed-collation.js'
import { runOnce } from './run-once.js'
import { compileOperation, targetOf } from './update-delete.js'
import { withContext } from './write-errors.js'

export const findAndModifyParams = {
  query: withDefault(object, emptyDocument),
  sort: optional(object),
  remove: withDefault(bool, false),
  update: optional(anyValue),
  new: withDefault(bool, false),
  upsert: withDefault(bool, false),
  fields: optional(object),
  arrayFilters: optional(documents),
  hint: optional(hint),
  collation,
  bypassDocumentValidation: withDefault(bool, false),
  bypassEmptyTsReplacement,
} as const

type FindAndModifyArgs = Args<typeof findAndModifyParams>

export const findAndModifyRow = documentRow({
  name: 'findAndModify',
  ...plain,
  inTransactions: true,
  retryable: true,
  grows: 'documents',
  metered: 'findAndModify',
  roles: ['writes'],
  aliases: ['findandmodify'],
  grain: 'sweep',
  access: 'identity',
  stable: true,
  target: collection,
  params: findAndModifyParams,
  resources: ({ db, target, args }) => [
    { db, collection: target, privileges: ['read', ...writePrivileges(args)] },
  ],
  help: 'Changes or removes one document and returns it.',
  *run(call) {
    const { args } = call
    requireOneWay(args)
    return yield* assumingCollation((assumed) => runWith(call, assumed))
  },
})

function* runWith(
  call: Call<FindAndModifyArgs, string>,
  assumed: AssumedCollation,
): Sweep<Document> {
  const { args } = call
  const { collation: asked } = args
  const context = collated(stamping(call.context, args), asked ?? assumed, undefined)
  const collating = asked === undefined ? assumed : undefined
  const { filter, sort, hint } = compileSelection(args, context)
  const ofSeries = refuseSeries(call)
  const project = projector(args.fields, filter, context)
  if (args.remove) {
    const answer = (changed: Changed | undefined) =>
      reply((writer) => {
        const n = changed === undefined ? 0 : 1
        writer.openDocument('lastErrorObject').int32('n', n).close()
        writeValue(writer, changed?.before, project)
      })
    const record = call.retry?.statement(0, answer)
    const wanted = { filter, sort, hint, ofSeries, assumed: collating, record }
    return yield* answered(record, () => deleteFirst(targetOf(call), wanted), answer)
  }
  const { update, upsert, arrayFilters } = args
  const given = { c: undefined, multi: false, upsert, arrayFilters, hint, collation: asked }
  const spec = compileOperation({ q: args.query, u: requireUpdate(update), ...given }, context)
  const answer = (changed: Changed | undefined) =>
    reply((writer) => {
      writeUpdateResult(writer, changed)
      writeValue(writer, args.new ? changed?.after : changed?.before, project)
    })
  const record = call.retry?.statement(0, answer)
  const wanted = { sort, ofSeries, assumed: collating, record, ...spec }
  return yield* answered(record, () => updateFirst(targetOf(call), wanted), answer)
}

/** The reply; a retry gets that of the first attempt. */
function* answered(
  record: StatementRecord | undefined,
  change: () => Sweep<Changed | undefined>,
  answer: (changed: Changed | undefined) => Document,
): Sweep<Document> {
  const outcome = yield* runOnce<Changed | Ran | undefined>(record, () => told(change()), {
    isNone: (changed) => changed === undefined,
    resultOfRan: (ran) => ran,
  })
  if (outcome === undefined || 'before' in outcome) return answer(outcome)
  if (outcome.answer !== undefined) return outcome.answer
  const text = 'findAndModify retry request is not compatible with previous write of this number'
  throw fail('Location40606', text)
}

function* told<T>(change: Sweep<T>): Sweep<T> {
  try {
    return yield* change
  } catch (thrown) {
    throw withContext('Plan executor error during findAndModify', thrown)
  }
}

/** Throws CommandNotSupportedOnView: MongoDB does not run this command on a time series. */
export function refuseSeries({ db, target }: { readonly db: string; readonly target: string }) {
  return (): never => {
    throw notOfSeries({ db, name: target })
  }
}

/** Throws FailedToParse for contradicting options. */
export function requireOneWay(args: FindAndModifyArgs): void {
  if (!args.remove) {
    requireUpdate(args.update)
    return
  }
  if (args.update !== undefined) {
    throw fail('FailedToParse', 'Cannot specify both an update and remove=true')
  }
  if (args.upsert) throw fail('FailedToParse', 'Cannot specify both upsert=true and remove=true')
  if (args.new) {
    const text =
      "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document"
    throw fail('FailedToParse', text)
  }
  if (args.arrayFilters !== undefined) {
    throw fail('FailedToParse', 'Cannot specify arrayFilters and remove=true')
  }
}

function requireUpdate(update: Value | undefined): Value {
  if (update !== undefined) return update
  throw fail('FailedToParse', 'Either an update or remove=true must be specified')
}

/** Compiles filter, order and hint; explain uses the same function. */
export function compileSelection(args: FindAndModifyArgs, context: QueryContext): Selection {
  return {
    filter: compileFilter(args.query, context),
    sort: isEmpty(args.sort) ? undefined : compileSort(args.sort, context.collation),
    hint: args.hint,
  }
}

type Project = (document: Document) => Document

const whole: Project = (document) => document

function projector(fields: Document | undefined, filter: Filter, context: QueryContext): Project {
  if (isEmpty(fields)) return whole
  const projection = compileProjection(fields, filter, context)
  return (document) => projection.apply(document)
}

/** `lastErrorObject` for a change; a plain removal has another form. */
export function writeUpdateResult(writer: DocumentWriter, changed: Changed | undefined): void {
  writer.openDocument('lastErrorObject').int32('n', changed === undefined ? 0 : 1)
  writer.bool('updatedExisting', changed?.before !== undefined && changed.after !== undefined)
  if (changed?.upsertedId !== undefined) writer.value('upserted', changed.upsertedId)
  writer.close()
}

export function writeValue(
  writer: DocumentWriter,
  document: Document | undefined,
  apply: Project = whole,
): void {
  if (document === undefined) writer.null('value')
  else writer.document('value', apply(document))
}
