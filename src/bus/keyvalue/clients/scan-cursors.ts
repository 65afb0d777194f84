// Positions of iterations: a cursor is a number, and its position a name. The table is bounded and
// drops the oldest. A client with a dropped cursor, or with another identity's, starts again, so a
// full iteration still returns every element that existed throughout.

import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type Bytes, utf8 } from '../../../base/bytes/bytes.js'
import { scanCursorBytesMax, scanCursorsMax } from '../../../base/limits.js'
import { type Identity, identityKey } from '../../../identity/identity.js'

interface Place {
  readonly owner: string
  readonly place: Bytes
}

export class ScanCursors {
  private readonly places = new LRUCache<number, Place>({
    max: scanCursorsMax,
    maxSize: scanCursorBytesMax,
    sizeCalculation: ({ owner, place }) => owner.length + place.length + 1,
  })

  /**
   * The cursor of a place, 1 to 2^53 - 1. The same place of the same iteration is the same cursor,
   * so that a program may ask again; it can be used as often as one likes. `scope` says what is
   * iterated over.
   */
  keep(identity: Identity, scope: string, place: Bytes): number {
    const owner = ownerOf(identity, scope)
    const cursor = numberOf(owner, place)
    this.places.set(cursor, { owner, place: place.slice() })
    return cursor
  }

  /** Undefined: begin at the start. */
  find(identity: Identity, scope: string, cursor: number): Bytes | undefined {
    const found = this.places.get(cursor)
    return found?.owner === ownerOf(identity, scope) ? found.place : undefined
  }
}

function ownerOf(identity: Identity, scope: string): string {
  return `${identityKey(identity)}/${scope}`
}

/**
 * Clients keep cursors as doubles: 53 bits. Two places that share one are told apart by `owner`.
 */
function numberOf(owner: string, place: Bytes): number {
  const hash = createHash('sha256').update(utf8(owner)).update(place).digest()
  return hash.readUIntBE(0, 6) * 32 + ((hash[6] as number) >>> 3) || 1
}
