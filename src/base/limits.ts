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

/** Work of one program in one tick: whichever comes first (facts/storage.md 9, rule 1). */
export const tickMsMax = 4
export const tickEntriesMax = 2_000
/** Entries of one scan step. */
export const scanEntriesMax = 1_000
/** What one write program may hold (rule 1). */
export const programPutsMax = 5_000
export const programBytesMax = 8 * MiB
/** Documents changed by one program of a sweep (rule 2). */
export const sweepDocumentsMax = 100
/** Keys that a sweep collects before it changes anything (rule 3), bytes. */
export const sweepKeysBytesMax = 64 * MiB
/** Programs and milliseconds of one write group. */
export const groupProgramsMax = 64
export const groupMsMax = 2
export const groupBytesMax = 4 * MiB
/** Runs of one write program before WriteConflict is answered. */
export const programRunsMax = 16
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
/** Commands longer than this are logged with their shape. */
export const slowCommandMs = 100
/** A graceful stop waits this long for commands in flight. */
export const shutdownMsMax = 4_000
/** A socket whose unsent replies pass this is not read from until it drains, bytes. */
export const socketBacklogBytesMax = 1 * MiB
/** Pieces of a filter, pipeline or update: depth of nesting, and stages. */
export const expressionDepthMax = 100
export const pipelineStagesMax = 1_000
/** Regular expression source, characters (peer: 32,764). */
export const regexCharsMax = 32_764
