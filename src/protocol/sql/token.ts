// The tokens of a statement's text. A keyword is a word token until the grammar expects a keyword:
// documents have fields called `user`, `order` and `end`.

interface Placed {
  /** UTF-16 offsets into the text: start and end. */
  readonly start: number
  readonly end: number
}

/** An unquoted word: as written, and in lower case for keywords and function names. */
export interface WordToken extends Placed {
  readonly kind: 'word'
  readonly text: string
  readonly lower: string
}

/** A quoted name with its quotes decoded; never a keyword. */
export interface NameToken extends Placed {
  readonly kind: 'name'
  readonly text: string
}

interface StringToken extends Placed {
  readonly kind: 'string'
  readonly text: string
}

/** A number without a sign; `digits` as written, for a sign that may precede it. */
interface NumberToken extends Placed {
  readonly kind: 'number'
  readonly digits: string
}

/** `$1` and `:name` have an index or a name; `?` is the next value. */
export interface ParameterToken extends Placed {
  readonly kind: 'parameter'
  readonly style: 'numbered' | 'positional' | 'named'
  readonly name: string
}

/** An operator, or one of `( ) [ ] , ; . ::`. */
interface SymbolToken extends Placed {
  readonly kind: 'symbol'
  readonly text: string
}

interface EndToken extends Placed {
  readonly kind: 'end'
}

export type Token =
  | WordToken
  | NameToken
  | StringToken
  | NumberToken
  | ParameterToken
  | SymbolToken
  | EndToken
