// Creates the graph on a call's first write to it. Its ids are frozen with the call, so that a
// program that runs again makes the same graph.

import { fail } from '../../base/errors.js'
import type { CreateOptions } from '../../engine/collection/catalog/catalog.js'
import { homeOf } from '../../engine/collection/catalog/homes.js'
import type { GraphCreation } from './graph.js'
import { graphParts } from './graph.js'

/** Values that a call freezes for its programs. */
interface Frozen {
  creation(): CreateOptions
  /** The i-th random 16 bytes, the same at every run. */
  uuid(i: number): Uint8Array
  /** The rule about spaces; without it graphs may be made anywhere. */
  readonly services: { readonly spaces?: { readonly rule: string } }
}

export function graphCreation(call: Frozen): GraphCreation {
  const { owner, mode, now } = call.creation()
  const uuid = (i: number): Uint8Array => call.uuid(i)
  const isOwn = call.services.spaces?.rule === 'own'
  const requirePlace = (db: string): void => {
    if (owner === null || !isOwn || db === homeOf(owner)) return
    const text = `a wallet's graphs lie in its home: use database ${homeOf(owner)}`
    throw fail('Unauthorized', text, { reason: 'HOME' })
  }
  return { owner, mode, now, uuid, key: call.uuid(graphParts.length), requirePlace }
}
