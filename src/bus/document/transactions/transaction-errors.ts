// The errors of transaction numbers that do not fit, as MongoDB has them. Drivers decide by their
// codes whether to begin again. (specification of the drivers, "Transactions")

import { fail } from '../../../base/errors.js'
import type { Generic } from '../generic.js'
import type { StatementRow } from './statement.js'
import type { TransactionFields } from './transaction-fields.js'

export interface Numbered {
  readonly number: number
}

interface NamedSession extends Numbered {
  readonly lsid: string
}

/** A session, with its open transaction. */
interface Used<T> extends Numbered {
  readonly current: T | undefined
  /** Why the last one ended, if no command has ended it. */
  readonly reason: unknown
}

/** What is needed of a command that ends a transaction. */
interface Ending {
  readonly generic: Pick<Generic, 'transaction'>
  readonly command: string
}

export function requireTransaction({ generic, command }: Ending): TransactionFields {
  const { transaction } = generic
  if (transaction?.isTransaction === true) return transaction
  throw fail('CommandFailed', `${command} must be run within a transaction`)
}

/** Throws NoSuchTransaction or TransactionTooOld. */
export function requireNumber(entry: NamedSession, fields: Numbered): void {
  if (fields.number < entry.number) throw tooOld(entry, fields)
  if (fields.number !== entry.number) throw noSuch(fields.number, entry.number)
}

export function requireCurrent<T>({ number, current, reason }: Used<T>): T {
  if (current === undefined) {
    if (reason !== undefined) throw reason
    throw fail('NoSuchTransaction', `Transaction ${number} has been aborted.`)
  }
  return current
}

export function tooOld({ number, lsid }: NamedSession, fields: Numbered): Error {
  const text = `Cannot start transaction ${fields.number} on session ${lsid} because a newer `
  return fail('TransactionTooOld', `${text}transaction ${number} has already started`)
}

export function noSuch(number: number, active: number): Error {
  const text = `Given transaction number ${number} does not match any in-progress transactions. `
  return fail('NoSuchTransaction', `${text}The active transaction number is ${active}`)
}

/** A number without a transaction: drivers then name the option retryWrites=false. */
export function notRetryable({ name, grows }: StatementRow): Error {
  if (grows === 'nothing' && name !== 'delete') {
    return fail('Location50768', `It is illegal to provide a txnNumber for command ${name}`)
  }
  const text = 'Transaction numbers are only allowed on a replica set member or mongos'
  return fail('IllegalOperation', text)
}
