// In-place writes: a put built directly after the last change of a memtable. Its key is looked up
// and its value written there, which avoids separate arrays and copies. Until it is kept, the next
// change overwrites it.

import type { Bytes } from '../../base/bytes/bytes.js'
import { changeHeaderBytes } from '../log/change.js'
import type { InPlaceWrite } from '../store.js'
import { hashBytes } from './memtable-hash.js'

export class MemtableWrite implements InPlaceWrite {
  bytes: Bytes = new Uint8Array()
  /** Where the change begins in `bytes`, and its address in the memtable. */
  at = 0
  address = 0
  keyLength = 0
  valueLength = 0
  /** Valid after the key was looked up: its hash, and its slot or -1. */
  hash = 0
  slot = -1

  get keyAt(): number {
    return this.at + changeHeaderBytes
  }

  get valueAt(): number {
    return this.at + changeHeaderBytes + this.keyLength
  }

  hashKey(): number {
    this.hash = hashBytes(this.bytes, this.keyAt, this.keyLength)
    return this.hash
  }

  /** A copy of the key. */
  key(): Bytes {
    return this.bytes.slice(this.keyAt, this.valueAt)
  }
}
