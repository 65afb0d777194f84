// What pops read ahead at the ends of large sorted sets, kept for later programs. An entry belongs
// to one version of the set's record. Every change of the set puts that record, so an entry of
// another state is never used, whether its program was committed or not.

import { LRUCache } from 'lru-cache'
import type { Bytes } from '../../../base/bytes/bytes.js'
import { MiB } from '../../../base/units.js'
import type { MembersId } from '../../types.js'
import type { AheadRest } from './sorted-set-ahead.js'

/** Bytes of the kept members of all sets. */
const keptAheadsBytesMax = 4 * MiB
/** Overhead of a set, and of each of its members, bytes. */
const setBytes = 400
const memberBytes = 100

export interface KeptAhead {
  /** The store's key of the set's record: a renamed set has another one. */
  readonly record: Bytes
  readonly version: number
  readonly rest: AheadRest
}

export class KeptAheads {
  private readonly kept: LRUCache<MembersId, KeptAhead>

  constructor(bytesMax = keptAheadsBytesMax) {
    this.kept = new LRUCache({ maxSize: bytesMax, sizeCalculation: sizeOf })
  }

  find(id: MembersId): KeptAhead | undefined {
    return this.kept.get(id)
  }

  set(id: MembersId, ahead: KeptAhead): void {
    this.kept.set(id, ahead)
  }

  /** Size of all entries as counted, bytes. */
  get bytes(): number {
    return this.kept.calculatedSize
  }
}

/** The members that were already removed count too: later programs share one array. */
function sizeOf({ record, rest }: KeptAhead): number {
  return setBytes + record.length + rest.bytes + memberBytes * rest.members.length
}
