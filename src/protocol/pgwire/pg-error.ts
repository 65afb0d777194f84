// Errors of the PostgreSQL protocol: the SQLSTATE that clients branch on, and whether the stream
// can continue. Texts are those of PostgreSQL.

import { fail, type GatewayError } from '../../base/errors.js'

/** SQLSTATE codes that messages and their values can cause (PostgreSQL, appendix A). */
export const pgState = {
  protocolViolation: '08P01',
  featureNotSupported: '0A000',
  outOfRange: '22003',
  badDate: '22007',
  dateOutOfRange: '22008',
  badEncoding: '22021',
  badParameter: '22023',
  badText: '22P02',
  badBinary: '22P03',
  activeTransaction: '25001',
  readOnly: '25006',
  noTransaction: '25P01',
  transactionAborted: '25P02',
  transactionTimeout: '25P03',
  noStatement: '26000',
  badAuthorization: '28000',
  noPortal: '34000',
  noSuchSavepoint: '3B001',
  serializationFailure: '40001',
  duplicatePortal: '42P03',
  duplicateStatement: '42P05',
  typeMismatch: '42804',
  outOfMemory: '53200',
  tooMany: '53400',
  limitExceeded: '54000',
  tooManyColumns: '54011',
} as const

type PgState = (typeof pgState)[keyof typeof pgState]

/** An error after which the connection is usable: of a value, or of a message with known bounds. */
export function pgError(state: PgState, message: string, hint?: string): GatewayError {
  const kind = state === pgState.protocolViolation ? 'ProtocolError' : 'BadValue'
  return fail(kind, message, { sqlState: state, ...(hint === undefined ? {} : { hint }) })
}

/** An error after which the connection is closed: its reply is the last message. */
export function fatalError(
  message: string,
  state: PgState = pgState.protocolViolation,
): GatewayError {
  return fail('ProtocolError', message, { sqlState: state, severity: 'FATAL' })
}
