// Errors and notices that only the PostgreSQL protocol has, and the position of an error among
// several statements.

import { fail, GatewayError } from '../../base/errors.js'
import type { ErrorFields } from '../../protocol/pgwire/error-fields.js'

export const cancelledFields: ErrorFields = {
  severity: 'ERROR',
  sqlState: '57014',
  message: 'canceling statement due to user request',
}

/** Later documents have fields that the first ones lacked: the columns were already fixed. */
export const hiddenFields: ErrorFields = {
  severity: 'NOTICE',
  sqlState: '01000',
  message: 'some documents have further fields, which are not shown',
  hint: 'Name the columns that are wanted.',
}

export const stoppingFields: ErrorFields = {
  severity: 'FATAL',
  sqlState: '57P01',
  message: 'terminating connection due to administrator command',
}

export const endedFields: ErrorFields = {
  severity: 'FATAL',
  sqlState: '28000',
  message: 'terminating connection because its key or session has ended',
}

export const tooManyFields: ErrorFields = {
  severity: 'FATAL',
  sqlState: '53300',
  message: 'sorry, too many clients already',
}

/** The statement was cancelled between two batches. */
export function cancelledError(): GatewayError {
  return fail('Interrupted', cancelledFields.message, { sqlState: cancelledFields.sqlState })
}

/** A portal without rows that was already executed. */
export function overError(name: string): GatewayError {
  return fail('BadValue', `portal "${name}" cannot be run`, { sqlState: '55000' })
}

/** An error of one statement, with its position in the whole text. */
export function moved(error: GatewayError, text: string, start: number): GatewayError {
  const { position } = error.extra
  if (start === 0 || typeof position !== 'number') return error
  const before = [...text.slice(0, start)].length
  const extra = { ...error.extra, position: position + before }
  return new GatewayError(error.kind, error.message, extra, error.cause)
}
