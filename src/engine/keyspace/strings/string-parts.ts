// Parts of strings. Of a large one, a reader gets only the chunks that hold the part: a part costs
// the same in a string of any length.

import { emptySlice, Slice } from '../../../base/bytes/slice.js'
import type { Program } from '../../../store/store.js'
import { partOfDocument } from '../../collection/records.js'
import type { Key } from '../keys/key.js'
import type { Keyspace } from '../keyspace.js'

/** A string that was looked up by `keyInParts`. */
export class StringParts {
  readonly length: number
  private readonly text: Slice

  constructor(
    private readonly ks: Keyspace,
    private readonly key: Key,
  ) {
    this.text = key.text()
    this.length = this.text.length
  }

  /** The bytes from one position to another (exclusive), both within the string. */
  *read(from: number, to: number): Program<Slice> {
    const { ks, key, text } = this
    if (from >= to) return emptySlice
    const [start, end] = [text.start + from, text.start + to]
    const { chunks } = key
    if (chunks === undefined) return new Slice(text.bytes, start, end)
    ks.work.expectPart(to - from)
    return yield* partOfDocument(ks.tx, chunks, start, end)
  }
}

/** The string of a key, for a reader of parts; undefined if there is no key. Throws WRONGTYPE. */
export function* openParts(ks: Keyspace, name: Slice): Program<StringParts | undefined> {
  const key = yield* ks.keyInParts(name)
  return key.requireType('string') ? new StringParts(ks, key) : undefined
}
