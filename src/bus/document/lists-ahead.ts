// Long lists of values in filters are read in turns before their command begins, and many regular
// expressions compiled: the command compiles its filter, and plans, without a pause.
// (docs/design/transactions.md, rule 1)

import { WorkTurns } from '../../base/work/work-turns.js'
import { longListBytes } from '../../query/filter/long-lists.js'
import { readLists } from '../../query/filter/read-list.js'
import { compileAhead, hasManyPatterns } from '../../query/regex-ahead.js'
import type { Document } from '../../value/value.js'
import type { Message } from '../session.js'
import { commandName } from './command-name.js'

/** Documents of a sequence up to which lists are looked for: more are short on average. */
const documentsMax = 1_000
/** A shorter document has no patterns that take longer than a turn. */
const patternsBytesMin = 1_024
/** Documents up to this length together are searched for patterns at once, 0.3 ms. */
const searchBytesMax = 64 * 1024

function mayTakeLong(document: Document): boolean {
  return document.length >= patternsBytesMin
}

/**
 * Before a message with long lists or many patterns begins. Undefined, at once, for any other; else
 * the turns that the work has spent from, for work that goes on in the last of them.
 */
export function listsAhead({ body, sequences }: Message): Promise<WorkTurns> | undefined {
  if (!mayTakeLong(body) && sequences.size === 0) return undefined
  // What is inserted is no filter.
  if (commandName(body) === 'insert') return undefined
  const documents = mayTakeLong(body) ? [body] : []
  for (const sequence of sequences.values()) {
    if (sequence.length <= documentsMax) documents.push(...sequence.filter(mayTakeLong))
  }
  return documents.some(isLong) || haveManyPatterns(documents) ? inTurns(documents) : undefined
}

function isLong(document: Document): boolean {
  return document.length >= longListBytes
}

function haveManyPatterns(documents: readonly Document[]): boolean {
  const bytes = documents.reduce((sum, { length }) => sum + length, 0)
  return bytes > searchBytesMax || documents.some(hasManyPatterns)
}

async function inTurns(documents: readonly Document[]): Promise<WorkTurns> {
  const turns = new WorkTurns()
  for (const document of documents) {
    if (isLong(document)) for (const _ of readLists(document)) if (turns.isDue) await turns.pause()
    for (const _ of compileAhead(document)) if (turns.isDue) await turns.pause()
  }
  // The first texts take their time, too.
  await turns.pause()
  return turns
}
