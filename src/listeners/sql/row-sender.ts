// Rows on their way to the client, batch after batch, as fast as it takes them: for a simple query
// and for a portal alike.

import { pgAnswerBytes, pgBatchRows, pgEncodedAtOnce, pgRowsAtOnce } from '../../base/limits.js'
import type { MessageWriter } from '../../protocol/pgwire/message-writer.js'
import type { Awaitable } from '../../store/store.js'
import { cancelledError, hiddenFields } from './answers.js'
import { closingOf, nextBatchOf, type Rows } from './rows.js'
import type { Outcome, Runner } from './runner.js'
import type { SessionSettings } from './session-settings.js'

interface RowSenderOptions {
  readonly runner: Runner
  readonly writer: MessageWriter
  readonly settings: SessionSettings
  /** Sends what is gathered; resolves when the client has taken enough of it. */
  readonly flush: () => Awaitable<void>
  /** The statement at work is to end. */
  readonly isCancelled: () => boolean
}

export class RowSender {
  constructor(private readonly options: RowSenderOptions) {}

  /** Writes rows; answers how many. Throws what a form refuses, and 57014. */
  write(rows: Rows, rowsMax: number): Awaitable<number> {
    // What the rows were made in has had its turn.
    if (rows.bytesHeld > pgEncodedAtOnce) return this.writeMore(rows, rowsMax, 0)
    const count = rows.write(this.options.writer, Math.min(rowsMax, pgRowsAtOnce))
    return rows.isDone || count >= rowsMax ? count : this.writeMore(rows, rowsMax, count)
  }

  /** Behind the last row. */
  complete({ tag, counts }: Outcome, rows: Rows, count: number): void {
    if (rows.hasHidden) this.tellHidden()
    this.options.writer.commandComplete(counts ? `${tag} ${count}` : tag)
  }

  /** Documents have fields that no column is there for. */
  tellHidden(): void {
    const { writer, settings } = this.options
    if (settings.wants('NOTICE')) writer.noticeResponse(hiddenFields)
  }

  /** What is left of a cursor ends with who asked for it. */
  giveUp(rows: Rows): void {
    const { cursor } = rows
    if (cursor === undefined) return
    rows.cursor = undefined
    // A cursor that is gone already is what was wanted.
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
        // No more than is asked for: what would wait here had been looked at too early.
        const batch = Math.min(rowsMax - count, pgBatchRows)
        rows.refill(await runner.send(nextBatchOf(rows.cursor, batch), rows.cursor.db))
      } else await nextTurn()
      count += rows.write(writer, Math.min(rowsMax - count, pgRowsAtOnce))
      if (rows.isDone || count >= rowsMax) return count
    }
  }
}

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
