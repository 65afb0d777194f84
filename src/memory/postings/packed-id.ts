// Packs ids of memories into 16 bytes: `mem_` and a ULID, whose 26 characters of Crockford's base
// 32 are 48 bits of creation time and 80 random bits. Bytes sort like the texts.

import type { Bytes } from '../../base/bytes/bytes.js'
import { assert } from '../../base/errors.js'

export const packedIdBytes = 16
export const memoryPrefix = 'mem_'
const ulidChars = 26
/** 26 characters are 130 bits: the first character never uses its upper two. */
const firstDigitMax = 7

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const digitOf = new Int8Array(128).fill(-1)
for (let i = 0; i < digits.length; i++) digitOf[digits.charCodeAt(i)] = i

/** Whether a text is the id of a memory. */
export function isMemoryId(text: string): boolean {
  if (text.length !== memoryPrefix.length + ulidChars || !text.startsWith(memoryPrefix))
    return false
  for (let i = memoryPrefix.length; i < text.length; i++) {
    if ((digitOf[text.charCodeAt(i)] ?? -1) < 0) return false
  }
  return (digitOf[text.charCodeAt(memoryPrefix.length)] ?? 0) <= firstDigitMax
}

/** Writes the id to the start of `target`. */
export function packId(id: string, target: Bytes): void {
  assert(isMemoryId(id), 'a posting is of a memory')
  let bits = 0
  let held = -2
  let at = 0
  for (let i = memoryPrefix.length; i < id.length; i++) {
    bits = ((bits << 5) | (digitOf[id.charCodeAt(i)] ?? 0)) & 0xfff
    held += 5
    if (held >= 8) {
      held -= 8
      target[at++] = bits >> held
    }
  }
}

export function packedId(id: string): Bytes {
  const packed = new Uint8Array(packedIdBytes)
  packId(id, packed)
  return packed
}

export function unpackId(bytes: Bytes, at: number): string {
  return memoryPrefix + ulidAt(bytes, at)
}

/** As unpackId, without its prefix. */
export function ulidAt(bytes: Bytes, at: number): string {
  let text = ''
  let bits = 0
  let held = 2
  for (let i = at; i < at + packedIdBytes; i++) {
    bits = ((bits << 8) | (bytes[i] ?? 0)) & 0xfff
    held += 8
    while (held >= 5) {
      held -= 5
      text += digits[(bits >> held) & 31]
    }
  }
  return text
}

/** Creation time of the memory, milliseconds since 1970. */
export function timeAt(bytes: Bytes, at: number): number {
  const high = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
  return high * 0x100000000 + uint32(bytes, at + 2)
}

/** Compares two ids by words, because ids of one batch differ only at their ends. */
export function compareIds(a: Bytes, aAt: number, b: Bytes, bAt: number): number {
  for (let i = 0; i < packedIdBytes; i += 4) {
    const difference = uint32(a, aAt + i) - uint32(b, bAt + i)
    if (difference !== 0) return difference
  }
  return 0
}

function uint32(bytes: Bytes, at: number): number {
  const high = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
  const low = ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)
  return high * 0x10000 + low
}
