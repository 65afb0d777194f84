// collMod of an index: the expiry of its documents, and whether plans may use it. Entries stay
// unchanged, so one commit suffices. Source: MongoDB manual, collMod and TTL Indexes.

import { fail } from '../../base/errors.js'
import type { Program, Tx } from '../../store/store.js'
import { equalValues } from '../../value/compare.js'
import { field, fieldsOf } from '../../value/elements.js'
import { shellText } from '../../value/shell.js'
import { type Document, documentValue, type Value } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { findNamespace, saveNamespace } from '../collection/catalog/catalog.js'
import { secondaryIndexes } from '../collection/kinds/capped-order.js'
import type { Guarded, IndexDescriptor, Namespace } from '../types.js'
import { expirySeconds, optionsOf } from './index-options.js'
import { idIndexName, idIndexSpec } from './index-spec.js'

/** Selects an index by `name` or `keyPattern`, with its changes. */
export interface IndexChange {
  readonly name?: string | undefined
  readonly keyPattern?: Document | undefined
  readonly expireAfterSeconds?: Value | undefined
  readonly hidden?: boolean | undefined
  readonly unique?: boolean | undefined
  readonly prepareUnique?: boolean | undefined
}

interface Changed<T> {
  readonly before: T
  readonly after: T
}

export interface IndexChanges {
  /** The previous value is undefined if it was not a TTL index. */
  readonly seconds?: Changed<number | undefined>
  /** Absent if unchanged. */
  readonly hidden?: Changed<boolean>
  readonly prepareUnique?: Changed<boolean>
  /** The index has become unique. */
  readonly unique?: true
}

/**
 * Changes an index and returns its previous settings. Throws NamespaceNotFound, IndexNotFound,
 * AmbiguousIndexKeyPattern, InvalidOptions, BadValue (hiding `_id_`).
 */
export function* modifyIndex(
  tx: Tx & Guarded,
  db: string,
  name: string,
  change: IndexChange,
): Program<IndexChanges> {
  const ns = yield* findNamespace(tx, db, name)
  if (ns === undefined) throw fail('NamespaceNotFound', `ns does not exist: ${db}.${name}`)
  requireChange(change)
  const index = meantIndex(ns, change)
  const { expireAfterSeconds, hidden } = change
  const seconds =
    expireAfterSeconds === undefined ? undefined : newSeconds(index, expireAfterSeconds)
  if (index === undefined) throw fail('BadValue', "can't hide _id index")
  if (ns.capped !== undefined && seconds !== undefined) {
    throw fail('InvalidOptions', 'TTL indexes are not supported for capped collections')
  }
  if (ns.timeSeries !== undefined) requireOfSeries(change)
  const kind = kindWithoutOrder(index)
  if (kind !== undefined && (change.unique ?? change.prepareUnique) === true) {
    throw fail('InvalidOptions', `Index type '${kind}' does not support the unique option`)
  }
  const becomesUnique = change.unique === true && !index.unique
  const prepareUnique = becomesUnique ? false : change.prepareUnique
  if (change.prepareUnique === true) requireBuilt(ns, index)
  if (change.unique !== undefined) requirePrepared(ns, change)
  const spec = respecified(index.spec, { seconds, hidden, prepareUnique, becomesUnique })
  const changed = { ...keptOf(index), ...optionsOf(spec), spec }
  const isConverted = becomesUnique ? { unique: true, suffixed: true as const } : {}
  const indexes = ns.indexes.map((one) => (one === index ? { ...changed, ...isConverted } : one))
  saveNamespace(tx, { ...ns, indexes })
  return { ...changesOf(index, { ...change, prepareUnique }, seconds), ...uniqueIf(becomesUnique) }
}

/** Throws InvalidOptions for changes that indexes of time series do not support. */
function requireOfSeries({ unique, prepareUnique, expireAfterSeconds }: IndexChange): void {
  if ((unique ?? prepareUnique) !== undefined) {
    throw fail('InvalidOptions', 'Unique indexes are not supported on time-series collections')
  }
  if (expireAfterSeconds === undefined) return
  throw fail('InvalidOptions', 'TTL indexes are not supported on time-series collections')
}

function uniqueIf(isSo: boolean): Pick<IndexChanges, 'unique'> {
  return isSo ? { unique: true } : {}
}

/** The parts of a descriptor that do not depend on options. */
function keptOf(index: IndexDescriptor) {
  const { id, name, fields, unique, state, multikey, inexact, arrayPaths, suffixed } = index
  return {
    id,
    name,
    fields,
    unique,
    state,
    multikey,
    inexact,
    ...(arrayPaths === undefined ? {} : { arrayPaths }),
    ...(suffixed === undefined ? {} : { suffixed }),
  }
}

function changesOf(
  index: IndexDescriptor,
  { hidden, unique, prepareUnique }: IndexChange,
  seconds: number | undefined,
): IndexChanges {
  const wasHidden = index.hidden === true
  const wasPrepared = index.prepared === true
  return {
    ...(seconds === undefined
      ? {}
      : { seconds: { before: index.expireAfterSeconds, after: seconds } }),
    ...(hidden === undefined || hidden === wasHidden
      ? {}
      : { hidden: { before: wasHidden, after: hidden } }),
    ...(prepareUnique === undefined || prepareUnique === wasPrepared || unique === true
      ? {}
      : { prepareUnique: { before: wasPrepared, after: prepareUnique } }),
  }
}

/**
 * The index to make unique. Throws InvalidOptions unless it is prepared, and BadValue for `unique:
 * false`.
 */
export function requirePrepared(ns: Namespace, change: IndexChange): IndexDescriptor | undefined {
  const index = meantIndex(ns, change)
  if (change.unique === false) {
    throw fail('BadValue', 'collMod does not support converting an index to non-unique')
  }
  if (index !== undefined && !index.unique) requireBuilt(ns, index)
  if (index === undefined || index.unique || index.prepared === true) return index
  throw fail(
    'InvalidOptions',
    "Cannot make index unique with 'prepareUnique=false'. Run collMod to set it first.",
  )
}

/** Entries still missing may be duplicates. */
function requireBuilt({ db, name }: Namespace, index: IndexDescriptor): void {
  if (index.state === 'ready') return
  throw fail('IndexNotFound', `cannot find index ${index.name} for ns ${db}.${name}`)
}

function requireChange(change: IndexChange): void {
  const { name, keyPattern, expireAfterSeconds, hidden, unique, prepareUnique } = change
  if (name !== undefined && keyPattern !== undefined) {
    throw fail('InvalidOptions', 'Cannot specify both key pattern and name.')
  }
  if (name === undefined && keyPattern === undefined) {
    throw fail('InvalidOptions', 'Must specify either index name or key pattern.')
  }
  const asked = [expireAfterSeconds, hidden, unique, prepareUnique]
  if (asked.some((value) => value !== undefined)) return
  throw fail('InvalidOptions', 'no expireAfterSeconds, hidden, unique, or prepareUnique field')
}

/** Undefined means the index on `_id`. */
function meantIndex(ns: Namespace, { name, keyPattern }: IndexChange): IndexDescriptor | undefined {
  if (keyPattern === undefined) {
    if (name === idIndexName && ns.timeSeries === undefined) return undefined
    const index = secondaryIndexes(ns).find((candidate) => candidate.name === name)
    if (index !== undefined) return index
    throw fail('IndexNotFound', `cannot find index ${name} for ns ${ns.db}.${ns.name}`)
  }
  const wanted = documentValue(keyPattern)
  if (hasKey(idIndexSpec, wanted) && ns.timeSeries === undefined) return undefined
  const [index, ...others] = secondaryIndexes(ns).filter(({ spec }) => hasKey(spec, wanted))
  const shown = shellText(wanted)
  if (index === undefined) {
    throw fail('IndexNotFound', `cannot find index ${shown} for ns ${ns.db}.${ns.name}`)
  }
  if (others.length === 0) return index
  throw fail(
    'AmbiguousIndexKeyPattern',
    `index keyPattern ${shown} matches ${others.length + 1} indexes, must use index name. ` +
      `Conflicting indexes: ${[index, ...others].map((one) => one.name).join(', ')}`,
  )
}

function hasKey(spec: Document, key: Value): boolean {
  const own = field(spec, 'key')
  return own !== undefined && equalValues(own, key)
}

function kindWithoutOrder({ fields, wildcard }: IndexDescriptor): string | undefined {
  if (wildcard !== undefined) return 'wildcard'
  return fields.some(({ hashed }) => hashed === true) ? 'hashed' : undefined
}

function newSeconds(index: IndexDescriptor | undefined, value: Value): number {
  if (index === undefined) {
    throw fail('InvalidOptions', 'the _id field does not support TTL indexes')
  }
  const kind = kindWithoutOrder(index)
  if (kind !== undefined) {
    throw fail('InvalidOptions', `Index type '${kind}' cannot be a TTL index`)
  }
  if (index.fields.length > 1) {
    throw fail(
      'InvalidOptions',
      'TTL indexes are single-field indexes, compound indexes do not support TTL',
    )
  }
  return expirySeconds(value, 'InvalidOptions')
}

interface Respecified {
  readonly seconds: number | undefined
  readonly hidden: boolean | undefined
  readonly prepareUnique: boolean | undefined
  readonly becomesUnique: boolean
}

/** The specification with other options. */
function respecified(spec: Document, options: Respecified): Document {
  const { seconds, hidden, prepareUnique, becomesUnique } = options
  const replaced = new Set<string>()
  if (seconds !== undefined) replaced.add('expireAfterSeconds')
  if (hidden !== undefined) replaced.add('hidden')
  if (prepareUnique !== undefined) replaced.add('prepareUnique')
  if (becomesUnique) replaced.add('unique')
  return writeDocument((out) => {
    for (const [name, value] of fieldsOf(documentValue(spec))) {
      if (!replaced.has(name)) out.value(name, value)
    }
    if (becomesUnique) out.bool('unique', true)
    if (prepareUnique === true) out.bool('prepareUnique', true)
    if (hidden === true) out.bool('hidden', true)
    if (seconds !== undefined) out.int32('expireAfterSeconds', seconds)
  })
}
