// The lexer: splits a statement's text into tokens by PostgreSQL's rules, with two exceptions.
// Names keep their case, as fields of documents do. `?` is a placeholder, never part of an
// operator. (PostgreSQL 17, 4.1)

import { sqlBytesMax, sqlInsertBytesMax, sqlTokensMax } from '../../base/limits/sql.js'
import { readEscapes } from './escapes.js'
import { sqlError, sqlState } from './sql-error.js'
import type { Token } from './token.js'

/** Reads a text token by token. Throws BadValue with the position of an error. */
export class Lexer {
  private at = 0
  private count = 0

  constructor(private readonly text: string) {
    requireSound(text)
  }

  /** The next token; after the last one always `end`. */
  next(): Token {
    this.skipBlank()
    if (this.at >= this.text.length) {
      return { kind: 'end', start: this.text.length, end: this.text.length }
    }
    if (++this.count > sqlTokensMax) {
      throw this.refuse(`statement of more than ${sqlTokensMax} words`, sqlState.tooComplex)
    }
    return this.read()
  }

  private read(): Token {
    const { text, at } = this
    const code = text.charCodeAt(at)
    if (isWordStart(text, at)) return this.word()
    if (isDigit(code) || (code === 0x2e && isDigit(text.charCodeAt(at + 1)))) return this.number()
    switch (text[at]) {
      case "'":
        return this.string(at, false)
      case '"':
      case '`':
        return this.name()
      case '$':
        return this.dollar()
      case '?':
        this.at++
        return { kind: 'parameter', style: 'positional', name: '', start: at, end: this.at }
      case ':':
        return this.colon()
    }
    if (single.includes(text[at] as string)) return this.symbol(1)
    if (operatorCharacters.includes(text[at] as string)) return this.operator()
    throw this.refuse(
      `syntax error at or near "${String.fromCodePoint(text.codePointAt(at) ?? 0)}"`,
    )
  }

  private word(): Token {
    const { text, at: start } = this
    const end = wordEnd(text, start)
    const word = text.slice(start, end)
    if (text[end] === "'" && word.length === 1) {
      if (word === 'E' || word === 'e') {
        this.at = end
        return this.string(start, true)
      }
      if (bitStrings.includes(word)) {
        throw this.refuse('bit strings are not supported', sqlState.featureNotSupported)
      }
    }
    if (/^u&['"]/i.test(text.slice(start, start + 3))) {
      throw this.refuse('U& strings and names are not supported', sqlState.featureNotSupported)
    }
    this.at = end
    return { kind: 'word', text: word, lower: word.toLowerCase(), start, end }
  }

  private number(): Token {
    const { text, at: start } = this
    numberPattern.lastIndex = start
    const written = numberPattern.exec(text)?.[0] ?? ''
    const end = start + written.length
    this.at = end
    if (isWordStart(text, end)) {
      const rest = text.slice(start, wordEnd(text, end))
      throw this.refuse(
        `trailing junk after numeric literal at or near "${rest}"`,
        undefined,
        start,
      )
    }
    return { kind: 'number', digits: decimalDigits(written), start, end }
  }

  /** At the quote; `start` is the start of the token. Strings on successive lines are joined. */
  private string(start: number, hasEscapes: boolean): Token {
    let value = ''
    for (;;) {
      const body = this.quoted("'", hasEscapes)
      value += hasEscapes ? readEscapes(body, this.text, start) : body
      const next = this.continuation()
      if (next === undefined) break
      this.at = next
    }
    return { kind: 'string', text: value, start, end: this.at }
  }

  /** The next part of a string: a quote after white space that includes a line end. */
  private continuation(): number | undefined {
    const { text, at } = this
    this.skipBlank(false)
    const next = this.at
    this.at = at
    return text[next] === "'" && /[\n\r]/.test(text.slice(at, next)) ? next : undefined
  }

  private name(): Token {
    const start = this.at
    const value = this.quoted(this.text[start] as string, false)
    if (value === '') throw this.refuse('zero-length delimited identifier', undefined, start)
    return { kind: 'name', text: value, start, end: this.at }
  }

  /** The text between quotes, doubled quotes decoded; with escapes, a backslash escapes a quote. */
  private quoted(quote: string, hasEscapes: boolean): string {
    const { text, at: start } = this
    let value = ''
    let from = start + 1
    for (let at = from; at < text.length; at++) {
      if (hasEscapes && text[at] === '\\') {
        at++
        continue
      }
      if (text[at] !== quote) continue
      value += text.slice(from, at)
      if (text[at + 1] !== quote) {
        this.at = at + 1
        return value
      }
      value += quote
      at++
      from = at + 1
    }
    const what = quote === "'" ? 'quoted string' : 'quoted identifier'
    throw this.refuse(`unterminated ${what} at or near "${text.slice(start, start + 40)}"`)
  }

  /** `$1`, or a string between two equal `$tag$`. */
  private dollar(): Token {
    const { text, at: start } = this
    if (isDigit(text.charCodeAt(start + 1))) {
      const end = digitsEnd(text, start + 1)
      this.at = end
      if (isWordStart(text, end)) {
        const rest = text.slice(start, wordEnd(text, end))
        throw this.refuse(`trailing junk after parameter at or near "${rest}"`, undefined, start)
      }
      return { kind: 'parameter', style: 'numbered', name: text.slice(start + 1, end), start, end }
    }
    const behind = isWordStart(text, start + 1) ? tagEnd(text, start + 1) : start + 1
    if (text[behind] !== '$') throw this.refuse('syntax error at or near "$"')
    const tag = text.slice(start, behind + 1)
    const close = text.indexOf(tag, behind + 1)
    if (close < 0) throw this.refuse(`unterminated dollar-quoted string at or near "${tag}"`)
    this.at = close + tag.length
    return { kind: 'string', text: text.slice(behind + 1, close), start, end: this.at }
  }

  private colon(): Token {
    const { text, at: start } = this
    if (text[start + 1] === ':') return this.symbol(2)
    if (!isWordStart(text, start + 1)) return this.symbol(1)
    const end = wordEnd(text, start + 1)
    this.at = end
    return { kind: 'parameter', style: 'named', name: text.slice(start + 1, end), start, end }
  }

  /** The longest run of operator characters, without the start of a comment or a final sign. */
  private operator(): Token {
    const { text, at: start } = this
    let end = start
    const last = Math.min(text.length, start + operatorScanMax)
    while (end < last && operatorCharacters.includes(text[end] as string)) end++
    const run = text.slice(start, end)
    const comment = run.search(/--|\/\*/)
    let length = comment > 0 ? comment : run.length
    if (!/[~!@#%^&|]/.test(run.slice(0, length))) {
      while (length > 1 && signs.includes(run[length - 1] as string)) length--
    }
    if (length > operatorLengthMax) throw this.refuse('operator too long')
    return this.symbol(length)
  }

  private symbol(length: number): Token {
    const start = this.at
    this.at += length
    return { kind: 'symbol', text: this.text.slice(start, this.at), start, end: this.at }
  }

  /** Skips white space and comments; block comments nest. */
  private skipBlank(withBlocks = true): void {
    const { text } = this
    for (;;) {
      while (isBlank(text.charCodeAt(this.at))) this.at++
      if (text.startsWith('--', this.at)) {
        const end = text.slice(this.at).search(/[\n\r]/)
        this.at = end < 0 ? text.length : this.at + end
      } else if (withBlocks && text.startsWith('/*', this.at)) this.at = this.blockEnd()
      else return
    }
  }

  private blockEnd(): number {
    const { text, at: start } = this
    const mark = /\/\*|\*\//g
    mark.lastIndex = start
    for (let depth = 0, found = mark.exec(text); found !== null; found = mark.exec(text)) {
      depth += found[0] === '/*' ? 1 : -1
      if (depth === 0) return mark.lastIndex
    }
    throw this.refuse('unterminated /* comment', undefined, start)
  }

  private refuse(message: string, state: Parameters<typeof sqlError>[3] = undefined, at = this.at) {
    return sqlError(this.text, at, message, state)
  }
}

const single = '()[],;.'
const operatorCharacters = '+-*/<>=~!@#%^&|'
const signs = '+-'
/** Longest operator, as PostgreSQL's names; a longer run is cut. */
const operatorLengthMax = 63
const operatorScanMax = 2 * operatorLengthMax
const bitStrings = 'BbXxNn'
/** `0x1F`, `0o17`, `0b1`, `12`, `1.`, `.5`, `1e3`, single underscores between digits. */
const numberPattern = new RegExp(
  [
    /0(?:x(?:_?[\da-f])+|o(?:_?[0-7])+|b(?:_?[01])+)/,
    /(?:\d(?:_?\d)*(?:\.(?:\d(?:_?\d)*)?)?|\.\d(?:_?\d)*)(?:e[+-]?\d(?:_?\d)*)?/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'iy',
)
/** A longer number fits no type in any base. */
const numberLengthMax = 1_000

/** Without underscores, in base ten. */
function decimalDigits(written: string): string {
  const digits = written.includes('_') ? written.replaceAll('_', '') : written
  const isOfOtherBase = /^0[xob]/i.test(digits)
  return isOfOtherBase && digits.length <= numberLengthMax ? BigInt(digits).toString() : digits
}

function requireSound(text: string): void {
  const insert = text.length <= sqlInsertBytesMax && /^\s*insert\b/i.test(text)
  const bytesMax = insert ? sqlInsertBytesMax : sqlBytesMax
  if (text.length > bytesMax || Buffer.byteLength(text) > bytesMax) {
    throw sqlError(text, 0, `statement longer than ${bytesMax} bytes`, sqlState.tooComplex)
  }
  const zero = text.indexOf('\0')
  if (zero >= 0) throw sqlError(text, zero, 'invalid byte sequence for encoding "UTF8": 0x00')
  if (/\p{Surrogate}/u.test(text)) {
    throw sqlError(text, 0, 'invalid byte sequence for encoding "UTF8"')
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function digitsEnd(text: string, start: number): number {
  let at = start
  while (isDigit(text.charCodeAt(at))) at++
  return at
}

function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d)
}

function isAsciiLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f
}

function isWordStart(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  if (code < 0x80) return isAsciiLetter(code)
  return code >= 0x80 && /^\p{L}/u.test(text.slice(at, at + 2))
}

function wordEnd(text: string, start: number): number {
  return partsEnd(text, start, true)
}

/** As a word, but `$` ends it. */
function tagEnd(text: string, start: number): number {
  return partsEnd(text, start, false)
}

function partsEnd(text: string, start: number, withDollar: boolean): number {
  let at = start
  for (;;) {
    const code = text.charCodeAt(at)
    if (isAsciiLetter(code) || isDigit(code) || (withDollar && code === 0x24)) at++
    else if (code >= 0x80) {
      const point = text.codePointAt(at) as number
      if (!/^[\p{L}\p{N}\p{M}]/u.test(String.fromCodePoint(point))) return at
      at += point > 0xffff ? 2 : 1
    } else return at
  }
}
