// CRC-32C (Castagnoli, reflected polynomial 0x82f63b78) as in RFC 3720 and the checksums of the
// MongoDB protocol. zlib's crc32 has another polynomial, and no maintained package has this one
// without native code. It uses sixteen tables, sixteen bytes a round for long inputs.

const polynomial = 0x82f63b78

const table = makeTables()

/** Table k at k * 256: the remainder of a byte followed by k zero bytes. */
function makeTables(): Int32Array {
  const made = new Int32Array(16 * 256)
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

/** Reads a table: every index is in range, which the compiler cannot know. */
function entry(index: number): number {
  return table[index] as number
}

/**
 * The checksum of `bytes` from `start` to `end`, as an unsigned 32-bit number. `before` is the
 * checksum of the preceding bytes of a message in pieces.
 */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length, before = 0): number {
  if (end - start >= wordsMin) return ofWords(bytes, start, end, before)
  let crc = ~before
  let i = start
  for (const whole = end - 7; i < whole; i += 8) {
    const low =
      crc ^
      ((bytes[i] as number) |
        ((bytes[i + 1] as number) << 8) |
        ((bytes[i + 2] as number) << 16) |
        ((bytes[i + 3] as number) << 24))
    crc =
      entry(1792 + (low & 0xff)) ^
      entry(1536 + ((low >>> 8) & 0xff)) ^
      entry(1280 + ((low >>> 16) & 0xff)) ^
      entry(1024 + (low >>> 24)) ^
      entry(768 + (bytes[i + 4] as number)) ^
      entry(512 + (bytes[i + 5] as number)) ^
      entry(256 + (bytes[i + 6] as number)) ^
      entry(bytes[i + 7] as number)
  }
  for (; i < end; i++) crc = (crc >>> 8) ^ entry((crc ^ (bytes[i] as number)) & 0xff)
  return ~crc >>> 0
}

/** Below this length, making a view of words costs more than it saves. */
const wordsMin = 256

/** As crc32c, four words a round, in the machine's byte order, always little-endian here. */
function ofWords(bytes: Uint8Array, start: number, end: number, before: number): number {
  const aligned = start + (-(bytes.byteOffset + start) & 3)
  let crc = ~before
  let i = start
  for (; i < aligned; i++) crc = (crc >>> 8) ^ entry((crc ^ (bytes[i] as number)) & 0xff)
  const rounds = (end - i) >>> 4
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + i, 4 * rounds)
  for (let w = 0; w < words.length; w += 4) {
    crc =
      ofWord(crc ^ (words[w] as number), 3072) ^
      ofWord(words[w + 1] as number, 2048) ^
      ofWord(words[w + 2] as number, 1024) ^
      ofWord(words[w + 3] as number, 0)
  }
  for (i += 16 * rounds; i < end; i++)
    crc = (crc >>> 8) ^ entry((crc ^ (bytes[i] as number)) & 0xff)
  return ~crc >>> 0
}

/** The remainder of a word that `tables / 256` bytes of its round follow. */
function ofWord(word: number, tables: number): number {
  return (
    entry(tables + 768 + (word & 0xff)) ^
    entry(tables + 512 + ((word >>> 8) & 0xff)) ^
    entry(tables + 256 + ((word >>> 16) & 0xff)) ^
    entry(tables + (word >>> 24))
  )
}

/**
 * The checksum of a message from those of its two parts. The first is shifted by `secondBytes` zero
 * bytes (zlib's crc32_combine).
 */
export function crc32cOfBoth(first: number, second: number, secondBytes: number): number {
  let moved = first
  // x to the power of 8, 16 and so on: one factor for each bit of the length.
  let power = 1 << 23
  for (let bytes = secondBytes; bytes > 0; bytes = Math.floor(bytes / 2)) {
    if (bytes % 2 === 1) moved = product(power, moved)
    power = product(power, power)
  }
  return (moved ^ second) >>> 0
}

/** Product of two remainders, whose highest bit is the lowest power. */
function product(a: number, b: number): number {
  let sum = 0
  let factor = b
  for (let bit = 31; bit >= 0; bit--) {
    if ((a >>> bit) & 1) sum ^= factor
    factor = factor & 1 ? (factor >>> 1) ^ polynomial : factor >>> 1
  }
  return sum
}
