// The input text of the automaton. Every character that it reads is charged to the work budget, so
// one match, and all matches on one text, end when they cost too much. Searches for literal parts
// of a pattern are linear.

import type { RE2JS } from 're2js'
import { TextSearch } from '../base/bytes/text-search.js'
import { work } from '../base/work/work-budget.js'

/** Units to read one character; a pattern's instructions add to it. */
const lookUnits = 0.1
/** Instructions that add one unit per character in the deterministic automaton. */
const instructionsPerUnit = 400
/** Units per instruction and character if the automaton follows all states: 0.015 µs. */
const instructionUnits = 0.15
/** The library's bound for its backtracker, in bits: instructions times characters. */
const backtrackBitsMax = 262_144
/** Bits of the backtracker's memory that one unit clears. */
const bitsPerUnit = 12_800
/** With more instructions than this, it does not backtrack. */
const backtrackProgramMax = 500

/**
 * Up to this length, characters are charged at once, because charging each costs more than a match.
 */
export const shortTextMax = 512
/** Characters per unit where the library backtracks. */
const shortCharsPerUnit = 4

/** Instructions times characters up to which a text is short for a match with its position. */
const shortStepsMax = 16_384

/** Whether a match with its position may be charged at once. */
export function isShort({ length }: string, instructions: number): boolean {
  return length <= shortTextMax && length * instructions <= shortStepsMax
}

/** A new state of the deterministic automaton, and each instruction that it is made from. */
const stateUnits = 10
const stateInstructionUnits = 5

/**
 * Charges the states that a match adds to the deterministic automaton: with 1,000 instructions, a
 * first text of 500 characters took 140 ms. Later texts find most of the states.
 */
export function countStates({ re2Input: { dfa } }: RE2JS): void {
  const step = dfa.step.bind(dfa)
  dfa.step = (state, cls, rune, anchor) => {
    work.spend(stateUnits + state.nfaStates.length * stateInstructionUnits)
    return step(state, cls, rune, anchor)
  }
}

/** A text that is matched directly. */
export class ShortText {
  constructor(
    private readonly text: string,
    private readonly instructions: number,
  ) {}

  /** Called before each requested match. */
  begin(from: number): void {
    const { length } = this.text
    work.spend(1 + (length - from) / shortCharsPerUnit + (length * this.instructions) / bitsPerUnit)
  }
}

/** A counting wrapper of a string, with the interface that the library uses. */
export class CountedText {
  /** The library accepts an object that calls itself a string. */
  readonly [Symbol.toStringTag] = 'String'
  readonly length: number
  private readonly text: string
  private readonly instructions: number
  private units: number
  private furthest = 0
  private search: { readonly find: string; readonly places: TextSearch } | undefined

  /** `finds`: the position of the match is needed, not only its existence. */
  constructor(text: string, instructions: number, finds: boolean) {
    this.text = text
    this.length = text.length
    this.instructions = instructions
    const follows = finds && !backtracks(text, instructions)
    this.units = follows
      ? instructions * instructionUnits
      : lookUnits * (finds ? 3 : 1) + instructions / instructionsPerUnit
  }

  /** Called before each requested match. */
  begin(): void {
    const { length, instructions } = this
    if (backtracks(this.text, instructions)) work.spend(1 + (length * instructions) / bitsPerUnit)
    else work.spend(1)
    this.furthest = 0
  }

  charCodeAt(at: number): number {
    // The deterministic automaton gave up and restarts from the beginning.
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
