// The transaction of one session: explicit from BEGIN to COMMIT, or implicit for the statements of
// one message or pipeline. Its store transaction begins with the first statement that needs one. At
// READ COMMITTED each statement sees the newest state, and statements that lose against another
// client run again if their client cannot tell. (docs/transactions.md, "SQL")

import type { Clock } from '../../base/clock.js'
import { fail, GatewayError, hasKind } from '../../base/errors.js'
import { pgReplaysMax } from '../../base/limits/sql.js'
import type { Request } from '../../bus/document/request.js'
import { CommitCheck } from '../../bus/document/transactions/commit-check.js'
import type { Statement } from '../../bus/document/transactions/statement.js'
import type { Session } from '../../bus/session.js'
import { identityKey } from '../../identity/identity.js'
import { pgError, pgState } from '../../protocol/pgwire/pg-error.js'
import type { RowLocks, TransactionModes } from '../../protocol/sql/ast.js'
import type { Awaitable } from '../../store/store.js'
import { Tries } from '../../store/transactions/held-keys.js'
import type { OpenTransactions } from '../../store/transactions/open-transactions.js'
import type { Document } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import type { SessionNotifications } from './notifications.js'
import { type Asks, ReplayLog, toldOf } from './replay-log.js'
import { type Place, Savepoints } from './savepoints.js'
import type { SessionSettings } from './session-settings.js'
import {
  changedModes,
  defaultModes,
  isChanging,
  isRenewed,
  type Modes,
  requireWritable,
} from './transaction-modes.js'

export interface BlockHost {
  readonly run: (request: Request, session: Session) => Awaitable<Document>
  readonly transactions: OpenTransactions
  readonly clock: Pick<Clock, 'now'>
}

interface BlockOptions {
  readonly notifications: Pick<SessionNotifications, 'runs'>
  readonly host: BlockHost
  readonly session: Session
  readonly db: string
  readonly settings: SessionSettings
}

/** A command of a statement. */
export interface Command {
  readonly body: Document
  readonly asks: Asks
  /** SELECT FOR UPDATE. */
  readonly locks: RowLocks | undefined
}

export interface Answer {
  readonly reply: Document
  /** The transaction that its cursor reads in; undefined if it reads what is committed. */
  readonly statement: Statement | undefined
}

export type ChangedSettings = readonly (readonly [name: string, value: string])[]

const noSequences: Request['sequences'] = new Map()
const commitBody = writeDocument((writer) => {
  writer.int32('commitTransaction', 1)
})
/** The store's savepoint below all others: a rollback never ends the store's transaction. */
const firstDepth = 1

/** Numbers of SQL transactions are negative: those of logical sessions are not. */
let lastNumber = 0

export class TransactionBlock {
  readonly savepoints = new Savepoints()
  private modes: Modes | undefined
  /** The modes that AND CHAIN has taken over: a failure does not take them back. */
  private chained: Modes | undefined
  private isImplicitly = false
  /** What now() tells of the open transaction, milliseconds since 1970. */
  private begunAt: number | undefined
  private readonly tries = new Tries()
  private hasQueried = false
  private isDefining = false
  /** Statements so far, which number their notices. */
  private statements = 0
  private current: Statement | undefined
  /** Whether the last savepoint of the store's transaction has nothing above it yet. */
  private isUnchanged = true
  /** The store's savepoint before an index that may have to be made by itself. */
  private placeBefore = firstDepth
  private readonly log = new ReplayLog()
  private settingsBefore: ReadonlyMap<string, string> = new Map()

  constructor(private readonly options: BlockOptions) {}

  get isOpen(): boolean {
    return this.modes !== undefined
  }

  get isImplicit(): boolean {
    return this.isImplicitly
  }

  /** The modes of the open transaction, else those of a statement by itself. */
  get shownModes(): Modes {
    return this.modes ?? defaultModes(this.options.settings)
  }

  /** The store's transaction; undefined before the first statement that needs one. */
  get statement(): Statement | undefined {
    return this.current
  }

  /** Whether it has made or dropped tables. */
  get hasDefined(): boolean {
    return this.isDefining
  }

  /** The same, if it has made or dropped tables that only it can see. */
  get defining(): Statement | undefined {
    return this.isDefining ? this.current : undefined
  }

  /** BEGIN; an implicit block becomes explicit. */
  begin(modes: TransactionModes): void {
    const { settings, host } = this.options
    if (this.modes === undefined) {
      this.settingsBefore = settings.state
      this.begunAt = host.clock.now()
    }
    this.modes = { ...(this.modes ?? defaultModes(settings)), ...modes }
    this.isImplicitly = false
  }

  /** The transaction behind AND CHAIN. */
  chain(modes: Modes): void {
    this.begin(modes)
    this.chained = modes
  }

  /** Several statements without BEGIN are one transaction. */
  beginImplicit(): void {
    if (this.isOpen) return
    this.begin({})
    this.isImplicitly = true
  }

  /** SET TRANSACTION. Throws 25001. */
  setModes(wanted: TransactionModes): void {
    if (this.modes === undefined) return
    const isNested = !this.savepoints.isEmpty
    this.modes = changedModes(this.modes, wanted, { hasQueried: this.hasQueried, isNested })
  }

  /** Runs a command, in the transaction if it needs one. Throws 25006, 40001, 25P03. */
  async run(command: Command): Promise<Answer> {
    const { body, asks, locks } = command
    const { shownModes: modes } = this
    requireWritable(modes, asks.kind, locks)
    this.hasQueried = true
    const isPlain = this.current === undefined && isRenewed(modes)
    if (isPlain && !isChanging(asks.kind) && locks === undefined) {
      return { reply: await this.send(body, undefined), statement: undefined }
    }
    const { notifications } = this.options
    const statement = ++this.statements
    try {
      const reply = await this.again(async (isFirst) => {
        if (isFirst) await this.ready()
        notifications.runs(statement)
        return this.sendIn(body, asks)
      })
      this.log.noteRun(body, asks, reply, statement)
      return { reply, statement: this.current }
    } finally {
      notifications.runs(undefined)
    }
  }

  /** Further rows of a cursor that was opened in `statement`. Throws 25P03. */
  async more(body: Document, db: string, statement: Statement): Promise<Document> {
    try {
      return await this.send(body, statement, db)
    } catch (thrown) {
      throw told(thrown)
    }
  }

  /**
   * Returns the settings to report. Throws 40001, 25P03, and errors of statements that had to run
   * again.
   */
  async commit(): Promise<ChangedSettings> {
    try {
      await this.again(() => this.committed())
      this.close()
      return this.options.settings.endLocals()
    } catch (thrown) {
      const { modes } = this
      this.rollBack()
      throw modes?.isolation === 'serializable' ? asDependency(thrown) : thrown
    }
  }

  /** Commits what an implicit block has changed before its last statement, which has failed. */
  async commitBefore(): Promise<void> {
    this.current?.transaction.returnTo(this.placeBefore)
    await this.again(() => this.committed())
    this.drop()
  }

  /** Returns the settings to report. */
  rollBack(): ChangedSettings {
    const { settings } = this.options
    const back = this.isOpen ? settings.restore(this.settingsBefore) : []
    this.close()
    return [...back, ...settings.endLocals()]
  }

  /** A statement has failed: without a savepoint there is nothing to go back to. */
  failed(): ChangedSettings {
    if (this.isImplicitly) return this.rollBack()
    const { last } = this.savepoints
    if (last === undefined) this.drop()
    // As in PostgreSQL, AND CHAIN then continues with the modes before BEGIN.
    this.modes = last?.modes ?? this.chained ?? defaultModes(this.options.settings)
    return []
  }

  save(name: string): void {
    const { current, isUnchanged, savepoints } = this
    savepoints.requireRoom()
    let depth = savepoints.last?.depth ?? firstDepth
    if (current !== undefined && !isUnchanged) {
      depth = this.transactionOf(current).save()
      this.isUnchanged = true
      this.log.noteSavepoint({ kind: 'save' })
    }
    const { state: settings } = this.options.settings
    savepoints.add(name, { depth, steps: this.log.steps.length, settings, modes: this.shownModes })
  }

  release(name: string): void {
    this.modes = this.savepoints.release(name).modes
    const { current } = this
    const depth = (this.savepoints.last?.depth ?? firstDepth) + 1
    if (current === undefined || current.transaction.depth < depth) return
    this.transactionOf(current).release(depth)
    this.isUnchanged = false
    this.log.noteSavepoint({ kind: 'release', depth })
  }

  /** Returns the cursors that end, and the settings to report. */
  goBack(name: string): {
    readonly cursors: readonly string[]
    readonly told: ChangedSettings
  } {
    const { place, cursors } = this.savepoints.goBack(name)
    this.returnTo(place)
    return { cursors, told: this.options.settings.restore(place.settings) }
  }

  private returnTo({ depth, steps, modes }: Place): void {
    const { current } = this
    this.modes = modes
    this.log.cut(steps)
    if (current === undefined) return
    this.transactionOf(current).returnTo(depth)
    this.isUnchanged = true
  }

  /** Throws 25P03 if it has ended meanwhile. */
  private transactionOf({ transaction }: Statement): Statement['transaction'] {
    try {
      transaction.requireOpen()
    } catch (thrown) {
      throw told(thrown)
    }
    return transaction
  }

  /** Runs `work`; after a conflict, at READ COMMITTED, the statements before it first. */
  private async again<T>(work: (isFirst: boolean) => Promise<T>): Promise<T> {
    for (let run = 0; ; run++) {
      try {
        if (run > 0) await this.replay()
        return await work(run === 0)
      } catch (thrown) {
        const isLast = run >= pgReplaysMax || !this.canReplay
        if (!hasKind(thrown, 'WriteConflict') || isLast) throw told(thrown)
      }
    }
  }

  private get canReplay(): boolean {
    return this.modes !== undefined && isRenewed(this.modes) && this.log.canReplay
  }

  /** Begins, or goes on with the newest state. */
  private async ready(): Promise<void> {
    const { current, modes } = this
    if (current === undefined) this.current = await this.opened()
    else if (modes !== undefined && isRenewed(modes)) await current.transaction.renew()
  }

  private async opened(): Promise<Statement> {
    const { host, session } = this.options
    const isSerializable = this.modes?.isolation === 'serializable'
    const check = new CommitCheck()
    const transaction = await host.transactions.begin(identityKey(session.identity), {
      isolation: isSerializable ? 'serializable' : 'snapshot',
      tries: this.tries,
      mayHold: (key) => check.mayHold(key),
    })
    transaction.save()
    lastNumber--
    return { number: lastNumber, transaction, check }
  }

  private async sendIn(body: Document, asks: Asks): Promise<Document> {
    if (asks.kind === 'createIndex' && this.isImplicitly && this.current !== undefined) {
      this.placeBefore = this.current.transaction.save()
      this.log.noteSavepoint({ kind: 'save' })
    }
    if (isChanging(asks.kind)) this.isUnchanged = false
    if (isDefining(asks.kind)) this.isDefining = true
    return await this.send(body, this.current)
  }

  /** Runs the statements so far on the newest state. Throws WriteConflict if they differ. */
  private async replay(): Promise<void> {
    this.current?.transaction.abort()
    const current = await this.opened()
    this.current = current
    for (const step of this.log.steps) {
      if (step.kind === 'save') current.transaction.save()
      else if (step.kind === 'release') current.transaction.release(step.depth)
      else {
        this.options.notifications.runs(step.statement)
        const reply = await this.send(step.body, current)
        if (toldOf(step.asks, reply) === step.told) continue
        this.log.spoil()
        throw fail('WriteConflict', 'the statements before would now tell otherwise')
      }
    }
  }

  private async committed(): Promise<void> {
    const { current } = this
    if (current === undefined) return
    current.transaction.requireOpen()
    if (current.transaction.isEmpty) return
    await this.send(commitBody, current, 'admin')
  }

  private async send(
    body: Document,
    statement: Statement | undefined,
    db = this.options.db,
  ): Promise<Document> {
    const { host, session } = this.options
    const { begunAt } = this
    return await host.run({ db, body, sequences: noSequences, statement, begunAt }, session)
  }

  /** Ends the store's transaction, if it is still open. */
  private drop(): void {
    this.current?.transaction.abort()
    this.current = undefined
    this.log.clear()
    this.isUnchanged = true
  }

  private close(): void {
    this.drop()
    this.savepoints.clear()
    this.modes = undefined
    this.begunAt = undefined
    this.chained = undefined
    this.isImplicitly = false
    this.hasQueried = false
    this.isDefining = false
  }
}

/** A conflict at the commit of a serializable transaction may also be one of what it has read. */
function asDependency(thrown: unknown): unknown {
  if (!hasKind(thrown, 'WriteConflict')) return thrown
  const { kind, extra, cause } = thrown as GatewayError
  const text = 'could not serialize access due to read/write dependencies among transactions'
  return new GatewayError(kind, text, extra, cause)
}

function isDefining(kind: Asks['kind']): boolean {
  return kind === 'createTable' || kind === 'dropTable'
}

/** Conflicts and ends of transactions as PostgreSQL names them; other errors as they are. */
function told(thrown: unknown): unknown {
  if (!(thrown instanceof GatewayError) || thrown.extra.sqlState !== undefined) return thrown
  if (hasKind(thrown, 'WriteConflict')) {
    const text = 'could not serialize access due to concurrent update'
    const hint = 'The transaction might succeed if retried.'
    return new GatewayError(thrown.kind, text, { ...thrown.extra, hint }, thrown)
  }
  if (!hasKind(thrown, 'NoSuchTransaction')) return thrown
  return pgError(pgState.transactionTimeout, `terminating transaction: ${thrown.message}`)
}
