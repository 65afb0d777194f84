// New ULIDs: those of one process increase in the order of creation, also within a millisecond and
// when the clock goes back (the specification's monotonic factory).

import type { Random } from '../base/clock.js'
import { ulid, ulidRandomBytes } from './ulid.js'

interface UlidSeries {
  /** The time in its ids, milliseconds: now, or later if the clock has gone back. */
  readonly ms: number
  /** The id at an index of the series. */
  at(index: number): string
}

export class Ulids {
  private ms = Number.NEGATIVE_INFINITY
  /** The random part of the next id. */
  private next: Uint8Array = new Uint8Array(0)

  constructor(private readonly random: Random) {}

  /** Reserves `count` ids. */
  series(now: number, count: number): UlidSeries {
    if (now > this.ms) {
      this.ms = now
      this.next = this.fresh()
    }
    const { ms, next: first } = this
    this.next = plus(first, count)
    return { ms, at: (index) => ulid(ms, plus(first, index)) }
  }

  private fresh(): Uint8Array {
    const bytes = this.random.bytes(ulidRandomBytes).slice()
    // Leaves room to count up.
    bytes[0] = (bytes[0] ?? 0) & 0x7f
    return bytes
  }
}

/** A big-endian number plus a small one. */
function plus(bytes: Uint8Array, added: number): Uint8Array {
  const sum = bytes.slice()
  let carry = added
  for (let i = sum.length - 1; i >= 0 && carry > 0; i--) {
    carry += sum[i] ?? 0
    sum[i] = carry & 0xff
    carry >>>= 8
  }
  return sum
}
