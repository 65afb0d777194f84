// The insert of an update with upsert: one write program that checks again for a match, creates the
// collection if needed, and inserts.

import { GatewayError } from '../../base/errors.js'
import type { Filter } from '../../query/filter.js'
import { upsertDocument } from '../../query/update.js'
import type { Program, ReadTx, Tx } from '../../store/store.js'
import type { Sweep } from '../../store/sweep.js'
import { equalValues } from '../../value/compare.js'
import { fieldsOf } from '../../value/elements.js'
import { type Document, documentValue, timestampValue } from '../../value/value.js'
import { ensureNamespace, findNamespace } from '../collection/catalog/catalog.js'
import { insertDocument, stagedWrite, withId } from '../collection/collections.js'
import { countOf } from '../collection/counters.js'
import type { Staged } from '../collection/staging.js'
import { idOf } from '../index/entries.js'
import { conditionsOf } from '../plan/bounds.js'
import type { Plan } from '../plan/plan.js'
import { planQuery } from '../plan/planner.js'
import { type Found, Walk } from '../sources/walk.js'
import type { Guarded, Namespace } from '../types.js'
import {
  type Changed,
  flushed,
  requireAssumed,
  requireNew,
  type Selection,
  type Target,
  type UpdateSpec,
} from './modify-spec.js'

/** Entries that an upsert checks again before it inserts: more would be a search. */
const upsertRecheckMax = 100

/**
 * Inserts the document that a filter and an update describe. Undefined if something matches after
 * all, or if another upsert of the same key came first and `mayRetry`: then retry the update.
 */
export function* upsert(
  target: Target,
  spec: UpdateSpec,
  mayRetry: boolean,
): Sweep<Changed | undefined> {
  try {
    return yield* stagedWrite((tx, staged) =>
      flushed(tx, spec, insertUnlessMatched(tx, target, spec, staged)),
    )
  } catch (error) {
    if (mayRetry && isDuplicateOfFilter(error, spec.filter)) return undefined
    throw error
  }
}

/** The program of upsert, before its record is written; undefined if something matches now. */
export function* insertUnlessMatched(
  tx: Tx & Guarded,
  target: Target,
  spec: UpdateSpec,
  staged: Staged,
): Program<Changed | undefined> {
  yield* requireNew(tx, spec.record)
  const found = yield* findNamespace(tx, target.db, target.name)
  if (found !== undefined) requireAssumed(found, spec)
  if (found !== undefined && (yield* hasMatch(tx, found, spec))) return undefined
  const ns = found ?? (yield* ensureNamespace(tx, target.db, target.name, target.creation))
  const document = newDocument(spec)
  yield* insertDocument(tx, ns, document, staged)
  const changed = { before: undefined, after: document, upsertedId: idOf(document) }
  spec.record?.keep(tx, changed)
  return changed
}

function newDocument({ filter, update, context }: UpdateSpec): Document {
  const document = upsertDocument(filter, update, context)
  const serverTime = () => timestampValue(Math.floor(context.now / 1000), 1)
  const stamps = context.keepsEmptyTimestamps === true ? undefined : serverTime
  return withId(document, () => context.objectId(0), stamps)
}

/**
 * Whether a document matches, by a few entries: the previous search found none, and a write program
 * must not repeat it. As on MongoDB, only a unique index prevents two identical upserts.
 */
export function* hasMatch(
  tx: ReadTx & Guarded,
  ns: Namespace,
  selection: Selection,
): Program<boolean> {
  const { filter, hint } = selection
  const plan = planQuery(ns, { filter, hint })
  const isSmall = plan.isSingle || (yield* countOf(tx, ns)).documents <= upsertRecheckMax
  if (!isSmall && !isBounded(plan)) return false
  const found: Found = { documents: [] }
  yield* new Walk(ns, plan, filter).glance(tx, upsertRecheckMax, found)
  return found.documents.length > 0
}

function isBounded(plan: Plan): boolean {
  return plan.accesses.every((access) => access.kind !== 'records' || access.bounds !== undefined)
}

/** Whether the filter asks for the duplicate key. */
function isDuplicateOfFilter(error: unknown, filter: Filter): boolean {
  if (!(error instanceof GatewayError) || error.kind !== 'DuplicateKey') return false
  const { keyValue } = error.extra
  if (!(keyValue instanceof Uint8Array)) return false
  const { byPath } = conditionsOf(filter.tree, filter.collation)
  for (const [path, value] of fieldsOf(documentValue(keyValue))) {
    const isAsked = (byPath.get(path) ?? []).some(
      ({ node }) => node.op === 'eq' && equalValues(node.value, value, node.collation),
    )
    if (!isAsked) return false
  }
  return true
}
