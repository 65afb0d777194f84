// Computes the store key of a key's record from its name: the same bytes that `recordKey` computes
// from the document's `_id`.

import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Slice } from '../../../base/bytes/slice.js'
import { keyNameBytesMax } from '../../../base/limits/key-value.js'
import { recordKeyBytesMax } from '../../../base/limits/store.js'
import { refuse } from '../../../base/reply-error.js'
import { keyClass } from '../../../store/layout.js'
import { recordKey } from '../../collection/collections.js'
import type { Namespace } from '../../types.js'
import { scalarValue } from '../strings/scalar.js'

/** Type bytes of a string and of binary in a record key (value/key.ts). */
export const textType = 0x30
export const binaryType = 0x58
/** class u8, namespace u32, type u8, and the zero after a text. */
const frameBytes = 7
const headBytes = 5

/**
 * The record key of the document with `_id` `name`: a string if the name is UTF-8, otherwise
 * binary. Throws ReplyError above keyNameBytesMax.
 */
export function recordKeyOf(ns: Namespace, name: Slice): Bytes {
  const { length } = name
  if (length > keyNameBytesMax) {
    throw refuse(`ERR key is too long: ${length} bytes, at most ${keyNameBytesMax}`)
  }
  if (length + frameBytes > headBytes + recordKeyBytesMax) return generalKey(ns, name)
  const key = new Uint8Array(length + frameBytes)
  return writePlainKey(key, 0, ns, name) ? key : generalKey(ns, name)
}

/** Length of the record key of a plain name (`writePlainKey`); 0 if it would be too long. */
export function plainKeyBytes({ start, end }: Slice): number {
  const length = end - start + frameBytes
  return length > headBytes + recordKeyBytesMax || length > keyNameBytesMax ? 0 : length
}

/** Writes the record key of a name of plain text; false if it has 00, 01, or is not UTF-8. */
export function writePlainKey(key: Bytes, from: number, ns: Namespace, name: Slice): boolean {
  const { bytes, start, end } = name
  const { id } = ns
  key[from] = keyClass.record
  key[from + 1] = id >>> 24
  key[from + 2] = id >>> 16
  key[from + 3] = id >>> 8
  key[from + 4] = id
  key[from + 5] = textType
  let to = from + 6
  let seen = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    // 00 and 01 are escaped.
    if (byte < 2) return false
    seen |= byte
    key[to++] = byte
  }
  key[to] = 0
  return seen < 0x80 || name.isText()
}

function generalKey(ns: Namespace, name: Slice): Bytes {
  return recordKey(ns, scalarValue(name))
}
