// Regular expressions of filters and expressions. All run in time linear in their input. Plain text
// between optional anchors becomes a search for bytes; everything else runs on an automaton (RE2),
// never on JavaScript's backtracking engine.

import { type Matcher, RE2JS } from 're2js'
import { type Bytes, concatBytes, textOf, utf8 } from '../base/bytes/bytes.js'
import { type CodeUnits, Needle } from '../base/bytes/text-search.js'
import { fail } from '../base/errors.js'
import { regexCharsMax } from '../base/limits/documents.js'
import { work } from '../base/work/work-budget.js'
import {
  bytesPerUnit,
  regexReserveUnits,
  regexTranslationUnits,
} from '../base/work/work-figures.js'
import { bsonType, regexOf, Value } from '../value/value.js'
import { CountedText, countStates, isShort, ShortText, shortTextMax } from './regex-input.js'
import {
  invalidRegex,
  type RegexProgram,
  type RegexSyntax,
  translateRegex,
} from './regex-syntax.js'

/** Cached compiled patterns; few, because an automaton may grow to some megabytes. */
const cachedRegexesMax = 64
const newline = 10
/** Characters of a short text per unit. */
const shortCharsPerUnit = 8

export interface RegexMatch {
  /** UTF-16 offset of the match in the text. */
  readonly index: number
  readonly text: string
  /** Capture groups in order; undefined for a group that did not take part. */
  readonly groups: readonly (string | undefined)[]
}

interface RegexMatcher {
  /** The first match at or after the UTF-16 offset `from`. */
  find(from: number): RegexMatch | undefined
}

export class Regex {
  readonly pattern: string
  /** Sorted, without repetition. */
  readonly options: string
  /** Literal prefix of every matching string, for index bounds. */
  readonly prefix: string | undefined
  /** The pattern is only `^` and that prefix, so the index bounds are exact. */
  readonly isPrefixOnly: boolean
  private readonly syntax: RegexSyntax
  private readonly needle: Needle | undefined
  private automata: Automata | undefined

  /** In the cache. */
  get key(): string {
    return cacheKey(this.pattern, this.options)
  }

  constructor(pattern: string, options: string) {
    if (pattern.length > regexCharsMax) throw invalidRegex('regular expression is too large')
    this.pattern = pattern
    this.options = options
    this.syntax = translated(pattern, options)
    const { literal } = this.syntax
    const { prefix, isPrefixOnly } = prefixIn(this.syntax)
    this.prefix = prefix
    this.isPrefixOnly = isPrefixOnly
    this.needle = literal === undefined ? undefined : new Needle(utf8(literal.text))
    // Compiled now, so that a bad pattern is refused before the first document. One of many, or a
    // long one, is compiled for the first text: a thread can do that instead.
    if (literal === undefined && work.allows(this.units + regexReserveUnits)) this.compiled()
  }

  private get units(): number {
    const { conditions, units } = this.syntax
    return conditions.reduce((sum, each) => sum + each.units, units)
  }

  /** As a BSON value. */
  get value(): Value {
    const nul = Uint8Array.of(0)
    const bytes = concatBytes(utf8(this.pattern), nul, utf8(this.options), nul)
    return new Value(bsonType.regex, bytes, 0, bytes.length)
  }

  /** Whether a string or symbol value matches; its UTF-8 is read in place if possible. */
  testValue(value: Value): boolean {
    const { bytes } = value
    const start = value.start + 4
    const end = value.end - 1
    if (this.needle !== undefined) return this.testBytes(bytes, start, end, this.needle)
    if (end - start > bytesPerUnit) work.spend((end - start) / bytesPerUnit)
    return this.test(textOf(bytes, start, end))
  }

  test(text: string): boolean {
    const { main, conditions } = this.compiled()
    for (const { automaton, isNegative } of conditions) {
      if (automaton.test(text) === isNegative) return false
    }
    return main.test(text)
  }

  /** The matches of a text, one at a time. */
  matcher(text: string): RegexMatcher {
    const { main, conditions } = this.compiled()
    const groups: (string | undefined)[] = []
    for (const { automaton, isNegative } of conditions) {
      const met = automaton.matcher(text).find(0)
      if ((met !== undefined) === isNegative) return unmatched
      groups.push(...(met?.groups ?? automaton.noGroups()))
    }
    const matcher = main.matcher(text)
    if (groups.length === 0) return matcher
    return {
      find(from) {
        const match = matcher.find(from)
        return match && { ...match, groups: [...groups, ...match.groups] }
      },
    }
  }

  /** Throws 51091. */
  private compiled(): Automata {
    if (this.automata !== undefined) return this.automata
    work.spend(this.units)
    let flags = 0
    if (this.options.includes('i')) flags |= RE2JS.CASE_INSENSITIVE
    if (this.options.includes('m')) flags |= RE2JS.MULTILINE
    if (this.options.includes('s')) flags |= RE2JS.DOTALL
    const conditions = this.syntax.conditions.map((condition) => {
      const { isNegative } = condition
      return { automaton: new Automaton(condition, flags), isNegative }
    })
    this.automata = { main: new Automaton(this.syntax, flags), conditions }
    return this.automata
  }

  private testBytes(bytes: Bytes, start: number, end: number, needle: Needle): boolean {
    const { atStart, atEnd } = this.syntax.literal ?? { atStart: false, atEnd: false }
    const { units } = needle
    const { length } = units
    if (end - start < length) return false
    if (atStart) {
      if (!sameAt(bytes, start, units)) return false
      const rest = end - start - length
      return !atEnd || rest === 0 || (rest === 1 && bytes[end - 1] === newline)
    }
    if (atEnd) {
      if (sameAt(bytes, end - length, units)) return true
      const before = end - 1 - length
      return before >= start && bytes[end - 1] === newline && sameAt(bytes, before, units)
    }
    return needle.indexIn(bytes, start, end) >= 0
  }
}

function translated(pattern: string, options: string): RegexSyntax {
  const { pattern: units, char } = regexTranslationUnits
  work.spend(units + pattern.length * char)
  return translateRegex(pattern, options)
}

function prefixIn({ prefix, literal }: RegexSyntax): Pick<Regex, 'prefix' | 'isPrefixOnly'> {
  return {
    prefix,
    isPrefixOnly: prefix !== undefined && literal !== undefined && !literal.atEnd,
  }
}

/** What a pattern is compiled to. */
interface Automata {
  readonly main: Automaton
  /** Look-ahead at the start, tried first. */
  readonly conditions: readonly { automaton: Automaton; isNegative: boolean }[]
}

const unmatched: RegexMatcher = { find: () => undefined }

/** A pattern as RE2 runs it. */
class Automaton {
  private readonly regex: RE2JS
  /** Of its program. */
  private readonly instructions: number
  private countsStates = false

  /** Throws 51091. */
  constructor({ source }: RegexProgram, flags: number) {
    try {
      this.regex = RE2JS.compile(source, flags)
    } catch (error) {
      throw invalidRegex(error instanceof Error ? error.message : String(error))
    }
    this.instructions = this.regex.programSize()
  }

  test(text: string): boolean {
    if (!this.countsStates) {
      countStates(this.regex)
      this.countsStates = true
    }
    if (text.length <= shortTextMax) {
      work.spend(1 + text.length / shortCharsPerUnit)
      return this.regex.test(text)
    }
    const counted = new CountedText(text, this.instructions, false)
    counted.begin()
    return this.regex.test(counted as unknown as string)
  }

  matcher(text: string): RegexMatcher {
    const { regex, instructions } = this
    if (isShort(text, instructions)) {
      return new AutomatonMatcher(regex.matcher(text), new ShortText(text, instructions))
    }
    // Most texts do not match, which the deterministic automaton tells for less.
    if (text.length <= shortTextMax && !this.test(text)) return unmatched
    const counted = new CountedText(text, instructions, true)
    return new AutomatonMatcher(regex.matcher(counted as unknown as string), counted)
  }

  /** The groups of a pattern that has not matched. */
  noGroups(): undefined[] {
    return new Array(this.regex.groupCount()).fill(undefined)
  }
}

class AutomatonMatcher implements RegexMatcher {
  constructor(
    private readonly matcher: Matcher,
    private readonly text: { begin(from: number): void },
  ) {}

  find(from: number): RegexMatch | undefined {
    const { matcher } = this
    this.text.begin(from)
    if (!matcher.find(from)) return undefined
    const groups: (string | undefined)[] = []
    for (let i = 1; i <= matcher.groupCount(); i++) groups.push(matcher.group(i) ?? undefined)
    return { index: matcher.start(), text: matcher.group() ?? '', groups }
  }
}

function sameAt(bytes: Bytes, at: number, needle: CodeUnits): boolean {
  if (needle.length > bytesPerUnit) work.spend(needle.length / bytesPerUnit)
  for (let i = 0; i < needle.length; i++) if (bytes[at + i] !== needle[i]) return false
  return true
}

const cache = new Map<string, Regex>()

function cacheKey(pattern: string, sortedOptions: string): string {
  return `${sortedOptions}/${pattern}`
}

/** Those that were compiled before their command, by its memory. */
const ahead = new WeakMap<ArrayBufferLike, ReadonlyMap<string, Regex>>()

export function keepRegexes({ buffer }: Bytes, regexes: ReadonlyMap<string, Regex>): void {
  ahead.set(buffer, regexes)
}

/**
 * Compiles a pattern, with a cache. Throws 51108 for an unknown option, 51091 for a pattern that is
 * malformed or cannot be matched in linear time. `from` is of the command that the pattern is in.
 */
export function compileRegex(pattern: string, options: string, from?: Value): Regex {
  const sorted = [...new Set(options)].sort().join('')
  const unknown = /[^imsux]/.exec(sorted)?.[0]
  if (unknown !== undefined) {
    throw fail('Location51108', `invalid flag in regex options: ${unknown}`)
  }
  const key = cacheKey(pattern, sorted)
  let regex = cache.get(key) ?? (from && ahead.get(from.bytes.buffer)?.get(key))
  if (regex === undefined) {
    regex = new Regex(pattern, sorted)
    if (cache.size >= cachedRegexesMax) {
      const oldest = cache.keys().next().value
      if (oldest !== undefined) cache.delete(oldest)
    }
    cache.set(key, regex)
  }
  return regex
}

/** The compiled form of a BSON regular expression. */
export function compileRegexValue(value: Value): Regex {
  const { pattern, options } = regexOf(value)
  return compileRegex(pattern, options, value)
}

/** What index bounds need of a BSON regular expression: it is not compiled for them. */
export function regexPrefixOf(value: Value): Pick<Regex, 'prefix' | 'isPrefixOnly'> {
  const { pattern, options } = regexOf(value)
  return cache.get(cacheKey(pattern, options)) ?? prefixIn(translated(pattern, options))
}

/** Whether any regular expression could match: one test instead of one for each of hundreds. */
export function mayMatch({ type }: Value): boolean {
  return type === bsonType.string || type === bsonType.symbol || type === bsonType.regex
}

/** Whether a string or symbol matches, or the value is the same regular expression. */
export function regexMatches(regex: Regex, value: Value): boolean {
  if (value.type === bsonType.string || value.type === bsonType.symbol) {
    return regex.testValue(value)
  }
  if (value.type !== bsonType.regex) return false
  const other = regexOf(value)
  return other.pattern === regex.pattern && other.options === regex.options
}
