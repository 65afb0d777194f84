// CRC-32C (Castagnoli, reflected polynomial 0x82f63b78), as RFC 3720 and the wire protocol's
// checksums use it. zlib's crc32 is another polynomial, and no maintained package does this one
// without native code; so: eight tables, eight bytes a round.

const polynomial = 0x82f63b78

const table = makeTables()

/** Table k at k * 256: the remainder of a byte followed by k zero bytes. */
function makeTables(): Int32Array {
  const made = new Int32Array(8 * 256)
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1
    made[byte] = crc
  }
  for (let at = 256; at < made.length; at++) {
    const before = made[at - 256] ?? 0
    made[at] = (before >>> 8) ^ (made[before & 0xff] ?? 0)
  }
  return made
}

/** Every index below is within its array, which the compiler cannot know. */
function at(array: Int32Array | Uint8Array, index: number): number {
  return array[index] as number
}

/**
 * The checksum of `bytes` from `start` to `end`, as an unsigned 32-bit number; `before` is the
 * checksum of what comes before them, where a message lies in pieces.
 */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length, before = 0): number {
  let crc = ~before
  let i = start
  for (const whole = end - 7; i < whole; i += 8) {
    const low =
      crc ^
      (at(bytes, i) | (at(bytes, i + 1) << 8) | (at(bytes, i + 2) << 16) | (at(bytes, i + 3) << 24))
    crc =
      at(table, 1792 + (low & 0xff)) ^
      at(table, 1536 + ((low >>> 8) & 0xff)) ^
      at(table, 1280 + ((low >>> 16) & 0xff)) ^
      at(table, 1024 + (low >>> 24)) ^
      at(table, 768 + at(bytes, i + 4)) ^
      at(table, 512 + at(bytes, i + 5)) ^
      at(table, 256 + at(bytes, i + 6)) ^
      at(table, at(bytes, i + 7))
  }
  for (; i < end; i++) crc = (crc >>> 8) ^ at(table, (crc ^ at(bytes, i)) & 0xff)
  return ~crc >>> 0
}
