// How large the program of a regular expression becomes, and what compiling it costs. The engine
// writes a counted item as often as its count says: 9 characters become 1,000 instructions, and
// 9,000 took 1.8 s to compile. A class of 1,200 characters with tables of Unicode took 150 ms.

import {
  regexCharUnits,
  regexInstructionUnits,
  regexItemUnits,
  regexTableUnits,
  regexUnits,
} from '../base/work/work-figures.js'

/** Opens a group: an option such as `(?i)`, and a translated escape, closes in the same item. */
const opening = /^\((?:\?[^)]*[:>])?$/
const counted = /^\{(\d+)(?:,(\d*))?\}$/
/** Instructions of a group beside its items. */
const groupSize = 2
const tables = /\\[pP]/g

interface ProgramSize {
  /** Instructions that RE2 makes of the items of a translated pattern, roughly. */
  readonly size: number
  /** Units that compiling takes, with the tables that the first match makes. */
  readonly units: number
}

/** Both of some items: a counted one has them several times. */
class Tally {
  size = 0
  units = 0

  add({ size, units }: ProgramSize, times = 1): void {
    this.size += size * times
    this.units += units * times
  }
}

export function programSizeOf(items: readonly string[], ignoresCase: boolean): ProgramSize {
  const outer: Tally[] = []
  let sum = new Tally()
  let last: ProgramSize = new Tally()
  let parsing = regexUnits
  let hasCase = ignoresCase
  for (const item of items) {
    parsing += regexItemUnits + item.length * regexCharUnits
    const first = item[0]
    if (first === '(' && item.startsWith('(?') && item.includes('i')) hasCase = true
    if (first === '(' && opening.test(item)) {
      outer.push(sum)
      sum = new Tally()
      last = new Tally()
    } else if (item === ')') {
      const group = { size: sum.size + groupSize, units: sum.units }
      group.units += groupSize * regexInstructionUnits
      last = group
      sum = outer.pop() ?? new Tally()
      sum.add(group)
    } else if (first === '{') {
      const [, least = '', most = ''] = counted.exec(item) ?? []
      sum.add(last, Math.max(Number(least), Number(most), 1) - 1)
    } else {
      const found = item.length > 1 && item.includes('\\') ? tablesIn(item) : 0
      parsing += found * (first === '[' ? regexTableUnits.inClass : tableUnits(hasCase))
      const ranges = item.length * regexTableUnits.range + found * regexTableUnits.instruction
      last = { size: 1, units: regexInstructionUnits + ranges }
      sum.add(last)
    }
  }
  return { size: sum.size, units: parsing + sum.units }
}

function tableUnits(ignoresCase: boolean): number {
  return ignoresCase ? regexTableUnits.ignoringCase : regexTableUnits.alone
}

function tablesIn(item: string): number {
  return item.match(tables)?.length ?? 0
}
