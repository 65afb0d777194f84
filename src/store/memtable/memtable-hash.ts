// Hash table of the keys: open addressing in parts that grow one at a time, so every step is short
// for any number of keys. Clients choose keys, and collisions would slow down all clients. So the
// hash is HalfSipHash-1-3 (Aumasson, Bernstein: SipHash, 2012) under a secret of the process.

import type { Bytes } from '../../base/bytes/bytes.js'
import { systemRandom } from '../../base/clock.js'

const secret = new Int32Array(systemRandom.bytes(8).buffer)
const partsCount = 256
/** Slots of the smallest part. Every part keeps a free slot, where a search ends. */
const slotsMin = 16

/**
 * Slot s of a part: hash at 4s, id + 1 (0 where it is free) at 4s + 1 of the numbers, and at 2s + 1
 * of the addresses, on the same memory, the address of the newest change: all in one cache line.
 */
interface Part {
  readonly numbers: Int32Array
  readonly addresses: Float64Array
  used: number
}

/** Compares a key with that of the change at `address` (memtable-entries.ts). */
interface Keys {
  equalsAt(address: number, bytes: Bytes, from: number, length: number): boolean
}

const emptyPart = makePart(1)

export class HashTable {
  /** Number of keys, and memory of the parts in bytes. */
  count = 0
  bytes = 0
  private readonly keys: Keys
  private readonly parts: Part[] = new Array(partsCount).fill(emptyPart)

  constructor(keys: Keys) {
    this.keys = keys
  }

  /** The slot of the key at `from` of `bytes`, or -1. Valid until the next insert or remove. */
  find(hash: number, bytes: Bytes, from = 0, length = bytes.length): number {
    const { numbers, addresses } = this.parts[hash >>> 24] as Part
    const mask = (numbers.length >>> 2) - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      if (numbers[4 * slot + 1] === 0) return -1
      if (numbers[4 * slot] !== hash) continue
      const address = addresses[2 * slot + 1] as number
      if (this.keys.equalsAt(address, bytes, from, length)) return slot
    }
  }

  /** The slot of the key whose newest change lies at `address`, or -1. */
  findAddress(hash: number, address: number): number {
    const { numbers, addresses } = this.parts[hash >>> 24] as Part
    const mask = (numbers.length >>> 2) - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      if (numbers[4 * slot + 1] === 0) return -1
      if (addresses[2 * slot + 1] === address) return slot
    }
  }

  id(hash: number, slot: number): number {
    return ((this.parts[hash >>> 24] as Part).numbers[4 * slot + 1] as number) - 1
  }

  address(hash: number, slot: number): number {
    return (this.parts[hash >>> 24] as Part).addresses[2 * slot + 1] as number
  }

  move(hash: number, slot: number, address: number): void {
    ;(this.parts[hash >>> 24] as Part).addresses[2 * slot + 1] = address
  }

  /** Inserts a key that is not in the table. */
  insert(hash: number, id: number, address: number): void {
    const index = hash >>> 24
    let part = this.parts[index] as Part
    const slots = part.numbers.length >>> 2
    // Above three quarters full, searches for a free slot become long.
    if ((part.used + 1) * 4 > slots * 3) part = this.resize(index, Math.max(slotsMin, slots * 2))
    place(part, hash, id + 1, address)
    this.count++
  }

  /** Removes the key whose newest change is at `address`. */
  remove(hash: number, address: number): void {
    const index = hash >>> 24
    const part = this.parts[index] as Part
    const { numbers, addresses } = part
    const slots = numbers.length >>> 2
    const mask = slots - 1
    let free = this.findAddress(hash, address)
    // Later entries move up, unless that would place them before their home slot.
    for (let slot = (free + 1) & mask; numbers[4 * slot + 1] !== 0; slot = (slot + 1) & mask) {
      const home = (numbers[4 * slot] as number) & mask
      if (((slot - home) & mask) < ((slot - free) & mask)) continue
      numbers[4 * free] = numbers[4 * slot] as number
      numbers[4 * free + 1] = numbers[4 * slot + 1] as number
      addresses[2 * free + 1] = addresses[2 * slot + 1] as number
      free = slot
    }
    numbers[4 * free + 1] = 0
    part.used--
    this.count--
    // Below one eighth full, half the slots still suffice twice over.
    if (part.used * 8 < slots && slots > slotsMin) this.resize(index, slots / 2)
  }

  private resize(index: number, slots: number): Part {
    const before = this.parts[index] as Part
    const part = makePart(slots)
    const { numbers, addresses } = before
    for (let slot = 0; 4 * slot < numbers.length; slot++) {
      const stored = numbers[4 * slot + 1] as number
      if (stored === 0) continue
      place(part, numbers[4 * slot] as number, stored, addresses[2 * slot + 1] as number)
    }
    this.parts[index] = part
    this.bytes += part.numbers.byteLength - (before === emptyPart ? 0 : numbers.byteLength)
    return part
  }
}

function makePart(slots: number): Part {
  const numbers = new Int32Array(4 * slots)
  return { numbers, addresses: new Float64Array(numbers.buffer), used: 0 }
}

function place(part: Part, hash: number, stored: number, address: number): void {
  const { numbers, addresses } = part
  const mask = (numbers.length >>> 2) - 1
  let slot = hash & mask
  while (numbers[4 * slot + 1] !== 0) slot = (slot + 1) & mask
  numbers[4 * slot] = hash
  numbers[4 * slot + 1] = stored
  addresses[2 * slot + 1] = address
  part.used++
}

/** The hash of `length` bytes from `start`, a signed 32-bit number. */
export function hashBytes(bytes: Bytes, start: number, length: number): number {
  let a = secret[0] as number
  let b = secret[1] as number
  let c = 0x6c796765 ^ a
  let d = 0x74656462 ^ b
  const whole = start + (length & ~3)
  const end = start + length
  // Whole words, then the rest with the length, then three finalization rounds.
  for (let at = start, tail = 0; tail < 4; at += 4) {
    let word = 0
    if (at < whole) {
      word =
        (bytes[at] as number) |
        ((bytes[at + 1] as number) << 8) |
        ((bytes[at + 2] as number) << 16) |
        ((bytes[at + 3] as number) << 24)
    } else if (tail++ === 0) {
      word = length << 24
      for (let i = whole, shift = 0; i < end; i++, shift += 8) word |= (bytes[i] as number) << shift
    } else if (tail === 2) {
      c ^= 0xff
    }
    d ^= word
    a = (a + b) | 0
    b = ((b << 5) | (b >>> 27)) ^ a
    a = (a << 16) | (a >>> 16)
    c = (c + d) | 0
    d = ((d << 8) | (d >>> 24)) ^ c
    a = (a + d) | 0
    d = ((d << 7) | (d >>> 25)) ^ a
    c = (c + b) | 0
    b = ((b << 13) | (b >>> 19)) ^ c
    c = (c << 16) | (c >>> 16)
    a ^= word
  }
  return b ^ d
}
