// What a client that has logged in says, message by message: simple queries, and the extended
// protocol's statements and portals. Answers are gathered in the writer; the connection sends them.
// Source: PostgreSQL 17, 53.2.2 to 53.2.4.

import { type GatewayError, toGatewayError } from '../../base/errors.js'
import {
  pgAnswerBytes,
  pgBatchRows,
  pgHeldBytesMax,
  pgRowsAtOnce,
  pgStatementsAtOnce,
} from '../../base/limits.js'
import type { Session } from '../../bus/session.js'
import { emptyDocument } from '../../commands/document/arguments.js'
import { parsedStatement } from '../../commands/sql/statement-cache.js'
import { returnsRows } from '../../commands/sql/translate.js'
import {
  type Bind,
  type ClientMessage,
  type Format,
  type Parse,
  parseMessage,
  requireResultFormats,
} from '../../protocol/pgwire/client-message.js'
import { type ErrorFields, errorFields } from '../../protocol/pgwire/error-fields.js'
import type { Frame } from '../../protocol/pgwire/message-splitter.js'
import type { MessageWriter } from '../../protocol/pgwire/message-writer.js'
import { Prepared } from '../../protocol/pgwire/prepared.js'
import { MessageSequence } from '../../protocol/pgwire/sequence.js'
import { type StatementText, splitStatements } from '../../protocol/sql/split.js'
import type { Awaitable } from '../../store/store.js'
import type { Value } from '../../value/value.js'
import {
  cancelledError,
  cancelledFields,
  heldError,
  hiddenFields,
  moved,
  overError,
} from './answers.js'
import type { ColumnTypes } from './column-types.js'
import { describedColumns, isChange } from './describe.js'
import { boundValues, type PreparedStatement, prepare } from './prepared-statement.js'
import { closingOf, described, Layouts, nextBatchOf, Rows } from './rows.js'
import { type Outcome, Runner, type RunnerHost } from './runner.js'
import type { SessionSettings } from './session-settings.js'

export interface DialogueOptions {
  readonly host: RunnerHost & { readonly types: ColumnTypes }
  readonly session: Session
  readonly db: string
  readonly settings: SessionSettings
  readonly writer: MessageWriter
  /** Sends what is gathered; resolves when the client has taken enough of it. */
  readonly flush: () => Awaitable<void>
  /** Ends the commands of the session that are at work. */
  readonly interrupt: () => void
}

/** A statement with its parameters, and what it has answered so far. */
interface Portal {
  readonly prepared: PreparedStatement
  readonly values: readonly Value[]
  readonly formats: readonly Format[]
  outcome: Outcome | undefined
  rows: Rows | undefined
  isOver: boolean
}

export class Dialogue {
  private readonly sequence = new MessageSequence()
  private readonly prepared: Prepared<PreparedStatement, Portal>
  private readonly runner: Runner
  private readonly layouts = new Layouts()
  /** A change whose rows are described when it is run, or when something else is asked. */
  private undescribed: { readonly name: string; readonly portal: Portal } | undefined
  private isAtWork = false
  private isCancelled = false

  constructor(private readonly options: DialogueOptions) {
    const { writer, host, session, db, settings } = options
    this.prepared = new Prepared((portal) => this.closed(portal))
    this.runner = new Runner({
      ...{ host, session, db, settings, sequence: this.sequence },
      notice: (severity, sqlState, message, hint) =>
        writer.noticeResponse({ severity, sqlState, message, hint }),
      changed: (name, value) => writer.parameterStatus(name, value),
    })
  }

  /** The first ReadyForQuery. */
  begin(): void {
    this.options.writer.readyForQuery(this.sequence.status)
  }

  /** Answers one message, at once where nothing has to be waited for. True: the client goes. */
  handle(frame: Frame): Awaitable<boolean> {
    const step = this.sequence.accept(frame.type)
    if (step === 'end') return true
    if (step === 'ignore') return false
    this.isAtWork = true
    let answered: Awaitable<void>
    try {
      answered = this.take(parseMessage(frame))
    } catch (thrown) {
      return this.ended(thrown)
    }
    if (!(answered instanceof Promise)) return this.ended()
    return answered.then(
      () => this.ended(),
      (thrown) => this.ended(thrown),
    )
  }

  /** Ends the statement at work, if there is one. */
  cancel(): void {
    if (!this.isAtWork) return
    this.isCancelled = true
    this.options.interrupt()
  }

  /** The connection is closed: what it holds on the server is given up. */
  close(): void {
    this.prepared.closePortals()
  }

  private take(message: ClientMessage): Awaitable<void> {
    const isWanted = message.kind === 'execute' && message.portal === this.undescribed?.name
    if (this.undescribed === undefined || isWanted) return this.answer(message)
    return this.describeLate().then(() => this.answer(message))
  }

  /** The message at hand is done with; `thrown` is what it failed with. */
  private ended(thrown?: unknown): false {
    if (thrown !== undefined) this.failed(toGatewayError(thrown))
    else if (this.sequence.succeeded()) this.ready()
    this.isAtWork = false
    this.isCancelled = false
    return false
  }

  private ready(): void {
    this.options.writer.readyForQuery(this.sequence.status)
  }

  private failed(thrown: GatewayError): void {
    const { writer } = this.options
    this.undescribed = undefined
    writer.errorResponse(this.fieldsOf(thrown))
    if (this.sequence.failed()) this.ready()
  }

  private fieldsOf(error: GatewayError): ErrorFields {
    const isInterrupted = error.kind === 'Interrupted' || error.kind === 'CursorKilled'
    if (this.isCancelled && isInterrupted) return cancelledFields
    return errorFields(error)
  }

  private answer(message: ClientMessage): Awaitable<void> {
    const { writer } = this.options
    switch (message.kind) {
      case 'query':
        return this.query(message.text)
      case 'parse':
        return this.parse(message)
      case 'bind':
        return this.bind(message)
      case 'describe':
        return message.target === 'statement'
          ? this.describeStatement(message.name)
          : this.describePortal(message.name)
      case 'execute':
        return this.execute(message.portal, message.rowsMax)
      case 'close':
        this.prepared.close(message.target, message.name)
        writer.closeComplete()
        return
      case 'sync':
        // Portals end with their transaction, and outside of one here.
        if (this.sequence.status === 'I') this.prepared.closePortals()
        return
      default:
    }
  }

  /** Statement after statement, until one fails; none is run where the text is no SQL. */
  private async query(text: string): Promise<void> {
    const { writer, flush } = this.options
    this.prepared.closeUnnamed()
    const statements = splitStatements(text)
    if (statements.length === 0) {
      writer.emptyQueryResponse()
      return
    }
    for (const [i, statement] of statements.entries()) {
      if (i % pgStatementsAtOnce === pgStatementsAtOnce - 1) await nextTurn()
      requireSyntax(statement, text)
    }
    for (const [i, statement] of statements.entries()) {
      if (i % pgStatementsAtOnce === pgStatementsAtOnce - 1) await nextTurn()
      if (this.isCancelled) throw cancelledError()
      try {
        await this.runSimple(statement.text)
      } catch (thrown) {
        throw moved(toGatewayError(thrown), text, statement.start)
      }
      if (writer.length > pgAnswerBytes) await flush()
    }
    if (this.sequence.status === 'I') this.prepared.closePortals()
  }

  private async runSimple(text: string): Promise<void> {
    const { layouts } = this
    const { writer } = this.options
    const outcome = await this.runner.run(text, [], pgBatchRows)
    if (!outcome.returns) {
      writer.commandComplete(outcome.tag)
      return
    }
    const rows = new Rows(layouts.of(layouts.headsOf(outcome.reply)), outcome.reply)
    try {
      writer.rowDescription(rows.columns)
      const count = await this.write(rows, Number.POSITIVE_INFINITY)
      this.complete(outcome, rows, count)
    } finally {
      this.giveUp(rows)
    }
  }

  private parse({ statement: name, text, types }: Parse): Awaitable<void> {
    const { host, session, db, writer } = this.options
    this.prepared.requireFreeStatement(name)
    const found = prepare(text, types, { types: host.types, session, db })
    const keep = (prepared: PreparedStatement): void => {
      const kind = prepared.statement?.kind
      this.sequence.requireRunnable(kind === undefined || kind === 'commit' || kind === 'rollback')
      this.prepared.addStatement(name, prepared, text.length)
      writer.parseComplete()
    }
    return found instanceof Promise ? found.then(keep) : keep(found)
  }

  private bind(bind: Bind): void {
    const prepared = this.prepared.statement(bind.statement)
    const kind = prepared.statement?.kind
    this.sequence.requireRunnable(kind === undefined || kind === 'commit' || kind === 'rollback')
    this.prepared.requireFreePortal(bind.portal)
    const values = boundValues(bind, prepared)
    if (prepared.described !== undefined) {
      requireResultFormats(bind.resultFormats, prepared.described.length)
    }
    const portal: Portal = {
      prepared,
      values,
      formats: bind.resultFormats,
      outcome: undefined,
      rows: undefined,
      isOver: false,
    }
    const bytes = bind.parameters.reduce((sum, each) => sum + (each?.length ?? 0), 0)
    this.prepared.addPortal(bind.portal, portal, bytes)
    this.options.writer.bindComplete()
  }

  private async describeStatement(name: string): Promise<void> {
    const { host, session, db, writer } = this.options
    const prepared = this.prepared.statement(name)
    writer.parameterDescription(prepared.parameters.map(({ type }) => type))
    const { statement, text, count, parameters } = prepared
    if (!returnsRows(statement)) {
      writer.noData()
      return
    }
    prepared.described ??= await describedColumns({
      ...{ statement, text, count, parameters, db, session, types: host.types },
      send: (body) => this.runner.send(body),
    })
    writer.rowDescription(described(prepared.described))
  }

  private describePortal(name: string): Awaitable<void> {
    const { writer } = this.options
    const portal = this.prepared.portal(name)
    const { statement, described: known } = portal.prepared
    if (!returnsRows(statement)) return writer.noData()
    if (portal.rows !== undefined) return writer.rowDescription(portal.rows.columns)
    if (known !== undefined) return writer.rowDescription(described(known, portal.formats))
    if (!isChange(statement)) return this.open(portal, true)
    this.undescribed = { name, portal }
  }

  /** A change that was described is not run next: its columns are told without its rows. */
  private async describeLate(): Promise<void> {
    const { portal } = this.undescribed ?? {}
    this.undescribed = undefined
    if (portal === undefined) return
    const { host, session, db, writer } = this.options
    const { statement, text, count, parameters } = portal.prepared
    portal.prepared.described ??= await describedColumns({
      ...{ statement, text, count, parameters, db, session, types: host.types },
      send: (body) => this.runner.send(body),
    })
    writer.rowDescription(described(portal.prepared.described, portal.formats))
  }

  /** Runs a portal's statement; `tells`: its columns are answered. */
  private open(portal: Portal, tells: boolean): Awaitable<void> {
    const { layouts } = this
    const { prepared, values, formats } = portal
    const run = this.runner.run(prepared.text, values, pgBatchRows)
    const keep = (outcome: Outcome): void => {
      portal.outcome = outcome
      if (!outcome.returns) return
      const { kind, returns, reply, tag, counts } = outcome
      const heads = prepared.described ?? layouts.headsOf(reply)
      requireResultFormats(formats, heads.length)
      portal.rows = new Rows(layouts.of(heads, formats), reply)
      // The rows hold their batch as long as they need it.
      portal.outcome = { kind, returns, reply: emptyDocument, tag, counts }
      if (tells) this.options.writer.rowDescription(portal.rows.columns)
    }
    return run instanceof Promise ? run.then(keep) : keep(run)
  }

  private execute(name: string, rowsMax: number): Awaitable<void> {
    const portal = this.prepared.portal(name)
    const tells = this.undescribed?.portal === portal
    this.undescribed = undefined
    if (portal.prepared.statement === undefined) return this.options.writer.emptyQueryResponse()
    const opened = portal.outcome === undefined ? this.open(portal, tells) : undefined
    if (opened instanceof Promise) return opened.then(() => this.fetch(name, portal, rowsMax))
    return this.fetch(name, portal, rowsMax)
  }

  /** Rows of a portal that has been run, or its tag. */
  private fetch(name: string, portal: Portal, rowsMax: number): Awaitable<void> {
    const { writer } = this.options
    const { outcome, rows } = portal
    if (outcome === undefined) return
    if (rows === undefined) {
      if (portal.isOver) throw overError(name)
      portal.isOver = true
      writer.commandComplete(outcome.tag)
      return
    }
    const finish = (count: number): void => {
      if (rows.isDone) {
        this.complete(outcome, rows, count)
        return
      }
      this.requireRoom(name)
      writer.portalSuspended()
    }
    const count = this.write(rows, rowsMax === 0 ? Number.POSITIVE_INFINITY : rowsMax)
    return count instanceof Promise ? count.then(finish) : finish(count)
  }

  /** Throws 53200, and closes the portal, where rows that wait in portals hold too much. */
  private requireRoom(name: string): void {
    let held = 0
    for (const { rows } of this.prepared.openPortals) held += rows?.bytesHeld ?? 0
    if (held <= pgHeldBytesMax) return
    this.prepared.close('portal', name)
    throw heldError()
  }

  private complete({ tag, counts }: Outcome, rows: Rows, count: number): void {
    const { writer } = this.options
    if (rows.hasHidden) writer.noticeResponse(hiddenFields)
    writer.commandComplete(counts ? `${tag} ${count}` : tag)
  }

  /** Writes rows, batch after batch, as fast as the client takes them; answers how many. */
  private write(rows: Rows, rowsMax: number): Awaitable<number> {
    const count = rows.write(this.options.writer, Math.min(rowsMax, pgRowsAtOnce))
    return rows.isDone || count >= rowsMax ? count : this.writeMore(rows, rowsMax, count)
  }

  private async writeMore(rows: Rows, rowsMax: number, written: number): Promise<number> {
    const { writer, flush } = this.options
    for (let count = written; ; ) {
      if (this.isCancelled) throw cancelledError()
      if (writer.length > pgAnswerBytes) {
        const wait = flush()
        if (wait instanceof Promise) await wait
      }
      if (rows.isBatchEmpty && rows.cursor !== undefined) {
        rows.refill(await this.runner.send(nextBatchOf(rows.cursor, pgBatchRows), rows.cursor.db))
      } else await nextTurn()
      count += rows.write(writer, Math.min(rowsMax - count, pgRowsAtOnce))
      if (rows.isDone || count >= rowsMax) return count
    }
  }

  private closed({ rows }: Portal): void {
    if (rows !== undefined) this.giveUp(rows)
  }

  /** What is left of a cursor ends with who asked for it. */
  private giveUp(rows: Rows): void {
    const { cursor } = rows
    if (cursor === undefined) return
    rows.cursor = undefined
    // A cursor that is gone already is what was wanted.
    const ignore = (): void => {}
    try {
      const reply = this.runner.send(closingOf(cursor), cursor.db)
      if (reply instanceof Promise) reply.catch(ignore)
    } catch {
      ignore()
    }
  }
}

/** As in PostgreSQL, of a text with an error in its grammar nothing is run. */
function requireSyntax(statement: StatementText, text: string): void {
  try {
    parsedStatement(statement.text)
  } catch (thrown) {
    const error = toGatewayError(thrown)
    if (error.extra.sqlState === '42601') throw moved(error, text, statement.start)
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
