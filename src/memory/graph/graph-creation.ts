// How a call makes the graph that it is the first to write to. Its ids are frozen with the call, so
// that a program that is run again makes the same one.

import type { CreateOptions } from '../../engine/collection/catalog.js'
import type { GraphCreation } from './graph.js'
import { graphParts } from './graph.js'

/** What a call freezes for its programs. */
export interface Frozen {
  creation(): CreateOptions
  /** The i-th random 16 bytes, the same at every run. */
  uuid(i: number): Uint8Array
}

export function graphCreation(call: Frozen): GraphCreation {
  const { owner, mode, now } = call.creation()
  const uuid = (i: number): Uint8Array => call.uuid(i)
  return { owner, mode, now, uuid, key: call.uuid(graphParts.length) }
}
