// Long lists of operations of an update or delete are parsed in turns before the command begins: a
// message has up to 100,000 of them, and a command parses its arguments without a pause. The
// command then finds the results, or the error, by the bytes that they were read from. Any other
// long command begins in the turn after that in which its message was checked.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { operationsAheadBytes, operationsAheadMin } from '../../base/limits/documents.js'
import { work } from '../../base/work/work-budget.js'
import { parsedOperationUnits } from '../../base/work/work-figures.js'
import { WorkTurns } from '../../base/work/work-turns.js'
import { Elements } from '../../value/elements.js'
import { bsonType, type Document, type Value } from '../../value/value.js'
import type { Message } from '../session.js'
import { commandName } from './command-name.js'
import { listsAhead } from './lists-ahead.js'

/** How a list is read: its elements as documents, and each of these parsed. */
interface OperationList<T> {
  readonly read: (list: Value) => Iterable<Document>
  readonly parse: (operation: Document) => T
}

type Outcome = { readonly operations: readonly unknown[] } | { readonly thrown: unknown }

const lists = new Map<string, OperationList<unknown>>()
/** By the documents of a sequence, or the body with the list. */
const outcomes = new WeakMap<object, Outcome>()

/** Declares the list at a path such as `update.updates`. */
export function declareList<T>(path: string, list: OperationList<T>): void {
  lists.set(path, list)
}

/** The operations that were parsed ahead; undefined if they were not. Throws the error of one. */
export function operationsOf(source: object): readonly unknown[] | undefined {
  const outcome = outcomes.get(source)
  if (outcome === undefined) return undefined
  if ('thrown' in outcome) throw outcome.thrown
  return outcome.operations
}

/**
 * Before a long message begins: parses its operations, and reads the lists of its filters.
 * Undefined, at once, for any other.
 */
export function parsedAhead(message: Message): Promise<void> | undefined {
  const lists = listsAhead(message)
  if (lists === undefined) return operationsAhead(message)
  return lists.then((turns) => operationsAhead(message, turns))
}

function operationsAhead(
  { body, sequences }: Message,
  turns?: WorkTurns,
): Promise<void> | undefined {
  for (const [name, documents] of sequences) {
    if (documents.length < operationsAheadMin) continue
    const list = lists.get(`${commandName(body)}.${name}`)
    if (list !== undefined) return inTurns(documents, documents, list, turns)
  }
  return body.length < operationsAheadBytes ? undefined : bodyAhead(body, turns)
}

function bodyAhead(body: Document, turns?: WorkTurns): Promise<void> {
  const command = commandName(body)
  const elements = new Elements(body)
  while (elements.next()) {
    if (elements.type !== bsonType.array) continue
    const list = lists.get(`${command}.${elements.name()}`)
    if (list !== undefined) return inTurns(body, list.read(elements.value()), list, turns)
  }
  return nextTurn()
}

async function inTurns(
  source: object,
  documents: Iterable<Document>,
  { parse }: OperationList<unknown>,
  turns = new WorkTurns(),
): Promise<void> {
  const operations: unknown[] = []
  try {
    for (const document of documents) {
      operations.push(parse(document))
      work.note(parsedOperationUnits)
      if (turns.isDue) await turns.pause()
    }
    outcomes.set(source, { operations })
  } catch (thrown) {
    outcomes.set(source, { thrown })
  }
}
