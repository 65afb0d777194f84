// The tokens of one statement for the grammar: looks ahead, takes expected tokens, and reports
// others with PostgreSQL's texts.

import { sqlDepthMax, sqlParametersMax, sqlSubqueriesMax } from '../../base/limits/sql.js'
import { work } from '../../base/work/work-budget.js'
import { sqlTokenUnits } from '../../base/work/work-figures.js'
import type { Parameters } from './ast.js'
import { Lexer } from './lexer.js'
import { type ChainKind, chainLooked, chainOverflow } from './long-chain.js'
import { isReserved } from './reserved.js'
import { type SqlState, sqlError, sqlState } from './sql-error.js'
import type { NameToken, ParameterToken, Token, WordToken } from './token.js'

/** A position of the parser, to return to. */
interface Place {
  readonly index: number
  readonly depth: number
  readonly refusals: number
}

/** A part that was read: what reading it once more would leave behind. */
interface KeptPart {
  readonly value: unknown
  readonly end: number
  readonly deferred: readonly (() => Error)[]
  readonly subqueries: number
  readonly count: number
}

/** Thrown by a parser whose turn is over: it starts again and passes the parts it has read. */
export const turnIsOver = new Error('the turn of the parser is over')

export class TokenStream {
  private readonly lexer: Lexer
  /** The tokens read so far: a statement that fails early is not read further. */
  private readonly tokens: Token[] = []
  private index = 0
  private depth = 0
  private style: Parameters['style'] = 'none'
  private count = 0
  private readonly names = new Map<string, number>()

  /** An unquoted name has capitals, so folding would change the statement. */
  canFold = false
  /** In ON CONFLICT, where an unquoted EXCLUDED is a table in any case. */
  namesExcluded = false
  /** The last name, as written. */
  written = ''

  /** Errors that apply unless their part of the statement is never executed. */
  private readonly deferred: (() => Error)[] = []
  /** Subqueries that will be refused, those that were forgotten too. */
  private subqueries = 0
  private isDue: (() => boolean) | undefined
  private readonly kept = new Map<number, KeptPart>()
  /** Tokens whose work is noted. */
  private noted = 0

  /**
   * `isEmpty` parses a whole query and returns whether it never has rows. `folds`: unquoted names
   * are read in lower case.
   */
  constructor(
    readonly text: string,
    private readonly isEmpty: (tokens: TokenStream) => boolean,
    readonly folds = false,
  ) {
    this.lexer = new Lexer(text)
  }

  /** From now on parts are kept, and `turnIsOver` is thrown behind one when `isDue`. */
  pauseWhen(isDue: () => boolean): void {
    this.isDue = isDue
  }

  /** Back to the start, after `turnIsOver`. */
  restart(): void {
    this.goBack({ index: 0, depth: 0, refusals: 0 })
    this.namesExcluded = false
    this.subqueries = 0
    this.count = 0
  }

  /**
   * Reads a part of the statement that begins at the next token: an item of a list, or an operand.
   * No two parts begin at one token.
   */
  part<T>(read: () => T): T {
    if (this.isDue === undefined) return read()
    const { index, refusals, subqueries } = this
    const known = this.kept.get(index)
    if (known !== undefined) return this.pass(known) as T
    const value = read()
    this.kept.set(index, {
      value,
      end: this.index,
      deferred: this.deferred.slice(refusals),
      subqueries: this.subqueries - subqueries,
      count: this.count,
    })
    work.note((this.tokens.length - this.noted) * sqlTokenUnits)
    this.noted = this.tokens.length
    if (this.isDue()) throw turnIsOver
    return value
  }

  private pass({ value, end, deferred, subqueries, count }: KeptPart): unknown {
    this.index = end
    this.deferred.push(...deferred)
    this.subqueries += subqueries
    this.count = Math.max(this.count, count)
    return value
  }

  isEmptyQuery(): boolean {
    return this.isEmpty(this)
  }

  /** `refusal` makes the error if it is needed: its position costs a look at the whole text. */
  defer(refusal: () => Error): void {
    this.deferred.push(refusal)
  }

  /** Throws if the statement has more subqueries than the catalog queries of any client. */
  countSubquery(refusal: () => Error): void {
    if (++this.subqueries > sqlSubqueriesMax) throw (this.deferred[0] ?? refusal)()
  }

  /** The number of deferred errors; `forget` drops those added after it. */
  get refusals(): number {
    return this.deferred.length
  }

  forget(refusals: number): void {
    this.deferred.length = refusals
  }

  requireNoRefusal(): void {
    const [first] = this.deferred
    if (first !== undefined) throw first()
  }

  place(): Place {
    const { index, depth } = this
    return { index, depth, refusals: this.refusals }
  }

  goBack({ index, depth, refusals }: Place): void {
    this.index = index
    this.depth = depth
    this.forget(refusals)
  }

  get token(): Token {
    return this.tokens[this.index] ?? this.fill(this.index)
  }

  /** UTF-16 offset of the next token. */
  get at(): number {
    return this.token.start
  }

  get isAtEnd(): boolean {
    return this.token.kind === 'end'
  }

  /** The token after the next, or further on. */
  ahead(by = 1): Token {
    return this.tokens[this.index + by] ?? this.fill(this.index + by)
  }

  private fill(index: number): Token {
    for (;;) {
      const token = this.lexer.next()
      this.tokens.push(token)
      if (this.tokens.length > index) return token
    }
  }

  take(): Token {
    const { token } = this
    if (token.kind !== 'end') this.index++
    return token
  }

  /** Whether these keywords come next. */
  has(...words: readonly string[]): boolean {
    for (let i = 0; i < words.length; i++) {
      const token = this.ahead(i)
      if (token.kind !== 'word' || token.lower !== words[i]) return false
    }
    return true
  }

  /** Takes the keywords if they come next. */
  accept(...words: readonly string[]): boolean {
    if (!this.has(...words)) return false
    this.index += words.length
    return true
  }

  expect(...words: readonly string[]): void {
    for (const word of words) if (!this.accept(word)) throw this.unexpected()
  }

  hasSymbol(text: string): boolean {
    const { token } = this
    return token.kind === 'symbol' && token.text === text
  }

  acceptSymbol(text: string): boolean {
    if (!this.hasSymbol(text)) return false
    this.index++
    return true
  }

  expectSymbol(text: string): void {
    if (!this.acceptSymbol(text)) throw this.unexpected()
  }

  /** A name: quoted, or a word that is not reserved. */
  name(): string {
    const found = this.acceptName()
    if (found === undefined) throw this.unexpected()
    return found
  }

  acceptName(): string | undefined {
    const { token } = this
    if (token.kind !== 'name' && (token.kind !== 'word' || isReserved(token.lower)))
      return undefined
    this.index++
    return this.named(token)
  }

  /** A name where no keyword is possible: after a dot or AS. */
  label(): string {
    const { token } = this
    if (token.kind !== 'name' && token.kind !== 'word') throw this.unexpected()
    this.index++
    return this.named(token)
  }

  private named({ kind, text }: NameToken | WordToken): string {
    this.written = text
    if (kind === 'name') return text
    const folded = foldedName(text)
    if (folded === text) return text
    this.canFold = true
    return this.folds ? folded : text
  }

  /** `one, two, three`, at most `max` of them. */
  list<T>(item: () => T, max: number): T[] {
    const items = [this.part(item)]
    while (this.acceptSymbol(',')) {
      items.push(this.part(item))
      if (items.length > max) throw this.tooMany(`a list of more than ${max}`)
    }
    return items
  }

  /** `(one, two)` */
  listInParentheses<T>(item: () => T, max: number): T[] {
    this.expectSymbol('(')
    const items = this.list(item, max)
    this.expectSymbol(')')
    return items
  }

  /** Parses one level deeper. Throws 54001 below sqlDepthMax. */
  deeper<T>(read: () => T): T {
    if (++this.depth > sqlDepthMax) {
      throw this.tooMany(`nested deeper than ${sqlDepthMax} levels`)
    }
    const result = read()
    this.depth--
    return result
  }

  /** The index of a placeholder's value. */
  parameter(token: ParameterToken): number {
    if (this.style !== 'none' && this.style !== token.style) {
      throw this.refuse('placeholders of two kinds in one statement', token.start)
    }
    this.style = token.style
    const index = this.indexOf(token)
    if (index >= sqlParametersMax) {
      const what = `more than ${sqlParametersMax} parameters`
      throw this.refuse(what, token.start, sqlState.tooComplex)
    }
    this.count = Math.max(this.count, index + 1)
    return index
  }

  get parameters(): Parameters {
    const { style, count, names } = this
    return { style, count, names: [...names.keys()] }
  }

  private indexOf({ style, name, start }: ParameterToken): number {
    if (style === 'positional') return this.count
    if (style === 'numbered') {
      const number = name.length > parameterDigitsMax ? Number.POSITIVE_INFINITY : Number(name)
      if (number === 0) throw this.refuse('there is no parameter $0', start)
      return number - 1
    }
    const index = this.names.get(name) ?? this.names.size
    this.names.set(name, index)
    return index
  }

  /** The error for an unexpected next token. */
  unexpected(): Error {
    const { token } = this
    if (token.kind === 'end') return this.refuse('syntax error at end of input', token.start)
    const shown = this.text.slice(token.start, Math.min(token.end, token.start + shownMax))
    const hint =
      token.kind === 'word' && isReserved(token.lower)
        ? `a field of this name is written in double quotes: "${token.text}"`
        : undefined
    const message = `syntax error at or near "${shown}"`
    return sqlError(this.text, token.start, message, sqlState.syntaxError, hint)
  }

  /** `feature` is its name for users. */
  notSupported(feature: string, at = this.at): Error {
    return this.refuse(`${feature} are not supported`, at, sqlState.featureNotSupported)
  }

  refuse(message: string, at = this.at, state: SqlState = sqlState.syntaxError): Error {
    return sqlError(this.text, at, message, state)
  }

  /** The error for a number that fits no type. */
  outOfRange(digits: string, at: number): Error {
    const shown = digits.length > shownMax ? `${digits.slice(0, shownMax)}…` : digits
    return this.refuse(`number ${shown} is out of range`, at, sqlState.numberOutOfRange)
  }

  private tooMany(what: string, at = this.at): Error {
    return this.refuse(`statement too complex: ${what}`, at, sqlState.tooComplex)
  }

  /**
   * Throws 54001 if `count` operators of one chain are too many, or the chain will have too many.
   */
  requireChain(count: number, max: number, kind?: ChainKind): void {
    const isLooked = count === chainLooked && kind !== undefined
    const at = isLooked ? chainOverflow(this.text, this.at, kind) : undefined
    if (count <= max && at === undefined) return
    throw this.tooMany(`a chain of more than ${max} operators`, at)
  }
}

/** Only ASCII, as PostgreSQL folds names in UTF-8. */
export function foldedName(name: string): string {
  return name.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase())
}

const parameterDigitsMax = 6
/** Characters of a token that an error shows, UTF-16 units. */
const shownMax = 64
