// An error of ours as the fields of ErrorResponse. What threw it may have named the SQLSTATE; else
// its row of the code table decides. Source: facts/sql-http.md 3.6; PostgreSQL 17, 53.8.

import type { CodeName, ErrorExtra, GatewayError } from '../../base/errors.js'

export type Severity = 'ERROR' | 'FATAL' | 'PANIC' | 'WARNING' | 'NOTICE' | 'INFO'

export interface ErrorFields {
  readonly severity: Severity
  readonly sqlState: string
  readonly message: string
  readonly detail?: string | undefined
  readonly hint?: string | undefined
  /** In the statement: code points, from 1. */
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

const states: Partial<Record<CodeName, string>> = {
  InternalError: 'XX000',
  UnknownError: 'XX000',
  FailedToParse: '42601',
  Unauthorized: '42501',
  Unauthenticated: '28000',
  UserNotFound: '28000',
  AuthenticationFailed: '28P01',
  ReauthenticationRequired: '28000',
  MechanismUnavailable: '28000',
  TypeMismatch: '42804',
  ConversionFailure: '22P02',
  InvalidBSON: '22P02',
  Overflow: '54001',
  ProtocolError: '08P01',
  NamespaceNotFound: '42P01',
  IndexNotFound: '42704',
  NamespaceExists: '42P07',
  IndexOptionsConflict: '42P07',
  IndexKeySpecsConflict: '42P07',
  CursorNotFound: '34000',
  CommandNotFound: '42883',
  CommandNotSupported: '0A000',
  CommandNotSupportedOnView: '0A000',
  NotImplemented: '0A000',
  ImmutableField: '428C9',
  DuplicateKey: '23505',
  DocumentValidationFailure: '23514',
  WriteConflict: '40001',
  ConflictingOperationInProgress: '55006',
  LockTimeout: '55P03',
  NoSuchTransaction: '25P01',
  MaxTimeMSExpired: '57014',
  ExceededTimeLimit: '57014',
  Interrupted: '57014',
  CursorKilled: '57014',
  ShutdownInProgress: '57P01',
  InterruptedAtShutdown: '57P01',
  IngressRequestRateLimitExceeded: '53400',
  OutOfDiskSpace: '53100',
  ExceededMemoryLimit: '53200',
  QueryExceededMemoryLimitNoDiskUseAllowed: '53200',
  BSONObjectTooLarge: '54000',
  TransactionTooLarge: '54000',
}

/** 22023, a value that cannot be: what most refusals of the commands are. */
const refused = '22023'
const serverStatusMin = 500

export function sqlStateOf(error: GatewayError): string {
  const { sqlState } = error.extra
  if (typeof sqlState === 'string') return sqlState
  return states[error.kind] ?? (error.httpStatus >= serverStatusMin ? 'XX000' : refused)
}

/**
 * Fields of an error that is answered; its `extra` may name severity, hint, detail and position.
 * `isLast`: the connection closes behind it, as behind every error before the login is done.
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
  }
}

function textIn(extra: ErrorExtra, name: string): string | undefined {
  const value = extra[name]
  return typeof value === 'string' ? value : undefined
}
