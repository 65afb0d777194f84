// Key-value commands as statements of a transaction: each runs on the transaction's state, and its
// changes are committed with those of other protocols. A command that is refused leaves no trace,
// as in EXEC; any other error ends the transaction. (docs/design/transactions.md, rule 18)

import { fail } from '../../../base/errors.js'
import { refuse } from '../../../base/reply-error.js'
import { stagedWrite } from '../../../engine/collection/collections.js'
import { Work } from '../../../engine/keyspace/work.js'
import type { ObservedStore } from '../../../engine/observed-store.js'
import { runSweep } from '../../../store/sweep.js'
import type { Statement } from '../../document/transactions/statement.js'
import type { RunningCall } from '../running-call.js'
import { isRefusal } from './program-errors.js'
import type { ProgramRightsOptions } from './program-rights.js'
import type { Programs } from './programs.js'
import { TransactionPart, tidyPlaces } from './transaction-part.js'

export interface TransactionProgramsOptions {
  readonly store: ObservedStore
  readonly programs: Programs
  readonly figures: ProgramRightsOptions
}

/** What the key-value commands of one transaction have done. */
interface Part {
  readonly checks: TransactionPart
  readonly add: (outcome: ReturnType<Programs['sum']>) => void
}

export class TransactionPrograms {
  private readonly parts = new WeakMap<Statement, Part>()

  constructor(private readonly options: TransactionProgramsOptions) {}

  /** Gives each call its reply. Throws an error that must end the transaction. */
  async run(calls: readonly RunningCall[], now: number, statement: Statement): Promise<void> {
    for (const call of calls) {
      if (call.isRefused) continue
      try {
        await this.together([call], now, statement)
      } catch (error) {
        call.fail(error)
        if (!isRefusal(error)) throw error
      }
    }
  }

  /** Runs calls as one program: all changes are kept, or none. */
  async together(calls: readonly RunningCall[], now: number, statement: Statement): Promise<void> {
    const { store, programs } = this.options
    const { transaction } = statement
    const isWrite = calls.some(({ command }) => command.access === 'write')
    if (isWrite) requireWritable(statement)
    transaction.requireOpen()
    const part = this.partOf(statement)
    const account = programs.accountOf(calls)
    // The rights of the transaction's state may be a minute old.
    for (const call of calls) {
      await store.read((tx) => programs.rights.checkRevocation(tx, call, now), { account })
      part.checks.note(call)
    }
    const { outcome, run } = programs.statement(calls, now, transaction)
    const runner = transaction.runner(() => requireClient(calls))
    if (isWrite) {
      const sweep = stagedWrite(function* (tx, staged) {
        yield* part.checks.noteDefinitions(tx, calls)
        return yield* run(tx, staged)
      })
      await runSweep(runner, sweep, undefined, account)
    } else await runner.read((tx) => run(tx), { account })
    part.add(outcome)
  }

  private partOf(statement: Statement): Part {
    const known = this.parts.get(statement)
    if (known !== undefined) return known
    const { programs, figures, store } = this.options
    const sum = programs.sum()
    const checks = new TransactionPart({
      check: statement.check,
      rights: programs.rights,
      figures,
      committed: (written) => {
        programs.tell(sum)
        const places = [...written].filter(({ space }) => !space.isMain)
        if (places.length === 0) return
        const work = new Work(figures.bounds, false)
        // A failure leaves an empty database, which the next removal of a key removes.
        void store.write((tx) => tidyPlaces(tx, places, work)).catch(() => undefined)
      },
    })
    const part: Part = { checks, add: (outcome) => sum.add(outcome) }
    this.parts.set(statement, part)
    return part
  }
}

function requireWritable({ isReadOnly }: Statement): void {
  if (isReadOnly !== true) return
  throw refuse('ERR the transaction is read-only', 'ReadOnlyTransaction')
}

function requireClient(calls: readonly RunningCall[]): void {
  if (calls[0]?.session.closed === true) throw fail('Interrupted', 'the client is gone')
}
