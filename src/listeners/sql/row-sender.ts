// Sends rows batch by batch, as fast as the client reads. Simple queries and portals share this
// code.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { pgAnswerBytes, pgBatchRows, pgEncodedAtOnce } from '../../base/limits/sql.js'
import type { MessageWriter } from '../../protocol/pgwire/message-writer.js'
import type { Awaitable } from '../../store/store.js'
import { cancelledError, hiddenFields } from './answers.js'
import type { Outcome } from './outcome.js'
import { closingOf, nextBatchOf, type Rows } from './rows.js'
import type { Runner } from './runner.js'
import type { SessionSettings } from './session-settings.js'

/** Rows that are encoded without a pause. */
const pgRowsAtOnce = 500

interface RowSenderOptions {
  readonly runner: Runner
  readonly writer: MessageWriter
  readonly settings: SessionSettings
  /** Sends the gathered replies; resolves when the client has read enough. */
  readonly flush: () => Awaitable<void>
  /** The running statement was cancelled. */
  readonly isCancelled: () => boolean
}

export class RowSender {
  constructor(private readonly options: RowSenderOptions) {}

  /** Writes rows; returns how many. Throws encoding errors, and 57014. */
  write(rows: Rows, rowsMax: number): Awaitable<number> {
    // The turn in which the rows were made is used up.
    if (rows.bytesHeld > pgEncodedAtOnce) return this.writeMore(rows, rowsMax, 0)
    const count = rows.write(this.options.writer, Math.min(rowsMax, pgRowsAtOnce))
    return rows.isDone || count >= rowsMax ? count : this.writeMore(rows, rowsMax, count)
  }

  /** After the last row. */
  complete({ tag, counts }: Outcome, rows: Rows, count: number): void {
    if (rows.hasHidden) this.tellHidden()
    this.options.writer.commandComplete(counts ? `${tag} ${count}` : tag)
  }

  /** Tells the client that documents have fields without a column. */
  tellHidden(): void {
    const { writer, settings } = this.options
    if (settings.wants('NOTICE')) writer.noticeResponse(hiddenFields)
  }

  /** Closes the rest of a cursor. */
  giveUp(rows: Rows): void {
    const { cursor } = rows
    if (cursor === undefined) return
    rows.cursor = undefined
    // A cursor that is already closed is no error.
    const ignore = (): void => {}
    try {
      const reply = this.options.runner.send(closingOf(cursor), cursor.db)
      if (reply instanceof Promise) reply.catch(ignore)
    } catch {
      ignore()
    }
  }

  private async writeMore(rows: Rows, rowsMax: number, written: number): Promise<number> {
    const { writer, flush, runner, isCancelled } = this.options
    for (let count = written; ; ) {
      if (isCancelled()) throw cancelledError()
      if (writer.length > pgAnswerBytes) {
        const wait = flush()
        if (wait instanceof Promise) await wait
      }
      if (rows.isBatchEmpty && rows.cursor !== undefined) {
        // Reads no more than requested: rights to waiting rows would be checked too early.
        const batch = Math.min(rowsMax - count, pgBatchRows)
        const { cursor, statement } = rows
        rows.refill(await runner.more(nextBatchOf(cursor, batch), cursor.db, statement))
      } else if (rows.isNextLong) await rows.prepareNext()
      else await nextTurn()
      count += rows.write(writer, Math.min(rowsMax - count, pgRowsAtOnce))
      if (rows.isDone || count >= rowsMax) return count
    }
  }
}
