// Programs of createIndexes and dropIndexes: they add and remove descriptors. The build job adds
// the entries of existing documents. (docs/design/transactions.md, rule 12)

import { fail } from '../../base/errors.js'
import { indexesMax } from '../../base/limits/documents.js'
import { keyClass } from '../../store/layout.js'
import type { Program, Tx } from '../../store/store.js'
import { equalValues } from '../../value/compare.js'
import { elementsOf, field } from '../../value/elements.js'
import { shellText } from '../../value/shell.js'
import { bsonType, type Document, stringOf, type Value } from '../../value/value.js'
import { idRange } from '../background/garbage.js'
import { beginLeased } from '../background/lease-job.js'
import { recordIndexes } from '../changes/record-changes.js'
import {
  type CreateOptions,
  createNamespace,
  findNamespace,
  saveNamespace,
} from '../collection/catalog/catalog.js'
import { allocateId } from '../collection/catalog/catalog-ids.js'
import { giveBackIndexes } from '../collection/counters.js'
import { giveUpIndex } from '../collection/given-up.js'
import { indexCountOf, isSequenced, secondaryIndexes } from '../collection/kinds/capped-order.js'
import { listedIdIndex } from '../collection/kinds/clustered.js'
import { requireSeriesIndex } from '../collection/kinds/time-series.js'
import type { Guarded, IndexDescriptor, IndexId, Namespace } from '../types.js'
import { optionsOf } from './index-options.js'
import {
  existingIndex,
  type IndexSpec,
  idIndexName,
  idIndexSpec,
  inheriting,
} from './index-spec.js'

export interface Declared {
  readonly ns: Namespace
  /** Indexes before and after, `_id_` included. */
  readonly before: number
  readonly after: number
  /** Whether the collection was missing and has been created. */
  readonly created: boolean
  /** All requested indexes that are not ready yet, including those of earlier requests. */
  readonly building: readonly IndexId[]
  /** Those declared by this request; no build has started on them. */
  readonly declared: ReadonlySet<IndexId>
}

/**
 * Puts descriptors for new specifications: `building`, or `ready` at once if the collection is
 * empty. Throws IndexOptionsConflict, IndexKeySpecsConflict, CannotCreateIndex.
 */
export function* declareIndexes(
  tx: Tx & Guarded,
  db: string,
  name: string,
  specs: readonly IndexSpec[],
  create: CreateOptions,
): Program<Declared> {
  const found = yield* findNamespace(tx, db, name)
  const ns = found ?? (yield* createNamespace(tx, db, name, create))
  const isEmpty = (yield* tx.scanOwn(idRange(keyClass.record, ns.id), 1)).length === 0
  const indexes = [...ns.indexes]
  const building: IndexId[] = []
  const declared = new Set<IndexId>()
  for (const given of specs) {
    const spec = inheriting(given, ns.collation)
    if (ns.timeSeries !== undefined) requireSeriesIndex(ns.timeSeries, spec)
    if (spec.isId) continue
    const existing = existingIndex(listedOf(ns, indexes), spec)
    const index = existing ?? newIndex((yield* allocateId(tx)) as IndexId, spec, isEmpty)
    if (existing === undefined) {
      indexes.push(index)
      declared.add(index.id)
    } else if (!ns.indexes.includes(existing)) {
      const text = `Identical index already exists: ${existing.name}`
      throw fail('IndexAlreadyExists', text)
    }
    if (ns.capped !== undefined && index.expireAfterSeconds !== undefined) {
      throw fail('CannotCreateIndex', 'Cannot create TTL index on a capped collection')
    }
    if (index.state === 'building') building.push(index.id)
    if (indexes.length + (isSequenced(ns) ? 0 : 1) <= indexesMax) continue
    const key = shellText(field(spec.document, 'key') as Value)
    throw fail(
      'CannotCreateIndex',
      `add index fails, too many indexes for ${db}.${name} key:${key}`,
    )
  }
  const before = indexCountOf(ns)
  const after = before + indexes.length - ns.indexes.length
  for (const id of building) if (declared.has(id)) beginLeased(tx, buildLease(id))
  const saved = after > before ? saveNamespace(tx, { ...ns, indexes }) : ns
  const ready = indexes.filter(({ id, state }) => declared.has(id) && state === 'ready')
  recordIndexes(tx, 'createIndexes', saved, ready.map(specOf))
  return { ns: saved, before, after, created: found === undefined, building, declared }
}

/** The name of the lease on the build of an index. */
export function buildLease(id: IndexId): string {
  return `build ${id}`
}

/** Without the unlisted index of a time series. */
function listedOf(ns: Namespace, indexes: readonly IndexDescriptor[]): readonly IndexDescriptor[] {
  return ns.timeSeries === undefined ? indexes : secondaryIndexes({ ...ns, indexes })
}

function newIndex(id: IndexId, spec: IndexSpec, isEmpty: boolean): IndexDescriptor {
  return {
    id,
    name: spec.name,
    fields: spec.fields,
    unique: spec.unique,
    state: isEmpty ? 'ready' : 'building',
    multikey: spec.fields.map(() => false),
    inexact: false,
    spec: spec.document,
    ...optionsOf(spec.document),
  }
}

/**
 * Drops the indexes in `which`: a name, a key pattern, an array of names, or `*` for all except
 * `_id_`. Returns the previous number of indexes. Throws NamespaceNotFound, IndexNotFound,
 * InvalidOptions.
 */
export function* dropIndexes(
  tx: Tx & Guarded,
  db: string,
  name: string,
  which: Value,
): Program<number> {
  const ns = yield* findNamespace(tx, db, name)
  if (ns === undefined) throw fail('NamespaceNotFound', `ns not found ${db}.${name}`)
  const chosen = chooseIndexes(ns, which)
  const ready = ns.indexes.filter(({ id, state }) => chosen.has(id) && state === 'ready')
  recordIndexes(tx, 'dropIndexes', ns, ready.map(specOf))
  yield* removeIndexes(tx, ns, chosen)
  return indexCountOf(ns)
}

function specOf({ spec }: IndexDescriptor): Document {
  return spec
}

/** The indexes that dropIndexes would drop; throws the same errors. */
export function meantIndexes(ns: Namespace, which: Value): IndexDescriptor[] {
  const chosen = chooseIndexes(ns, which)
  return ns.indexes.filter(({ id }) => chosen.has(id))
}

/** Removes indexes from the descriptor; their entries become garbage. */
export function* removeIndexes(tx: Tx, ns: Namespace, chosen: ReadonlySet<IndexId>): Program<void> {
  if (chosen.size === 0) return
  const gone = ns.indexes.filter(({ id }) => chosen.has(id))
  yield* giveBackIndexes(tx, ns.access, gone)
  for (const id of chosen) yield* giveUpIndex(tx, ns.access, id)
  saveNamespace(tx, { ...ns, indexes: ns.indexes.filter((index) => !chosen.has(index.id)) })
}

/**
 * The indexes as listIndexes returns them, `_id_` first if there is one, including those being
 * built.
 */
export function listedIndexes(ns: Namespace): Uint8Array[] {
  const others = secondaryIndexes(ns).map((index) => index.spec)
  return ns.timeSeries === undefined ? [listedIdIndex(ns), ...others] : others
}

function chooseIndexes(ns: Namespace, which: Value): Set<IndexId> {
  switch (which.type) {
    case bsonType.string: {
      const name = stringOf(which)
      if (name === '*') return new Set(secondaryIndexes(ns).map((index) => index.id))
      return new Set([indexNamed(ns, name)])
    }
    case bsonType.array:
      return new Set(elementsOf(which).map((name) => indexNamed(ns, nameOf(name))))
    case bsonType.object:
      return new Set([indexWithKey(ns, which)])
    default:
      throw fail(
        'TypeMismatch',
        "BSON field 'dropIndexes.index' is the wrong type, expected '[string, object, array]'",
      )
  }
}

function nameOf(name: Value): string {
  if (name.type === bsonType.string) return stringOf(name)
  throw fail('TypeMismatch', "BSON field 'dropIndexes.index' must be an array of strings")
}

function indexNamed(ns: Namespace, name: string): IndexId {
  if (name === idIndexName && ns.timeSeries === undefined) {
    throw fail('InvalidOptions', 'cannot drop _id index')
  }
  const index = secondaryIndexes(ns).find((candidate) => candidate.name === name)
  if (index !== undefined) return index.id
  throw fail('IndexNotFound', `index not found with name [${name}]`)
}

function indexWithKey(ns: Namespace, key: Value): IndexId {
  if (ns.timeSeries === undefined && equalValues(key, field(idIndexSpec, 'key') as Value)) {
    throw fail('InvalidOptions', 'cannot drop _id index')
  }
  const [index, other] = secondaryIndexes(ns).filter((candidate) =>
    equalValues(field(candidate.spec, 'key') as Value, key),
  )
  if (index !== undefined && other !== undefined) throw ambiguousKey(key, [index, other])
  if (index !== undefined) return index.id
  throw fail('IndexNotFound', `can't find index with key: ${shellText(key)}`)
}

function ambiguousKey(key: Value, indexes: readonly IndexDescriptor[]): Error {
  const names = indexes.map(({ name }) => name).join(', ')
  return fail(
    'AmbiguousIndexKeyPattern',
    `indexes found for key: ${shellText(key)}, identify by name instead. ` +
      `Conflicting indexes: ${names}`,
  )
}
