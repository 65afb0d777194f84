// How JSON-RPC writes numbers and bytes: quantities in hex without leading zeros, bytes with two
// digits each.

import type { Bytes } from '../../base/bytes/bytes.js'

export function quantity(value: number | bigint): string {
  return `0x${value.toString(16)}`
}

export function hex(bytes: Bytes): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`
}

/** The bytes of an even number of digits behind `0x`. */
export function bytesOf(text: string): Bytes {
  return new Uint8Array(Buffer.from(text.slice(2), 'hex'))
}
