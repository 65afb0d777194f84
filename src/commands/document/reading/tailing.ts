// A tailable find, which stays open at the end of a capped collection: the options that fit it, its
// source, and what a getMore on it waits for.

import { fail } from '../../../base/errors.js'
import { namespaceKey } from '../../../engine/collection/catalog/catalog-keys.js'
import { headKey, isCapped } from '../../../engine/collection/kinds/capped-order.js'
import type { Tail } from '../../../engine/sources/cursors.js'
import type { Source } from '../../../engine/sources/holding-source.js'
import type { FindQuery } from '../../../engine/sources/source.js'
import { TailSource } from '../../../engine/sources/tail-source.js'
import type { Namespace } from '../../../engine/types.js'
import { fieldsOf } from '../../../value/elements.js'
import { numberOf } from '../../../value/numbers.js'
import { bsonType, type Document, documentValue, type Value } from '../../../value/value.js'
import { isEmpty } from '../arguments.js'

interface TailingArgs {
  readonly filter: Document
  readonly sort: Document | undefined
  readonly hint: Value | undefined
  readonly singleBatch: boolean
  readonly tailable: boolean
  readonly awaitData: boolean
}

/** Throws for options that contradict each other. */
export function checkTailing({ tailable, awaitData, sort, hint, singleBatch }: TailingArgs): void {
  if (!tailable) {
    if (!awaitData) return
    throw fail('FailedToParse', "Cannot set 'awaitData' without also setting 'tailable'")
  }
  if (!isEmpty(sort) && naturalOf(documentValue(sort)) !== 1) {
    throw fail('BadValue', 'cannot use tailable option with a sort other than {$natural: 1}')
  }
  if (singleBatch) {
    throw fail('BadValue', "cannot use tailable option with the 'singleBatch' option")
  }
  if (hint !== undefined && naturalOf(hint) !== 1) {
    throw fail('BadValue', 'a tailable cursor reads in the order {$natural: 1} alone')
  }
}

/** The direction in `{$natural: ±1}`; undefined for anything else. */
function naturalOf(order: Value): number | undefined {
  if (order.type !== bsonType.object) return undefined
  const [first, ...others] = fieldsOf(order)
  if (first?.[0] !== '$natural' || others.length > 0 || !first[1].isNumber) return undefined
  return numberOf(first[1])
}

/**
 * The source of a tailable find; undefined for another find or a missing collection. Throws
 * BadValue for a collection that is not capped.
 */
export function openTail(
  ns: Namespace | undefined,
  args: TailingArgs,
  query: FindQuery,
): { readonly source: Source; readonly tail: Tail } | undefined {
  if (!args.tailable || ns === undefined) return undefined
  if (!isCapped(ns)) {
    const shown = `ns=${ns.db}.${ns.name}${isEmpty(args.filter) ? everything : ' '}`
    const what = 'tailable cursor requested on non capped collection'
    throw fail('BadValue', `error processing query: ${shown}${what}`)
  }
  const keys = [headKey(ns.id), namespaceKey(ns.db, ns.name)]
  return { source: new TailSource(ns, query), tail: { awaitsData: args.awaitData, keys } }
}

/** How MongoDB prints a query without conditions. */
const everything = 'Tree: $and\nSort: {}\nProj: {}\n '
