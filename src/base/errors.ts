// The one error class and the one table of codes. Handlers throw `fail('DuplicateKey', …)`;
// listeners turn the same object into a document-wire reply, an HTTP body or a RESP line.
// Numbers and names follow the document database's published error codes.

interface CodeRow {
  /** Number that drivers switch on. */
  readonly code: number
  /** HTTP status of the same failure. */
  readonly http: number
  /** Name in replies, where a row only gives a known code another status. */
  readonly repliesAs?: string
}

function row(code: number, http: number, repliesAs?: string): CodeRow {
  return repliesAs === undefined ? { code, http } : { code, http, repliesAs }
}

export const codes = {
  InternalError: row(1, 500),
  BadValue: row(2, 400),
  NoSuchKey: row(4, 400),
  GraphContainsCycle: row(5, 400),
  HostUnreachable: row(6, 503),
  HostNotFound: row(7, 503),
  UnknownError: row(8, 500),
  FailedToParse: row(9, 400),
  UserNotFound: row(11, 404),
  UnsupportedFormat: row(12, 400),
  Unauthorized: row(13, 401),
  TypeMismatch: row(14, 400),
  Overflow: row(15, 400),
  InvalidLength: row(16, 400),
  ProtocolError: row(17, 400),
  AuthenticationFailed: row(18, 401),
  IllegalOperation: row(20, 400),
  InvalidBSON: row(22, 400),
  LockTimeout: row(24, 503),
  NamespaceNotFound: row(26, 404),
  IndexNotFound: row(27, 404),
  PathNotViable: row(28, 400),
  RoleNotFound: row(31, 404),
  CannotBackfillArray: row(34, 400),
  ConflictingUpdateOperators: row(40, 400),
  CursorNotFound: row(43, 404),
  NoMatchingDocument: row(47, 404),
  NamespaceExists: row(48, 409),
  MaxTimeMSExpired: row(50, 408),
  ManualInterventionRequired: row(51, 500),
  DollarPrefixedFieldName: row(52, 400),
  InvalidIdField: row(53, 400),
  NotSingleValueField: row(54, 400),
  EmptyFieldName: row(56, 400),
  DottedFieldName: row(57, 400),
  CommandNotFound: row(59, 404),
  WriteConcernFailed: row(64, 503),
  ImmutableField: row(66, 400),
  CannotCreateIndex: row(67, 400),
  IndexAlreadyExists: row(68, 409),
  InvalidOptions: row(72, 400),
  InvalidNamespace: row(73, 400),
  NoReplicationEnabled: row(76, 400),
  UnknownReplWriteConcern: row(79, 400),
  IndexOptionsConflict: row(85, 409),
  IndexKeySpecsConflict: row(86, 409),
  NetworkTimeout: row(89, 503),
  ShutdownInProgress: row(91, 503),
  OperationFailed: row(96, 400),
  UnsatisfiableWriteConcern: row(100, 400),
  WriteConflict: row(112, 503),
  CommandNotSupported: row(115, 400),
  ConflictingOperationInProgress: row(117, 409),
  DocumentValidationFailure: row(121, 400),
  NotAReplicaSet: row(123, 400),
  CommandFailed: row(125, 400),
  ReadConcernMajorityNotAvailableYet: row(134, 503),
  CappedPositionLost: row(136, 409),
  JSInterpreterFailure: row(139, 400),
  ExceededMemoryLimit: row(146, 400),
  IncompatibleCollationVersion: row(161, 400),
  ViewDepthLimitExceeded: row(165, 400),
  CommandNotSupportedOnView: row(166, 400),
  OptionNotSupportedOnView: row(167, 400),
  InvalidPipelineOperator: row(168, 400),
  CannotIndexParallelArrays: row(171, 400),
  QueryPlanKilled: row(175, 409),
  AmbiguousIndexKeyPattern: row(181, 400),
  InvalidViewDefinition: row(182, 400),
  ClientMetadataCannotBeMutated: row(186, 400),
  PrimarySteppedDown: row(189, 503),
  InvalidIndexSpecificationOption: row(197, 400),
  CannotBuildIndexKeys: row(201, 400),
  NoSuchSession: row(206, 404),
  IllegalOpMsgFlag: row(223, 400),
  QueryFeatureNotAllowed: row(224, 400),
  TransactionTooLarge: row(257, 413),
  TooManyDocumentSequences: row(233, 400),
  MaxSubPipelineDepthExceeded: row(232, 400),
  CursorKilled: row(237, 400),
  NotImplemented: row(238, 400),
  SnapshotTooOld: row(239, 503),
  ConversionFailure: row(241, 400),
  NoSuchTransaction: row(251, 400),
  ExceededTimeLimit: row(262, 503),
  FailPointSetFailed: row(266, 400),
  IndexBuildAborted: row(276, 409),
  ChecksumMismatch: row(288, 400),
  NoQueryExecutionPlans: row(291, 400),
  QueryExceededMemoryLimitNoDiskUseAllowed: row(292, 400),
  APIVersionError: row(322, 400),
  APIStrictError: row(323, 400),
  MechanismUnavailable: row(334, 400),
  UnsupportedOpQueryCommand: row(352, 400),
  CannotConvertIndexToUnique: row(359, 409),
  ReauthenticationRequired: row(391, 401),
  IngressRequestRateLimitExceeded: row(462, 429),
  /** The number by which a hosted service of the peer's refuses what is over a quota. */
  QuotaExceeded: row(8000, 507, 'AtlasError'),
  MethodNotAllowed: row(59, 405, 'CommandNotFound'),
  Unauthenticated: row(13, 401, 'Unauthorized'),
  KeyConflict: row(2, 409, 'BadValue'),
  NoSuchProtocol: row(2, 404, 'BadValue'),
  ProtocolDisabled: row(115, 503, 'CommandNotSupported'),
  PreconditionFailed: row(112, 412, 'WriteConflict'),
  IdempotencyKeyInUse: row(112, 409, 'WriteConflict'),
  IdempotencyKeyReused: row(2, 422, 'BadValue'),
  MisdirectedRequest: row(2, 421, 'BadValue'),
  UnsupportedMediaType: row(2, 415, 'BadValue'),
  NodeNotFound: row(47, 404, 'NoMatchingDocument'),
  EdgeNotFound: row(47, 404, 'NoMatchingDocument'),
  GraphNotFound: row(26, 404, 'NamespaceNotFound'),
  GraphLimit: row(257, 413, 'TransactionTooLarge'),
  MemoryTooLarge: row(10334, 413, 'BSONObjectTooLarge'),
  AlreadyExists: row(48, 409, 'NamespaceExists'),
  BSONObjectTooLarge: row(10334, 413),
  NotWritablePrimary: row(10107, 503),
  DuplicateKey: row(11000, 409),
  InterruptedAtShutdown: row(11600, 503),
  Interrupted: row(11601, 503),
  InterruptedDueToReplStateChange: row(11602, 503),
  CursorInUse: row(12051, 409),
  DatabaseDifferCase: row(13297, 400),
  NotPrimaryNoSecondaryOk: row(13435, 503),
  NotPrimaryOrSecondary: row(13436, 503),
  OutOfDiskSpace: row(14031, 503),
  SearchNotEnabled: row(31082, 400),
} as const satisfies Record<string, CodeRow>

/** A row of the table, or `Location<number>` for the peer's numbered codes that have no name. */
export type CodeName = keyof typeof codes | `Location${number}`

/**
 * Further fields of an error reply (keyPattern, index …); the values are the listener's to encode.
 */
export type ErrorExtra = Readonly<Record<string, unknown>>

export class GatewayError extends Error {
  readonly code: number
  /** As replies print it. */
  readonly codeName: string
  /** The row of the table. */
  readonly kind: CodeName
  readonly extra: ErrorExtra

  constructor(kind: CodeName, message: string, extra: ErrorExtra = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    const known = (codes as Record<string, CodeRow>)[kind]
    this.name = 'GatewayError'
    this.kind = kind
    this.codeName = known?.repliesAs ?? kind
    this.code = known?.code ?? Number(kind.slice('Location'.length))
    this.extra = extra
  }

  /**
   * HTTP status: the table's, 400 for numbered codes; 403 where an identity is known but lacks a
   * right. `Unauthenticated` is 401 with whatever reason: the identity itself does not hold.
   */
  get httpStatus(): number {
    if (this.kind === 'Unauthorized' && this.extra.reason !== undefined) return 403
    return (codes as Record<string, CodeRow>)[this.kind]?.http ?? 400
  }
}

/** Makes the error to throw: `throw fail('BadValue', "unknown operator: $foo")`. */
export function fail(kind: CodeName, message: string, extra?: ErrorExtra): GatewayError {
  const error = new GatewayError(kind, message, extra)
  Error.captureStackTrace(error, fail)
  return error
}

/**
 * Any thrown thing as a GatewayError; what is not ours becomes InternalError with its cause kept.
 */
export function toGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown
  return new GatewayError('InternalError', 'internal error', {}, thrown)
}

/** Texts of failures that otherwise quote what is stored. */
const unquotedTexts: Partial<Record<CodeName, string>> = {
  DuplicateKey: 'E11000 duplicate key error',
  DocumentValidationFailure: 'Document failed validation',
  PathNotViable: 'Cannot create a field in an element that is no document',
}

/** The same failure for a caller who may not read the document: its number, and no value. */
export function unquoted(error: unknown): unknown {
  if (!(error instanceof GatewayError)) return error
  const text = unquotedTexts[error.kind] ?? 'a stored document does not take this change'
  return new GatewayError(error.kind, text)
}

/** As unquoted, of those failures alone that quote what is stored wherever they arise. */
export function unquotedKeys(error: GatewayError): GatewayError {
  const { kind } = error
  const quotes = kind in unquotedTexts || kind === 'CannotConvertIndexToUnique'
  return quotes ? new GatewayError(kind, unquotedTexts[kind] ?? error.message) : error
}

/** For our own mistakes, never for a client's. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`)
}

const kinds = new Map(
  Object.entries(codes as Record<string, CodeRow>)
    .filter(([, known]) => known.repliesAs === undefined)
    .map(([name, known]) => [known.code, name as CodeName]),
)

/** Whether what was thrown is a failure of one of these rows. */
export function hasKind(thrown: unknown, ...kinds: readonly CodeName[]): boolean {
  return thrown instanceof GatewayError && kinds.includes(thrown.kind)
}

/** The row of a number; `Location<number>` where it has no name. */
export function kindOf(code: number): CodeName {
  return kinds.get(code) ?? `Location${code}`
}
