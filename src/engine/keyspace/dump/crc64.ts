// CRC-64 of the peer's dumps (Jones' polynomial, reflected, no inversions), as two halves of 32
// bits.

import type { Bytes } from '../../../base/bytes.js'

/** 0x95ac9329ac4bc9b5: the polynomial ad93d23594c935a9 with its bits turned. */
const polynomialHigh = 0x95ac9329
const polynomialLow = 0xac4bc9b5

const highs = new Uint32Array(256)
const lows = new Uint32Array(256)
for (let byte = 0; byte < 256; byte++) {
  let high = 0
  let low = byte
  for (let bit = 0; bit < 8; bit++) {
    const carries = (low & 1) === 1
    low = ((low >>> 1) | (high << 31)) >>> 0
    high >>>= 1
    if (carries) {
      high = (high ^ polynomialHigh) >>> 0
      low = (low ^ polynomialLow) >>> 0
    }
  }
  highs[byte] = high
  lows[byte] = low
}

export interface Crc64 {
  readonly high: number
  readonly low: number
}

/** Of the bytes from `start` to before `end`. */
export function crc64(bytes: Bytes, start = 0, end = bytes.length): Crc64 {
  let high = 0
  let low = 0
  for (let at = start; at < end; at++) {
    const index = (low ^ (bytes[at] as number)) & 0xff
    low = ((low >>> 8) | (high << 24)) ^ (lows[index] as number)
    high = (high >>> 8) ^ (highs[index] as number)
  }
  return { high: high >>> 0, low: low >>> 0 }
}
