// Splits a text into statements at their semicolons, for the simple query protocol and scripts. It
// ignores semicolons in strings, names and comments.

import { work } from '../../base/work/work-budget.js'
import { sqlSplitTokenUnits } from '../../base/work/work-figures.js'
import { WorkTurns } from '../../base/work/work-turns.js'
import { Lexer } from './lexer.js'

export interface StatementText {
  readonly text: string
  /** Start in the whole text, UTF-16 units. */
  readonly start: number
}

/** The non-empty statements of a text. Throws the errors of the lexer. */
export function splitStatements(text: string): StatementText[] {
  const splitting = split(text)
  let step = splitting.next()
  while (step.done !== true) step = splitting.next()
  return step.value
}

/** As splitStatements, in turns. */
export async function splitInTurns(text: string): Promise<StatementText[]> {
  const turns = new WorkTurns()
  const splitting = split(text)
  for (;;) {
    const step = splitting.next()
    if (step.done === true) return step.value
    work.note(sqlSplitTokenUnits)
    if (turns.isDue) await turns.pause()
  }
}

/** Yields behind each token. */
function* split(text: string): Generator<undefined, StatementText[], void> {
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
    yield
  }
}
