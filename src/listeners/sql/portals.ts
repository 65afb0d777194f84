// The extended protocol of one session: named statements, portals and their execution. A portal's
// rows were read when it was opened, so the reader's rights are checked again before they are sent
// later.
// Source: PostgreSQL 17, 53.2.3.

import type { Clock } from '../../base/clock.js'
import { type GatewayError, hasKind, toGatewayError } from '../../base/errors.js'
import type { Keeper } from '../../base/heap/byte-shares.js'
import { pgBatchRows } from '../../base/limits/sql.js'
import type { Session } from '../../bus/session.js'
import { emptyDocument } from '../../commands/document/arguments.js'
import { parsedStatement } from '../../commands/sql/statement-cache.js'
import {
  type Bind,
  type Format,
  type Parse,
  requireResultFormats,
  type Target,
} from '../../protocol/pgwire/client-message.js'
import type { MessageWriter } from '../../protocol/pgwire/message-writer.js'
import { pgError, pgState } from '../../protocol/pgwire/pg-error.js'
import { Prepared, type Room } from '../../protocol/pgwire/prepared.js'
import type { MessageSequence } from '../../protocol/pgwire/sequence.js'
import type { Awaitable } from '../../store/store.js'
import type { Value } from '../../value/value.js'
import { overError } from './answers.js'
import type { ColumnTypes } from './column-types.js'
import { describedColumns, isChange } from './describe.js'
import type { SessionNotifications } from './notifications.js'
import type { Fetched, Outcome } from './outcome.js'
import {
  boundValues,
  bytesOfColumns,
  bytesOfPortal,
  bytesOfStatement,
  type PreparedStatement,
  prepare,
} from './prepared-statement.js'
import type { RowSender } from './row-sender.js'
import { type ColumnHead, described, type Layouts, Rows } from './rows.js'
import { isWayOut, type Runner } from './runner.js'

interface PortalsOptions {
  readonly types: Pick<ColumnTypes, 'of'>
  readonly session: Session
  readonly db: string
  readonly writer: MessageWriter
  readonly sequence: MessageSequence
  readonly runner: Runner
  readonly sender: RowSender
  readonly layouts: Layouts
  readonly notifications: SessionNotifications
  /** Memory for what is kept between messages. */
  readonly room: Room
  /** Whose memory it is. */
  readonly owner: string
  readonly clock: Pick<Clock, 'elapsed'>
  /** Whether the session is answering a message. */
  readonly isAtWork: () => boolean
}

/** A statement with its parameters and its progress. */
class Portal {
  /** The reply to a Describe of a change. */
  described: readonly ColumnHead[] | undefined = undefined
  outcome: Outcome | undefined = undefined
  rows: Rows | undefined = undefined
  /** The turn in which its rows were read. */
  turn = 0
  isOver = false

  constructor(
    readonly name: string,
    readonly prepared: PreparedStatement,
    readonly values: readonly Value[],
    readonly formats: readonly Format[],
  ) {}
}

export class Portals implements Keeper {
  readonly owner: string
  private readonly prepared: Prepared<PreparedStatement, Portal>
  /** A change whose rows are described when it runs, or when another message comes. */
  private undescribed: Portal | undefined
  /** A portal opened by a Describe: usually the next message reads its rows. */
  private untaken: Portal | undefined
  /** Grows when the client was waited for: earlier reads may be out of date. */
  private turn = 0
  private refusal: GatewayError | undefined

  constructor(private readonly options: PortalsOptions) {
    const { room, sender, clock, owner } = options
    this.owner = owner
    const closed = ({ rows }: Portal) => rows !== undefined && sender.giveUp(rows)
    this.prepared = new Prepared(closed, room, () => clock.elapsed())
  }

  get idleBytes(): number {
    return this.oldestMs === undefined ? 0 : this.prepared.rowsHeld
  }

  get oldestMs(): number | undefined {
    const { prepared, options } = this
    // A message in progress may use any of them.
    if (options.isAtWork() && !prepared.isCounting) return undefined
    return prepared.oldest?.usedMs
  }

  closeOldest(): void {
    const { oldest } = this.prepared
    if (oldest !== undefined) this.prepared.close('portal', oldest.name)
  }

  /** Work due before a message that executes `portal`. */
  before(portal: string | undefined): Promise<void> | undefined {
    const { refusal, untaken, undescribed } = this
    if (refusal !== undefined) {
      this.refusal = undefined
      throw refusal
    }
    if (untaken !== undefined) {
      this.untaken = undefined
      if (untaken.name !== portal) this.hold(untaken)
    }
    const isLate = undescribed !== undefined && undescribed.name !== portal
    return isLate ? this.describeLate(undescribed) : undefined
  }

  /** The current message has failed. */
  failed(): void {
    this.undescribed = undefined
  }

  /** The connection waits for the client. */
  rest(): void {
    this.turn++
    const { untaken } = this
    this.untaken = undefined
    if (untaken === undefined) return
    try {
      this.hold(untaken)
    } catch (thrown) {
      // No reply can be sent now: the next message gets the error.
      this.refusal = toGatewayError(thrown)
    }
  }

  parse({ statement: name, text, types: oids }: Parse): Awaitable<void> {
    const { types, session, db, writer } = this.options
    this.prepared.requireFreeStatement(name)
    const found = prepare(text, oids, { types, session, db })
    const keep = (prepared: PreparedStatement): void => {
      this.requireRunnable(prepared)
      this.prepared.addStatement(name, prepared, bytesOfStatement(prepared))
      writer.parseComplete()
    }
    return found instanceof Promise ? found.then(keep) : keep(found)
  }

  bind(bind: Bind): Awaitable<void> {
    const prepared = this.prepared.statement(bind.statement)
    this.requireRunnable(prepared)
    this.prepared.requireFreePortal(bind.portal)
    const bytes = bytesOfPortal(bind, prepared)
    const bound = boundValues(bind, prepared)
    const keep = (values: readonly Value[]): void => this.keepPortal(bind, prepared, values, bytes)
    return bound instanceof Promise ? bound.then(keep) : keep(bound)
  }

  private keepPortal(
    bind: Bind,
    prepared: PreparedStatement,
    values: readonly Value[],
    bytes: number,
  ): void {
    if (prepared.described !== undefined) {
      requireResultFormats(bind.resultFormats, prepared.described.length)
    }
    const portal = new Portal(bind.portal, prepared, values, bind.resultFormats)
    this.prepared.addPortal(bind.portal, portal, bytes)
    this.options.writer.bindComplete()
  }

  private requireRunnable({ kind }: PreparedStatement): void {
    this.options.sequence.requireRunnable(kind === undefined || isWayOut(kind))
  }

  async describeStatement(name: string): Promise<void> {
    const { writer } = this.options
    const prepared = this.prepared.statement(name)
    writer.parameterDescription(prepared.parameters.map(({ type }) => type))
    if (!prepared.returns) {
      writer.noData()
      return
    }
    if (prepared.kind === 'fetch') return this.describeFetch(prepared, [])
    if (prepared.described === undefined) {
      const columns = await this.columnsOf(prepared)
      this.prepared.growStatement(name, bytesOfColumns(columns))
      prepared.described = columns
    }
    writer.rowDescription(described(prepared.described))
  }

  describePortal(name: string): Awaitable<void> {
    const { writer } = this.options
    const portal = this.prepared.portal(name)
    const { kind, returns, described: known } = portal.prepared
    if (!returns) return writer.noData()
    if (kind === 'fetch') return this.describeFetch(portal.prepared, portal.formats)
    if (portal.rows !== undefined) return writer.rowDescription(portal.rows.columns)
    if (known !== undefined) return writer.rowDescription(described(known, portal.formats))
    if (isChange(kind)) {
      this.undescribed = portal
      return
    }
    const opened = this.open(portal, true, 0)
    const keep = (): void => {
      this.untaken = portal
    }
    return opened instanceof Promise ? opened.then(keep) : keep()
  }

  execute(name: string, rowsMax: number): Awaitable<void> {
    const portal = this.prepared.portal(name)
    const tells = this.undescribed === portal
    this.undescribed = undefined
    if (portal.prepared.kind === undefined) return this.options.writer.emptyQueryResponse()
    const ready =
      portal.outcome === undefined
        ? this.open(portal, tells, rowsMax)
        : this.checkRevocation(portal)
    if (ready instanceof Promise) return ready.then(() => this.fetch(portal, rowsMax))
    return this.fetch(portal, rowsMax)
  }

  close(target: Target, name: string): void {
    this.prepared.close(target, name)
  }

  closeUnnamed(): void {
    this.prepared.closeUnnamed()
  }

  closePortals(): void {
    this.prepared.closePortals()
  }

  /** Throws 26000 if it does not exist. */
  deallocate(name: string | undefined): void {
    if (name === undefined) this.prepared.closeStatements()
    else {
      this.prepared.statement(name)
      this.prepared.close('statement', name)
    }
  }

  /** A described change does not run next: sends its columns without its rows. */
  private async describeLate(portal: Portal): Promise<void> {
    this.undescribed = undefined
    const { prepared, formats } = portal
    portal.described = prepared.described ?? (await this.columnsOf(prepared))
    this.hold(portal)
    this.options.writer.rowDescription(described(portal.described, formats))
  }

  private columnsOf(prepared: PreparedStatement): Promise<readonly ColumnHead[]> {
    const { types, session, db, runner, notifications } = this.options
    const { text, count, parameters } = prepared
    const { statement } = parsedStatement(text)
    notifications.isMuted = true
    const columns = describedColumns({
      statement,
      text,
      count,
      parameters,
      db,
      session,
      types,
      send: (body) => runner.describe(body),
    })
    return columns.finally(() => {
      notifications.isMuted = false
    })
  }

  /**
   * Runs a portal's statement; with `tells` it sends the columns. It reads the requested rows if
   * the columns are known, else enough rows to infer the types.
   */
  private open(portal: Portal, tells: boolean, rowsMax: number): Awaitable<void> {
    const { layouts, runner, writer } = this.options
    const { prepared, values, formats } = portal
    const isTyped = (portal.described ?? prepared.described) !== undefined
    const batch = isTyped && rowsMax > 0 ? Math.min(rowsMax, pgBatchRows) : pgBatchRows
    const run = runner.run(prepared.text, values, batch)
    const keep = (outcome: Outcome): void => {
      portal.outcome = outcome
      portal.turn = this.turn
      if (!outcome.returns || outcome.fetched !== undefined) return
      const { kind, returns, reply, tag, counts, statement } = outcome
      const heads = portal.described ?? prepared.described ?? layouts.headsOf(reply)
      requireResultFormats(formats, heads.length)
      portal.rows = new Rows(layouts.of(heads, formats), reply, statement)
      // The rows keep their batch alive as long as needed.
      portal.outcome = { kind, returns, reply: emptyDocument, tag, counts }
      if (tells) writer.rowDescription(portal.rows.columns)
    }
    return run instanceof Promise ? run.then(keep) : keep(run)
  }

  /**
   * Checks that the client may still read rows that were read before it was waited for; later rows
   * are checked when they are read.
   */
  private checkRevocation(portal: Portal): Awaitable<void> {
    if (portal.turn === this.turn || portal.rows?.isBatchEmpty !== false) return
    const { prepared, values, name } = portal
    const refused = (thrown: unknown): never => {
      this.prepared.close('portal', name)
      throw thrown
    }
    const looked = (): void => {
      portal.turn = this.turn
    }
    try {
      const found = this.options.runner.checkRevocation(prepared.text, values)
      return found instanceof Promise ? found.then(looked, refused) : looked()
    } catch (thrown) {
      return refused(thrown)
    }
  }

  /** The rows of an executed portal, or its tag. */
  private fetch(portal: Portal, rowsMax: number): Awaitable<void> {
    const { writer, sender } = this.options
    const { name, outcome, rows } = portal
    if (outcome === undefined) return
    if (rows === undefined) {
      if (portal.isOver) throw overError(name)
      portal.isOver = true
      if (outcome.fetched !== undefined) {
        return this.fetchFrom(outcome.fetched, portal.formats, false)
      }
      writer.commandComplete(outcome.tag)
      return
    }
    const finish = (count: number): void => {
      if (rows.isDone) {
        sender.complete(outcome, rows, count)
        return
      }
      this.hold(portal)
      writer.portalSuspended()
    }
    const count = sender.write(rows, rowsMax === 0 ? Number.POSITIVE_INFINITY : rowsMax)
    if (!(count instanceof Promise)) return finish(count)
    return count.then(finish, (thrown) => this.lost(name, thrown, 'portal'))
  }

  /** The rows behind a portal may have been closed to make room: the portal is gone then. */
  private lost(name: string, thrown: unknown, what: 'portal' | 'cursor'): never {
    if (!hasKind(thrown, 'CursorNotFound')) throw thrown
    this.prepared.close('portal', name)
    throw pgError(pgState.noPortal, `${what} "${name}" does not exist`)
  }

  /** DECLARE: a cursor is a portal that opens at its first FETCH. */
  declare(name: string, text: string, values: readonly Value[]): void {
    if (this.prepared.hasPortal(name)) {
      throw pgError(pgState.duplicatePortal, `cursor "${name}" already exists`)
    }
    const prepared: PreparedStatement = {
      kind: 'select',
      returns: true,
      text,
      parameters: [],
      count: values.length,
      described: undefined,
    }
    let bytes = bytesOfStatement(prepared)
    for (const value of values) bytes += value.end - value.start
    this.prepared.addPortal(name, new Portal(name, prepared, values, []), bytes)
  }

  /** Throws 34000 if it does not exist. */
  closeCursor(name: string | undefined): void {
    if (name === undefined) this.prepared.closePortals()
    else {
      this.cursor(name)
      this.prepared.close('portal', name)
    }
  }

  endCursors(names: readonly string[]): void {
    for (const name of names) this.prepared.close('portal', name)
  }

  /** FETCH: rows of a cursor in these formats, and its tag; with `tells` the columns come first. */
  async fetchFrom(
    { name, rows: wanted }: Fetched,
    formats: readonly Format[],
    tells: boolean,
  ): Promise<void> {
    const { layouts, sender, writer } = this.options
    const portal = this.cursor(name)
    await this.opened(portal, wanted)
    const { rows } = portal
    if (rows === undefined) throw overError(name)
    rows.layout = layouts.of(rows.columns, formats)
    requireResultFormats(formats, rows.columns.length)
    if (tells) writer.rowDescription(rows.columns)
    let count: number
    try {
      count = await sender.write(rows, wanted ?? Number.POSITIVE_INFINITY)
    } catch (thrown) {
      return this.lost(name, thrown, 'cursor')
    }
    if (rows.hasHidden) sender.tellHidden()
    this.hold(portal)
    writer.commandComplete(`FETCH ${count}`)
  }

  private async describeFetch(
    { text }: PreparedStatement,
    formats: readonly Format[],
  ): Promise<void> {
    const { statement } = parsedStatement(text)
    if (statement.kind !== 'fetch') return
    const portal = this.cursor(statement.name)
    await this.opened(portal, statement.rows)
    this.hold(portal)
    this.options.writer.rowDescription(described(portal.rows?.columns ?? [], formats))
  }

  private cursor(name: string): Portal {
    if (this.prepared.hasPortal(name)) return this.prepared.portal(name)
    throw pgError(pgState.noPortal, `cursor "${name}" does not exist`)
  }

  private opened(portal: Portal, rows = 0): Awaitable<void> {
    return portal.outcome === undefined
      ? this.open(portal, false, rows)
      : this.checkRevocation(portal)
  }

  /** Counts the rows waiting in a portal. Throws 53200 and closes it if they are too many. */
  private hold({ name, rows, described: columns }: Portal): void {
    const shown = columns === undefined ? 0 : bytesOfColumns(columns)
    this.prepared.holdRows(name, shown + (rows?.bytesHeld ?? 0))
  }
}
