// The SQLSTATE of every error: what threw it may have named one in its `extra`; else its row of the
// code table decides. Both the SQL route and the PostgreSQL listener answer it.
// Source: PostgreSQL 17, appendix A.

import type { CodeName, GatewayError } from './errors.js'
import { isTooMuchWork } from './work/work-budget.js'

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
  ProtocolDisabled: '57P03',
  ShutdownInProgress: '57P01',
  InterruptedAtShutdown: '57P01',
  IngressRequestRateLimitExceeded: '53400',
  OutOfDiskSpace: '53100',
  QuotaExceeded: '53100',
  ExceededMemoryLimit: '53200',
  QueryExceededMemoryLimitNoDiskUseAllowed: '53200',
  BSONObjectTooLarge: '54000',
  Location17419: '54000',
  CannotBackfillArray: '54000',
  InvalidNamespace: '42602',
  DollarPrefixedFieldName: '42602',
  IllegalOperation: '42809',
  CannotCreateIndex: '42P17',
  AmbiguousIndexKeyPattern: '42P09',
  KeyConflict: '23505',
  SnapshotTooOld: '72000',
  QueryPlanKilled: '55000',
  IndexBuildAborted: '57014',
  CursorInUse: '55006',
  CappedPositionLost: '34000',
  Location51091: '2201B',
  TransactionTooLarge: '54000',
}

/** 22023, a value that cannot be: what most refusals of the commands are. */
const refused = '22023'
const serverStatusMin = 500

/** Five characters that PostgreSQL's clients switch on. */
export function sqlStateOf(error: GatewayError): string {
  const { sqlState } = error.extra
  if (typeof sqlState === 'string') return sqlState
  // A bound of the program, not a time that the client has set.
  if (isTooMuchWork(error)) return '54000'
  return states[error.kind] ?? (error.httpStatus >= serverStatusMin ? 'XX000' : refused)
}
