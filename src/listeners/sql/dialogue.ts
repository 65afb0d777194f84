// Handles a session's messages: simple queries, and statements and portals of the extended
// protocol. The writer gathers replies; the connection sends them.
// Source: PostgreSQL 17, 53.2.2 to 53.2.4.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../base/clock.js'
import { type GatewayError, toGatewayError } from '../../base/errors.js'
import type { ByteShare, ByteShares } from '../../base/heap/byte-shares.js'
import { pgAnswerBytes, pgBatchRows, pgStatementsAtOnce } from '../../base/limits/sql.js'
import type { Session } from '../../bus/session.js'
import { parsedAhead, sqlLongChars } from '../../commands/sql/read-ahead-task.js'
import { parsedStatement } from '../../commands/sql/statement-cache.js'
import { holderOf } from '../../engine/sources/cursors.js'
import { identityKey } from '../../identity/identity.js'
import {
  type ClientMessage,
  type Parse,
  parseMessage,
} from '../../protocol/pgwire/client-message.js'
import { type ErrorFields, errorFields } from '../../protocol/pgwire/error-fields.js'
import type { Frame } from '../../protocol/pgwire/message-splitter.js'
import type { MessageWriter } from '../../protocol/pgwire/message-writer.js'
import { MessageSequence } from '../../protocol/pgwire/sequence.js'
import { type StatementText, splitInTurns, splitStatements } from '../../protocol/sql/split.js'
import type { Awaitable } from '../../store/store.js'
import { cancelledError, cancelledFields, moved } from './answers.js'
import { type ChannelHost, SessionNotifications } from './notifications.js'
import { Portals } from './portals.js'
import { RowSender } from './row-sender.js'
import { Layouts, Rows } from './rows.js'
import { Runner, type RunnerHost } from './runner.js'
import type { SessionSettings } from './session-settings.js'

interface DialogueOptions {
  readonly host: RunnerHost & {
    /** Counts memory that all connections keep between messages. */
    readonly kept: ByteShares
    readonly clock: Clock
    readonly channels: ChannelHost
  }
  readonly session: Session
  readonly db: string
  readonly settings: SessionSettings
  readonly writer: MessageWriter
  /** Sends the gathered replies; resolves when the client has read enough. */
  readonly flush: () => Awaitable<void>
  /** Whether the next message ends the pipeline. */
  readonly isSyncNext: () => boolean
  /** Interrupts the running commands of the session. */
  readonly interrupt: () => void
  /** A notification has arrived. */
  readonly arrived: () => void
}

export class Dialogue {
  private readonly sequence = new MessageSequence()
  private readonly runner: Runner
  private readonly sender: RowSender
  private readonly portals: Portals
  private readonly layouts = new Layouts()
  private readonly room: ByteShare
  private readonly notifications: SessionNotifications
  private isAtWork = false
  /** Whether the message has several statements. */
  private hasSeveral = false
  /** Whether the message is a simple query. */
  private isSimple = false
  /** Messages of the extended protocol wait for their Sync. */
  private isWithinCycle = false
  private isCancelled = false

  constructor(private readonly options: DialogueOptions) {
    const { writer, host, session, db, settings, flush } = options
    const { sequence, layouts } = this
    const owner = holderOf(identityKey(session.identity))
    this.room = host.kept.open(owner)
    const { room } = this
    const { arrived } = options
    const notifications = new SessionNotifications({
      host: host.channels,
      session,
      db,
      room,
      arrived,
    })
    this.notifications = notifications
    session.channels = notifications
    const runner = new Runner({
      host,
      session,
      db,
      settings,
      sequence,
      notifications,
      holdings: {
        deallocate: (name) => this.portals.deallocate(name),
        declare: (name, text, values) => this.portals.declare(name, text, values),
        closeCursor: (name) => this.portals.closeCursor(name),
        endCursors: (names) => this.portals.endCursors(names),
      },
      notice: (severity, sqlState, message, hint) => {
        if (!settings.wants(severity)) return
        writer.noticeResponse({ severity, sqlState, message, hint })
      },
      changed: (name, value) => writer.parameterStatus(name, value),
      isAlone: () => (this.isSimple ? !this.hasSeveral : options.isSyncNext()),
    })
    const sender = new RowSender({
      runner,
      writer,
      settings,
      flush,
      isCancelled: () => this.isCancelled,
    })
    this.runner = runner
    this.sender = sender
    this.portals = new Portals({
      types: {
        of: (...[caller, name, table, needs]) =>
          host.types.of(caller, name, table, needs, runner.block.defining),
      },
      session,
      db,
      writer,
      sequence,
      runner,
      sender,
      layouts,
      room,
      owner,
      clock: host.clock,
      isAtWork: () => this.isAtWork,
      notifications,
    })
    host.kept.keepers.add(this.portals)
  }

  /** Sends the first ReadyForQuery. */
  begin(): void {
    this.options.writer.readyForQuery(this.sequence.status)
  }

  /**
   * Answers one message, synchronous if nothing must be waited for. True: the client disconnects.
   */
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

  /** Cancels the running statement, if there is one. */
  cancel(): void {
    if (!this.isAtWork) return
    this.isCancelled = true
    this.options.interrupt()
  }

  /** The connection is closed: releases what it holds on the server. */
  close(): void {
    this.options.host.kept.keepers.delete(this.portals)
    this.portals.closePortals()
    this.runner.close()
    this.notifications.close()
    this.room.close()
  }

  /**
   * Writes notifications, if the session is idle and in no transaction. Returns whether it wrote.
   */
  deliver(): boolean {
    if (this.isAtWork || this.isWithinCycle || this.sequence.status !== 'I') return false
    return this.notifications.deliver(this.options.writer)
  }

  /** Bytes of notifications that wait for the end of a transaction. */
  get bytesWaiting(): number {
    return this.notifications.bytesWaiting
  }

  /** No work is left until more data comes or the client reads. */
  rest(): void {
    this.portals.rest()
  }

  private take(message: ClientMessage): Awaitable<void> {
    const wait = this.portals.before(message.kind === 'execute' ? message.portal : undefined)
    return wait === undefined ? this.answer(message) : wait.then(() => this.answer(message))
  }

  /** The current message is complete; `thrown` is its error. */
  private ended(thrown?: unknown): Awaitable<false> {
    this.isWithinCycle = true
    if (thrown !== undefined) this.failed(toGatewayError(thrown))
    else if (this.sequence.succeeded()) {
      const settled = this.settled()
      if (settled instanceof Promise) return settled.then(() => this.over())
    }
    return this.over()
  }

  private over(): false {
    this.isAtWork = false
    this.isCancelled = false
    return false
  }

  /** Outside of a block, the messages up to here were a transaction of LISTEN and NOTIFY. */
  private settled(): Awaitable<void> {
    if (this.sequence.status !== 'I') return this.ready()
    const failed = (thrown: unknown): void => this.failed(toGatewayError(thrown))
    try {
      const settled = this.notifications.settle(true)
      if (settled instanceof Promise) return settled.then(() => this.ready(), failed)
    } catch (thrown) {
      return failed(thrown)
    }
    return this.ready()
  }

  private ready(): void {
    const { writer } = this.options
    this.isWithinCycle = false
    if (this.sequence.status === 'I') this.notifications.deliver(writer)
    writer.readyForQuery(this.sequence.status)
  }

  private failed(thrown: GatewayError): void {
    const { writer } = this.options
    this.portals.failed()
    this.runner.failed()
    // What an explicit transaction has noted ends with its ROLLBACK.
    if (this.sequence.status === 'I') void this.notifications.settle(false)
    writer.errorResponse(this.fieldsOf(thrown))
    if (this.sequence.failed()) this.ready()
  }

  private fieldsOf(error: GatewayError): ErrorFields {
    const isInterrupted = error.kind === 'Interrupted' || error.kind === 'CursorKilled'
    if (this.isCancelled && isInterrupted) return cancelledFields
    return errorFields(error)
  }

  private answer(message: ClientMessage): Awaitable<void> {
    const { portals } = this
    switch (message.kind) {
      case 'query':
        return this.query(message.text)
      case 'parse':
        return this.parse(message)
      case 'bind':
        return portals.bind(message)
      case 'describe':
        return message.target === 'statement'
          ? portals.describeStatement(message.name)
          : portals.describePortal(message.name)
      case 'execute':
        return portals.execute(message.portal, message.rowsMax)
      case 'close':
        portals.close(message.target, message.name)
        this.options.writer.closeComplete()
        return
      case 'sync':
        return this.sync()
      default:
    }
  }

  /** Parses a long statement in turns of its own: Bind and Execute usually come with it. */
  private parse(message: Parse): Awaitable<void> {
    const parsed = this.portals.parse(message)
    if (message.text.length <= sqlLongChars) return parsed
    return Promise.resolve(parsed).then(nextTurn)
  }

  /** Ends a pipeline: commits what it has changed outside of an explicit transaction. */
  private sync(): Awaitable<void> {
    if (this.sequence.status !== 'I') return
    // Portals end with their transaction, or here outside of one.
    this.portals.closePortals()
    return this.runner.block.isOpen ? this.runner.settle() : undefined
  }

  private async query(text: string): Promise<void> {
    this.isSimple = true
    try {
      await this.statements(text)
    } finally {
      this.isSimple = false
      this.hasSeveral = false
    }
  }

  /**
   * Runs statements until one fails; none if the text has a syntax error. Outside of an explicit
   * transaction several are one.
   */
  private async statements(text: string): Promise<void> {
    const { writer, flush } = this.options
    this.portals.closeUnnamed()
    const isLong = text.length > sqlLongChars
    const statements = isLong ? await splitInTurns(text) : splitStatements(text)
    if (statements.length === 0) {
      writer.emptyQueryResponse()
      return
    }
    for (const [i, statement] of statements.entries()) {
      if (i % pgStatementsAtOnce === pgStatementsAtOnce - 1) await nextTurn()
      const read = requireSyntax(statement, text)
      if (read !== undefined) await read
    }
    if (isLong) await nextTurn()
    this.hasSeveral = statements.length > 1
    for (const [i, statement] of statements.entries()) {
      if (i % pgStatementsAtOnce === pgStatementsAtOnce - 1) await nextTurn()
      if (this.isCancelled) throw cancelledError()
      try {
        const ahead = parsedAhead(statement.text)
        if (ahead !== undefined) await ahead
        await this.runSimple(statement.text, i === statements.length - 1)
      } catch (thrown) {
        throw moved(toGatewayError(thrown), text, statement.start)
      }
      if (writer.length > pgAnswerBytes) await flush()
    }
    if (this.sequence.status === 'I') this.portals.closePortals()
  }

  private async runSimple(text: string, isLast: boolean): Promise<void> {
    const { layouts, sender, sequence, runner } = this
    const { writer } = this.options
    if (this.hasSeveral && sequence.status === 'I') runner.block.beginImplicit()
    const outcome = await this.runner.run(text, [], pgBatchRows)
    const { fetched } = outcome
    const settles = isLast && runner.block.isImplicit
    if (fetched !== undefined) {
      await this.portals.fetchFrom(fetched, [], true)
      if (settles) await runner.settle()
      return
    }
    if (!outcome.returns) {
      // The tag says that it is committed.
      if (settles) await runner.settle()
      writer.commandComplete(outcome.tag)
      return
    }
    const { reply, statement } = outcome
    const rows = new Rows(layouts.of(layouts.headsOf(reply)), reply, statement)
    try {
      writer.rowDescription(rows.columns)
      const count = await sender.write(rows, Number.POSITIVE_INFINITY)
      if (settles) await runner.settle()
      sender.complete(outcome, rows, count)
    } finally {
      sender.giveUp(rows)
    }
  }
}

/** As in PostgreSQL, a text with a syntax error runs nothing. */
function requireSyntax(statement: StatementText, text: string): Promise<void> | undefined {
  const judge = (thrown: unknown): void => {
    const error = toGatewayError(thrown)
    if (error.extra.sqlState === '42601') throw moved(error, text, statement.start)
  }
  const ahead = parsedAhead(statement.text)
  if (ahead !== undefined) return ahead.catch(judge)
  try {
    parsedStatement(statement.text)
  } catch (thrown) {
    judge(thrown)
  }
}
