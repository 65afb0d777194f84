// The commands of a client that names a transaction. They wait for the statement before them, and
// an error that is not a command's own ends the transaction. (docs/design/transactions.md, rule 18)

import { type GatewayError, toGatewayError } from '../../../base/errors.js'
import { identityKey } from '../../../identity/identity.js'
import type { SessionTransactions } from '../../document/transactions/session-transactions.js'
import type { NamedTransaction } from '../../session.js'
import type { KeyValueSession } from '../clients/session.js'
import type { RunningCall } from '../running-call.js'
import { TransactionPrograms, type TransactionProgramsOptions } from './transaction-programs.js'

interface TransactionRunsOptions extends TransactionProgramsOptions {
  /** Undefined: no listener names transactions. */
  readonly transactions: SessionTransactions | undefined
}

export class TransactionRuns {
  readonly programs: TransactionPrograms

  constructor(private readonly options: TransactionRunsOptions) {
    this.programs = new TransactionPrograms(options)
  }

  /** Gives each call its reply. Undefined if the client names no transaction. Never rejects. */
  run(calls: readonly RunningCall[], now: number): Promise<void> | undefined {
    const session = calls[0]?.session
    if (session?.transaction === undefined) return undefined
    const { programs } = this
    return this.use(session, session.transaction, () => {
      const { statement } = session
      return statement === undefined ? Promise.resolve() : programs.run(calls, now, statement)
    }).catch((thrown: unknown) => {
      const error = toGatewayError(thrown)
      for (const call of calls) failWith(call, error)
    })
  }

  /** Runs EXEC, whose commands are one statement. */
  async exec<T>(session: KeyValueSession, run: () => Promise<T>): Promise<T> {
    const { transaction } = session
    if (transaction === undefined) return run()
    let result: { readonly of: T } | undefined
    await this.use(session, transaction, async () => {
      result = { of: await run() }
    })
    if (result === undefined) throw new Error('EXEC had no result')
    return result.of
  }

  private async use(
    session: KeyValueSession,
    { sessionId, number }: NamedTransaction,
    work: () => Promise<void>,
  ): Promise<void> {
    const { transactions } = this.options
    if (transactions === undefined) throw new Error('no listener names transactions')
    const owner = identityKey(session.identity)
    const lsid = Buffer.from(sessionId).toString('hex')
    await transactions.use({ owner, lsid, number }, async (statement) => {
      session.statement = statement
      try {
        await work()
      } finally {
        session.statement = undefined
      }
    })
  }
}

/** Calls that had no reply, or the error that ended the transaction, get this error. */
function failWith(call: RunningCall, error: GatewayError): void {
  if (call.isRefused) return
  if (call.error !== undefined && call.error.code !== error.code) return
  call.fail(error)
}
