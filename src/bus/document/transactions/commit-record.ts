// What a commit leaves behind for its session: the number of the transaction, for as long as a
// session lives. A client that lost the reply, to a restart too, learns from it that the
// transaction was committed. A server that is asked about a transaction that it does not know
// promises in the record that it is aborted. (docs/design/transactions.md, rule 18)

import { createHash } from 'node:crypto'
import { type Bytes, concatBytes } from '../../../base/bytes/bytes.js'
import { fail } from '../../../base/errors.js'
import { sessionIdleMinutes } from '../../../base/limits/documents.js'
import { commitKind } from '../../../identity/secret-rows.js'
import { putExpiring, removeExpiring } from '../../../identity/sign-in/expiring-rows.js'
import { keyClass } from '../../../store/layout.js'
import type { Program, ReadTx, Tx } from '../../../store/store.js'
import { field } from '../../../value/elements.js'
import { numberOf } from '../../../value/numbers.js'
import { type Document, numberValue } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { type Attempt, lastWritten } from '../retries/session-record.js'

/** Time that a record is kept, milliseconds. */
const keptMs = sessionIdleMinutes * 60_000

/** How far a session has come. */
export interface LastUse {
  readonly number: number
  /** A server of the store has promised that it is not committed, or it was no transaction. */
  readonly isAborted: boolean
}

/**
 * Puts the record of a commit, in its program; `session` names the session with its owner, `now` is
 * in milliseconds since 1970. Throws if another server of the store has promised an abort, or has
 * committed a later transaction of the session.
 */
export function* noteCommit(tx: Tx, session: string, number: number, now: number): Program<void> {
  const recorded = yield* put(tx, session, { number, isAborted: false }, now)
  if (recorded?.number === number && recorded.isAborted) {
    throw fail('NoSuchTransaction', `Transaction ${number} has been aborted.`)
  }
  if (recorded !== undefined && recorded.number > number) {
    const text = `Transaction ${number} is older than transaction ${recorded.number} of its session`
    throw fail('TransactionTooOld', text)
  }
}

/**
 * Promises that the transaction is not committed later, by any server of the store; false if it is
 * committed.
 */
export function* noteAbort(tx: Tx, session: string, number: number, now: number): Program<boolean> {
  const recorded = yield* recordOf(tx, session)
  if (recorded !== undefined && recorded.number >= number) {
    return recorded.number > number || recorded.isAborted
  }
  yield* put(tx, session, { number, isAborted: true }, now)
  return true
}

/** Number of the last transaction that the session has committed; undefined if none is known. */
export function* lastCommit(tx: ReadTx, session: string): Program<number | undefined> {
  const recorded = yield* recordOf(tx, session)
  return recorded?.isAborted === false ? recorded.number : undefined
}

/** The highest number that the store knows of the session, retryable writes included. */
export function* lastUse(
  tx: ReadTx,
  session: string,
  name: Pick<Attempt, 'owner' | 'lsid'>,
): Program<LastUse | undefined> {
  const recorded = yield* recordOf(tx, session)
  const written = yield* lastWritten(tx, name)
  if (written === undefined || written <= (recorded?.number ?? -1)) return recorded
  return { number: written, isAborted: true }
}

function* recordOf(tx: ReadTx, session: string): Program<LastUse | undefined> {
  return lastUseIn(yield* tx.get(keyOf(session)))
}

function lastUseIn(row: Document | undefined): LastUse | undefined {
  if (row === undefined) return undefined
  return { number: numberIn(row, 'number'), isAborted: numberIn(row, 'aborted') === 1 }
}

/** Returns what was recorded before. */
function* put(
  tx: Tx,
  session: string,
  { number, isAborted }: LastUse,
  now: number,
): Program<LastUse | undefined> {
  const key = keyOf(session)
  const before = yield* tx.get(key)
  if (before !== undefined) removeExpiring(tx, key, numberIn(before, 'expires'))
  const expires = now + keptMs
  const row = writeDocument((writer) => {
    writer.value('number', numberValue(number)).value('expires', numberValue(expires))
    if (isAborted) writer.int32('aborted', 1)
  })
  putExpiring(tx, key, row, expires)
  return lastUseIn(before)
}

function numberIn(row: Document, name: string): number {
  const value = field(row, name)
  return value === undefined ? 0 : numberOf(value)
}

function keyOf(session: string): Bytes {
  const hash = createHash('sha256').update(session).digest()
  return concatBytes(Uint8Array.of(keyClass.identity, commitKind), hash)
}
