// The longest common subsequence of two byte strings, by a table of lengths with one row for each
// byte of the first. Among several solutions it returns the one that Redis returns.

import type { Slice } from '../../../base/bytes/slice.js'
import { cellsPerUnit } from '../../../base/work/work-figures.js'
import type { Program, ReadTx } from '../../../store/store.js'

/** A part that both strings share; positions are inclusive at both ends. */
interface SharedPart {
  readonly a: readonly [first: number, last: number]
  readonly b: readonly [first: number, last: number]
  readonly length: number
}

export class CommonSubsequence {
  private readonly width: number

  private constructor(
    private readonly a: Slice,
    private readonly b: Slice,
    private readonly lengths: Uint32Array,
  ) {
    this.width = b.length + 1
  }

  /** Bytes of the table. */
  static bytesFor(a: Slice, b: Slice): number {
    return (a.length + 1) * (b.length + 1) * 4
  }

  static *of(tx: ReadTx, a: Slice, b: Slice): Program<CommonSubsequence> {
    const found = new CommonSubsequence(a, b, new Uint32Array((a.length + 1) * (b.length + 1)))
    for (let row = 1; row <= a.length; row++) {
      found.fill(row)
      yield* tx.pause(found.width / cellsPerUnit)
    }
    return found
  }

  get length(): number {
    return this.at(this.a.length, this.b.length)
  }

  /** The shared parts from the last to the first. */
  parts(): SharedPart[] {
    const { a, b } = this
    const found: SharedPart[] = []
    let i = a.length
    let j = b.length
    while (i > 0 && j > 0) {
      const lastA = i
      const lastB = j
      while (i > 0 && j > 0 && a.bytes[a.start + i - 1] === b.bytes[b.start + j - 1]) {
        i--
        j--
      }
      if (i < lastA) {
        const part = { a: [i, lastA - 1], b: [j, lastB - 1], length: lastA - i } as const
        found.push(part)
      } else if (this.at(i - 1, j) > this.at(i, j - 1)) i--
      else j--
    }
    return found
  }

  /** The subsequence itself. */
  text(): Uint8Array {
    const { a } = this
    const text = new Uint8Array(this.length)
    let at = text.length
    for (const { a: place, length } of this.parts()) {
      at -= length
      text.set(a.bytes.subarray(a.start + place[0], a.start + place[1] + 1), at)
    }
    return text
  }

  private at(row: number, column: number): number {
    return this.lengths[row * this.width + column] as number
  }

  private fill(row: number): void {
    const { a, b, lengths, width } = this
    const byte = a.bytes[a.start + row - 1]
    const here = row * width
    const above = here - width
    for (let column = 1; column < width; column++) {
      const up = lengths[above + column] as number
      const left = lengths[here + column - 1] as number
      lengths[here + column] =
        b.bytes[b.start + column - 1] === byte
          ? (lengths[above + column - 1] as number) + 1
          : up > left
            ? up
            : left
    }
  }
}
