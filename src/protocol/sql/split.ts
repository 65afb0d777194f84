// Cuts a text of several statements where their semicolons stand: the simple query of the
// PostgreSQL protocol, and scripts. Semicolons in strings, names and comments are none.

import { Lexer } from './lexer.js'

export interface StatementText {
  readonly text: string
  /** Where it begins in the whole, UTF-16 units. */
  readonly start: number
}

/** The statements of a text, without the empty ones. Throws what the lexer refuses. */
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
