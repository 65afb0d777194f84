// Reads long statements in turns, before anything asks the statement cache for them: it would parse
// them at once. (docs/design/transactions.md, rule 1)

import { KiB } from '../../base/units.js'
import { turnUnits } from '../../base/work/work-figures.js'
import { WorkTurns } from '../../base/work/work-turns.js'
import { parseInTurns } from '../../protocol/sql/parse.js'
import type { Program, ReadTx } from '../../store/store.js'
import { isKnownStatement, keepError, keepFolded, keepStatement } from './statement-cache.js'

/** A longer text is read in turns, UTF-16 units. */
export const sqlLongChars = 4 * KiB

export function isReadAhead(text: string): boolean {
  return text.length > sqlLongChars && !isKnownStatement(text)
}

/**
 * Reads a long statement for parsedStatement and foldedStatement; undefined if it is short or
 * known. Rejects with the errors of parsing.
 */
export function parsedAhead(text: string): Promise<void> | undefined {
  return isReadAhead(text) ? readAhead(text) : undefined
}

/**
 * As parsedAhead, for the statement of a command. An error is kept for the command: it is the reply
 * of one that may run.
 */
export function parsedForCommand(text: string): Promise<void> | undefined {
  return parsedAhead(text)?.catch((thrown: unknown) => keepError(text, thrown))
}

async function readAhead(text: string): Promise<void> {
  const turns = new WorkTurns()
  const parsed = await parseInTurns(text, false, turns)
  await turns.pause()
  keepStatement(text, parsed)
  await turns.pause()
  if (!parsed.canFold) return
  const { statement } = await parseInTurns(text, true, turns)
  await turns.pause()
  keepFolded(text, statement)
  await turns.pause()
}

/** Characters of a statement for one work unit of a phase. */
const charsPerPhaseUnit = 4

/** Ends the turn between two phases of a long statement: their cost grows with its text. */
export function* phaseOf(tx: ReadTx, text: string): Program<void> {
  if (text.length <= sqlLongChars) return
  yield* tx.pause(Math.min(text.length / charsPerPhaseUnit, turnUnits))
}
