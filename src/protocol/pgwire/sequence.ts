// The order of messages: what is done with each, what an error discards, and what ReadyForQuery
// tells of the transaction. A pure machine; the listener runs what it lets through.
// Source: PostgreSQL 17, 53.2.2 to 53.2.4.

import type { TransactionStatus } from './message-writer.js'
import { pgError, pgState } from './pg-error.js'

/**
 * run: it is done, and answered. sync: what waits is finished, and ReadyForQuery is the answer.
 * ignore: it is passed over, even unread. end: the client is going.
 */
type Step = 'run' | 'sync' | 'ignore' | 'end'

const query = 0x51
const functionCall = 0x46
const sync = 0x53
const terminate = 0x58
const copies: readonly number[] = [0x64, 0x63, 0x66]

export class MessageSequence {
  /** What ReadyForQuery tells. */
  status: TransactionStatus = 'I'
  /** An error of the extended protocol: nothing is done until Sync. */
  private isDiscarding = false
  /** The message at hand is a whole cycle of its own, with ReadyForQuery at its end. */
  private isCycle = false

  /** What to do with a message of this type byte. */
  accept(type: number): Step {
    if (type === terminate) return 'end'
    if (type === sync) {
      this.isDiscarding = false
      this.isCycle = true
      return 'sync'
    }
    if (this.isDiscarding || copies.includes(type)) return 'ignore'
    this.isCycle = type === query || type === functionCall
    return 'run'
  }

  /** The message at hand was done. True: ReadyForQuery is due, at once. */
  succeeded(): boolean {
    return this.isCycle
  }

  /**
   * The message at hand failed (Sync's work too) and was answered with an error: of an open
   * transaction only the end is left. True: ReadyForQuery is due, at once.
   */
  failed(): boolean {
    if (this.status === 'T') this.status = 'E'
    if (!this.isCycle) this.isDiscarding = true
    return this.isCycle
  }

  /** BEGIN. False: one was open already. */
  begin(): boolean {
    if (this.status !== 'I') return false
    this.status = 'T'
    return true
  }

  /** COMMIT or ROLLBACK: what there was to end; a failed one can only be rolled back. */
  end(): TransactionStatus {
    const { status } = this
    this.status = 'I'
    return status
  }

  /** ROLLBACK TO: a failed transaction goes on. */
  goBack(): void {
    this.status = 'T'
  }

  /** Before each statement: in a failed transaction only a way out is taken (25P02). */
  requireRunnable(isWayOut: boolean): void {
    if (this.status !== 'E' || isWayOut) return
    throw pgError(
      pgState.transactionAborted,
      'current transaction is aborted, commands ignored until end of transaction block',
    )
  }
}
