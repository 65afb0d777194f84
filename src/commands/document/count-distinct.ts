// count and distinct: figures over the documents of one filter. They answer in one reply, without a
// cursor, so what distinct collects is bounded by what a reply can hold.

import { fail } from '../../base/errors.js'
import { distinctBytesMax, pullDocumentsMax } from '../../base/limits.js'
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
} from '../../bus/params.js'
import { reply } from '../../bus/reply.js'
import { documentRow } from '../../bus/row.js'
import type { Args } from '../../bus/schema.js'
import { type CountQuery, countDocuments, openDistinct } from '../../engine/source.js'
import type { QueryContext } from '../../query/context.js'
import { compileFilter } from '../../query/filter.js'
import { elementsOf } from '../../value/elements.js'
import { equalityKey } from '../../value/key.js'
import { type FieldPath, parsePath, walkPath } from '../../value/path.js'
import { bsonType, type Document, numberValue, type Value } from '../../value/value.js'
import { collation, emptyDocument, touchesTarget } from './arguments.js'

export const countParams = {
  query: withDefault(object, emptyDocument),
  limit: withDefault(wholeNumber, 0),
  skip: withDefault(countNumber, 0),
  hint: optional(hint),
  collation,
  fields: ignored,
} as const

export type CountArgs = Args<typeof countParams>

/** The query of the arguments; a negative limit counts like a positive one, as on the peer. */
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
  grain: 'read',
  access: 'reader',
  stable: true,
  target: collection,
  params: countParams,
  touches: touchesTarget('read'),
  help: 'Counts the documents that match.',
  *run(tx, call) {
    const query = { ...compileCount(call.args, call.context), use: call.engine.indexUse }
    const n = yield* countDocuments(tx, tx.namespace(), query)
    return reply((writer) => writer.value('n', numberValue(n)))
  },
})

export const distinctParams = {
  key: string,
  query: withDefault(object, emptyDocument),
  collation,
  hint: optional(hint),
} as const

export type DistinctArgs = Args<typeof distinctParams>

const distinct = documentRow({
  name: 'distinct',
  grain: 'read',
  access: 'reader',
  target: collection,
  params: distinctParams,
  touches: touchesTarget('read'),
  help: 'Lists the distinct values of a field; arrays count by their elements.',
  *run(tx, call) {
    const { key, query, hint } = call.args
    requirePath(key)
    const filter = compileFilter(query, call.context)
    const asked = { filter, hint, use: call.engine.indexUse }
    const source = openDistinct(tx.namespace(), asked, key)
    const values = new DistinctValues(parsePath(key))
    while (!source.drained) {
      for (const document of yield* source.pull(tx, pullDocumentsMax)) values.add(document)
      yield* tx.breathe(1)
    }
    return reply((writer) => {
      writer.openArray('values')
      for (const value of values.all) writer.push(value)
      writer.close()
    })
  },
})

function requirePath(key: string): void {
  if (key.includes('\0')) throw fail('BadValue', 'Key field cannot contain an embedded null byte')
}

/** Values under a path, the first of equal ones, bounded by what a reply can hold. */
class DistinctValues {
  private readonly known = new Map<string, Value>()
  private bytes = 0

  constructor(private readonly path: FieldPath) {}

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
    const key = equalityKey(value)
    if (this.known.has(key)) return
    this.bytes += value.end - value.start + entryOverheadBytes
    if (this.bytes > distinctBytesMax) throw fail('Location17217', 'distinct too big, 16mb cap')
    this.known.set(key, value.detach())
  }
}

/** Type byte and a position of up to seven digits around a value in an array. */
const entryOverheadBytes = 9

export const countDistinctRows = [count, distinct]
