// The header that names the transaction of a request. A route that cannot run in one refuses it: a
// change outside would look like part of the transaction. (docs/http.md, "Transactions")

import type { IncomingMessage } from 'node:http'
import { fail } from '../../../base/errors.js'
import { readTransactionId } from '../../../bus/document/transactions/transaction-id.js'
import type { NamedTransaction } from '../../../bus/session.js'
import type { RouteHead } from './route.js'

export const transactionHeader = 'x-sigil-transaction'

/** Throws BadValue, or OperationNotSupportedInTransaction for a route outside of transactions. */
export function transactionOf(
  { headers }: IncomingMessage,
  { inTransactions, method, path }: RouteHead,
): NamedTransaction | undefined {
  const given = headers[transactionHeader]
  if (given === undefined) return undefined
  if (inTransactions !== true) {
    throw fail(
      'OperationNotSupportedInTransaction',
      `${method} ${path} is not part of transactions`,
    )
  }
  if (headers['idempotency-key'] !== undefined) {
    const text =
      'an Idempotency-Key is not for requests of a transaction: its commit can be repeated'
    throw fail('BadValue', text)
  }
  const named = typeof given === 'string' ? readTransactionId(given) : undefined
  if (named !== undefined) return named
  throw fail('BadValue', `header ${transactionHeader} must be the id of a transaction`)
}
