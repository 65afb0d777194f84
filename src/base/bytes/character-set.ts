// The characters that trim functions remove. The text and the set may be as long as a document, so
// both are read without a string for each character, and told to the caller as they are read.

import { offsetBefore } from './code-points.js'

/** Characters between two calls of `spend`. */
const partChars = 65_536

/** `isSlow`: the characters may need the set, because ASCII does not hold them. */
type SpendCharacters = (chars: number, isSlow: boolean) => void

export class CharacterSet {
  private readonly ascii = new Uint8Array(0x80)
  private readonly others = new Set<number>()

  /** The characters of a text. `spend` may throw. */
  constructor(
    characters: string,
    private readonly spend: SpendCharacters,
  ) {
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
      spend(at - from, false)
      spend(wide, true)
    }
  }

  /** The end of the run of these characters with which the text begins. */
  endOfRun(text: string): number {
    for (let at = 0; ; ) {
      const from = at
      const stop = Math.min(at + partChars, text.length)
      while (at < stop && this.hasAt(text, at)) at += widthOf(text.codePointAt(at) as number)
      this.spend(at - from, this.others.size > 0)
      if (at < stop || at >= text.length) return at
    }
  }

  /** The start of the run of these characters with which the text ends, at least `least`. */
  startOfRun(text: string, least: number): number {
    for (let end = text.length; ; ) {
      const from = end
      const stop = Math.max(end - partChars, least)
      while (end > stop) {
        const before = offsetBefore(text, end)
        if (!this.hasAt(text, before)) break
        end = before
      }
      this.spend(from - end, this.others.size > 0)
      if (end > stop || end <= least) return end
    }
  }

  private hasAt(text: string, at: number): boolean {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) return this.ascii[unit] === 1
    return this.others.has(text.codePointAt(at) as number)
  }
}

/** UTF-16 units of a code point. */
function widthOf(point: number): number {
  return point > 0xffff ? 2 : 1
}
