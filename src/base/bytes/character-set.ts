// The characters that trim functions remove. The text and the set may be as long as a document, so
// both are read without a string for each character, and told to the caller as they are read.

import { offsetBefore } from './code-points.js'

/** Characters between two calls of `spend`. */
const partChars = 65_536

/** `isSlow`: the characters may need the set, because ASCII does not hold them. */
type SpendCharacters = (chars: number, isSlow: boolean) => void

export class CharacterSet {
  /** A bit for each character of ASCII, in four words: a set is made for each trim. */
  private controls = 0
  private signs = 0
  private capitals = 0
  private letters = 0
  private others: Set<number> | undefined

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
          this.addAscii(unit)
          at++
          continue
        }
        const point = characters.codePointAt(at) as number
        at += widthOf(point)
        this.others ??= new Set()
        this.others.add(point)
        wide++
      }
      spend(at - from, false)
      if (wide > 0) spend(wide, true)
    }
  }

  /** The end of the run of these characters with which the text begins. */
  endOfRun(text: string): number {
    for (let at = 0; ; ) {
      const from = at
      const stop = Math.min(at + partChars, text.length)
      while (at < stop && this.hasAt(text, at)) at += widthOf(text.codePointAt(at) as number)
      this.spend(at - from, this.others !== undefined)
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
      this.spend(from - end, this.others !== undefined)
      if (end > stop || end <= least) return end
    }
  }

  private hasAt(text: string, at: number): boolean {
    const unit = text.charCodeAt(at)
    if (unit < 0x40) return (((unit < 0x20 ? this.controls : this.signs) >>> (unit & 31)) & 1) === 1
    if (unit < 0x80)
      return (((unit < 0x60 ? this.capitals : this.letters) >>> (unit & 31)) & 1) === 1
    return this.others?.has(text.codePointAt(at) as number) === true
  }

  private addAscii(unit: number): void {
    const bit = 1 << (unit & 31)
    if (unit < 0x20) this.controls |= bit
    else if (unit < 0x40) this.signs |= bit
    else if (unit < 0x60) this.capitals |= bit
    else this.letters |= bit
  }
}

/** UTF-16 units of a code point. */
function widthOf(point: number): number {
  return point > 0xffff ? 2 : 1
}
