// Long operands of $in, $nin and $all, which are read before their command begins: a command
// compiles its filter without a pause. The filter then finds what was read by where the operand
// lies in memory. (docs/design/transactions.md, rule 1)

import type { KeyList } from '../../value/key-list.js'
import type { Value } from '../../value/value.js'

/** From this many bytes on, an operand is read ahead: 2,700 numbers. */
export const longListBytes = 32 * 1024

/** What is known of a list without regular expressions. */
export interface LongList {
  readonly operand: Value
  /** The keys of the values, without null. */
  readonly members: KeyList
  /** The keys under which an index has the documents with any of the values. */
  readonly bounds: KeyList
  readonly hasNull: boolean
  readonly hasArray: boolean
  readonly hasObject: boolean
  /** Whether a collation decides which values are equal to some of them. */
  readonly isCollatable: boolean
  /** Classes of the values' types: others cannot be equal to them. */
  readonly kinds: ReadonlySet<number>
  readonly last: Value
}

/** Why a list is refused: one of its values is an object with operators, or undefined. */
export type ListFault = 'operator' | 'undefined'

/** By the memory of the messages, then by the position of the operand in it. */
const lists = new WeakMap<ArrayBufferLike, Map<number, LongList | ListFault>>()

export function keepList({ bytes, start }: Value, list: LongList | ListFault): void {
  const known = lists.get(bytes.buffer)
  const at = bytes.byteOffset + start
  if (known === undefined) lists.set(bytes.buffer, new Map([[at, list]]))
  else known.set(at, list)
}

/** What was read of an operand; undefined if it is short, or was not read ahead. */
export function listAhead({ bytes, start, end }: Value): LongList | ListFault | undefined {
  if (end - start < longListBytes) return undefined
  return lists.get(bytes.buffer)?.get(bytes.byteOffset + start)
}
