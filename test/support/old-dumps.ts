// Dumps as older versions of the reference server wrote them: ziplists, zipmaps, intsets and scores
// as text. The server that tests compare with reads them and no longer makes them.

import { crc64 } from '../../src/engine/keyspace/dump/crc64.js'

/** With version and checksum behind it. */
export function sealed(type: number, body: Uint8Array, version = 10): Buffer {
  const footer = Buffer.alloc(10)
  footer.writeUInt16LE(version, 0)
  const whole = Buffer.concat([Buffer.from([type]), body, footer.subarray(0, 2)])
  const { high, low } = crc64(whole)
  footer.writeUInt32LE(low, 2)
  footer.writeUInt32LE(high, 6)
  return Buffer.concat([whole, footer.subarray(2)])
}

/** A string with its length. */
export function dumpString(content: Uint8Array | string): Buffer {
  const bytes = Buffer.from(content)
  const length =
    bytes.length < 64
      ? Buffer.from([bytes.length])
      : Buffer.from([0x80, ...[24, 16, 8, 0].map((shift) => (bytes.length >>> shift) & 0xff)])
  return Buffer.concat([length, bytes])
}

/** Numbers of any width are written as such. */
export function ziplist(elements: readonly (string | bigint)[]): Buffer {
  const parts: Buffer[] = []
  let previous = 0
  for (const element of elements) {
    const head =
      previous < 254
        ? Buffer.from([previous])
        : Buffer.from([254, ...[0, 8, 16, 24].map((shift) => (previous >>> shift) & 0xff)])
    const entry = Buffer.concat([
      head,
      typeof element === 'bigint' ? integerEntry(element) : textEntry(element),
    ])
    parts.push(entry)
    previous = entry.length
  }
  const body = Buffer.concat(parts)
  const frame = Buffer.alloc(10)
  frame.writeUInt32LE(10 + body.length + 1, 0)
  frame.writeUInt32LE(10 + body.length - previous, 4)
  frame.writeUInt16LE(elements.length, 8)
  return Buffer.concat([frame, body, Buffer.from([0xff])])
}

function textEntry(text: string): Buffer {
  const bytes = Buffer.from(text)
  const { length } = bytes
  if (length < 64) return Buffer.concat([Buffer.from([length]), bytes])
  if (length < 16_384) {
    return Buffer.concat([Buffer.from([0x40 | (length >>> 8), length & 0xff]), bytes])
  }
  const head = Buffer.from([0x80, 0, 0, 0, 0])
  head.writeUInt32BE(length, 1)
  return Buffer.concat([head, bytes])
}

function integerEntry(value: bigint): Buffer {
  if (value >= 0n && value <= 12n) return Buffer.from([0xf1 + Number(value)])
  const widths = [
    ...[[1, 0xfe] as const, [2, 0xc0] as const, [3, 0xf0] as const],
    ...[[4, 0xd0] as const, [8, 0xe0] as const],
  ]
  for (const [bytes, head] of widths) {
    if (BigInt.asIntN(bytes * 8, value) !== value) continue
    const whole = Buffer.alloc(8)
    whole.writeBigInt64LE(value)
    return Buffer.concat([Buffer.from([head]), whole.subarray(0, bytes)])
  }
  throw new Error('more than 64 bits')
}

export function zipmap(pairs: readonly (readonly [string, string])[]): Buffer {
  const length = (text: string) =>
    text.length < 254
      ? Buffer.from([text.length])
      : Buffer.from([254, text.length & 0xff, text.length >>> 8, 0, 0])
  const parts = pairs.flatMap(([field, value]) => [
    ...[length(field), Buffer.from(field), length(value)],
    ...[Buffer.from([0]), Buffer.from(value)],
  ])
  return Buffer.concat([Buffer.from([pairs.length]), ...parts, Buffer.from([0xff])])
}

export function intset(width: 2 | 4 | 8, members: readonly bigint[]): Buffer {
  const bytes = Buffer.alloc(8 + width * members.length)
  bytes.writeUInt32LE(width, 0)
  bytes.writeUInt32LE(members.length, 4)
  members.forEach((member, i) => {
    const whole = Buffer.alloc(8)
    whole.writeBigInt64LE(member)
    whole.copy(bytes, 8 + i * width, 0, width)
  })
  return bytes
}
