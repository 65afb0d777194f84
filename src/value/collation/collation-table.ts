// Derives the weights of Intl.Collator, which only compares. All characters are sorted once, when a
// locale is first used. A character that sorts between another one and that one followed by the
// highest weight is an expansion, spelled by other characters. The weights give keys whose bytes
// compare like the strings. Source: UTS #10, multi-level comparison.

import { utf8 } from '../../base/bytes/bytes.js'
import { digraphs, joiner, plainPairs, splitAcrossMarks } from './collation-contractions.js'
import type { Levels, TableData } from './collation-levels.js'

/** Accent weight of a letter that sorts before its plain form. */
export const low = -1

/** Weights of one character or contraction, by level; 0 is the lowest of a level. */
export interface Weights {
  readonly primary: readonly number[]
  readonly secondary: readonly number[]
  readonly tertiary: readonly number[]
  /** `secondary` from its end, if that is not simply the reverse. */
  readonly backward?: readonly number[]
  /** Identity of the unit, if its accents are only known to lie between two others. */
  readonly accents: string
  /** Identity of the unit, if its case and variant are only known to lie between two others. */
  readonly variants: string
}

/** The character with the highest weight. */
const highest = '\uffff'
/** After all code points. */
const codesEnd = 0x110000
const expansionMax = 20
const marksMax = 4
/** Number of cached lookups. */
const lookedUpMax = 8_192
const contractionMax = 5

const nothing: Weights = { primary: [], secondary: [], tertiary: [], accents: '', variants: '' }

/** Characters with their own weight: no syllables, private or unassigned ones. */
function assignedCharacters(): string[] {
  const found: string[] = []
  for (let code = 1; code < 0x110000; code++) {
    if (code === 0xac00) code = 0xd7a4
    if (code === 0xd800) code = 0xe000
    const text = String.fromCodePoint(code)
    if (!/[\p{Cn}\p{Co}]/u.test(text)) found.push(text)
  }
  return found
}

/** Kept in the order of the last table, which is nearly the next one's. */
let characters: string[] | undefined

export class CollationTable {
  /** Whether two ASCII characters ever form a contraction. */
  readonly hasPlainContractions: boolean
  /** Whether a letter with an accent sorts before the plain one. */
  readonly hasLowAccents: boolean
  private readonly digraphs: readonly string[]
  /** All characters except marks, and all digraphs, by base letters; see `textOf`. */
  private readonly sorted: Uint32Array
  /** Start in `sorted` of each class of equal base letters. */
  private readonly starts: Uint32Array
  /** Classes of marks equal except for case and variant, in order. */
  private readonly markClasses: readonly (readonly string[])[]
  /** The first mark of each class. */
  private readonly marks: readonly string[]
  private readonly units = new Map<string, Weights>()
  private readonly members = new Map<number, readonly string[]>()

  constructor(
    readonly levels: Levels,
    made?: TableData,
  ) {
    if (made !== undefined) {
      this.hasPlainContractions = made.hasPlainContractions
      this.hasLowAccents = made.hasLowAccents
      this.digraphs = made.digraphs
      this.markClasses = made.markClasses
      this.marks = this.markClasses.map(([mark]) => mark ?? '')
      this.sorted = made.sorted
      this.starts = made.starts
      return
    }
    const { base, variant } = levels
    const pairs = plainPairs(variant)
    this.hasPlainContractions = pairs.length > 0
    this.digraphs = digraphs(pairs, variant)
    characters ??= assignedCharacters()
    characters.sort(base.compare)
    const firstLetter = characters.findIndex((text) => base.compare(text, '') !== 0)
    this.markClasses = classesOfMarks(characters.slice(0, firstLetter), levels)
    this.marks = this.markClasses.map(([mark]) => mark ?? '')
    this.sorted = this.withDigraphs(characters.slice(firstLetter).map(codeOf))
    this.starts = this.classStarts()
    this.hasLowAccents = this.findLowAccents()
  }

  get data(): TableData {
    const { hasPlainContractions, hasLowAccents, digraphs, markClasses, sorted, starts } = this
    return { hasPlainContractions, hasLowAccents, digraphs, markClasses, sorted, starts }
  }

  private findLowAccents(): boolean {
    const { base, accent } = this.levels
    for (let code = 0xc0; code < 0x1f00; code++) {
      const text = String.fromCodePoint(code)
      const [letter = '', mark] = text.normalize('NFD')
      if (mark === undefined || base.compare(text, letter) !== 0) continue
      if (accent.compare(text, letter) < 0) return true
    }
    return false
  }

  weightsOf(unit: string): Weights {
    const known = this.units.get(unit)
    if (known !== undefined) return known
    if (this.units.size >= lookedUpMax) this.units.clear()
    const found = this.findWeights(unit)
    this.units.set(unit, found)
    return found
  }

  /** The weight between the class of `text` and the class before it. */
  weightBelow(text: string): number {
    return between(this.placeOf(text) - 1)
  }

  private findWeights(unit: string): Weights {
    const { base, variant } = this.levels
    if (base.compare(unit, '') === 0) return this.markWeights(unit)
    const parts = [...unit.normalize('NFD')]
    if (parts.length > 1 && variant.compare(unit, parts.join(joiner)) === 0) {
      return together(parts.map((part) => this.weightsOf(part)))
    }
    const apart = splitAcrossMarks(unit, parts, variant)
    if (apart !== undefined) return together(apart.map((part) => this.weightsOf(part)))
    return this.letterWeights(unit)
  }

  private classStarts(): Uint32Array {
    const { base } = this.levels
    const starts: number[] = []
    let own = ''
    let last = ''
    for (let at = 0; at < this.sorted.length; at++) {
      const text = this.characterAt(at)
      if (at > 0 && base.compare(text, last) === 0) continue
      last = text
      if (at > 0 && base.compare(own + highest, text) > 0) continue
      own = text
      starts.push(at)
    }
    return Uint32Array.from(starts)
  }

  /** Inserts the digraphs in order, except those equal to a character: `aa` in Danish. */
  private withDigraphs(codes: number[]): Uint32Array {
    const { base } = this.levels
    const isEqual = (text: string, other: number | undefined) =>
      other !== undefined && other < codesEnd && base.compare(this.textOf(other), text) === 0
    this.digraphs.forEach((text, i) => {
      let low = 0
      let high = codes.length
      while (low < high) {
        const middle = (low + high) >> 1
        if (base.compare(this.textOf(codes[middle] ?? 0), text) < 0) low = middle + 1
        else high = middle
      }
      if (!isEqual(text, codes[low])) codes.splice(low, 0, codesEnd + i)
    })
    return Uint32Array.from(codes)
  }

  private textOf(code: number): string {
    return code < codesEnd ? String.fromCodePoint(code) : (this.digraphs[code - codesEnd] ?? '')
  }

  private characterAt(at: number): string {
    return this.textOf(this.sorted[at] ?? 0)
  }

  /** The last class not above `text`, after `before`; -1 if there is none. */
  private placeOf(text: string, before = ''): number {
    const { base } = this.levels
    const { starts } = this
    let low = 0
    let high = starts.length
    while (low < high) {
      const middle = (low + high) >> 1
      const one = this.characterAt(starts[middle] ?? 0)
      if (base.compare(before + one, text) <= 0) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  /** The characters of a class that differ only in case and variant, in order. */
  private membersOf(place: number): readonly string[] {
    const known = this.members.get(place)
    if (known !== undefined) return known
    const { base, accent, variant } = this.levels
    const start = this.starts[place] ?? 0
    const first = this.characterAt(start)
    const all = [first]
    for (let at = start + 1; at < this.sorted.length; at++) {
      const text = this.characterAt(at)
      if (base.compare(text, first) !== 0) break
      all.push(text)
    }
    all.sort((a, b) => variant.compare(a, b) || codeOf(a) - codeOf(b))
    // In Chinese, vowels with a macron sort before the plain ones.
    const [letter = first] = (all[0] ?? first).normalize('NFD')
    const least = all.includes(letter) ? letter : (all[0] ?? first)
    const alike = all.filter((text) => accent.compare(text, least) === 0)
    const found = withoutEquals(alike, variant)
    if (this.members.size >= lookedUpMax) this.members.clear()
    this.members.set(place, found)
    return found
  }

  private markWeights(mark: string): Weights {
    const { accent, variant } = this.levels
    if (variant.compare(mark, '') === 0) return nothing
    if (accent.compare(mark, '') === 0) return { ...nothing, variants: mark }
    const spelled = this.spellMarks(mark, [], [])
    const secondary = spelled.places.map((place) => own(place))
    if (!spelled.isWhole) {
      secondary.push(between(spelled.next))
      return { ...nothing, secondary, tertiary: zeros(secondary), accents: mark, variants: mark }
    }
    const tertiary = zeros(secondary)
    if (variant.compare(spelled.text, mark) === 0) return { ...nothing, secondary, tertiary }
    const [place, other] = spelled.places
    const alike = other === undefined ? (this.markClasses[place ?? -1] ?? []) : []
    const at = alike.findIndex((one) => variant.compare(one, mark) === 0)
    tertiary[0] = at < 0 ? between(0) : own(at)
    return { ...nothing, secondary, tertiary, variants: at < 0 ? mark : '' }
  }

  /** Spells the part between `before` and `after` in `text` by marks. */
  private spellMarks(text: string, before: readonly string[], after: readonly string[]): Spelled {
    const { accent } = this.levels
    // The joiner prevents a letter and its mark from forming the contraction that is being spelled.
    const head = before.length === 0 ? '' : before.join(joiner) + joiner
    const tail = after.join(joiner)
    const top = this.marks.at(-1) ?? ''
    const places: number[] = []
    let spelled = ''
    for (;;) {
      const place = this.markBelow(text, head + spelled, tail)
      if (place < 0) return { places, text: head + spelled + tail, isWhole: false, next: place }
      const mark = this.marks[place] ?? ''
      const whole = head + spelled + mark + tail
      const isWhole = accent.compare(whole, text) === 0
      if (isWhole) return { places: [...places, place], text: whole, isWhole, next: place }
      const isWithin = accent.compare(head + spelled + mark + top + top + tail, text) > 0
      if (!isWithin || places.length + 1 >= marksMax) {
        return { places, text: head + spelled + tail, isWhole, next: place }
      }
      places.push(place)
      spelled += mark
    }
  }

  private markBelow(text: string, head: string, tail: string): number {
    const { accent } = this.levels
    let low = 0
    let high = this.marks.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (accent.compare(head + this.marks[middle] + tail, text) <= 0) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  private letterWeights(unit: string): Weights {
    const { accent, variant } = this.levels
    const { places, primary } = this.spellLetters(unit)
    const letters = places.map((place) => this.membersOf(place)[0] ?? '')
    const plain = { ...nothing, primary, secondary: zeros(primary), tertiary: zeros(primary) }
    if (places.length < primary.length) {
      const [accents, accentRank] = this.leastAndRank(unit, accent)
      const [variants, rank] = this.leastAndRank(unit)
      const [secondary, tertiary] = [plain.secondary, plain.tertiary]
      return {
        primary,
        secondary: [...secondary.slice(1), own(accentRank)],
        tertiary: [...tertiary.slice(1), own(rank)],
        accents,
        variants,
      }
    }
    if (variant.compare(unit, letters.join(joiner)) === 0) return plain
    if (accent.compare(unit, letters.join(joiner)) !== 0) {
      return this.withMarks(unit, places, plain, letters)
    }
    return this.withVariant(unit, places, plain, places.length, '')
  }

  /** The classes that spell `unit`, plus a weight if the last is only known to lie between. */
  private spellLetters(unit: string): { places: number[]; primary: number[] } {
    const { base } = this.levels
    const places: number[] = []
    const primary: number[] = []
    let spelled = ''
    while (places.length < expansionMax) {
      const place = this.placeOf(unit, spelled)
      if (place < 0) break
      const text = this.characterAt(this.starts[place] ?? 0)
      const whole = spelled + text
      if (base.compare(whole, unit) !== 0 && base.compare(whole + highest, unit) <= 0) {
        primary.push(between(place))
        break
      }
      places.push(place)
      primary.push(own(place))
      if (base.compare(whole, unit) === 0) break
      spelled = whole + joiner
    }
    return { places, primary }
  }

  private withMarks(
    unit: string,
    places: readonly number[],
    plain: Weights,
    letters: readonly string[],
  ): Weights {
    const { accent } = this.levels
    let nearest = -1
    for (let at = 1; at <= letters.length; at++) {
      const spelled = this.spellMarks(unit, letters.slice(0, at), letters.slice(at))
      if (at === 1) nearest = spelled.next
      if (!spelled.isWhole) continue
      const secondary = [...plain.secondary]
      secondary.splice(at, 0, ...spelled.places.map((place) => own(place)))
      const marks = spelled.places.map((place) => this.marks[place] ?? '').join('')
      return this.withVariant(unit, places, { ...plain, secondary }, at, marks)
    }
    const [accents, accentRank] = this.leastAndRank(unit, accent)
    const [variants, rank] = this.leastAndRank(unit)
    const secondary = [...plain.secondary]
    const isLow = accent.compare(unit, letters.join(joiner)) < 0
    const lying = [isLow ? low : between(nearest), own(accentRank)]
    secondary.splice(isLow ? 0 : 1, isLow ? 1 : 0, ...lying)
    const others = zeros(plain.secondary).slice(1)
    const backward = isLow ? [...others, ...lying] : [...others, ...lying, 0]
    const tertiary = [...plain.tertiary, rank]
    return { ...plain, secondary, backward, tertiary, accents, variants }
  }

  /** Spells `unit` by members of its letters' classes; `marks` follow letter `at`. */
  private withVariant(
    unit: string,
    places: readonly number[],
    weights: Weights,
    at: number,
    marks: string,
  ): Weights {
    const { variant } = this.levels
    const classes = places.map((place) => this.membersOf(place))
    const chosen = classes.map((members) => members[0] ?? '')
    const text = () =>
      chosen.map((one, i) => (i + 1 === at ? one + joiner + marks : one)).join(joiner)
    const tertiary: number[] = []
    let isExact = false
    for (let i = 0; i < classes.length && !isExact; i++) {
      const members = classes[i] ?? []
      let best = 0
      members.forEach((member, j) => {
        chosen[i] = member
        if (variant.compare(text(), unit) <= 0) best = j
      })
      chosen[i] = members[best] ?? ''
      tertiary.push(own(best))
      isExact = variant.compare(text(), unit) === 0
    }
    while (tertiary.length < classes.length) tertiary.push(0)
    // The first member of a class has the lowest weight.
    const found = tertiary.map((weight) => (weight === own(0) ? 0 : weight))
    if (isExact) {
      found.splice(at, 0, ...Array.from(marks, () => 0))
      return { ...weights, tertiary: found }
    }
    const [variants, rank] = this.leastAndRank(unit)
    const above = ((tertiary[0] ?? 0) || own(0)) + 1
    const rest = [...classes.slice(1), ...Array.from(marks)].map(() => 0)
    return { ...weights, tertiary: [above, rank, ...rest], variants }
  }

  /** The lowest character equal to `unit`, or itself, and how many are below it. */
  private leastAndRank(unit: string, by = this.levels.variant): [string, number] {
    const { base } = this.levels
    let low = 0
    let high = this.sorted.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (base.compare(this.characterAt(middle), unit) < 0) low = middle + 1
      else high = middle
    }
    let least: string | undefined
    let rank = 0
    for (let at = low; at < this.sorted.length; at++) {
      const text = this.characterAt(at)
      if (base.compare(text, unit) !== 0) break
      const order = by.compare(text, unit)
      if (order < 0) rank++
      if (order !== 0) continue
      if (least === undefined || codeOf(text) < codeOf(least)) least = text
    }
    return least === undefined ? leastOfFamily(unit, by) : [least, rank]
  }
}

/** Like leastAndRank, for a contraction: among its forms in case and kana. */
function leastOfFamily(unit: string, by: Intl.Collator): [string, number] {
  let family = ['']
  for (const letter of [...unit.normalize('NFC')].slice(0, contractionMax)) {
    const forms = new Set([letter, letter.toLowerCase(), letter.toUpperCase(), ...kanaOf(letter)])
    family = family.flatMap((text) => [...forms].map((form) => text + form))
  }
  family.sort((a, b) => by.compare(a, b) || Buffer.compare(utf8(a), utf8(b)))
  const rank = family.findIndex((text) => by.compare(text, unit) === 0)
  return [family[rank] ?? unit.normalize('NFC'), Math.max(rank, 0)]
}

/** The other kana of a hiragana or katakana letter. */
function kanaOf(letter: string): string[] {
  const code = codeOf(letter)
  if (code > 0x3040 && code < 0x3097) return [String.fromCodePoint(code + 0x60)]
  return code > 0x30a0 && code < 0x30f7 ? [String.fromCodePoint(code - 0x60)] : []
}

interface Spelled {
  readonly places: readonly number[]
  readonly text: string
  readonly isWhole: boolean
  /** The mark that was too low or too high. */
  readonly next: number
}

/** Weights of classes are even, those between two classes odd; 0 is reserved for the lowest. */
const own = (place: number): number => 2 * place + 2
const between = (place: number): number => 2 * place + 3
const zeros = (like: readonly number[]): number[] => like.map(() => 0)
const codeOf = (text: string): number => text.codePointAt(0) ?? 0

/** Accent weights from the end, as in Canadian French. */
export function backwardOf(parts: readonly Weights[]): number[] {
  return parts.toReversed().flatMap(({ backward, secondary }) => backward ?? secondary.toReversed())
}

function together(parts: readonly Weights[]): Weights {
  const isOdd = parts.some(({ backward }) => backward !== undefined)
  return {
    ...(isOdd ? { backward: backwardOf(parts) } : {}),
    primary: parts.flatMap((part) => part.primary),
    secondary: parts.flatMap((part) => part.secondary),
    tertiary: parts.flatMap((part) => part.tertiary),
    accents: parts.map((part) => part.accents).join(''),
    variants: parts.map((part) => part.variants).join(''),
  }
}

/** Classes of marks equal except for the last level; each ordered, without duplicates. */
function classesOfMarks(all: readonly string[], { accent, variant }: Levels): string[][] {
  const marks = all.filter((mark) => accent.compare(mark, '') !== 0)
  marks.sort((a, b) => variant.compare(a, b) || codeOf(a) - codeOf(b))
  const classes: string[][] = []
  for (const mark of withoutEquals(marks, variant)) {
    const last = classes.at(-1)
    if (last !== undefined && accent.compare(last[0] ?? '', mark) === 0) last.push(mark)
    else classes.push([mark])
  }
  return classes
}

function withoutEquals(sorted: readonly string[], by: Intl.Collator): string[] {
  return sorted.filter((one, i) => i === 0 || by.compare(one, sorted[i - 1] ?? '') !== 0)
}
