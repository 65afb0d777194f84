// Collations: language-dependent string order as Intl.Collator compares, with keys whose bytes
// compare the same way, for indexes and groups. Options that Intl does not support are refused.
// Sources: the reference server's collation document and checks; UTS #35 part 5 for what the
// options mean.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { type Bytes, mapKey, utf8 } from '../../base/bytes/bytes.js'
import { collationTablesMax } from '../../base/limits/engine.js'
import { work } from '../../base/work/work-budget.js'
import { charsPerUnit, collationTableUnits } from '../../base/work/work-figures.js'
import type { Document } from '../value.js'
import { joiner } from './collation-contractions.js'
import { type LevelsOptions, levelsOf, type TableData } from './collation-levels.js'
import { type CollationOptions, readCollation, specOf } from './collation-options.js'
import { backwardOf, CollationTable, low, type Weights } from './collation-table.js'
import { tableDataFor } from './collation-thread.js'

/** Cached collations by their documents. */
const collationsMax = 1_000

export interface Collation {
  /** All options in MongoDB's full form: `{locale, caseLevel, …, version: "57.1"}`. */
  readonly spec: Document
  /** The spec's bytes as text: equal for equal collations. */
  readonly id: string
  /** Bytes that compare like the strings; equal exactly if `compare` returns 0. */
  key(text: string): Bytes
  compare(a: string, b: string): number
  /**
   * Undefined if keys can be made at once. Otherwise a thread builds the table, and the promise
   * resolves when it is ready. Keys can be made without waiting; the first then takes 80 to 240 ms.
   */
  ready(): Promise<void> | undefined
}

/** Keys of another version may order differently, by ICU's data or by the key format. */
export const keysVersion = `${process.versions.icu ?? 'none'}-2`

/**
 * Keyed by the bytes of the given document, so a descriptor that is decoded again shares its
 * collation.
 */
const known = new LRUCache<string, { readonly collation: Collation | undefined }>({
  max: collationsMax,
})
const tables = new LRUCache<string, Loaded>({ max: collationTablesMax })

/** Tables being built in the thread. */
const making = new Map<string, Promise<void>>()

/** A table, and the facts that keys need. */
interface Loaded {
  readonly table: CollationTable
  readonly isPlainSafe: boolean
  readonly hasLowAccents: boolean
  readonly numberWeight: number
  /** Weights by code; undefined if ASCII has contractions or accents. */
  readonly plain: readonly Weights[] | undefined
}

/** Parses a collation; undefined for `{locale: 'simple'}`, the order of bytes. */
export function parseCollation(spec: Document): Collation | undefined {
  const given = mapKey(spec)
  const made = known.get(given)
  if (made !== undefined) return made.collation
  const options = readCollation(spec)
  const collation = options === undefined ? undefined : collationOf(options)
  known.set(given, { collation })
  return collation
}

function collationOf(options: CollationOptions): Collation {
  const spec = specOf(options)
  const id = mapKey(spec)
  const collation = known.get(id)?.collation ?? new IntlCollation(spec, id, options)
  known.set(id, { collation })
  return collation
}

/** Whether both order strings the same way. */
export function sameCollation(a: Collation | undefined, b: Collation | undefined): boolean {
  return a?.id === b?.id
}

function load(options: LevelsOptions): Loaded {
  return loadedOf(options, new CollationTable(levelsOf(options)))
}

/** From what a thread has computed: collators, table and plain weights, a turn each. */
async function loadInTurns(options: LevelsOptions, data: TableData): Promise<Loaded> {
  const levels = levelsOf(options)
  await nextTurn()
  const table = new CollationTable(levels, data)
  await nextTurn()
  return loadedOf(options, table)
}

function loadedOf(options: LevelsOptions, table: CollationTable): Loaded {
  const isPlainSafe = !table.hasPlainContractions
  const { hasLowAccents } = table
  const numberWeight = table.weightBelow('0')
  const isUsual = isPlainSafe && !hasLowAccents && !options.ignorePunctuation
  const plain = isUsual ? plainWeights(table) : undefined
  return { table, isPlainSafe, hasLowAccents, numberWeight, plain }
}

const intlCaseFirst = ({ caseFirst }: CollationOptions): 'upper' | 'lower' | 'false' =>
  caseFirst === 'off' ? 'false' : caseFirst

const sensitivities = ['base', 'base', 'accent', 'variant'] as const
/** Below every weight's first byte. */
const levelEnd = 2
const firstLead = 3
/** Weights below this take two bytes, others three. */
const shortWeights = (0xe0 - firstLead) * 256
/** ICU splits a number's digits into parts of this length. */
const digitsMax = 254
/** Work units of a key's character: for ASCII in most languages, and with a weight lookup. */
const plainCharUnits = 0.3
const weighedCharUnits = 3
/** Shorter texts are covered by the cost of a comparison. */
const longChars = 256
const plainText = /^[\x20-\x7e]*$/

class IntlCollation implements Collation {
  private readonly order: (a: string, b: string) => number
  /** Distinguishes ignored punctuation from marks. */
  private readonly unshifted: Intl.Collator
  private readonly levels: LevelsOptions
  private readonly tableName: string

  constructor(
    readonly spec: Document,
    readonly id: string,
    private readonly options: CollationOptions,
  ) {
    const { tag, isShifted: ignorePunctuation, numericOrdering: numeric, strength } = options
    const sensitivity = sensitivities[strength] ?? 'variant'
    const caseFirst = intlCaseFirst(options)
    const how = { usage: 'sort', sensitivity, caseFirst, ignorePunctuation, numeric } as const
    this.unshifted = new Intl.Collator('en', { sensitivity: 'base', ignorePunctuation: false })
    this.order = new Intl.Collator(tag, how).compare
    this.levels = { tag, caseFirst, ignorePunctuation }
    this.tableName = `${tag} ${caseFirst} ${ignorePunctuation}`
  }

  compare(a: string, b: string): number {
    const chars = a.length + b.length
    if (chars > longChars) work.spend(chars / charsPerUnit)
    return this.order(streamSafe(a), streamSafe(b))
  }

  key(given: string): Bytes {
    const text = streamSafe(given)
    const loaded = this.loaded()
    const { strength, backwards, numericOrdering } = this.options
    const { plain } = loaded
    if (plain !== undefined && !numericOrdering && plainText.test(text)) {
      work.spend(text.length * plainCharUnits)
      return this.plainKey(text, plain)
    }
    work.spend(text.length * weighedCharUnits)
    const parts = this.weights(loaded, text)
    const out = new WeightBuffer()
    for (const part of parts) for (const weight of part.primary) out.push(weight)
    if (strength >= 2) {
      out.end()
      if (backwards) for (const weight of backwardOf(parts)) out.pushLevel(weight)
      else if (loaded.hasLowAccents) {
        for (const part of parts) for (const weight of part.secondary) out.push(weight - low)
      } else for (const part of parts) for (const weight of part.secondary) out.pushLevel(weight)
    }
    if (strength >= 3) {
      out.end()
      for (const part of parts) for (const weight of part.tertiary) out.pushLevel(weight)
    }
    const names = strength === 2 ? 'accents' : 'variants'
    const identity = strength === 1 ? '' : parts.map((part) => part[names]).join('')
    if (identity !== '') out.text(identity)
    return out.finish()
  }

  /** The key of ASCII text, whose characters have one weight for each level and no accents. */
  private plainKey(text: string, plain: readonly Weights[]): Bytes {
    const { strength } = this.options
    const out = new WeightBuffer()
    for (let i = 0; i < text.length; i++) out.push(plain[text.charCodeAt(i)]?.primary[0] ?? 0)
    if (strength >= 2) out.end()
    if (strength < 3) return out.finish()
    out.end()
    for (let i = 0; i < text.length; i++) out.pushLevel(plain[text.charCodeAt(i)]?.tertiary[0] ?? 0)
    return out.finish()
  }

  /** Many collations may be in use, but only few of their tables fit into memory. */
  private loaded(): Loaded {
    const made = tables.get(this.tableName)
    if (made !== undefined) return made
    // Many tables in one turn would take seconds: a loop then ends its batch, or pauses.
    work.note(collationTableUnits)
    return this.keep(load(this.levels))
  }

  ready(): Promise<void> | undefined {
    const { tableName } = this
    if (tables.has(tableName)) return undefined
    let made = making.get(tableName)
    if (made === undefined) {
      made = this.make().finally(() => making.delete(tableName))
      making.set(tableName, made)
    }
    return made
  }

  private async make(): Promise<void> {
    const data = await tableDataFor(this.levels)
    if (data === undefined || tables.has(this.tableName)) return
    const loaded = await loadInTurns(this.levels, data)
    if (!tables.has(this.tableName)) this.keep(loaded)
  }

  private keep(loaded: Loaded): Loaded {
    tables.set(this.tableName, loaded)
    return loaded
  }

  private weights(loaded: Loaded, text: string): Weights[] {
    const { table, numberWeight } = loaded
    const found: Weights[] = []
    let isShifted = false
    for (const unit of this.unitsOf(loaded, text)) {
      if (this.options.numericOrdering && isNumber(unit)) {
        found.push(...numberParts(unit, numberWeight))
        isShifted = false
        continue
      }
      const weights = table.weightsOf(unit)
      if (weights.primary.length > 0) isShifted = false
      else if (this.options.isShifted) {
        if (this.unshifted.compare(unit, '') !== 0) isShifted = true
        // Marks after ignored punctuation are ignored with it.
        if (isShifted) continue
      }
      found.push(weights)
    }
    return found
  }

  /** Splits a text into characters, contractions and, with numericOrdering, numbers. */
  private unitsOf({ table, isPlainSafe }: Loaded, text: string): string[] {
    const plain = this.options.numericOrdering
      ? (text.normalize('NFC').match(/\p{Nd}+|\P{Nd}/gu) ?? [])
      : [...text.normalize('NFC')]
    if (isPlainSafe && plainText.test(text)) return plain
    const { variant } = table.levels
    if (variant.compare(text, plain.join(joiner)) === 0) return plain
    return contracted(plain, variant)
  }
}

/** Undefined if a character has several weights on a level, or an accent. */
function plainWeights(table: CollationTable): Weights[] | undefined {
  const found: Weights[] = []
  for (let code = 0x20; code < 0x7f; code++) {
    const weights = table.weightsOf(String.fromCharCode(code))
    const { primary, secondary, tertiary, accents, variants } = weights
    const isOne = [primary, secondary, tertiary].every((level) => level.length === 1)
    if (!isOne || secondary[0] !== 0 || accents !== '' || variants !== '') return undefined
    found[code] = weights
  }
  return found
}

const isNumber = (unit: string): boolean => /^\p{Nd}/u.test(unit)
/** Characters checked on each side of a possible contraction. */
const around = 4
const contractionCharsMax = 24

/** Not a character: ICU uses it to separate texts, with weights that compare with no others. */
const separator = '\ufffe'
/** Marks after one letter that are ordered together (UAX #15, stream-safe text). */
const marksTogether = 30
const tooManyMarks = /\p{M}{31}/u

/**
 * The text with a joiner after every 30 consecutive marks, since ICU's time to order marks grows
 * with their square. ICU's separator is replaced by an unknown character.
 */
function streamSafe(given: string): string {
  const text = given.includes(separator) ? given.replaceAll(separator, '\ufffd') : given
  if (text.length <= marksTogether || !tooManyMarks.test(text)) return text
  return text.replace(/\p{M}{30}/gu, `$&${joiner}`)
}

/** Merges units until none forms a contraction with its neighbours. */
function contracted(plain: readonly string[], variant: Intl.Collator): string[] {
  const units: string[] = []
  let unit = plain[0] ?? ''
  for (let i = 1; i < plain.length; i++) {
    const before = plain.slice(Math.max(0, i - around), i).join('')
    const after = plain.slice(i, i + around).join('')
    const isApart = variant.compare(before + after, before + joiner + after) === 0
    // A letter with very many marks must not become an unbounded unit.
    if (isApart || unit.length > contractionCharsMax) {
      units.push(unit)
      unit = ''
    }
    unit += plain[i]
  }
  return [...units, unit]
}

/** The value as ICU treats it: without leading zeros, in parts of 254 digits. */
function numberParts(digits: string, weight: number): Weights[] {
  const values = Array.from(digits, digitValue)
  const parts: Weights[] = []
  let at = 0
  do {
    while (at < values.length - 1 && values[at] === 0) at++
    const part = values.slice(at, at + digitsMax)
    const primary = [weight, part.length, ...part]
    parts.push({ primary, secondary: [0], tertiary: [0], accents: '', variants: '' })
    at += digitsMax
  } while (at < values.length)
  return parts
}

/** The digits of a script are adjacent, from 0 to 9. */
function digitValue(digit: string): number {
  let code = digit.codePointAt(0) ?? 0
  if (code < 0x80) return code - 0x30
  // From U+1D7CE: five adjacent sets.
  if (code >= 0x1d7ce && code <= 0x1d7ff) return (code - 0x1d7ce) % 10
  let value = 0
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(--code))) value++
  return value
}

class WeightBuffer {
  private bytes = new Uint8Array(64)
  private at = 0
  private zeros = 0

  push(weight: number): void {
    this.reserve(3)
    if (weight < shortWeights) {
      this.bytes[this.at++] = firstLead + (weight >> 8)
      this.bytes[this.at++] = weight
      return
    }
    const rest = weight - shortWeights
    this.bytes[this.at++] = 0xe0 + (rest >> 16)
    this.bytes[this.at++] = rest >> 8
    this.bytes[this.at++] = rest
  }

  /** Begins the next level. */
  end(): void {
    this.zeros = 0
    this.reserve(1)
    this.bytes[this.at++] = levelEnd
  }

  /** Like push, but omits trailing lowest weights of a level, which do not affect the order. */
  pushLevel(weight: number): void {
    if (weight === 0) {
      this.zeros++
      return
    }
    for (; this.zeros > 0; this.zeros--) this.push(0)
    this.push(weight)
  }

  text(text: string): void {
    const bytes = utf8(text)
    this.reserve(bytes.length + 1)
    this.bytes[this.at++] = levelEnd
    this.bytes.set(bytes, this.at)
    this.at += bytes.length
  }

  finish(): Bytes {
    return this.bytes.slice(0, this.at)
  }

  private reserve(more: number): void {
    if (this.at + more <= this.bytes.length) return
    const bigger = new Uint8Array(Math.max(this.bytes.length * 2, this.at + more))
    bigger.set(this.bytes)
    this.bytes = bigger
  }
}
