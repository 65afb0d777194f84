// Runs one statement of a session: as a command on the bus or, without the store, on the session.
// The caller writes the result: columns, rows, the tag.

import { fail, hasKind } from '../../base/errors.js'
import type { Request } from '../../bus/document/request.js'
import type { Statement } from '../../bus/document/transactions/statement.js'
import type { Session } from '../../bus/session.js'
import { commandFor, explaining, type SqlKind } from '../../commands/sql/translate.js'
import { functionFacts } from '../../commands/sql/typing/function-facts.js'
import { pgError, pgState } from '../../protocol/pgwire/pg-error.js'
import type { MessageSequence } from '../../protocol/pgwire/sequence.js'
import type {
  BeginStatement,
  DeclareStatement,
  Expression,
  SelectStatement,
  SetStatement,
  SetTransactionStatement,
  Statement as SqlStatement,
} from '../../protocol/sql/ast.js'
import type { Awaitable } from '../../store/store.js'
import { Elements, field } from '../../value/elements.js'
import { boolOf, bsonType, type Document, stringOf, type Value } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import type { ColumnTypes } from './column-types.js'
import { channelName, type SessionNotifications } from './notifications.js'
import { done, type Outcome, shown, tagOf } from './outcome.js'
import { type SessionSettings, spellingOf } from './session-settings.js'
import {
  type Answer,
  type BlockHost,
  type ChangedSettings,
  type Command,
  TransactionBlock,
} from './transaction-block.js'
import {
  defaultSettings,
  isChanging,
  isRenewed,
  modesOfSetting,
  requireWritable,
  shownMode,
} from './transaction-modes.js'

/** What a session keeps between statements. */
interface SessionHoldings {
  /** Deletes a prepared statement, or all named ones. Throws 26000. */
  deallocate(name: string | undefined): void
  declare(name: string, text: string, values: readonly Value[]): void
  /** Closes a cursor, or all. Throws 34000. */
  closeCursor(name: string | undefined): void
  /** Closes those of these cursors that are still open. */
  endCursors(names: readonly string[]): void
}

export interface RunnerHost extends BlockHost {
  readonly types: ColumnTypes
}

interface RunnerOptions {
  readonly host: RunnerHost
  readonly session: Session
  readonly db: string
  readonly settings: SessionSettings
  readonly sequence: MessageSequence
  readonly holdings: SessionHoldings
  readonly notifications: SessionNotifications
  /** Sends a notice, which is no error. */
  readonly notice: (
    severity: 'WARNING' | 'NOTICE',
    sqlState: string,
    message: string,
    hint?: string,
  ) => void
  /** Whether the statement has its message or pipeline to itself. */
  readonly isAlone: () => boolean
  /** Reports a changed setting to the client. */
  readonly changed: (name: string, value: string) => void
}

type ChannelStatement = Extract<SqlStatement, { kind: 'listen' | 'notify' | 'unlisten' }>

const noSequences: Request['sequences'] = new Map()
export class Runner {
  readonly block: TransactionBlock

  constructor(private readonly options: RunnerOptions) {
    const { host, session, db, settings, notifications } = options
    this.block = new TransactionBlock({ host, session, db, settings, notifications })
    session.settingOf = (name) => shownMode(name, this.block.shownModes) ?? settings.valueOf(name)
  }

  /** Throws, or rejects with, the statement's error. */
  run(text: string, params: readonly Value[], batchSize: number): Awaitable<Outcome> {
    const { block } = this
    const { sequence } = this.options
    const command = commandFor({ text, params, batchSize })
    const { kind, body, statement, returns } = command
    sequence.requireRunnable(isWayOut(kind))
    if (statement.kind === 'select') this.configure(statement, params)
    if (body === undefined) return this.ofSession(statement, params)
    const limited = this.limited(body)
    const locks = statement.kind === 'select' ? statement.locks : undefined
    if (!block.isOpen && this.needsBlock(kind)) block.beginImplicit()
    const finish = (reply: Document, inside?: Statement): Awaitable<Outcome> => {
      if (isChanging(kind)) this.wrote(kind)
      this.tellNote(kind, reply)
      const tag = tagOf(kind, reply)
      const counts = kind === 'select'
      const outcome = { kind, returns, reply, tag, counts, statement: inside }
      const checked = this.options.notifications.requireNotices()
      return checked instanceof Promise ? checked.then(() => outcome) : outcome
    }
    if (block.isOpen) {
      const asks = { kind, returns, tagOf }
      const inBlock = { body: limited, asks, locks }
      return this.inBlock(inBlock).then(({ reply, statement: inside }) => finish(reply, inside))
    }
    requireWritable(block.shownModes, kind, locks)
    const reply = this.send(limited)
    return reply instanceof Promise ? reply.then((answer) => finish(answer)) : finish(reply)
  }

  /** REPEATABLE READ and SERIALIZABLE hold for a statement by itself too. */
  private needsBlock(kind: SqlKind): boolean {
    if (kind !== 'select' && !isChanging(kind)) return false
    if (!isRenewed(this.block.shownModes)) return true
    return isChanging(kind) && !this.options.isAlone()
  }

  /** An index that has to be built ends an implicit block, and is made by itself. */
  private async inBlock(command: Command): Promise<Answer> {
    const { block } = this
    try {
      return await block.run(command)
    } catch (thrown) {
      const isApart = command.asks.kind === 'createIndex' && block.isImplicit
      if (!isApart || !hasKind(thrown, 'OperationNotSupportedInTransaction')) throw thrown
      await block.commitBefore()
      return { reply: await this.send(command.body), statement: undefined }
    }
  }

  /** The message or pipeline is complete: commits what it has changed. */
  async settle(): Promise<void> {
    const { block } = this
    if (block.isImplicit) this.tell(await this.commit())
  }

  /** Nothing is committed if a LISTEN or NOTIFY is refused. Returns the settings to report. */
  private async commit(): Promise<ChangedSettings> {
    const { block } = this
    try {
      await this.options.notifications.prepare()
    } catch (thrown) {
      this.tell(block.rollBack())
      throw thrown
    }
    return await block.commit()
  }

  /** A statement, or a message, has failed. */
  failed(): void {
    const { block } = this
    if (!block.isOpen) return
    const { hasDefined } = block
    this.tell(block.failed())
    if (hasDefined) this.options.host.types.forget()
  }

  /** The connection is closed. */
  close(): void {
    this.block.rollBack()
  }

  /** `SELECT set_config(name, value, is_local)` is a SET. Throws as that does. */
  private configure({ results }: SelectStatement, params: readonly Value[]): void {
    for (const { expression } of results) {
      if (expression.kind !== 'call' || functionFacts(expression.name).isSetting !== true) continue
      const [name, value] = expression.args.map((arg) => writtenText(arg, params))
      if (name === undefined || value === undefined) continue
      const [, , isLocal] = expression.args
      const local = isLocal !== undefined && isTrue(isLocal, params)
      this.set(name.toLowerCase(), [value], local ? 'quietly' : false)
    }
  }

  /**
   * Whether the session may still do what a statement did. Throws, or rejects with, the refusal;
   * changes nothing.
   */
  checkRevocation(text: string, params: readonly Value[]): Awaitable<unknown> {
    const body = explaining({ text, params, batchSize: 1 })
    return body === undefined ? undefined : this.describe(this.limited(body))
  }

  /** Any command outside of the transaction, on the session's database by default. */
  send(body: Document, db = this.options.db): Awaitable<Document> {
    const { host, session } = this.options
    return host.run({ db, body, sequences: noSequences }, session)
  }

  /** A command that tells of tables: of those of the transaction too. */
  describe(body: Document): Awaitable<Document> {
    const { host, session, db } = this.options
    const { defining: statement } = this.block
    return host.run({ db, body, sequences: noSequences, statement }, session)
  }

  /** Further rows of a cursor, in the transaction that opened it. */
  more(body: Document, db: string, statement: Statement | undefined): Awaitable<Document> {
    return statement === undefined ? this.send(body, db) : this.block.more(body, db, statement)
  }

  private wrote(kind: SqlKind): void {
    const { host } = this.options
    if (kind !== 'insert' && kind !== 'update' && kind !== 'delete') host.types.forget()
  }

  /** With the session's time limit. */
  private limited(body: Document): Document {
    const { statementTimeoutMs } = this.options.settings
    if (statementTimeoutMs === 0) return body
    return writeDocument((writer) => {
      const elements = new Elements(body)
      while (elements.next()) writer.element(body, elements.start, elements.valueEnd)
      writer.int32('maxTimeMS', statementTimeoutMs)
    })
  }

  private ofSession(statement: SqlStatement, params: readonly Value[]): Awaitable<Outcome> {
    const { settings, holdings } = this.options
    switch (statement.kind) {
      case 'show':
        return this.show(statement.name, settings)
      case 'set':
        return this.setting(statement)
      case 'setTransaction':
        return this.setModes(statement)
      case 'begin':
        return this.begin(statement)
      case 'commit':
      case 'rollback':
        return this.end(statement.kind, statement.chains)
      case 'savepoint':
      case 'release':
      case 'rollbackTo':
        return this.atSavepoint(statement.kind, statement.name)
      case 'reset':
        return this.reset(statement.name)
      case 'discard':
        return this.discard(statement.what)
      case 'deallocate':
        holdings.deallocate(statement.name)
        return done('deallocate', statement.name === undefined ? 'DEALLOCATE ALL' : 'DEALLOCATE')
      case 'listen':
      case 'notify':
      case 'unlisten':
        return this.onChannels(statement)
      case 'declare':
        return this.declare(statement, params)
      case 'fetch': {
        const { name, rows } = statement
        return { ...done('fetch', 'FETCH'), returns: true, counts: true, fetched: { name, rows } }
      }
      case 'close':
        holdings.closeCursor(statement.name)
        return done('close', statement.name === undefined ? 'CLOSE CURSOR ALL' : 'CLOSE CURSOR')
      default:
        throw fail('InternalError', `${statement.kind} has no command`)
    }
  }

  private reset(name: string | undefined): Outcome {
    this.tell(this.options.settings.reset(name))
    return done('reset', 'RESET')
  }

  private discard(what: 'all' | 'plans' | 'sequences' | 'temp'): Outcome {
    const { holdings } = this.options
    if (what === 'all') {
      if (this.block.isOpen) {
        const text = 'DISCARD ALL cannot run inside a transaction block'
        throw fail('BadValue', text, { sqlState: '25001' })
      }
      holdings.closeCursor(undefined)
      holdings.deallocate(undefined)
      this.reset(undefined)
      this.options.notifications.unlisten(undefined)
    }
    return done('discard', `DISCARD ${what.toUpperCase()}`)
  }

  private onChannels(statement: ChannelStatement): Awaitable<Outcome> {
    const { kind } = statement
    const channel = statement.channel === undefined ? undefined : this.cut(statement.channel)
    const outcome = done(kind, kind.toUpperCase())
    const checked = this.tellChannels(statement, channel)
    return checked instanceof Promise ? checked.then(() => outcome) : outcome
  }

  private tellChannels(statement: ChannelStatement, channel = ''): Awaitable<void> {
    const { notifications } = this.options
    switch (statement.kind) {
      case 'notify':
        notifications.notify(channel, statement.payload)
        return notifications.requireNotices()
      case 'listen':
        return notifications.listen(channel)
      default:
        return notifications.unlisten(channel === '' ? undefined : channel)
    }
  }

  /** A long name is cut, and the client is told. */
  private cut(written: string): string {
    const name = channelName(written)
    if (name !== written) {
      const text = `identifier "${written}" will be truncated to "${name}"`
      this.options.notice('NOTICE', '42622', text)
    }
    return name
  }

  /** A cursor lives as long as its transaction: without one it would end at once. */
  private declare({ name, text }: DeclareStatement, params: readonly Value[]): Outcome {
    const { holdings } = this.options
    const { savepoints } = this.block
    if (!this.block.isOpen) {
      const message = 'DECLARE CURSOR can only be used in transaction blocks'
      throw fail('BadValue', message, { sqlState: '25P01' })
    }
    savepoints.requireRoom()
    holdings.declare(name, text, params)
    savepoints.declared(name)
    return done('declare', 'DECLARE CURSOR')
  }

  /** Sends the notices of IF EXISTS and IF NOT EXISTS. */
  private tellNote(kind: SqlKind, answer: Document): void {
    if (kind !== 'createTable' && kind !== 'createIndex' && !kind.startsWith('drop')) return
    const note = field(answer, 'note')
    if (note === undefined) return
    const state = kind.startsWith('create') ? '42P07' : '00000'
    this.options.notice('NOTICE', state, stringOf(note))
  }

  private tell(settings: readonly (readonly [name: string, value: string])[]): void {
    for (const told of settings) this.options.changed(...told)
  }

  private show(name: string, settings: SessionSettings): Outcome {
    const value = shownMode(name, this.block.shownModes) ?? settings.show(name)
    return shown(spellingOf(name), value)
  }

  private setting({ name, values, isLocal }: SetStatement): Outcome {
    const modes = modesOfSetting(name, values)
    if (modes !== undefined) this.block.setModes(modes)
    else this.set(name, values, isLocal)
    return done('set', 'SET')
  }

  /** Outside of a transaction SET LOCAL ends at once; only set_config does so without a warning. */
  private set(name: string, values: readonly string[], isLocal: boolean | 'quietly'): void {
    const { settings, notice, changed } = this.options
    if (isLocal !== false && !this.block.isOpen) {
      const text = 'SET LOCAL can only be used in transaction blocks'
      if (isLocal === true) notice('WARNING', '25P01', text)
      settings.setLocal(name, values)
      settings.endLocals()
      return
    }
    const told = isLocal !== false ? settings.setLocal(name, values) : settings.set(name, values)
    if (told !== undefined) changed(...told)
  }

  private setModes({ modes, isSession }: SetTransactionStatement): Outcome {
    const { settings, notice, changed } = this.options
    if (isSession) {
      for (const [name, value] of defaultSettings(modes)) {
        const told = settings.set(name, [value])
        if (told !== undefined) changed(...told)
      }
    } else if (this.block.isOpen) this.block.setModes(modes)
    else notice('WARNING', '25P01', 'SET TRANSACTION can only be used in transaction blocks')
    return done('setTransaction', 'SET')
  }

  private begin({ modes, isStart }: BeginStatement): Outcome {
    const { sequence, notice } = this.options
    if (sequence.begin()) this.block.begin(modes)
    else {
      notice('WARNING', '25001', 'there is already a transaction in progress')
      this.block.setModes(modes)
    }
    return done('begin', isStart ? 'START TRANSACTION' : 'BEGIN')
  }

  private async end(kind: 'commit' | 'rollback', chains: boolean): Promise<Outcome> {
    const { sequence, notice, holdings, host, notifications } = this.options
    const { block } = this
    if (chains && sequence.status === 'I') {
      const text = `${kind.toUpperCase()} AND CHAIN can only be used in transaction blocks`
      throw pgError(pgState.noTransaction, text)
    }
    const before = sequence.end()
    holdings.closeCursor(undefined)
    if (before === 'I') notice('WARNING', '25P01', 'there is no transaction in progress')
    const isUndone = kind === 'rollback' || before === 'E'
    const { shownModes, hasDefined } = block
    if (isUndone && hasDefined) host.types.forget()
    this.tell(isUndone ? block.rollBack() : await this.commit())
    if (chains) {
      sequence.begin()
      block.chain(shownModes)
    }
    await notifications.settle(!isUndone)
    return done(kind, isUndone ? 'ROLLBACK' : 'COMMIT')
  }

  private atSavepoint(kind: 'savepoint' | 'release' | 'rollbackTo', name: string): Outcome {
    const { sequence, holdings, notifications } = this.options
    const { block } = this
    const { statement, tag } = savepointWords[kind]
    if (sequence.status === 'I') {
      throw pgError(pgState.noTransaction, `${statement} can only be used in transaction blocks`)
    }
    if (kind === 'savepoint') {
      block.save(name)
      notifications.savepoint(name)
    } else if (kind === 'release') {
      block.release(name)
      notifications.release(name)
    } else {
      const { cursors, told } = block.goBack(name)
      holdings.endCursors(cursors)
      notifications.goBack(name)
      this.tell(told)
      sequence.goBack()
    }
    return done(kind, tag)
  }
}

const savepointWords = {
  savepoint: { statement: 'SAVEPOINT', tag: 'SAVEPOINT' },
  release: { statement: 'RELEASE SAVEPOINT', tag: 'RELEASE' },
  rollbackTo: { statement: 'ROLLBACK TO SAVEPOINT', tag: 'ROLLBACK' },
} as const

/** The value of a literal or a parameter. */
function writtenValue(expression: Expression, params: readonly Value[]): Value | undefined {
  if (expression.kind === 'parameter') return params[expression.index]
  return expression.kind === 'literal' ? expression.value : undefined
}

/** The text of a literal or a parameter. */
function writtenText(expression: Expression, params: readonly Value[]): string | undefined {
  const value = writtenValue(expression, params)
  return value?.type === bsonType.string ? stringOf(value) : undefined
}

function isTrue(expression: Expression, params: readonly Value[]): boolean {
  const value = writtenValue(expression, params)
  if (value?.type === bsonType.bool) return boolOf(value)
  return value?.type === bsonType.string && /^(?:t|true|on|1)$/i.test(stringOf(value))
}

/** Whether it ends a failed transaction, or rolls back to a savepoint before the failure. */
export function isWayOut(kind: SqlKind | SqlStatement['kind']): boolean {
  return kind === 'commit' || kind === 'rollback' || kind === 'rollbackTo'
}
