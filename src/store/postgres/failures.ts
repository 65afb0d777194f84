// What an error of PostgreSQL, or of the connection to it, means for a program: it runs
// again, waits for the database, or fails.

import { fail, GatewayError } from '../../base/errors.js'
import { StoreAway } from '../away.js'

/** The database cannot be reached now: its state is unknown, or it takes no writes. */
export class Away extends Error {}

/** The transaction has to run again. */
export class Conflict extends Error {}

/** Another process has taken over the number of this gateway. */
export class Fenced extends Error {}

/** The last one: a key that was taken for a new one is there. */
const conflictStates = new Set(['40001', '40P01', '55P03', '23505'])
/** Division by zero: the way in which a statement refuses (gateway-row.ts). */
const fencedState = '22012'
/** Shutdown, start, too many connections, a terminated backend, a long pause, and a standby. */
const awayStates = /^(?:08|57P0|53300|25P03|25006)/

/** Turns a thrown error into one of the above, or into the client's error. */
export function failureOf(thrown: unknown): Error {
  if (!(thrown instanceof Error)) return new Away(String(thrown))
  if (thrown instanceof Away || thrown instanceof Conflict || thrown instanceof Fenced)
    return thrown
  const state = stateOf(thrown)
  if (state === undefined || awayStates.test(state)) return new Away(thrown.message)
  if (conflictStates.has(state)) return new Conflict(thrown.message)
  if (state === fencedState) return new Fenced('another process has taken over this gateway')
  if (state === '53100') return fail('OutOfDiskSpace', `PostgreSQL: ${thrown.message}`)
  return fail('OperationFailed', `PostgreSQL: ${thrown.message} (${state})`)
}

const noPassword = 'it asks for a password: set PGPASSWORD, or use ~/.pgpass'

/** Why the store cannot be opened, in one line. */
export function openingError(thrown: unknown): Error {
  if (thrown instanceof GatewayError) return thrown
  const { message } = failureOf(thrown)
  const why = message.includes('client password must be a string') ? noPassword : message
  return fail('OperationFailed', `cannot open the store in PostgreSQL: ${why}`)
}

/** For a client: every protocol tells it to try again. */
export function awayError(): Error {
  return new StoreAway()
}

/** The error of a read for its client. */
export function clientError(thrown: unknown): Error {
  const failure = failureOf(thrown)
  if (failure instanceof Away || failure instanceof Fenced) return awayError()
  if (failure instanceof Conflict) {
    return fail('WriteConflict', 'the operation conflicts with others, try it again')
  }
  return failure
}

/** SQLSTATE; undefined if the error is the connection's. */
function stateOf(error: Error): string | undefined {
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && 'severity' in error
    ? code
    : undefined
}
