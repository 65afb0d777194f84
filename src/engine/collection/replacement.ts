// A collection that is built to replace another one. It has the other's indexes from the start, and
// takes over name and owner in one program. The next start drops what a crash leaves of it; no
// listing shows it.

import { compareBytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import type { Program, Tx } from '../../store/store.js'
import { field } from '../../value/elements.js'
import { shellText } from '../../value/shell.js'
import { type Document, nullValue } from '../../value/value.js'
import type { Guarded, IndexDescriptor, Namespace } from '../types.js'
import {
  type CreateOptions,
  createAnyNamespace,
  dropNamespace,
  findNamespace,
  renameNamespace,
  requireMovable,
  saveNamespace,
} from './catalog/catalog.js'
import { allocateId } from './catalog/catalog-ids.js'
import {
  type CatalogName,
  putMaker,
  removeUnfinished,
  unfinishedNames,
} from './catalog/catalog-index.js'
import { replacementPrefix } from './catalog/holdings.js'
import { checkNamespaceName, requireWritableName } from './catalog/names.js'
import { moveSpace } from './counters.js'
import { isSameSeries, timeSeriesOf } from './kinds/time-series-options.js'

export interface Replaced {
  readonly db: string
  readonly name: string
  /** Name of the temporary collection. */
  readonly temporary: string
  readonly creation: CreateOptions
  /** The new collection is a time series; the replaced one must have the same options. */
  readonly isSeries?: boolean
}

/** Name of a temporary collection; `uuid` makes it unique. */
export function temporaryName(uuid: Uint8Array): string {
  return replacementPrefix + Buffer.from(uuid).toString('hex')
}

/** Creates the empty collection, without indexes. */
export function* makeTemporary(
  tx: Tx & Guarded,
  { db, temporary, creation }: Replaced,
): Program<Namespace> {
  putMaker(tx, { db, name: temporary })
  return yield* createAnyNamespace(tx, db, temporary, creation)
}

/**
 * Creates the empty collection; returns the indexes of the one to replace. Throws InvalidNamespace,
 * and IllegalOperation for a permanent one.
 */
export function* beginReplacement(
  tx: Tx & Guarded,
  replaced: Replaced,
): Program<readonly IndexDescriptor[]> {
  const { db, name } = replaced
  checkNamespaceName(db, name)
  requireWritableName(db, name)
  const target = yield* findNamespace(tx, db, name)
  if (target !== undefined) requireMovable(target)
  if (target?.capped !== undefined) {
    throw fail('Location17152', `namespace '${db}.${name}' is capped so it can't be used for $out`)
  }
  // A time series stores its records under numbers from the beginning.
  const { creation } = replaced
  if (replaced.isSeries === true && target !== undefined) requireSameSeries(target, creation)
  const isSeries = target?.timeSeries !== undefined
  const like = isSeries ? { ...creation, options: target.options } : creation
  const made = yield* makeTemporary(tx, { ...replaced, creation: like })
  if (target === undefined) return []
  const indexes: IndexDescriptor[] = []
  for (const index of target.indexes) {
    const id = (yield* allocateId(tx)) as IndexDescriptor['id']
    const multikey = index.multikey.map(() => false)
    indexes.push({ ...index, id, multikey, inexact: false })
  }
  // It gets the other's options, so that its validator checks the new documents.
  saveNamespace(tx, { ...made, indexes, options: target.options })
  return target.indexes
}

/** Throws 7268700 if the target is not a time series, and 7406103 if its options differ. */
function requireSameSeries({ options, timeSeries }: Namespace, { options: asked }: CreateOptions) {
  if (timeSeries === undefined) {
    const text = 'Cannot create a time-series collection from a non time-series collection.'
    throw fail('Location7268700', text)
  }
  const wanted = timeSeriesOf(asked)
  if (wanted !== undefined && isSameSeries(wanted, timeSeries)) return
  const shown = (given: Document) => shellText(field(given, 'timeseries') ?? nullValue)
  throw fail(
    'Location7406103',
    'Time-series options inputted must match the existing time-series collection. Received: ' +
      `${shown(asked)}Found: ${shown(options)}`,
  )
}

/** Replaces the other collection. Throws 28769 if its indexes have changed meanwhile. */
export function* finishReplacement(
  tx: Tx & Guarded,
  { db, name, temporary }: Replaced,
  before: readonly IndexDescriptor[],
): Program<void> {
  const made = yield* findNamespace(tx, db, temporary)
  if (made === undefined) throw fail('OperationFailed', `the results for ${db}.${name} are gone`)
  const target = yield* findNamespace(tx, db, name)
  if (!sameIndexes(before, target)) {
    throw fail(
      'Location28769',
      `indexes of target collection ${db}.${name} changed while processing $out`,
    )
  }
  const access = target?.access ?? made.access
  yield* moveSpace(tx, made, access)
  yield* renameNamespace(tx, saveNamespace(tx, { ...made, access }), db, name, true)
}

function sameIndexes(before: readonly IndexDescriptor[], target: Namespace | undefined): boolean {
  const now = target?.indexes ?? []
  return (
    now.length === before.length &&
    now.every(({ id, spec }, i) => {
      const other = before[i]
      return other?.id === id && compareBytes(other.spec, spec) === 0
    })
  )
}

/** Drops the temporary collection. */
export function* dropReplacement(tx: Tx & Guarded, { db, temporary }: Replaced): Program<void> {
  const made = yield* findNamespace(tx, db, temporary)
  if (made !== undefined) yield* dropNamespace(tx, made, true)
}

/** Drops what a crash has left of a gateway that was alone. */
export function* dropReplacements(tx: Tx & Guarded): Program<void> {
  for (const named of yield* unfinishedNames(tx)) {
    if (named.name.startsWith(replacementPrefix)) yield* dropUnfinished(tx, named)
  }
}

/** Drops a collection that its gateway will not finish. */
export function* dropUnfinished(tx: Tx & Guarded, { db, name }: CatalogName): Program<void> {
  const ns = yield* findNamespace(tx, db, name)
  if (ns === undefined) removeUnfinished(tx, { db, name })
  else yield* dropNamespace(tx, ns, true)
}
