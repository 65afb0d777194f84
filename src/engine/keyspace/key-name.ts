// From the name of a key to the store's key of its record: the same bytes that `recordKey` makes of
// the document's `_id`, without the document.

import type { Bytes } from '../../base/bytes.js'
import { keyNameBytesMax, recordKeyBytesMax } from '../../base/limits.js'
import { refuse } from '../../base/reply-error.js'
import type { Slice } from '../../base/slice.js'
import { keyClass } from '../../store/layout.js'
import { recordKey } from '../collections.js'
import type { Namespace } from '../types.js'
import { scalarValue } from './scalar.js'

/** First byte of a string and of binary in a record key (value/key.ts). */
export const textType = 0x30
export const binaryType = 0x58
/** class u8, namespace u32, type u8, and the zero that ends a text. */
const frameBytes = 7
const headBytes = 5

/**
 * The record key of the document whose `_id` is `name`: a string if that is UTF-8, else binary.
 * Throws ReplyError above keyNameBytesMax.
 */
export function recordKeyOf(ns: Namespace, name: Slice): Bytes {
  const { bytes, start, end } = name
  const length = end - start
  if (length > keyNameBytesMax) {
    throw refuse(`ERR key is too long: ${length} bytes, at most ${keyNameBytesMax}`)
  }
  if (length + frameBytes > headBytes + recordKeyBytesMax) return generalKey(ns, name)
  const key = new Uint8Array(length + frameBytes)
  const { id } = ns
  key[0] = keyClass.record
  key[1] = id >>> 24
  key[2] = id >>> 16
  key[3] = id >>> 8
  key[4] = id
  key[5] = textType
  let to = 6
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    // 00 and 01 are escaped, and bytes above 7f have to be looked at together.
    if (byte < 2 || byte > 0x7f) return generalKey(ns, name)
    key[to++] = byte
  }
  key[to] = 0
  return key
}

function generalKey(ns: Namespace, name: Slice): Bytes {
  return recordKey(ns, scalarValue(name))
}
