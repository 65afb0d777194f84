// A prepared statement on its way through node-postgres. It keeps rows as arrays and knows its
// columns from its first run, so later ones ask for no description: the library's own query makes a
// result with named columns for each, which costs more than a short statement does.

import pg from 'pg'
import { typeParser } from './packed.js'
import type { Row, Statement, Value } from './statement.js'

type Parser = (text: string) => unknown

/** By statement: a store's tables keep their columns. */
const parsers = new WeakMap<Statement, readonly Parser[]>()

export class PreparedQuery extends pg.Query {
  private readonly found: Row[] = []

  constructor(
    private readonly statement: Statement,
    values: readonly Value[],
    private readonly resolve: (rows: readonly Row[]) => void,
    private readonly reject: (error: Error) => void,
  ) {
    super(statement.text, values.map(textOf))
    this.name = statement.name
  }

  override submit(connection: pg.Connection): Error | null {
    if (!this.hasBeenParsed(connection) || !parsers.has(this.statement)) {
      return super.submit(connection)
    }
    const { name: statement, values } = this
    connection.bind({ portal: '', statement, values, binary: false })
    connection.execute({ portal: '', rows: 0 })
    connection.sync()
    return null
  }

  override handleRowDescription({ fields }: pg.Described): void {
    parsers.set(
      this.statement,
      fields.map(({ dataTypeID }) => typeParser(dataTypeID)),
    )
  }

  override handleDataRow({ fields }: pg.DataRow): void {
    const known = parsers.get(this.statement) as readonly Parser[]
    this.found.push(fields.map((text, at) => (text === null ? null : (known[at] as Parser)(text))))
  }

  /** Without a description before it, the statement has no columns. */
  override handleCommandComplete(): void {
    if (!parsers.has(this.statement)) parsers.set(this.statement, [])
  }

  override handleReadyForQuery(): void {
    this.resolve(this.found)
  }

  override handleError(error: Error): void {
    this.reject(error)
  }
}

/** As the library maps them. */
function textOf(value: Value): Buffer | string | null {
  return typeof value === 'number' ? String(value) : value
}
