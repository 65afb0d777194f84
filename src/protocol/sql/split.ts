// Splits a text into statements at their semicolons, for the simple query protocol and scripts. It
// ignores semicolons in strings, names and comments.

import { Lexer } from './lexer.js'

export interface StatementText {
  readonly text: string
  /** Start in the whole text, UTF-16 units. */
  readonly start: number
}

/** The non-empty statements of a text. Throws the errors of the lexer. */
export function splitStatements(text: string): StatementText[] {
  const statements: StatementText[] = []
  const lexer = new Lexer(text)
  let start: number | undefined
  for (;;) {
    const token = lexer.next()
    const isEnd = token.kind === 'end'
    if (isEnd || (token.kind === 'symbol' && token.text === ';')) {
      if (start !== undefined) statements.push({ text: text.slice(start, token.start), start })
      if (isEnd) return statements
      start = undefined
    } else start ??= token.start
  }
}
