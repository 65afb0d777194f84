// Translates regular expressions of MongoDB's dialect (PCRE2) to that of the linear-time engine
// (RE2): option x is resolved, `$` accepts a final newline, escapes that RE2 lacks become classes.
// Look-ahead directly behind a leading `^` becomes patterns of its own, tried where a text starts.
// Deviation: what no automaton can do (other look-around, back references, possessive quantifiers,
// atomic groups) is refused, and so are counts above 1,000, and programs above 35,000 instructions.

import { fail, type GatewayError } from '../base/errors.js'
import { regexProgramMax } from '../base/limits/documents.js'
import { programSizeOf } from './regex-size.js'

/** What RE2 compiles. */
export interface RegexProgram {
  /** The pattern for RE2. */
  readonly source: string
  /** Units that compiling it takes. */
  readonly units: number
}

export interface RegexSyntax extends RegexProgram {
  /** Literal prefix of every match, if the pattern starts with `^`. */
  readonly prefix: string | undefined
  /** Set if the pattern is only literal text between optional anchors. */
  readonly literal: { text: string; atStart: boolean; atEnd: boolean } | undefined
  /** Look-ahead at the start of the text, in order; their groups count before those of `source`. */
  readonly conditions: readonly Condition[]
}

interface Condition extends RegexProgram {
  /** `(?!…)`: the text must not match. */
  readonly isNegative: boolean
}

/** The current options; the end of a group restores them. */
interface Flags {
  ignoreCase: boolean
  multiline: boolean
  extended: boolean
}

/** End of the text, or before its final newline. */
const endOfText = '(?:\\n?\\z)'
const horizontalSpace =
  '\\t\\x{20}\\x{a0}\\x{1680}\\x{180e}\\x{2000}-\\x{200a}\\x{202f}\\x{205f}\\x{3000}'
const verticalSpace = '\\n\\x{b}\\f\\r\\x{85}\\x{2028}\\x{2029}'

/** Escapes that stand for one control character. */
const controls: Readonly<Record<string, number>> = { a: 7, e: 27, f: 12, n: 10, r: 13, t: 9 }

/** Escapes outside classes, with their translation for RE2. */
const escapes: Readonly<Record<string, string>> = {
  d: '[0-9]',
  D: '[^0-9]',
  w: '[0-9A-Za-z_]',
  W: '[^0-9A-Za-z_]',
  s: '[\\t-\\r\\x{20}]',
  S: '[^\\t-\\r\\x{20}]',
  h: `[${horizontalSpace}]`,
  H: `[^${horizontalSpace}]`,
  v: `[${verticalSpace}]`,
  V: `[^${verticalSpace}]`,
  N: '[^\\n]',
  R: `(?:\\r\\n|[${verticalSpace}])`,
  A: '\\A',
  G: '\\A',
  z: '\\z',
  Z: endOfText,
  b: '\\b',
  B: '\\B',
}

/** Escapes within classes. */
const classEscapes: Readonly<Record<string, string>> = {
  d: '0-9',
  D: '\\D',
  w: '0-9A-Za-z_',
  W: '\\W',
  s: '\\t-\\r\\x{20}',
  S: '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{10ffff}',
  h: horizontalSpace,
  v: verticalSpace,
}

export function invalidRegex(reason: string): GatewayError {
  return fail('Location51091', `Regular expression is invalid: ${reason}`)
}

function unsupported(what: string): GatewayError {
  return invalidRegex(`${what} not supported: patterns are matched in linear time`)
}

function lookAround(): GatewayError {
  const text = 'look-around assertions, except look-ahead directly behind a leading ^, are'
  return unsupported(text)
}

/** `options` are already checked: i, m, s, x, u. Throws 51091. */
export function translateRegex(pattern: string, options: string): RegexSyntax {
  return new Translator(pattern, {
    ignoreCase: options.includes('i'),
    multiline: options.includes('m'),
    extended: options.includes('x'),
  }).run()
}

class Translator {
  private at = 0
  private readonly out: string[] = []
  private readonly outer: Flags[] = []
  private text = ''
  private atStart = false
  private atEnd = false
  /** True while the pattern so far is an anchor and the literal characters in `text`. */
  private isLiteral = true
  /** Whether `text` can still grow. */
  private isOpen = true
  private hasBranches = false
  private readonly ignoresCase: boolean
  private readonly conditions: Condition[] = []

  constructor(
    private readonly pattern: string,
    private flags: Flags,
  ) {
    this.ignoresCase = flags.ignoreCase
  }

  run(): RegexSyntax {
    this.verbs()
    while (this.at < this.pattern.length) this.atom()
    const { text, atStart, atEnd, conditions } = this
    if (conditions.length > 0 && this.hasBranches) throw lookAround()
    const hasPrefix = atStart && !this.hasBranches && text !== ''
    const isLiteral = this.isLiteral && !this.hasBranches && conditions.length === 0
    return {
      ...this.program(),
      prefix: hasPrefix ? text : undefined,
      literal: isLiteral ? { text, atStart, atEnd } : undefined,
      conditions,
    }
  }

  private program(): RegexProgram {
    const { size, units } = programSizeOf(this.out, this.ignoresCase)
    if (size > regexProgramMax) throw invalidRegex('regular expression is too large')
    return { source: this.out.join(''), units }
  }

  /** The rest of a look-ahead, up to behind its parenthesis. */
  private condition(isNegative: boolean): void {
    const inner = new Translator(this.pattern, { ...this.flags })
    inner.at = this.at + '?='.length
    const { pattern } = this
    while (inner.outer.length > 0 || pattern[inner.at] !== ')') {
      if (inner.at >= pattern.length) throw invalidRegex('missing closing parenthesis')
      inner.atom()
    }
    this.at = inner.at + 1
    if (inner.conditions.length > 0 || /^[*+?{]/.test(pattern.slice(this.at))) throw lookAround()
    const { source, units } = inner.program()
    this.conditions.push({ source: `\\A(?:${source})`, units, isNegative })
  }

  /** `(*UTF8)` and the like at the start. */
  private verbs(): void {
    while (this.pattern.startsWith('(*', this.at)) {
      const verb = /^\(\*UTF8?\)/.exec(this.pattern.slice(this.at))?.[0]
      if (verb === undefined) throw unsupported('verbs such as (*UCP) are')
      this.at += verb.length
    }
  }

  private atom(): void {
    const character = this.take()
    if (this.flags.extended && this.skips(character)) return
    switch (character) {
      case '\\':
        this.escape()
        break
      case '[':
        this.other(this.characterClass())
        break
      case '(':
        this.open()
        break
      case ')':
        this.close()
        break
      case '^':
        this.start()
        break
      case '$':
        this.end()
        break
      case '|':
        if (this.outer.length === 0) this.hasBranches = true
        this.other('|')
        break
      case '*':
      case '+':
      case '?':
        this.quantifier(character)
        break
      case '{':
        this.braces()
        break
      case '.':
        this.other('.')
        break
      default:
        this.literal(character)
        break
    }
  }

  /** Whether these characters are next: a regular expression is slow for each of 32,000. */
  private follows(first: string, second?: string): boolean {
    const { pattern, at } = this
    return pattern[at] === first && (second === undefined || pattern[at + 1] === second)
  }

  private take(): string {
    const code = this.pattern.codePointAt(this.at)
    if (code === undefined) throw invalidRegex('\\ at end of pattern')
    if (code <= 0xffff) return this.pattern[this.at++] as string
    this.at += 2
    return String.fromCodePoint(code)
  }

  /** Skips white space and comments with option x. */
  private skips(character: string): boolean {
    if (/[\t-\r ]/.test(character)) return true
    if (character !== '#') return false
    const end = this.pattern.indexOf('\n', this.at)
    this.at = end < 0 ? this.pattern.length : end + 1
    return true
  }

  private literal(character: string): void {
    this.out.push(quoted(character))
    if (this.atEnd || this.flags.ignoreCase) this.seal()
    if (this.isOpen) this.text += character
  }

  /** Any item that is not a literal character: it ends the literal prefix. */
  private other(source: string): void {
    this.seal()
    this.out.push(source)
  }

  private seal(): void {
    this.isLiteral = false
    this.isOpen = false
  }

  private start(): void {
    this.out.push('^')
    const isFirst = this.out.length === 1 && !this.flags.multiline
    if (isFirst) this.atStart = true
    else this.seal()
  }

  private end(): void {
    this.out.push(this.flags.multiline ? '$' : endOfText)
    if (this.flags.multiline || this.outer.length > 0) this.seal()
    this.atEnd = true
    this.isOpen = false
  }

  private escape(): void {
    const character = this.take()
    const code = controls[character]
    if (code !== undefined) this.literal(String.fromCodePoint(code))
    else if (Object.hasOwn(escapes, character)) this.other(escapes[character] as string)
    else if (character === 'Q') this.quotation()
    else if (character === 'p' || character === 'P') this.other(this.property(character))
    else if (/[1-9gk]/.test(character)) throw unsupported('back references are')
    else if (/[KXC]/.test(character)) throw unsupported(`\\${character} is`)
    else if (character !== 'E') this.literal(this.codeEscape(character))
  }

  private quotation(): void {
    const end = this.pattern.indexOf('\\E', this.at)
    const text = this.pattern.slice(this.at, end < 0 ? undefined : end)
    this.at = end < 0 ? this.pattern.length : end + 2
    for (const character of text) this.literal(character)
  }

  /** `\pL`, `\p{Greek}`. */
  private property(letter: string): string {
    const rest = this.pattern.slice(this.at)
    const name = /^(?:[A-Z]|\{\^?[A-Za-z_]+\})/.exec(rest)?.[0]
    if (name === undefined) throw invalidRegex('malformed \\P or \\p sequence')
    this.at += name.length
    return `\\${letter}${name}`
  }

  /** `\x41`, `\x{1f600}`, `\o{101}`, `\012`, `\cA`; an escaped non-letter means itself. */
  private codeEscape(character: string): string {
    const rest = this.pattern.slice(this.at)
    if (character === 'x') {
      const hex = /^(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{0,2}))/.exec(rest)
      return this.codePoint(hex?.[0] ?? '', Number.parseInt(hex?.[1] ?? `0${hex?.[2] ?? ''}`, 16))
    }
    if (character === 'o') {
      const octal = /^\{([0-7]{1,7})\}/.exec(rest)
      if (octal === null) throw invalidRegex('missing opening brace after \\o')
      return this.codePoint(octal[0], Number.parseInt(octal[1] ?? '0', 8))
    }
    if (/[0-7]/.test(character)) {
      const octal = /^[0-7]{0,2}/.exec(rest)?.[0] ?? ''
      return this.codePoint(octal, Number.parseInt(character + octal, 8))
    }
    if (character === 'c') {
      const control = this.take().toUpperCase().charCodeAt(0)
      return String.fromCharCode(control ^ 64)
    }
    if (/[0-9A-Za-z]/.test(character)) {
      throw invalidRegex('unrecognized character follows \\')
    }
    return character
  }

  private codePoint(consumed: string, code: number): string {
    if (code > 0x10ffff) throw invalidRegex('character code point value is too large')
    this.at += consumed.length
    return String.fromCodePoint(code)
  }

  private characterClass(): string {
    let source = '['
    if (this.pattern[this.at] === '^') {
      source += '^'
      this.at++
    }
    for (let isFirst = true; ; isFirst = false) {
      if (this.at >= this.pattern.length) {
        throw invalidRegex('missing terminating ] for character class')
      }
      if (this.pattern[this.at] === ']' && !isFirst) break
      source += this.classItem()
    }
    this.at++
    return `${source}]`
  }

  /** A character, a range, an escape or a POSIX class. */
  private classItem(): string {
    const posix = this.follows('[', ':')
      ? /^\[:\^?[a-z]+:\]/.exec(this.pattern.slice(this.at))?.[0]
      : undefined
    if (posix !== undefined) {
      this.at += posix.length
      return posix
    }
    const low = this.classCharacter()
    const { pattern, at } = this
    const isRange = this.follows('-') && at + 1 < pattern.length && pattern[at + 1] !== ']'
    if (low.set !== undefined || !isRange) return low.set ?? quoted(low.character)
    this.at++
    const high = this.classCharacter()
    if (high.set !== undefined) return `${quoted(low.character)}\\-${high.set}`
    if ((high.character.codePointAt(0) ?? 0) < (low.character.codePointAt(0) ?? 0)) {
      throw invalidRegex('range out of order in character class')
    }
    return `${quoted(low.character)}-${quoted(high.character)}`
  }

  private classCharacter(): { character: string; set?: string } {
    const character = this.take()
    if (character !== '\\') return { character }
    const escaped = this.take()
    const set = classEscapes[escaped]
    if (set !== undefined && Object.hasOwn(classEscapes, escaped)) return { character: '', set }
    if (escaped === 'p' || escaped === 'P') return { character: '', set: this.property(escaped) }
    if (escaped === 'b') return { character: '\b' }
    const code = controls[escaped]
    if (code !== undefined) return { character: String.fromCodePoint(code) }
    return { character: this.codeEscape(escaped) }
  }

  private open(): void {
    const rest = this.pattern.slice(this.at)
    const isAhead = /^\?[=!]/.test(rest)
    if (isAhead && this.atStart && this.out.length === 1) {
      this.condition(rest[1] === '!')
      return
    }
    this.seal()
    if (!rest.startsWith('?')) {
      if (rest.startsWith('*')) throw unsupported('verbs are')
      this.push('(')
      return
    }
    if (rest.startsWith('?#')) {
      const end = rest.indexOf(')')
      if (end < 0) throw invalidRegex('missing ) after (?# comment')
      this.at += end + 1
      return
    }
    if (/^\?<?[=!]/.test(rest)) throw lookAround()
    const named = /^\?(?:P?<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')/.exec(rest)
    if (named !== null) {
      this.at += named[0].length
      this.push(`(?P<${named[1] ?? named[2]}>`)
      return
    }
    const inline = /^\?([imsxU]*)(?:-([imsxU]*))?([:)])/.exec(rest)
    if (inline === null) throw unsupported('groups of this kind are')
    this.at += inline[0].length
    this.inlineFlags(inline[1] ?? '', inline[2] ?? '', inline[3] === ':')
  }

  private inlineFlags(on: string, off: string, opensGroup: boolean): void {
    const kept = (flags: string) => flags.replaceAll('x', '')
    const minus = kept(off) === '' ? '' : `-${kept(off)}`
    const letters = kept(on) + minus
    if (opensGroup) this.push(`(?${letters}:`)
    else if (letters !== '') this.out.push(`(?${letters})`)
    const has = (letter: string, before: boolean) =>
      !off.includes(letter) && (before || on.includes(letter))
    this.flags = {
      ignoreCase: has('i', this.flags.ignoreCase),
      multiline: has('m', this.flags.multiline),
      extended: has('x', this.flags.extended),
    }
  }

  private push(source: string): void {
    this.out.push(source)
    this.outer.push(this.flags)
  }

  private close(): void {
    const outer = this.outer.pop()
    if (outer === undefined) throw invalidRegex('unmatched closing parenthesis')
    this.flags = outer
    this.other(')')
  }

  private quantifier(source: string): void {
    if (this.isOpen) {
      // The last character is optional, so it is not part of the prefix.
      this.text = [...this.text].slice(0, -1).join('')
    }
    this.other(source)
    if (this.pattern[this.at] === '+') throw unsupported('possessive quantifiers are')
    if (this.pattern[this.at] === '?') {
      this.out.push('?')
      this.at++
    }
  }

  /** `{2}`, `{2,}`, `{2,5}`; any other brace is a character. */
  private braces(): void {
    const counts = /^\d+(?:,\d*)?\}/.exec(this.pattern.slice(this.at))?.[0]
    if (counts === undefined) this.literal('{')
    else {
      this.at += counts.length
      this.quantifier(`{${counts}`)
    }
  }
}

/** A literal character, inside or outside classes. */
function quoted(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (isWord(code)) return character
  return `\\x{${code.toString(16)}}`
}

function isWord(code: number): boolean {
  if (code >= 0x61) return code <= 0x7a
  if (code >= 0x41) return code <= 0x5a || code === 0x5f
  return code >= 0x30 && code <= 0x39
}
