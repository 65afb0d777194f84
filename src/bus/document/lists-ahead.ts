// Long lists of values in filters are read in turns before their command begins: it compiles its
// filter, and plans, without a pause. (docs/design/transactions.md, rule 1)

import { WorkTurns } from '../../base/work/work-turns.js'
import { longListBytes } from '../../query/filter/long-lists.js'
import { readLists } from '../../query/filter/read-list.js'
import type { Document } from '../../value/value.js'
import type { Message } from '../session.js'
import { commandName } from './command-name.js'

/** Documents of a sequence up to which lists are looked for: more are short on average. */
const documentsMax = 1_000

function isLong(document: Document): boolean {
  return document.length >= longListBytes
}

/**
 * Before a message with long lists begins. Undefined, at once, for a short message; else the turns
 * that the work has spent from, for work that goes on in the last of them.
 */
export function listsAhead({ body, sequences }: Message): Promise<WorkTurns> | undefined {
  if (body.length < longListBytes && sequences.size === 0) return undefined
  // What is inserted is no filter.
  if (commandName(body) === 'insert') return undefined
  const documents = isLong(body) ? [body] : []
  for (const sequence of sequences.values()) {
    if (sequence.length <= documentsMax) documents.push(...sequence.filter(isLong))
  }
  return documents.length === 0 ? undefined : inTurns(documents)
}

async function inTurns(documents: readonly Document[]): Promise<WorkTurns> {
  const turns = new WorkTurns()
  for (const document of documents) {
    for (const _ of readLists(document)) if (turns.isDue) await turns.pause()
  }
  return turns
}
