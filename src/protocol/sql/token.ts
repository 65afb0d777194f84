// What a statement's text is made of. Keywords are words until the grammar asks for one: documents
// have fields called `user`, `order` and `end`.

interface Placed {
  /** UTF-16 offsets into the text: of the first character, and behind the last. */
  readonly start: number
  readonly end: number
}

/** An unquoted word: as written, and in lower case for keywords and function names. */
export interface WordToken extends Placed {
  readonly kind: 'word'
  readonly text: string
  readonly lower: string
}

/** A quoted name, its quotes undone; never a keyword. */
export interface NameToken extends Placed {
  readonly kind: 'name'
  readonly text: string
}

interface StringToken extends Placed {
  readonly kind: 'string'
  readonly text: string
}

/** A number without a sign; `digits` as written, for the sign that may come before it. */
interface NumberToken extends Placed {
  readonly kind: 'number'
  readonly digits: string
}

/** `$1` and `:name` say which; `?` is the next. */
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
