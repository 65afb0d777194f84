// New ULIDs: those of one process rise in the order in which they are taken, also within a
// millisecond and when the clock goes back (the specification's monotonic factory).

import type { Random } from '../base/clock.js'
import { ulid, ulidRandomBytes } from './ulid.js'

interface UlidSeries {
  /** The time that its ids tell, milliseconds: now, or later where the clock has gone back. */
  readonly ms: number
  /** By its place in the series. */
  at(index: number): string
}

export class Ulids {
  private ms = Number.NEGATIVE_INFINITY
  /** The random part of the next. */
  private next: Uint8Array = new Uint8Array(0)

  constructor(private readonly random: Random) {}

  /** So many ids of their own. */
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
    // Room to count up in.
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
