// Bounds of the document protocol: documents and messages, writes, collections, indexes, queries
// and cursors. "Reference server" is MongoDB 7.0; the error of its own bound is the same here.

import { assert } from '../errors.js'
import { KiB, MiB } from '../units.js'
import { programPutsMax } from './engine.js'
import { inlineValueBytesMax } from './store.js'

// Documents and messages

/** Stored document, bytes: BSONObjectTooLarge. The reference server's maxBsonObjectSize. */
export const documentBytesMax = 16 * MiB
/**
 * Command document: a stored document and the fields around it: BSONObjectTooLarge (reference
 * server: BSONObjMaxInternalSize).
 */
export const commandBytesMax = documentBytesMax + 16 * KiB
/**
 * A change event: BSONObjectTooLarge, or a fragment (reference server). A document of the largest
 * size has room in it.
 */
export const changeEventBytesMax = documentBytesMax + 8 * KiB
/**
 * One wire message or HTTP body, bytes (reference server: maxMessageSizeBytes). A larger message
 * closes the connection; a larger body gets BSONObjectTooLarge.
 */
export const messageBytesMax = 48_000_000
/** Kind 1 sections of one message: TooManyDocumentSequences (reference server). */
export const messageSequencesMax = 2
/** A message before login, bytes: a login needs no large one. The connection is closed. */
export const anonymousMessageBytesMax = 16 * KiB
/** Nesting of BSON that the parser follows: Overflow (reference server: 200). */
export const bsonDepthMax = 200
/**
 * Digits of a JSON number before its point, behind it, and in its exponent (BadValue): its value is
 * a double, of which 17 digits tell all.
 */
export const jsonDigitsMax = 8_192
/** Nesting of a stored document: Overflow. Conforming clients stop here. */
export const documentDepthMax = 100
/** Text of a decimal, characters: BadValue. 34 digits and the zeros of an exponent of 6,176. */
export const decimalCharsMax = 16_384
/** Client metadata in hello, which currentOp shows, bytes. A longer one is ignored. */
export const clientMetadataBytesMax = 4 * KiB
/** Lifetime of an idle logical session (reference server: logicalSessionTimeoutMinutes). */
export const sessionIdleMinutes = 30
/** Bytes of a command that currentOp shows whole; of a longer one it shows the shape. */
export const shownCommandBytesMax = 16_384

// Writes

/** Operations of one write command: InvalidLength (reference server: maxWriteBatchSize). */
export const writeBatchMax = 100_000
/**
 * So many operations of a sequence, or bytes of a body with them, are parsed in turns before their
 * command begins: 10,000 take 4 ms. Any other command with so long a body begins in a turn of its
 * own.
 */
export const operationsAheadMin = 10_000
export const operationsAheadBytes = 256 * 1024
/** Array positions that an update may fill with null: CannotBackfillArray (reference server). */
export const arrayBackfillMax = 1_500_000
/**
 * Searches of one update or findAndModify before WriteConflict because its document kept changing.
 * At least one search succeeds in each round, so only thousands of clients reach this; the
 * command's time limit comes first.
 */
export const modifyRunsMax = 10_000

/**
 * How long the record of a session's retryable writes lives at least, and when it is renewed,
 * milliseconds: a write of a session in use renews it once in ten minutes.
 */
export const retryRecordMs = (sessionIdleMinutes + 10) * 60_000
export const retryRenewMs = sessionIdleMinutes * 60_000
/**
 * A longer answer of findAndModify, and a longer `_id` of an upsert, is not kept: a retry gets
 * IncompleteTransactionHistory.
 */
export const retryAnswerBytesMax = inlineValueBytesMax / 2
export const retryIdBytesMax = 1 * KiB
/**
 * Sessions with retryable writes, of one owner and in all: TooManyLogicalSessions. Each leaves a
 * record of about 150 bytes in the store. A driver has as many as it runs operations at once.
 */
export const writeSessionsOfOwnerMax = 10_000
export const writeSessionsMax = 100_000
/**
 * Transactions unknown to this server whose abort an owner can make it record within the life of a
 * session, where other servers share the store: TooManyLogicalSessions.
 */
export const abortPromisesOfOwnerMax = 10_000

/**
 * States that reads with readConcern snapshot share, in all and of one owner; each is a
 * transaction. The oldest of the owner with most of them ends: SnapshotTooOld.
 */
export const snapshotReadsMax = 64
export const snapshotReadsOfOwnerMax = 16

// Collections and views

/** `db.collection`, bytes of UTF-8; its database alone: InvalidNamespace (reference server). */
export const namespaceBytesMax = 255
export const databaseNameBytesMax = 63
/** Options of a collection, bytes: BSONObjectTooLarge. Each command on it compares them. */
export const collectionOptionsBytesMax = 1024 * 1024
/**
 * Bytes of a capped collection: least, rounding and most; its most documents: BadValue (reference
 * server).
 */
export const cappedBytesMin = 4_096
export const cappedBytesStep = 256
export const cappedBytesMax = 2 ** 50
export const cappedDocumentsMax = 2 ** 31 - 1
/** Records and entries that one insert may evict from a capped collection; later ones go on. */
export const cappedEvictionsMax = programPutsMax / 2
/**
 * Span and rounding of a time-series collection's buckets, seconds: a year, else Location51024
 * (reference server).
 */
export const seriesSpanSecondsMax = 31_536_000
/** Measurements and bytes of one bucket that `system.buckets.<name>` shows (reference server). */
export const bucketMeasurementsMax = 1_000
export const bucketBytesMax = 128_000
/** Interval of the sweep for expired documents: half of the reference server's. */
export const documentExpirySweepMs = 30_000
/** Views on views: ViewDepthLimitExceeded (reference server: kMaxViewDepth). */
export const viewDepthMax = 20
/**
 * Names that a view reads, through other views too, and bytes of their pipelines:
 * ViewDepthLimitExceeded.
 */
export const viewSourcesMax = 1_000
export const viewPipelineBytesMax = 16 * 1024 * 1024
/**
 * Details of a failed validation: bytes in all, values of one path, levels (reference server). Of a
 * larger report the reply has a shorter form.
 */
export const validationErrorBytesMax = 12 * 1024 * 1024
export const consideredValuesMax = 10
export const validationErrorDepthMax = 200
/** Such details in one reply, bytes; later failures have only their code. */
export const validationErrorsBytesMax = 8 * 1024 * 1024

// Indexes

/** Indexes of a collection: CannotCreateIndex (reference server). */
export const indexesMax = 64
/** Fields of an index: CannotCreateIndex; of a sort: BadValue (reference server). */
export const indexFieldsMax = 32
/** One index specification, bytes: CannotCreateIndex. A descriptor has all of a collection. */
export const indexSpecBytesMax = 2 * KiB
assert(indexesMax * indexSpecBytesMax < inlineValueBytesMax, 'a descriptor is one record')
/**
 * Entries of one document in a wildcard index: CannotBuildIndexKeys. One program writes them
 * (reference server: 100,000).
 */
export const wildcardEntriesMax = programPutsMax - 100
/**
 * Array paths that a wildcard index distinguishes: their number, and their bytes of UTF-8. Above
 * these bounds a query filters more documents.
 */
export const wildcardArrayPathsMax = 32
export const wildcardArrayPathsBytesMax = KiB
/** Age of documents in a TTL index, seconds: CannotCreateIndex (reference server: an int32). */
export const expireAfterSecondsMax = 2_147_483_647
/** Bytes of the listed ids of documents that prevent a unique index; the rest is left out. */
export const violationsBytesMax = 8 * 1024 * 1024

// Queries

/** First batch of find and aggregate if the client sets none (reference server). */
export const firstBatchDocuments = 101
/** Bytes of documents in one reply batch (reference server); the next batch has the rest. */
export const batchBytesMax = 16 * MiB
/** Values of one distinct reply, bytes: Location17217 (reference server). */
export const distinctBytesMax = 16 * MiB
/** Nesting of a filter or schema: BadValue; of an expression: Overflow. */
export const expressionDepthMax = 100
/** Stages of a pipeline: Location7749501. */
export const pipelineStagesMax = 1_000
/** Pipelines inside pipelines: MaxSubPipelineDepthExceeded (reference server: 20). */
export const subPipelineDepthMax = 20
/** A value of an expression, bytes: BSONObjectTooLarge. Concatenation in a loop doubles it. */
export const expressionBytesMax = 64 * MiB
/** Most bytes that are written as one value, whatever it is made of. */
export const writtenBytesMax = 256 * MiB
/** Regular expression source, characters: Location51091 (reference server: 32,764). */
export const regexCharsMax = 32_764
/** Instructions of its program, with counted items written out: Location51091. */
export const regexProgramMax = 35_000
/** Documents that one $densify may add: Location5897900 (reference server). */
export const densifyDocumentsMax = 500_000
/**
 * Memory of one sort or group without spilling, bytes: ExceededMemoryLimit where it cannot spill
 * (reference server).
 */
export const blockingBytesMax = 100 * MiB
/**
 * Bytes on disk that the sorts and groups of one command may spill, and those of all commands:
 * temporary files share the disk with the store. OutOfDiskSpace.
 */
export const spillBytesMax = 4 * 1_024 * MiB
export const spillBytesOfAllMax = 16 * 1_024 * MiB
/** Spilled bytes of one wallet or of the operator, so that others keep room: OutOfDiskSpace. */
export const spillBytesOfOwnerMax = 8 * 1_024 * MiB
/**
 * Time of a thread that computes a document too large for one turn of a read, milliseconds:
 * MaxTimeMSExpired. `maxTimeMS` ends it sooner. An aggregation over one document of 16 MiB takes
 * 1 to 2 s.
 */
export const heavyDocumentMsMax = 30_000
/**
 * Heap and buffers of such a thread, bytes: ExceededMemoryLimit. It has a document, its result and
 * the values in between.
 */
export const heavyDocumentBytesMax = 512 * MiB
/** Members in one page of keyMembers, and the bytes that end a page; the reply has a cursor. */
export const keyMembersMax = 10_000
export const keyMembersBytesMax = 4 * MiB

// Cursors

/** Wait of a getMore without maxTimeMS (reference server). */
export const awaitDataMs = 1_000
/**
 * Longest wait of an awaited hello, and least time between two replies of its stream, milliseconds.
 * A shorter wait than asked for is a repeated reply to the client.
 */
export const helloAwaitMsMax = 30_000
export const helloStreamMsMin = 500
/** The getMores that may wait: ExceededMemoryLimit. */
export const awaitingCursorsMax = 10_000
/** Idle time after which a cursor is closed (reference server): then CursorNotFound. */
export const cursorIdleMs = 10 * 60_000
/** Cursors of a wallet by default: ExceededMemoryLimit. */
export const cursorsPerOwnerMax = 1_000
