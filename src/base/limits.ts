// Every bound that a user can meet, and those that several files share. Each has its unit, its
// reason and its origin; the unit comes last in the name. A bound that only one file uses is in
// that file.

import { assert } from './errors.js'
import { KiB, MiB } from './units.js'

/** Stored document, bytes. The reference server's maxBsonObjectSize. */
export const documentBytesMax = 16 * MiB
/**
 * Command document: a stored document and the fields around it (reference server:
 * BSONObjMaxInternalSize).
 */
export const commandBytesMax = documentBytesMax + 16 * KiB
/** One wire message or HTTP body, bytes (reference server: maxMessageSizeBytes). */
export const messageBytesMax = 48_000_000
/** Kind 1 sections of one message (reference server: code 233). */
export const messageSequencesMax = 2
/** A message before login, bytes: a login needs no large message. */
export const anonymousMessageBytesMax = 16 * KiB
/** Operations of one write command (reference server: maxWriteBatchSize, InvalidLength). */
export const writeBatchMax = 100_000
/** Nesting of BSON that the parser follows (reference server: 200, code 15). */
export const bsonDepthMax = 200
/** Nesting of a stored document (error Overflow); conforming clients stop here. */
export const documentDepthMax = 100
/** First batch of find and aggregate if the client sets none (reference server). */
export const firstBatchDocuments = 101
/** Page of the HTTP routes: default and largest (docs/compatibility.md, "HTTP"). */
export const httpPageDefault = 100
export const httpPageMax = 10_000
/** Sort fields of a list of documents over HTTP. */
export const pageSortFieldsMax = 8
/** Cursor of such a list: it must fit a URL, and the request headers take at most 16 KiB. */
export const pageCursorCharsMax = 8 * KiB
/** Documents of one batch of an NDJSON stream, which stays in memory while a slow client reads. */
export const streamBatchDocuments = 500

/** Time of one program in one tick, unless its work budget (work-figures.ts) ends it sooner. */
export const tickMsMax = 4
/**
 * Time of a thread that computes a document too large for one turn of a read, milliseconds.
 * `maxTimeMS` ends it sooner. Both fail with MaxTimeMSExpired. An aggregation over one document
 * of 16 MiB takes 1 to 2 s.
 */
export const heavyDocumentMsMax = 30_000
/** Heap and buffers of such a thread, bytes: a document, its result and the values in between. */
export const heavyDocumentBytesMax = 512 * MiB
/** Entries of one scan step. */
export const scanEntriesMax = 1_000
/** Entries and tombstones that one step of a scan reads, whatever it returns. */
export const scanStepMax = 2_000
/** Entries of the first step of a filtered query, and the bytes for which later steps are sized. */
export const scanFirstEntries = 100
export const scanBytesTarget = 4 * MiB
/** Results that one batch of a $lookup caches, bytes. */
export const lookupCacheBytesMax = 16 * MiB
/** Documents that one query stage passes to the next at a time. */
export const pullDocumentsMax = 500
/**
 * Comparisons in a query's planning: to move conditions towards the source of a pipeline, to plan
 * the branches of $or, to match a partial index. Each takes about 10 ms. Above these bounds the
 * query still runs, only without the optimization.
 */
export const pipelineMovesMax = 100_000
export const planStepsMax = 200_000
export const implicationStepsMax = 50_000
/**
 * Plans tried on the data, documents that each trial reads, and query shapes with a kept winner.
 */
export const plansTried = 4
export const planSampleDocuments = 64
export const planChoicesMax = 5_000
/** Puts and bytes of a write program (docs/design/transactions.md, rule 1): TransactionTooLarge. */
export const programPutsMax = 5_000
export const programBytesMax = 8 * MiB
/**
 * Puts and bytes of one atomic change over several turns: EXEC, MSET, commands of many members. Its
 * log record, with 15 bytes beside each key, is read in one piece.
 */
export const largePutsMax = 200_000
export const largeBytesMax = 64 * MiB
/** Documents changed by one program of a sweep (docs/design/transactions.md, rule 2). */
export const sweepDocumentsMax = 100
/** Bytes of documents that end a program of a sweep: less than half of programBytesMax. */
export const sweepBytesTarget = 2 * MiB
/** Programs and milliseconds of one write group. */
export const groupProgramsMax = 64
export const groupMsMax = 2
export const groupBytesMax = 4 * MiB
/**
 * Memory of one memtable before it is frozen, and its age. A key that is written again within this
 * time is checkpointed once and read without the tables.
 */
export const memtableBytesMax = 32 * MiB
export const memtableMsMax = 5_000
/** Memory that a memtable allocates at a time, bytes; a larger change has its own allocation. */
export const memtableSlabBytes = 1 * MiB
/** Slabs of one mapping: more than the 32 MiB up to which glibc may use its common heap. */
export const memtableArenaSlabs = 33
assert(memtableArenaSlabs * memtableSlabBytes > 32 * MiB, 'an arena is mapped on its own')
/** Unsorted keys before they are sorted into the order: 2 to 4 ms of work. */
export const memtableTailKeysMax = 8_192
/** Keys of one sorted run. */
export const memtableRunKeysMax = 512
/**
 * Bytes searched for live values after one group, in addition to three times its own bytes; the
 * most bytes and changes of one search: about 2 ms of work.
 */
export const memtableCleanBytes = 32 * KiB
export const memtableCleanBytesMax = 4 * MiB
export const memtableCleanChangesMax = 8_192
/** Bytes of a segment that are read at a time: all of a segment of the usual size. */
export const checkpointReadBytesMax = memtableBytesMax + 48 * MiB
/** With `interval`, the log is synced so long after the first unsynced write, milliseconds. */
export const logSyncMs = 100
/** Changes of one log record, bytes: a large change is one record. */
export const logRecordBytesMax = 72 * MiB
/** Bytes of a large change that are written to the log at once: about 3 ms. */
export const logPartBytes = 1 * MiB
assert(logRecordBytesMax > largeBytesMax + 32 * largePutsMax, 'a large change is one record')
assert(logRecordBytesMax > groupBytesMax + programBytesMax, 'a group is one record')
assert(checkpointReadBytesMax > logRecordBytesMax + KiB, 'a record is read in one piece')
/** Free disk space below which only removals run: the smaller of a share and bytes. */
export const diskReserveShare = 0.05
export const diskReserveBytesMax = 1_024 * MiB
/** Garbage collection at rest: interval, share of busy time that counts as rest, garbage needed. */
export const restMs = 2_000
export const restBusyShare = 0.05
export const restGarbageBytes = 16 * MiB
/** Runs of one write program before it fails with WriteConflict. */
export const programRunsMax = 16
/**
 * Searches of one update or findAndModify before it fails with WriteConflict because its document
 * kept changing. At least one search succeeds in each round, so only thousands of clients reach
 * this; the command's time limit comes first.
 */
export const modifyRunsMax = 10_000
/**
 * Age and number of snapshot reads, and those that may take longer: their number, memtable memory
 * and age. A longer reader of the tables keeps their free pages from being reused.
 */
export const snapshotMsMax = 5_000
export const snapshotsMax = 64
export const snapshotsKeptMax = 8
export const snapshotKeptBytesMax = 128 * MiB
export const snapshotKeptMsMax = 10 * 60_000

/** Store key, bytes. LMDB with 4 KiB pages accepts 1,978, a PostgreSQL btree row 2,704. */
export const keyBytesMax = 1_900
assert(keyBytesMax < 1_978, 'a key must fit every store')
/**
 * Encoded primary key, bytes. A longer key is stored as a prefix and a SHA-256
 * (docs/design/transactions.md, rule 8).
 */
export const recordKeyBytesMax = 512
export const recordKeyPrefixBytes = 480
assert(recordKeyPrefixBytes + 32 === recordKeyBytesMax, 'prefix and SHA-256 fill a record key')
/**
 * Encoded fields of one index entry, bytes. Longer ones are shortened in the same way
 * (docs/design/transactions.md, rule 8).
 */
export const entryFieldsBytesMax = 1_300
assert(entryFieldsBytesMax + recordKeyBytesMax + 6 <= keyBytesMax, 'an entry must fit a key')

/** Larger values are staged in chunks, bytes (docs/design/transactions.md, rule 13). */
export const inlineValueBytesMax = 256 * KiB
export const chunkBytes = 128 * KiB

/** Indexes of a collection, and fields of an index (reference server). */
export const indexesMax = 64
export const indexFieldsMax = 32
/**
 * Entries of one document in a wildcard index: one program writes them (reference server: 100,000).
 */
export const wildcardEntriesMax = programPutsMax - 100
/** Array paths that a wildcard index distinguishes: their number, and their bytes of UTF-8. */
export const wildcardArrayPathsMax = 32
export const wildcardArrayPathsBytesMax = KiB
/** Age of documents in a TTL index, seconds (reference server: an int32). */
export const expireAfterSecondsMax = 2_147_483_647
/** `db.collection`, bytes of UTF-8 (reference server); the database name alone. */
export const namespaceBytesMax = 255
export const databaseNameBytesMax = 63
/** Array positions that an update may fill with null (reference server: code 34). */
export const arrayBackfillMax = 1_500_000

/** Memory of one sort or group without spilling, bytes (reference server). */
export const blockingBytesMax = 100 * MiB
/**
 * Bytes on disk that the sorts and groups of one command may spill, and those of all commands:
 * temporary files share the disk with the store.
 */
export const spillBytesMax = 4 * 1_024 * MiB
export const spillBytesOfAllMax = 16 * 1_024 * MiB
/** Spilled bytes of one wallet or of the operator, so that the others keep room. */
export const spillBytesOfOwnerMax = 8 * 1_024 * MiB
/** Documents that one $densify may add (reference server). */
export const densifyDocumentsMax = 500_000
/** Values of one distinct reply, bytes (reference server: code 17217). */
export const distinctBytesMax = 16 * MiB
/** Bytes of documents in one reply batch (reference server). */
export const batchBytesMax = 16 * MiB
/**
 * Bytes of a capped collection: least, rounding and most; its most documents (reference server).
 */
export const cappedBytesMin = 4_096
export const cappedBytesStep = 256
export const cappedBytesMax = 2 ** 50
export const cappedDocumentsMax = 2 ** 31 - 1
/** Span and rounding of a time-series collection's buckets, seconds: a year (reference server). */
export const seriesSpanSecondsMax = 31_536_000
/** Bytes of a command that currentOp shows whole; of a longer one it shows the shape. */
export const shownCommandBytesMax = 16_384
/** Measurements and bytes of one bucket that `system.buckets.<name>` shows (reference server). */
export const bucketMeasurementsMax = 1_000
export const bucketBytesMax = 128_000
/** Buckets that a read fills at once, and their bytes: interleaved series need one each. */
export const openBucketsMax = 256
export const openBucketsBytesMax = 1_048_576
/** Records and entries that one insert may evict from a capped collection. */
export const cappedEvictionsMax = programPutsMax / 2
/** Wait of a getMore without maxTimeMS (reference server), and the getMores that may wait. */
export const awaitDataMs = 1_000
export const awaitingCursorsMax = 10_000
/** Idle time after which a cursor is closed (reference server); cursors of a wallet by default. */
export const cursorIdleMs = 10 * 60_000
export const cursorsPerOwnerMax = 1_000
/** Lifetime of an idle logical session (reference server: logicalSessionTimeoutMinutes). */
export const sessionIdleMinutes = 30

/** SCRAM iterations of keys; the contract has the same number (docs/contracts.md). */
export const scramIterations = 4_096
/**
 * Bytes of a credential or a login payload. No valid one is longer: it is refused before it is
 * decoded or hashed (AuthenticationFailed), which takes 25 ms for 15 MB.
 */
export const credentialBytesMax = 16 * KiB
/** SCRAM: iterations for a service user's password (MongoDB's number), nonce bytes, lifetime. */
export const userScramIterations = 15_000
export const scramNonceBytes = 24
export const conversationMsMax = 30_000
/** Service users in all: usersInfo returns them in one reply. */
export const usersMax = 1_000
/** Name of a service user, bytes: logs and each entry of currentOp contain it. */
export const userNameBytesMax = 128
/** `customData` of a service user, bytes: that of usersMax users fits one reply. */
export const userCustomDataBytesMax = 4_096
/** Service user's password on a network, characters: a recorded SCRAM exchange allows guessing. */
export const userPasswordCharsMin = 12
export const authFailuresPerConnectionMax = 5
/** Active keys of a wallet, on-chain and issued together (docs/keys.md). */
export const walletKeysMax = 10
/** Label of a key, characters. */
export const keyLabelCharsMax = 100
/** Highest rate limit of a key, requests a minute. */
export const keyRateLimitMax = 1_000_000
/** Cached keys with a known owner and proof, and keys known to have no owner. */
export const provenKeysMax = 100_000
export const unknownKeysMax = 10_000
/**
 * Failed logins that are answered at once: of an address, and of an address with an account. Later
 * answers wait: the first delay doubles up to the last one, milliseconds.
 */
export const loginFailuresFreeOfAddress = 20
export const loginFailuresFreeOfAccount = 3
export const loginDelayMs = 100
export const loginDelayMsMax = 10_000
/**
 * Wrong keys of one address that are compared with the operator's key, in this many milliseconds on
 * all listeners. It allows for typing errors; 29,000 guesses a day cannot find a key.
 */
export const wrongKeysMax = 20
export const wrongKeysMs = 60_000
/** Failures are forgotten this long after the last one, milliseconds. */
export const loginFailuresMs = 15 * 60_000
/** On-chain keys of a wallet that a listing reads, newest first. */
export const listedKeysMax = 1_000
/**
 * Sockets before login: of a listener, of one address (IPv6: of one /64), and their idle time. At
 * the bound a new socket replaces the oldest.
 */
export const anonymousSocketsMax = 1_000
export const anonymousSocketsOfAddressMax = anonymousSocketsMax / 2
export const anonymousIdleMs = 60_000
/**
 * Addresses, and keys, whose HTTP requests are counted. The least recently used are forgotten
 * (docs/operations.md, "Limits of requests").
 */
export const addressesTrackedMax = 100_000
/** How long a browser caches the response to a preflight, seconds. */
export const preflightAgeSeconds = 600
/** Time window of HOMES_PER_HOUR, milliseconds. */
export const homesWindowMs = 3_600_000
/** A sign-in message, bytes, checked before it is parsed. */
export const signInMessageBytesMax = 4 * KiB
/** Body of a request before authentication, bytes: message and signature as JSON. */
export const signInBodyBytesMax = 64 * KiB
/**
 * Sign-in nonce: characters that Sigil makes, least and most accepted, lifetime, nonces of a
 * browser.
 */
export const nonceChars = 22
export const nonceCharsMin = 8
export const nonceCharsMax = 64
export const nonceMs = 5 * 60_000
export const noncesPerSessionMax = 5
/** Clock difference to a wallet's machine, and the age of a sign-in message, milliseconds. */
export const signInSkewMs = 60_000
export const signInAgeMsMax = 10 * 60_000
/** Bytes of a signature: one of a contract wallet may include the code that deploys the wallet. */
export const signatureBytesMax = 16 * KiB
/** Gas of a call into a client's contract: 0.2 s in the EVM of Sigil, and on a remote chain. */
export const signatureGasLocal = 1_500_000
export const signatureGasRemote = 5_000_000
/** A session ends this long after its sign-in, active or not (docs/sign-in.md). */
export const sessionMs = 24 * 60 * 60_000
/** Longest session cookie that is read, characters; Sigil's have about 250. */
export const sessionCookieCharsMax = 1_024
/** Keys, and roles, that a restore prints individually. */
export const rightsListedMax = 20
/** Characters of an Idempotency-Key, and how long its response is kept. */
export const idempotencyKeyCharsMax = 255
export const idempotencyMs = 86_400_000
/** Responses kept for one caller in a day, and the bytes after which no more are kept. */
export const idempotencyAnswersMax = 10_000
export const idempotencyBytesMax = 64 * MiB
/** A day, milliseconds. */
export const dayMs = 86_400_000
/** Days for which the use of keys is kept, and which a client may request. */
export const keyUseDaysMax = 400
/** Days of the overview, and of one key by default. */
export const keyUseDays = 7
/** Keys that an overview lists: the most used. */
export const keyUseListedMax = 1_000
/** Client metadata in hello, which currentOp shows, bytes; drivers stay below 512. */
export const clientMetadataBytesMax = 4 * KiB
/** Sockets of the MongoDB protocol; each costs about 20 KiB beside its requests. */
export const wireConnectionsMax = 10_000
/** Larger messages wait for room in the memory budget, bytes; smaller ones are only counted. */
export const smallMessageBytesMax = 64 * KiB
/** MEMORY_BUDGET for a part that runs without settings, bytes. */
export const memoryBudgetBytes = 256 * 1_000_000
/** With memory short, a client that reads none of its replies is disconnected after this time. */
export const pressedStallMs = 3_000
/** An HTTP request that waits for memory fails after this time. */
export const memoryWaitMsMax = 10_000
/** HTTP requests queued on one connection before Sigil stops reading from it. */
export const pipelinedRequestsMax = 100
/** Replies of one pipeline that are made before the client has read some of them, bytes. */
export const pipelineReplyBytes = 1 * MiB
/** Time for a stalled large message, and for a closing socket with an unread reply. */
export const messageStallMs = 30_000
/** Unread replies above the backlog hold shared memory, so the socket is closed after this time. */
export const replyStallMs = 5 * 60_000
/** Silence after which TCP sends a keep-alive probe (reference server: 120 s). */
export const tcpKeepAliveMs = 60_000
/** A graceful stop waits this long for commands in flight. */
export const shutdownMsMax = 4_000
/** Unsent replies above which Sigil stops reading from the socket until it drains, bytes. */
export const socketBacklogBytesMax = 1 * MiB
/** Filter, pipeline or update: nesting depth, and stages. */
export const expressionDepthMax = 100
export const pipelineStagesMax = 1_000
/** Pipelines inside pipelines (reference server: 20, code 232). */
export const subPipelineDepthMax = 20
/** A value of an expression, bytes (BSONObjectTooLarge): concatenation in a loop doubles it. */
export const expressionBytesMax = 64 * MiB
/** Documents that a transform emits in one bounded step. */
export const stepDocumentsMax = 500
/** Regular expression source, characters (reference server: 32,764). */
export const regexCharsMax = 32_764
/**
 * HTTP: request headers, bytes; time to receive the headers and a body that is read whole. The
 * keep-alive (keepAliveMs) exceeds a proxy's idle time.
 */
export const headerBytesMax = 16 * KiB
export const requestMsMax = 60_000
/** NDJSON import over HTTP: bytes, time, bytes of a line, errors that the response lists. */
export const importStreamBytesMax = 1024 * MiB
export const importStreamMsMax = 3_600_000
export const importLineBytesMax = documentBytesMax
export const importErrorsMax = 100
/** Data API: documents of one response by default and at most, of a batch; bytes as text. */
export const dataApiLimitDefault = 1_000
export const dataApiLimitMax = 50_000
export const dataApiBatchDocuments = 1_000
export const dataApiAnswerBytesMax = messageBytesMax
/** Documents, and bytes of lines, that an import puts into one command. */
export const importStreamDocuments = 1_000
export const importStreamBatchBytes = 4 * MiB
export const keepAliveMs = 75_000
/** Concurrent requests of an import: one is parsed while another is written. */
export const importRequestsMax = 3
/**
 * Records, and about how many bytes, of one background step (docs/design/transactions.md, rule 14).
 */
export const backgroundRecordsMax = 50
export const backgroundBytesTarget = 512 * KiB
/** One index specification, bytes (CannotCreateIndex): a descriptor holds all of a collection. */
export const indexSpecBytesMax = 2 * KiB
assert(indexesMax * indexSpecBytesMax < inlineValueBytesMax, 'a descriptor is one record')
/** A shorter operator key gets a warning, and is refused on a network. */
export const operatorKeyCharsMin = 32
/** Interval of the sweep for expired documents: half of the reference server's. */
export const documentExpirySweepMs = 30_000
/** Text of a decimal, characters: 34 digits and the zeros that an exponent of 6,176 may need. */
export const decimalCharsMax = 16_384
/**
 * Digits of a JSON number before its point, behind it, and in its exponent (BadValue): its value is
 * a double, of which 17 digits tell all.
 */
export const jsonDigitsMax = 8_192
/**
 * RESP: one argument, bytes; announced as proto-max-bulk-len (docs/compatibility.md, "Key-value").
 */
export const respBulkBytesMax = documentBytesMax - KiB
/**
 * Arguments of one command: Redis' bound up to 6.2. Redis 7.0 accepts 2^31 - 1, whose offsets alone
 * would take 16 GiB.
 */
export const respArgumentsMax = 1_024 * 1_024
/** All arguments of one command, bytes (Redis' client-query-buffer-limit: 1 GiB for everything). */
export const respRequestBytesMax = 64 * MiB
assert(respRequestBytesMax > respBulkBytesMax, 'the longest argument fits a command')
/**
 * A longer argument is skipped unread and its command refused, up to this length (Redis' bound).
 */
export const respPassedBytesMax = 512 * MiB
/**
 * An inline command or a length without an end of line, bytes (reference server:
 * PROTO_INLINE_MAX_SIZE).
 */
export const respLineBytesMax = 64 * KiB
/** Before login (Redis): arguments of a command, bytes of an argument. */
export const anonymousRespArgumentsMax = 10
export const anonymousRespBulkBytesMax = 16 * KiB
/** Replies are gathered in blocks of this size, bytes (Redis: PROTO_REPLY_CHUNK_BYTES). */
export const respBlockBytes = 16 * KiB
/** Longer bulk strings are sent without a copy: it saves half a block, bytes. */
export const respReferenceBytesMin = 8 * KiB
assert(respReferenceBytesMin <= respBlockBytes, 'what is copied fits a block')
/** Values of a reply that are encoded in one turn; a longer reply takes several. */
export const replyValuesAtOnce = 8_192
/** Backup: bytes of a block (at least one pair), and of one section of the file. */
export const backupBlockBytes = 1 * MiB
export const backupSectionBytesMax = 2 * programBytesMax
assert(backupSectionBytesMax > backupBlockBytes + programBytesMax, 'every put fits a section')
/** Default rate of a backup, bytes a second: it slows clients little. */
export const backupBytesPerSecond = 50_000_000
/** Highest rate that a client may request, MB/s. */
export const backupRateMax = 10_000
/** A backup ends if its client reads nothing for this long: it pins a snapshot of the tables. */
export const backupStallMs = 60_000
/** SELECT accepts 0 to 15 (Redis' default). */
export const keyspacesMax = 16
/**
 * Name of a key, bytes: caches use the whole name. The store's key of a long name is a prefix and a
 * SHA-256 (docs/design/transactions.md, rule 8); the record has the whole name.
 */
export const keyNameBytesMax = 64 * KiB
/** A longer member has this prefix and a SHA-256 in its store key, bytes. */
export const memberKeyPrefixBytes = 992
export const memberKeyBytesMax = memberKeyPrefixBytes + 32
assert(memberKeyBytesMax + 32 <= keyBytesMax, 'a member and its score fit a key')
/** Commands of one connection that share a program; fewer while other programs wait. */
export const batchCommandsMax = 64
export const batchCommandsShared = 16
/**
 * Commands of several connections that share a program, and their words: a few milliseconds of
 * work; words and bytes of one such command. A larger one runs alone.
 */
export const sharedCommandsMax = 512
export const sharedWordsMax = 2_048
export const sharedCommandWordsMax = 64
export const sharedCommandBytesMax = 4 * KiB
assert(2 * sharedWordsMax < programPutsMax, 'what is shared is no large program')
/**
 * What one connection may queue between MULTI and EXEC, bytes: the longest command, and twice what
 * EXEC can write. Each command counts this much in addition to its words.
 */
export const multiBytesMax = 2 * respRequestBytesMax
export const multiCommandBytes = 512
/** And of all connections together: two of them may reach their bound. */
export const multiBytesTotalMax = 2 * multiBytesMax
assert(multiBytesMax >= 2 * programBytesMax, 'what EXEC can do can be queued')
/** Interval of the sweep for expired keys. */
export const expirySweepMs = 100
/**
 * Unsent bytes of a subscriber (Redis' client-output-buffer-limit pubsub): at once, and for a time.
 */
export const subscriberOutputBytesMax = 32 * MiB
export const subscriberBacklogBytesMax = 8 * MiB
export const subscriberBacklogMs = 60_000
assert(subscriberBacklogBytesMax > socketBacklogBytesMax, 'a slow client is first not read from')
/** Interval of the comments that keep an event stream open through proxies. */
export const eventStreamPingMs = 15_000
/** Sockets of the Redis protocol (Redis: maxclients). */
export const respConnectionsMax = 10_000
/** Sockets of the PostgreSQL protocol. */
export const sqlConnectionsMax = 10_000
/** As programReadsMax, for a command that a read prepares. */
export const optimisticReadsMax = 1_500_000
/** Keys that others change while a command is prepared; above it, it restarts. About 50 MB. */
export const preparedChangesMax = 400_000
/**
 * Members that one count record of a large sorted set covers, and the count records under one above
 * them: a rank reads half of each on its way down.
 */
export const rankBlockMembersMax = 512
assert(rankBlockMembersMax < scanEntriesMax, 'a block is one step of a scan')
/**
 * Keys that are read in one step; a larger read pauses in between. Fewer after a step of many
 * bytes: records have up to inlineValueBytesMax, so a step is at most 32 MiB.
 */
export const keysAtOnceMax = 512
export const largeKeysAtOnce = 128
/** Members in one page of keyMembers, those of one step, and the bytes that end a page. */
export const keyMembersMax = 10_000
export const keyMembersAtOnce = 64
export const keyMembersBytesMax = 4 * MiB
/** Members that a range removes one by one, and members left that are few enough to be moved. */
export const removeAtOnceMax = 1_000
export const keptAtOnceMax = 1_500
/** Members that a command with a negative count picks at random, with repetitions. */
export const randomPicksMax = 1_000_000
/** Members that a list removes one by one at an end; the background removes more. */
export const trimAtOnceMax = 256
/** Members of a list that one step reads: each has up to inlineValueBytesMax bytes. */
export const listScanMembers = 200
assert(trimAtOnceMax * 4 < programPutsMax, 'a trim leaves room for its neighbours')
/**
 * Comparisons of one pattern match: a base, and more for each byte of the subject. Only a hostile
 * pattern reaches it: one of 1,000 bytes then takes 0.3 ms. At the bound it does not match.
 */
export const globStepsBase = 10_000
export const globStepsPerByteMax = 64
/** Longest delay of one timer in Node; a longer one fires at once. */
export const timerMsMax = 2 ** 31 - 1
/** Bytes of a pattern that can match (the tests of Redis have 100,000). */
export const globPatternBytesMax = 256 * KiB
/** Cursors of SCAN and its like that are kept, and their bytes; few are longer than 100 bytes. */
export const scanCursorsMax = 10_000
export const scanCursorBytesMax = 64 * MiB
/** Keys that SORT looks up in one step, and elements that it sorts without a pause. */
export const sortLookUpsAtOnce = 500
export const sortRunElements = 1_000
/** Bytes of the strings of one dump after decompression. */
export const dumpUnpackedBytesMax = 4 * respBulkBytesMax
/** Members of a large container that one program copies or builds, and their bytes. */
export const membersCopiedAtOnce = 500
export const membersCopiedBytes = programBytesMax / 4
/**
 * Bytes of a command in a line of MONITOR. A line of 16 MiB of unprintable bytes would take
 * seconds, and delay every command.
 */
export const monitorLineBytes = 16 * KiB
/** Entries of the slow log, whatever slowlog-max-len says: each has up to 4 KiB. */
export const slowLogEntriesMax = 10_000
/** Words of an entry, and bytes of a word (Redis). */
export const slowLogWordsMax = 32
export const slowLogBytesMax = 128
/** Local chain: gas of a block, of a transaction or an estimated deployment, of a call: 0.2 s. */
export const chainBlockGasMax = 15_000_000
export const chainTransactionGasMax = 6_000_000
export const chainCallGasMax = 3_000_000
/** Seconds by which successive blocks may run ahead of the clock; then one block a second. */
export const chainAheadSecondsMax = 15
/** Transactions in the queue, those of one sender, and the wait for a missing nonce. */
export const chainQueueMax = 1_024
export const chainQueueSenderMax = 64
export const chainGapMs = 5_000
/** A signed transaction, and the data of a call, bytes (geth). */
export const chainTransactionBytesMax = 128 * KiB
/** The same for POST /chain: a contract of 24 KiB with its arguments. */
export const chainForeignTransactionBytesMax = 32 * KiB
/**
 * Growth of the chain's folder by transactions from POST /chain in this time: of one sender, of
 * all, and of one sender once half of that is used. Eight gas write at most one byte (data of
 * logs).
 */
export const chainGrowthMs = 24 * 3_600_000
export const chainGrowthSenderBytesMax = 16 * MiB
export const chainGrowthBytesMax = 256 * MiB
export const chainGrowthLateBytesMax = MiB
export const chainGasPerByte = 8
/**
 * Logs and blocks of one eth_getLogs, and the addresses, or topics in one position, of its filter.
 */
export const chainLogsMax = 2_000
export const chainLogBlocksMax = 10_000
export const chainLogChoicesMax = 1_000
/** Blocks of one eth_feeHistory, and its percentiles (geth). */
export const chainFeeBlocksMax = 1_024
export const chainFeePercentilesMax = 100
/** Concurrent requests to the worker, and bodies of POST /chain among them. */
export const chainRequestsMax = 10_000
export const chainBodiesMax = 64
/** A body of POST /chain, requests of a batch, bytes of responses before the rest is refused. */
export const chainBodyBytesMax = 512 * KiB
export const chainBatchMax = 100
export const chainReplyBytesMax = 8 * MiB
/**
 * JSON-RPC of a remote chain: time for one response, its bytes (parsed at once: 20 ms), the longest
 * pause that a 429 may request.
 */
export const rpcTimeoutMs = 4_000
export const rpcAnswerBytesMax = 4 * MiB
export const rpcPauseMsMax = 30_000
/** Endpoints of CHAIN_RPC_URL; how long Sigil waits for the slower ones after enough responses. */
export const rpcEndpointsMax = 8
export const quorumGraceMs = 400
/** Interval of polls for a new block, and the age at which the head is no longer known. */
export const headPollMs = 1_000
export const headAgeMsMax = 3_000
assert(headAgeMsMax >= 2 * headPollMs, 'one look may fail')
/** How long a request waits for the chain's first or next response. */
export const chainWaitMs = 5_000
/**
 * Blocks that a reorganization may replace; the head goes back no further
 * (docs/chain.md, "What you trust").
 */
export const headRewindMax = 64
export const blockHashesKept = 2 * headRewindMax
/** Blocks of one eth_getLogs, at first and at most: providers limit them. */
export const logBlocksFirst = 10_000
export const logBlocksMax = 100_000
/** Blocks that are read again behind the head: a lagging node returns an empty range, no error. */
export const logOverlapBlocks = 8
assert(logOverlapBlocks < headRewindMax, 'what is read again can be taken back')
/** Gas of a sponsored transaction and of its simulation: a hostile wallet may burn all of it. */
export const sponsoredGasMax = 400_000
/**
 * Least gas limit: the costliest act of an ordinary wallet takes 176,000, whatever the estimate.
 */
export const sponsoredGasMin = 200_000
assert(sponsoredGasMin < sponsoredGasMax, 'a node may ask for more')
/** A signed act may expire at most this far ahead, seconds of chain time. */
export const deadlineSecondsMax = 3_600
/** How long a request waits for its transaction, and after how long its fee is raised. */
export const receiptMsMax = 60_000
export const feeBumpMs = 20_000
assert(feeBumpMs < receiptMsMax, 'a fee is raised while a client waits')
/** Sponsored transactions of one wallet a day, and those that may wait for a block at once. */
export const sponsoredPerDayMax = 20
export const sponsoredPendingMax = 200

/**
 * Memories of one batch, and the bytes of their documents: one program marks them, with three puts
 * each. Batches of one transaction, and its gas: a batch takes 80,000.
 */
export const anchorBatchMemories = 1_000
export const anchorBatchBytes = 4 * MiB
export const anchorsAtOnce = 20
export const anchorGasMax = 3_000_000
/** A graph is anchored when this many memories wait, or the oldest has waited this long. */
export const anchorDueMemories = 256
export const anchorDueMs = 600_000
/**
 * On a chain with fees: the pause between transactions, which combines requests; and the part of a
 * day's budget that may be spent at the start of the day, as milliseconds of that day.
 */
export const anchorPayMs = 60_000
export const anchorHeadStartMs = 10_800_000
/** Attempts before an anchor counts as failed; the pause after the first, then doubled. */
export const anchorAttemptsMax = 5
export const anchorRetryMs = 10_000
/** How long verify waits for the chain. */
export const verifyChainMs = 5_000
/** Verify: time to recompute uncached roots (3 ms each), cache lifetimes of results, roots kept. */
export const verifyRootsMs = 5_000
export const verifyConfirmedMs = 60_000
export const verifyUnconfirmedMs = 5_000
export const verifyRootsKept = 10_000
/**
 * verifyGraph: anchors of a step, the longest block range of one request for their events, and the
 * time after which it stops requesting.
 */
export const verifyAnchorsAtOnce = 200
export const verifyBlocksMax = 10_000
export const verifyGraphMs = 10_000

/**
 * Proofs: ids of one request; edges at each end of a memory that its verdict reads; leaves about
 * the graph itself (rare); batches and memories of one step; leaves and documents of one request.
 */
export const verifyIdsMax = 300
export const verifyEdgesMax = 100
export const graphLeavesMax = 1_000
export const verifyBatchesAtOnce = 10
export const verifyMemoriesAtOnce = 10
export const sweepEntriesMax = 5_000
/**
 * Problems and late memories that one request of a sweep lists, the rest is counted; its cursor.
 */
export const sweepListedMax = 100
export const sweepCursorCharsMax = 4_096

/** Addresses on the whitelist, which is returned whole, in a reply of about 5 MB. */
export const whitelistAddressesMax = 100_000
/** Roles of one collection: every command decodes them with its descriptor. */
export const rolesMax = 1_000
/** Entries of the audit, which drops the oldest, and characters of a text in one. */
export const auditEntriesMax = 100_000
export const auditTextMax = 256

/** Details of a failed validation: bytes in all, values of one path, levels (reference server). */
export const validationErrorBytesMax = 12 * 1024 * 1024
export const consideredValuesMax = 10
export const validationErrorDepthMax = 200
/** Such details in one reply, bytes; later failures have only their code. */
export const validationErrorsBytesMax = 8 * 1024 * 1024
/** Bytes of the listed ids of documents that prevent a unique index. */
export const violationsBytesMax = 8 * 1024 * 1024
/** Compiled validators that are cached, by the bytes of their rules. */
export const validatorsBytesMax = 64 * 1024 * 1024
/** Options of a collection, bytes (BSONObjectTooLarge): each command on it compares them. */
export const collectionOptionsBytesMax = 1024 * 1024
/** Views on views (reference server: kMaxViewDepth). */
export const viewDepthMax = 20
/** Names that a view reads, through other views too, and bytes of their pipelines. */
export const viewSourcesMax = 1_000
export const viewPipelineBytesMax = 16 * 1024 * 1024

/** Cached collations by their documents, and their weight tables (5 MB and 80 ms each). */
export const collationsMax = 1_000
export const collationTablesMax = 16

/** One SQL statement: bytes of its text, bytes of an INSERT, and words. */
export const sqlBytesMax = 256 * 1024
export const sqlInsertBytesMax = 1024 * 1024
export const sqlTokensMax = 100_000
/** Levels of parentheses, CASE, NOT and signs in an expression; operators of one chain. */
export const sqlDepthMax = 100
export const sqlChainMax = 1_000
/** Items of a list in a statement (IN, arguments, columns), and rows of VALUES. */
export const sqlListMax = 10_000
export const sqlRowsMax = 10_000
/** Characters of a LIKE pattern. */
export const sqlPatternCharsMax = 1_000
/** Values for placeholders (the PostgreSQL protocol counts them in 16 bits). */
export const sqlParametersMax = 32_767
/**
 * Bytes of the rows of one table that a join without an index holds, also while its cursor is idle.
 */
export const sqlJoinBytesMax = 32 * MiB
/** Values of one group that an ordered aggregate lists, bytes: sorting them is one step. */
export const sqlSortedListBytesMax = 4 * MiB

/** Cached parsed statements, and the estimated bytes of their trees. */
export const sqlStatementsMax = 2_000
export const sqlStatementsBytesMax = 32 * MiB
/** Documents that DESCRIBE samples for the columns of a collection. */
export const showSampleDocuments = 100

/** One PostgreSQL message, bytes: before login or only with names, and any other. */
export const pgSmallMessageBytesMax = 10 * KiB
export const pgMessageBytesMax = 16 * MiB
/** Prepared statements of one connection, and its portals. */
export const pgPreparedMax = 1_000
/** Their bytes, and the bytes of rows that wait in its portals. */
export const pgPreparedBytesMax = 32 * MiB
export const pgHeldBytesMax = 64 * MiB
/** Statements of one message, and messages of one chunk, in one turn of the event loop. */
export const pgStatementsAtOnce = 32
/** Savepoints of a transaction, with the cursors recorded for them: 100 bytes each. */
export const pgSavepointsMax = 10_000
/** Columns of a row (PostgreSQL: MaxTupleAttributeNumber); the protocol counts to 32,767. */
export const pgColumnsMax = 1_664
/** Text of a number that is bound to a placeholder, characters. */
export const pgScalarCharsMax = 16_384
/**
 * Rows that a listener requests from a cursor at once, and rows that it encodes without a pause.
 */
export const pgBatchRows = 1_000
export const pgRowsAtOnce = 500
/** Bytes of rows that are encoded in one turn of the event loop: a few milliseconds. */
export const pgEncodedAtOnce = 256 * KiB
/** Bytes of replies that are gathered before they are sent. */
export const pgAnswerBytes = 64 * KiB
/** Settings that one session keeps, and characters of the value of one. */
export const sqlSettingsMax = 200
export const sqlSettingCharsMax = 1_000

/** Distinct terms of one memory, UTF-16 units of a term, and parts of one identifier. */
export const termsMax = 512
export const termUnitsMax = 64
export const identifierPartsMax = 8
/** Characters of a question and of an entity's name in one, its terms, and hops. */
export const questionCharsMax = 512
export const entityCharsMax = 256
export const questionTermsMax = 32
export const hopsMax = 10
export const hopsDefault = 1
/** Memories of one answer. */
export const recalledDefault = 20
export const recalledMax = 100
/**
 * Nodes of a context and of a snapshot; edges of one node that are read to find more nodes or the
 * edges between them, and of all nodes together; anchors in a snapshot.
 */
export const contextNodesMax = 300
export const fanOutMax = 1_000
export const contextEdgesMax = 10_000
export const snapshotAnchorsMax = 100
/** Edges of one node that are read first, and at most in one step; nodes in one step. */
export const edgePageFirst = 16
export const edgePageMax = 256
export const nodesAtOnce = 20
/** Entities of a question, and memories linked to one of them, that are read. */
export const questionEntitiesMax = 8
export const linkedMemoriesMax = 300

/** Graph memory over HTTP: bytes of a body, and of a batch's (docs/memory.md, "Routes"). */
export const memoryBodyBytesMax = 1 * MiB
export const memoryBatchBodyBytesMax = 8 * MiB
/** Characters of a node's id in a request: every id is shorter. */
export const memoryIdCharsMax = 128
/** Larger JSON texts and values are converted in a thread: here they would take 5 ms. */
export const jsonInThreadBytes = 128 * KiB
/** Characters of the input that an error repeats, and of the error's whole text. */
export const memoryEchoCharsMax = 64
export const memoryMessageCharsMax = 300
/** MCP: a message's body, and the text of an answer, bytes. */
export const mcpBodyBytesMax = 1 * MiB
/** Elements and fields of a message at any depth: the MCP library checks them at once; its text. */
export const mcpPiecesMax = 10_000
export const mcpTextBytesMax = 16_000
/** Graphs that an MCP client sees as resources. */
export const mcpResourcesMax = 100
/** Longest wait of a program that loads a file before it retries after a rate limit. */
export const retryAfterSecondsMax = 60

/** Characters of a graph's name. */
export const graphNameCharsMax = 64
/** Characters (code points) of a memory, of a name, of a kind or type, of a part of a source. */
export const memoryCharsMax = 8_192
/** UTF-16 units of a memory in NFKC, the form that is analysed: a character may take two. */
export const memoryUnitsMax = 2 * memoryCharsMax
export const entityNameCharsMax = 256
export const entityKindCharsMax = 64
export const sourceCharsMax = 1_024
/** Normalised name and reference of a source, bytes of UTF-8: they are fields of index entries. */
export const nameBytesMax = 1_024
assert(nameBytesMax + 32 < entryFieldsBytesMax, 'entries have whole names')
/** Entities, aliases, keywords and edges that a client may send with one memory. */
export const givenEntitiesMax = 32
export const givenAliasesMax = 16
export const givenKeywordsMax = 32
export const givenEdgesMax = 64
/**
 * Entities that are extracted from a text, beside those that the client sent; names of one entity.
 */
export const extractedMax = 32
export const entityNamesMax = 64
/** Known names with the same first word that are compared with a text. */
export const namesOfWordMax = 64
/** Entities that are compared with one text: reading them takes about 10 ms. */
export const namesOfTextMax = 500
/** Terms that a reply lists as the keywords of a memory. */
export const keywordsShown = 12
/** Memories of one command. */
export const memoryBatchMax = 500
/**
 * Commands that are prepared at a time (preparedChangesMax). Above it, further batches are written
 * in one program each.
 */
export const memoryBatchesOptimisticMax = 4
/** Nodes of one graph (error GraphLimit). */
export const graphNodesMax = 1_000_000
/** Edges that one program removes or moves (eight puts and two leaves each): about 10 ms. */
export const edgesPerProgram = 150
export const edgesMergedAtOnce = 50
assert(10 * edgesPerProgram < programPutsMax, 'what is moved fits a program')

/** Least time between two scrubs of the tables when they are small, milliseconds. */
export const scrubRoundMsMin = 1_000
