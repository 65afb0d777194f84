// The order of messages: what to do with each, what an error discards, and the transaction status
// for ReadyForQuery. A pure state machine; the listener runs the accepted messages.
// Source: PostgreSQL 17, 53.2.2 to 53.2.4.

import type { TransactionStatus } from './message-writer.js'
import { pgError, pgState } from './pg-error.js'

/**
 * run: execute and answer it. sync: finish pending work, then answer ReadyForQuery. ignore: skip
 * it, even unread. end: the client disconnects.
 */
type Step = 'run' | 'sync' | 'ignore' | 'end'

const query = 0x51
const functionCall = 0x46
const sync = 0x53
const terminate = 0x58
const copies: readonly number[] = [0x64, 0x63, 0x66]

export class MessageSequence {
  /** The status that ReadyForQuery reports. */
  status: TransactionStatus = 'I'
  /** After an error of the extended protocol, messages are discarded until Sync. */
  private isDiscarding = false
  /** The current message is a complete cycle, with ReadyForQuery at its end. */
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

  /** The current message succeeded. True: send ReadyForQuery now. */
  succeeded(): boolean {
    return this.isCycle
  }

  /**
   * The current message (or the work of a Sync) failed and got an error reply: an open transaction
   * can only be ended. True: send ReadyForQuery now.
   */
  failed(): boolean {
    if (this.status === 'T') this.status = 'E'
    if (!this.isCycle) this.isDiscarding = true
    return this.isCycle
  }

  /** BEGIN. False: a transaction was already open. */
  begin(): boolean {
    if (this.status !== 'I') return false
    this.status = 'T'
    return true
  }

  /**
   * COMMIT or ROLLBACK: returns the status before; a failed transaction can only be rolled back.
   */
  end(): TransactionStatus {
    const { status } = this
    this.status = 'I'
    return status
  }

  /** ROLLBACK TO: a failed transaction can continue. */
  goBack(): void {
    this.status = 'T'
  }

  /** Before each statement: a failed transaction accepts only statements that end it (25P02). */
  requireRunnable(isWayOut: boolean): void {
    if (this.status !== 'E' || isWayOut) return
    throw pgError(
      pgState.transactionAborted,
      'current transaction is aborted, commands ignored until end of transaction block',
    )
  }
}
