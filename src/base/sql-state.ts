// The SQLSTATE of every error: what threw it may have named one in its `extra`; else the column of
// its row decides. Both the SQL route and the PostgreSQL listener answer it.
// Source: PostgreSQL 17, appendix A.

import { codeRow, type GatewayError } from './errors.js'
import { isTooMuchWork } from './work/work-budget.js'

/** Of the reference server's numbered codes, which have no row. */
const numbered: Readonly<Record<number, string>> = { 17419: '54000', 51091: '2201B' }

/** 22023, a value that cannot be: what most refusals of the commands are. */
const refused = '22023'
const serverStatusMin = 500

/** Five characters that PostgreSQL's clients switch on. */
export function sqlStateOf(error: GatewayError): string {
  const { sqlState } = error.extra
  if (typeof sqlState === 'string') return sqlState
  // A bound of the program, not a time that the client has set.
  if (isTooMuchWork(error)) return '54000'
  const state = codeRow(error.kind)?.state ?? numbered[error.code]
  return state ?? (error.httpStatus >= serverStatusMin ? 'XX000' : refused)
}
