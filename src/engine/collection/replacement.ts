// A collection that is written beside the one whose place it will take: it has the other's indexes
// from the start, and takes its name and its owner in one program. What a crash leaves of it is
// dropped at the next start; no listing shows it.

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
import { removeUnfinished, unfinishedNames } from './catalog/catalog-index.js'
import { replacementPrefix } from './catalog/holdings.js'
import { checkNamespaceName, requireWritableName } from './catalog/names.js'
import { moveSpace } from './counters.js'
import { isSameSeries, timeSeriesOf } from './kinds/time-series-options.js'

export interface Replaced {
  readonly db: string
  readonly name: string
  /** Of the collection beside it. */
  readonly temporary: string
  readonly creation: CreateOptions
  /** Its options are those of a time series, and the one that it replaces has to have the same. */
  readonly isSeries?: boolean
}

/** Name of a collection that is written beside another one; `uuid` makes it its own. */
export function temporaryName(uuid: Uint8Array): string {
  return replacementPrefix + Buffer.from(uuid).toString('hex')
}

/** Makes the empty collection, without indexes. */
export function* makeTemporary(
  tx: Tx & Guarded,
  { db, temporary, creation }: Replaced,
): Program<Namespace> {
  return yield* createAnyNamespace(tx, db, temporary, creation)
}

/**
 * Makes the empty collection; answers the indexes of the one it will replace. Throws
 * InvalidNamespace, and IllegalOperation for one that is there for ever.
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
  // Of a time series: its records lie under numbers from the beginning.
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
  // With the other's options: its validator looks at what will take its place.
  saveNamespace(tx, { ...made, indexes, options: target.options })
  return target.indexes
}

/** Throws 7268700 where there is no time series, 7406103 where there is another one. */
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

/** Puts it in the other's place. Throws 28769 where that one's indexes have changed meanwhile. */
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

/** Gives it up. */
export function* dropReplacement(tx: Tx & Guarded, { db, temporary }: Replaced): Program<void> {
  const made = yield* findNamespace(tx, db, temporary)
  if (made !== undefined) yield* dropNamespace(tx, made, true)
}

/** What a crash has left. */
export function* dropReplacements(tx: Tx & Guarded): Program<void> {
  for (const { db, name } of yield* unfinishedNames(tx)) {
    if (!name.startsWith(replacementPrefix)) continue
    const ns = yield* findNamespace(tx, db, name)
    if (ns === undefined) removeUnfinished(tx, { db, name })
    else yield* dropNamespace(tx, ns, true)
  }
}
