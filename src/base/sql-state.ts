// The SQLSTATE of every error, for the SQL route and the PostgreSQL listener. The `extra` of the
// error may name one; otherwise the column of its row decides.
// Source: PostgreSQL 17, appendix A.

import { codeRow, type GatewayError } from './errors.js'
import { isTooMuchWork } from './work/work-budget.js'

/** For MongoDB's numbered codes, which have no row. */
const numbered: Readonly<Record<number, string>> = { 17419: '54000', 51091: '2201B' }

/** 22023, invalid parameter value: the default for refusals of commands. */
const refused = '22023'
const serverStatusMin = 500

/** Five characters that PostgreSQL clients branch on. */
export function sqlStateOf(error: GatewayError): string {
  const { sqlState } = error.extra
  if (typeof sqlState === 'string') return sqlState
  // The program exceeded its work budget; the client set no time limit.
  if (isTooMuchWork(error)) return '54000'
  const state = codeRow(error.kind)?.state ?? numbered[error.code]
  return state ?? (error.httpStatus >= serverStatusMin ? 'XX000' : refused)
}
