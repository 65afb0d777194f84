// Random numbers of one call. A program may run again and must then do the same, so the i-th number
// is stored and is the same in every run.

import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Random } from '../../../base/clock.js'

const noBytes: Bytes = new Uint8Array(0)
/** After a few draws, random bytes are fetched for this many at once. */
const fewDraws = 16
const manyDraws = 512

export class Draws {
  private readonly drawn: number[] = []
  private next = 0
  /** Fetched random bytes, and the offset of the first unused one. */
  private bytes = noBytes
  private used = 0

  constructor(private readonly source: Random) {}

  /** Starts at the first number again, for another run. */
  restart(): void {
    this.next = 0
  }

  /** A whole number from 0 to `bound` - 1. */
  below(bound: number): number {
    let fraction = this.drawn[this.next]
    if (fraction === undefined) {
      fraction = this.fraction()
      this.drawn.push(fraction)
    }
    this.next++
    return Math.min(Math.floor(fraction * bound), bound - 1)
  }

  /** A number from 0 up to 1, exclusive, with 53 random bits. */
  private fraction(): number {
    const { used } = this
    if (used === this.bytes.length) {
      const count = this.drawn.length < fewDraws ? 1 : manyDraws
      this.bytes = this.source.bytes(8 * count)
      this.used = 8
      return fractionAt(this.bytes, 0)
    }
    this.used += 8
    return fractionAt(this.bytes, used)
  }
}

/** The fraction of the eight bytes at `at`. */
function fractionAt(bytes: Bytes, at: number): number {
  return ((uint32At(bytes, at) >>> 5) * 2 ** 26 + (uint32At(bytes, at + 4) >>> 6)) / 2 ** 53
}

/** Reads without a DataView: creating one per draw costs more than everything else here. */
function uint32At(bytes: Bytes, at: number): number {
  const high = ((bytes[at] as number) << 24) | ((bytes[at + 1] as number) << 16)
  return (high | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)) >>> 0
}
