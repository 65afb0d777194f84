// One running command: its checked arguments, its caller, and its time and ids. Time and ids are
// fixed before the first run, so that a second run does the same.
// (docs/design/transactions.md, rule 16)

import type { Bytes } from '../../base/bytes/bytes.js'
import { fail, type GatewayError } from '../../base/errors.js'
import type { Account } from '../../base/work/accounts.js'
import type { CreateOptions } from '../../engine/collection/catalog/catalog.js'
import { keyspaceIndex } from '../../engine/collection/catalog/homes.js'
import { reservedName } from '../../engine/collection/catalog/names.js'
import { StagingNeeded } from '../../engine/collection/staging.js'
import type { Engine } from '../../engine/engine.js'
import { RunTraces } from '../../engine/index/run-traces.js'
import type { Access, Held, Namespace, Privilege, Resource } from '../../engine/types.js'
import type { AuditDetails, AuditEntry } from '../../identity/audit.js'
import {
  accountOf,
  type Identity,
  identityKey,
  type RevocableIdentity,
  type UserIdentity,
  walletOf,
} from '../../identity/identity.js'
import { allow, isAdministrator, reasonOf, strictRules } from '../../identity/rights/allow.js'
import { isRevocable, noWallets } from '../../identity/rights/revocation-check.js'
import { allowsView, type Place } from '../../identity/rights/user-rights.js'
import type { QueryContext } from '../../query/context.js'
import { letVariables } from '../../query/expression.js'
import type { Awaitable, Program, ProgramRunner, ReadTx, Tx } from '../../store/store.js'
import { type Phase, runSweep, type Sweep } from '../../store/sweep.js'
import { Elements } from '../../value/elements.js'
import { bsonType, type Document, stringOf } from '../../value/value.js'
import { auditEntry } from '../policy/audit.js'
import { quotasOf, shorterLimit } from '../policy/bounds.js'
import { senderRefusal } from '../policy/senders.js'
import type { Quotas } from '../quota.js'
import type { Services } from '../services.js'
import type { Message, Session } from '../session.js'
import { wayOutOf } from '../spaces/way-out.js'
import type { BusView } from './bus-view.js'
import { CommandReadTx, CommandTx, type Guard } from './command-tx.js'
import { checkGeneric, type Generic, type GenericArgs, within } from './generic.js'
import type { SessionRecord } from './retries/session-record.js'
import type { DocumentFacts } from './row-facts.js'
import type { Snapshot } from './transactions/snapshot-reads.js'
import type { Statement } from './transactions/statement.js'

const noVariables: QueryContext['variables'] = new Map()
const emptyDocument: Document = Uint8Array.of(5, 0, 0, 0, 0)

/** Whether the resource is changed without the privilege to read it. */
function isBlindTo({ privileges }: Resource): boolean {
  return privileges.length > 0 && !privileges.includes('read')
}

/** Throws InvalidNamespace if a command asks for more than reading a graph's own collections. */
function requireReading({ db, collection = '', privileges }: Resource): void {
  if (privileges.some((privilege) => privilege !== 'read')) throw reservedName(db, collection)
}

interface CallOptions<A, T> {
  readonly row: DocumentFacts
  readonly request: Message
  readonly session: Session
  readonly args: A
  readonly target: T
  readonly generic: GenericArgs
  readonly engine: Engine
  readonly services: Services
  readonly bus: BusView
  /** Number of the operation, for currentOp and killOp. */
  readonly id: number
  /** The account that its time is charged to; undefined without a scheduler. */
  readonly account?: Account | undefined
}

export class Call<A, T> implements Guard {
  readonly row: DocumentFacts
  /** Canonical name of the command. */
  readonly command: string
  readonly request: Message
  readonly db: string
  readonly session: Session
  readonly args: A
  /** The value beside the command's name. */
  readonly target: T
  readonly generic: Generic
  readonly engine: Engine
  readonly traces: RunTraces
  readonly services: Services
  readonly bus: BusView
  readonly id: number
  readonly account: Account | undefined
  /** Processor time of other owners up to its arrival, milliseconds. */
  othersMs = 0
  /** Its first slice is charged; the programs charge the rest. */
  isCharged = false
  /** Wall time of its arrival, milliseconds; the only clock that a handler sees. */
  readonly now: number
  /** Monotonic, for durations. */
  readonly startedMs: number
  resources: readonly Resource[] = []
  /** The transaction that it runs in; without one each of its programs commits. */
  statement: Statement | undefined
  /** The state that it reads: readConcern snapshot. */
  snapshot: Snapshot | undefined
  /** The record of its session, for a retryable write. */
  retry: SessionRecord | undefined
  /** The caller, as of the last check; each program checks again when it starts. */
  identity: Identity
  private killed = false
  private invalid: Set<string> | undefined
  private deadlineMs: number
  private disturb: (() => void) | undefined
  /** Milliseconds spent waiting for other clients; they do not count as its work. */
  waitedMs = 0
  /** The server is shutting down: a waiting call replies with what it has. */
  isHurried = false
  /**
   * It changes data that the caller may not read, so its reply and its errors must not show stored
   * data.
   */
  isBlind = false
  private ids: Bytes[] | undefined
  private uuids: Bytes[] | undefined
  private queryContext: QueryContext | undefined
  private sessionText: string | undefined

  constructor(options: CallOptions<A, T>) {
    this.row = options.row
    this.command = options.row.name
    this.request = options.request
    this.db = options.request.db
    this.session = options.session
    this.identity = options.session.identity
    this.args = options.args
    this.target = options.target
    this.engine = options.engine
    this.traces = new RunTraces(options.engine.indexUse)
    this.services = options.services
    this.bus = options.bus
    this.id = options.id
    this.account = options.account
    const { clock, topology = 'standalone' } = options.services
    this.generic = within(checkGeneric(options.generic, options.row, topology), this.session)
    this.now = clock.now()
    this.startedMs = clock.elapsed()
    const limit = shorterLimit(this.generic.maxTimeMs, this.quotas?.commandMs ?? 0)
    this.deadlineMs = limit === 0 ? Number.POSITIVE_INFINITY : this.startedMs + limit
  }

  /** The quotas of the caller; undefined if there are none. */
  private get quotas(): Quotas | undefined {
    return quotasOf(this.services.quotas, this.identity)
  }

  /** The i-th ObjectId of this call, the same in every run. */
  objectId(index: number): Bytes {
    this.ids ??= []
    const known = this.ids[index]
    if (known !== undefined) return known
    const made = this.services.objectIds.next()
    this.ids[index] = made
    return made
  }

  /** The i-th random UUID (version 4) of this call, the same in every run. */
  uuid(index = 0): Bytes {
    this.uuids ??= []
    const known = this.uuids[index]
    if (known !== undefined) return known
    const made = this.services.random.bytes(16).slice()
    made[6] = ((made[6] ?? 0) & 0x0f) | 0x40
    made[8] = ((made[8] ?? 0) & 0x3f) | 0x80
    this.uuids[index] = made
    return made
  }

  /** Owner of the call's cursors and sessions. */
  get owner(): string {
    return identityKey(this.session.identity)
  }

  /** The client's logical session as hexadecimal digits. */
  get lsid(): string | undefined {
    const { sessionId } = this.generic
    if (sessionId !== undefined) this.sessionText ??= Buffer.from(sessionId).toString('hex')
    return this.sessionText
  }

  /** What filters, updates and expressions may read of the call. */
  get context(): QueryContext {
    this.queryContext ??= this.makeContext()
    return this.queryContext
  }

  /** Options of a collection that this call creates by writing to it. */
  creation(options: Document = emptyDocument): CreateOptions {
    const owner = walletOf(this.identity) ?? null
    const { defaultPrivacy: mode } = this.services
    const made = this.madeBy === undefined ? {} : { madeBy: this.madeBy }
    return { owner, mode, now: this.now, uuid: this.uuid(), options, ...made }
  }

  /** The calling service user, recorded as the maker of collections. */
  get madeBy(): string | undefined {
    return this.identity.kind === 'user' ? accountOf(this.identity) : undefined
  }

  /** The owner whose quota is charged for new data. */
  get payer(): string | undefined {
    return walletOf(this.identity) ?? this.madeBy
  }

  /** Whether the caller has the privilege on the resource at that place. */
  may(privilege: Privilege, access: Access | undefined, place: Place): boolean {
    const { identity } = this
    const { allow: decide, rules } = this.services
    if (identity.kind !== 'user') {
      if (decide !== undefined) return decide(identity, privilege, access)
      return allow(identity, privilege, access, rules)
    }
    if (isBehindPatterns(identity, place)) return false
    const asked = { place, marks: this.row.roles }
    return (
      decide?.(identity, privilege, access, asked) ??
      allow(identity, privilege, access, rules, asked)
    )
  }

  /** As `may`, for an existing collection. */
  mayAt(privilege: Privilege, { db, name: collection, access }: Named): boolean {
    return this.may(privilege, access, { db, collection })
  }

  /** Whether listings show every owner's data: for the operator and administrators. */
  get readsAll(): boolean {
    const { kind } = this.identity
    return kind === 'operator' || isAdministrator(this.identity, this.services.rules ?? strictRules)
  }

  /** Throws if the caller may not send the command at all. */
  requireAccess(): void {
    const refusal = senderRefusal(this.row.access, this.identity, this.services.rules)
    if (refusal === undefined) return
    throw refusal === 'forbidden' ? this.unauthorized() : unauthenticated(this.command)
  }

  /** Checks revocation for work that begins without a program. */
  checkIdentity(): Awaitable<void> {
    const { identity } = this.session
    if (!isRevocable(identity)) return undefined
    return this.engine.store.read((tx) => this.stand(tx, identity))
  }

  /** The audit entry of the call. */
  auditEntry(details: AuditDetails): AuditEntry {
    const { command, identity, session, db, resources } = this
    const collection = resources[0]?.collection
    const ns = collection === undefined ? {} : { ns: `${resources[0]?.db ?? db}.${collection}` }
    return auditEntry(command, identity, session, { details, ...ns })
  }

  checkRevocation(tx: ReadTx): Program<void> | undefined {
    const { identity } = this.session
    return isRevocable(identity) ? this.stand(tx, identity) : undefined
  }

  authorize(resource: Resource, access: Access | undefined): void {
    for (const privilege of resource.privileges) {
      if (this.may(privilege, access, resource)) continue
      const hint = wayOutOf(this.identity, `${resource.db}.${resource.collection}`, access)
      throw this.unauthorized(resource.db, reasonOf(this.identity, privilege), hint)
    }
    this.isBlind ||= isBlindTo(resource) && !this.may('read', access, resource)
    if (access?.isGraph === true && resource.knowsGraphs !== true) requireReading(resource)
  }

  get requireSpace(): ((bytes: number, waste: number) => void) | undefined {
    return this.row.grows === 'nothing' ? undefined : this.quotas?.requireDisk
  }

  get requireStaging(): ((bytes: number, waste: number) => void) | undefined {
    return this.quotas?.requireWaste
  }

  creating(held: Held, count: number): void {
    this.quotas?.requireHolding(held, count)
  }

  makingHome(db: string, homes: number): void {
    if (!isRevocable(this.identity)) return
    const uncount = this.services.homes?.make(db, homes, this.session.address)
    if (uncount !== undefined) this.statement?.transaction.whenAborted(uncount)
  }

  authorizeOwner(view: Namespace, source: Access | undefined, name: string): void {
    const { db, access } = view
    const { owner, madeBy } = access
    if (owner === null) {
      if (madeBy === undefined || allowsView(db, source, { db, collection: name })) return
      throw this.unauthorized(db, 'VIEW_OWNER')
    }
    const identity: Identity = { kind: 'session', address: owner, sid: '', chainId: 0 }
    const { allow: decide, rules } = this.services
    const may = decide?.(identity, 'read', source) ?? allow(identity, 'read', source, rules)
    if (!may) throw this.unauthorized(db, 'VIEW_OWNER')
  }

  get bypassesValidation(): boolean {
    const { args } = this
    return (
      typeof args === 'object' &&
      args !== null &&
      'bypassDocumentValidation' in args &&
      args.bypassDocumentValidation === true
    )
  }

  noteInvalid({ db, name }: Namespace): void {
    this.invalid ??= new Set()
    this.invalid.add(`${db}.${name}`)
  }

  /** Collections with written documents that only raise a validator warning. */
  get invalidNamespaces(): Iterable<string> | undefined {
    return this.invalid
  }

  /** The error for the whole command; its text shows only the command's name and target. */
  unauthorized(db = this.db, reason = 'forbidden', hint = ''): GatewayError {
    const text = `not authorized on ${db} to execute command ${this.brief()}${hint}`
    return fail('Unauthorized', text, { reason })
  }

  /** Throws if the call must end: it was killed, its client disconnected, or its time is over. */
  check(): void {
    if (this.killed) throw fail('Interrupted', 'operation was interrupted')
    if (this.session.closed) {
      throw fail('Interrupted', 'operation was interrupted because the client disconnected')
    }
    if (this.services.clock.elapsed() > this.deadlineMs) {
      throw fail('MaxTimeMSExpired', 'operation exceeded time limit')
    }
  }

  /** Whether the call was killed. */
  get isKilled(): boolean {
    return this.killed
  }

  /** Ends the call at its next pause. */
  kill(): void {
    this.killed = true
    this.disturb?.()
  }

  /** Ends its waiting, for a shutdown. */
  hurry(): void {
    this.isHurried = true
    this.disturb?.()
  }

  /** Uses the time limit for waiting: when it is over, the wait ends and the call goes on. */
  waitMs(fallback: number): number {
    this.deadlineMs = Number.POSITIVE_INFINITY
    return this.generic.maxTimeMs || fallback
  }

  /**
   * Calls `tell` when a waiting call is killed or hurried, or its client disconnects. The caller
   * then checks which. The returned function stops this.
   */
  whenDisturbed(tell: () => void): () => void {
    this.disturb = tell
    const stay = this.session.whenClosed(tell)
    return () => {
      this.disturb = undefined
      stay()
    }
  }

  /** Runs a read program behind the call's guard. */
  read<R>(program: (tx: CommandReadTx) => Program<R>, runsAgain = false): Awaitable<R> {
    const { account } = this
    const onPause = () => this.check()
    const run = (tx: ReadTx) => {
      if (runsAgain) this.traces.begin()
      return this.guarded(tx, program)
    }
    return this.runner.read(run, { onPause, account, runsAgain })
  }

  /** Runs a write program behind the call's guard. */
  write<R>(program: (tx: CommandTx) => Program<R>): Promise<R> {
    return this.runner.write((tx) => this.guardedWrite(tx, program), this.account)
  }

  /** Runs a sweep, each of its programs behind the call's guard. */
  sweep<R>(sweep: Sweep<R>): Promise<R> {
    return runSweep(this.runner, this.guardedSweep(sweep), () => this.check(), this.account)
  }

  /** Number of its transaction. */
  get txnNumber(): number | undefined {
    return this.statement?.number
  }

  private get runner(): ProgramRunner {
    const { transaction } = this.statement ?? this.snapshot ?? {}
    return transaction?.runner(() => this.check()) ?? this.engine.store
  }

  private *stand(tx: ReadTx, identity: RevocableIdentity): Program<void> {
    const { revocation = noWallets } = this.services
    this.identity = yield* revocation.check(tx, identity, this.now)
    this.requireAccess()
  }

  private *guarded<R>(tx: ReadTx, program: (tx: CommandReadTx) => Program<R>): Program<R> {
    const guarded = new CommandReadTx(tx, this)
    yield* guarded.enter()
    this.statement?.check.noteDefinitions(guarded, this.resources, this.payer)
    return yield* program(guarded)
  }

  private *guardedWrite<R>(tx: Tx, program: (tx: CommandTx) => Program<R>): Program<R> {
    const guarded = new CommandTx(tx, this)
    yield* guarded.enter()
    this.statement?.check.noteDefinitions(guarded, this.resources, this.payer)
    try {
      const result = yield* program(guarded)
      yield* guarded.leave()
      return result
    } catch (error) {
      if (error instanceof StagingNeeded) yield* guarded.requireStaging(error)
      throw error
    }
  }

  private *guardedSweep<R>(sweep: Sweep<R>): Sweep<R> {
    let next = sweep.next()
    while (next.done !== true) {
      let result: unknown
      try {
        result = yield this.guardedPhase(next.value)
      } catch (error) {
        next = sweep.throw(error)
        continue
      }
      next = sweep.next(result)
    }
    return next.value
  }

  private guardedPhase(phase: Phase): Phase {
    if (phase.mode === 'write') {
      return { mode: 'write', program: (tx) => this.guardedWrite(tx, phase.program) }
    }
    return { ...phase, program: (tx: ReadTx) => this.guarded(tx, phase.program) }
  }

  private makeContext(): QueryContext {
    const context: QueryContext = {
      now: this.now,
      variables: noVariables,
      objectId: (index) => this.objectId(index),
    }
    const { let: spec } = this.generic
    return spec === undefined ? context : { ...context, variables: letVariables(spec, context) }
  }

  private brief(): string {
    const elements = new Elements(this.request.body)
    elements.next()
    const name = elements.name()
    const shown = this.row.isStatement ? this.resources[0]?.collection : textIn(elements)
    return `{ ${name}: ${shown === undefined ? '1' : JSON.stringify(shown)} }`
  }
}

export function unauthenticated(command: string): GatewayError {
  return fail('Unauthorized', `Command ${command} requires authentication`)
}

/** What identifies a collection and its access. */
type Named = Pick<Namespace, 'db' | 'name'> & { readonly access: Access | undefined }

/**
 * Key patterns apply to the key-value protocol. Through other protocols a user with patterns cannot
 * reach keys.
 */
function isBehindPatterns({ keyValue }: UserIdentity, { collection = '' }: Place): boolean {
  return keyValue?.patterns !== undefined && keyspaceIndex(collection) !== undefined
}

function textIn(elements: Elements): string | undefined {
  return elements.type === bsonType.string ? stringOf(elements.value()) : undefined
}
