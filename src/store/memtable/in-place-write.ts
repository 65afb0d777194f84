// In-place writes: a put that is built behind the last change of a memtable. Its key is looked up
// and its value made there, so neither is an array of its own that would be copied. Until it is
// kept, the next change overwrites it.

import type { Bytes } from '../../base/bytes/bytes.js'
import { changeHeaderBytes } from '../log/change.js'
import type { InPlaceWrite } from '../store.js'
import { hashBytes } from './memtable-hash.js'

export class MemtableWrite implements InPlaceWrite {
  bytes: Bytes = new Uint8Array()
  /** Where the change begins, in `bytes`, and what it is called in the memtable. */
  at = 0
  address = 0
  keyLength = 0
  valueLength = 0
  /** Once the key is written and looked up: its hash, and its slot or -1. */
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

  /** In memory of its own. */
  key(): Bytes {
    return this.bytes.slice(this.keyAt, this.valueAt)
  }
}
