// Translates a statement to one command of the bus, so that the same authorization, limits, logs
// and metrics apply. The listener handles statements about the client's session.

import type { Parameters, Statement } from '../../protocol/sql/ast.js'
import type { Document, Value } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { evaluationError, evaluationState } from './expression/evaluation-error.js'
import { parsedStatement } from './statement-cache.js'

interface SqlRequest {
  readonly text: string
  /** Values of `$1` and `?`; null for NULL. */
  readonly params: readonly Value[]
  /** Values of `:name`. */
  readonly named?: ReadonlyMap<string, Value> | undefined
  /** Maximum rows of a SELECT without LIMIT. */
  readonly rowsDefault?: number | undefined
  /** Rows of the first batch. */
  readonly batchSize?: number | undefined
}

export type SqlKind =
  | 'select'
  | 'insert'
  | 'update'
  | 'delete'
  | 'truncate'
  | 'createIndex'
  | 'dropIndex'
  | 'createTable'
  | 'dropTable'
  | 'explain'
  | 'show'
  | 'set'
  | 'setTransaction'
  | 'begin'
  | 'commit'
  | 'rollback'
  | 'savepoint'
  | 'release'
  | 'rollbackTo'
  | 'discard'
  | 'deallocate'
  | 'reset'
  | 'listen'
  | 'notify'
  | 'unlisten'
  | 'declare'
  | 'fetch'
  | 'close'

interface SqlCommand {
  readonly kind: SqlKind
  /**
   * Undefined for statements about the session (SET, BEGIN, SHOW of a setting), which need no
   * store.
   */
  readonly body: Document | undefined
  readonly statement: Statement
  /** Whether the reply has rows: a cursor and columns. */
  readonly returns: boolean
}

/** Throws errors of parsing, and 08P01 unless every placeholder has a value. */
export function commandFor(request: SqlRequest): SqlCommand {
  const { statement, parameters } = parsedStatement(request.text)
  const values = valuesFor(parameters, request)
  const command = commandNameOf(statement)
  return {
    kind: kindOf(statement),
    statement,
    returns: returnsRows(statement),
    body: command === undefined ? undefined : bodyOf(command, request, values),
  }
}

/**
 * A command that checks the rights of a statement without running it; undefined for a statement
 * about the session. Throws as commandFor.
 */
export function explaining(request: SqlRequest): Document | undefined {
  const { statement, parameters } = parsedStatement(request.text)
  const command = commandNameOf(statement, true)
  if (command === undefined) return undefined
  return bodyOf(command, request, valuesFor(parameters, request))
}

/** With `isExplained`, the command that explains the statement, where there is one. */
function commandNameOf({ kind }: Statement, isExplained = false): string | undefined {
  switch (kind) {
    case 'select':
      return isExplained ? 'sqlExplain' : 'sqlSelect'
    case 'insert':
    case 'update':
    case 'delete':
    case 'truncate':
      return isExplained ? 'sqlExplain' : 'sqlChange'
    case 'createIndex':
    case 'dropIndex':
    case 'createTable':
    case 'dropTable':
      return 'sqlDefine'
    case 'explain':
      return 'sqlExplain'
    case 'showTables':
    case 'showIndexes':
    case 'describe':
      return 'sqlShow'
    case 'show':
    case 'set':
    case 'setTransaction':
    case 'begin':
    case 'commit':
    case 'rollback':
    case 'savepoint':
    case 'release':
    case 'rollbackTo':
    case 'discard':
    case 'deallocate':
    case 'reset':
    case 'listen':
    case 'notify':
    case 'unlisten':
    case 'declare':
    case 'fetch':
    case 'close':
      return undefined
  }
}

function kindOf({ kind }: Statement): SqlKind {
  const isShown = kind === 'showTables' || kind === 'showIndexes' || kind === 'describe'
  return isShown ? 'show' : kind
}

/** Whether it returns rows; an empty text is no statement. */
export function returnsRows(statement: Statement | undefined): boolean {
  switch (statement?.kind) {
    case 'select':
    case 'explain':
    case 'show':
    case 'showTables':
    case 'showIndexes':
    case 'describe':
    case 'fetch':
      return true
    case 'insert':
    case 'update':
    case 'delete':
      return statement.returning.length > 0
    default:
      return false
  }
}

function bodyOf(command: string, request: SqlRequest, values: readonly Value[]): Document {
  const { text, rowsDefault, batchSize } = request
  return writeDocument((writer) => {
    writer.string(command, text).openArray('params')
    for (const value of values) writer.push(value)
    writer.close()
    if (rowsDefault !== undefined) writer.int32('rowsDefault', rowsDefault)
    if (batchSize !== undefined) writer.int32('batchSize', batchSize)
  })
}

/** The values of the placeholders, by index. */
function valuesFor(parameters: Parameters, { params, named }: SqlRequest): readonly Value[] {
  const { style, count, names } = parameters
  if (style !== 'named') {
    if (named !== undefined && (count > 0 || named.size > 0)) throw wrongStyle('an array')
    if (params.length === count) return params
    const text = `the statement has ${count} parameters, but ${params.length} values were given`
    throw evaluationError(evaluationState.wrongParameters, text)
  }
  if (named === undefined) throw wrongStyle('an object')
  const known = new Set(names)
  for (const name of named.keys()) {
    if (known.has(name)) continue
    throw evaluationError(evaluationState.wrongParameters, `there is no parameter :${name}`)
  }
  return names.map((name) => {
    const value = named.get(name)
    if (value !== undefined) return value
    const text = `no value was given for the parameter :${name}`
    throw evaluationError(evaluationState.wrongParameters, text)
  })
}

function wrongStyle(wanted: string): Error {
  const text = `the values of the statement's parameters must come as ${wanted}`
  return evaluationError(evaluationState.wrongParameters, text)
}
