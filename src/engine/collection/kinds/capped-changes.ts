// collMod of a capped collection's limits. The next insert removes documents that exceed smaller
// limits, as on MongoDB.

import { fail } from '../../../base/errors.js'
import type { Program, Tx } from '../../../store/store.js'
import type { Guarded } from '../../types.js'
import { findNamespace, saveNamespace } from '../catalog/catalog.js'
import { cappedMaxOf, cappedSizeOf, withCapped } from './capped-options.js'

interface CappedChange {
  readonly cappedSize: number | bigint | undefined
  readonly cappedMax: number | undefined
}

/** Throws NamespaceNotFound, InvalidOptions if it is not capped, 51024, BadValue. */
export function* changeCapped(
  tx: Tx & Guarded,
  db: string,
  name: string,
  { cappedSize, cappedMax }: CappedChange,
): Program<void> {
  const bytesMax = cappedSize === undefined ? undefined : cappedSizeOf(cappedSize, 'cappedSize')
  const documentsMax = cappedMax === undefined ? undefined : cappedMaxOf(cappedMax)
  const ns = yield* findNamespace(tx, db, name)
  if (ns === undefined) throw fail('NamespaceNotFound', `ns does not exist: ${db}.${name}`)
  if (ns.capped === undefined) throw fail('InvalidOptions', 'Collection must be capped.')
  const options = withCapped(ns.options, {
    bytesMax: bytesMax ?? ns.capped.bytesMax,
    documentsMax: documentsMax ?? ns.capped.documentsMax,
  })
  saveNamespace(tx, { ...ns, options })
}
