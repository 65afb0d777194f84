// The transactions of logical sessions, as the document wire has them: one for each session, named
// by its number. A statement that fails ends its transaction, and errors after which a client
// should run the transaction again carry the label TransientTransactionError.
// (docs/design/transactions.md, rule 18)

import type { Bytes } from '../../../base/bytes/bytes.js'
import { fail, hasKind, toGatewayError } from '../../../base/errors.js'
import type { Account } from '../../../base/work/accounts.js'
import type { Awaitable, Program, ReadTx, Tx } from '../../../store/store.js'
import { Tries } from '../../../store/transactions/held-keys.js'
import type { OpenTransactions } from '../../../store/transactions/open-transactions.js'
import type { Admission, Isolation } from '../../../store/transactions/transaction.js'
import { field } from '../../../value/elements.js'
import type { Document } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import type { Declared, Session } from '../../session.js'
import { joined } from '../cluster-time.js'
import type { Guard } from '../command-tx.js'
import type { Generic } from '../generic.js'
import { reply } from '../reply.js'
import { AbortPromises } from './abort-promises.js'
import { shownSession } from './change-session.js'
import { both, CommitCheck, requireQuotas } from './commit-check.js'
import { type LastUse, lastCommit, lastUse, noteAbort, noteCommit } from './commit-record.js'
import { labelling, unknownCommit } from './labels.js'
import { nameOf, type SessionName } from './session-name.js'
import { type Perform, runStatement, type Statement, type StatementRow } from './statement.js'
import {
  type Numbered,
  noSuch,
  notRetryable,
  requireCurrent,
  requireNumber,
  requireTransaction,
  tooOld,
} from './transaction-errors.js'
import type { TransactionFields } from './transaction-fields.js'

/** One store decides every transaction, so any router of it can answer. */
const recoveryToken = writeDocument((writer) => {
  writer.openDocument('recoveryToken').string('recoveryShardId', 'sigil').close()
})

/** Sessions whose last transaction is remembered; the one used longest ago is forgotten first. */
const sessionsRememberedMax = 100_000

const idle = Promise.resolve()

type State = 'open' | 'committed' | 'aborted'

/** How a transaction runs that is begun without a first statement. */
interface TransactionWishes {
  readonly isolation: Isolation
  readonly isReadOnly: boolean
}

const usual: TransactionWishes = { isolation: 'snapshot', isReadOnly: false }

interface Current extends Statement, TransactionWishes {
  readonly isReadOnly: boolean
  /** Milliseconds since 1970. */
  readonly begunAt: number
  /** Its commit is running, and decides how it ends. */
  isEnding: boolean
}

/** What is needed of a call. */
interface StatementCall extends Declared {
  readonly owner: string
  readonly lsid: string | undefined
  readonly generic: Pick<Generic, 'transaction'>
  readonly session: Session
  readonly account: Account | undefined
  /** Milliseconds since 1970. */
  readonly now: number
  /** Undefined if no quota applies. */
  readonly requireSpace: ((bytes: number, waste: number) => void) | undefined
  statement: Statement | undefined
  read<R>(program: (tx: ReadTx) => Program<R>): Awaitable<R>
  write<R>(program: (tx: Tx) => Program<R>): Promise<R>
}

type LearningCall = Pick<StatementCall, 'owner' | 'lsid' | 'read'>

interface Entry {
  readonly owner: string
  readonly lsid: string
  /** -1 before the first one. */
  number: number
  state: State
  current: Current | undefined
  /** Why the last one ended, if no command has ended it. */
  reason: unknown
  readonly tries: Tries
  /** Settles when the statement before the next one is over. */
  turn: Promise<void>
}

/** A transaction of a session. */
interface TransactionName {
  readonly owner: string
  /** Hexadecimal digits. */
  readonly lsid: string
  readonly number: number
}

/** What its owner may know of a transaction; the rest only while it is open. */
export interface TransactionState extends Omit<TransactionName, 'owner'> {
  readonly state: State
  readonly open?: TransactionWishes & {
    readonly begunAt: number
    /** Bytes of its changes. */
    readonly bytes: number
  }
}

interface Parts {
  readonly open: OpenTransactions
  /** The guard of a statement, for the identity of this session. */
  readonly guardOf: (statement: Declared, session: Session) => Guard
  /** Closes the cursors of a transaction. */
  readonly closeCursors: (transaction: TransactionName) => void
}

export class SessionTransactions {
  private readonly entries = new Map<string, Entry>()
  private readonly open = new Set<Entry>()
  private readonly promises = new AbortPromises()

  constructor(private readonly parts: Parts) {}

  /** Runs a command that has a transaction number. */
  run(row: StatementRow, call: StatementCall, perform: Perform): Awaitable<Document> {
    const { transaction } = call.generic
    if (transaction?.isTransaction !== true) throw notRetryable(row)
    if (row.ends === 'transaction') return perform()
    return this.statement(row, call, transaction, perform)
  }

  /**
   * Runs a command in a transaction that the listener keeps. An error leaves it open, unless it has
   * ended it.
   */
  runIn(
    row: StatementRow,
    call: StatementCall,
    statement: Statement,
    perform: Perform,
  ): Awaitable<Document> {
    if (row.ends !== 'transaction') return runStatement(row, call, statement, perform)
    call.statement = statement
    return perform()
  }

  /** Begins a transaction in a session of its own. */
  async start(
    call: StatementCall,
    sessionId: Bytes,
    wishes: TransactionWishes,
  ): Promise<TransactionState> {
    const fields = { number: 1, starts: true, isTransaction: true }
    const lsid = Buffer.from(sessionId).toString('hex')
    const entry = this.entryOf({ owner: call.owner, lsid })
    await this.inTurn(entry, () => this.begin(entry, fields, call, wishes))
    return stateOf(entry)
  }

  /**
   * Runs work as a statement, after the one before it. An error that it throws ends the
   * transaction.
   */
  use(name: TransactionName, work: (statement: Statement) => Promise<void>): Promise<void> {
    const fields = { number: name.number, starts: false, isTransaction: true }
    return labelling(false, () =>
      this.inTurn(this.find(name, fields), async (entry) => {
        const current = this.currentOf(entry, fields)
        try {
          await work(current)
          current.transaction.requireOpen()
        } catch (thrown) {
          this.end(entry, 'aborted')
          throw thrown
        }
      }),
    )
  }

  /** The open transactions of an owner; of all without one. */
  list(owner?: string): TransactionState[] {
    const isAsked = (entry: Entry) => owner === undefined || entry.owner === owner
    return [...this.open].filter(isAsked).map(stateOf)
  }

  /** Throws NoSuchTransaction. A transaction of another owner does not exist. */
  async state(call: StatementCall, name: TransactionName): Promise<TransactionState> {
    const entry = this.entries.get(nameOf(name))
    if (entry?.number === name.number) return stateOf(entry)
    if ((await call.read((tx) => lastCommit(tx, nameOf(name)))) !== name.number) {
      throw noSuch(name.number, entry?.number ?? -1)
    }
    return { lsid: name.lsid, number: name.number, state: 'committed' }
  }

  async commit(call: StatementCall): Promise<Document> {
    const { statement } = call
    if (statement !== undefined) {
      await statement.transaction.commit(this.admission(call, statement), call.account)
      statement.check.committed()
      return reply()
    }
    const fields = requireTransaction(call)
    if (!this.hasBegun(call, fields) && (await this.confirmed(call, fields))) return reply()
    return this.inTurn(this.find(call, fields), async (entry) => {
      requireNumber(entry, fields)
      if (entry.state === 'committed') return reply()
      const current = requireCurrent(entry)
      try {
        current.isEnding = true
        await current.transaction.commit(this.admission(call, current), call.account)
        this.end(entry, 'committed')
        current.check.committed()
        return reply()
      } catch (thrown) {
        this.end(entry, 'aborted')
        if (!current.transaction.isUnknown) throw thrown
        // Only the record knows.
        this.entries.delete(nameOf(call))
        throw unknownCommit(toGatewayError(thrown))
      }
    })
  }

  hasBegun(call: SessionName, { number }: Numbered): boolean {
    const known = this.entries.get(nameOf(call))
    return known !== undefined && known.number >= number
  }

  /**
   * Whether the record says that a transaction was committed that this server does not know. It is
   * written again: the store then confirms what came before. If it was not, it never will be.
   */
  private async confirmed(call: StatementCall, { number }: Numbered): Promise<boolean> {
    const name = nameOf(call)
    const { now } = call
    if ((await call.read((tx) => lastCommit(tx, name))) === number) {
      await call.write((tx) => noteCommit(tx, name, number, now))
      return true
    }
    return !(await this.promiseAbort(call, number))
  }

  /**
   * A late statement may not begin the transaction, and no other server may commit it. False if one
   * has. Throws TooManyLogicalSessions.
   */
  private async promiseAbort(call: StatementCall, number: number): Promise<boolean> {
    const { owner, now, session } = call
    const { ownsData } = this.parts.open
    // No statement begins the transactions of HTTP: they are begun with a session of their own.
    if (ownsData && session.transaction !== undefined) return true
    if (!ownsData) {
      this.promises.admit(owner, now)
      if (!(await call.write((tx) => noteAbort(tx, nameOf(call), number, now)))) return false
    }
    await this.learn(call, number)
    const entry = this.entryOf(call)
    if (entry.number < number) this.advance(entry, { number, isAborted: true })
    return true
  }

  /**
   * Takes over how far the session has come, on another server or before a restart. Of a retryable
   * write, `isFirst`: only if this server has not seen the session.
   */
  learn(
    call: LearningCall,
    number: number,
    { isFirst = false, name = nameOf(call) } = {},
  ): Awaitable<void> {
    const known = this.entries.get(name)
    const isKnown = isFirst || this.parts.open.ownsData || (known?.number ?? -1) >= number
    if (known !== undefined && isKnown) return undefined
    const { owner, lsid = '' } = call
    const read = call.read((tx) => lastUse(tx, name, { owner, lsid }))
    const take = (last: LastUse | undefined) => {
      if (last === undefined) return
      const entry = this.entryOf(call)
      if (entry.number < last.number) this.advance(entry, last)
    }
    return read instanceof Promise ? read.then(take) : take(read)
  }

  private advance(entry: Entry, { number, isAborted }: LastUse): void {
    if (entry.state === 'open') this.end(entry, 'aborted')
    entry.number = number
    entry.state = isAborted ? 'aborted' : 'committed'
    entry.reason = undefined
  }

  async abort(call: StatementCall): Promise<Document> {
    if (call.statement !== undefined) {
      call.statement.transaction.abort()
      return reply()
    }
    const fields = requireTransaction(call)
    if (!this.hasBegun(call, fields)) await this.promiseAbort(call, fields.number)
    return this.inTurn(this.find(call, fields), async (entry) => {
      this.currentOf(entry, fields)
      this.end(entry, 'aborted')
      return reply()
    })
  }

  /** A retryable write of a later number ends the transaction of its session. */
  supersede(call: SessionName, number: number, name = nameOf(call)): void {
    const entry = this.entries.get(name) ?? this.entryOf(call)
    if (number < entry.number) throw tooOld(entry, { number })
    if (number === entry.number && (entry.current !== undefined || entry.state === 'committed')) {
      const text = `txnNumber ${number} for session ${entry.lsid} is that of a transaction`
      throw fail('ConflictingOperationInProgress', text)
    }
    this.advance(entry, { number, isAborted: true })
  }

  /** Ends the transactions of these sessions, and forgets the sessions. */
  endWhere(which: (entry: { readonly owner: string; readonly lsid: string }) => boolean): void {
    for (const [name, entry] of this.entries) {
      if (!which(entry)) continue
      if (entry.state === 'open') this.end(entry, 'aborted')
      this.entries.delete(name)
    }
  }

  private async statement(
    row: StatementRow,
    call: StatementCall,
    fields: TransactionFields,
    perform: Perform,
  ): Promise<Document> {
    await this.learn(call, fields.number)
    const found = fields.starts ? this.entryOf(call) : this.find(call, fields)
    return this.inTurn(found, async (entry) => {
      const current = fields.starts
        ? await this.begin(entry, fields, call)
        : this.currentOf(entry, fields)
      try {
        const done = await runStatement(row, call, current, perform)
        // One refused document ends the transaction, although the command has succeeded.
        if (row.fails === 'inPart' && field(done, 'writeErrors') !== undefined) {
          this.end(entry, 'aborted')
        }
        return call.session.protocol === 'wire' ? joined(done, recoveryToken) : done
      } catch (thrown) {
        this.end(entry, 'aborted')
        throw thrown
      }
    })
  }

  /** Rights, definitions and quotas, in the program of the commit. */
  private admission(call: StatementCall, { number, check, transaction }: Statement): Admission {
    const { guardOf } = this.parts
    const { session, requireSpace, now } = call
    // What has no logical session cannot ask again.
    const isRecorded = transaction.bytes > 0 && call.lsid !== undefined
    const guards = check.guards((statement) => guardOf(statement, session))
    return {
      before: (tx) => check.require(tx, guards, session, now),
      behind: (tx, counters) => {
        const quotas = requireQuotas(tx, counters, requireSpace)
        return isRecorded ? both(quotas, noteCommit(tx, nameOf(call), number, now)) : quotas
      },
    }
  }

  private async begin(
    entry: Entry,
    fields: TransactionFields,
    call: StatementCall,
    { isolation, isReadOnly } = usual,
  ): Promise<Current> {
    const { number } = fields
    const { number: last, lsid } = entry
    if (number < last) throw tooOld(entry, fields)
    if (number === last) {
      const text = `txnNumber ${number} for session ${lsid} already started`
      throw fail('ConflictingOperationInProgress', text)
    }
    if (entry.state === 'open') this.end(entry, 'aborted')
    const { now: begunAt, owner } = call
    let current: Current | undefined
    // The server ends it: it is too old, or one of too many.
    const onEnd = () => {
      if (current !== undefined && entry.current === current) this.endLate(entry, current)
    }
    const check = new CommitCheck()
    const mayHold = (key: Bytes) => check.mayHold(key)
    const begun = { isolation, told: onEnd, tries: entry.tries, mayHold }
    const transaction = await this.parts.open.begin(owner, begun)
    const shown = shownSession(owner, lsid, number)
    const modes = { isolation, isReadOnly, begunAt }
    current = { number, transaction, check, shown, ...modes, isEnding: false }
    Object.assign(entry, { number, state: 'open', current, reason: undefined })
    this.open.add(entry)
    return current
  }

  private endLate(entry: Entry, { transaction, isEnding }: Current): void {
    if (isEnding) return
    const reason = reasonOf(transaction)
    // Others, a conflict for one, are errors of the statement that met them.
    if (hasKind(reason, 'NoSuchTransaction', 'ShutdownInProgress')) entry.reason = reason
    this.end(entry, 'aborted')
  }

  private currentOf(entry: Entry, fields: TransactionFields): Statement {
    requireNumber(entry, fields)
    if (entry.state === 'committed') {
      const text = `Transaction with { txnNumber: ${fields.number} } has been committed.`
      throw fail('TransactionCommitted', text)
    }
    return requireCurrent(entry)
  }

  private end(entry: Entry, state: State): void {
    const { current, owner, lsid } = entry
    entry.state = state
    entry.current = undefined
    this.open.delete(entry)
    if (current === undefined) return
    current.transaction.abort()
    this.parts.closeCursors({ owner, lsid, number: current.number })
  }

  private find(name: SessionName, fields: Numbered): Entry {
    const entry = this.entries.get(nameOf(name))
    if (entry !== undefined) return entry
    throw noSuch(fields.number, -1)
  }

  private entryOf(call: SessionName): Entry {
    const name = nameOf(call)
    const { owner, lsid = '' } = call
    const entry: Entry = this.entries.get(name) ?? {
      owner,
      lsid,
      number: -1,
      state: 'aborted',
      current: undefined,
      reason: undefined,
      tries: new Tries(),
      turn: idle,
    }
    // Behind all others: the first ones are forgotten first.
    this.entries.delete(name)
    this.entries.set(name, entry)
    if (this.entries.size > sessionsRememberedMax) this.forgetOne()
    return entry
  }

  private forgetOne(): void {
    for (const [name, { state }] of this.entries) {
      if (state === 'open') continue
      this.entries.delete(name)
      return
    }
  }

  /** The commands of one session run one after the other. */
  private async inTurn<T>(entry: Entry, work: (entry: Entry) => Promise<T>): Promise<T> {
    const before = entry.turn
    let over = (): void => undefined
    entry.turn = new Promise((resolve) => {
      over = resolve
    })
    await before
    try {
      return await work(entry)
    } finally {
      over()
    }
  }
}

/** Why it has ended. */
function reasonOf(transaction: Statement['transaction']): unknown {
  try {
    transaction.requireOpen()
    return undefined
  } catch (thrown) {
    return thrown
  }
}

function stateOf({ lsid, number, state, current }: Entry): TransactionState {
  if (current === undefined) return { lsid, number, state }
  const { isolation, isReadOnly, begunAt, transaction } = current
  return { lsid, number, state, open: { isolation, isReadOnly, begunAt, bytes: transaction.bytes } }
}
