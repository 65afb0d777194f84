// The fields that tie a command to a transaction: txnNumber, startTransaction and autocommit. Their
// combinations are checked as MongoDB checks them. (specification of the drivers, "Transactions")

import { fail } from '../../../base/errors.js'
import type { Topology } from '../../../base/setting-kinds.js'
import type { CommandFacts } from '../../policy/facts.js'

export interface TransactionFields {
  readonly number: number
  readonly starts: boolean
  /** Otherwise the number is that of a retryable write. */
  readonly isTransaction: boolean
}

interface GivenFields {
  readonly lsid: unknown
  readonly txnNumber: number | undefined
  readonly startTransaction: boolean | undefined
  readonly autocommit: boolean | undefined
  readonly readConcern: unknown
  readonly writeConcern: unknown
}

export function transactionFieldsOf(
  given: GivenFields,
  topology: Topology,
  row: Pick<CommandFacts, 'ends'>,
): TransactionFields | undefined {
  const { txnNumber: number, startTransaction, autocommit } = given
  if (number === undefined) {
    requireNumber('autocommit', autocommit)
    requireNumber('startTransaction', startTransaction)
    return undefined
  }
  if (topology === 'standalone') {
    const text = 'Transaction numbers are only allowed on a replica set member or mongos'
    throw fail('IllegalOperation', text)
  }
  if (given.lsid === undefined) {
    throw invalid('Transaction number requires a session ID to also be specified')
  }
  if (!Number.isInteger(number) || number < 0)
    throw invalid('Transaction number cannot be negative')
  if (startTransaction === false) throw invalid('Specifying startTransaction=false is not allowed.')
  if (autocommit === true) throw invalid('Specifying autocommit=true is not allowed.')
  const starts = startTransaction === true
  if (starts && autocommit === undefined) {
    const text = "'startTransaction' field requires 'autocommit' field to also be specified"
    throw invalid(text)
  }
  const isTransaction = autocommit === false
  if (isTransaction) requireConcerns(given, starts, row)
  return { number, starts, isTransaction }
}

function requireConcerns(
  given: GivenFields,
  starts: boolean,
  { ends }: Pick<CommandFacts, 'ends'>,
): void {
  if (given.readConcern !== undefined && !starts) {
    throw invalid('Only the first command in a transaction may specify a readConcern')
  }
  if (given.writeConcern !== undefined && ends !== 'transaction') {
    throw invalid('writeConcern is not allowed within a multi-statement transaction')
  }
}

function requireNumber(name: string, given: boolean | undefined): void {
  if (given === undefined) return
  throw invalid(`'${name}' field requires a transaction number to also be specified`)
}

function invalid(text: string): Error {
  return fail('InvalidOptions', text)
}
