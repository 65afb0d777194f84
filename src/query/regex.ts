// Regular expressions of filters and expressions. Every one runs in time linear in its input,
// whatever a client writes: plain text between optional anchors is a search for bytes, all else
// runs on an automaton (RE2), never on the backtracking engine of the language.

import { RE2JS } from 're2js'
import { type Bytes, bufferOf, concatBytes, utf8 } from '../base/bytes.js'
import { fail } from '../base/errors.js'
import { regexCharsMax } from '../base/limits.js'
import { bsonType, regexOf, Value } from '../value/value.js'
import { invalidRegex, type RegexSyntax, translateRegex } from './regex-syntax.js'

/** Compiled patterns that are kept; an automaton may grow to some megabytes, so they are few. */
const cachedRegexesMax = 64
const newline = 10

export interface RegexMatch {
  /** UTF-16 offset of the match in the text. */
  readonly index: number
  readonly text: string
  /** Capture groups in order; undefined where one took no part. */
  readonly groups: readonly (string | undefined)[]
}

export class Regex {
  readonly pattern: string
  /** Sorted, each letter once. */
  readonly options: string
  /** Literal text that every match begins with at the start of the string: bounds for an index. */
  readonly prefix: string | undefined
  /** The pattern is `^` and that prefix: the bounds alone decide. */
  readonly isPrefixOnly: boolean
  private readonly syntax: RegexSyntax
  private readonly needle: Bytes | undefined
  private automaton: RE2JS | undefined

  constructor(pattern: string, options: string) {
    if (pattern.length > regexCharsMax) throw invalidRegex('regular expression is too large')
    this.pattern = pattern
    this.options = options
    this.syntax = translateRegex(pattern, options)
    const { literal, prefix } = this.syntax
    this.prefix = prefix
    this.isPrefixOnly = prefix !== undefined && literal !== undefined && !literal.atEnd
    this.needle = literal === undefined ? undefined : utf8(literal.text)
    // A pattern that is refused is refused now, not at the first document.
    if (literal === undefined) this.compiled()
  }

  /** As a BSON value. */
  get value(): Value {
    const nul = Uint8Array.of(0)
    const bytes = concatBytes(utf8(this.pattern), nul, utf8(this.options), nul)
    return new Value(bsonType.regex, bytes, 0, bytes.length)
  }

  /** Whether a string or symbol value matches, its UTF-8 read in place where that is enough. */
  testValue(value: Value): boolean {
    const { bytes } = value
    const start = value.start + 4
    const end = value.end - 1
    if (this.needle !== undefined) return this.testBytes(bytes, start, end, this.needle)
    return this.compiled().test(bufferOf(bytes).toString('utf8', start, end))
  }

  test(text: string): boolean {
    return this.compiled().test(text)
  }

  /** The first match at or after the UTF-16 offset `from`. */
  exec(text: string, from = 0): RegexMatch | undefined {
    const matcher = this.compiled().matcher(text)
    if (!matcher.find(from)) return undefined
    const groups: (string | undefined)[] = []
    for (let i = 1; i <= matcher.groupCount(); i++) groups.push(matcher.group(i) ?? undefined)
    return { index: matcher.start(), text: matcher.group() ?? '', groups }
  }

  private compiled(): RE2JS {
    if (this.automaton === undefined) {
      let flags = 0
      if (this.options.includes('i')) flags |= RE2JS.CASE_INSENSITIVE
      if (this.options.includes('m')) flags |= RE2JS.MULTILINE
      if (this.options.includes('s')) flags |= RE2JS.DOTALL
      try {
        this.automaton = RE2JS.compile(this.syntax.source, flags)
      } catch (error) {
        throw invalidRegex(error instanceof Error ? error.message : String(error))
      }
    }
    return this.automaton
  }

  private testBytes(bytes: Bytes, start: number, end: number, needle: Bytes): boolean {
    const { atStart, atEnd } = this.syntax.literal ?? { atStart: false, atEnd: false }
    const { length } = needle
    if (end - start < length) return false
    if (atStart) {
      if (!sameAt(bytes, start, needle)) return false
      const rest = end - start - length
      return !atEnd || rest === 0 || (rest === 1 && bytes[end - 1] === newline)
    }
    if (atEnd) {
      if (sameAt(bytes, end - length, needle)) return true
      const before = end - 1 - length
      return before >= start && bytes[end - 1] === newline && sameAt(bytes, before, needle)
    }
    const found = bufferOf(bytes).subarray(start, end).indexOf(needle)
    return found >= 0
  }
}

function sameAt(bytes: Bytes, at: number, needle: Bytes): boolean {
  for (let i = 0; i < needle.length; i++) if (bytes[at + i] !== needle[i]) return false
  return true
}

const cache = new Map<string, Regex>()

/**
 * The compiled form of a pattern, from a cache. Throws 51108 on an unknown option, 51091 on a
 * pattern that is malformed or cannot be matched in linear time.
 */
export function compileRegex(pattern: string, options: string): Regex {
  const sorted = [...new Set(options)].sort().join('')
  const unknown = /[^imsux]/.exec(sorted)?.[0]
  if (unknown !== undefined) {
    throw fail('Location51108', `invalid flag in regex options: ${unknown}`)
  }
  const key = `${sorted}/${pattern}`
  let regex = cache.get(key)
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
  return compileRegex(pattern, options)
}

/** A string or symbol that the pattern matches, or the same regular expression as a value. */
export function regexMatches(regex: Regex, value: Value): boolean {
  if (value.type === bsonType.string || value.type === bsonType.symbol) {
    return regex.testValue(value)
  }
  if (value.type !== bsonType.regex) return false
  const other = regexOf(value)
  return other.pattern === regex.pattern && other.options === regex.options
}
