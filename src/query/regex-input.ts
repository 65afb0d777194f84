// The text that a pattern is matched against, as the automaton reads it: each character that it
// looks at spends from the work budget, so that one match, and all matches of one text together,
// end where they cost too much. Searches for a pattern's literal parts are linear.

import { TextSearch } from '../base/bytes/text-search.js'
import { work } from '../base/work/work-budget.js'

/** Units of one look at a character; a pattern's instructions add to it. */
const lookUnits = 0.1
/** Instructions that cost the deterministic automaton one more unit a character. */
const instructionsPerUnit = 400
/** Units of an instruction for a character where the automaton follows all of them: 0.015 µs. */
const instructionUnits = 0.15
/** The library's bound for its backtracker, in bits: instructions by characters. */
const backtrackBitsMax = 262_144
/** Bits of the backtracker's memory that are cleared for one unit. */
const bitsPerUnit = 12_800
/** Beyond so many instructions it does not backtrack. */
const backtrackProgramMax = 500

/** Up to so many characters are counted at once: to count each would cost more than the match. */
export const shortTextMax = 512
/** Of them, for one unit, where the library backtracks. */
const shortCharsPerUnit = 4

/** A text that is matched as it is. */
export class ShortText {
  constructor(
    private readonly text: string,
    private readonly instructions: number,
  ) {}

  /** Before each match that is asked for. */
  begin(from: number): void {
    const { length } = this.text
    work.spend(1 + (length - from) / shortCharsPerUnit + (length * this.instructions) / bitsPerUnit)
  }
}

/** What one call may read: what the library asks of a string. */
export class CountedText {
  /** The library takes what calls itself a string. */
  readonly [Symbol.toStringTag] = 'String'
  readonly length: number
  private readonly text: string
  private readonly instructions: number
  private units: number
  private furthest = 0
  private search: { readonly find: string; readonly places: TextSearch } | undefined

  /** `finds`: where the match lies is asked, not only whether there is one. */
  constructor(text: string, instructions: number, finds: boolean) {
    this.text = text
    this.length = text.length
    this.instructions = instructions
    const follows = finds && !backtracks(text, instructions)
    this.units = follows
      ? instructions * instructionUnits
      : lookUnits * (finds ? 3 : 1) + instructions / instructionsPerUnit
  }

  /** Before each match that is asked for. */
  begin(): void {
    const { length, instructions } = this
    if (backtracks(this.text, instructions)) work.spend(1 + (length * instructions) / bitsPerUnit)
    else work.spend(1)
    this.furthest = 0
  }

  charCodeAt(at: number): number {
    // From the beginning once more: the deterministic automaton has given up.
    if (at < this.furthest) this.rewind(at)
    else this.furthest = at
    work.spend(this.units)
    return this.text.charCodeAt(at)
  }

  indexOf(find: string, from = 0): number {
    if (this.search?.find !== find) {
      this.search = { find, places: new TextSearch(this.text, find) }
    }
    return this.search.places.next(from)
  }

  substring(start: number, end: number): string {
    return this.text.substring(start, end)
  }

  toString(): string {
    return this.text
  }

  private rewind(at: number): void {
    if (this.furthest - at < 2 || backtracks(this.text, this.instructions)) return
    this.units = this.instructions * instructionUnits
    this.furthest = at
  }
}

function backtracks(text: string, instructions: number): boolean {
  return instructions <= backtrackProgramMax && text.length * instructions <= backtrackBitsMax
}
