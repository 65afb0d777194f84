// The column types of a table from information_schema, for placeholders without a type. A statement
// of the same session reads them, so no client learns of tables that it may not read. They are
// cached briefly, since drivers prepare the same statements repeatedly.

import { LRUCache } from 'lru-cache'
import type { Clock } from '../../base/clock.js'
import type { Request } from '../../bus/document/request.js'
import type { Statement } from '../../bus/document/transactions/statement.js'
import type { Session } from '../../bus/session.js'
import { commandFor } from '../../commands/sql/translate.js'
import { identityKey } from '../../identity/identity.js'
import type { PgTypeName } from '../../protocol/pgwire/types.js'
import type { Awaitable } from '../../store/store.js'
import { elementsOf, field, fieldIn } from '../../value/elements.js'
import { integerOf } from '../../value/numbers.js'
import { type Document, stringOf, stringValue } from '../../value/value.js'
import { typeNamed } from './rows.js'

/** Tables with cached column types for placeholders, and the cache lifetime. */
const pgTablesMax = 1_000
const pgTableMs = 1_000

/** In the order of the columns. */
export interface TableTypes extends ReadonlyMap<string, PgTypeName> {
  /** CREATE TABLE made it: it has exactly these columns. */
  readonly isDeclared?: boolean
}

const query =
  'SELECT column_name, udt_name, relnatts FROM information_schema.columns ' +
  'JOIN pg_class ON relname = table_name ' +
  'WHERE table_name = $1 ORDER BY ordinal_position LIMIT 1000'

interface Known {
  readonly types: TableTypes
  /** Monotonic milliseconds. */
  readonly atMs: number
}

const none: TableTypes = new Map()
const noSequences: Request['sequences'] = new Map()

export class ColumnTypes {
  private readonly known = new LRUCache<string, Known>({ max: pgTablesMax })

  constructor(
    private readonly run: (request: Request, session: Session) => Awaitable<Document>,
    private readonly clock: Clock,
  ) {}

  /**
   * The types of a table; `needs` are columns that a cached result must have. With `statement`, a
   * transaction that has made tables, as only it sees them.
   */
  of(
    session: Session,
    db: string,
    table: string,
    needs: readonly string[] = [],
    statement?: Statement,
  ): Awaitable<TableTypes> {
    if (statement !== undefined) return this.look(session, db, table, statement)
    const key = `${identityKey(session.identity)} ${db} ${table}`
    const known = this.known.get(key)
    const nowMs = this.clock.elapsed()
    if (known !== undefined && nowMs - known.atMs < pgTableMs) {
      if (needs.every((column) => known.types.has(column))) return known.types
    }
    return this.look(session, db, table).then((types) => {
      if (types !== none) this.known.set(key, { types, atMs: this.clock.elapsed() })
      return types
    })
  }

  /** A statement has created or dropped tables. */
  forget(): void {
    this.known.clear()
  }

  private async look(
    session: Session,
    db: string,
    table: string,
    statement?: Statement,
  ): Promise<TableTypes> {
    const { body } = commandFor({ text: query, params: [stringValue(table)], batchSize: 1_000 })
    if (body === undefined) return none
    try {
      return typesIn(await this.run({ db, body, sequences: noSequences, statement }, session))
    } catch {
      // The statement itself reports the error; without types its placeholders are texts.
      return none
    }
  }
}

function typesIn(reply: Document): TableTypes {
  const types = new Map<string, PgTypeName>()
  let isDeclared = false
  const cursor = field(reply, 'cursor')
  const batch = cursor === undefined ? undefined : fieldIn(cursor, 'firstBatch')
  for (const row of batch === undefined ? [] : elementsOf(batch)) {
    const name = fieldIn(row, 'column_name')
    const type = fieldIn(row, 'udt_name')
    const count = fieldIn(row, 'relnatts')
    // For a collection made in another way, the number of columns is unknown.
    if (count !== undefined && integerOf(count) !== 0) isDeclared = true
    if (name !== undefined && type !== undefined) {
      types.set(stringOf(name), typeNamed(stringOf(type)))
    }
  }
  return Object.assign(types, { isDeclared })
}
