// Positions of iterations: a cursor is a number that stands for a key name. The table is bounded
// and drops the oldest cursor. A dropped cursor, or another identity's, restarts the iteration, so
// a full iteration still returns every element that existed throughout.

import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type Bytes, utf8 } from '../../../base/bytes/bytes.js'
import { scanCursorBytesMax, scanCursorsMax } from '../../../base/limits/key-value.js'
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
   * The cursor of a position, 1 to 2^53 - 1. Equal positions of one iteration get the same cursor,
   * so a program may run again. A cursor can be used many times. `scope` names the iteration.
   */
  keep(identity: Identity, scope: string, place: Bytes): number {
    const owner = ownerOf(identity, scope)
    const cursor = numberOf(owner, place)
    this.places.set(cursor, { owner, place: place.slice() })
    return cursor
  }

  /** The position of a cursor; undefined restarts the iteration. */
  find(identity: Identity, scope: string, cursor: number): Bytes | undefined {
    const found = this.places.get(cursor)
    return found?.owner === ownerOf(identity, scope) ? found.place : undefined
  }
}

function ownerOf(identity: Identity, scope: string): string {
  return `${identityKey(identity)}/${scope}`
}

/**
 * Clients keep cursors as doubles, so a cursor has 53 bits. If two positions collide, `owner` tells
 * them apart.
 */
function numberOf(owner: string, place: Bytes): number {
  const hash = createHash('sha256').update(utf8(owner)).update(place).digest()
  return hash.readUIntBE(0, 6) * 32 + ((hash[6] as number) >>> 3) || 1
}
