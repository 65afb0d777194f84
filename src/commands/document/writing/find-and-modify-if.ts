// findAndModifyIf: findAndModify with a condition on the stored bytes, checked in the transaction
// that changes them. The command is Sigil's own: HTTP's If-Match and If-None-Match use it, and
// other clients may.

import { fail } from '../../../base/errors.js'
import { writeBatchMax } from '../../../base/limits/documents.js'
import type { Call } from '../../../bus/document/call.js'
import {
  anyValue,
  arrayOf,
  bool,
  collection,
  object,
  optional,
  string,
  withDefault,
} from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import type { Args } from '../../../bus/document/schema.js'
import { plain } from '../../../bus/policy/facts.js'
import { changeFirst, updateFirst } from '../../../engine/modify/modify.js'
import {
  type AssumedCollation,
  type ChangeAt,
  type Changed,
  removeAt,
  updateAt,
} from '../../../engine/modify/modify-spec.js'
import { compileFilter } from '../../../query/filter.js'
import { compileSort } from '../../../query/sort.js'
import type { Update } from '../../../query/update.js'
import type { Sweep } from '../../../store/sweep.js'
import { documentTag } from '../../../value/document-tag.js'
import type { Document } from '../../../value/value.js'
import { collated, emptyDocument, isEmpty, targetResource } from '../arguments.js'
import { assumingCollation } from './assumed-collation.js'
import { refuseSeries, writeUpdateResult, writeValue } from './find-and-modify.js'
import { compileOperation, targetOf } from './update-delete.js'

const params = {
  query: withDefault(object, emptyDocument),
  sort: optional(object),
  /** The document's bytes must have one of these tags. */
  tags: optional(arrayOf(string)),
  /** No document may match, so only the upsert can run. */
  absent: withDefault(bool, false),
  update: optional(anyValue),
  remove: withDefault(bool, false),
  upsert: withDefault(bool, false),
} as const

type IfArgs = Args<typeof params>

export const findAndModifyIfRow = documentRow({
  name: 'findAndModifyIf',
  ...plain,
  grows: 'documents',
  metered: 'findAndModify',
  roles: ['writes'],
  grain: 'sweep',
  access: 'identity',
  inTransactions: true,
  target: collection,
  params,
  resources: targetResource('read', 'write'),
  help: 'Changes or removes one document if its bytes have a tag, or adds it if it is missing.',
  *run(call) {
    requireSense(call.args)
    return yield* assumingCollation((assumed) => runOnce(call, assumed))
  },
})

function requireSense({ tags, absent, update, remove, upsert }: IfArgs): void {
  if (remove === (update !== undefined)) {
    throw fail('FailedToParse', 'Either an update or remove=true must be specified')
  }
  if (remove && upsert) {
    throw fail('FailedToParse', 'Cannot specify both upsert=true and remove=true')
  }
  if (tags !== undefined && upsert) {
    throw fail('FailedToParse', 'Cannot specify both upsert=true and tags')
  }
  if (absent && !upsert) throw fail('FailedToParse', 'absent=true needs upsert=true')
  if (tags !== undefined && tags.length > writeBatchMax) {
    throw fail('FailedToParse', `At most ${writeBatchMax} tags may be specified`)
  }
}

function* runOnce(call: Call<IfArgs, string>, assumed: AssumedCollation): Sweep<Document> {
  const { args } = call
  const context = collated(call.context, assumed, undefined)
  const selection = {
    filter: compileFilter(args.query, context),
    sort: isEmpty(args.sort) ? undefined : compileSort(args.sort, context.collation),
    assumed,
    ofSeries: refuseSeries(call),
  }
  const target = targetOf(call)
  const { query: q, update: u, upsert, tags, absent } = args
  if (u === undefined) {
    return answer(yield* changeFirst(target, selection, tagged(removeAt, tags)))
  }
  const rest = { c: undefined, multi: false, arrayFilters: undefined, hint: undefined }
  const compiled = compileOperation({ q, u, upsert, ...rest, collation: undefined }, context)
  const spec = { ...compiled, ...selection }
  if (!upsert) return answer(yield* changeFirst(target, spec, tagged(updateAt(spec), tags)))
  const update = absent ? insertOnly(spec.update) : spec.update
  return answer(yield* updateFirst(target, { ...spec, update }))
}

/** Changes a document with one of the tags. Throws PreconditionFailed for any other document. */
function tagged(changeAt: ChangeAt, tags: readonly string[] | undefined): ChangeAt {
  if (tags === undefined) return changeAt
  return (tx, ns, place, staged) => {
    if (!tags.includes(documentTag(place.document))) {
      throw fail('PreconditionFailed', 'the document is not the one that the tags are of')
    }
    return changeAt(tx, ns, place, staged)
  }
}

/** The update for an upsert only. Throws PreconditionFailed if the document exists. */
function insertOnly(update: Update): Update {
  return {
    kind: update.kind,
    changes: (path) => update.changes(path),
    apply: (before, options) => {
      if (!options.isInsert) throw fail('PreconditionFailed', 'the document exists')
      return update.apply(before, options)
    },
  }
}

/** The reply of findAndModify: the removed document, or the document after the change. */
function answer(changed: Changed | undefined): Document {
  return reply((writer) => {
    writeUpdateResult(writer, changed)
    writeValue(writer, changed?.after ?? changed?.before)
  })
}
