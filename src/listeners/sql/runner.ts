// Runs one statement of a session: as a command on the bus or, without the store, on the session.
// The caller writes the result: columns, rows, the tag.

import { fail } from '../../base/errors.js'
import type { Request } from '../../bus/document/request.js'
import type { Session } from '../../bus/session.js'
import { emptyDocument } from '../../commands/document/arguments.js'
import { commandFor, explaining, type SqlKind } from '../../commands/sql/translate.js'
import { pgError, pgState } from '../../protocol/pgwire/pg-error.js'
import type { MessageSequence } from '../../protocol/pgwire/sequence.js'
import type {
  DeclareStatement,
  Expression,
  SelectStatement,
  Statement,
} from '../../protocol/sql/ast.js'
import type { Awaitable } from '../../store/store.js'
import { Elements, field } from '../../value/elements.js'
import { integerOf } from '../../value/numbers.js'
import { bsonType, type Document, stringOf, stringValue, type Value } from '../../value/value.js'
import { DocumentWriter, writeDocument } from '../../value/writer.js'
import type { ColumnTypes } from './column-types.js'
import { Savepoints } from './savepoints.js'
import type { SessionSettings } from './session-settings.js'

/** The outcome of a statement. */
export interface Outcome {
  readonly kind: SqlKind
  /** It returns rows: `reply` has a cursor and columns. */
  readonly returns: boolean
  readonly reply: Document
  /** The tag after the last row, which the number of rows follows. */
  readonly tag: string
  readonly counts: boolean
  /** Rows of a cursor to be written: FETCH. */
  readonly fetched?: Fetched
}

export interface Fetched {
  /** Name of the cursor. */
  readonly name: string
  /** Undefined: all remaining ones. */
  readonly rows: number | undefined
}

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

export interface RunnerHost {
  readonly run: (request: Request, session: Session) => Awaitable<Document>
  readonly types: ColumnTypes
}

interface RunnerOptions {
  readonly host: RunnerHost
  readonly session: Session
  readonly db: string
  readonly settings: SessionSettings
  readonly sequence: MessageSequence
  readonly holdings: SessionHoldings
  /** Sends a notice, which is no error. */
  readonly notice: (
    severity: 'WARNING' | 'NOTICE',
    sqlState: string,
    message: string,
    hint?: string,
  ) => void
  /** Reports a changed setting to the client. */
  readonly changed: (name: string, value: string) => void
}

const noSequences: Request['sequences'] = new Map()
const plainTags: Partial<Record<SqlKind, string>> = {
  truncate: 'TRUNCATE TABLE',
  createIndex: 'CREATE INDEX',
  dropIndex: 'DROP INDEX',
  createTable: 'CREATE TABLE',
  dropTable: 'DROP TABLE',
  explain: 'EXPLAIN',
  show: 'SHOW',
}
const writing = new Set<SqlKind>([
  ...(['insert', 'update', 'delete', 'truncate', 'createIndex', 'dropIndex'] as const),
  ...(['createTable', 'dropTable'] as const),
])

export class Runner {
  /** Of the open transaction, whose changes cannot be undone. */
  private readonly savepoints = new Savepoints()

  constructor(private readonly options: RunnerOptions) {}

  /** Throws, or rejects with, the statement's error. */
  run(text: string, params: readonly Value[], batchSize: number): Awaitable<Outcome> {
    const { sequence } = this.options
    const command = commandFor({ text, params, batchSize })
    const { kind, body, statement, returns } = command
    sequence.requireRunnable(isWayOut(kind))
    if (statement.kind === 'select') this.configure(statement, params)
    if (body === undefined) return this.ofSession(statement, params)
    const reply = this.send(this.limited(body))
    const finish = (answer: Document): Outcome => {
      if (writing.has(kind)) this.wrote(kind)
      this.tellNote(kind, answer)
      return { kind, returns, reply: answer, tag: tagOf(kind, answer), counts: kind === 'select' }
    }
    return reply instanceof Promise ? reply.then(finish) : finish(reply)
  }

  /** `SELECT set_config(name, value, is_local)` is a SET. Throws as that does. */
  private configure({ results }: SelectStatement, params: readonly Value[]): void {
    for (const { expression } of results) {
      if (expression.kind !== 'call' || expression.name !== 'set_config') continue
      const [name, value] = expression.args.map((arg) => writtenText(arg, params))
      if (name === undefined || value === undefined) continue
      const told = this.options.settings.set(name.toLowerCase(), [value])
      if (told !== undefined) this.options.changed(...told)
    }
  }

  /**
   * Whether the session may still do what a statement did. Throws, or rejects with, the refusal;
   * changes nothing.
   */
  checkRevocation(text: string, params: readonly Value[]): Awaitable<unknown> {
    const body = explaining({ text, params, batchSize: 1 })
    return body === undefined ? undefined : this.send(this.limited(body))
  }

  /** Any command, on the session's database by default. */
  send(body: Document, db = this.options.db): Awaitable<Document> {
    const { host, session } = this.options
    return host.run({ db, body, sequences: noSequences }, session)
  }

  private wrote(kind: SqlKind): void {
    const { host, sequence } = this.options
    if (sequence.status === 'T') this.savepoints.wrote()
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

  private ofSession(statement: Statement, params: readonly Value[]): Outcome {
    const { settings, changed, holdings } = this.options
    switch (statement.kind) {
      case 'show':
        return shown(statement.name, settings.show(statement.name))
      case 'set': {
        const told = settings.set(statement.name, statement.values)
        if (told !== undefined) changed(...told)
        return done('set', 'SET')
      }
      case 'begin':
        return this.begin()
      case 'commit':
      case 'rollback':
        return this.end(statement.kind)
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
      case 'unlisten':
        return done('unlisten', 'UNLISTEN')
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
    const { settings, changed } = this.options
    for (const told of settings.reset(name)) changed(...told)
    return done('reset', 'RESET')
  }

  private discard(what: 'all' | 'plans' | 'sequences' | 'temp'): Outcome {
    const { sequence, holdings } = this.options
    if (what === 'all') {
      if (sequence.status !== 'I') {
        const text = 'DISCARD ALL cannot run inside a transaction block'
        throw fail('BadValue', text, { sqlState: '25001' })
      }
      holdings.closeCursor(undefined)
      holdings.deallocate(undefined)
      this.reset(undefined)
    }
    return done('discard', `DISCARD ${what.toUpperCase()}`)
  }

  /** A cursor lives as long as its transaction: without one it would end at once. */
  private declare({ name, text }: DeclareStatement, params: readonly Value[]): Outcome {
    const { sequence, holdings } = this.options
    if (sequence.status !== 'T') {
      const message = 'DECLARE CURSOR can only be used in transaction blocks'
      throw fail('BadValue', message, { sqlState: '25P01' })
    }
    this.savepoints.requireRoom()
    holdings.declare(name, text, params)
    this.savepoints.declared(name)
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

  private begin(): Outcome {
    const { sequence, notice } = this.options
    if (sequence.begin()) this.savepoints.clear()
    else notice('WARNING', '25001', 'there is already a transaction in progress')
    return done('begin', 'BEGIN')
  }

  /** Every statement was committed by itself: a rollback can only report that. */
  private end(kind: 'commit' | 'rollback'): Outcome {
    const { sequence, notice, holdings } = this.options
    const before = sequence.end()
    holdings.closeCursor(undefined)
    if (before === 'I') notice('WARNING', '25P01', 'there is no transaction in progress')
    const isUndone = kind === 'rollback' || before === 'E'
    if (isUndone && this.savepoints.hasWritten) {
      const text = 'what the statements before have changed was kept, not rolled back'
      notice('WARNING', '01000', text, 'Every statement is committed by itself.')
    }
    this.savepoints.clear()
    return done(kind, isUndone ? 'ROLLBACK' : 'COMMIT')
  }

  private atSavepoint(kind: 'savepoint' | 'release' | 'rollbackTo', name: string): Outcome {
    const { sequence, holdings } = this.options
    const { statement, tag } = savepointWords[kind]
    if (sequence.status === 'I') {
      throw pgError(pgState.noTransaction, `${statement} can only be used in transaction blocks`)
    }
    if (kind === 'savepoint') this.savepoints.add(name)
    else if (kind === 'release') this.savepoints.release(name)
    else {
      holdings.endCursors(this.savepoints.goBack(name))
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

/** The text of a literal or a parameter. */
function writtenText(expression: Expression, params: readonly Value[]): string | undefined {
  const value =
    expression.kind === 'parameter'
      ? params[expression.index]
      : expression.kind === 'literal'
        ? expression.value
        : undefined
  return value?.type === bsonType.string ? stringOf(value) : undefined
}

/** Whether it ends a failed transaction, or rolls back to a savepoint before the failure. */
export function isWayOut(kind: SqlKind | Statement['kind']): boolean {
  return kind === 'commit' || kind === 'rollback' || kind === 'rollbackTo'
}

function done(kind: SqlKind, tag: string): Outcome {
  return { kind, returns: false, reply: emptyDocument, tag, counts: false }
}

/** One row of one text. */
function shown(name: string, value: string): Outcome {
  const row = new DocumentWriter().value(name, stringValue(value)).finish()
  const reply = writeDocument((writer) => {
    writer.openDocument('cursor').openArray('firstBatch').pushDocument(row).close().close()
    writer.openArray('columns').pushOpenDocument()
    writer.string('name', name).string('type', 'text').close().close()
  })
  return { kind: 'show', returns: true, reply, tag: 'SHOW', counts: false }
}

function tagOf(kind: SqlKind, reply: Document): string {
  switch (kind) {
    case 'select':
      return 'SELECT'
    case 'insert':
      return `INSERT 0 ${figure(reply, 'insertedCount') + figure(reply, 'matchedCount')}`
    case 'update':
      return `UPDATE ${figure(reply, 'matchedCount')}`
    case 'delete':
      return `DELETE ${figure(reply, 'deletedCount')}`
    default:
      return plainTags[kind] ?? kind.toUpperCase()
  }
}

function figure(reply: Document, name: string): number {
  const value = field(reply, name)
  return value === undefined ? 0 : (integerOf(value) ?? 0)
}
