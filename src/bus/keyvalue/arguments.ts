// The words of one key-value command, wherever they came from: a socket's chunk or a JSON body.
// They are offsets until a handler reads them, because most commands need few of their words as
// anything else.

import type { Bytes } from '../../base/bytes/bytes.js'

export interface Arguments {
  /** Words of the command; word 0 is its name. */
  readonly count: number
  size(index: number): number
  /** Without a copy: valid for as long as it is kept, but keeps the whole chunk alive. */
  view(index: number): Bytes
  /** In memory of its own. */
  copy(index: number): Bytes
  /** Malformed UTF-8 replaced. */
  text(index: number): string
  /** Whether it is this word, in any case; `word` is lower-case ASCII. */
  is(index: number, word: string): boolean
  read<T>(index: number, read: (bytes: Bytes, start: number, end: number) => T): T
  readonly argumentBytes: number
  /** It had more bytes than are taken: its name alone is here, and it is refused. */
  readonly isCut?: boolean
  /** The same words in memory of their own: for what waits past the tick. */
  detach(): Arguments
}
