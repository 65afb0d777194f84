// The path of key-value commands: look up, arity, authenticate, queue or run, authorize in the
// command's own transaction, meter, map errors. A connection's lane keeps the order of its
// commands.

import { type GatewayError, toGatewayError } from '../../base/errors.js'
import type { ByteShare } from '../../base/heap/byte-shares.js'
import type { ReplyRoom } from '../../base/heap/reply-room.js'
import { errorLine, refuse, tooLong } from '../../base/reply-error.js'
import type { Account } from '../../base/work/accounts.js'
import type { Engine } from '../../engine/engine.js'
import { ExpiryJob } from '../../engine/keyspace/keys/expiry-job.js'
import type { Place, Space, SpaceTable } from '../../engine/keyspace/spaces.js'
import { type InlineBounds, usualBounds } from '../../engine/keyspace/work.js'
import { type Identity, identityKey } from '../../identity/identity.js'
import { noWallets } from '../../identity/rights/revocation-check.js'
import type { Awaitable } from '../../store/store.js'
import type { SessionTransactions } from '../document/transactions/session-transactions.js'
import { memoryOwner } from '../memory-owner.js'
import type { Metering } from '../metering.js'
import { meetKey } from '../policy/bounds.js'
import { Draining } from '../policy/draining.js'
import { warnInvalid } from '../policy/errors.js'
import type { Arguments } from './arguments.js'
import type { Followers } from './clients/followers.js'
import { documentEvents } from './clients/notifications.js'
import { Queues } from './clients/queues.js'
import type { KeyValueSession, Multi } from './clients/session.js'
import { Waiters } from './clients/waiters.js'
import { Command, KeyValueTable } from './command.js'
import { Counting } from './counting.js'
import type { ProgramRightsOptions } from './programs/program-rights.js'
import { Programs } from './programs/programs.js'
import { TransactionRuns } from './programs/transaction-runs.js'
import { Transactions } from './programs/transactions.js'
import { refusalOf } from './refusals.js'
import { queued } from './reply.js'
import { RevocationChecks } from './revocation-checks.js'
import type { KeyValueRow } from './row.js'
import { discarded, meterName, recorded, runLocal, unknownRow } from './row-running.js'
import { RunningCall } from './running-call.js'
import type { HandlerServices, KeyValueServices, Sessions } from './services.js'

interface KeyValueBusOptions {
  readonly rows: readonly KeyValueRow[]
  readonly engine: Engine
  readonly spaces: SpaceTable
  readonly services: KeyValueServices
  /** Shared with the document commands: one set of counts for all protocols. */
  readonly counters: Metering
  /** MONITOR, SLOWLOG. */
  readonly followers: Followers
  /** Sizes from which containers become records; set by tests. */
  readonly bounds?: InlineBounds
  /** Transactions that clients may name. */
  readonly transactions?: SessionTransactions
}

export class KeyValueBus implements Sessions {
  readonly table: KeyValueTable
  readonly engine: Engine
  readonly spaces: SpaceTable
  readonly services: HandlerServices
  readonly programs: Programs
  readonly waiters: Waiters
  readonly expiry: ExpiryJob
  /** Of all protocols together. */
  readonly metering: Metering
  /** Lanes with a running write program; if there are several, each takes smaller batches. */
  writing = 0
  /** MONITOR, SLOWLOG. */
  readonly followers: Followers
  private readonly revocationChecks: RevocationChecks
  private readonly transactions: Transactions
  /** Commands in transactions that other protocols share. */
  private readonly inTransactions: TransactionRuns
  private readonly counting: Counting
  private readonly queues = new Queues((session) => this.openRoom(session))
  private readonly unknown: Command
  private working = 0
  private readonly draining = new Draining()

  constructor(options: KeyValueBusOptions) {
    const { rows, engine, spaces, services, counters, bounds = usualBounds } = options
    this.table = new KeyValueTable(rows)
    this.engine = engine
    this.spaces = spaces
    this.followers = options.followers
    this.metering = counters
    const figures: ProgramRightsOptions = {
      bounds,
      allow: services.allow,
      revocation: services.revocation ?? noWallets,
      ...(services.homes === undefined ? {} : { homes: services.homes }),
      quotas: services.quotas,
    }
    this.programs = new Programs({
      ...figures,
      store: engine.store,
      notifies: () => services.settings.notifies,
      notifiesRare: () => services.settings.notifiesRare,
      announce: (events) => this.services.announce(events),
      warnOf: (ns, command, connection) => warnInvalid(services.log, command, ns, connection),
      replyBytesMax: () => engine.memory.ofOwnerMax,
    })
    this.counting = new Counting({ counters, services, followers: options.followers })
    this.revocationChecks = new RevocationChecks(engine.store, services)
    const { clock } = services
    const { store } = engine
    this.waiters = new Waiters({ store, clock, programs: this.programs })
    this.expiry = new ExpiryJob({
      store,
      spaces,
      clock,
      pace: engine.pace,
      log: services.log,
      isPaused: () => services.pause.isActive,
      notifies: () => services.settings.notifies,
      announce: (events) => this.services.announce(events),
    })
    engine.attach(this.expiry)
    engine.store.events = documentEvents(services, spaces)
    this.services = {
      ...services,
      table: this.table,
      store,
      mainDatabase: spaces.main.database,
      sessions: this,
      programs: this.programs,
      expiry: this.expiry,
    }
    const { programs } = this
    const { transactions } = options
    this.inTransactions = new TransactionRuns({ store, programs, figures, transactions })
    this.transactions = new Transactions(this.programs, {
      clock,
      inTransactions: this.inTransactions.programs,
      metering: counters,
      figures: services.figures,
      revocationChecks: this.revocationChecks,
    })
    this.unknown = new Command(unknownRow)
    for (const command of this.table.all()) {
      counters.commands.set(meterName(command, this.unknown), command.counts)
    }
  }

  /**
   * Creates the call of a command, looked up by its first word. A call that may not run now is
   * refused or queued here. Never throws.
   */
  open(named: Command | undefined, args: Arguments, session: KeyValueSession): RunningCall {
    const command = named?.resolve(args)
    session.lastCommand = command?.row.name ?? ''
    const call = new RunningCall(command ?? this.unknown, args, session, this.services)
    const error = this.draining.isOn
      ? refuse('ERR the server is shutting down', 'ShutdownInProgress')
      : args.isCut === true
        ? tooLong()
        : (refusalOf(named, command, args, session, this.services.rules) ?? this.limit(call))
    if (error !== undefined) this.refuse(call, error)
    else if (call.command.row.grain === 'exec') this.openExec(call)
    else if (session.multi !== undefined) {
      if (call.command.row.insideMulti === true) call.isInsideMulti = true
      else this.queue(call, session.multi)
    }
    return call
  }

  /** Runs calls that need the store; it ends when all have their replies. Never rejects. */
  run(calls: readonly RunningCall[], isWrite: boolean): Awaitable<void> {
    this.begin()
    const { scheduler } = this.engine.store
    const session = calls[0]?.session
    if (scheduler === undefined || session === undefined) {
      return this.runNow(calls, isWrite, undefined, 0)
    }
    const account = session.accountOf(scheduler)
    const othersMs = scheduler.accounts.othersMs(account)
    if (!scheduler.isBusy) return this.runNow(calls, isWrite, account, othersMs)
    return new Promise((resolve) => {
      scheduler.wait(account, () => resolve(this.runNow(calls, isWrite, account, othersMs)))
    })
  }

  private runNow(
    calls: readonly RunningCall[],
    isWrite: boolean,
    account: Account | undefined,
    othersMs: number,
  ): Awaitable<void> {
    const { clock } = this.services
    const startedMs = clock.elapsed()
    const now = clock.now()
    const inTransaction = this.inTransactions.run(calls, now)
    if (inTransaction !== undefined) {
      return inTransaction.then(() => this.answered(calls, startedMs, account, othersMs))
    }
    if (isWrite) {
      return this.programs
        .write(calls, now)
        .then(() => this.waiters.woken(calls))
        .then(() => this.answered(calls, startedMs, account, othersMs))
    }
    const read = this.programs.read(calls, now)
    if (read === undefined) {
      const nowMs = clock.elapsed()
      if (account !== undefined) this.engine.store.scheduler?.charge(account, nowMs - startedMs)
      this.answered(calls, startedMs, account, othersMs, nowMs)
      return undefined
    }
    return read.then(() => this.answered(calls, startedMs, account, othersMs))
  }

  private answered(
    calls: readonly RunningCall[],
    startedMs: number,
    account: Account | undefined,
    othersMs: number,
    nowMs = this.services.clock.elapsed(),
  ): void {
    this.finish(calls, startedMs, nowMs)
    const { scheduler } = this.engine.store
    if (account === undefined || scheduler === undefined) return
    this.metering.others.record(scheduler.served(account, othersMs), nowMs)
  }

  /**
   * Runs a call that shares no program: local ones at once, tasks and EXEC later. Never rejects.
   */
  runAlone(call: RunningCall): Awaitable<void> {
    this.begin()
    const { clock } = this.services
    const startedMs = clock.elapsed()
    call.now = clock.now()
    let checked: Awaitable<void>
    try {
      checked = this.revocationChecks.look(call)
    } catch (thrown) {
      call.fail(thrown)
      this.finish([call], startedMs)
      return undefined
    }
    if (checked === undefined) return this.perform(call, startedMs)
    return checked.then(
      () => this.perform(call, startedMs),
      (thrown: unknown) => {
        call.fail(thrown)
        this.finish([call], startedMs)
      },
    )
  }

  /**
   * Checks the current rights of a call that already ran, and runs nothing. Throws or rejects if it
   * would be refused now.
   */
  checkRevocation(call: RunningCall): Awaitable<void> {
    const { access } = call.command
    if (access === undefined) return this.revocationChecks.look(call)
    const now = this.services.clock.now()
    return this.engine.store.read((tx) => this.programs.rights.checkRevocation(tx, call, now))
  }

  /** As checkRevocation: listening to the channels of a space needs `read`, publishing `write`. */
  requireChannels(identity: Identity, space: Space, privilege: 'read' | 'write'): Awaitable<void> {
    return this.revocationChecks.requireChannelsFor(identity, space, privilege)
  }

  /**
   * The place of a caller's commands: in the named space, else in its default space. Throws
   * InvalidNamespace for an invalid name.
   */
  placeOf(identity: Identity, named: string | undefined, index = 0): Place {
    return this.spaces.of(this.services.spaces.of(identity, named)).place(index)
  }

  /** Changes a connection's identity. State of another identity or another place ends. */
  become(session: KeyValueSession, identity: Identity, named: string | undefined): void {
    const place = this.placeOf(identity, named, session.database)
    const isSame =
      identityKey(session.identity) === identityKey(identity) && session.place === place
    if (!isSame) this.forgetState(session)
    session.identity = identity
    session.place = place
  }

  unblock(session: KeyValueSession, withError: boolean): boolean {
    return this.waiters.unblock(session, withError)
  }

  /**
   * Ends MULTI, WATCH and subscriptions. Cursors need no reset: they are bound to identity and
   * place.
   */
  forgetState(session: KeyValueSession): void {
    if (session.subscriber !== undefined) this.services.channels.leave(session.subscriber)
    session.subscriber = undefined
    session.watches?.end()
    session.watches = undefined
    this.endMulti(session)
  }

  private perform(call: RunningCall, startedMs: number): Awaitable<void> {
    const { row } = call.command
    try {
      switch (row.grain) {
        case 'local': {
          const reply = runLocal(row, call)
          if (reply instanceof Promise) return this.await(reply, call, startedMs)
          call.reply = reply
          if (row.isAudited === true) return this.await(recorded(call), call, startedMs)
          break
        }
        case 'task':
          return this.await(row.run(call), call, startedMs)
        case 'exec':
          return this.await(
            this.inTransactions
              .exec(call.session, () => this.transactions.run(call))
              .then(async (reply) => {
                await this.waiters.woken(call.queue ?? [])
                return reply
              }),
            call,
            startedMs,
          )
        default:
          throw new Error(`${row.name} does not stand alone`)
      }
    } catch (thrown) {
      call.fail(thrown)
    }
    this.finish([call], startedMs)
  }

  /** A blocking call that found nothing waits until it has its reply. Never rejects. */
  block(call: RunningCall): Promise<void> {
    this.begin()
    const { command, session } = call
    const startedMs = this.services.clock.elapsed()
    session.lastMs = startedMs
    // What came behind it in a pipeline has not begun.
    session.lastCommand = command.row.name
    return this.waiters
      .wait(call)
      .then(() => this.waiters.woken([call]))
      .catch((thrown: unknown) => call.fail(thrown))
      .then(() => this.finish([call], startedMs))
  }

  /** Releases everything that a disconnected client holds or waits for. */
  closed(session: KeyValueSession): void {
    const { channels, monitors } = this.services
    session.watches?.end()
    this.endMulti(session)
    session.executing?.close()
    this.waiters.forget(session)
    if (session.subscriber !== undefined) channels.leave(session.subscriber)
    if (session.isMonitor) monitors.remove(session)
  }

  /** Ends the queueing of commands; returns the queue. */
  endMulti(session: KeyValueSession): Multi | undefined {
    return this.queues.end(session)
  }

  /** Memory that all connections use between MULTI and EXEC. */
  get queuedBytes(): number {
    return this.queues.bytesHeld
  }

  /** A share of memory for the session's current owner. */
  openRoom({ identity, address }: KeyValueSession): ByteShare {
    return this.engine.memory.shares.open(memoryOwner(identity, address))
  }

  replyRoom(session: KeyValueSession): ReplyRoom {
    return session.replyRoom(this.engine.memory)
  }

  /** Refuses further commands. Resolves when the running ones are answered. */
  drain(): Promise<void> {
    return this.draining.begin(this.working)
  }

  private await(
    reply: Promise<RunningCall['reply']>,
    call: RunningCall,
    startedMs: number,
  ): Promise<void> {
    return reply
      .then(
        (answer) => {
          call.reply = answer
        },
        (thrown: unknown) => call.fail(thrown),
      )
      .then(() => this.finish([call], startedMs))
  }

  /** Refuses commands of an API key above its limit. */
  private limit({ command, session }: RunningCall): GatewayError | undefined {
    if (session.identity.kind !== 'key') return undefined
    try {
      meetKey(this.services, session, command.facts.access, 'redis', command.row.name)
      return undefined
    } catch (thrown) {
      return toGatewayError(thrown)
    }
  }

  private refuse(call: RunningCall, error: GatewayError): void {
    const { session, command } = call
    const isExec = command.row.grain === 'exec'
    const told = isExec ? discarded(error) : error
    call.isRefused = true
    call.fail(told)
    command.rejected++
    this.services.figures.failed(errorLine(told))
    this.metering.refused(meterName(command, this.unknown), session.protocol, told)
    if (isExec) {
      this.endMulti(session)
      session.watches?.end()
      session.watches = undefined
    } else if (session.multi !== undefined) session.multi.isPoisoned = true
  }

  private queue(call: RunningCall, multi: Multi): void {
    const { command, args, session } = call
    const refusal = this.queues.add(multi, session, args, () => {
      const later = new RunningCall(command, args.detach(), session, this.services)
      later.isQueued = true
      return later
    })
    if (refusal !== undefined) {
      this.refuse(call, refusal)
      return
    }
    call.isRefused = true
    call.reply = queued
  }

  private openExec(call: RunningCall): void {
    const { session } = call
    const multi = this.queues.end(session, true)
    if (multi === undefined) {
      this.failExec(call, 'ERR EXEC without MULTI')
      return
    }
    if (multi.isPoisoned) {
      session.watches?.end()
      this.failExec(call, 'EXECABORT Transaction discarded because of previous errors.')
    } else call.queue = this.queues.callsOf(multi)
  }

  /** EXEC counts as having run, and MONITOR shows it. */
  private failExec(call: RunningCall, text: string): void {
    const { clock } = this.services
    call.isRefused = true
    call.now = clock.now()
    call.fail(refuse(text))
    this.counting.count(call, 0)
    this.counting.account(call, 1, 0, clock.elapsed())
  }

  private begin(): void {
    this.working++
  }

  private finish(
    calls: readonly RunningCall[],
    startedMs: number,
    nowMs = this.services.clock.elapsed(),
  ): void {
    const ms = (nowMs - startedMs) / calls.length
    let ran = 0
    let last: RunningCall | undefined
    for (let i = 0; i < calls.length; i++) {
      const call = calls[i] as RunningCall
      if (!call.isRefused && !call.isDeferred) {
        ran++
        last = call
        this.counting.count(call, ms)
      }
      // HTTP answers all commands of a request together, so their memory stays counted until then.
      if (call.session.protocol === 'resp') call.letGo()
    }
    if (calls[0]?.session.protocol === 'resp') calls[0].session.replied()
    if (last !== undefined) this.counting.account(last, ran, ms, startedMs)
    this.working--
    this.draining.ended(this.working)
  }
}
