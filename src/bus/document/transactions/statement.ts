// One command of a transaction, of any protocol: what may run in it, with rights as they are now.
// Who owns the transaction decides what an error does to it.
// (docs/design/transactions.md, rule 18)

import { fail } from '../../../base/errors.js'
import type { SessionTransaction } from '../../../engine/types.js'
import type { Awaitable, Program, ReadTx } from '../../../store/store.js'
import type { Transaction } from '../../../store/transactions/transaction.js'
import type { Document } from '../../../value/value.js'
import type { Declared } from '../../session.js'
import type { DocumentFacts } from '../row-facts.js'
import type { CommitCheck } from './commit-check.js'

/** A transaction, and what its commit checks again. */
export interface Statement {
  /** Its cursors have this number. */
  readonly number: number
  readonly transaction: Transaction
  readonly check: CommitCheck
  /** As change events show it; missing for transactions without a client's session. */
  readonly shown?: SessionTransaction
  /** Milliseconds since 1970; missing if the request tells it. */
  readonly begunAt?: number
  /** Its statements may only read. */
  readonly isReadOnly?: boolean
}

export type StatementRow = Pick<
  DocumentFacts,
  'name' | 'grows' | 'fails' | 'ends' | 'inTransactions'
>
export type Perform = () => Awaitable<Document>

/** What is needed of a call. */
interface Joining extends Declared {
  statement: Statement | undefined
  read<R>(program: (tx: ReadTx) => Program<R>): Awaitable<R>
}

/** Throws OperationNotSupportedInTransaction, and errors that ended the transaction meanwhile. */
export async function runStatement(
  row: StatementRow,
  call: Joining,
  statement: Statement,
  perform: Perform,
): Promise<Document> {
  const { command, db, resources } = call
  requireSupported(row)
  if (statement.isReadOnly === true) requireReading(call)
  statement.transaction.requireOpen()
  statement.check.noteStatement({ command, db, resources })
  // The rights of the transaction's state may be a minute old.
  await call.read(nothing)
  call.statement = statement
  const done = await perform()
  // An error that ends it may stand in the reply as that of one document.
  statement.transaction.requireOpen()
  return done
}

/** With it the guard checks rights and nothing else runs. */
function* nothing(): Program<void> {}

function requireReading({ command, resources }: Declared): void {
  const isReading = resources.every(({ privileges }) => privileges.every((one) => one === 'read'))
  if (isReading) return
  throw fail('ReadOnlyTransaction', `cannot execute ${command} in a read-only transaction`)
}

function requireSupported({ name, inTransactions }: StatementRow): void {
  if (inTransactions === true) return
  const text = `Cannot run '${name}' in a multi-document transaction.`
  throw fail('OperationNotSupportedInTransaction', text)
}
