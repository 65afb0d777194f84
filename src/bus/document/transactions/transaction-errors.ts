// The errors of transaction numbers that do not fit, as MongoDB has them. Drivers decide by their
// codes whether to begin again. (specification of the drivers, "Transactions")

import { fail } from '../../../base/errors.js'
import type { StatementRow } from './statement.js'

interface Numbered {
  readonly number: number
}

export function tooOld(
  { number, lsid }: Numbered & { readonly lsid: string },
  fields: Numbered,
): Error {
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
