// Specifications and results of updates and deletes, and the change of one document: shared by
// single changes, sweeps and batches.

import type { Bytes } from '../../base/bytes/bytes.js'
import { fail, unquoted } from '../../base/errors.js'
import { documentBytesMax } from '../../base/limits/documents.js'
import type { QueryContext } from '../../query/context.js'
import type { Filter } from '../../query/filter.js'
import type { Sort } from '../../query/sort.js'
import type { Update } from '../../query/update.js'
import type { Program, ReadTx, Tx } from '../../store/store.js'
import { type Collation, sameCollation } from '../../value/collation/collation.js'
import type { Document, Value } from '../../value/value.js'
import type { CreateOptions } from '../collection/catalog/catalog.js'
import { removeDocument, replaceDocument } from '../collection/collections.js'
import type { TimeSeries } from '../collection/kinds/time-series-options.js'
import type { Staged } from '../collection/staging.js'
import type { PlanChoices } from '../plan/plan-cache.js'
import type { Guarded, Namespace } from '../types.js'

/** What one statement of a retryable write has done. */
export interface Ran {
  /** False if its document had the new value already. */
  readonly isModified: boolean
  readonly upsertedId?: Value
  /** The reply of findAndModify. */
  readonly answer?: Document | undefined
}

/** The record of one statement of a retryable write. */
export interface StatementRecord {
  /**
   * What an earlier attempt has done; undefined if nothing. Throws IncompleteTransactionHistory if
   * its result was too long to keep.
   */
  ran(tx: ReadTx): Program<Ran | undefined>
  /** Keeps what this program has done, until `flush`. */
  keep(tx: Tx, changed: Changed): void
  /** Writes what this program has kept for any statement of the command. */
  flush(tx: Tx): Program<void>
}

/** Ends a program before any change: an earlier attempt has run the statement. */
export class AlreadyRan extends Error {
  constructor(readonly ran: Ran) {
    super('an earlier attempt has run the statement')
  }
}

/** Throws AlreadyRan. */
export function* requireNew(tx: ReadTx, record: StatementRecord | undefined): Program<void> {
  if (record === undefined) return
  const ran = yield* record.ran(tx)
  if (ran !== undefined) throw new AlreadyRan(ran)
}

/** The collection to change, and how an upsert creates it if missing. */
export interface Target {
  readonly db: string
  readonly name: string
  readonly creation: CreateOptions
  /** Best known plans for query shapes. */
  readonly choices?: PlanChoices
}

export interface Selection {
  readonly filter: Filter
  /** Index name, key pattern or `{$natural: ±1}`; an unknown one is BadValue. */
  readonly hint?: Value | undefined
  /** Which match to take; only for a single document. */
  readonly sort?: Sort | undefined
  /** The assumed collation of the collection; undefined if the command names one. */
  readonly assumed?: AssumedCollation | undefined
  /** Throws for operations that a time-series collection does not support; absent if all are. */
  readonly ofSeries?: (series: TimeSeries) => void
  /** For a statement that a client may send again. */
  readonly record?: StatementRecord | undefined
}

export interface AssumedCollation {
  readonly collation: Collation | undefined
}

/**
 * Compare by bytes, as nearly all collections do, so commands compile without reading the
 * descriptor.
 */
export const plainCollation: AssumedCollation = { collation: undefined }

/** Ends an operation before any change: it must be compiled for another collation. */
export class OtherCollation extends Error {
  constructor(readonly collation: Collation | undefined) {
    super('the collection has another collation')
  }
}

/** Throws OtherCollation, and the errors of `ofSeries`. */
export function requireAssumed(ns: Namespace, { assumed, ofSeries }: Selection): void {
  if (ns.timeSeries !== undefined) ofSeries?.(ns.timeSeries)
  if (assumed === undefined || sameCollation(assumed.collation, ns.collation)) return
  throw new OtherCollation(ns.collation)
}

export interface UpdateSpec extends Selection {
  readonly update: Update
  readonly upsert: boolean
  /** `objectId(0)` is the `_id` of an upserted document without one. */
  readonly context: QueryContext
}

export interface UpdateResult {
  readonly matched: number
  /** Documents whose bytes have changed. */
  readonly modified: number
  readonly upsertedId?: Value | undefined
}

/** The change of one document. */
export interface Changed {
  /** Undefined for an upsert. */
  readonly before: Document | undefined
  /** Undefined for a delete; the same array as `before` if nothing changed. */
  readonly after: Document | undefined
  readonly upsertedId?: Value | undefined
}

/** The location of a stored document. */
export interface Place {
  readonly key: Bytes
  readonly document: Document
}

/** Changes a document that this program has just read. */
export type ChangeAt = (
  tx: Tx & Guarded,
  ns: Namespace,
  place: Place,
  staged: Staged,
) => Program<Changed>

// Made for each command: arrows, because a generator function that is made keeps what it refers to
// until the next major collection.
export function updateAt(spec: UpdateSpec): ChangeAt {
  return recording(spec, (tx, ns, place, staged) => updatePlace(spec, tx, ns, place, staged))
}

function* updatePlace(
  { filter, update }: UpdateSpec,
  tx: Tx & Guarded,
  ns: Namespace,
  { key, document }: Place,
  staged: Staged,
): Program<Changed> {
  const matchedIndex = filter.matchedIndex(document)
  const after = applied(tx, update, document, matchedIndex)
  if (after === document) return { before: document, after }
  if (after.length > documentBytesMax) {
    throw fail(
      'Location17419',
      `Resulting document after update is larger than ${documentBytesMax}`,
    )
  }
  yield* replaceDocument(tx, ns, key, document, after, staged, update.kind === 'replacement')
  return { before: document, after }
}

/** Applies a pure function to a stored document, whose errors may quote it. */
function applied(
  { isBlind }: Guarded,
  update: Update,
  document: Document,
  matchedIndex: number | undefined,
): Document {
  try {
    return update.apply(document, { matchedIndex, isInsert: false })
  } catch (error) {
    throw isBlind === true ? unquoted(error) : error
  }
}

/** The removal of a document that the selection finds. */
export function removalAt(selection: Selection): ChangeAt {
  return recording(selection, removeAt)
}

/** The same change, kept in the record of its statement. */
function recording({ record }: Selection, changeAt: ChangeAt): ChangeAt {
  if (record === undefined) return changeAt
  return (tx, ns, place, staged) => recorded(record, tx, changeAt(tx, ns, place, staged))
}

function* recorded(record: StatementRecord, tx: Tx, change: Program<Changed>): Program<Changed> {
  yield* requireNew(tx, record)
  const changed = yield* change
  record.keep(tx, changed)
  return changed
}

/** The same program, which writes at its end what it has kept in the record of its statement. */
export function flushed<T>(tx: Tx, { record }: Selection, program: Program<T>): Program<T> {
  return record === undefined ? program : flushing(tx, record, program)
}

function* flushing<T>(tx: Tx, record: StatementRecord, program: Program<T>): Program<T> {
  const result = yield* program
  yield* record.flush(tx)
  return result
}

export const removeAt: ChangeAt = function* (tx, ns, { key, document }) {
  yield* removeDocument(tx, ns, key, document)
  return { before: document, after: undefined }
}
