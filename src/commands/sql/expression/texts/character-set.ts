// The characters that trim functions remove. The text and the set may be as long as a document, so
// both are read without a string for each character, and their cost is counted as they are read.

import { spendOn } from './text-cost.js'

/** Characters between two counts of the cost. */
const partChars = 65_536
/** Cost of a character, relative to reading it: ASCII, and one that needs the set. */
const asciiWeight = 8
const wideWeight = 64

export class CharacterSet {
  private readonly ascii = new Uint8Array(0x80)
  private readonly others = new Set<number>()

  /** The characters of a text. Throws 54000 as spendOn. */
  constructor(characters: string) {
    for (let at = 0; at < characters.length; ) {
      const from = at
      const stop = Math.min(at + partChars, characters.length)
      let wide = 0
      while (at < stop) {
        const unit = characters.charCodeAt(at)
        if (unit < 0x80) {
          this.ascii[unit] = 1
          at++
          continue
        }
        const point = characters.codePointAt(at) as number
        at += widthOf(point)
        this.others.add(point)
        wide++
      }
      spendOn(at - from, asciiWeight)
      spendOn(wide, wideWeight)
    }
  }

  /** The end of the run of these characters with which the text begins. */
  endOfRun(text: string): number {
    let at = 0
    for (;;) {
      const stop = Math.min(at + partChars, text.length)
      while (at < stop) {
        const unit = text.charCodeAt(at)
        const point = unit < 0x80 ? unit : (text.codePointAt(at) as number)
        if (!this.has(point)) return at
        at += widthOf(point)
      }
      if (at >= text.length) return at
      this.spend()
    }
  }

  /** The start of the run of these characters with which the text ends, at least `least`. */
  startOfRun(text: string, least: number): number {
    let end = text.length
    for (;;) {
      const stop = Math.max(end - partChars, least)
      while (end > stop) {
        const unit = text.charCodeAt(end - 1)
        const point = unit < 0x80 ? unit : pointBefore(text, end)
        if (!this.has(point)) return end
        end -= widthOf(point)
      }
      if (end <= least) return end
      this.spend()
    }
  }

  private has(point: number): boolean {
    return point < 0x80 ? this.ascii[point] === 1 : this.others.has(point)
  }

  private spend(): void {
    spendOn(partChars, this.others.size === 0 ? asciiWeight : wideWeight)
  }
}

/** The code point that ends there. */
function pointBefore(text: string, end: number): number {
  const before = text.codePointAt(end - 2)
  return before !== undefined && before > 0xffff ? before : (text.codePointAt(end - 1) as number)
}

/** UTF-16 units of a code point. */
function widthOf(point: number): number {
  return point > 0xffff ? 2 : 1
}
