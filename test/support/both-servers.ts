// One statement on PostgreSQL and on the SQL port, in the same order on both: rows, names and types
// of columns, types of placeholders, and of what is refused the SQLSTATE, the message, its position
// and its constraint.

import postgres from 'postgres'
import type { Test } from 'tap'
import { startGateway } from './live-gateway.js'
import { openPostgres } from './postgres-reference.js'

interface Failure {
  readonly code?: string
  readonly message: string
  readonly position?: string
  readonly detail?: string
  readonly hint?: string
  readonly constraint_name?: string
  readonly table_name?: string
}

/** What differs by design: the schema in a message, and what only PostgreSQL hints at. */
function failureOf(thrown: unknown) {
  const { code, message, position, detail, constraint_name, table_name } = thrown as Failure
  return { code, message, position, detail, constraint_name, table_name }
}

/** With the hint, too. */
function hintedFailureOf(thrown: unknown) {
  return { ...failureOf(thrown), hint: (thrown as Failure).hint }
}

async function answer(sql: postgres.Sql, text: string, failed = failureOf) {
  try {
    const result = await sql.unsafe(text).raw()
    const rows = [...result].map((row) =>
      (row as unknown as (Buffer | null)[]).map((cell) => cell?.toString() ?? null),
    )
    const columns = (result.columns ?? []).map(({ name, type }) => [name, shownType(type)])
    return { columns, rows, tag: result.command, count: result.count }
  } catch (thrown) {
    return failed(thrown)
  }
}

/** Names are shown as texts, and rows of tables as records. */
function shownType(oid: number): number {
  const [name, text, record, firstOfTables] = [19, 25, 2249, 16_384]
  if (oid === name) return text
  return oid >= firstOfTables ? record : oid
}

/** Types of the placeholders, and of the columns. */
async function described(sql: postgres.Sql, text: string) {
  try {
    const found = await sql.unsafe(text, [], { prepare: true }).describe()
    const columns = found.columns.map(({ name, type }) => [name, type])
    return { parameters: [...found.types], columns }
  } catch (thrown) {
    return failureOf(thrown)
  }
}

/**
 * `both` runs statements and compares their answers, `exactly` the hints of errors too, `types`
 * compares their descriptions.
 */
export async function openBothServers(t: Test) {
  const reference = await openPostgres(t)
  const { ports } = await startGateway(t, { AUTH_MODE: 'off' })
  const own = postgres({
    ...{ host: '127.0.0.1', port: ports.sql, user: 'tester', database: 'main', max: 1 },
    onnotice: () => undefined,
  })
  t.teardown(() => own.end())
  const both = async (t: Test, ...texts: readonly string[]): Promise<void> => {
    for (const text of texts)
      t.same(await answer(own, text), await answer(reference.client, text), text)
  }
  const exactly = async (t: Test, ...texts: readonly string[]): Promise<void> => {
    for (const text of texts) {
      const wanted = await answer(reference.client, text, hintedFailureOf)
      t.same(await answer(own, text, hintedFailureOf), wanted, text)
    }
  }
  const types = async (t: Test, ...texts: readonly string[]): Promise<void> => {
    for (const text of texts) {
      t.same(await described(own, text), await described(reference.client, text), text)
    }
  }
  return { both, exactly, types, own }
}
