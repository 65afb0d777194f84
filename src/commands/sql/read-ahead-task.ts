// Reads long statements in turns, before anything asks the statement cache for them: it would parse
// them at once. (docs/design/transactions.md, rule 1)

import { KiB } from '../../base/units.js'
import { WorkTurns } from '../../base/work/work-turns.js'
import { parseInTurns } from '../../protocol/sql/parse.js'
import { isKnownStatement, keepFolded, keepStatement } from './statement-cache.js'

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
