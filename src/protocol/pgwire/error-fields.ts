// Converts an error to the fields of ErrorResponse. Its `extra` may name the SQLSTATE; otherwise
// its row of the code table decides.
// Source: PostgreSQL 17, 53.8.

import type { ErrorExtra, GatewayError } from '../../base/errors.js'
import { sqlStateOf } from '../../base/sql-state.js'

type Severity = 'ERROR' | 'FATAL' | 'PANIC' | 'WARNING' | 'NOTICE' | 'INFO'

export interface ErrorFields {
  readonly severity: Severity
  readonly sqlState: string
  readonly message: string
  readonly detail?: string | undefined
  readonly hint?: string | undefined
  /** Position in the statement: code points, from 1. */
  readonly position?: number | undefined
  readonly internalPosition?: number | undefined
  readonly internalQuery?: string | undefined
  readonly where?: string | undefined
  readonly schema?: string | undefined
  readonly table?: string | undefined
  readonly column?: string | undefined
  readonly dataType?: string | undefined
  readonly constraint?: string | undefined
  readonly file?: string | undefined
  readonly line?: number | undefined
  readonly routine?: string | undefined
}

/**
 * Fields of an error reply. `extra` may name severity, hint, detail, position, and the constraint
 * with its table. `isLast`: the connection closes afterwards, as after every error before login is
 * complete.
 */
export function errorFields(error: GatewayError, isLast = false): ErrorFields {
  const { extra } = error
  return {
    severity: isLast || extra.severity === 'FATAL' ? 'FATAL' : 'ERROR',
    sqlState: sqlStateOf(error),
    message: error.message,
    detail: textIn(extra, 'detail'),
    hint: textIn(extra, 'hint'),
    position: typeof extra.position === 'number' ? extra.position : undefined,
    schema: textIn(extra, 'schema'),
    table: textIn(extra, 'table'),
    column: textIn(extra, 'column'),
    constraint: textIn(extra, 'constraint'),
  }
}

function textIn(extra: ErrorExtra, name: string): string | undefined {
  const value = extra[name]
  return typeof value === 'string' ? value : undefined
}
