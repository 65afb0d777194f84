// One prepared statement of the extended protocol: its text, its placeholders, and the columns
// described to the client.

import { jsonInThreadBytes } from '../../base/limits/engine.js'
import { WorkTurns } from '../../base/work/work-turns.js'
import type { Session } from '../../bus/session.js'
import { isReadAhead, parsedAhead } from '../../commands/sql/read-ahead-task.js'
import { parsedStatement } from '../../commands/sql/statement-cache.js'
import { returnsRows } from '../../commands/sql/translate.js'
import { requireUtf8 } from '../../protocol/pgwire/body-reader.js'
import { type Bind, formatAt } from '../../protocol/pgwire/client-message.js'
import type { InParts } from '../../protocol/pgwire/long-text.js'
import { jsonbVersion, parametersOf, valueOfBinary } from '../../protocol/pgwire/parameter.js'
import {
  badJson,
  isInParts,
  valueOfText,
  valueParts,
} from '../../protocol/pgwire/parameter-text.js'
import {
  arrayTypeOf,
  elementTypeOf,
  type PgTypeName,
  typeOfOid,
} from '../../protocol/pgwire/types.js'
import type { Parsed, Statement } from '../../protocol/sql/ast.js'
import { type StatementText, splitInTurns, splitStatements } from '../../protocol/sql/split.js'
import { sqlError } from '../../protocol/sql/sql-error.js'
import type { Awaitable } from '../../store/store.js'
import { nullValue, type Value } from '../../value/value.js'
import { readValue } from '../json-thread.js'
import type { ColumnTypes, TableTypes } from './column-types.js'
import { type Hint, parameterHints } from './parameter-hints.js'
import type { ColumnHead } from './rows.js'

/** The type of a placeholder. */
interface ParameterType {
  readonly type: PgTypeName
  /** The client did not name it: for a JSON column, a value that is not JSON is a text. */
  readonly isGuessed: boolean
}

/**
 * Without the syntax tree, which takes many times the memory of the text; trees in use are cached
 * by their text.
 */
export interface PreparedStatement {
  /** Undefined: only white space and comments. */
  readonly kind: Statement['kind'] | undefined
  /** Running it returns rows. */
  readonly returns: boolean
  readonly text: string
  readonly parameters: readonly ParameterType[]
  /** How many of them the statement has. */
  readonly count: number
  /** The described columns: later rows use this layout. */
  described: readonly ColumnHead[] | undefined
}

/** Memory of a statement beside its text, of a parameter, and of a column, bytes. */
const statementBytes = 500
const parameterBytes = 60
const columnBytes = 100

/** Memory of a statement without its columns, bytes. */
export function bytesOfStatement({ text, parameters }: PreparedStatement): number {
  return statementBytes + text.length * 2 + parameters.length * parameterBytes
}

export function bytesOfColumns(columns: readonly ColumnHead[]): number {
  let bytes = 0
  for (const { name } of columns) bytes += columnBytes + name.length * 2
  return bytes
}

/** Memory of a portal with its values and its statement, bytes. */
export function bytesOfPortal(bind: Bind, statement: PreparedStatement): number {
  let bytes = statementBytes + bytesOfStatement(statement) + bind.resultFormats.length * 8
  for (const value of bind.parameters) bytes += columnBytes + (value?.length ?? 0)
  return bytes
}

interface Place {
  readonly types: Pick<ColumnTypes, 'of'>
  readonly session: Session
  readonly db: string
}

const plainText: ParameterType = { type: 'text', isGuessed: true }

/**
 * Throws syntax errors, and 42601 for several statements. `oids` are the client's types, 0 for
 * none. A long text is read in turns.
 */
export function prepare(
  text: string,
  oids: readonly number[],
  place: Place,
): Awaitable<PreparedStatement> {
  return isReadAhead(text)
    ? readLong(text).then(() => prepared(text, oids, place))
    : prepared(text, oids, place)
}

async function readLong(text: string): Promise<void> {
  const statements = await splitInTurns(text)
  requireOne(statements, text)
  if (statements.length > 0) await parsedAhead(text)
}

function prepared(
  text: string,
  oids: readonly number[],
  place: Place,
): Awaitable<PreparedStatement> {
  const parsed = parsedOrBlank(text)
  if (parsed === undefined) {
    const parameters = oids.map((oid) => givenType(oid) ?? plainText)
    return {
      kind: undefined,
      returns: false,
      text: '',
      parameters,
      count: 0,
      described: undefined,
    }
  }
  const { statement, parameters } = parsed
  const { count } = parameters
  const finish = (types: readonly ParameterType[]): PreparedStatement => ({
    kind: statement.kind,
    returns: returnsRows(statement),
    text,
    parameters: types,
    count,
    described: undefined,
  })
  if (count === 0 && oids.length === 0) return finish([])
  const found = parameterTypes(parameterHints(text, count), oids, count, place)
  return found instanceof Promise ? found.then(finish) : finish(found)
}

/** Undefined if a text has only white space and comments. */
function parsedOrBlank(text: string): Parsed | undefined {
  try {
    return parsedStatement(text)
  } catch (error) {
    const statements = splitStatements(text)
    if (statements.length === 0) return undefined
    requireOne(statements, text)
    throw error
  }
}

function requireOne([, second]: readonly StatementText[], text: string): void {
  if (second === undefined) return
  const message = 'cannot insert multiple commands into a prepared statement'
  throw sqlError(text, second.start, message)
}

function parameterTypes(
  hints: readonly (Hint | undefined)[],
  oids: readonly number[],
  count: number,
  place: Place,
): Awaitable<readonly ParameterType[]> {
  const tables = new Map<string, string[]>()
  for (const [i, hint] of hints.entries()) {
    if (hint?.kind !== 'column' || givenType(oids[i] ?? 0) !== undefined) continue
    for (const { table, column } of hint.places) {
      // Of several tables only one has it, so a cached result needs no such column.
      const needs = hint.places.length === 1 && typeof column === 'string' ? [column] : []
      tables.set(table, [...(tables.get(table) ?? []), ...needs])
    }
  }
  const finish = (known: ReadonlyMap<string, TableTypes>): ParameterType[] =>
    Array.from({ length: Math.max(count, oids.length) }, (_, i) => {
      return givenType(oids[i] ?? 0) ?? guessed(hints[i], known)
    })
  if (tables.size === 0) return finish(new Map())
  return lookedUp(tables, place, finish)
}

function lookedUp<T>(
  tables: ReadonlyMap<string, readonly string[]>,
  { types, session, db }: Place,
  finish: (known: ReadonlyMap<string, TableTypes>) => T,
): Awaitable<T> {
  const known = new Map<string, TableTypes>()
  const waits: Promise<void>[] = []
  for (const [table, needs] of tables) {
    const found = types.of(session, db, table, needs)
    if (!(found instanceof Promise)) known.set(table, found)
    else waits.push(found.then((each) => void known.set(table, each)))
  }
  if (waits.length === 0) return finish(known)
  return Promise.all(waits).then(() => finish(known))
}

function guessed(hint: Hint | undefined, known: ReadonlyMap<string, TableTypes>): ParameterType {
  if (hint === undefined) return plainText
  if (hint.kind === 'type') return { type: hint.type, isGuessed: true }
  const type = typeOfColumn(hint, known) ?? 'text'
  if (hint.as === 'itself') return { type, isGuessed: true }
  if (hint.as === 'element') {
    // Only text has operators: PostgreSQL compares a varchar as one.
    const element = elementTypeOf(type) ?? 'text'
    return { type: element === 'varchar' ? 'text' : element, isGuessed: true }
  }
  // An array of mixed types is sent as texts.
  const isMixed = type === 'jsonb' || type === 'json'
  return { type: (isMixed ? undefined : arrayTypeOf(type)) ?? 'textArray', isGuessed: true }
}

/** Only tables of CREATE TABLE have ordered columns. */
function typeAt(types: TableTypes | undefined, column: number): PgTypeName | undefined {
  return types?.isDeclared === true ? [...types.values()][column] : undefined
}

/** The type in the first table with the column. */
function typeOfColumn(
  { places }: Extract<Hint, { kind: 'column' }>,
  known: ReadonlyMap<string, TableTypes>,
): PgTypeName | undefined {
  for (const { table, column } of places) {
    const types = known.get(table)
    const type = typeof column === 'number' ? typeAt(types, column) : types?.get(column)
    if (type !== undefined) return type
  }
  return undefined
}

/** Undefined for 0, which leaves it to the server, and for unknown types. */
function givenType(oid: number): ParameterType | undefined {
  if (oid === 0) return undefined
  const type = typeOfOid(oid)
  return type === undefined || type === 'unknown' ? undefined : { type, isGuessed: false }
}

/** The values of a Bind. Throws 08P01, 22P02 and other errors of texts and bytes. */
export function boundValues(
  bind: Bind,
  { parameters, count }: PreparedStatement,
): Awaitable<Value[]> {
  if (bind.parameters.length !== parameters.length) {
    // Throws the error about the number of values.
    parametersOf(
      bind,
      parameters.map(({ type }) => type),
    )
  }
  const values = bind.parameters.map((bytes, i) => {
    const parameter = parameters[i] ?? plainText
    if (bytes === undefined) return undefined
    if (formatAt(bind.parameterFormats, i) === 'text') return ofText(bytes, parameter)
    return ofBinary(bytes, parameter, i)
  })
  const known = values.slice(0, count)
  if (known.some((value) => value instanceof Promise)) {
    return Promise.all(known).then((all) => all.map((value) => value ?? nullValue))
  }
  return (known as (Value | undefined)[]).map((value) => value ?? nullValue)
}

function ofText(bytes: Uint8Array, parameter: ParameterType): Awaitable<Value> {
  const { type, isGuessed } = parameter
  const isJson = type === 'jsonb' || type === 'json'
  // A column of mixed types: only a text that looks like JSON is parsed as JSON.
  if (isGuessed && isJson && !jsonStarts.includes(bytes[0] ?? 0)) return valueOfText(bytes, 'text')
  if (isJson && bytes.length > jsonInThreadBytes) return longJson(bytes, type)
  const most = elementTypeOf(type) === undefined ? textAtOnceBytes : arrayAtOnceBytes
  if (bytes.length > most && isInParts(type)) return inTurns(valueParts(bytes, type))
  return valueOfText(bytes, type)
}

/** A longer bytea is read in several turns. */
const textAtOnceBytes = 256 * 1024
/** The same for an array: an element of two bytes takes 1 µs. */
const arrayAtOnceBytes = 8 * 1024

async function inTurns(parts: InParts<Value>): Promise<Value> {
  const turns = new WorkTurns()
  for (;;) {
    const step = parts.next()
    if (turns.isDue) await turns.pause()
    if (step.done === true) return step.value
  }
}

function ofBinary(bytes: Uint8Array, { type }: ParameterType, index: number): Awaitable<Value> {
  if (bytes.length > jsonInThreadBytes) {
    if (type === 'json') return longJson(bytes, type)
    if (type === 'jsonb' && bytes[0] === jsonbVersion) return longJson(bytes.subarray(1), type)
  }
  return valueOfBinary(bytes, type, index)
}

/** In the thread: parsing 15 MB would take a second. */
async function longJson(bytes: Uint8Array, type: 'json' | 'jsonb'): Promise<Value> {
  requireUtf8(bytes)
  try {
    return await readValue(bytes)
  } catch (cause) {
    throw badJson(cause, type)
  }
}

const jsonStarts: readonly number[] = [...'{["'].map((each) => each.charCodeAt(0))
