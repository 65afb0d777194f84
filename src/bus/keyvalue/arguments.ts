// The words of one key-value command, from a socket's chunk or a JSON body. They are offsets until
// a handler reads them, because most commands decode only a few words.

import type { Bytes } from '../../base/bytes/bytes.js'

export interface Arguments {
  /** Words of the command; word 0 is its name. */
  readonly count: number
  size(index: number): number
  /** A view without a copy: it stays valid, but it keeps the whole chunk in memory. */
  view(index: number): Bytes
  /** A copy in its own memory. */
  copy(index: number): Bytes
  /** The word as text; malformed UTF-8 is replaced. */
  text(index: number): string
  /** Whether the word equals `word`, which is lower-case ASCII; case is ignored. */
  is(index: number, word: string): boolean
  read<T>(index: number, read: (bytes: Bytes, start: number, end: number) => T): T
  readonly argumentBytes: number
  /** The command exceeded the size limit: only its name is here, and it is refused. */
  readonly isCut?: boolean
  /** A copy of the words in their own memory, for a call that outlives the tick. */
  detach(): Arguments
}
