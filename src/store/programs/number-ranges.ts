// Numbers of one counter that are still to be given, and what a program was given. A program that
// does not commit gives its numbers back in their order, so its next run gets the same ones: what
// it has staged meanwhile bears them. (docs/design/transactions.md, rule 18)

import { assert } from '../../base/errors.js'

interface NumberRange {
  next: number
  end: number
}

export class NumberRanges {
  private readonly ranges: NumberRange[] = []

  has(count: number): boolean {
    return this.ranges.some((range) => hasRoom(range, count))
  }

  /** Numbers that nothing was given from yet. */
  add(next: number, count: number): void {
    const last = this.ranges.at(-1)
    if (last?.end === next) last.end += count
    else this.ranges.push({ next, end: next + count })
  }

  /** The first of `count` numbers in a row. */
  take(count: number): number {
    const at = this.ranges.findIndex((range) => hasRoom(range, count))
    const range = this.ranges[at]
    assert(range !== undefined, 'numbers are added before they are taken')
    const { next } = range
    range.next += count
    if (range.next === range.end) this.ranges.splice(at, 1)
    return next
  }

  /** What `take` returns if others take `before` first; undefined if there are too few. */
  foresee(count: number, before: number): number | undefined {
    const range = this.ranges.find((each) => hasRoom(each, before + count))
    return range === undefined ? undefined : range.next + before
  }

  /** They are the first to be taken again. */
  giveBack(next: number, count: number): void {
    const first = this.ranges[0]
    if (first?.next === next + count) first.next = next
    else this.ranges.unshift({ next, end: next + count })
  }
}

interface Given {
  readonly ranges: NumberRanges
  readonly next: number
  readonly count: number
  isUsed: boolean
}

/** What one run of a program was given. */
export class GivenNumbers {
  private given: Given[] = []

  /** With `isUsed` false, the number is free again behind the program unless `use` follows. */
  take(ranges: NumberRanges, count: number, isUsed: boolean): number {
    const next = ranges.take(count)
    this.given.push({ ranges, next, count, isUsed })
    return next
  }

  use(ranges: NumberRanges, number: number): void {
    const given = this.given.find((each) => each.ranges === ranges && each.next === number)
    assert(given !== undefined, 'only a foreseen number is used')
    given.isUsed = true
  }

  /** The program has run to its end. */
  keepUsed(): void {
    this.giveBackThose((given) => !given.isUsed)
  }

  /** The program has failed, or its transaction does not commit. */
  giveBack(): void {
    this.giveBackThose(() => true)
  }

  private giveBackThose(isBack: (given: Given) => boolean): void {
    for (const given of this.given.filter(isBack).reverse()) {
      given.ranges.giveBack(given.next, given.count)
    }
    this.given = this.given.filter((given) => !isBack(given))
  }
}

function hasRoom({ next, end }: NumberRange, count: number): boolean {
  return end - next >= count
}
