// CRC-64 of Redis dumps: Jones' polynomial, reflected, without inversions. JavaScript has no fast
// 64-bit integers, so it is computed as two halves of 32 bits.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { crcBytesPerUnit } from '../../../base/work/work-figures.js'
import type { Program, ReadTx } from '../../../store/store.js'

/** 0x95ac9329ac4bc9b5: the polynomial ad93d23594c935a9 with reversed bits. */
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

const emptyCrc: Crc64 = { high: 0, low: 0 }
const pieceBytes = 16 * 1_024

/** Like crc64 of all bytes before `end`, with pauses. */
export function* crc64InTurns(tx: ReadTx, bytes: Bytes, end: number): Program<Crc64> {
  let crc = emptyCrc
  for (let at = 0; at < end; at += pieceBytes) {
    const to = Math.min(at + pieceBytes, end)
    crc = crc64(bytes, at, to, crc)
    yield* tx.pause((to - at) / crcBytesPerUnit)
  }
  return crc
}

/** CRC of the bytes from `start` to `end` (exclusive), continuing from `before`. */
export function crc64(bytes: Bytes, start = 0, end = bytes.length, before = emptyCrc): Crc64 {
  let { high, low } = before
  for (let at = start; at < end; at++) {
    const index = (low ^ (bytes[at] as number)) & 0xff
    low = ((low >>> 8) | (high << 24)) ^ (lows[index] as number)
    high = (high >>> 8) ^ (highs[index] as number)
  }
  return { high: high >>> 0, low: low >>> 0 }
}
