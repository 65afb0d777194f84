// Document commands of all protocols pass through here: look up, authenticate, parse, authorize,
// run, meter, map errors. No function is async, so that an embedded store answers synchronously.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { fail, type GatewayError, unquotedKeys } from '../../base/errors.js'
import { PassingMap } from '../../base/heap/passing-map.js'
import type { Account } from '../../base/work/accounts.js'
import type { Scheduler } from '../../base/work/scheduler.js'
import { work } from '../../base/work/work-budget.js'
import { longRequestUnits, requestUnits } from '../../base/work/work-figures.js'
import { checkDatabaseName, checkNamespaceName } from '../../engine/collection/catalog/names.js'
import type { Engine } from '../../engine/engine.js'
import type { Cursor } from '../../engine/sources/cursors.js'
import type { Resource } from '../../engine/types.js'
import type { AuditDetails } from '../../identity/audit.js'
import type { Awaitable, Program } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { Metering, otherName } from '../metering.js'
import { NamespaceUse } from '../namespace-use.js'
import { meetKey } from '../policy/bounds.js'
import { Draining } from '../policy/draining.js'
import { mappedError, warnInvalid } from '../policy/errors.js'
import { requireUnlocked, senderRefusal } from '../policy/senders.js'
import { isSlow } from '../policy/slowness.js'
import type { Services } from '../services.js'
import type { Declared, Session } from '../session.js'
import { requireSpaceName } from '../spaces/space-choice.js'
import type { BusView } from './bus-view.js'
import { Call, unauthenticated } from './call.js'
import { ClusterTime, joined } from './cluster-time.js'
import { tableOf, type WithCollations } from './collation-tables.js'
import { commandName } from './command-name.js'
import type { CommandTx } from './command-tx.js'
import { concernError } from './concern-error.js'
import { noGeneric } from './generic.js'
import type { Request } from './request.js'
import { attemptOf, WriteSessions } from './retries/write-sessions.js'
import { type AnyCall, type DocumentRow, runsAgain } from './row.js'
import { shapeOf } from './shape.js'
import { CommandTable } from './table.js'
import { labelling, retryLabelled } from './transactions/labels.js'
import { SessionTransactions } from './transactions/session-transactions.js'
import { SnapshotReads } from './transactions/snapshot-reads.js'
import type { Statement } from './transactions/statement.js'
import type { TransactionFields } from './transactions/transaction-fields.js'

/** The database of PLAIN sign-ins; it holds no collections. */
const externalUsers = '$external'

export class Bus implements BusView {
  readonly counters: Metering
  readonly namespaces: NamespaceUse
  readonly rows: readonly DocumentRow[]
  readonly transactions: SessionTransactions
  private readonly snapshots: SnapshotReads
  private readonly writeSessions: WriteSessions
  private readonly working = new PassingMap<number, AnyCall>()
  readonly table: CommandTable
  private lastId = 0
  readonly scheduler: Scheduler | undefined
  private readonly draining = new Draining()
  /** Undefined for a standalone server. */
  readonly clusterTime: ClusterTime | undefined

  constructor(
    rows: readonly DocumentRow[],
    private readonly engine: Engine,
    readonly services: Services,
  ) {
    this.table = new CommandTable(rows)
    this.rows = this.table.rows
    this.counters = new Metering(services.clock.elapsed())
    this.namespaces = new NamespaceUse()
    this.scheduler = engine.store.scheduler
    const isCluster = (services.topology ?? 'standalone') !== 'standalone'
    this.clusterTime = isCluster ? new ClusterTime(services.clock, engine.store) : undefined
    this.snapshots = new SnapshotReads(engine.transactions, services.clock)
    this.writeSessions = new WriteSessions(engine.store.ownsData === true)
    this.transactions = new SessionTransactions({
      open: engine.transactions,
      guardOf: (statement, session) => this.guardOf(statement, session),
      closeCursors: ({ owner, lsid, number }) => {
        const ofIt = ({ meta }: Cursor) =>
          meta.owner === owner && meta.lsid === lsid && meta.txnNumber === number
        engine.cursors.killWhere(ofIt)
      },
    })
  }

  /**
   * Runs a command; its reply ends with `ok: 1`. Throws or rejects with GatewayError. If the
   * scheduler is busy, the command begins when its owner's turn comes.
   */
  run(request: Request, session: Session): Awaitable<Document> {
    const { scheduler } = this
    if (scheduler === undefined) return this.begin(request, session, undefined, 0)
    const account = session.accountOf(scheduler)
    const othersMs = scheduler.accounts.othersMs(account)
    if (!scheduler.isBusy) return this.begin(request, session, account, othersMs)
    return new Promise((resolve, reject) => {
      scheduler.wait(account, () => {
        try {
          resolve(this.begin(request, session, account, othersMs))
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  /** One stretch of work: parsing and compiling before the first program cannot pause. */
  private begin(
    request: Request,
    session: Session,
    account: Account | undefined,
    othersMs: number,
  ): Awaitable<Document> {
    const interrupted = work.interrupt()
    work.begin(0, requestUnits)
    try {
      return this.begun(request, session, account, othersMs)
    } finally {
      work.resume(interrupted)
    }
  }

  private begun(
    request: Request,
    session: Session,
    account: Account | undefined,
    othersMs: number,
  ): Awaitable<Document> {
    const startedAt = work.spent
    const [row, call] = this.opened(request, session, account)
    const isLong = work.spent - startedAt > longRequestUnits
    call.othersMs = othersMs
    this.working.set(call.id, call)
    let outcome: Awaitable<Document>
    try {
      outcome = this.ordered(row, call, request.statement, isLong)
    } catch (thrown) {
      throw this.failed(call, thrown)
    }
    if (outcome instanceof Uint8Array) return this.finished(call, outcome)
    // Only the work up to here is charged here. Programs charge their own work.
    if (account !== undefined) {
      this.scheduler?.charge(account, this.services.clock.elapsed() - call.startedMs)
      call.isCharged = true
    }
    return outcome.then(
      (reply) => this.finished(call, reply),
      (thrown) => {
        throw this.failed(call, thrown)
      },
    )
  }

  inFlight(): Iterable<AnyCall> {
    return this.working.values()
  }

  /** Refuses further commands. Resolves when the running ones are answered. */
  drain(): Promise<void> {
    this.hurryAll()
    return this.draining.begin(this.working.size)
  }

  /** Ends the waits of all running commands. */
  hurryAll(): void {
    for (const call of this.working.values()) call.hurry()
  }

  /** Ends all running commands at their next pause, if a drain takes too long. */
  killAll(): void {
    for (const call of this.working.values()) call.kill()
  }

  private opened(
    request: Request,
    session: Session,
    account: Account | undefined,
  ): [DocumentRow, AnyCall] {
    try {
      return this.open(request, session, account)
    } catch (thrown) {
      const error = mappedError(thrown, commandName(request.body) ?? '', this.services.log)
      const known = this.table.rowOf(request.body)?.name ?? otherName
      this.counters.refused(known, session.protocol, error)
      throw error
    }
  }

  private open(
    request: Request,
    session: Session,
    account: Account | undefined,
  ): [DocumentRow, AnyCall] {
    if (this.draining.isOn) throw fail('ShutdownInProgress', 'The server is shutting down')
    const { prepared: parsed } = request
    const row = parsed?.row ?? this.rowOf(request)
    const { engine, services } = this
    this.admit(row, session)
    if (row.adminOnly === true && request.db !== 'admin') {
      throw fail('Unauthorized', `${row.name} may only be run against the admin database.`)
    }
    if (row.inSpaces === true) requireSpaceName(request.db)
    const id = ++this.lastId
    const { args, target, generic } = parsed?.parsed ?? row.parse(request)
    const call: AnyCall = new Call({
      row,
      request,
      session,
      args,
      target,
      generic,
      engine,
      services,
      bus: this,
      id,
      account,
    })
    if (call.generic.apiStrict && row.stable !== true) throw notStable(row.name)
    call.requireAccess()
    call.resources = row.resources(call)
    requireNames(request.db, call.resources)
    session.witness?.({ command: row.name, db: request.db, resources: call.resources })
    return [row, call]
  }

  /**
   * Checks the caller's current rights for a command that already ran. It runs nothing, and throws
   * or rejects as `run` does.
   */
  checkRevocation(declared: Declared, session: Session): Awaitable<void> {
    const row = this.rowNamed(declared.command)
    this.admit(row, session)
    const call = this.guardOf(declared, session)
    call.requireAccess()
    return call.read(nothing)
  }

  /** A call that runs nothing: its guard checks the rights of a command that already ran. */
  private guardOf({ command, db, resources }: Declared, session: Session): AnyCall {
    const row = this.rowNamed(command)
    const { engine, services } = this
    const body = writeDocument((writer) => writer.string(command, resources[0]?.collection ?? ''))
    const call: AnyCall = new Call({
      // Nothing grows here, so a quota that is full by now does not matter.
      row: { ...row, grows: 'nothing' },
      args: {},
      target: undefined,
      request: { db, body, sequences: new Map() },
      session,
      generic: noGeneric,
      engine,
      services,
      bus: this,
      id: ++this.lastId,
    })
    call.resources = resources
    return call
  }

  private rowNamed(command: string): DocumentRow {
    const row = this.table.rowNamed(command)
    if (row === undefined) throw fail('CommandNotFound', `no such command: '${command}'`)
    return row
  }

  /**
   * Runs before the command is parsed: refuses clients that have not signed in, and counts the
   * command of an API key. The call checks the other requirements of its row.
   */
  private admit(row: DocumentRow, session: Session): void {
    const { name, access } = row
    requireUnlocked(row, session.identity)
    if (senderRefusal(access, session.identity, this.services.rules) === 'unauthenticated') {
      throw unauthenticated(name)
    }
    meetKey(this.services, session, access, session.protocol, name)
  }

  private rowOf({ body }: Request): DocumentRow {
    const row = this.table.rowOf(body)
    if (row !== undefined) return row
    const name = commandName(body)
    if (name !== undefined) throw fail('CommandNotFound', `no such command: '${name}'`)
    throw fail('FailedToParse', 'The command document is empty')
  }

  /** A statement of a transaction waits for the one before it. */
  private ordered(
    row: DocumentRow,
    call: AnyCall,
    statement: Statement | undefined,
    isLong: boolean,
  ): Awaitable<Document> {
    const { transaction } = call.generic
    const perform = () => this.whenReady(row, call, isLong)
    const inTransaction = () => {
      if (call.statement === undefined || row.runWriting?.(call) === undefined) return perform()
      const text = '$changeStream, $out and $merge cannot be used in a transaction'
      throw fail('OperationNotSupportedInTransaction', text)
    }
    if (statement !== undefined) {
      const run = () => this.transactions.runIn(row, call, statement, inTransaction)
      return this.failing(row, call, run)
    }
    if (transaction?.isTransaction !== true) {
      const outside = this.snapshots.around(row, call, perform)
      if (transaction === undefined) return this.failing(row, call, outside)
      if (row.retryable === true)
        return retryLabelled(() => this.retryable(row, call, transaction, outside))
    }
    const run = () => this.transactions.run(row, call, inTransaction)
    return labelling(row.ends === 'transaction', () => this.failing(row, call, run))
  }

  /** A write that its client sends again if it does not see the reply. */
  private retryable(
    row: DocumentRow,
    call: AnyCall,
    { number }: TransactionFields,
    perform: () => Awaitable<Document>,
  ): Awaitable<Document> {
    const attempt = attemptOf(call, number)
    return this.writeSessions.run(attempt, call.startedMs, (record) => {
      const run = () => {
        this.transactions.supersede(call, number, attempt.name)
        call.retry = record
        return this.failing(row, call, perform)
      }
      const learned = this.transactions.learn(call, number, { isFirst: true, name: attempt.name })
      return learned instanceof Promise ? learned.then(run) : run()
    })
  }

  private failing(
    row: DocumentRow,
    call: AnyCall,
    run: () => Awaitable<Document>,
  ): Awaitable<Document> {
    const { failPoint } = this.services
    return failPoint === undefined ? run() : failPoint.run(row, call, run)
  }

  /**
   * A thread builds the table of a command's collation before the command begins. A command that
   * took long to parse begins in the next turn.
   */
  private whenReady(row: DocumentRow, call: AnyCall, isLong: boolean): Awaitable<Document> {
    const ready = tableOf(call.args as WithCollations) ?? (isLong ? nextTurn() : undefined)
    if (ready === undefined) return this.perform(row, call)
    return ready.then(() => work.within(requestUnits, () => this.perform(row, call)))
  }

  private perform(row: DocumentRow, call: AnyCall): Awaitable<Document> {
    switch (row.grain) {
      case 'local':
      case 'task':
        return this.performAlone(row, call)
      case 'read': {
        const writing = row.runWriting?.(call)
        if (writing !== undefined) return call.sweep(writing)
        return row.runWaiting?.(call) ?? call.read((tx) => row.runRead(tx, call), runsAgain(row))
      }
      case 'point':
        return row.audit === undefined
          ? call.write((tx) => row.runPoint(tx, call))
          : call.write((tx) => this.audited(row, tx, call))
      case 'sweep':
        return call.sweep(row.runSweep(call))
    }
  }

  /** Runs a command that has no program of its own; checks the wallet first. */
  private performAlone(row: DocumentRow, call: AnyCall): Awaitable<Document> {
    const checked = row.access === 'anonymous' ? undefined : call.checkIdentity()
    const outcome = checked instanceof Promise ? checked.then(() => row.runLocal(call)) : undefined
    const reply = outcome ?? row.runLocal(call)
    const { audit } = row
    return audit === undefined ? reply : this.record(reply, () => audit(call), call)
  }

  private async record(
    reply: Awaitable<Document>,
    details: () => AuditDetails,
    call: AnyCall,
  ): Promise<Document> {
    const done = await reply
    await this.services.audit?.record(call.auditEntry(details()))
    return done
  }

  /** Runs the command and writes its audit entry, in one program. */
  private *audited(row: DocumentRow, tx: CommandTx, call: AnyCall): Program<Document> {
    const reply = yield* row.runPoint(tx, call)
    const { audit } = this.services
    if (audit !== undefined && row.audit !== undefined) {
      yield* audit.write(tx.unguarded, call.auditEntry(row.audit(call)), call.now)
    }
    return reply
  }

  private finished(call: AnyCall, reply: Document): Document {
    this.settle(call, undefined)
    if (call.row.fails === 'inPart') this.counters.answered(call.session.protocol, reply)
    const { clusterTime } = this
    if (clusterTime === undefined || call.session.protocol !== 'wire') return reply
    const { unmetConcern } = call.generic
    const done = unmetConcern === undefined ? reply : joined(reply, concernError(unmetConcern))
    return clusterTime.addTo(done)
  }

  private failed(call: AnyCall, thrown: unknown): GatewayError {
    const mapped = mappedError(thrown, call.command, this.services.log)
    const isQuoting = call.isBlind && call.row.quotesOwn !== true
    const error = isQuoting ? unquotedKeys(mapped) : mapped
    this.settle(call, error)
    return error
  }

  private settle(call: AnyCall, error: GatewayError | undefined): void {
    this.working.delete(call.id)
    call.traces.settle()
    if (call.invalidNamespaces !== undefined) this.logInvalid(call, call.invalidNamespaces)
    const nowMs = this.services.clock.elapsed()
    const ms = nowMs - call.startedMs - call.waitedMs
    this.account(call, nowMs)
    const resource = call.resources[0]
    const { protocol } = call.session
    const counts = this.counters.record(call.row, protocol, ms, nowMs)
    if (resource !== undefined) this.namespaces.record(resource, call.row, ms, error !== undefined)
    if (error !== undefined) {
      counts.failed++
      this.counters.failed(protocol, error)
    }
    if (isSlow(ms, this.services.slowCommandMs)) this.logSlow(call, ms, error)
    this.draining.ended(this.working.size)
  }

  private account({ account, isCharged, startedMs, othersMs }: AnyCall, nowMs: number): void {
    const { scheduler } = this
    if (account === undefined || scheduler === undefined) return
    if (!isCharged) scheduler.charge(account, nowMs - startedMs)
    this.counters.others.record(scheduler.served(account, othersMs), nowMs)
  }

  /** Logs names only: document content does not belong in a log. */
  private logInvalid({ command, session }: AnyCall, namespaces: Iterable<string>): void {
    for (const ns of namespaces) warnInvalid(this.services.log, command, ns, session.id)
  }

  private logSlow(call: AnyCall, ms: number, error: GatewayError | undefined): void {
    const { command, session, db, request, resources } = call
    const collection = resources[0]?.collection
    const ns = collection === undefined ? db : `${db}.${collection}`
    const shape = shapeOf(request.body, call.row.secrets)
    const { protocol } = session
    const shown = { ms, command, ns, protocol, shape, code: error?.code, owner: call.owner }
    this.counters.slow.add({ ...shown, at: this.services.clock.now() })
    this.services.log.info(
      {
        command,
        ns,
        ms: Math.round(ms),
        connection: session.id,
        protocol,
        ...(session.requestId === undefined ? {} : { requestId: session.requestId }),
        shape,
        ...(error === undefined ? {} : { code: error.code }),
      },
      'slow command',
    )
  }
}

/** An empty program: with it the guard checks rights and nothing else runs. */
function* nothing(): Program<void> {}

/** The last valid names: most commands use the same ones again. */
let right: { readonly db?: string; readonly collection?: string } = {}

/** Throws InvalidNamespace for an invalid database or collection name. */
function requireNames(database: string, resources: readonly Resource[]): void {
  if (database !== externalUsers && database !== right.db) checkDatabaseName(database)
  for (let i = 0; i < resources.length; i++) {
    const { db, collection } = resources[i] as Resource
    if (collection === undefined || (db === right.db && collection === right.collection)) continue
    checkNamespaceName(db, collection)
    right = { db, collection }
  }
}

function notStable(name: string): GatewayError {
  const text = `Provided apiStrict:true, but the command ${name} is not in API Version 1`
  return fail('APIStrictError', text)
}
