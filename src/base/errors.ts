// The one error class and the one table of codes. Handlers throw `fail('DuplicateKey', …)`. Each
// listener turns the same object into its reply, by its column: a MongoDB reply, an HTTP body, a
// RESP line or the fields of PostgreSQL. Numbers and names follow MongoDB's published error codes.

import { messageCharsMax } from './limits/connections.js'

/** Columns with a default. */
interface Columns {
  /** Name in replies, if the row only gives a known code another HTTP status. */
  readonly repliesAs?: string
  /** SQLSTATE; the default is 22023 (invalid parameter value), or XX000 from HTTP status 500 on. */
  readonly state?: string
  /** First word of the Redis error line; the default is `ERR`. */
  readonly word?: string
  /** Error name in the routes of graph memory; the default is their name for the HTTP status. */
  readonly memory?: string
  /** The same command may succeed later. */
  readonly retry?: true
  /**
   * What a driver runs again after it: its `transaction`, its change `stream`, or with `any` these
   * and a single write, because the server is unreachable or shuts down.
   */
  readonly again?: 'transaction' | 'stream' | 'any'
  /**
   * What ends with the operation that failed: the `command` with its further operations, the
   * `program` of the key-value commands that run together, or `both`.
   */
  readonly ends?: 'command' | 'program' | 'both'
  /** The caller may no longer read, so a subscription or a blocked command ends. */
  readonly endsReading?: true
  /** The document wire answers and closes: client and server disagree on message bounds. */
  readonly closes?: true
}

export interface CodeRow extends Columns {
  /** Number that drivers branch on. */
  readonly code: number
  /** HTTP status of the same failure. */
  readonly http: number
}

function row(code: number, http: number, columns?: Columns): CodeRow {
  return { code, http, ...columns }
}

export const codes = {
  InternalError: row(1, 500, { ends: 'both' }),
  BadValue: row(2, 400),
  NoSuchKey: row(4, 400),
  GraphContainsCycle: row(5, 400),
  HostUnreachable: row(6, 503, {
    word: 'LOADING',
    memory: 'CHAIN_UNAVAILABLE',
    retry: true,
    again: 'any',
    endsReading: true,
  }),
  HostNotFound: row(7, 503, { retry: true, again: 'any' }),
  UnknownError: row(8, 500),
  FailedToParse: row(9, 400, { state: '42601' }),
  UserNotFound: row(11, 404, { state: '28000' }),
  UnsupportedFormat: row(12, 400),
  Unauthorized: row(13, 401, {
    state: '42501',
    word: 'NOPERM',
    ends: 'command',
    endsReading: true,
  }),
  TypeMismatch: row(14, 400, { state: '42804' }),
  Overflow: row(15, 400, { state: '54001' }),
  InvalidLength: row(16, 400),
  ProtocolError: row(17, 400, { state: '08P01', closes: true }),
  AuthenticationFailed: row(18, 401, { state: '28P01', word: 'WRONGPASS' }),
  IllegalOperation: row(20, 400, { state: '42809' }),
  InvalidBSON: row(22, 400, { state: '22P02' }),
  LockTimeout: row(24, 503, { state: '55P03', retry: true, again: 'transaction' }),
  NamespaceNotFound: row(26, 404, { state: '42P01' }),
  IndexNotFound: row(27, 404, { state: '42704' }),
  PathNotViable: row(28, 400),
  RoleNotFound: row(31, 404),
  CannotBackfillArray: row(34, 400, { state: '54000' }),
  ConflictingUpdateOperators: row(40, 400),
  CursorNotFound: row(43, 404, { state: '34000' }),
  NoMatchingDocument: row(47, 404),
  NamespaceExists: row(48, 409, { state: '42P07' }),
  MaxTimeMSExpired: row(50, 408, { state: '57014', memory: 'TIMEOUT', ends: 'both' }),
  ManualInterventionRequired: row(51, 500),
  DollarPrefixedFieldName: row(52, 400, { state: '42602' }),
  InvalidIdField: row(53, 400),
  NotSingleValueField: row(54, 400),
  EmptyFieldName: row(56, 400),
  DottedFieldName: row(57, 400),
  CommandNotFound: row(59, 404, { state: '42883', memory: 'ROUTE_NOT_FOUND' }),
  StaleShardVersion: row(63, 409, { again: 'stream' }),
  WriteConcernFailed: row(64, 503),
  ImmutableField: row(66, 400, { state: '428C9' }),
  CannotCreateIndex: row(67, 400, { state: '42P17' }),
  IndexAlreadyExists: row(68, 409),
  InvalidOptions: row(72, 400),
  InvalidNamespace: row(73, 400, { state: '42602' }),
  NoReplicationEnabled: row(76, 400),
  UnknownReplWriteConcern: row(79, 400),
  IndexOptionsConflict: row(85, 409, { state: '42P07' }),
  IndexKeySpecsConflict: row(86, 409, { state: '42P07' }),
  NetworkTimeout: row(89, 503, { retry: true, again: 'any' }),
  ShutdownInProgress: row(91, 503, {
    state: '57P01',
    word: 'LOADING',
    retry: true,
    again: 'any',
    ends: 'both',
  }),
  OperationFailed: row(96, 400),
  UnsatisfiableWriteConcern: row(100, 400),
  WriteConflict: row(112, 503, {
    state: '40001',
    word: 'TRYAGAIN',
    retry: true,
    again: 'transaction',
    ends: 'program',
  }),
  CommandNotSupported: row(115, 400, { state: '0A000' }),
  ConflictingOperationInProgress: row(117, 409, { state: '55006', retry: true }),
  DocumentValidationFailure: row(121, 400, { state: '23514' }),
  NotAReplicaSet: row(123, 400),
  CommandFailed: row(125, 400),
  FailedToSatisfyReadPreference: row(133, 503, { again: 'stream' }),
  ReadConcernMajorityNotAvailableYet: row(134, 503, { retry: true }),
  CappedPositionLost: row(136, 409, { state: '34000' }),
  JSInterpreterFailure: row(139, 400),
  ExceededMemoryLimit: row(146, 400, { state: '53200', word: 'OOM' }),
  StaleEpoch: row(150, 409, { again: 'stream' }),
  IncompatibleCollationVersion: row(161, 400),
  ViewDepthLimitExceeded: row(165, 400),
  CommandNotSupportedOnView: row(166, 400, { state: '0A000' }),
  OptionNotSupportedOnView: row(167, 400),
  InvalidPipelineOperator: row(168, 400),
  CannotIndexParallelArrays: row(171, 400),
  QueryPlanKilled: row(175, 409, { state: '55000' }),
  AmbiguousIndexKeyPattern: row(181, 400, { state: '42P09' }),
  InvalidViewDefinition: row(182, 400),
  ClientMetadataCannotBeMutated: row(186, 400),
  PrimarySteppedDown: row(189, 503, { retry: true, again: 'any' }),
  InvalidIndexSpecificationOption: row(197, 400),
  CannotBuildIndexKeys: row(201, 400),
  NoSuchSession: row(206, 404),
  IllegalOpMsgFlag: row(223, 400, { closes: true }),
  QueryFeatureNotAllowed: row(224, 400),
  TransactionTooOld: row(225, 409),
  IncompleteTransactionHistory: row(217, 409),
  TransactionTooLarge: row(257, 413, { state: '54000', memory: 'GRAPH_LIMIT', ends: 'program' }),
  TooManyDocumentSequences: row(233, 400, { closes: true }),
  MaxSubPipelineDepthExceeded: row(232, 400),
  RetryChangeStream: row(234, 503, { again: 'stream' }),
  CursorKilled: row(237, 400, { state: '57014' }),
  NotImplemented: row(238, 400, { state: '0A000' }),
  SnapshotTooOld: row(239, 503, {
    state: '72000',
    retry: true,
    again: 'transaction',
    ends: 'program',
  }),
  ConversionFailure: row(241, 400, { state: '22P02' }),
  SnapshotUnavailable: row(246, 503, { again: 'transaction' }),
  NoSuchTransaction: row(251, 404, { state: '25P01', again: 'transaction' }),
  TransactionCommitted: row(256, 409),
  ExceededTimeLimit: row(262, 503, { state: '57014', retry: true, again: 'any' }),
  OperationNotSupportedInTransaction: row(263, 400, { state: '0A000' }),
  TooManyLogicalSessions: row(261, 503, { retry: true }),
  FailPointSetFailed: row(266, 400),
  InvalidResumeToken: row(260, 400),
  PreparedTransactionInProgress: row(267, 409, { again: 'transaction' }),
  IndexBuildAborted: row(276, 409, { state: '57014' }),
  ChangeStreamFatalError: row(280, 400),
  ChangeStreamHistoryLost: row(286, 400),
  ChecksumMismatch: row(288, 400, { closes: true }),
  NoQueryExecutionPlans: row(291, 400),
  QueryExceededMemoryLimitNoDiskUseAllowed: row(292, 400, { state: '53200' }),
  APIVersionError: row(322, 400),
  APIStrictError: row(323, 400),
  MechanismUnavailable: row(334, 400, { state: '28000' }),
  UnsupportedOpQueryCommand: row(352, 400),
  CannotConvertIndexToUnique: row(359, 409),
  ReauthenticationRequired: row(391, 401, { state: '28000' }),
  IngressRequestRateLimitExceeded: row(462, 429, { state: '53400', word: 'BUSY', retry: true }),
  /** The number with which MongoDB Atlas refuses commands over a quota. */
  QuotaExceeded: row(8000, 507, { repliesAs: 'AtlasError', state: '53100', word: 'OOM' }),
  MethodNotAllowed: row(59, 405, { repliesAs: 'CommandNotFound', memory: 'METHOD_NOT_ALLOWED' }),
  Unauthenticated: row(13, 401, {
    repliesAs: 'Unauthorized',
    state: '28000',
    word: 'NOAUTH',
    endsReading: true,
  }),
  KeyConflict: row(2, 409, { repliesAs: 'BadValue', state: '23505' }),
  NoSuchProtocol: row(2, 404, { repliesAs: 'BadValue' }),
  ProtocolDisabled: row(115, 503, { repliesAs: 'CommandNotSupported', state: '57P03' }),
  /** In a transaction, which the client runs again. */
  TransactionConflict: row(112, 409, {
    repliesAs: 'WriteConflict',
    state: '40001',
    word: 'TRYAGAIN',
    again: 'transaction',
  }),
  ReadOnlyTransaction: row(263, 400, {
    repliesAs: 'OperationNotSupportedInTransaction',
    state: '25006',
  }),
  PreconditionFailed: row(112, 412, { repliesAs: 'WriteConflict' }),
  IdempotencyKeyInUse: row(112, 409, {
    repliesAs: 'WriteConflict',
    memory: 'IDEMPOTENCY_CONFLICT',
    retry: true,
  }),
  IdempotencyKeyReused: row(2, 422, { repliesAs: 'BadValue', memory: 'IDEMPOTENCY_CONFLICT' }),
  MisdirectedRequest: row(2, 421, { repliesAs: 'BadValue', memory: 'MISDIRECTED' }),
  UnsupportedMediaType: row(2, 415, { repliesAs: 'BadValue', memory: 'UNSUPPORTED_MEDIA_TYPE' }),
  NodeNotFound: row(47, 404, { repliesAs: 'NoMatchingDocument', memory: 'NODE_NOT_FOUND' }),
  EdgeNotFound: row(47, 404, { repliesAs: 'NoMatchingDocument', memory: 'EDGE_NOT_FOUND' }),
  GraphNotFound: row(26, 404, { repliesAs: 'NamespaceNotFound', memory: 'GRAPH_NOT_FOUND' }),
  GraphLimit: row(257, 413, { repliesAs: 'TransactionTooLarge', memory: 'GRAPH_LIMIT' }),
  MemoryTooLarge: row(10334, 413, { repliesAs: 'BSONObjectTooLarge' }),
  AlreadyExists: row(48, 409, { repliesAs: 'NamespaceExists', memory: 'ALREADY_EXISTS' }),
  SocketException: row(9001, 503, { again: 'any' }),
  BSONObjectTooLarge: row(10334, 413, { state: '54000' }),
  NotWritablePrimary: row(10107, 503, { retry: true, again: 'any' }),
  DuplicateKey: row(11000, 409, { state: '23505' }),
  InterruptedAtShutdown: row(11600, 503, {
    state: '57P01',
    retry: true,
    again: 'any',
    ends: 'command',
  }),
  Interrupted: row(11601, 503, { state: '57014', ends: 'both' }),
  InterruptedDueToReplStateChange: row(11602, 503, { retry: true, again: 'any' }),
  CursorInUse: row(12051, 409, { state: '55006' }),
  DatabaseDifferCase: row(13297, 400),
  NotPrimaryNoSecondaryOk: row(13435, 503, { retry: true, again: 'any' }),
  NotPrimaryOrSecondary: row(13436, 503, { retry: true, again: 'any' }),
  OutOfDiskSpace: row(14031, 503, { state: '53100', word: 'MISCONF', ends: 'both' }),
  SearchNotEnabled: row(31082, 400),
  /** An unknown section in a message. */
  Location40432: row(40432, 400, { closes: true }),
} as const satisfies Record<string, CodeRow>

/** A row of the table, or `Location<number>` for MongoDB's numbered codes without a name. */
export type CodeName = keyof typeof codes | `Location${number}`

/** Undefined for a number without a name. */
export function codeRow(kind: CodeName): CodeRow | undefined {
  return (codes as Record<string, CodeRow>)[kind]
}

/** Further fields of an error reply (keyPattern, index …); the listener encodes their values. */
export type ErrorExtra = Readonly<Record<string, unknown>>

function shortened(message: string): string {
  return message.length <= messageCharsMax ? message : `${message.slice(0, messageCharsMax)}…`
}

export class GatewayError extends Error {
  readonly code: number
  /** The name in replies. */
  readonly codeName: string
  /** The row of the table. */
  readonly kind: CodeName
  readonly extra: ErrorExtra
  /** The metrics have it: a route may throw again what a bus has counted. */
  isCounted = false

  constructor(kind: CodeName, message: string, extra: ErrorExtra = {}, cause?: unknown) {
    super(shortened(message), cause === undefined ? undefined : { cause })
    const known = codeRow(kind)
    this.name = 'GatewayError'
    this.kind = kind
    this.codeName = known?.repliesAs ?? kind
    this.code = known?.code ?? Number(kind.slice('Location'.length))
    this.extra = extra
  }

  /**
   * HTTP status: that of the table, 400 for numbered codes, 403 if a known identity lacks a right.
   * `Unauthenticated` is always 401, because the identity itself is invalid.
   */
  get httpStatus(): number {
    if (this.kind === 'Unauthorized' && this.extra.reason !== undefined) return 403
    return codeRow(this.kind)?.http ?? 400
  }
}

/** Makes the error to throw: `throw fail('BadValue', "unknown operator: $foo")`. */
export function fail(kind: CodeName, message: string, extra?: ErrorExtra): GatewayError {
  const error = new GatewayError(kind, message, extra)
  Error.captureStackTrace(error, fail)
  return error
}

/**
 * Converts any thrown value to a GatewayError. A foreign error becomes InternalError with its
 * cause.
 */
export function toGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown
  return new GatewayError('InternalError', 'internal error', {}, thrown)
}

/** Replacements for texts that otherwise quote stored data. */
const unquotedTexts: Partial<Record<CodeName, string>> = {
  DuplicateKey: 'E11000 duplicate key error',
  DocumentValidationFailure: 'Document failed validation',
  PathNotViable: 'Cannot create a field in an element that is no document',
}

/** The same failure for a caller who may not read the document: with its code, without values. */
export function unquoted(error: unknown): unknown {
  if (!(error instanceof GatewayError)) return error
  const text = unquotedTexts[error.kind] ?? 'a stored document does not take this change'
  return new GatewayError(error.kind, text)
}

/** As unquoted, only for the failures that always quote stored data. */
export function unquotedKeys(error: GatewayError): GatewayError {
  const { kind } = error
  const quotes = kind in unquotedTexts || kind === 'CannotConvertIndexToUnique'
  return quotes ? new GatewayError(kind, unquotedTexts[kind] ?? error.message) : error
}

/** For bugs in Sigil, never for errors of a client. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`)
}

const kinds = new Map(
  Object.entries(codes as Record<string, CodeRow>)
    .filter(([, known]) => known.repliesAs === undefined)
    .map(([name, known]) => [known.code, name as CodeName]),
)

/** Whether the thrown value is a failure of one of these rows. */
export function hasKind(thrown: unknown, ...kinds: readonly CodeName[]): boolean {
  return thrown instanceof GatewayError && kinds.includes(thrown.kind)
}

/** What ends with the operation that failed; undefined for nothing more. */
export function endsOf(thrown: unknown): CodeRow['ends'] {
  return thrown instanceof GatewayError ? codeRow(thrown.kind)?.ends : undefined
}

export function endsReading(thrown: unknown): boolean {
  return thrown instanceof GatewayError && codeRow(thrown.kind)?.endsReading === true
}

/** The row of a number; `Location<number>` if it has no name. */
export function kindOf(code: number): CodeName {
  return kinds.get(code) ?? `Location${code}`
}
