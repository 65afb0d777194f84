// find: a filter, an order and a window over one collection, answered by a cursor. Options that
// would change the result and are not served are refused.

import { fail } from '../../base/errors.js'
import {
  bool,
  collection,
  countNumber,
  hint,
  ignored,
  object,
  optional,
  withDefault,
} from '../../bus/params.js'
import { documentRow } from '../../bus/row.js'
import type { Args } from '../../bus/schema.js'
import type { IndexUse } from '../../engine/index-use.js'
import { type FindQuery, openFind } from '../../engine/source.js'
import type { QueryContext } from '../../query/context.js'
import { compileFilter } from '../../query/filter.js'
import { compileProjection } from '../../query/projection.js'
import { compileSort } from '../../query/sort.js'
import { collation, emptyDocument, isEmpty, touchesTarget } from './arguments.js'
import { firstBatch } from './cursors.js'

export const findParams = {
  filter: withDefault(object, emptyDocument),
  sort: optional(object),
  projection: optional(object),
  hint: optional(hint),
  skip: withDefault(countNumber, 0),
  limit: withDefault(countNumber, 0),
  batchSize: optional(countNumber),
  singleBatch: withDefault(bool, false),
  collation,
  min: optional(object),
  max: optional(object),
  returnKey: withDefault(bool, false),
  showRecordId: withDefault(bool, false),
  tailable: withDefault(bool, false),
  awaitData: withDefault(bool, false),
  noCursorTimeout: withDefault(bool, false),
  allowDiskUse: ignored,
  allowPartialResults: ignored,
  oplogReplay: ignored,
} as const

export type FindArgs = Args<typeof findParams>

export const findRow = documentRow({
  name: 'find',
  grain: 'read',
  access: 'reader',
  stable: true,
  target: collection,
  params: findParams,
  touches: touchesTarget('read'),
  help: 'Finds documents of a collection.',
  *run(tx, call) {
    const { args, target } = call
    refuseUnserved(args, `${call.db}.${target}`)
    const source = openFind(tx.namespace(), compileFind(args, call.context, call.engine.indexUse))
    return yield* firstBatch(tx, call, {
      source,
      batchSize: args.batchSize,
      collection: target,
      singleBatch: args.singleBatch,
      noCursorTimeout: args.noCursorTimeout,
    })
  },
})

/** The query of the arguments; explain compiles the same. */
export function compileFind(args: FindArgs, context: QueryContext, use?: IndexUse): FindQuery {
  const filter = compileFilter(args.filter, context)
  return {
    filter,
    sort: isEmpty(args.sort) ? undefined : compileSort(args.sort),
    projection: isEmpty(args.projection)
      ? undefined
      : compileProjection(args.projection, filter, context),
    skip: args.skip,
    limit: args.limit,
    hint: args.hint,
    use,
  }
}

/** Throws for options that would change the result and are not served. */
export function refuseUnserved(args: FindArgs, ns: string): void {
  if (args.awaitData && !args.tailable) {
    throw fail('FailedToParse', "Cannot set 'awaitData' without also setting 'tailable'")
  }
  if (args.tailable) {
    const what = 'tailable cursor requested on non capped collection'
    throw fail('BadValue', `error processing query: ns=${ns} ${what}`)
  }
  if (!isEmpty(args.min) || !isEmpty(args.max)) {
    if (args.hint === undefined) {
      throw fail(
        'Location51173',
        'When using min()/max() a hint of which index to use must be provided',
      )
    }
    throw fail('CommandNotSupported', 'min and max are not supported; use $gte and $lt')
  }
  if (args.returnKey) throw fail('CommandNotSupported', 'returnKey is not supported')
  if (args.showRecordId) throw fail('CommandNotSupported', 'showRecordId is not supported')
}
