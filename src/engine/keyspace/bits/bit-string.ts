// Bits of a byte string, numbered as in Redis: bit 0 is the highest bit of byte 0. Bits after the
// end are zero. Long strings are read in pieces, so that the reader can pause.

import type { Slice } from '../../../base/bytes/slice.js'

/** Number of set bits of each byte. */
const setBits = Uint8Array.from({ length: 256 }, (_, byte) => {
  let count = 0
  for (let rest = byte; rest > 0; rest >>= 1) count += rest & 1
  return count
})

/** Counts the set bits from `first` to `last`, both inclusive and within the string. */
export function countBits({ bytes, start }: Slice, first: number, last: number): number {
  const from = start + Math.floor(first / 8)
  const to = start + Math.floor(last / 8)
  const head = 0xff >> (first % 8)
  const tail = 0xff & (0xff << (7 - (last % 8)))
  if (from === to) return setBits[(bytes[from] as number) & head & tail] as number
  let count = setBits[(bytes[from] as number) & head] as number
  for (let at = from + 1; at < to; at++) count += setBits[bytes[at] as number] as number
  return count + (setBits[(bytes[to] as number) & tail] as number)
}

/** The first bit equal to `bit` between `first` and `last`; -1 if there is none. */
export function findBit(text: Slice, bit: 0 | 1, first: number, last: number): number {
  const { bytes, start } = text
  const dull = bit === 1 ? 0 : 0xff
  let at = first
  while (at <= last) {
    if (at % 8 === 0 && at + 7 <= last && bytes[start + at / 8] === dull) at += 8
    else if (bitAt(text, at) === bit) return at
    else at++
  }
  return -1
}

export function bitAt({ bytes, start, end }: Slice, index: number): number {
  const at = start + Math.floor(index / 8)
  return at < end ? ((bytes[at] as number) >> (7 - (index % 8))) & 1 : 0
}

/** Sets one bit; `bytes` begins at bit 0 and is long enough. */
export function putBit(bytes: Uint8Array, index: number, bit: number): void {
  const at = Math.floor(index / 8)
  const mask = 0x80 >> (index % 8)
  bytes[at] = bit === 1 ? (bytes[at] as number) | mask : (bytes[at] as number) & ~mask
}

/** Reads `width` bits as an unsigned number. */
export function readBits(text: Slice, index: number, width: number): bigint {
  let value = 0n
  for (let i = 0; i < width; i++) value = (value << 1n) | BigInt(bitAt(text, index + i))
  return value
}

/** Writes the lowest `width` bits of a number. */
export function putBits(bytes: Uint8Array, index: number, width: number, value: bigint): void {
  for (let i = 0; i < width; i++) {
    putBit(bytes, index + i, Number((value >> BigInt(width - 1 - i)) & 1n))
  }
}
