// Every bound of Sigil, with its unit, its reason and where it comes from. A number that stands
// anywhere else in the code is a mistake. Units come last in the name.

import { assert } from './errors.js'

const KiB = 1024
const MiB = 1024 * KiB

/** Stored document, bytes. The peer's maxBsonObjectSize. */
export const documentBytesMax = 16 * MiB
/** Command document: a stored document and what surrounds it (peer: BSONObjMaxInternalSize). */
export const commandBytesMax = documentBytesMax + 16 * KiB
/** One wire message or HTTP body, bytes (peer: maxMessageSizeBytes). */
export const messageBytesMax = 48_000_000
/** Bytes of a message that are validated in one tick: some 4 ms. */
export const parseStepBytes = 2 * MiB
/** Kind 1 sections of one message (peer: code 233). */
export const messageSequencesMax = 2
/** Compressed messages above this are inflated and deflated off the main thread, bytes. */
export const inlineZlibBytesMax = 64 * KiB
/** Before login a client has nothing large to say. */
export const anonymousMessageBytesMax = 16 * KiB
/** Operations of one write command (peer: maxWriteBatchSize). */
export const writeBatchMax = 100_000
/** Nesting of BSON that the parser follows (peer: 200, code 15). */
export const bsonDepthMax = 200
/** Nesting of what is stored; conforming clients stop here. */
export const documentDepthMax = 100
/** First batch of find and aggregate when the client names none (peer). */
export const firstBatchDocuments = 101
/** Page of the HTTP routes: default and largest (DESIGN.md). */
export const httpPageDefault = 100
export const httpPageMax = 10_000
/** Documents of one batch of an NDJSON stream: what is held while a slow client reads. */
export const streamBatchDocuments = 500

/** Work of one program in one tick: whichever comes first (facts/storage.md 9, rule 1). */
export const tickMsMax = 4
export const tickEntriesMax = 2_000
/** Entries of one scan step. */
export const scanEntriesMax = 1_000
/** Entries of a query's first step where a filter decides, and bytes that a step is sized for. */
export const scanFirstEntries = 100
export const scanBytesTarget = 4 * MiB
/** Answers that one batch of a $lookup remembers, bytes. */
export const lookupCacheBytesMax = 16 * MiB
/** Indexes whose uses are counted for $indexStats. */
export const indexUseMax = 10_000
/** Documents that one stage of a query hands to the next at a time. */
export const pullDocumentsMax = 500
/** Key ranges that the bounds of a compound index may multiply to; further fields are filtered. */
export const planSpansMax = 10_000
/** Points of a unique index up to which they beat every other plan. */
export const uniquePointsMax = 1_000
/** What one write program may hold (rule 1). */
export const programPutsMax = 5_000
export const programBytesMax = 8 * MiB
/** Documents changed by one program of a sweep (rule 2). */
export const sweepDocumentsMax = 100
/** Bytes of documents after which a program of a sweep ends: half of programBytesMax and less. */
export const sweepBytesTarget = 2 * MiB
/** Keys that a sweep collects before it changes anything (rule 3), bytes. */
export const sweepKeysBytesMax = 64 * MiB
/** Programs and milliseconds of one write group. */
export const groupProgramsMax = 64
export const groupMsMax = 2
export const groupBytesMax = 4 * MiB
/** Runs of one write program before WriteConflict is answered. */
export const programRunsMax = 16
/** Searches of one update or findAndModify whose choice kept changing before WriteConflict. */
export const modifyRunsMax = 16
/** Entries that an upsert looks at again before it inserts: more would be a search. */
export const upsertRecheckMax = 100
/** Snapshot reads: age and number. */
export const snapshotMsMax = 5_000
export const snapshotsMax = 64

/** Store key, bytes. LMDB with 4 KiB pages takes 1,978, a PostgreSQL btree row 2,704. */
export const keyBytesMax = 1_900
assert(keyBytesMax < 1_978, 'a key must fit every store')
/** Encoded primary key, bytes; longer ones keep a prefix and a SHA-256 (rule 8). */
export const recordKeyBytesMax = 512
export const recordKeyPrefixBytes = 480
assert(recordKeyPrefixBytes + 32 === recordKeyBytesMax, 'prefix and SHA-256 fill a record key')
/** Encoded fields of one index entry, bytes; the same scheme beyond (rule 8). */
export const entryFieldsBytesMax = 1_300
assert(entryFieldsBytesMax + recordKeyBytesMax + 6 <= keyBytesMax, 'an entry must fit a key')

/** Values above this are staged in chunks (rule 13), bytes. */
export const inlineValueBytesMax = 256 * KiB
export const chunkBytes = 128 * KiB
/** Chunks put by one program: half a MiB takes LMDB about 4 ms. */
export const chunksPerProgram = 4

/** Indexes of a collection, fields of an index (peer). */
export const indexesMax = 64
export const indexFieldsMax = 32
/** `db.collection`, bytes of UTF-8 (peer); database name alone. */
export const namespaceBytesMax = 255
export const databaseNameBytesMax = 63
/** Array positions that an update may fill with null (peer: code 34). */
export const arrayBackfillMax = 1_500_000

/** Memory of one sort or group without spilling, bytes (peer). */
export const blockingBytesMax = 100 * MiB
/** Values of one distinct reply, bytes (peer: code 17217). */
export const distinctBytesMax = 16 * MiB
/** Bytes of documents in one reply batch (peer). */
export const batchBytesMax = 16 * MiB
/** Idle cursors are closed after this (peer), and an identity may hold so many. */
export const cursorIdleMs = 10 * 60_000
export const cursorsPerIdentityMax = 1_000
/** Idle logical sessions (peer: logicalSessionTimeoutMinutes). */
export const sessionIdleMinutes = 30

/** SCRAM: iterations (API document), salt and nonce bytes, lifetime of a conversation, tries. */
export const scramIterations = 4_096
export const scramNonceBytes = 24
export const conversationMsMax = 30_000
export const authFailuresPerConnectionMax = 5
/** Sockets that have not logged in: how many, and how long they may stay silent. */
export const anonymousSocketsMax = 1_000
export const anonymousIdleMs = 60_000
/** Requests of one address in one window (API document), and how many addresses are remembered. */
export const requestsPerWindowMax = 100
export const requestWindowMs = 10_000
export const addressesTrackedMax = 100_000
/** What a driver says of itself in hello and currentOp shows, bytes; drivers stay below 512. */
export const clientMetadataBytesMax = 4 * KiB
/** Sockets of the document wire; each costs about 20 KiB beside its requests. */
export const wireConnectionsMax = 10_000
/** Messages above this wait for room in the memory budget, bytes; smaller ones only count. */
export const smallMessageBytesMax = 64 * KiB
/** A large message that stops arriving, or a closing socket whose last reply nobody takes. */
export const messageStallMs = 30_000
/**
 * Replies beyond the backlog that nobody takes hold memory of others: then the socket is closed.
 */
export const replyStallMs = 5 * 60_000
/** Silence after which TCP asks whether the other side is still there (peer: 120 s). */
export const tcpKeepAliveMs = 60_000
/** A graceful stop waits this long for commands in flight. */
export const shutdownMsMax = 4_000
/** A socket whose unsent replies pass this is not read from until it drains, bytes. */
export const socketBacklogBytesMax = 1 * MiB
/** Pieces of a filter, pipeline or update: depth of nesting, and stages. */
export const expressionDepthMax = 100
export const pipelineStagesMax = 1_000
/** Pipelines inside pipelines (peer: 20, code 232). */
export const subPipelineDepthMax = 20
/** A value that an expression makes, bytes: joins in a loop would double it without end. */
export const expressionBytesMax = 64 * MiB
/** Elements that the loops of one document's expressions may visit: nested ones multiply. */
export const expressionStepsMax = 2_000_000
/** Documents that a transform emits in one bounded step. */
export const stepDocumentsMax = 500
/** Regular expression source, characters (peer: 32,764). */
export const regexCharsMax = 32_764
/**
 * HTTP: request headers, bytes; time to receive a request; keep-alive above a proxy's idle time.
 */
export const headerBytesMax = 16 * KiB
export const requestMsMax = 60_000
export const keepAliveMs = 75_000
/** Decoded collection descriptors kept: how many, and their bytes. */
export const descriptorCacheMax = 10_000
export const descriptorCacheBytesMax = 16 * MiB
/** `sigil import`: documents and bytes of text of one request. */
export const importBatchDocuments = 1_000
export const importBatchBytesMax = 16 * MiB
/** Requests of an import under way at once: one is parsed while another is written. */
export const importRequestsMax = 3
/** Background work at a time (rule 14): records, and about so many bytes of them. */
export const backgroundRecordsMax = 50
export const backgroundBytesTarget = 512 * KiB
/** Lateness of the event loop that tells of other work; the longest rest that is taken then. */
export const backgroundBusyMs = 2
export const backgroundRestMsMax = 100
/** Between looks for dropped ranges when there are none. */
export const garbagePollMs = 1_000
/**
 * Chunks of a replaced value stay readable for so long: longer than any read stays on one state.
 */
export const chunkGraceMs = 2 * snapshotMsMax
/** Entries that one step of an index build puts before it ends. */
export const buildEntriesTarget = 1_000
/** One index specification, bytes: all of a collection's must fit its descriptor. */
export const indexSpecBytesMax = 2 * KiB
assert(indexesMax * indexSpecBytesMax < inlineValueBytesMax, 'a descriptor is one record')
/** An operator's key of fewer characters is warned about, and refused on a network. */
export const operatorKeyCharsMin = 32
/** What a body of unknown length is counted as until it has come, bytes. */
export const unannouncedBodyBytes = 64 * KiB
/** Between looks for idle cursors. */
export const cursorLookMs = 10_000
/** Text of a decimal, characters: 34 digits and the zeros that an exponent of 6,176 may need. */
export const decimalCharsMax = 16_384
